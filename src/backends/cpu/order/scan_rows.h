// SPDX-License-Identifier: Apache-2.0
// Running sums and products of neighbouring short lines, some at a time, in vectors across
// them: the same steps in the same order as one by one.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_ROWS_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_ROWS_H_

#include <stdbool.h>
#include <stdint.h>

// |lines| of |n| elements side by side, |x_line| and |y_line| bytes apart, with steps along them.
// Strips alone have |blocks| of such lines, and where it is not NULL totals of each line before the
// first element, which go on.
typedef struct oyi_scan_rows {
  const char* x;
  char* y;
  int64_t n, lines, x_line, y_line, x_step, y_step;
  int64_t blocks, x_block, y_block;
  void* totals;
} oyi_scan_rows;

// Of floats and doubles that lie together, and of complex numbers of floats; run in double. How
// many lines were, from the first on: less than four are left.
int64_t oyi_scan_rows_f32_v3(const oyi_scan_rows* r, bool is_product);
int64_t oyi_scan_rows_f64_v3(const oyi_scan_rows* r, bool is_product);
int64_t oyi_scan_rows_c64_v3(const oyi_scan_rows* r, bool is_product);

// All lines, whose elements lie beside those of their neighbours, any number of them.
void oyi_scan_columns_f32_v3(const oyi_scan_rows* r, bool is_product);
// The same of four lines or more, block after block, few or short ones; |x| may have them apart.
void oyi_scan_strips_f32_v3(const oyi_scan_rows* r, bool is_product);
void oyi_scan_strips_f64_v3(const oyi_scan_rows* r, bool is_product);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_ROWS_H_
