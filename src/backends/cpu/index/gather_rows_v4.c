// SPDX-License-Identifier: Apache-2.0
// Elements of four bytes of short lines, whose elements stay in registers.
#include <immintrin.h>

#include "backends/cpu/index/gather_rows.h"

static inline __mmask16 mask_of(int64_t count) {
  if (count <= 0) return 0;
  return count >= 16 ? (__mmask16)0xffff : (__mmask16)((1u << count) - 1);
}

// Indices are less than the length of a line: their lower halves say all.
static inline __m512i numbers(const int64_t* index, __mmask16 mask) {
  const __m512i low = _mm512_maskz_loadu_epi64((__mmask8)mask, index);
  const __m512i high = _mm512_maskz_loadu_epi64((__mmask8)(mask >> 8), index + 8);
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                            _mm512_cvtepi64_epi32(high), 1);
}

void oyi_gather_rows_v4(int64_t lines, int64_t n, char* o, const char* x, int64_t length,
                        const int64_t* index) {
  const __mmask16 first = mask_of(length), second = mask_of(length - 16);
  for (int64_t k = 0; k < lines; k++, x += length * 4) {
    const __m512i a = _mm512_maskz_loadu_epi32(first, x);
    const __m512i b = second ? _mm512_maskz_loadu_epi32(second, x + 64) : a;
    for (int64_t i = 0; i < n; i += 16) {
      const int64_t some = n - i < 16 ? n - i : 16;
      const __mmask16 mask = mask_of(some);
      const __m512i at = numbers(index, mask);
      _mm512_mask_storeu_epi32(o, mask, _mm512_permutex2var_epi32(a, at, b));
      index += some, o += some * 4;
    }
  }
}
