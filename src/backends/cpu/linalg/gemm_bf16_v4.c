// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 by AVX512_BF16: an instruction adds 32 of them to 16 sums.
#include "backends/cpu/linalg/gemm_words_body.h"
#include "tensor/half.h"

// To the nearest, as oyi_bf16_from_float, but for subnormal numbers.
static inline uint16_t nearest(float x) {
  return (uint16_t)((__m128i)_mm_cvtneps_pbh(_mm_set_ss(x)))[0];
}

#define T               uint16_t
#define GROUP           2
#define SUM             float
#define FLIP            0
#define OFFSET          0
#define ACROSS          1
#define NUMBER(x)       ((x).re)
#define LANES(at, mask) _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, at))
#define DOT(sums, a, b) _mm512_dpbf16_ps((__m512)(sums), (__m512bh)(a), (__m512bh)(b))

#define OUT             uint16_t
#define IN_PLACE        0
#define ID              bf16
#define LOAD(x)         oyi_bf16_to_float(x)
#define STORE(x)        nearest(x)
#define WIDEN(at, mask) _mm512_slli_epi32(LANES(at, mask), 16)
#define NARROW(at, mask, sums) \
  _mm256_mask_storeu_epi16(at, mask, (__m256i)_mm512_cvtneps_pbh((__m512)(sums)))
#define NARROW_ALL(at, sums) \
  _mm256_storeu_si256((__m256i*)(void*)(at), (__m256i)_mm512_cvtneps_pbh((__m512)(sums)))
#include "backends/cpu/linalg/gemm_words_tmpl.h"
#undef OUT
#undef IN_PLACE
#undef ID
#undef LOAD
#undef STORE
#undef WIDEN
#undef NARROW
#undef NARROW_ALL

#define OUT                    float
#define IN_PLACE               1
#define ID                     bf16_f32
#define LOAD(x)                (x)
#define STORE(x)               (x)
#define WIDEN(at, mask)        _mm512_maskz_loadu_ps(mask, at)
#define NARROW(at, mask, sums) _mm512_mask_storeu_ps(at, mask, (__m512)(sums))
#define NARROW_ALL(at, sums)   _mm512_storeu_ps(at, (__m512)(sums))
#include "backends/cpu/linalg/gemm_words_tmpl.h"

oy_status oyi_gemm_words_bf16(const oyi_gemm* g) {
  return words_bf16(g);
}
oy_status oyi_gemm_words_bf16_f32(const oyi_gemm* g) {
  return words_bf16_f32(g);
}
