// SPDX-License-Identifier: Apache-2.0
// Elements of given ranks in many short lines: what a call for each line takes is more than its
// elements do, so that lines go side by side, and each element is compared with each.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_RANK_LINES_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_RANK_LINES_H_

#include "backends/cpu/index/lines.h"
#include "backends/cpu/order/select.h"

// Elements of a line, at most, and where one of them is wanted, of 4 bytes or less and of 8.
enum { OYI_RANKED = 32, OYI_RANKED_ONE = 64, OYI_RANKED_WIDE = 32 };

// Elements of a line, and how many are wanted of them, at most, where those that are wanted so far
// are kept in order; for numbers of one byte, which count elements, half as many.
enum { OYI_TOP_LINE = 254, OYI_TOP = 16 };

// What is wanted of each line of |n| elements: the one that |rank| says, or with NULL the most
// frequent one, or the first |k| of them, in their order.
typedef struct oyi_ranking {
  oy_dtype dtype;
  int64_t n, k;
  oyi_rank_fn rank;
  bool descending;   // NaN first
  bool places_only;  // and no elements
  bool is_mode;      // the least of several as frequent, the last of equal ones
} oyi_ranking;

// Whether so few are wanted that each element is sooner compared with those that are than with all
// others, which lines of OYI_RANKED may be.
static inline bool oyi_is_top(const oyi_ranking* how) {
  enum { STEPS = 5 };
  return !how->rank && !how->is_mode && how->k <= OYI_TOP &&
         (how->n > OYI_RANKED || how->k * STEPS < how->n);
}

// Operand 0 of |lines| to operand 1, elements, and 2, their places. Of equal ones the first
// counts as less. False: lines are too few or too long, and nothing was done.
bool oyi_rank_lines(const oyi_lines* lines, const oyi_ranking* how);

// Lines with steps in bytes, along one and from one to the next, for one level of processors.
typedef struct oyi_ranked_lines {
  const oyi_ranking* how;
  const char* x;
  char *y, *at;
  int64_t x_step, y_step, at_step;
  int64_t lines, x_line, y_line, at_line;
} oyi_ranked_lines;
void oyi_ranked_base(const oyi_ranked_lines* r);
void oyi_ranked_v3(const oyi_ranked_lines* r);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_RANK_LINES_H_
