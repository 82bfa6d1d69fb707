// SPDX-License-Identifier: Apache-2.0
// Products of float for AVX-512 by tiles that read rows of a where they lie, and of b too
// if there are few of a. A word is an element.
#include "backends/cpu/linalg/gemm_words_body.h"
#define T                      float
#define OUT                    float
#define IN_PLACE               1
#define GROUP                  1
#define SUM                    float
#define ID                     f32
#define FLIP                   0
#define OFFSET                 0
#define ACROSS                 0
#define LOAD(x)                (x)
#define STORE(x)               (x)
#define NUMBER(x)              ((x).re)
#define LANES(at, mask)        _mm512_maskz_loadu_epi32(mask, at)
#define WIDEN(at, mask)        _mm512_maskz_loadu_ps(mask, at)
#define NARROW(at, mask, sums) _mm512_mask_storeu_ps(at, mask, (__m512)(sums))
#define NARROW_ALL(at, sums)   _mm512_storeu_ps(at, (__m512)(sums))
#define DOT(sums, a, b)        _mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(sums))
#include "backends/cpu/linalg/gemm_words_tmpl.h"

// Few rows do not make up for packing: a tile reads what it needs where it lies.
typedef struct few {
  const char *a, *b;
  float* c;
  int64_t a_row, a_step, b_row, c_row;  // in bytes, but for c
  int64_t depth, height;
  uintptr_t ahead;    // rows of b that are asked for early, in bytes; 0: none
  float alpha, beta;  // how often sums count, and |was|; 0: it is not read
  const float* was;   // what is added to the result: itself, or rows that lie elsewhere
  int64_t was_row;
  const float* by_row;  // what each row of the result has added; NULL: nothing
  __mmask16 low, high;
  bool asks;  // for the rows below
} few;

static inline __attribute__((always_inline)) void put_row(float* to, __mmask16 there,
                                                          __m512 value) {
  if (there == 0xffff)
    _mm512_storeu_ps(to, value);
  else
    _mm512_mask_storeu_ps(to, there, value);
}

// Of the tile below what is added and results: where these begin alike within their pages, loads
// wait for stores, and those for memory.
static inline __attribute__((always_inline)) void ask_for_rows(const int rows,
                                                               const int vectors,
                                                               const few* t) {
  uintptr_t was = (uintptr_t)t->was, to = (uintptr_t)t->c;
  const uintptr_t was_row = 4 * (uintptr_t)t->was_row, row = 4 * (uintptr_t)t->c_row;
  was += (uintptr_t)rows * was_row, to += (uintptr_t)rows * row;
  OYI_UNROLL
  for (int i = 0; i < rows; i++, was += was_row, to += row)
    for (int v = 0; v < vectors; v++) {
      __builtin_prefetch((const char*)(was + 64 * (uintptr_t)v), 0);
      __builtin_prefetch((const char*)(to + 64 * (uintptr_t)v), 1);
    }
}

static inline __attribute__((always_inline)) void few_dots(const int rows,
                                                           const int vectors,
                                                           const few* t) {
  __m512 low[WORD_ROWS], high[WORD_ROWS];
  OYI_UNROLL
  for (int i = 0; i < rows; i++) low[i] = high[i] = _mm512_setzero_ps();
  // Of three rows each, which one address and one step reach.
  const char *a[(WORD_ROWS + 2) / 3], *row = t->a, *b = t->b;
  for (int i = 0; i < (rows + 2) / 3; i++, row += 3 * t->a_row) a[i] = row;
  const uintptr_t ahead = t->ahead;
  if (t->asks) ask_for_rows(rows, vectors, t);
  for (int64_t p = t->depth; p > 0; p--, b += t->b_row) {
    const __m512 x = _mm512_maskz_loadu_ps(t->low, b);
    const __m512 y = vectors == 2 ? _mm512_maskz_loadu_ps(t->high, b + 64) : x;
    // Into the second cache: rows may share few places of the first.
    if (ahead) prefetch_far((uintptr_t)b + ahead, 64 * (uintptr_t)vectors);
    OYI_UNROLL
    for (int i = 0; i < rows; i++) {
      const __m512 by =
          _mm512_castsi512_ps(_mm512_set1_epi32(word_at(a[i / 3] + i % 3 * t->a_row)));
      low[i] = _mm512_fmadd_ps(by, x, low[i]);
      if (vectors == 2) high[i] = _mm512_fmadd_ps(by, y, high[i]);
    }
    OYI_UNROLL
    for (int i = 0; i < (rows + 2) / 3; i++) a[i] += t->a_step;
  }
  float* to = t->c;
  if (t->alpha != 1) {
    const __m512 alpha = _mm512_set1_ps(t->alpha);
    OYI_UNROLL
    for (int i = 0; i < rows; i++)
      low[i] = _mm512_mul_ps(low[i], alpha), high[i] = _mm512_mul_ps(high[i], alpha);
  }
  if (t->beta != 0) {
    // Both are rounded before they are added, as tiles of words have them.
    const __m512 one = _mm512_set1_ps(1), beta = _mm512_set1_ps(t->beta);
    const float* at = t->was;
    OYI_UNROLL
    for (int i = 0; i < rows; i++, at += t->was_row) {
      const __m512 was = _mm512_mul_ps(beta, _mm512_maskz_loadu_ps(t->low, at));
      low[i] = _mm512_fmadd_ps(low[i], one, was);
      if (vectors == 2)
        high[i] = _mm512_fmadd_ps(
            high[i], one, _mm512_mul_ps(beta, _mm512_maskz_loadu_ps(t->high, at + 16)));
    }
  }
  if (t->by_row) {
    OYI_UNROLL
    for (int i = 0; i < rows; i++) {
      const __m512 value = _mm512_set1_ps(t->by_row[i]);
      low[i] = _mm512_add_ps(low[i], value), high[i] = _mm512_add_ps(high[i], value);
    }
  }
  OYI_UNROLL
  for (int i = 0; i < rows; i++, to += t->c_row) {
    put_row(to, t->low, low[i]);
    if (vectors == 2) put_row(to + 16, t->high, high[i]);
  }
}

