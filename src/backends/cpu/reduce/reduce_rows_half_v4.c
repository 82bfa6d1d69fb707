// SPDX-License-Identifier: Apache-2.0
// Results of many short rows of 16-bit floats for AVX-512, read as they lie. Sums and products
// run in double. Squares are exact in float: two of them are added there, which is one rounding,
// and those sums in double.
#include <float.h>

#include "backends/cpu/reduce/reduce_rows_lanes.h"

#define EVEN    EVEN_8
#define ODD     ODD_8
#define FIRSTS  FIRSTS_8
#define SECONDS SECONDS_8

static inline __m256 floats_of_bf16(__m128i x) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16));
}
static inline __m512d load_bf16(const char* p, __mmask8 mask, __m512d none) {
  return _mm512_mask_cvtps_pd(none, mask, floats_of_bf16(_mm_maskz_loadu_epi16(mask, p)));
}
static inline __m512d load_f16(const char* p, __mmask8 mask, __m512d none) {
  return _mm512_mask_cvtps_pd(none, mask,
                              _mm256_cvtph_ps(_mm_maskz_loadu_epi16(mask, p)));
}

static inline __m512d in_double(__m512 x) {
  return _mm512_cvtps_pd(_mm512_castps512_ps256(x)) +
         _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
}

// Of 32 elements.
static inline __m512d load_squares_f16(const char* p, __mmask32 mask, __m512d none) {
  (void)none;
  const __m512i x = _mm512_maskz_loadu_epi16(mask, p);
  const __m512 low = _mm512_cvtph_ps(_mm512_castsi512_si256(x));
  const __m512 high = _mm512_cvtph_ps(_mm512_extracti32x8_epi32(x, 1));
  return in_double(_mm512_fmadd_ps(high, high, _mm512_mul_ps(low, low)));
}
static inline __m512d load_squares_bf16(const char* p, __mmask32 mask, __m512d none) {
  (void)none;
  const __m512i x = _mm512_maskz_loadu_epi16(mask, p);
  const __m512 even = _mm512_castsi512_ps(_mm512_slli_epi32(x, 16));
  const __m512 odd = _mm512_castsi512_ps(
      _mm512_and_si512(x, _mm512_set1_epi32((int32_t)UINT32_C(0xffff0000))));
  return in_double(_mm512_fmadd_ps(odd, odd, _mm512_mul_ps(even, even)));
}
static inline __m512d load_exact_squares(const char* p, __mmask8 mask, __m512d none) {
  const __m512d x = load_bf16(p, mask, none);
  return x * x;
}

#define IS_NARROW 0
#define WIDTH     8
#define MASK      __mmask8
#define V         __m512d
#define R         double
#define PARTS     1
#define PUT       put_f64
#define ITEM      (int64_t)sizeof(uint16_t)
#define LOAD      load_bf16
#define NAME      sum_bf16
#define START     ALL_OF(0)
#define OP        ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  prod_bf16
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  load_f16
#define NAME  sum_f16
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  prod_f16
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

#undef LOAD
#define LOAD  load_exact_squares
#define NAME  exact_squares
#define START ALL_OF(0)
#define OP    ADD
#define NO_ROWS
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

// Squares that float does not hold, or that are so small that it loses bits of them, are added
// in double alone. What a float that is rounded down to nothing adds is far below the last bit
// of LEAST_SUM.
#define LEAST_SUM 0x1p-60
static inline __m512d exact_where_lost(__m512d a, const char* x, int64_t n,
                                       int64_t row_step) {
  const __mmask8 good = _mm512_cmp_pd_mask(a, _mm512_set1_pd(LEAST_SUM), _CMP_GE_OQ) &
                        _mm512_cmp_pd_mask(a, _mm512_set1_pd(DBL_MAX), _CMP_LE_OQ);
  if (OY_LIKELY(good == 0xff)) return a;
  __m512d exact[8];
  exact_squares_group(exact, x, n, row_step);
  return _mm512_mask_mov_pd(exact[0], good, a);
}

#undef LOAD
#undef MASK
#undef PUT
#define MASK  __mmask32
#define READS 32
#define PUT   put_roots
#define LOAD  load_squares_bf16
#define NAME  norm2_bf16
#define START ALL_OF(0)
#define OP    ADD
#define AGAIN exact_where_lost
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  load_squares_f16
#define NAME  norm2_f16
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
