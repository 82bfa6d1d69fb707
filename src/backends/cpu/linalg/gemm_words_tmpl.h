// SPDX-License-Identifier: Apache-2.0
// A product of small types. Given: T, the type in memory, and GROUP, how many make a word
// of 32 bits; OUT, the type of results; SUM, what they are added up in; ID; IN_PLACE,
// whether results are sums as they are; FLIP, the bits that change in words of a;
// DOT(sums, a, b), on vectors of 16 words; OFFSET, how often the sums of b's columns count
// before anything else; LOAD(x), STORE(w) and NUMBER(n), as in gemm_tmpl.h; LANES(at,
// mask), the elements there as a vector of words; WIDEN(at, mask) and NARROW(at, mask,
// sums), what LOAD and STORE are for 16 results; ACROSS, whether words of b are made as they
// are read where rows of a are no more than a tile has.
//
// Panels of b are packed in the order they are read, word by word, its columns side by
// side, and as many panels at a time as the caches hold. Rows of a are read where they
// lie, or copied where those of a tile would share too few places of the first cache; they
// are packed, side by side, if their own elements do not lie together. Of a one tile's rows
// are copied at a time where these panels are all of b, so that they stay in the first
// cache, else all of it.
typedef SUM OYI_JOIN(sums, ID) __attribute__((vector_size(64)));
#define SUMS OYI_JOIN(sums, ID)

#include "backends/cpu/linalg/gemm_words_pack_tmpl.h"

// A tile of |rows| x |vectors| registers, left at |to|, |to_row| numbers from row to row; its
// sums begin with |start|, one for each row.
static inline __attribute__((always_inline)) void OYI_JOIN(dots, ID)(
    const int rows, const int vectors, const word_tile* t, const SUM* start,
    SUM* restrict to, int64_t to_row) {
  SUMS low[WORD_ROWS], high[WORD_ROWS];
  OYI_UNROLL
  for (int i = 0; i < rows; i++) low[i] = high[i] = start[i] - (SUMS){0};
  // Of three rows each, which one address and one step reach.
  const char* a[(WORD_ROWS + 2) / 3];
  for (int i = 0; i < (rows + 2) / 3; i++) a[i] = t->a + 3 * i * t->a_row;
  const uint32_t* b = t->b;
  for (int64_t p = 0; p < t->words; p++, b += 16 * vectors) {
    const __m512i x = _mm512_loadu_si512(b);
    const __m512i y = vectors == 2 ? _mm512_loadu_si512(b + 16) : x;
    OYI_UNROLL
    for (int i = 0; i < rows; i++) {
      const __m512i by = _mm512_set1_epi32(word_at(a[i / 3] + i % 3 * t->a_row));
      low[i] = (SUMS)DOT(low[i], by, x);
      if (vectors == 2) high[i] = (SUMS)DOT(high[i], by, y);
    }
    OYI_UNROLL
    for (int i = 0; i < (rows + 2) / 3; i++) a[i] += t->a_step;
  }
  if (GROUP == 2 && t->has_half) {
    const __m512i x = _mm512_loadu_si512(b);
    const __m512i y = vectors == 2 ? _mm512_loadu_si512(b + 16) : x;
    OYI_UNROLL
    for (int i = 0; i < rows; i++) {
      const __m512i by = _mm512_set1_epi32(half_at(a[i / 3] + i % 3 * t->a_row));
      low[i] = (SUMS)DOT(low[i], by, x);
      if (vectors == 2) high[i] = (SUMS)DOT(high[i], by, y);
    }
  }
  OYI_UNROLL
  for (int i = 0; i < rows; i++, to += to_row) {
    _mm512_storeu_si512(to, (__m512i)low[i]);
    if (vectors == 2) _mm512_storeu_si512(to + 16, (__m512i)high[i]);
  }
}

