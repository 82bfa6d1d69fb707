// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 of rows of up to 16 numbers by AVX512_BF16, with any number of columns, or
// of up to 32 with few: all of b that a panel of columns takes stays in registers, and a is read
// where it lies.
#include <immintrin.h>
#include <string.h>

#include "backends/cpu/linalg/gemm_words.h"
#include "base/template.h"
#include "tensor/block_cache.h"

// KEPT: rows at a time; DEEP: pairs of a row, at most; DEEPER: by few columns; SUMS: rows then.
enum { ROWS = 16, WORDS = 32, KEPT = 32, DEEP = 8, DEEPER = 16, SUMS = 4 };

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

typedef struct panel {
  const oyi_gemm* g;
  int64_t j, first, end;  // columns from |j| on, for rows of a from |first| up to |end|
  float alpha, beta;
  bool plain;  // results are sums as they are
  // Pairs of b that were made before, those of a panel together and two vectors of each; NULL: none
  // were.
  const __m512i* packed;
} panel;

static inline panel panel_of(const oyi_gemm* g) {
  const float alpha = (float)g->alpha.re, beta = (float)g->beta.re;
  const bool plain = alpha == 1 && beta == 0;
  return (panel){.g = g, .alpha = alpha, .beta = beta, .plain = plain};
}

// What a sum makes of the sixteen results that were there, of which |there| are.
static inline __attribute__((always_inline)) __m512 result_of(const panel* s, __m512 sum,
                                                              const uint16_t* was,
                                                              __mmask16 there) {
  if (s->plain) return sum;
  sum = _mm512_mul_ps(sum, _mm512_set1_ps(s->alpha));
  if (s->beta == 0) return sum;
  const __m512i words = words_of(_mm256_maskz_loadu_epi16(there, was));
  return _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_slli_epi32(words, 16)),
                         _mm512_set1_ps(s->beta), sum);
}

// Some rows of a as words of pairs: word |p| of row |i| is at |from| + 2 |i| |row| + 2 |p| |pair|.
typedef struct words {
  const uint16_t* from;
  int64_t row, pair;
} words;

// Rows that lie across, sixteen of them by each vector.
static void pack_across(const oyi_gemm* g, int64_t i0, int64_t rows,
                        uint32_t (*to)[KEPT]) {
  for (int64_t i = 0; i < rows; i += ROWS) {
    const __mmask16 there = (__mmask16)first_words(rows - i);
    const uint16_t* from = (const uint16_t*)g->a + (i0 + i);
    for (int64_t p = 0; p < g->k; p += 2, from += 2 * g->a_column) {
      __m512i pairs = words_of(_mm256_maskz_loadu_epi16(there, from));
      if (p + 1 < g->k) {
        const __m256i next = _mm256_maskz_loadu_epi16(there, from + g->a_column);
        pairs = _mm512_or_si512(pairs, _mm512_slli_epi32(words_of(next), 16));
      }
      _mm512_storeu_si512(to[p / 2] + i, pairs);
    }
  }
}
static void pack_any(const oyi_gemm* g, int64_t i0, int64_t rows, uint32_t (*to)[KEPT]) {
  const uint16_t* from = (const uint16_t*)g->a + i0 * g->a_row;
  for (int64_t i = 0; i < rows; i++, from += g->a_row)
    for (int64_t p = 0; p < g->k; p += 2) {
      const uint16_t* at = from + p * g->a_column;
      to[p / 2][i] = p + 1 < g->k ? at[0] | (uint32_t)at[g->a_column] << 16 : at[0];
    }
}

static words words_from(const oyi_gemm* g, int64_t i, int64_t rows,
                        uint32_t (*packed)[KEPT]) {
  if (g->a_column == 1 || g->k == 1)
    return (words){(const uint16_t*)g->a + i * g->a_row, g->a_row, 2};
  if (g->a_row == 1)
    pack_across(g, i, rows, packed);
  else
    pack_any(g, i, rows, packed);
  return (words){(const uint16_t*)(const void*)packed, 2, 2 * KEPT};
}

