// SPDX-License-Identifier: Apache-2.0
// The running maximum and minimum along lines, and where they are.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_EXTREME_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_EXTREME_H_

#include "opyard/tensor.h"

// Lines of |n| elements: their values, what is greatest or least so far, and its place. Steps
// are in bytes, along a line and from one to the next.
typedef struct oyi_extreme_lines {
  const char* x;
  char *y, *at;
  int64_t n, x_step, y_step, at_step;
  int64_t lines, x_line, y_line, at_line;
  bool is_least;
} oyi_extreme_lines;

// The last of equal elements counts, and a NaN above all. Only for dtypes with an order.
void oyi_extremes_base(oy_dtype dtype, const oyi_extreme_lines* e);
void oyi_extremes_v3(oy_dtype dtype, const oyi_extreme_lines* e);

// Of elements that lie side by side in each line.
void oyi_extremes_short_v4(oy_dtype dtype, const oyi_extreme_lines* e);
// Of lines that are neighbours, at most eight, of elements of less than eight bytes sixteen.
void oyi_extremes_few_v4(oy_dtype dtype, const oyi_extreme_lines* e);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_EXTREME_H_