// By the height and width of the panels: a few, so that little is computed for nothing.
static void OYI_JOIN(tile, ID)(const word_tile* t, const SUM* start, SUM* restrict to,
                               int64_t to_row) {
  switch (t->height + t->width) {
    case 4 + 16: OYI_JOIN(dots, ID)(4, 1, t, start, to, to_row); break;
    case 4 + 32: OYI_JOIN(dots, ID)(4, 2, t, start, to, to_row); break;
    case 8 + 16: OYI_JOIN(dots, ID)(8, 1, t, start, to, to_row); break;
    case 8 + 32: OYI_JOIN(dots, ID)(8, 2, t, start, to, to_row); break;
    case 12 + 16: OYI_JOIN(dots, ID)(12, 1, t, start, to, to_row); break;
    default: OYI_JOIN(dots, ID)(12, 2, t, start, to, to_row);
  }
}

// A product that is rounded before it is added to another: that compilers make one step of both in
// some loops would show where the same is computed in other ways.
static inline SUMS OYI_JOIN(rounded, ID)(SUMS product) {
  __asm__("" : "+v"(product));
  return product;
}

// Stores |rows| rows of sums that lie together in c, which counts |beta| times: all of it is read
// before the first row is written, since what lies just behind a part of a vector that was
// written would have to wait for it.
static inline __attribute__((always_inline)) void OYI_JOIN(put_rows, ID)(
    OUT* to, int64_t step, int64_t rows, int64_t columns, const SUMS* sums, SUM alpha,
    SUM beta) {
  SUMS added[2 * WORD_ROWS];
  if (beta != 0)
    for (int64_t i = 0; i < rows; i++)
      for (int64_t v = 0; 16 * v < columns; v++)
        added[2 * i + v] = OYI_JOIN(rounded, ID)(
            beta * (SUMS)WIDEN(to + i * step + 16 * v, first_lanes(columns - 16 * v)));
  for (int64_t i = 0; i < rows; i++, to += step, sums += 2)
    for (int64_t v = 0; 16 * v < columns; v++) {
      OUT* at = to + 16 * v;
      SUMS value = OYI_JOIN(rounded, ID)(sums[v] * alpha);
      if (beta != 0) value += added[2 * i + v];
      if (columns - 16 * v >= 16)
        NARROW_ALL(at, value);
      else
        NARROW(at, first_lanes(columns - 16 * v), value);
    }
}

// Up to 16 sums that do not lie together in c.
static inline void OYI_JOIN(put_apart, ID)(OUT* to, int64_t step, int64_t count,
                                           SUMS sums, SUM alpha, SUM beta) {
  SUMS value = OYI_JOIN(rounded, ID)(sums * alpha), added = {0};
  if (beta != 0) {
    for (int64_t j = 0; j < count; j++) added[j] = (SUM)LOAD(to[j * step]);
    value += OYI_JOIN(rounded, ID)(beta * added);
  }
  for (int64_t j = 0; j < count; j++) to[j * step] = (OUT)STORE(value[j]);
}

// Stores a tile's sums; what c held before counts |beta| times.
static void OYI_JOIN(put, ID)(const oyi_gemm* g, int64_t i0, int64_t rows, int64_t j0,
                              int64_t columns, const SUMS* sums) {
  const SUM alpha = (SUM)NUMBER(g->alpha), beta = (SUM)NUMBER(g->beta);
  OUT* to = (OUT*)g->c + i0 * g->c_row + j0 * g->c_column;
  if (g->c_column == 1 && alpha == 1 && beta == 0)
    OYI_JOIN(put_rows, ID)(to, g->c_row, rows, columns, sums, 1, 0);
  else if (g->c_column == 1)
    OYI_JOIN(put_rows, ID)(to, g->c_row, rows, columns, sums, alpha, beta);
  else
    for (int64_t i = 0; i < rows; i++, to += g->c_row)
      for (int64_t j = 0; j < columns; j += 16) {
        const int64_t count = columns - j < 16 ? columns - j : 16;
        OYI_JOIN(put_apart, ID)
        (to + j * g->c_column, g->c_column, count, sums[2 * i + j / 16], alpha, beta);
      }
}