// What is added to some rows, and how far these are apart. Of c it is copied before they are
// written: what is read just behind a part of a vector that was written would have to wait for it.
static const uint16_t* added_to(const panel* s, int64_t i, int64_t rows,
                                uint16_t (*was)[WORDS], int64_t* step) {
  const oyi_gemm* g = s->g;
  const __mmask32 there = first_words(g->m - s->j);
  *step = g->added ? g->added_row : WORDS;
  if (g->added) return (const uint16_t*)g->added + i * g->added_row + s->j;
  const uint16_t* from = (const uint16_t*)g->c + i * g->c_row + s->j;
  for (int64_t r = 0; r < rows; r++, from += g->c_row)
    _mm512_storeu_si512(was[r], _mm512_maskz_loadu_epi16(there, from));
  return was[0];
}

static inline __attribute__((always_inline)) __m512i word_at(const uint16_t* at) {
  int32_t word;
  memcpy(&word, at, sizeof(word));
  return _mm512_set1_epi32(word);
}

static inline __attribute__((always_inline)) void put_row(uint16_t* to, __mmask32 there,
                                                          __m512i x) {
  if (there == first_words(WORDS))
    _mm512_storeu_si512(to, x);
  else
    _mm512_mask_storeu_epi16(to, there, x);
}

// A panel of 16 or 32 columns.
static inline __attribute__((always_inline)) void put_panel(const int pairs,
                                                            const int vectors,
                                                            const panel* s) {
  const oyi_gemm* g = s->g;
  __m512i low[DEEP], high[DEEP];
  const __m512i* made = s->packed ? s->packed + s->j / ROWS * pairs : NULL;
  OYI_UNROLL_BY(8)
  for (int p = 0; p < pairs; p++) {
    low[p] = made ? _mm512_loadu_si512(made + 2 * p) : pair_of(g, p, s->j);
    if (vectors != 2) continue;
    high[p] = made ? _mm512_loadu_si512(made + 2 * p + 1) : pair_of(g, p, s->j + ROWS);
  }
  uint16_t* to = (uint16_t*)g->c + s->first * g->c_row + s->j;
  const __mmask32 there = first_words(g->m - s->j);
  const bool is_half = g->k % 2 != 0 && (g->a_column == 1 || g->k == 1);  // the last word
  uint16_t was[KEPT][WORDS];
  uint32_t packed[DEEP][KEPT];
  for (int64_t i0 = s->first; i0 < s->end; i0 += KEPT) {
    const int64_t rows = s->end - i0 < KEPT ? s->end - i0 : KEPT;
    const words w = words_from(g, i0, rows, packed);
    int64_t step = 0;
    const uint16_t* at = s->beta != 0 ? added_to(s, i0, rows, was, &step) : was[0];
    const uint16_t* a = w.from;
    for (int64_t i = 0; i < rows; i++, a += w.row, at += step, to += g->c_row) {
      __m512 x = _mm512_setzero_ps(), y = x;
      OYI_UNROLL_BY(8)
      for (int p = 0; p < pairs; p++) {
        const uint16_t* word = a + p * w.pair;
        const __m512bh by =
            (__m512bh)(is_half && p + 1 == pairs ? _mm512_set1_epi32(*word)
                                                 : word_at(word));
        x = _mm512_dpbf16_ps(x, by, (__m512bh)low[p]);
        if (vectors == 2) y = _mm512_dpbf16_ps(y, by, (__m512bh)high[p]);
      }
      x = result_of(s, x, at, (__mmask16)there);
      if (vectors == 2) {
        y = result_of(s, y, at + ROWS, (__mmask16)(there >> ROWS));
        put_row(to, there, (__m512i)_mm512_cvtne2ps_pbh(y, x));
      } else {
        _mm256_mask_storeu_epi16(to, (__mmask16)there, (__m256i)_mm512_cvtneps_pbh(x));
      }
    }
  }
}

