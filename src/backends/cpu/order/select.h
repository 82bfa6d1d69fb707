// SPDX-License-Identifier: Apache-2.0
// The element of a given rank: by comparing all with two of about that rank, and going on
// with those between.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SELECT_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SELECT_H_

#include "opyard/tensor.h"

// Which rank is wanted of |n| elements with |nans| NaN, which come last.
typedef int64_t (*oyi_rank_fn)(int64_t n, int64_t nans, int64_t k);

typedef struct oyi_selection {
  const char* x;
  int64_t step, n;  // in bytes; elements, at least one
  oyi_rank_fn rank;
  int64_t k;      // for |rank|
  bool is_first;  // the first of equal ones stands for all; else they are in their order
} oyi_selection;

// The place of that element. Zeros of either sign are equal, and so is every NaN. Only for
// dtypes with an order. OUT_OF_MEMORY if many are left between the two and have no room.
oy_status oyi_select(oy_dtype dtype, const oyi_selection* s, int64_t* out_place);

// The same for one level of processors.
oy_status oyi_select_base(oy_dtype dtype, const oyi_selection* s, int64_t* out_place);
oy_status oyi_select_v3(oy_dtype dtype, const oyi_selection* s, int64_t* out_place);

// The place of the first of elements |i| to |n| - 1 of |x|, which lie together, that comes before
// that at |bound| in ascending, or descending, order; |n| if there is none.
typedef int64_t (*oyi_next_fn)(const void* x, int64_t i, int64_t n, int64_t bound,
                               bool descending);
// For dtypes with an order, on this processor and for one level of processors.
oyi_next_fn oyi_select_next(oy_dtype dtype);
oyi_next_fn oyi_select_next_base(oy_dtype dtype);
oyi_next_fn oyi_select_next_v3(oy_dtype dtype);

// Some of |n| elements that lie together, fewer than 2^31, among which are the first |k| in
// ascending, or descending, order, equal ones in that of their places: how many are written to
// |to|, and their places to |places|, in the order of these. These and |spare| have room for |n|.
// 0: all would be, or nobody knows.
typedef int64_t (*oyi_top_fn)(const void* x, int64_t n, int64_t k, bool descending,
                              void* to, int32_t* places, int32_t* spare);
oyi_top_fn oyi_select_top(oy_dtype dtype);
oyi_top_fn oyi_select_top_base(oy_dtype dtype);
oyi_top_fn oyi_select_top_v3(oy_dtype dtype);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SELECT_H_
