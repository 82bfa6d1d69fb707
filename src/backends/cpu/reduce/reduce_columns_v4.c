// SPDX-License-Identifier: Apache-2.0
// Sums of columns of floats, and products of columns and rows of them, for AVX-512. They run in
// double, sums after eight rows in float, and one conversion makes twice as many numbers as for
// AVX2.
#include "backends/cpu/reduce/reduce_columns.h"

#include <immintrin.h>
#include <stdbool.h>

#include "base/template.h"

enum { LANES = 8, AT_ONCE = 2, STRIP = LANES * AT_ONCE, ROWS = 8 };

static inline __m512d times(__m512d a, const void* p) {
  return _mm512_mul_pd(a, _mm512_cvtps_pd(_mm256_loadu_ps(p)));
}

void oyi_prod_f32_lanes_v4(double* to, const float* p, int64_t n) {
  enum { CHAINS = 8, STEP = CHAINS * LANES };
  __m512d a[CHAINS];
  OYI_UNROLL_BY(8)
  for (int k = 0; k < CHAINS; k++) a[k] = _mm512_set1_pd(1);
  int64_t i = 0;
  for (; i + STEP <= n; i += STEP) {
    OYI_UNROLL_BY(8)
    for (int k = 0; k < CHAINS; k++) a[k] = times(a[k], p + i + k * LANES);
  }
  p += i;
  if (n & (4 * LANES)) {
    OYI_UNROLL_BY(4)
    for (int k = 0; k < 4; k++) a[k] = times(a[k], p + k * LANES);
    p += 4 * LANES;
  }
  if (n & (2 * LANES)) {
    a[4] = times(a[4], p);
    a[5] = times(a[5], p + LANES);
    p += 2 * LANES;
  }
  if (n & LANES) {
    a[6] = times(a[6], p);
    p += LANES;
  }
  if (n % LANES) {
    const __mmask8 rest = (__mmask8)((1 << n % LANES) - 1);
    const __m256 last = _mm256_mask_loadu_ps(_mm256_set1_ps(1), rest, p);
    a[7] = _mm512_mul_pd(a[7], _mm512_cvtps_pd(last));
  }
  OYI_UNROLL_BY(4)
  for (int k = 0; k < 4; k++) a[k] = _mm512_mul_pd(a[k], a[k + 4]);
  a[0] = _mm512_mul_pd(_mm512_mul_pd(a[0], a[2]), _mm512_mul_pd(a[1], a[3]));
  const __m256d low = _mm512_castpd512_pd256(a[0]);
  _mm256_storeu_pd(to, _mm256_mul_pd(low, _mm512_extractf64x4_pd(a[0], 1)));
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

// ------------------------------------------------------------------------------- sums

enum { SUM_STRIP = 2 * LANES, FEW = 4, MANY = 8 };

static inline void add_half(double* to, __m256 x, bool adds) {
  const __m512d sum = _mm512_cvtps_pd(x);
  _mm512_storeu_pd(to, adds ? _mm512_add_pd(_mm512_loadu_pd(to), sum) : sum);
}

// Sums in float of |rows| rows of up to 16 columns, those of |mask|, in the order that the sums of
// other levels have: those of every other row, then both.
static inline __attribute__((always_inline)) __m512 rows_of(const char* x, const int rows,
                                                            int64_t row_step,
                                                            __mmask16 mask) {
  __m512 all[2] = {_mm512_maskz_loadu_ps(mask, x), _mm512_setzero_ps()};
  if (rows > 1) all[1] = _mm512_maskz_loadu_ps(mask, x + row_step);
  OYI_UNROLL_BY(8)
  for (int r = 2; r < rows; r++)
    all[r % 2] = _mm512_add_ps(all[r % 2], _mm512_maskz_loadu_ps(mask, x + r * row_step));
  return _mm512_add_ps(all[0], all[1]);
}
static inline __attribute__((always_inline)) void sum_rows(double* to, int64_t n,
                                                           const char* x, const int rows,
                                                           int64_t row_step, bool adds) {
  for (int64_t i = 0; i < n; i += SUM_STRIP, x += SUM_STRIP * sizeof(float)) {
    const __m512 sum = rows_of(x, rows, row_step, 0xffff);
    add_half(to + i, _mm512_castps512_ps256(sum), adds);
    add_half(to + i + LANES, _mm512_extractf32x8_ps(sum, 1), adds);
  }
}

// As many of |rows| as are added at once: how many.
static inline __attribute__((always_inline)) int sum_some(double* to, int64_t n,
                                                          const char* x, int64_t rows,
                                                          int64_t row_step, bool adds) {
  const int some = rows < FEW ? (int)rows : rows < MANY ? FEW : MANY;
  switch (some) {
    case 1: sum_rows(to, n, x, 1, row_step, adds); break;
    case 2: sum_rows(to, n, x, 2, row_step, adds); break;
    case 3: sum_rows(to, n, x, 3, row_step, adds); break;
    case FEW: sum_rows(to, n, x, FEW, row_step, adds); break;
    default: sum_rows(to, n, x, MANY, row_step, adds);
  }
  return some;
}

void oyi_sum_f32_columns_v4(double* to, int64_t n, const char* x, int64_t rows,
                            int64_t row_step) {
  int done = sum_some(to, n, x, rows, row_step, false);
  for (rows -= done, x += done * row_step; rows > 0; rows -= done, x += done * row_step)
    done = sum_some(to, n, x, rows, row_step, true);
}

// --------------------------------------------------------------- sums of few columns

// Of up to 16 columns, those of |mask|.
static inline __attribute__((always_inline)) __m512 rest_of(const char* x, int64_t rows,
                                                            int64_t row_step,
                                                            __mmask16 mask) {
  switch (rows) {
    case 1: return rows_of(x, 1, row_step, mask);
    case 2: return rows_of(x, 2, row_step, mask);
    case 3: return rows_of(x, 3, row_step, mask);
    default: return rows_of(x, FEW, row_step, mask);
  }
}
static inline __m512d half_of(__m512 x, int k) {
  return _mm512_cvtps_pd(k ? _mm512_extractf32x8_ps(x, 1) : _mm512_castps512_ps256(x));
}

static inline __mmask8 endless(__m512d x) {
  return _mm512_cmp_pd_mask(_mm512_sub_pd(x, x), _mm512_setzero_pd(), _CMP_NEQ_UQ);
}

// What is read again at once, which is sooner there from a store without a mask.
static inline void put_some(double* to, __mmask8 mask, __m512d x) {
  if (mask == 0xff)
    _mm512_storeu_pd(to, x);
  else if (mask != 0)
    _mm512_mask_storeu_pd(to, mask, x);
}

// Sums of as many rows as sum_some() takes at once, from the first of them on; which are no
// numbers.
static inline __attribute__((always_inline)) unsigned few_floats(
    double* to, const char* x, int64_t rows, int64_t row_step, __mmask16 mask) {
  __m512d low = _mm512_setzero_pd(), high = low;
  bool begins = true;
  while (rows > 0) {
    const int64_t some = rows < FEW ? rows : rows < MANY ? FEW : MANY;
    const __m512 sum = some == MANY ? rows_of(x, MANY, row_step, mask)
                                    : rest_of(x, some, row_step, mask);
    low = begins ? half_of(sum, 0) : _mm512_add_pd(low, half_of(sum, 0));
    high = begins ? half_of(sum, 1) : _mm512_add_pd(high, half_of(sum, 1));
    begins = false;
    rows -= some;
    x += some * row_step;
  }
  put_some(to, (__mmask8)mask, low);
  put_some(to + LANES, (__mmask8)(mask >> LANES), high);
  return (unsigned)endless(low) | (unsigned)endless(high);
}

bool oyi_sum_f32_few_v4(double* to, int64_t n, const char* x, int64_t rows,
                        int64_t row_step) {
  unsigned none = 0;
  for (; n >= SUM_STRIP; n -= SUM_STRIP, to += SUM_STRIP, x += SUM_STRIP * sizeof(float))
    none |= few_floats(to, x, rows, row_step, 0xffff);
  if (n > 0) none |= few_floats(to, x, rows, row_step, (__mmask16)((1 << n) - 1));
  return none == 0;
}
