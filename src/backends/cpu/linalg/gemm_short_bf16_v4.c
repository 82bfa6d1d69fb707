// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 of many short rows by AVX512_BF16, and of few columns: the tiles of
// gemm_bf16_v4.c would be empty for the most part. Sixteen rows at once are turned to columns
// in registers, so that what is added up lies side by side.
#include <immintrin.h>
#include <string.h>

#include "backends/cpu/linalg/gemm_words.h"
#include "base/template.h"
#include "tensor/half.h"

enum { SHORT = 8, ROWS = 16, WORDS = 32, PAIRS = SHORT / 2 };

static inline __mmask32 first_words(int64_t count) {
  return count >= WORDS ? ~(__mmask32)0 : count > 0 ? ((__mmask32)1 << count) - 1 : 0;
}

// Where the words of vectors come from: the first two vectors by |at[0]|, then each of the
// others with what was found before.
typedef struct choice {
  __m512i at[PAIRS];
} choice;

// Word |w| is found in place |place| of the vectors that follow each other.
static void choose(choice* c, int w, int64_t place) {
  for (int64_t s = 0; s < PAIRS; s++) {
    const int64_t within = place - (s ? (s + 1) * WORDS : 0);
    int16_t at = (int16_t)w;  // found before
    if (s == 0)
      at = (int16_t)(place < 2 * WORDS ? place : 0);
    else if (within >= 0 && within < WORDS)
      at = (int16_t)(WORDS + within);
    memcpy((char*)&c->at[s] + 2 * w, &at, sizeof(at));
  }
}

static inline __attribute__((always_inline)) __m512i chosen(const int vectors,
                                                            const __m512i* v,
                                                            const choice* c) {
  __m512i x = _mm512_permutex2var_epi16(v[0], c->at[0], v[vectors > 1]);
  OYI_UNROLL_BY(4)
  for (int s = 1; s + 1 < vectors; s++)
    x = _mm512_permutex2var_epi16(x, c->at[s], v[s + 1]);
  return x;
}

// Column |p| of rows of |k|, as the upper halves of floats; what is below is to be cleared.
static void choose_columns(choice* c, int64_t k) {
  for (int64_t p = 0; p < k; p++)
    for (int w = 0; w < WORDS; w++) choose(&c[p], w, w / 2 * k + p);
}

// Sixteen rows of |k|, of which |rows| are there, as columns of float.
static inline __attribute__((always_inline)) void turn(const int k, const uint16_t* from,
                                                       int64_t rows, const choice* c,
                                                       __m512* columns) {
  const int vectors = (k + 1) / 2;
  __m512i v[PAIRS];
  OYI_UNROLL_BY(4)
  for (int i = 0; i < vectors; i++)
    v[i] = _mm512_maskz_loadu_epi16(first_words(rows * k - i * WORDS), from + i * WORDS);
  OYI_UNROLL_BY(8)
  for (int p = 0; p < k; p++)
    columns[p] = _mm512_castsi512_ps(
        _mm512_and_si512(chosen(vectors, v, &c[p]), _mm512_set1_epi32((int)0xffff0000)));
}

typedef struct product {
  const oyi_gemm* g;
  choice columns[SHORT];   // of the operand with short rows
  choice rows[PAIRS];      // of results
  float by[SHORT][SHORT];  // the other operand: [p][j] counts for column p and result j
} product;

static inline __attribute__((always_inline)) __m512 sum_of(const int k,
                                                           const __m512* columns,
                                                           const product* s, int64_t j) {
  __m512 sum = _mm512_mul_ps(columns[0], _mm512_set1_ps(s->by[0][j]));
  OYI_UNROLL_BY(8)
  for (int p = 1; p < k; p++)
    sum = _mm512_fmadd_ps(columns[p], _mm512_set1_ps(s->by[p][j]), sum);
  return sum;
}

// ------------------------------------------------------- rows that stay rows

static inline __attribute__((always_inline)) void put_rows(const int vectors,
                                                           const product* s,
                                                           const __m512i* sums,
                                                           int64_t words, uint16_t* to) {
  OYI_UNROLL_BY(4)
  for (int i = 0; i < vectors; i++)
    _mm512_mask_storeu_epi16(to + i * WORDS, first_words(words - i * WORDS),
                             chosen(vectors, sums, &s->rows[i]));
}

