// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "backends/cpu/linalg/small_product.h"
#include "base/template.h"

#define OYI_UNROLL OYI_UNROLL_BY(8)

#define NAME(x)            x##_8
#define VECTOR             __m256
#define WIDTH              8
#define MASK               __mmask8
#define MASK_OF(columns)   (__mmask8)((1u << (columns)) - 1)
#define LOAD(at, mask)     _mm256_maskz_loadu_ps(mask, at)
#define STORE(at, mask, x) _mm256_mask_storeu_ps(at, mask, x)
#define ALL(x)             _mm256_set1_ps(x)
#define FMA(a, b, c)       _mm256_fmadd_ps(a, b, c)
#define ZERO               _mm256_setzero_ps()
#include "backends/cpu/linalg/small_product_tmpl.h"

#define NAME(x)            x##_16
#define VECTOR             __m512
#define WIDTH              16
#define MASK               __mmask16
#define MASK_OF(columns)   (__mmask16)((1u << (columns)) - 1)
#define LOAD(at, mask)     _mm512_maskz_loadu_ps(mask, at)
#define STORE(at, mask, x) _mm512_mask_storeu_ps(at, mask, x)
#define ALL(x)             _mm512_set1_ps(x)
#define FMA(a, b, c)       _mm512_fmadd_ps(a, b, c)
#define ZERO               _mm512_setzero_ps()
#include "backends/cpu/linalg/small_product_tmpl.h"

// Apart from each other, so that the smallest, where a call is most of it, saves no registers
// for the others.
#define APART static __attribute__((noinline)) void
APART product_few(int64_t n, int64_t k, int64_t m, const float* a, const float* b,
                  float* c) {
  product_8(1, n & 3, k, m, m, a, b, c);
}
APART product_narrow(int64_t n, int64_t k, int64_t m, const float* a, const float* b,
                     float* c) {
  product_8(1, n, k, m, m, a, b, c);
}
APART product_middle(int64_t n, int64_t k, int64_t m, const float* a, const float* b,
                     float* c) {
  product_16(1, n, k, m, m, a, b, c);
}
APART product_wide(int64_t n, int64_t k, int64_t m, const float* a, const float* b,
                   float* c) {
  product_16(2, n, k, m, m, a, b, c);
}

void oyi_small_product_v4(int64_t n, int64_t k, int64_t m, const float* a, const float* b,
                          float* c) {
  if (m <= 8 && n < 4) {
    product_few(n, k, m, a, b, c);
  } else if (m <= 8) {
    product_narrow(n, k, m, a, b, c);
  } else if (m <= 16) {
    product_middle(n, k, m, a, b, c);
  } else {
    product_wide(n, k, m, a, b, c);
  }
}