// What the rows of a tile begin with: their own sums, |OFFSET| times.
static inline void OYI_JOIN(begin, ID)(const word_tile* t, SUM start[WORD_ROWS]) {
  memset(start, 0, WORD_ROWS * sizeof(SUM));
  if (OFFSET == 0) return;
  const __m512i ones = _mm512_set1_epi32(0x01010101);
  if (t->a_row == 4) {  // packed: side by side
    SUMS sums = {0};
    const __mmask16 there = first_lanes(t->height);
    for (int64_t p = 0; p < t->words; p++)
      sums = (SUMS)DOT(sums, _mm512_maskz_loadu_epi32(there, t->a + p * t->a_step), ones);
    for (int64_t i = 0; i < t->height; i++) start[i] = sums[i] * (SUM)OFFSET;
    return;
  }
  for (int64_t i = 0; i < t->height; i += 4) {
    SUMS sums[4] = {{0}};
    for (int64_t p = 0; p < t->words; p += 16) {
      const __mmask16 there = first_lanes(t->words - p);
      const char* from = t->a + i * t->a_row + 4 * p;
      OYI_UNROLL
      for (int r = 0; r < 4; r++, from += t->a_row)
        sums[r] = (SUMS)DOT(sums[r], _mm512_maskz_loadu_epi32(there, from), ones);
    }
    add_across(sums, (uint32_t)OFFSET, start + i);
  }
}

typedef struct OYI_JOIN(product, ID) {
  const oyi_gemm* g;
  int64_t words;
  int64_t pitch;    // words from row to row of a where they are copied; 0: packed
  bool direct;      // rows of a are read where they are
  bool once;        // and each but once, since all columns of b are packed together
  bool plain;       // results are the sums themselves, in rows that lie together
  uint32_t *a, *b;  // packed
} OYI_JOIN(product, ID);

// The rows of a from |i| on, packed for the first columns if they have to be.
static word_tile OYI_JOIN(rows_at, ID)(const OYI_JOIN(product, ID) * s, int64_t i,
                                       int64_t rows, bool first) {
  const oyi_gemm* g = s->g;
  const T* from = (const T*)g->a + i * g->a_row;
  const int64_t height = (rows + 3) / 4 * 4;
  word_tile t = {.a = (const char*)from,
                 .a_row = g->a_row * (int64_t)sizeof(T),
                 .a_step = 4,
                 .height = height,
                 .words = s->words};
  if (s->direct && rows == height) {
    t.words = g->k / GROUP, t.has_half = g->k % GROUP != 0;
    return t;
  }
  const int64_t row = s->pitch ? s->pitch : s->words;
  uint32_t* to = s->a + (s->direct || s->once ? 0 : i * row);
  const PANEL panel = {from, g->a_row, g->a_column, rows, height, g->k, 0, to};
  t.a = (const char*)to;
  t.a_row = s->pitch ? 4 * s->pitch : 4;
  t.a_step = s->pitch ? 4 : 4 * height;
  if (first || s->direct) {
    if (s->pitch)
      OYI_JOIN(copy_rows, ID)(&panel, s->pitch);
    else
      OYI_JOIN(pack, ID)(&panel);
  }
  return t;
}

// Packs |columns| of b from |j0| on.
static void OYI_JOIN(pack_columns, ID)(const OYI_JOIN(product, ID) * s, int64_t j0,
                                       int64_t columns) {
  const oyi_gemm* g = s->g;
  const T* from = (const T*)g->b + j0 * g->b_column;
  int64_t j = 0;
  if (g->b_column == 1 && columns >= 2 * WIDE) {
    j = columns / WIDE * WIDE;
    OYI_JOIN(pack_wide, ID)(&(PANEL){from, 1, g->b_row, j, WIDE, g->k, FLIP, s->b});
  }
  for (; j < columns; j += WIDE) {
    const int64_t left = columns - j < WIDE ? columns - j : WIDE;
    const PANEL panel = {
        from + j * g->b_column, g->b_column, g->b_row, left,
        left > 16 ? WIDE : 16,  g->k,        FLIP,     s->b + j * s->words};
    OYI_JOIN(pack, ID)(&panel);
  }
}

