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

#undef LANES
#undef LOAD
#undef STORE
static inline __m512i lanes_of(const uint16_t* at, int64_t left) {
  return left >= 32 ? _mm512_loadu_si512(at)
                    : _mm512_maskz_loadu_epi16(((__mmask32)1 << left) - 1, at);
}
#define LANES              32
#define LANES_AT(at, left) lanes_of(at, left)
#define ADD(sums, a, b)    _mm512_dpbf16_ps(sums, (__m512bh)(a), (__m512bh)(b))
#define LOAD(x)            oyi_bf16_to_float(x)
#define STORE(x)           nearest(x)
#include "backends/cpu/linalg/gemm_inner_tmpl.h"

// Whether inner products take less than packing b, which does not lie as it is read.
static inline bool is_inner(const oyi_gemm* g) {
  enum { FEW = 4, LONG = 128, SOME_ROWS = 16, SOME_COLUMNS = 12, LONGER = 256 };
  const bool is_few = (g->n <= FEW || g->m <= FEW) && g->k >= LONG;
  const bool is_some = (g->n <= SOME_ROWS || g->m <= SOME_COLUMNS) && g->k >= LONGER;
  return (is_few || is_some) && g->a_column == 1 && g->b_row == 1;
}

oy_status oyi_gemm_words_bf16(const oyi_gemm* g) {
  if (!is_inner(g)) return words_bf16(g);
  inner(g, NULL);
  return OY_OK;
}
oy_status oyi_gemm_words_bf16_f32(const oyi_gemm* g) {
  return words_bf16_f32(g);
}