#define FEW(rows, vectors)                                                     \
  static __attribute__((noinline)) void few_##rows##_##vectors(const few* t) { \
    few_dots(rows, vectors, t);                                                \
  }
FEW(4, 1)
FEW(4, 2)
FEW(8, 1)
FEW(8, 2)
FEW(12, 1)
FEW(12, 2)

// Numbers of b that stay in the first cache; of results that caches hold.
enum { SMALL = 4096, MANY = 1 << 20 };

// Columns of one panel from |j| on, of rows from |i| to before |end|: all that are left, or a
// multiple of what the tallest tile has.
static void few_panel(const oyi_gemm* g, few* t, const float* was, const float* by_row,
                      int64_t i, int64_t end, int64_t j) {
  static void (*const tiles[3][2])(const few*) = {
      {few_4_1, few_4_2}, {few_8_1, few_8_2}, {few_12_1, few_12_2}};
  t->low = first_lanes(g->m - j);
  t->high = first_lanes(g->m - j - 16);
  t->b = (const char*)((const float*)g->b + j);
  for (; i < end; i += t->height) {
    const int64_t left = g->n - i;
    t->height = left > 8 ? 12 : left > 4 ? 8 : 4;
    if (t->height > g->n) t->height -= 4;
    const int64_t first = left < t->height ? g->n - t->height : i;
    t->a = (const char*)((const float*)g->a + first * g->a_row);
    t->c = (float*)g->c + first * g->c_row + j;
    t->was = was + first * t->was_row + j;
    t->by_row = by_row ? by_row + first : NULL;
    tiles[t->height / 4 - 1][t->high != 0](t);
  }
}

// Tiles of the last rows reach back over rows that are done: what they give is the same. Where
// c is read itself there must be none such: heights are multiples of 4.
static void few_f32(const oyi_gemm* g, const float* by_row) {
  enum { FAR = 64 };  // rows of b that do not stay in the first cache
  const float* was = g->added ? g->added : g->c;
  few t = {.a_row = 4 * g->a_row,
           .a_step = 4 * g->a_column,
           .b_row = 4 * g->b_row,
           .c_row = g->c_row,
           .depth = g->k,
           .ahead = g->k > FAR ? 64 * (uintptr_t)g->b_row : 0,
           .alpha = (float)g->alpha.re,
           .beta = (float)g->beta.re,
           .asks = g->added && g->beta.re != 0,
           .was_row = g->added ? g->added_row : g->c_row};
  // Where all of b stays in the first cache c is written row by row.
  enum { TALLEST = 12 };
  const int64_t some = g->k * g->m <= SMALL ? TALLEST : g->n;
  for (int64_t i = 0; i < g->n; i += some)
    for (int64_t j = 0; j < g->m; j += WIDE)
      few_panel(g, &t, was, by_row, i, g->n - i < some ? g->n : i + some, j);
}

// Whether all of b is read where it lies: packing it once takes as long as reading it this
// way for some hundred rows, but where a panel leaves the first cache; one that stays there is
// not worth packing for any, nor is all of b where that would take a copy of what is added.
static inline bool is_few(const oyi_gemm* g, bool takes_small) {
  enum { FEW_ROWS = 64, SOME_ROWS = 384, SHORT_DEPTH = 64, SOME_DEPTH = 512 };
  const bool small = g->m <= WIDE ? g->k <= SHORT_DEPTH
                                  : takes_small && g->added && g->k * g->m <= SMALL;
  const bool stays = small && can_read(4 * g->a_row);
  return g->n >= 4 && (stays || g->n <= (g->k <= SOME_DEPTH ? SOME_ROWS : FEW_ROWS)) &&
         g->b_column == 1 && g->c_column == 1 &&
         (g->beta.re == 0 || g->n % 4 == 0 || g->added);
}

// Whether inner products take less than packing b, which does not lie as it is read.
static inline bool is_inner(const oyi_gemm* g) {
  enum { SHORT = 64, LONG = 256 };
  return g->n <= SHORT && g->m <= SHORT && g->k >= LONG && g->a_column == 1 &&
         g->b_row == 1;
}

// Without packing, where that takes less: false otherwise, with nothing done.
static inline bool in_place(const oyi_gemm* g, const float* by_row) {
  if (is_inner(g))
    oyi_gemm_inner_f32(g, by_row);
  else if (is_few(g, true))
    few_f32(g, by_row);
  else
    return false;
  return true;
}

// Parts of it, of some rows, take the same way. Of more results than caches hold a copy takes less.
bool oyi_gemm_words_f32_reads_added(const oyi_gemm* g, int64_t results) {
  oyi_gemm apart = *g;
  apart.added = g->c;
  return g->k >= 2 && g->b_row != 1 && is_few(&apart, results <= MANY);
}

oy_status oyi_gemm_words_f32(const oyi_gemm* g) {
  return in_place(g, NULL) ? OY_OK : words_f32(g);
}

bool oyi_gemm_words_f32_by_row(const oyi_gemm* g, const float* by_row) {
  return in_place(g, by_row);
}