// Asks for what the machine does not foresee, while a tile of |rows| x |columns| from
// row |i| on is computed: its results, and a part of the rows of a that come next, unless they
// were copied for the first columns.
static inline void OYI_JOIN(ask, ID)(const OYI_JOIN(product, ID) * s, int64_t i,
                                     const SUM* results, bool first, int64_t j,
                                     int64_t columns) {
  const oyi_gemm* g = s->g;
  if (s->words < WORTH_ASKING) return;
  for (int64_t r = 0; results && r < WORD_ROWS && i + r < g->n; r++)
    prefetch_row((uintptr_t)(results + r * g->c_row), WIDE * sizeof(SUM));
  if (g->a_column != 1 || (!s->direct && !first)) return;
  const uintptr_t row = (uintptr_t)g->a_row * sizeof(T);
  const uintptr_t panels = ((uintptr_t)columns + WIDE - 1) / WIDE;
  const uintptr_t part = (4 * (uintptr_t)s->words / panels + 63) & ~(uintptr_t)63;
  uintptr_t next = (uintptr_t)g->a + (uintptr_t)(i + WORD_ROWS) * row;
  next += (uintptr_t)(j / WIDE) * part;
  for (int64_t r = WORD_ROWS; r < 2 * WORD_ROWS && i + r < g->n; r++, next += row)
    prefetch_far(next, part);
}

// The results of |columns| from |j0| on, which are packed together.
static void OYI_JOIN(columns, ID)(const OYI_JOIN(product, ID) * s, int64_t j0,
                                  int64_t columns) {
  const oyi_gemm* g = s->g;
  SUMS sums[2 * WORD_ROWS];
  SUM start[WORD_ROWS];
  OYI_JOIN(pack_columns, ID)(s, j0, columns);
  for (int64_t i = 0; i < g->n; i += WORD_ROWS) {
    const int64_t rows = g->n - i < WORD_ROWS ? g->n - i : WORD_ROWS;
    word_tile t = OYI_JOIN(rows_at, ID)(s, i, rows, j0 == 0);
    OYI_JOIN(begin, ID)(&t, start);
    for (int64_t j = 0; j < columns; j += WIDE) {
      const int64_t left = columns - j < WIDE ? columns - j : WIDE;
      t.width = left > 16 ? WIDE : 16;
      t.b = s->b + j * s->words;
      const bool there = IN_PLACE && s->plain && rows == t.height && left == t.width;
      SUM* to = there ? (SUM*)g->c + i * g->c_row + j0 + j : (SUM*)sums;
      OYI_JOIN(ask, ID)(s, i, there ? to : NULL, j0 == 0, j, columns);
      OYI_JOIN(tile, ID)(&t, start, to, there ? g->c_row : WIDE);
      if (!there) OYI_JOIN(put, ID)(g, i, rows, j0 + j, left, sums);
    }
  }
}

// Two registers of columns of b, of which |there| are, by the rows of a tile.
static inline __attribute__((always_inline)) void OYI_JOIN(dots_across, ID)(
    const int rows, const oyi_gemm* g, const word_tile* t, int64_t j, SUMS* sums) {
  SUMS low[WORD_ROWS], high[WORD_ROWS];
  OYI_UNROLL
  for (int i = 0; i < rows; i++) low[i] = high[i] = (SUMS){0};
  const T* from = (const T*)g->b + j;
  const char* a[(WORD_ROWS + 2) / 3];
  for (int i = 0; i < (rows + 2) / 3; i++) a[i] = t->a + 3 * i * t->a_row;
  const __mmask16 left = first_lanes(g->m - j), right = first_lanes(g->m - j - 16);
  const __m512i flip = _mm512_set1_epi32(FLIP);
  const int64_t step = g->b_row, last = g->k % GROUP;
  for (int64_t p = 0; p < t->words; p++, from += GROUP * step) {
    const bool whole = last == 0 || p + 1 < t->words;
    const __m512i x = whole ? OYI_JOIN(across, ID)(from, step, GROUP, left, flip)
                            : OYI_JOIN(across, ID)(from, step, last, left, flip);
    const __m512i y = whole ? OYI_JOIN(across, ID)(from + 16, step, GROUP, right, flip)
                            : OYI_JOIN(across, ID)(from + 16, step, last, right, flip);
    // The columns that come next: rows lie too far apart to be foreseen.
    OYI_UNROLL
    for (int i = 0; i < GROUP; i++)
      prefetch_row((uintptr_t)(from + i * step + WIDE), WIDE * sizeof(T));
    OYI_UNROLL
    for (int i = 0; i < rows; i++) {
      const __m512i by = _mm512_set1_epi32(word_at(a[i / 3] + i % 3 * t->a_row));
      low[i] = (SUMS)DOT(low[i], by, x);
      high[i] = (SUMS)DOT(high[i], by, y);
    }
    OYI_UNROLL
    for (int i = 0; i < (rows + 2) / 3; i++) a[i] += t->a_step;
  }
  OYI_UNROLL
  for (int i = 0; i < rows; i++) sums[2 * i] = low[i], sums[2 * i + 1] = high[i];
}