static inline __attribute__((always_inline)) void by_rows(const int k, const product* s) {
  const oyi_gemm* g = s->g;
  const uint16_t* from = g->a;
  uint16_t* to = g->c;
  const int64_t m = g->m;
  for (int64_t i = 0; i < g->n; i += ROWS, from += ROWS * k, to += ROWS * m) {
    const int64_t rows = g->n - i < ROWS ? g->n - i : ROWS;
    __m512 columns[SHORT];
    __m512i sums[PAIRS];
    turn(k, from, rows, s->columns, columns);
    for (int64_t j = 0; j < m; j += 2)
      sums[j / 2] = (__m512i)_mm512_cvtne2ps_pbh(sum_of(k, columns, s, j + 1),
                                                 sum_of(k, columns, s, j));
    switch ((m + 1) / 2) {
      case 1: put_rows(1, s, sums, rows * m, to); break;
      case 2: put_rows(2, s, sums, rows * m, to); break;
      case 3: put_rows(3, s, sums, rows * m, to); break;
      default: put_rows(4, s, sums, rows * m, to);
    }
  }
}

// ---------------------------------------------------- rows that become columns

static inline __attribute__((always_inline)) void by_columns(const int k,
                                                             const product* s) {
  const oyi_gemm* g = s->g;
  const uint16_t* from = g->b;
  for (int64_t j = 0; j < g->m; j += ROWS, from += ROWS * k) {
    const int64_t rows = g->m - j < ROWS ? g->m - j : ROWS;
    __m512 columns[SHORT];
    turn(k, from, rows, s->columns, columns);
    uint16_t* to = (uint16_t*)g->c + j;
    for (int64_t i = 0; i < g->n; i++, to += g->c_row)
      _mm256_mask_storeu_epi16(to, (__mmask16)first_words(rows),
                               (__m256i)_mm512_cvtneps_pbh(sum_of(k, columns, s, i)));
  }
}

// ------------------------------------------------------- rows that are added up

// Up to three columns of each: nine sums.
static inline __attribute__((always_inline)) void added(const int n, const int m,
                                                        const oyi_gemm* g) {
  choice left[3], right[3];
  choose_columns(left, n);
  choose_columns(right, m);
  const uint16_t *a = g->a, *b = g->b;
  __m512 sums[3][3];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) sums[i][j] = _mm512_setzero_ps();
  for (int64_t p = 0; p < g->k; p += ROWS, a += ROWS * n, b += ROWS * m) {
    __m512 x[3], y[3];
    turn(n, a, g->k - p < ROWS ? g->k - p : ROWS, left, x);
    turn(m, b, g->k - p < ROWS ? g->k - p : ROWS, right, y);
    OYI_UNROLL_BY(3)
    for (int i = 0; i < n; i++) OYI_UNROLL_BY(3)
    for (int j = 0; j < m; j++) sums[i][j] = _mm512_fmadd_ps(x[i], y[j], sums[i][j]);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      ((uint16_t*)g->c)[i * g->c_row + j * g->c_column] =
          oyi_bf16_from_float(_mm512_reduce_add_ps(sums[i][j]));
}

// ------------------------------------------------- short rows by rows that are not

enum { DEEP = 8 };  // pairs of a row, at most

// Sixteen columns of rows |2 p| and |2 p + 1| of b, side by side; past the last zeros.
static inline __m512i pair_of(const oyi_gemm* g, int64_t p, int64_t j) {
  const __mmask16 there = (__mmask16)first_words(g->m - j < ROWS ? g->m - j : ROWS);
  const uint16_t* from = (const uint16_t*)g->b + 2 * p * g->b_row + j;
  const __mmask16 next = 2 * p + 1 < g->k ? there : 0;
  const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, from));
  const __m512i high =
      _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(next, from + (next ? g->b_row : 0)));
  return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
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

// The panel of 16 or 32 columns from |j| on, for the rows of a from |first| up to |end|.
static inline __attribute__((always_inline)) void panel(const int pairs,
                                                        const int vectors,
                                                        const oyi_gemm* g, int64_t j,
                                                        int64_t first, int64_t end) {
  __m512i low[DEEP], high[DEEP], words[DEEP];
  OYI_UNROLL_BY(8)
  for (int p = 0; p < pairs; p++) {
    low[p] = pair_of(g, p, j);
    if (vectors == 2) high[p] = pair_of(g, p, j + ROWS);
  }
  const uint16_t* a = (const uint16_t*)g->a + first * g->a_row;
  uint16_t* to = (uint16_t*)g->c + first * g->c_row + j;
  const __mmask32 there = first_words(g->m - j < ROWS * vectors ? g->m - j : WORDS);
  // The last element alone is the upper half of the word that ends with it.
  const int64_t last = g->k - 2;
  const int shift = g->k % 2 ? 16 : 0;
  for (int64_t i = first; i < end; i++, a += g->a_row, to += g->c_row) {
    OYI_UNROLL_BY(8)
    for (int p = 0; p < pairs; p++) {
      uint32_t word;
      memcpy(&word, a + (p + 1 < pairs ? 2 * p : last), sizeof(word));
      words[p] = _mm512_set1_epi32((int)(p + 1 < pairs ? word : word >> shift));
    }
    if (vectors == 2)
      _mm512_mask_storeu_epi16(to, there,
                               (__m512i)_mm512_cvtne2ps_pbh(dots(pairs, words, high),
                                                            dots(pairs, words, low)));
    else
      _mm256_mask_storeu_epi16(to, (__mmask16)there,
                               (__m256i)_mm512_cvtneps_pbh(dots(pairs, words, low)));
  }
}

