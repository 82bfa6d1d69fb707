// SPDX-License-Identifier: Apache-2.0
// Products of columns of floats for AVX-512. They run in double, and one conversion makes twice
// as many numbers as for AVX2.
#include "backends/cpu/reduce/reduce_columns.h"

#include <immintrin.h>
#include <stdbool.h>

#include "base/template.h"

enum { LANES = 8, AT_ONCE = 2, STRIP = LANES * AT_ONCE, ROWS = 8 };

static inline __m512d times(__m512d a, const char* p) {
  return _mm512_mul_pd(a, _mm512_cvtps_pd(_mm256_loadu_ps((const void*)p)));
}

// Memory is read along a few rows at a time: what is there, or 1, goes on with |rows| of them.
static inline __attribute__((always_inline)) void some_rows(double* to, int64_t n,
                                                            const char* x, const int rows,
                                                            int64_t row_step,
                                                            const bool begins) {
  enum { VECTOR = LANES * sizeof(float) };
  for (int64_t i = 0; i < n; i += STRIP, x += AT_ONCE * VECTOR) {
    __m512d a = begins ? _mm512_set1_pd(1) : _mm512_loadu_pd(to + i);
    __m512d b = begins ? _mm512_set1_pd(1) : _mm512_loadu_pd(to + i + LANES);
    OYI_UNROLL_BY(8)
    for (int r = 0; r < rows; r++) {
      a = times(a, x + r * row_step);
      b = times(b, x + r * row_step + VECTOR);
    }
    _mm512_storeu_pd(to + i, a);
    _mm512_storeu_pd(to + i + LANES, b);
  }
}

void oyi_prod_f32_columns_v4(double* to, int64_t n, const char* x, int64_t rows,
                             int64_t row_step) {
  int64_t done = rows < ROWS ? rows : ROWS;
  if (done == ROWS)
    some_rows(to, n, x, ROWS, row_step, true);
  else
    some_rows(to, n, x, (int)done, row_step, true);
  for (; rows - done >= ROWS; done += ROWS)
    some_rows(to, n, x + done * row_step, ROWS, row_step, false);
  if (done < rows)
    some_rows(to, n, x + done * row_step, (int)(rows - done), row_step, false);
}
