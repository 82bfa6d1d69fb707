// SPDX-License-Identifier: Apache-2.0
// Results of many short rows of 16-bit floats for AVX-512, read as they lie. Products run in
// double. Of sums, and of squares, which are exact in float, two are added in float, which is one
// rounding, and those sums in double.
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

// 32 elements as floats of which two and two are added or multiplied.
typedef struct two_floats {
  __m512 a, b;
} two_floats;
static inline two_floats floats_of_32_f16(const char* p, __mmask32 mask) {
  const __m512i x = _mm512_maskz_loadu_epi16(mask, p);
  return (two_floats){_mm512_cvtph_ps(_mm512_castsi512_si256(x)),
                      _mm512_cvtph_ps(_mm512_extracti32x8_epi32(x, 1))};
}
static inline two_floats floats_of_32_bf16(const char* p, __mmask32 mask) {
  const __m512i x = _mm512_maskz_loadu_epi16(mask, p);
  const __m512i upper = _mm512_set1_epi32((int32_t)UINT32_C(0xffff0000));
  return (two_floats){_mm512_castsi512_ps(_mm512_slli_epi32(x, 16)),
                      _mm512_castsi512_ps(_mm512_and_si512(x, upper))};
}

static inline __m512d sums_of(two_floats x) {
  return in_double(_mm512_add_ps(x.a, x.b));
}
static inline __m512d squares_of(two_floats x) {
  return in_double(_mm512_fmadd_ps(x.b, x.b, _mm512_mul_ps(x.a, x.a)));
}
#define LOAD_SUMS_F16(p, mask, none)     sums_of(floats_of_32_f16(p, mask))
#define LOAD_SUMS_BF16(p, mask, none)    sums_of(floats_of_32_bf16(p, mask))
#define LOAD_SQUARES_F16(p, mask, none)  squares_of(floats_of_32_f16(p, mask))
#define LOAD_SQUARES_BF16(p, mask, none) squares_of(floats_of_32_bf16(p, mask))
static inline __m512d load_squares_bf16(const char* p, __mmask8 mask, __m512d none) {
  const __m512d x = load_bf16(p, mask, none);
  return x * x;
}
static inline __m512d load_squares_f16(const char* p, __mmask8 mask, __m512d none) {
  const __m512d x = load_f16(p, mask, none);
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
#define LOAD      load_f16
#define NAME      prod_f16
#define START     ALL_OF(1)
#define OP        MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  load_bf16
#define NAME  prod_bf16
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  sum_few_bf16
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  load_f16
#define NAME  sum_few_f16
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#undef PUT
#define PUT   put_roots
#define LOAD  load_squares_bf16
#define NAME  norm2_few_bf16
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  load_squares_f16
#define NAME  norm2_few_f16
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

// Sums of two that float does not hold are added in double alone.
static inline __m512d exact_where_endless(__m512d a, const char* x, int64_t n,
                                          int64_t row_step, int64_t rows) {
  const __mmask8 good = _mm512_cmp_pd_mask(a - a, _mm512_setzero_pd(), _CMP_EQ_OQ);
  if (OY_LIKELY(good == 0xff)) return a;
  __m512d exact[8];
  sum_few_bf16_group(exact, x, n, row_step, rows);
  return _mm512_mask_mov_pd(exact[0], good, a);
}

// So are squares of that kind, and those that are so small that float loses bits of them. What
// a float that is rounded down to nothing adds is far below the last bit of LEAST_SUM.
#define LEAST_SUM 0x1p-60
static inline __m512d exact_where_lost(__m512d a, const char* x, int64_t n,
                                       int64_t row_step, int64_t rows) {
  const __mmask8 good = _mm512_cmp_pd_mask(a, _mm512_set1_pd(LEAST_SUM), _CMP_GE_OQ) &
                        _mm512_cmp_pd_mask(a, _mm512_set1_pd(DBL_MAX), _CMP_LE_OQ);
  if (OY_LIKELY(good == 0xff)) return a;
  __m512d exact[8];
  norm2_few_bf16_group(exact, x, n, row_step, rows);
  return _mm512_mask_mov_pd(exact[0], good, a);
}

#undef LOAD
#undef MASK
#undef PUT
#define PUT   put_f64
#define MASK  __mmask32
#define READS 32
#define LOAD  LOAD_SUMS_BF16
#define NAME  sum_many_bf16
#define START ALL_OF(0)
#define OP    ADD
#define AGAIN exact_where_endless
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  LOAD_SUMS_F16
#define NAME  sum_many_f16
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#undef PUT
#define PUT   put_roots
#define LOAD  LOAD_SQUARES_BF16
#define NAME  norm2_many_bf16
#define START ALL_OF(0)
#define OP    ADD
#define AGAIN exact_where_lost
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  LOAD_SQUARES_F16
#define NAME  norm2_many_f16
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

// Rows of a few, of which most of a great vector would be empty, and others.
#define ROWS_BY_LENGTH(name, id)                                                      \
  void oyi_##name##_##id##_rows(void* out, int64_t rows, const char* x, int64_t n,    \
                                int64_t row_step, const void* args) {                 \
    const oyi_reduce_rows_fn by =                                                     \
        n < READS / 2 ? oyi_##name##_few_##id##_rows : oyi_##name##_many_##id##_rows; \
    by(out, rows, x, n, row_step, args);                                              \
  }
ROWS_BY_LENGTH(sum, bf16)
ROWS_BY_LENGTH(sum, f16)
ROWS_BY_LENGTH(norm2, bf16)
ROWS_BY_LENGTH(norm2, f16)