// Some rows at a time, so that the panels of a row are written one soon after the other.
static inline __attribute__((always_inline)) void panels(const int pairs,
                                                         const oyi_gemm* g) {
  enum { SOME = 64 };
  for (int64_t i = 0; i < g->n; i += SOME) {
    const int64_t end = g->n - i < SOME ? g->n : i + SOME;
    int64_t j = 0;
    for (; g->m - j > ROWS; j += WORDS) panel(pairs, 2, g, j, i, end);
    if (j < g->m) panel(pairs, 1, g, j, i, end);
  }
}

static void by_wide(const oyi_gemm* g) {
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
}

// ------------------------------------------------------------------ the choice

#define OF_LENGTH(function)                               \
  static void function##_k(int64_t k, const product* s) { \
    switch (k) {                                          \
      case 2: function(2, s); break;                      \
      case 3: function(3, s); break;                      \
      case 4: function(4, s); break;                      \
      case 5: function(5, s); break;                      \
      case 6: function(6, s); break;                      \
      case 7: function(7, s); break;                      \
      default: function(8, s);                            \
    }                                                     \
  }
OF_LENGTH(by_rows)
OF_LENGTH(by_columns)

static void added_any(const oyi_gemm* g) {
  switch (g->n * 4 + g->m) {
    case 4 + 2: added(1, 2, g); break;
    case 4 + 3: added(1, 3, g); break;
    case 8 + 1: added(2, 1, g); break;
    case 8 + 2: added(2, 2, g); break;
    case 8 + 3: added(2, 3, g); break;
    case 12 + 1: added(3, 1, g); break;
    case 12 + 2: added(3, 2, g); break;
    default: added(3, 3, g);
  }
}

// Element |p| of what is multiplied with, for result |j|.
static void put_other(product* s, const uint16_t* from, int64_t step, int64_t next,
                      int64_t count) {
  memset(s->by, 0, sizeof(s->by));
  for (int64_t p = 0; p < s->g->k; p++)
    for (int64_t j = 0; j < count; j++)
      s->by[p][j] = oyi_bf16_to_float(from[p * step + j * next]);
}

static inline bool is_plain(const oyi_gemm* g) {
  return g->alpha.re == 1 && g->beta.re == 0;
}

bool oyi_gemm_short_bf16(const oyi_gemm* g) {
  enum { MANY = 32 };
  product s = {.g = g};
  const bool is_short = g->k >= 2 && g->k <= SHORT;
  if (!is_plain(g)) return false;
  if (is_short && g->m <= SHORT && g->n >= MANY && g->a_column == 1 && g->a_row == g->k &&
      (g->c_column == 1 || g->m == 1) && g->c_row == g->m) {
    choose_columns(s.columns, g->k);
    for (int i = 0; i < PAIRS; i++)
      for (int w = 0; w < WORDS; w++) {
        const int64_t at = i * WORDS + w, row = at / g->m, j = at % g->m;
        choose(&s.rows[i], w, row < ROWS ? j / 2 * WORDS + j % 2 * ROWS + row : 0);
      }
    put_other(&s, g->b, g->b_row, g->b_column, g->m);
    by_rows_k(g->k, &s);
    return true;
  }
  if (is_short && g->n <= SHORT && g->m >= MANY && g->b_row == 1 && g->b_column == g->k &&
      g->c_column == 1) {
    choose_columns(s.columns, g->k);
    put_other(&s, g->a, g->a_column, g->a_row, g->n);
    by_columns_k(g->k, &s);
    return true;
  }
  if (g->k >= 2 && g->k <= 2 * DEEP && g->m > SHORT && g->n >= ROWS && g->a_column == 1 &&
      g->b_column == 1 && g->c_column == 1) {
    by_wide(g);
    return true;
  }
  if (g->n <= 3 && g->m <= 3 && g->n * g->m > 1 && g->k >= MANY && g->a_row == 1 &&
      g->a_column == g->n && g->b_column == 1 && g->b_row == g->m) {
    added_any(g);
    return true;
  }
  return false;
}
