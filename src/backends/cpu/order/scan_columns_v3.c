// SPDX-License-Identifier: Apache-2.0
// Running sums and products down columns of floats, in double, for AVX2: a row at a time, with
// totals in the first cache.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "backends/cpu/loops/loop_define.h"
#include "backends/cpu/order/scan_rows.h"

enum { COLUMNS = 1024 };

// The output may be the input.
static inline __attribute__((always_inline)) void columns(const oyi_scan_rows* r,
                                                          int64_t from, int64_t count,
                                                          const bool is_product) {
  double totals[COLUMNS];
  for (int64_t l = 0; l < count; l++) totals[l] = is_product ? 1 : 0;
  for (int64_t i = 0; i < r->n; i++) {
    const float* x = (const float*)(const void*)(r->x + i * r->x_step) + from;
    float* y = (float*)(void*)(r->y + i * r->y_step) + from;
    OYI_INDEPENDENT
    for (int64_t l = 0; l < count; l++) {
      const double by = (double)x[l];
      totals[l] = is_product ? totals[l] * by : totals[l] + by;
      y[l] = (float)totals[l];
    }
  }
}

void oyi_scan_columns_f32_v3(const oyi_scan_rows* r, bool is_product) {
  for (int64_t from = 0; from < r->lines; from += COLUMNS) {
    const int64_t left = r->lines - from, count = left < COLUMNS ? left : COLUMNS;
    if (is_product)
      columns(r, from, count, true);
    else
      columns(r, from, count, false);
  }
}
