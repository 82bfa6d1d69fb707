// SPDX-License-Identifier: Apache-2.0
// By an instruction that subtracts and adds by turns, of products that are rounded first: fused
// ones would have other last bits than those of other capabilities. Rows begin where no one
// foresees, and pages end: lines are fetched ahead.
#include "backends/cpu/index/complex_product.h"

#include <immintrin.h>

static inline void multiply_four(float* to, const float* from) {
  const __m256 a = _mm256_loadu_ps(to), b = _mm256_loadu_ps(from);
  const __m256 turned = _mm256_permute_ps(b, 0xb1);
  const __m256 whole = _mm256_mul_ps(_mm256_moveldup_ps(a), b);
  const __m256 crossed = _mm256_mul_ps(_mm256_movehdup_ps(a), turned);
  _mm256_storeu_ps(to, _mm256_addsub_ps(whole, crossed));
}

int64_t oyi_multiply_c64_v3(int64_t n, float* to, const float* from) {
  enum { AHEAD = 128 };  // floats
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __builtin_prefetch(to + 2 * i + AHEAD, 1);
    __builtin_prefetch(from + 2 * i + AHEAD);
    multiply_four(to + 2 * i, from + 2 * i);
    multiply_four(to + 2 * i + 8, from + 2 * i + 8);
  }
  for (; i + 4 <= n; i += 4) multiply_four(to + 2 * i, from + 2 * i);
  return i;
}
