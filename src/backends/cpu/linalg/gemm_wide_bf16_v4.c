// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 of rows of up to 16 numbers by AVX512_BF16, with any number of columns: all
// of b that a panel of columns takes stays in registers, and a is read where it lies.
#include <immintrin.h>
#include <string.h>

#include "backends/cpu/linalg/gemm_words.h"
#include "base/template.h"

enum { ROWS = 16, WORDS = 32, KEPT = 32, DEEP = 8 };  // DEEP: pairs of a row, at most

static inline __mmask32 first_words(int64_t count) {
  return count >= WORDS ? ~(__mmask32)0 : count > 0 ? ((__mmask32)1 << count) - 1 : 0;
}
static inline __m512i words_of(__m256i x) {
  return _mm512_cvtepu16_epi32(x);
}

// Sixteen columns of row |p| of b; past the last row or column zeros.
static inline __m512i row_of(const oyi_gemm* g, int64_t p, int64_t j) {
  const int64_t left = p < g->k ? g->m - j : 0, count = left < ROWS ? left : ROWS;
  const uint16_t* from =
      (const uint16_t*)g->b + (count > 0 ? p * g->b_row + j * g->b_column : 0);
  if (g->b_column == 1)
    return words_of(_mm256_maskz_loadu_epi16((__mmask16)first_words(count), from));
  uint16_t row[ROWS] = {0};
  for (int64_t i = 0; i < count; i++) row[i] = from[i * g->b_column];
  return words_of(_mm256_loadu_si256((const __m256i*)(const void*)row));
}
// Where b lies by columns, of more than one row, its pairs are words.
static inline bool has_pairs(const oyi_gemm* g) {
  enum { NEAR = 1 << 24 };  // what words of offsets hold for all columns of a vector
  return g->b_row == 1 && g->b_column != 1 && g->k > 1 && g->b_column <= NEAR;
}
static inline __m512i gathered(const oyi_gemm* g, int64_t p, int64_t j) {
  const int64_t left = g->m - j;
  if (left <= 0) return _mm512_setzero_si512();
  const __m512i column =
      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i at = _mm512_mullo_epi32(column, _mm512_set1_epi32((int)g->b_column));
  const bool is_half = 2 * p + 1 == g->k;  // the last row comes with the one before
  const uint16_t* from =
      (const uint16_t*)g->b + j * g->b_column + 2 * p - (is_half ? 1 : 0);
  const __m512i words = _mm512_mask_i32gather_epi32(
      _mm512_setzero_si512(), (__mmask16)first_words(left), at, from, 2);
  return is_half ? _mm512_srli_epi32(words, 16) : words;
}

// Of rows |2 p| and |2 p + 1|, side by side.
static inline __m512i pair_of(const oyi_gemm* g, int64_t p, int64_t j) {
  if (has_pairs(g)) return gathered(g, p, j);
  return _mm512_or_si512(row_of(g, 2 * p, j),
                         _mm512_slli_epi32(row_of(g, 2 * p + 1, j), 16));
}

static inline __attribute__((always_inline)) __m512 dots(const int pairs,
                                                         const __m512i* words,
                                                         const __m512i* b) {
  __m512 sum = _mm512_setzero_ps();
  OYI_UNROLL_BY(8)
  for (int p = 0; p < pairs; p++)
    sum = _mm512_dpbf16_ps(sum, (__m512bh)words[p], (__m512bh)b[p]);
  return sum;
}

typedef struct panel {
  const oyi_gemm* g;
  int64_t j, first, end;  // columns from |j| on, for rows of a from |first| up to |end|
  float alpha, beta;
  bool plain;  // results are sums as they are
} panel;

// What a sum makes of the sixteen results that were there.
static inline __attribute__((always_inline)) __m512 result_of(const panel* s, __m512 sum,
                                                              const uint16_t* was) {
  if (s->plain) return sum;
  sum = _mm512_mul_ps(sum, _mm512_set1_ps(s->alpha));
  if (s->beta == 0) return sum;
  const __m512i words = words_of(_mm256_loadu_si256((const __m256i*)(const void*)was));
  return _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_slli_epi32(words, 16)),
                         _mm512_set1_ps(s->beta), sum);
}

// Results of some rows before they are written: what is read just behind a part of a vector that
// was written would have to wait for it.
static inline void keep(const panel* s, const uint16_t* from, int64_t rows,
                        uint16_t (*was)[WORDS]) {
  const __mmask32 there = first_words(s->g->m - s->j);
  for (int64_t i = 0; i < rows; i++, from += s->g->c_row)
    _mm512_storeu_si512(was[i], _mm512_maskz_loadu_epi16(there, from));
}

