// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "backends/cpu/linalg/gemm_words.h"
#include "base/template.h"

static inline __m512i lanes_of(const float* at, int64_t left) {
  return left >= 16 ? _mm512_loadu_si512(at)
                    : _mm512_maskz_loadu_epi32((__mmask16)((1u << left) - 1), at);
}

#define T                  float
#define LANES              16
#define LANES_AT(at, left) lanes_of(at, left)
#define ADD(sums, a, b) \
  _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), sums)
#define LOAD(x)  (x)
#define STORE(x) (x)
#include "backends/cpu/linalg/gemm_inner_tmpl.h"

void oyi_gemm_inner_f32(const oyi_gemm* g, const float* by_row) {
  inner(g, by_row);
}
