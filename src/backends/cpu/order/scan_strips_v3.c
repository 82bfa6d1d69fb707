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

// Columns that are |apart|, or side by side.
IN_LINE four_f64 load(const char* x, int64_t apart, const bool is_apart,
                      const bool is_double) {
  if (is_apart && is_double)
    return (four_f64){*(const double*)(const void*)x,
                      *(const double*)(const void*)(x + apart),
                      *(const double*)(const void*)(x + 2 * apart),
                      *(const double*)(const void*)(x + 3 * apart)};
  if (is_apart)
    return __builtin_convertvector(
        ((four_f32){*(const float*)(const void*)x,
                    *(const float*)(const void*)(x + apart),
                    *(const float*)(const void*)(x + 2 * apart),
                    *(const float*)(const void*)(x + 3 * apart)}),
        four_f64);
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
                   const int groups, const bool is_double, const bool is_product,
                   const bool is_apart) {
  const int64_t item = is_double ? sizeof(double) : sizeof(float), n = r->n;
  const int64_t x_item = is_apart ? r->x_line : item;
  const int64_t last = columns - WIDTH, x_step = r->x_step, y_step = r->y_step;
  const double start = is_product ? 1 : 0;
  double* before = r->totals ? r->totals + from : NULL;
  for (int64_t b = 0; b < r->blocks; b++) {
    const char* x = r->x + b * r->x_block + from * x_item;
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
        const four_f64 by = load(x + at * x_item, x_item, is_apart, is_double);
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
IN_LINE void strips(const oyi_scan_rows* r, const bool is_double, const bool is_product,
                    const bool is_apart) {
  for (int64_t from = 0, some; from < r->lines; from += some) {
    const int64_t left = r->lines - from, rest = left - MOST * WIDTH;
    some = rest >= WIDTH ? MOST * WIDTH : rest > 0 ? (MOST - 1) * WIDTH : left;
    switch ((some + WIDTH - 1) / WIDTH) {
      case 1: strip(r, from, some, 1, is_double, is_product, is_apart); break;
      case 2: strip(r, from, some, 2, is_double, is_product, is_apart); break;
      case 3: strip(r, from, some, 3, is_double, is_product, is_apart); break;
      default: strip(r, from, some, 4, is_double, is_product, is_apart); break;
    }
  }
}

IN_LINE void run(const oyi_scan_rows* r, const bool is_double, bool is_product) {
  const bool is_apart = r->x_line != r->y_line;
  if (is_product && is_apart)
    strips(r, is_double, true, true);
  else if (is_product)
    strips(r, is_double, true, false);
  else if (is_apart)
    strips(r, is_double, false, true);
  else
    strips(r, is_double, false, false);
}

void oyi_scan_strips_f32_v3(const oyi_scan_rows* r, bool is_product) {
  run(r, false, is_product);
}
void oyi_scan_strips_f64_v3(const oyi_scan_rows* r, bool is_product) {
  run(r, true, is_product);
}
