// SPDX-License-Identifier: Apache-2.0
// Sums of columns of f16 as they lie, a part of reduce_sum_loops_tmpl.h, where processors
// widen eight at once. No sum of FLOAT_ROWS of them is more than float holds.
#define ROWS_OF f16
#define ITEM    (int64_t)sizeof(uint16_t)
#define EIGHT_OF(p) \
  ((eight)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u*)(const void*)(p))))
#include "backends/cpu/reduce/reduce_sum_rows_tmpl.h"

// Columns |from| to |n| - 1, one after the other; with |skips| what is no number counts as 0.
static void f16_in_double(double* to, int64_t from, int64_t n, const char* x,
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

#define F16_REDUCER(name, skips)                                                      \
  static void name##_f16_columns(void* state, int64_t n, const char* x, int64_t rows, \
                                 int64_t row_step, const void* args) {                \
    add_half_columns(state, n, x, rows, row_step, args, skips, columns_of_f16,        \
                     f16_in_double);                                                  \
  }
F16_REDUCER(sum, false)
F16_REDUCER(nansum, true)
#undef F16_REDUCER
