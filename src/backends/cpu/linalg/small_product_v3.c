// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "backends/cpu/linalg/small_product.h"
#include "base/template.h"

#define OYI_UNROLL OYI_UNROLL_BY(8)

static inline __m256i first_lanes(int64_t count) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), lanes);
}

#define NAME(x)            x##_8
#define VECTOR             __m256
#define WIDTH              8
#define MASK               __m256i
#define MASK_OF(columns)   first_lanes(columns)
#define LOAD(at, mask)     _mm256_maskload_ps(at, mask)
#define STORE(at, mask, x) _mm256_maskstore_ps(at, mask, x)
#define ALL(x)             _mm256_set1_ps(x)
#define FMA(a, b, c)       _mm256_fmadd_ps(a, b, c)
#define ZERO               _mm256_setzero_ps()
#include "backends/cpu/linalg/small_product_tmpl.h"

static __attribute__((noinline)) void panel(int64_t n, int64_t k, int64_t m,
                                            int64_t columns, const float* a,
                                            const float* b, float* c) {
  product_8(1, n, k, m, columns, a, b, c);
}

// What is smallest, where a call is most of it, saves no registers for larger ones.
static __attribute__((noinline)) void few(int64_t n, int64_t k, int64_t m, const float* a,
                                          const float* b, float* c) {
  product_8(1, n & 3, k, m, m, a, b, c);
}
static __attribute__((noinline)) void many(int64_t n, int64_t k, int64_t m,
                                           const float* a, const float* b, float* c) {
  panel(n, k, m, m, a, b, c);
  for (int64_t i = 8; i < m; i += 8) panel(n, k, m, m - i, a, b + i, c + i);
}

void oyi_small_product_v3(int64_t n, int64_t k, int64_t m, const float* a, const float* b,
                          float* c) {
  if (m <= 8 && n < 4)
    few(n, k, m, a, b, c);
  else
    many(n, k, m, a, b, c);
}