// As many as the second cache holds results of, or few where rows of c are whole pages apart, or
// half ones, and share the places of a line.
static inline int64_t rows_together(const oyi_gemm* g) {
  enum { CACHE = 1 << 18, LEAST = 64, FEW = 16, PAGE = 2048 };
  const int64_t fit = CACHE / g->m;
  if (g->c_row % PAGE == 0) return FEW;
  if (g->c_row % (PAGE / 2) == 0) return 2 * FEW;
  return fit > LEAST ? fit : LEAST;
}

// All pairs of b, for as many rows as there are; NULL, and no error, where there is no memory.
static __m512i* packed_pairs(const int pairs, const oyi_gemm* g, void** context) {
  const int64_t panels = (g->m + WORDS - 1) / WORDS;
  __m512i* packed =
      oyi_data_alloc((size_t)(panels * pairs * 2) * sizeof(*packed), context);
  if (!packed) {
    oy_error_clear();
    return NULL;
  }
  __m512i* to = packed;
  for (int64_t j = 0; j < g->m; j += WORDS)
    for (int p = 0; p < pairs; p++, to += 2) {
      _mm512_storeu_si512(to, pair_of(g, p, j));
      _mm512_storeu_si512(to + 1, pair_of(g, p, j + ROWS));
    }
  return packed;
}

// Some rows at a time, so that the panels of a row are written one soon after the other.
static inline __attribute__((always_inline)) void panels(const int pairs,
                                                         const oyi_gemm* g) {
  const int64_t some = g->m <= WORDS ? g->n : rows_together(g);
  panel s = panel_of(g);
  void* context = NULL;
  __m512i* packed = some < g->n ? packed_pairs(pairs, g, &context) : NULL;
  s.packed = packed;
  for (; s.first < g->n; s.first = s.end) {
    s.end = g->n - s.first < some ? g->n : s.first + some;
    for (s.j = 0; g->m - s.j > ROWS; s.j += WORDS) put_panel(pairs, 2, &s);
    if (s.j < g->m) put_panel(pairs, 1, &s);
  }
  if (packed) oyi_data_free(context, packed);
}

// Rows of a as word_at takes them; of |left| that there are the last stands for those past it.
typedef struct four {
  const uint16_t* from[SUMS];
  const uint16_t* was[SUMS];
  uint16_t* to[SUMS];
} four;
static inline __attribute__((always_inline)) four four_rows(const oyi_gemm* g, int64_t i,
                                                            int64_t left,
                                                            const uint16_t* was,
                                                            int64_t step) {
  four r;
  OYI_UNROLL_BY(4)
  for (int s = 0; s < SUMS; s++) {
    const int64_t at = s < left ? s : left - 1;
    r.from[s] = (const uint16_t*)g->a + (i + at) * g->a_row;
    r.to[s] = (uint16_t*)g->c + (i + at) * g->c_row;
    r.was[s] = was + at * step;
  }
  return r;
}

static inline __attribute__((always_inline)) void put_four(const int pairs,
                                                           const panel* s, const four* r,
                                                           const __m512i* b) {
  const __mmask16 there = (__mmask16)first_words(s->g->m);
  const bool is_half = s->g->k % 2 != 0;
  __m512 sums[SUMS];
  OYI_UNROLL_BY(4)
  for (int i = 0; i < SUMS; i++) sums[i] = _mm512_setzero_ps();
  OYI_UNROLL_BY(16)
  for (int p = 0; p < pairs; p++) OYI_UNROLL_BY(4)
  for (int i = 0; i < SUMS; i++) {
    const uint16_t* word = r->from[i] + 2 * p;
    const bool ends = is_half && p + 1 == pairs;
    const __m512i by = ends ? _mm512_set1_epi32(*word) : word_at(word);
    sums[i] = _mm512_dpbf16_ps(sums[i], (__m512bh)by, (__m512bh)b[p]);
  }
  OYI_UNROLL_BY(4)
  for (int i = 0; i < SUMS; i++) {
    const __m512 x = result_of(s, sums[i], r->was[i], there);
    _mm256_mask_storeu_epi16(r->to[i], there, (__m256i)_mm512_cvtneps_pbh(x));
  }
}

