// SPDX-License-Identifier: Apache-2.0
// Products of short rows of bytes with a vector for AVX-512: a register for each of sixteen rows,
// which are added up across all at once. Of sums the lowest eight bits count, so that products
// of 16 bits need not be told apart from what lies above.
#include <immintrin.h>
#include <string.h>

#include "backends/cpu/linalg/gemm.h"
#include "base/template.h"

enum { ROWS = 16, BYTES = 64 };

// The bytes of a vector that meet those at even places, and at odd ones, as words.
typedef struct halves {
  __m512i even, odd;
} halves;

static inline __m512i sums_of_row(__m512i row, halves by) {
  const __m512i even = _mm512_mullo_epi16(row, by.even);
  const __m512i odd = _mm512_mullo_epi16(_mm512_srli_epi16(row, 8), by.odd);
  return _mm512_madd_epi16(_mm512_add_epi16(even, odd), _mm512_set1_epi16(1));
}

// Sums of sixteen registers, in their order.
static inline __attribute__((always_inline)) __m512i across(const __m512i* rows) {
  __m512i pairs[8], fours[4], eights[2];
  OYI_UNROLL_BY(8)
  for (int i = 0; i < 8; i++)
    pairs[i] = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]),
                                _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]));
  OYI_UNROLL_BY(4)
  for (int i = 0; i < 4; i++)
    fours[i] = _mm512_add_epi32(_mm512_unpacklo_epi64(pairs[2 * i], pairs[2 * i + 1]),
                                _mm512_unpackhi_epi64(pairs[2 * i], pairs[2 * i + 1]));
  for (int i = 0; i < 2; i++)
    eights[i] =
        _mm512_add_epi32(_mm512_shuffle_i32x4(fours[2 * i], fours[2 * i + 1], 0x88),
                         _mm512_shuffle_i32x4(fours[2 * i], fours[2 * i + 1], 0xdd));
  return _mm512_add_epi32(_mm512_shuffle_i32x4(eights[0], eights[1], 0x88),
                          _mm512_shuffle_i32x4(eights[0], eights[1], 0xdd));
}

// |rows| of the sixteen from |a| on are there; the others are the last one again.
static inline __attribute__((always_inline)) __m128i some_rows(const uint8_t* a,
                                                               int64_t step, int64_t rows,
                                                               __mmask64 there,
                                                               halves by) {
  __m512i sums[ROWS];
  OYI_UNROLL_BY(16)
  for (int i = 0; i < ROWS; i++) {
    sums[i] = sums_of_row(_mm512_maskz_loadu_epi8(there, a), by);
    a += i + 1 < rows ? step : 0;
  }
  return _mm512_cvtepi32_epi8(across(sums));
}

static halves halves_of(const oyi_gemm* g) {
  uint8_t x[BYTES] = {0};
  for (int64_t p = 0; p < g->k; p++) x[p] = ((const uint8_t*)g->b)[p * g->b_row];
  const __m512i all = _mm512_loadu_si512(x);
  return (halves){_mm512_and_si512(all, _mm512_set1_epi16(0xff)),
                  _mm512_srli_epi16(all, 8)};
}

bool oyi_gemm_bytes_by_vector_v4(const oyi_gemm* g) {
  enum { LEAST = 8 };
  const bool plain = g->alpha.re == 1 && g->beta.re == 0 && g->c_row == 1;
  if (!plain || g->m != 1 || g->n < ROWS || g->k < LEAST || g->k > BYTES ||
      g->a_column != 1)
    return false;
  const halves by = halves_of(g);
  const __mmask64 there = g->k < BYTES ? ((__mmask64)1 << g->k) - 1 : (__mmask64)-1;
  const uint8_t* a = g->a;
  uint8_t* to = g->c;
  int64_t left = g->n;
  for (; left >= ROWS; left -= ROWS, a += ROWS * g->a_row, to += ROWS)
    _mm_storeu_si128((__m128i*)(void*)to, some_rows(a, g->a_row, ROWS, there, by));
  if (left > 0)
    _mm_mask_storeu_epi8(to, (__mmask16)((1 << left) - 1),
                         some_rows(a, g->a_row, left, there, by));
  return true;
}
