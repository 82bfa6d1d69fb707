// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 of many short rows by AVX512_BF16, and of few columns: the tiles of
// gemm_bf16_v4.c would be empty for the most part. Sixteen rows at once are turned to columns
// in registers, so that what is added up lies side by side.
#include <immintrin.h>
#include <string.h>

#include "backends/cpu/linalg/gemm_words.h"
#include "base/template.h"
#include "tensor/half.h"

enum { SHORT = 8, LONG = 64, ROWS = 16, WORDS = 32, PAIRS = SHORT / 2 };

static inline __mmask32 first_words(int64_t count) {
  return count >= WORDS ? ~(__mmask32)0 : count > 0 ? ((__mmask32)1 << count) - 1 : 0;
}

// Where the words of vectors come from: the first two vectors by |at[0]|, then each of the
// others with what was found before.
typedef struct choice {
  __m512i at[PAIRS];
} choice;

static inline __m512i all_words(int64_t x) {
  return _mm512_set1_epi16((int16_t)x);
}
// Numbers from |first| on, one in each word.
static inline __m512i counted(int64_t first) {
  static const int16_t from[WORDS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                      22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  return _mm512_add_epi16(_mm512_loadu_si512(from), all_words(first));
}

// Each word is found in its place of |places| in the vectors that follow each other.
static inline void choose(choice* c, __m512i places) {
  const __m512i own = counted(0), width = all_words(WORDS);
  c->at[0] = places;
  OYI_UNROLL_BY(4)
  for (int s = 1; s < PAIRS; s++) {
    const __m512i within = _mm512_sub_epi16(places, all_words((s + 1) * WORDS));
    const __mmask32 here = _mm512_cmplt_epu16_mask(within, width);
    c->at[s] = _mm512_mask_add_epi16(own, here, within, width);
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
  const __m512i rows = _mm512_mullo_epi16(_mm512_srli_epi16(counted(0), 1), all_words(k));
  for (int64_t p = 0; p < k; p++) choose(&c[p], _mm512_add_epi16(rows, all_words(p)));
}

// Rows of |m|, of sixteen rows whose even and odd columns are halves of vectors.
static void choose_rows(choice* c, int64_t m) {
  const __m512i inverse = all_words((1 << 15) / m + 1), columns = all_words(m);
  for (int i = 0; i < PAIRS; i++) {
    const __m512i at = counted(i * WORDS);
    const __m512i row = _mm512_mulhi_epu16(_mm512_add_epi16(at, at), inverse);
    const __m512i j = _mm512_sub_epi16(at, _mm512_mullo_epi16(row, columns));
    choose(&c[i], _mm512_add_epi16(_mm512_slli_epi16(j, 4), row));
  }
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
  choice columns[SHORT];  // of the operand with short rows
  choice rows[PAIRS];     // of results
  choice added[SHORT];    // of what is added to them
  float alpha, beta;
  bool plain;  // results are sums as they are
  // The other operand: [p][j] counts for column p and result j, or two columns.
  union {
    float by[SHORT][SHORT];
    int32_t pairs[LONG / 2][SHORT];
  };
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

// Words of rows that are whole are not written under a mask: what is read next behind these, as
// what is added is, would have to wait for them.
static inline void put_words(uint16_t* to, int64_t left, __m512i words) {
  if (left >= WORDS)
    _mm512_storeu_si512(to, words);
  else if (left == WORDS / 2)
    _mm256_storeu_si256((__m256i*)(void*)to, _mm512_castsi512_si256(words));
  else
    _mm512_mask_storeu_epi16(to, first_words(left), words);
}

static inline __attribute__((always_inline)) void put_rows(const int vectors,
                                                           const product* s,
                                                           const __m512i* sums,
                                                           int64_t words, uint16_t* to) {
  OYI_UNROLL_BY(4)
  for (int i = 0; i < vectors; i++)
    put_words(to + i * WORDS, words - i * WORDS, chosen(vectors, sums, &s->rows[i]));
}

// What sums of |m| columns become beside the results at |at|.
static inline __attribute__((always_inline)) void add_rows(const int m, const product* s,
                                                           const uint16_t* at,
                                                           int64_t rows, __m512* sums) {
  const __m512 alpha = _mm512_set1_ps(s->alpha), beta = _mm512_set1_ps(s->beta);
  __m512 was[SHORT];
  turn(m, at, rows, s->added, was);
  OYI_UNROLL_BY(8)
  for (int j = 0; j < m; j++)
    sums[j] = _mm512_fmadd_ps(sums[j], alpha, _mm512_mul_ps(was[j], beta));
}
static __attribute__((noinline)) void add_some(const product* s, const uint16_t* at,
                                               int64_t rows, __m512* sums) {
  switch (s->g->m) {
    case 1: add_rows(1, s, at, rows, sums); break;
    case 2: add_rows(2, s, at, rows, sums); break;
    case 3: add_rows(3, s, at, rows, sums); break;
    case 4: add_rows(4, s, at, rows, sums); break;
    case 5: add_rows(5, s, at, rows, sums); break;
    case 6: add_rows(6, s, at, rows, sums); break;
    case 7: add_rows(7, s, at, rows, sums); break;
    default: add_rows(8, s, at, rows, sums);
  }
}

// Puts |rows| rows of |m| sums, and one that is not looked at where |m| is odd.
static inline __attribute__((always_inline)) void put_sums(const product* s, __m512* sums,
                                                           int64_t rows, uint16_t* to) {
  const int64_t m = s->g->m;
  __m512i words[PAIRS];
  if (s->beta != 0)
    add_some(s, to, rows, sums);
  else if (!s->plain)
    for (int64_t j = 0; j < m; j++)
      sums[j] = _mm512_mul_ps(sums[j], _mm512_set1_ps(s->alpha));
  for (int64_t j = 0; j < m; j += 2)
    words[j / 2] = (__m512i)_mm512_cvtne2ps_pbh(sums[j + 1], sums[j]);
  switch ((m + 1) / 2) {
    case 1: put_rows(1, s, words, rows * m, to); break;
    case 2: put_rows(2, s, words, rows * m, to); break;
    case 3: put_rows(3, s, words, rows * m, to); break;
    default: put_rows(4, s, words, rows * m, to);
  }
}

static inline __attribute__((always_inline)) void by_rows(const int k, const product* s) {
  const oyi_gemm* g = s->g;
  const uint16_t* from = g->a;
  uint16_t* to = g->c;
  const int64_t m = g->m;
  for (int64_t i = 0; i < g->n; i += ROWS, from += ROWS * k, to += ROWS * m) {
    const int64_t rows = g->n - i < ROWS ? g->n - i : ROWS;
    __m512 columns[SHORT], sums[SHORT];
    turn(k, from, rows, s->columns, columns);
    for (int64_t j = 0; j < m; j += 2) {
      sums[j] = sum_of(k, columns, s, j);
      sums[j + 1] = sum_of(k, columns, s, j + 1);
    }
    put_sums(s, sums, rows, to);
  }
}

// Sixteen numbers of rows |p| and |p + 1| of what lies across, side by side.
static inline __attribute__((always_inline)) __m512i pairs_at(const oyi_gemm* g,
                                                              const uint16_t* from,
                                                              int64_t p,
                                                              __mmask16 there) {
  const __mmask16 next = p + 1 < g->k ? there : 0;
  const uint16_t* at = from + p * g->a_column;
  const __m256i even = _mm256_maskz_loadu_epi16(there, at);
  const __m256i odd = _mm256_maskz_loadu_epi16(next, next ? at + g->a_column : at);
  return _mm512_or_si512(_mm512_cvtepu16_epi32(even),
                         _mm512_slli_epi32(_mm512_cvtepu16_epi32(odd), 16));
}

// Rows that lie across, so that their columns need not be turned.
static inline __attribute__((always_inline)) void by_across(const int m,
                                                            const product* s) {
  const oyi_gemm* g = s->g;
  const uint16_t* from = g->a;
  uint16_t* to = g->c;
  for (int64_t i = 0; i < g->n; i += ROWS, from += ROWS, to += ROWS * m) {
    const int64_t rows = g->n - i < ROWS ? g->n - i : ROWS;
    __m512 sums[SHORT];
    OYI_UNROLL_BY(8)
    for (int j = 0; j < SHORT; j++) sums[j] = _mm512_setzero_ps();
    for (int64_t p = 0; p < g->k; p += 2) {
      const __m512bh x = (__m512bh)pairs_at(g, from, p, (__mmask16)first_words(rows));
      OYI_UNROLL_BY(8)
      for (int j = 0; j < m; j++)
        sums[j] =
            _mm512_dpbf16_ps(sums[j], x, (__m512bh)_mm512_set1_epi32(s->pairs[p / 2][j]));
    }
    put_sums(s, sums, rows, to);
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

// ------------------------------------------------------------------ the choice

#define OF_LENGTH(function)                                 \
  static void function##_any(int64_t k, const product* s) { \
    switch (k) {                                            \
      case 1: function(1, s); break;                        \
      case 2: function(2, s); break;                        \
      case 3: function(3, s); break;                        \
      case 4: function(4, s); break;                        \
      case 5: function(5, s); break;                        \
      case 6: function(6, s); break;                        \
      case 7: function(7, s); break;                        \
      default: function(8, s);                              \
    }                                                       \
  }
OF_LENGTH(by_rows)
OF_LENGTH(by_columns)
OF_LENGTH(by_across)

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

// Fills in what results become; the rest of |s| is not looked at before it is filled in.
static void begin(product* s, const oyi_gemm* g) {
  s->g = g;
  s->alpha = (float)g->alpha.re, s->beta = (float)g->beta.re;
  s->plain = s->alpha == 1 && s->beta == 0;
}

static void put_other(product* s, const uint16_t* from, int64_t step, int64_t next,
                      int64_t count) {
  memset(s->by, 0, sizeof(s->by));
  for (int64_t p = 0; p < s->g->k; p++)
    for (int64_t j = 0; j < count; j++)
      s->by[p][j] = oyi_bf16_to_float(from[p * step + j * next]);
}
static void put_pairs(product* s) {
  const oyi_gemm* g = s->g;
  const uint16_t* b = g->b;
  for (int64_t p = 0; p < g->k; p += 2)
    for (int64_t j = 0; j < g->m; j++) {
      const uint16_t* at = b + p * g->b_row + j * g->b_column;
      const uint32_t next = p + 1 < g->k ? at[g->b_row] : 0;
      s->pairs[p / 2][j] = (int32_t)(at[0] | next << 16);
    }
}

static __attribute__((noinline)) void put_by_rows(const oyi_gemm* g) {
  product s;
  begin(&s, g);
  if (s.beta != 0) choose_columns(s.added, g->m);
  choose_rows(s.rows, g->m);
  if (g->a_row == 1 && g->k > 1) {
    put_pairs(&s);
    by_across_any(g->m, &s);
  } else {
    put_other(&s, g->b, g->b_row, g->b_column, g->m);
    choose_columns(s.columns, g->k);
    by_rows_any(g->k, &s);
  }
}
static __attribute__((noinline)) void put_by_columns(const oyi_gemm* g) {
  product s;
  begin(&s, g);
  put_other(&s, g->a, g->a_column, g->a_row, g->n);
  choose_columns(s.columns, g->k);
  by_columns_any(g->k, &s);
}

// Whether rows of up to eight results follow each other, and so do those of a, or its columns.
static inline bool are_rows(const oyi_gemm* g) {
  if (g->k < 1 || g->n < ROWS || g->m > SHORT || (g->c_column != 1 && g->m > 1) ||
      g->c_row != g->m)
    return false;
  return g->a_row == 1 && g->k > 1
             ? g->k <= (g->n < 2 * ROWS ? SHORT : LONG)
             : g->k <= SHORT && g->a_row == g->k && (g->a_column == 1 || g->k == 1);
}

bool oyi_gemm_short_bf16(const oyi_gemm* g) {
  enum { MANY = 32 };
  const bool is_plain = g->alpha.re == 1 && g->beta.re == 0;
  if (are_rows(g))
    put_by_rows(g);
  else if (is_plain && g->k >= 1 && g->k <= SHORT && g->n <= SHORT && g->m >= MANY &&
           g->b_row == 1 && g->b_column == g->k && g->c_column == 1)
    put_by_columns(g);
  else if (is_plain && g->n <= 3 && g->m <= 3 && g->n * g->m > 1 && g->k >= MANY &&
           g->a_row == 1 && g->a_column == g->n && g->b_column == 1 && g->b_row == g->m)
    added_any(g);
  else
    return false;
  return true;
}
