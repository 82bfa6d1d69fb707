// SPDX-License-Identifier: Apache-2.0
// Sums of several registers as one, for AVX-512.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_ACROSS_BODY_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_ACROSS_BODY_H_

#include <immintrin.h>

#include "base/template.h"

#define OYI_UNROLL OYI_UNROLL_BY(16)

static inline __mmask64 first(int64_t count, int lanes) {
  return count >= lanes ? ((__mmask64)1 << lanes) - 1 : ((__mmask64)1 << count) - 1;
}

// Sums of 32 bits of four registers, in their order.
static inline __attribute__((always_inline)) __m128 across_4(const __m512* v) {
  __m256 half[4];
  OYI_UNROLL
  for (int i = 0; i < 4; i++)
    half[i] =
        _mm256_add_ps(_mm512_castps512_ps256(v[i]), _mm512_extractf32x8_ps(v[i], 1));
  const __m256 low = _mm256_hadd_ps(half[0], half[1]),
               high = _mm256_hadd_ps(half[2], half[3]);
  const __m256 both = _mm256_hadd_ps(low, high);
  return _mm_add_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps(both, 1));
}
// Of whole numbers of four.
static inline __attribute__((always_inline)) __m128i across_4_i32(const __m512i* v) {
  const __m512i low = _mm512_add_epi32(_mm512_unpacklo_epi32(v[0], v[1]),
                                       _mm512_unpackhi_epi32(v[0], v[1]));
  const __m512i high = _mm512_add_epi32(_mm512_unpacklo_epi32(v[2], v[3]),
                                        _mm512_unpackhi_epi32(v[2], v[3]));
  const __m512i all = _mm512_add_epi32(_mm512_unpacklo_epi64(low, high),
                                       _mm512_unpackhi_epi64(low, high));
  const __m256i half =
      _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
  return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

// Of sixteen.
static inline __attribute__((always_inline)) __m512 across_16(const __m512* rows) {
  __m512d pairs[8];
  __m512 fours[4], eights[2];
  OYI_UNROLL
  for (int i = 0; i < 8; i++)
    pairs[i] =
        _mm512_castps_pd(_mm512_add_ps(_mm512_unpacklo_ps(rows[2 * i], rows[2 * i + 1]),
                                       _mm512_unpackhi_ps(rows[2 * i], rows[2 * i + 1])));
  OYI_UNROLL
  for (int i = 0; i < 4; i++)
    fours[i] = _mm512_add_ps(
        _mm512_castpd_ps(_mm512_unpacklo_pd(pairs[2 * i], pairs[2 * i + 1])),
        _mm512_castpd_ps(_mm512_unpackhi_pd(pairs[2 * i], pairs[2 * i + 1])));
  for (int i = 0; i < 2; i++)
    eights[i] = _mm512_add_ps(_mm512_shuffle_f32x4(fours[2 * i], fours[2 * i + 1], 0x88),
                              _mm512_shuffle_f32x4(fours[2 * i], fours[2 * i + 1], 0xdd));
  return _mm512_add_ps(_mm512_shuffle_f32x4(eights[0], eights[1], 0x88),
                       _mm512_shuffle_f32x4(eights[0], eights[1], 0xdd));
}

// Of 64 bits of eight: ADD is what adds up their parts.
#define ACROSS_8(name, VECTOR, ADD, TO, BACK)                                            \
  static inline __attribute__((always_inline)) VECTOR name(const VECTOR* rows) {         \
    VECTOR pairs[4], fours[2];                                                           \
    OYI_UNROLL                                                                           \
    for (int i = 0; i < 4; i++)                                                          \
      pairs[i] = ADD(BACK(_mm512_unpacklo_pd(TO(rows[2 * i]), TO(rows[2 * i + 1]))),     \
                     BACK(_mm512_unpackhi_pd(TO(rows[2 * i]), TO(rows[2 * i + 1]))));    \
    for (int i = 0; i < 2; i++)                                                          \
      fours[i] =                                                                         \
          ADD(BACK(_mm512_shuffle_f64x2(TO(pairs[2 * i]), TO(pairs[2 * i + 1]), 0x88)),  \
              BACK(_mm512_shuffle_f64x2(TO(pairs[2 * i]), TO(pairs[2 * i + 1]), 0xdd))); \
    return ADD(BACK(_mm512_shuffle_f64x2(TO(fours[0]), TO(fours[1]), 0x88)),             \
               BACK(_mm512_shuffle_f64x2(TO(fours[0]), TO(fours[1]), 0xdd)));            \
  }
#define SAME(x) (x)
ACROSS_8(across_8, __m512d, _mm512_add_pd, SAME, SAME)
ACROSS_8(across_8_complex, __m512, _mm512_add_ps, _mm512_castps_pd, _mm512_castpd_ps)

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_ACROSS_BODY_H_
