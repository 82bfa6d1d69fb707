// SPDX-License-Identifier: Apache-2.0
// What scan_direct.c runs over, and complex numbers for it.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_DIRECT_TYPES_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_DIRECT_TYPES_H_

#include "backends/cpu/order/scan_rows.h"

typedef oyi_scan_rows direct;

// Columns at a time: few leave off where memory is read ahead, of many the totals would not
// stay in the first-level cache. Fewer than four are lines, and those of less than |SOME_COLUMNS|,
// or short ones, go by groups of four.
enum { COLUMNS = 1024, FEW_COLUMNS = 4, SOME_COLUMNS = 16, SHORT_COLUMN = 32 };

// From this length on a line may go alone; below the other, what blocks of conversions need
// besides takes longer than to convert one by one.
enum { LONG_LINE = 256, SHORT_LINE = 8 };

// Complex numbers are pairs, as they lie in memory, aligned as their parts are.
typedef double pair __attribute__((vector_size(16)));
typedef double pair_f64 __attribute__((vector_size(16), aligned(8), may_alias));
typedef float pair_f32 __attribute__((vector_size(8), aligned(4), may_alias));

// By the plain formula, as PyTorch has it; C's operator looks for infinities in each product.
static inline __attribute__((always_inline)) pair product_of(pair a, pair b) {
  const pair along = a * __builtin_shufflevector(b, b, 0, 0);
  const pair across =
      __builtin_shufflevector(a, a, 1, 0) * __builtin_shufflevector(b, b, 1, 1);
  return __builtin_shufflevector(along - across, along + across, 0, 3);
}

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_DIRECT_TYPES_H_
