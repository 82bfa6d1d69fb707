// SPDX-License-Identifier: Apache-2.0
// Products of float for AVX-512 by tiles that read rows of a, and of b if there are few of
// a, where they lie. A word is an element.
#include "backends/cpu/linalg/gemm_words_body.h"
#define T                      float
#define OUT                    float
#define GROUP                  1
#define SUM                    float
#define ID                     f32
#define FLIP                   0
#define OFFSET                 0
#define LOAD(x)                (x)
#define STORE(x)               (x)
#define NUMBER(x)              ((x).re)
#define LANES(at, mask)        _mm512_maskz_loadu_epi32(mask, at)
#define WIDEN(at, mask)        _mm512_maskz_loadu_ps(mask, at)
#define NARROW(at, mask, sums) _mm512_mask_storeu_ps(at, mask, (__m512)(sums))
#define NARROW_ALL(at, sums)   _mm512_storeu_ps(at, (__m512)(sums))
#define DOT(sums, a, b)        _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(sums))
#include "backends/cpu/linalg/gemm_words_tmpl.h"

oy_status oyi_gemm_words_f32(const oyi_gemm* g) {
  return words_f32(g);
}