// A panel of 16 or 32 columns.
static inline __attribute__((always_inline)) void put_panel(const int pairs,
                                                            const int vectors,
                                                            const panel* s) {
  const oyi_gemm* g = s->g;
  __m512i low[DEEP], high[DEEP], words[DEEP];
  OYI_UNROLL_BY(8)
  for (int p = 0; p < pairs; p++) {
    low[p] = pair_of(g, p, s->j);
    if (vectors == 2) high[p] = pair_of(g, p, s->j + ROWS);
  }
  const uint16_t* a = (const uint16_t*)g->a + s->first * g->a_row;
  uint16_t* to = (uint16_t*)g->c + s->first * g->c_row + s->j;
  const __mmask32 there = first_words(g->m - s->j);
  const int64_t step = g->a_column;
  const bool is_even = g->k % 2 == 0;
  uint16_t was[KEPT][WORDS];
  for (int64_t i = 0; i < s->end - s->first; i++, a += g->a_row, to += g->c_row) {
    const uint16_t* here = was[i % KEPT];
    if (s->beta != 0 && i % KEPT == 0)
      keep(s, to, s->end - s->first - i < KEPT ? s->end - s->first - i : KEPT, was);
    OYI_UNROLL_BY(8)
    for (int p = 0; p < pairs; p++) {
      const uint16_t* at = a + 2 * p * step;
      uint32_t word = at[0];
      if (step == 1 && (p + 1 < pairs || is_even))
        memcpy(&word, at, sizeof(word));
      else if (p + 1 < pairs || is_even)
        word |= (uint32_t)at[step] << 16;
      words[p] = _mm512_set1_epi32((int)word);
    }
    const __m512 x = result_of(s, dots(pairs, words, low), here);
    if (vectors == 2) {
      const __m512 y = result_of(s, dots(pairs, words, high), here + ROWS);
      _mm512_mask_storeu_epi16(to, there, (__m512i)_mm512_cvtne2ps_pbh(y, x));
    } else {
      _mm256_mask_storeu_epi16(to, (__mmask16)there, (__m256i)_mm512_cvtneps_pbh(x));
    }
  }
}

// Some rows at a time, so that the panels of a row are written one soon after the other.
static inline __attribute__((always_inline)) void panels(const int pairs,
                                                         const oyi_gemm* g) {
  // What is gathered for each of them should count for less.
  const int64_t some = g->b_column == 1 || has_pairs(g) ? 64 : 256;
  const float alpha = (float)g->alpha.re, beta = (float)g->beta.re;
  panel s = {.g = g, .alpha = alpha, .beta = beta, .plain = alpha == 1 && beta == 0};
  for (; s.first < g->n; s.first = s.end) {
    s.end = g->n - s.first < some || g->m <= WORDS ? g->n : s.first + some;
    for (s.j = 0; g->m - s.j > ROWS; s.j += WORDS) put_panel(pairs, 2, &s);
    if (s.j < g->m) put_panel(pairs, 1, &s);
  }
}

// Whether rows are many enough for what b takes before the first one: less where it lies by rows,
// more where its pairs are gathered.
static inline bool is_worth(const oyi_gemm* g) {
  enum { SOME = 4, MANY = 64, SHORT = 8 };
  if (g->k == 1 || (g->b_column == 1 && g->k <= SHORT)) return g->n >= SOME;
  if (g->b_column == 1) return g->n >= ROWS;
  return has_pairs(g) ? g->n >= (g->k <= SHORT ? ROWS : 4 * MANY)
                      : g->k <= 4 && g->n >= MANY;
}

bool oyi_gemm_wide_bf16(const oyi_gemm* g) {
  enum { FEW = 4 };  // numbers of a row that are worth gathering
  if (g->k < 1 || g->k > 2 * DEEP || g->m < 2 || g->c_column != 1 ||
      (g->a_column != 1 && g->k > FEW) || !is_worth(g))
    return false;
  switch ((g->k + 1) / 2) {
    case 1: panels(1, g); break;
    case 2: panels(2, g); break;
    case 3: panels(3, g); break;
    case 4: panels(4, g); break;
    case 5: panels(5, g); break;
    case 6: panels(6, g); break;
    case 7: panels(7, g); break;
    default: panels(8, g);
  }
  return true;
}