// All rows of a, no more than a tile has, by b where it lies: words of b are not kept, since none
// is read twice.
static __attribute__((noinline)) void OYI_JOIN(by_across,
                                               ID)(const OYI_JOIN(product, ID) * s) {
  const oyi_gemm* g = s->g;
  const word_tile t = OYI_JOIN(rows_at, ID)(s, 0, g->n, true);
  for (int64_t j = 0; j < g->m; j += WIDE) {
    SUMS sums[2 * WORD_ROWS];
    switch (t.height) {
      case 4: OYI_JOIN(dots_across, ID)(4, g, &t, j, sums); break;
      case 8: OYI_JOIN(dots_across, ID)(8, g, &t, j, sums); break;
      default: OYI_JOIN(dots_across, ID)(12, g, &t, j, sums);
    }
    OYI_JOIN(put, ID)(g, 0, g->n, j, g->m - j < WIDE ? g->m - j : WIDE, sums);
  }
}

static oy_status OYI_JOIN(words, ID)(const oyi_gemm* g) {
  const int64_t words = (g->k + GROUP - 1) / GROUP;
  const bool together = g->a_column == 1;
  const bool across = ACROSS && g->n <= WORD_ROWS && g->b_column == 1;
  // A half of a word costs less than a copy of its row, but for those that are read many times.
  const bool is_whole = g->k % GROUP == 0 || (GROUP == 2 && !across && g->m <= 4 * WIDE);
  const bool direct = together && is_whole && can_read(g->a_row * (int64_t)sizeof(T));
  const int64_t pitch = together ? pitch_of(words) : 0,
                step = across ? 0 : columns_together(words, g->m);
  const bool once = across || g->m <= step;
  const int64_t rows = direct || once ? WORD_ROWS : (g->n + 3) / 4 * 4;
  uint32_t local[4096] __attribute__((aligned(64)));
  size_t size;
  if (__builtin_mul_overflow((size_t)(rows + step),
                             (size_t)(pitch ? pitch : words) * sizeof(uint32_t), &size))
    return OY_FAIL(OUT_OF_MEMORY, "a matrix product of this size cannot be packed");
  void* context = NULL;
  uint32_t* packed = size <= sizeof(local) ? local : oyi_data_alloc(size, &context);
  if (!packed) return OY_OUT_OF_MEMORY;
  const bool plain = IN_PLACE && g->c_column == 1 && (SUM)NUMBER(g->alpha) == 1 &&
                     (SUM)NUMBER(g->beta) == 0;
  const OYI_JOIN(product, ID)
      s = {g, words, pitch, direct, once, plain, packed + step * words, packed};
  if (across) OYI_JOIN(by_across, ID)(&s);
  for (int64_t j = 0; !across && j < g->m; j += step)
    OYI_JOIN(columns, ID)(&s, j, g->m - j < step ? g->m - j : step);
  if (packed != local) oyi_data_free(context, packed);
  return OY_OK;
}
#undef SUMS
#undef PANEL
