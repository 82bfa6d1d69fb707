// SPDX-License-Identifier: Apache-2.0
// The set-up of an elementwise walk over operands of one dtype whose shapes differ, where all
// of them lie as new tensors of the CPU do.
#ifndef OPYARD_SRC_TENSOR_ITERATOR_SPREAD_H_
#define OPYARD_SRC_TENSOR_ITERATOR_SPREAD_H_

#include "tensor/iterator.h"

typedef enum oyi_spread_status {
  OYI_SPREAD_DONE,
  OYI_SPREAD_OTHER,  // it is not as simple, or wrong; nothing was done
  OYI_SPREAD_FAILED  // OUT_OF_MEMORY is set
} oyi_spread_status;

// As oyi_iter_elementwise.
oyi_spread_status oyi_iter_spread(oyi_iter* it, oy_object* out, oy_object* const* inputs,
                                  int n, unsigned flags);

#endif  // OPYARD_SRC_TENSOR_ITERATOR_SPREAD_H_
