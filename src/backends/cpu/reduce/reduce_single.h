// SPDX-License-Identifier: Apache-2.0
// Reductions of one element each, over dimensions of size 1: results are the elements.
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_SINGLE_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_SINGLE_H_

#include "ops/rules/reduction.h"

typedef enum oyi_single {
  OYI_SINGLE_ELEMENT,  // converted to the dtype of the output
  OYI_SINGLE_PLACE,    // 0
} oyi_single;

// Writes those of r->out that there are, the second one as |second| says; false if there is
// more than one element to a result, or otherwise more to do than to copy: nothing is written.
bool oyi_reduce_single(const oyi_reduction* r, oyi_single second);
typedef enum oyi_single_kind {
  OYI_SINGLE_SUM,
  OYI_SINGLE_NANSUM,  // NaN becomes 0
  OYI_SINGLE_MEAN,    // of an infinite part of a complex number the other one becomes NaN
  OYI_SINGLE_PRODUCT  // the same; of complex numbers only
} oyi_single_kind;

// The same of sums into the dtype of the input, or of integers into i64: -0 becomes 0; and of
// products of 1 and a complex number.
bool oyi_reduce_single_sum(const oyi_reduction* r, oyi_single_kind kind);
// The place of an element that is alone, 0, everywhere.
void oyi_reduce_single_places(oyi_tensor* places);

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_SINGLE_H_
