// SPDX-License-Identifier: Apache-2.0
// Running sums and products down a few columns of floats and doubles, and down short ones, for
// AVX2: totals of up to four vectors stay in registers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <string.h>

#include "backends/cpu/order/scan_rows.h"

typedef float four_f32 __attribute__((vector_size(16)));
typedef float any_f32 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double four_f64 __attribute__((vector_size(32)));
typedef double any_f64 __attribute__((vector_size(32), aligned(8), may_alias));

#define IN_LINE static inline __attribute__((always_inline))

enum { WIDTH = 4, MOST = 4 };  // columns of a vector, vectors

IN_LINE four_f64 load(const char* x, const bool is_double) {
  if (is_double) return *(const any_f64*)(const void*)x;
  return __builtin_convertvector(*(const any_f32*)(const void*)x, four_f64);
}
IN_LINE void store(char* y, four_f64 v, const bool is_double) {
  if (is_double)
    *(any_f64*)(void*)y = v;
  else
    *(any_f32*)(void*)y = __builtin_convertvector(v, four_f32);
}

// Columns from |from| on, as many as |groups| vectors have or up to three less: the last lies over
// the one before it, so all are read before any is written, which may be where they were. Where
// there are totals of what came before, they go on.
IN_LINE void strip(const oyi_scan_rows* r, int64_t from, int64_t columns,
                   const int groups, const bool is_double, const bool is_product) {
  const int64_t item = is_double ? sizeof(double) : sizeof(float), n = r->n;
  const int64_t last = columns - WIDTH, x_step = r->x_step, y_step = r->y_step;
  const double start = is_product ? 1 : 0;
  double* before = r->totals ? r->totals + from : NULL;
  for (int64_t b = 0; b < r->blocks; b++) {
    const char* x = r->x + b * r->x_block + from * item;
    char* y = r->y + b * r->y_block + from * item;
    four_f64 totals[MOST];
    for (int g = 0; g < groups; g++) {
      const int64_t at = g + 1 < groups ? g * WIDTH : last;
      totals[g] = (four_f64){start, start, start, start};
      if (before) memcpy(&totals[g], before + at, sizeof(totals[g]));
    }
    for (int64_t i = 0; i < n; i++, x += x_step, y += y_step) {
      for (int g = 0; g < groups; g++) {
        const int64_t at = g + 1 < groups ? g * WIDTH : last;
        const four_f64 by = load(x + at * item, is_double);
        totals[g] = is_product ? totals[g] * by : totals[g] + by;
      }
      for (int g = 0; g < groups; g++)
        store(y + (g + 1 < groups ? g * WIDTH : last) * item, totals[g], is_double);
    }
    for (int g = 0; before && g < groups; g++)
      memcpy(before + (g + 1 < groups ? g * WIDTH : last), &totals[g], sizeof(totals[g]));
  }
}

// As many at a time as registers hold: a vector or more are left each time.
IN_LINE void strips(const oyi_scan_rows* r, const bool is_double, const bool is_product) {
  for (int64_t from = 0, some; from < r->lines; from += some) {
    const int64_t left = r->lines - from, rest = left - MOST * WIDTH;
    some = rest >= WIDTH ? MOST * WIDTH : rest > 0 ? (MOST - 1) * WIDTH : left;
    switch ((some + WIDTH - 1) / WIDTH) {
      case 1: strip(r, from, some, 1, is_double, is_product); break;
      case 2: strip(r, from, some, 2, is_double, is_product); break;
      case 3: strip(r, from, some, 3, is_double, is_product); break;
      default: strip(r, from, some, 4, is_double, is_product); break;
    }
  }
}

void oyi_scan_strips_f32_v3(const oyi_scan_rows* r, bool is_product) {
  if (is_product)
    strips(r, false, true);
  else
    strips(r, false, false);
}
void oyi_scan_strips_f64_v3(const oyi_scan_rows* r, bool is_product) {
  if (is_product)
    strips(r, true, true);
  else
    strips(r, true, false);
}
