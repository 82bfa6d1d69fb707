// SPDX-License-Identifier: Apache-2.0
// The functions of rows.h for the level that the including file is built for, with
// ROW_BYTES in a vector; ROW_TABLE is the name of the table.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#define OYI_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OYI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(8)
#if ROW_BYTES > 16
#include <immintrin.h>
#endif

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "backends/cpu/norm/rows.h"
#include "base/template.h"

#if ROW_BYTES == 32
#define LOAD_F32(at, mask)     (vec_f32) _mm256_maskload_ps(at, (__m256i)(mask))
#define LOAD_F64(at, mask)     (vec_f64) _mm256_maskload_pd(at, (__m256i)(mask))
#define STORE_F32(at, mask, v) _mm256_maskstore_ps(at, (__m256i)(mask), (__m256)(v))
#define STORE_F64(at, mask, v) _mm256_maskstore_pd(at, (__m256i)(mask), (__m256d)(v))
#elif ROW_BYTES == 64
#define BITS_32(mask)          _mm512_movepi32_mask((__m512i)(mask))
#define BITS_64(mask)          _mm512_movepi64_mask((__m512i)(mask))
#define LOAD_F32(at, mask)     (vec_f32) _mm512_maskz_loadu_ps(BITS_32(mask), at)
#define LOAD_F64(at, mask)     (vec_f64) _mm512_maskz_loadu_pd(BITS_64(mask), at)
#define STORE_F32(at, mask, v) _mm512_mask_storeu_ps(at, BITS_32(mask), (__m512)(v))
#define STORE_F64(at, mask, v) _mm512_mask_storeu_pd(at, BITS_64(mask), (__m512d)(v))
#endif

// Within bounds, where NaN stays; times a power of two, which may leave what is normal.
#if ROW_BYTES == 32
#define CLAMP_F32(x, low, high)                 \
  (vec_f32) _mm256_min_ps(_mm256_set1_ps(high), \
                          _mm256_max_ps(_mm256_set1_ps(low), (__m256)(x)))
#define CLAMP_F64(x, low, high)                 \
  (vec_f64) _mm256_min_pd(_mm256_set1_pd(high), \
                          _mm256_max_pd(_mm256_set1_pd(low), (__m256d)(x)))
#elif ROW_BYTES == 64
#define CLAMP_F32(x, low, high)                 \
  (vec_f32) _mm512_min_ps(_mm512_set1_ps(high), \
                          _mm512_max_ps(_mm512_set1_ps(low), (__m512)(x)))
#define CLAMP_F64(x, low, high)                 \
  (vec_f64) _mm512_min_pd(_mm512_set1_pd(high), \
                          _mm512_max_pd(_mm512_set1_pd(low), (__m512d)(x)))
#define SCALE_F32(x, n) (vec_f32) _mm512_scalef_ps((__m512)(x), (__m512)(n))
#define SCALE_F64(x, n) (vec_f64) _mm512_scalef_pd((__m512d)(x), (__m512d)(n))
#endif

// Sums of all lanes.
#if ROW_BYTES == 64
#define ADD_F32(v) _mm512_reduce_add_ps((__m512)(v))
#define ADD_F64(v) _mm512_reduce_add_pd((__m512d)(v))
#elif ROW_BYTES == 32
static inline float ADD_F32(__m256 v) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
static inline double ADD_F64(__m256d v) {
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
#else
#define ADD_F32(v) ((v)[0] + (v)[2] + ((v)[1] + (v)[3]))
#define ADD_F64(v) ((v)[0] + (v)[1])
#endif

// The bounds are where results are 0 and infinite; 1.5 * 2^23 rounds to an integer.
#define T    float
#define INT  int32_t
#define UINT uint32_t
#define ID   f32
#ifdef LOAD_F32
#define LOAD_MASKED  LOAD_F32
#define STORE_MASKED STORE_F32
#define CLAMP        CLAMP_F32
#endif
#ifdef SCALE_F32
#define SCALE SCALE_F32
#endif
#define ADD_ACROSS(v) ADD_F32(v)
#define EXP_LOW       (-104.0f)
#define EXP_HIGH      89.0f
#define EXP_MAGIC     12582912.0f
#define EXP_LN2_HIGH  0x1.62e4p-1f
#define EXP_LN2_LOW   0x1.7f7d1cp-20f
#define EXP_BIAS      127
#define EXP_SHIFT     23
#define LOG_TERMS     4
#define EXP_SERIES    1 / 5040.0, 1 / 720.0, 1 / 120.0, 1 / 24.0, 1 / 6.0, 0.5, 1, 1
#include "backends/cpu/norm/rows_tmpl.h"
#undef T
#undef INT
#undef UINT
#undef ID
#undef ADD_ACROSS
#undef EXP_LOW
#undef EXP_HIGH
#undef EXP_MAGIC
#undef EXP_LN2_HIGH
#undef EXP_LN2_LOW
#undef EXP_BIAS
#undef EXP_SHIFT
#undef EXP_SERIES
#undef LOG_TERMS
#undef LOAD_MASKED
#undef STORE_MASKED
#undef CLAMP
#undef SCALE
#define T    double
#define INT  int64_t
#define UINT uint64_t
#define ID   f64
#ifdef LOAD_F64
#define LOAD_MASKED  LOAD_F64
#define STORE_MASKED STORE_F64
#define CLAMP        CLAMP_F64
#endif
#ifdef SCALE_F64
#define SCALE SCALE_F64
#endif
#define ADD_ACROSS(v) ADD_F64(v)
#define EXP_LOW       (-746.0)
#define EXP_HIGH      710.0
#define EXP_MAGIC     6755399441055744.0
#define EXP_LN2_HIGH  0x1.62e42fee00000p-1
#define EXP_LN2_LOW   0x1.a39ef35793c76p-33
#define EXP_BIAS      1023
#define EXP_SHIFT     52
#define LOG_TERMS     10
#define EXP_SERIES                                                                \
  1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0, 1 / 362880.0, \
      1 / 40320.0, 1 / 5040.0, 1 / 720.0, 1 / 120.0, 1 / 24.0, 1 / 6.0, 0.5, 1, 1
#include "backends/cpu/norm/rows_tmpl.h"

#define ROW_FUNCTIONS(id)                                                                \
  {                                                                                      \
    softmax_##id, log_softmax_##id, softmax_backward_##id, log_softmax_backward_##id,    \
        SHORT_ROW_##id, softmax_backward_short_##id, normalise_short_##id,               \
        normalise_backward_short_##id, sum_##id, square_deviations_##id, normalise_##id, \
        affine_##id, products_##id, blend_##id, add_products_##id, softmax_columns_##id, \
        log_softmax_columns_##id, softmax_columns_backward_##id,                         \
        log_softmax_columns_backward_##id, column_sums_##id, affine_columns_##id,        \
        column_products_##id, blend_columns_##id                                         \
  }
const oyi_row_math ROW_TABLE[2] = {ROW_FUNCTIONS(f32), ROW_FUNCTIONS(f64)};
