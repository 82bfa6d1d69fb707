// SPDX-License-Identifier: Apache-2.0
// Sums of columns of f16 as they lie, a part of reduce_sum_loops_tmpl.h, where processors
// widen eight at once. No sum of FLOAT_ROWS of them is more than float holds.
#define ROWS_OF f16
#define ITEM    (int64_t)sizeof(uint16_t)
#define EIGHT_OF(p) \
  ((eight)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u*)(const void*)(p))))
#include "backends/cpu/reduce/reduce_sum_rows_tmpl.h"

// Columns |from| to |n| - 1, one after the other; with |skips| what is no number counts as 0.
static void f16_one_by_one(double* to, int64_t from, int64_t n, const char* x,
                           int64_t rows, int64_t row_step, bool skips) {
  for (int64_t i = from; i < n; i++) to[i] = 0;
  for (; rows > 0; rows--, x += row_step) {
    const uint16_t* p = (const uint16_t*)(const void*)x;
    for (int64_t i = from; i < n; i++) {
      const double wide = (double)_cvtsh_ss(p[i]);
      to[i] += skips && wide != wide ? 0 : wide;
    }
  }
}

static void add_f16_columns(void* state, int64_t n, const char* x, int64_t rows,
                            int64_t row_step, const void* args, bool skips) {
  double part[OYI_REDUCE_WIDE];
  int64_t done = n / STRIP_OF * STRIP_OF;
  bool whole = columns_of_f16(part, done, x, rows, row_step);
  if (0 < done && done < n) {
    // The last strip lies over the one before.
    const int64_t last = n - STRIP_OF;
    whole &= columns_of_f16(part + last, STRIP_OF, x + last * (int64_t)sizeof(uint16_t),
                            rows, row_step);
    done = n;
  }
  f16_one_by_one(part, done, n, x, rows, row_step, skips);
  if (!whole && skips) {
    double exact[OYI_REDUCE_WIDE];
    f16_one_by_one(exact, 0, n, x, rows, row_step, skips);
    replace_endless(part, exact, n);
  }
  for (int64_t i = 0; i < n; i++) sum_join_f32(state, i, part[i], args);
}

static void sum_f16_columns(void* state, int64_t n, const char* x, int64_t rows,
                            int64_t row_step, const void* args) {
  add_f16_columns(state, n, x, rows, row_step, args, false);
}
static void nansum_f16_columns(void* state, int64_t n, const char* x, int64_t rows,
                               int64_t row_step, const void* args) {
  add_f16_columns(state, n, x, rows, row_step, args, true);
}