// Where b lies by columns, few of them: words that are copied one by one.
static void copy_columns(const oyi_gemm* g, uint32_t (*to)[ROWS]) {
  memset(to, 0, DEEPER * sizeof(*to));
  for (int64_t j = 0; j < g->m; j++) {
    const uint16_t* from = (const uint16_t*)g->b + j * g->b_column;
    for (int64_t p = 0; p < g->k / 2; p++) memcpy(&to[p][j], from + 2 * p, sizeof(**to));
    if (g->k % 2 != 0) to[g->k / 2][j] = from[g->k - 1];
  }
}

// All columns by rows of more than a panel of two vectors would keep in registers: each sum has
// more to wait for, so that those of four rows are made at once.
static inline __attribute__((always_inline)) void put_deep(const int pairs,
                                                           const panel* s) {
  const oyi_gemm* g = s->g;
  __m512i b[DEEPER];
  uint32_t copied[DEEPER][ROWS];
  const bool copies = has_pairs(g);
  if (copies) copy_columns(g, copied);
  OYI_UNROLL_BY(16)
  for (int p = 0; p < pairs; p++)
    b[p] = copies ? _mm512_loadu_si512(copied[p]) : pair_of(g, p, 0);
  uint16_t was[KEPT][WORDS];
  for (int64_t i0 = 0; i0 < g->n; i0 += KEPT) {
    const int64_t rows = g->n - i0 < KEPT ? g->n - i0 : KEPT;
    int64_t step = 0;
    const uint16_t* at = s->beta != 0 ? added_to(s, i0, rows, was, &step) : was[0];
    for (int64_t i = 0; i < rows; i += SUMS) {
      const four r = four_rows(g, i0 + i, rows - i, at + i * step, step);
      put_four(pairs, s, &r, b);
    }
  }
}

static void multiply_deep(const oyi_gemm* g) {
  const panel s = panel_of(g);
  switch ((g->k + 1) / 2) {
    case 5: put_deep(5, &s); break;
    case 6: put_deep(6, &s); break;
    case 7: put_deep(7, &s); break;
    case 8: put_deep(8, &s); break;
    case 9: put_deep(9, &s); break;
    case 10: put_deep(10, &s); break;
    case 11: put_deep(11, &s); break;
    case 12: put_deep(12, &s); break;
    case 13: put_deep(13, &s); break;
    case 14: put_deep(14, &s); break;
    case 15: put_deep(15, &s); break;
    default: put_deep(16, &s);
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

static bool is_wide(const oyi_gemm* g) {
  enum { FEW = 4 };  // numbers of a row that are worth gathering
  return g->k >= 1 && g->k <= 2 * DEEP && g->m >= 2 && g->c_column == 1 &&
         (g->a_column == 1 || g->k <= FEW || (g->a_row == 1 && g->n >= ROWS)) &&
         is_worth(g);
}

// Shorter rows where few columns are worth copying, though pairs are not worth gathering.
static bool is_deep(const oyi_gemm* g) {
  enum { SHORT = 8 };
  const bool deep = g->k > 2 * DEEP ||
                    (g->k > SHORT && g->n >= 2 * g->m && has_pairs(g) && !is_worth(g));
  return deep && g->k <= 2 * DEEPER && g->m >= 2 && g->m <= ROWS && g->n >= ROWS &&
         g->c_column == 1 && g->a_column == 1 && (g->b_column == 1 || has_pairs(g));
}

bool oyi_gemm_bf16_reads_added(const oyi_gemm* g) {
  enum { SHORT = 8 };  // fewer columns, and rows, are left to oyi_gemm_short_bf16
  const bool is_short = g->m <= SHORT && (g->k <= SHORT || g->a_row == 1);
  return (!is_short && g->n >= ROWS && is_wide(g)) || is_deep(g);
}

bool oyi_gemm_wide_bf16(const oyi_gemm* g) {
  if (is_deep(g)) {
    multiply_deep(g);
    return true;
  }
  if (!is_wide(g)) return false;
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
