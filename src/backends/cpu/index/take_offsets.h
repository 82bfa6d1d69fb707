// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_TAKE_OFFSETS_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_TAKE_OFFSETS_H_

#include "tensor/impl.h"

// Dimensions of a tensor, those that continue each other joined; there is one at least.
typedef struct oyi_take_dims {
  size_t ndim;
  int64_t numel;                                                 // below 2^50
  int64_t sizes[OY_TENSOR_MAX_DIMS], steps[OY_TENSOR_MAX_DIMS];  // the fastest first
} oyi_take_dims;

// The offset in bytes of each of |n| places, which may count from the end; |offsets| may be
// |index|. False: one is not in the tensor.
bool oyi_take_offsets(const oyi_take_dims* t, int64_t n, const int64_t* index,
                      int64_t* offsets);
bool oyi_take_offsets_v3(const oyi_take_dims* t, int64_t n, const int64_t* index,
                         int64_t* offsets);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_TAKE_OFFSETS_H_
