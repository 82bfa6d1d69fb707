// SPDX-License-Identifier: Apache-2.0
// Sorting of lines that the first caches hold by a network of comparisons, a vector of elements
// with another at a time: no step depends on what the elements are, so nothing is guessed wrong.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SORT_LANES_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SORT_LANES_H_

#include "opyard/tensor.h"

// A line of |n| elements, |step| bytes apart; NaN is the greatest, |descending| turns the order.
typedef struct oyi_line {
  oy_dtype dtype;
  const char* x;
  int64_t step, n;
  bool descending;
} oyi_line;

// Where the elements of the line come from, in order, equal ones as they were: |n| places at
// the start of |room|, of oyi_sort_lanes_room(n) numbers that begin a cache line.
typedef void (*oyi_sort_lanes_fn)(const oyi_line* line, int64_t* room);

enum { OYI_SORT_LANES = 8 };  // of the widest vectors

static inline int64_t oyi_sort_lanes_room(int64_t n) {
  return 2 * ((n + OYI_SORT_LANES - 1) / OYI_SORT_LANES * OYI_SORT_LANES);
}

// NULL: such lines are sorted faster otherwise, or the processor has no such vectors.
oyi_sort_lanes_fn oyi_sort_lanes_for(oy_dtype dtype, int64_t n);

void oyi_sort_lanes_v3(const oyi_line* line, int64_t* room);
void oyi_sort_lanes_v4(const oyi_line* line, int64_t* room);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SORT_LANES_H_
