// SPDX-License-Identifier: Apache-2.0
// The moves of one CPU capability: LEVELED(name) is the name for it. gcc's -O3 makes vector
// code of rows that are turned round; it may not make calls of memcpy of the copies.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-tree-loop-distribute-patterns")
#endif
#include <stdbool.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "base/cpu.h"
#include "base/template.h"
#include "tensor/move.h"

#if defined(__AVX2__)
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif
enum { LINE = 64, BLOCK = 4 * VECTOR };

typedef char vector __attribute__((vector_size(VECTOR), aligned(1), may_alias));
// Elements may be several smaller ones, at any address.
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef uint8_t any_1 ANYWHERE;
typedef uint16_t any_2 ANYWHERE;
typedef uint32_t any_4 ANYWHERE;
typedef uint64_t any_8 ANYWHERE;
typedef struct __attribute__((packed, may_alias)) sixteen {
  uint64_t low, high;
} sixteen;

static inline void move_vector(char* to, const char* from) {
  *(vector*)to = *(const vector*)from;
}

// All is read before anything is written: the last block lies over what came before it.
static inline void move_block(char* to, const char* from) {
  const vector a = *(const vector*)from, b = *(const vector*)(from + VECTOR),
               c = *(const vector*)(from + 2 * VECTOR),
               d = *(const vector*)(from + 3 * VECTOR);
  *(vector*)to = a;
  *(vector*)(to + VECTOR) = b;
  *(vector*)(to + 2 * VECTOR) = c;
  *(vector*)(to + 3 * VECTOR) = d;
}

#include "tensor/move_copy_body.h"

// ------------------------------------------------------------------------ fills

#define REPEATED(T)                                               \
  do {                                                            \
    T one, all[VECTOR / sizeof(T)];                               \
    memcpy(&one, element, sizeof(T));                             \
    for (size_t i = 0; i < VECTOR / sizeof(T); i++) all[i] = one; \
    memcpy(&pattern, all, VECTOR);                                \
  } while (0)

static inline vector repeated(const char* element, size_t item) {
  vector pattern;
  switch (item) {
    case 1: REPEATED(uint8_t); break;
    case 2: REPEATED(uint16_t); break;
    case 4: REPEATED(uint32_t); break;
    case 8: REPEATED(uint64_t); break;
    default: REPEATED(sixteen); break;
  }
  return pattern;
}

static void fill(char* to, size_t n, const char* element, size_t item) {
  const vector pattern = repeated(element, item);
  if (n < VECTOR) {
    copy_short(to, (const char*)&pattern, n);
    return;
  }
  *(vector*)to = pattern;
  // Lines begin with an element, unless elements are not aligned.
  size_t i = VECTOR - (uintptr_t)to % VECTOR;
  if (i % item != 0) i = VECTOR;
  for (; i + BLOCK <= n; i += BLOCK)
    for (size_t k = 0; k < BLOCK; k += VECTOR) *(vector*)(to + i + k) = pattern;
  for (; i + VECTOR <= n; i += VECTOR) *(vector*)(to + i) = pattern;
  *(vector*)(to + n - VECTOR) = pattern;
}

// ------------------------------------------------------------------------- rows

#define ROWS(m, to, from)                \
  char* to = (m)->to;                    \
  const char* from = (m)->from;          \
  for (int64_t row = 0; row < (m)->rows; \
       row++, to += (m)->to_down, from += (m)->from_down)

// Planes, one by one.
#define PLANES(m, one) \
  oyi_move one = *(m); \
  for (; one.more >= 0; one.more--, one.to += one.to_over, one.from += one.from_over)

// Rows of one size, by the widest moves that divide it.
#define FIXED_ROWS(size, by)                                                      \
  static void rows_of_##size(const oyi_move* m) {                                 \
    typedef char part __attribute__((vector_size(by), aligned(1), may_alias));    \
    ROWS(m, to, from) {                                                           \
      part parts[(size) / (by)];                                                  \
      for (int k = 0; k < (size) / (by); k++)                                     \
        parts[k] = *(const part*)(from + k * (by));                               \
      for (int k = 0; k < (size) / (by); k++) *(part*)(to + k * (by)) = parts[k]; \
    }                                                                             \
  }
FIXED_ROWS(4, 4)
FIXED_ROWS(8, 8)
FIXED_ROWS(16, 16)
FIXED_ROWS(32, VECTOR)
FIXED_ROWS(64, VECTOR)

// Rows without gaps.
static void adjacent_rows(const oyi_move* m) {
  const size_t size = (size_t)m->n * m->item;
  switch (size) {
    case 4: rows_of_4(m); return;
    case 8: rows_of_8(m); return;
    case 16: rows_of_16(m); return;
    case 32: rows_of_32(m); return;
    case 64: rows_of_64(m); return;
    default: break;
  }
  if (m->to_down == (int64_t)size && m->from_down == (int64_t)size) {
    copy(m->to, m->from, size * (size_t)m->rows);
  } else if (size < 32) {
    ROWS(m, to, from) copy_short(to, from, size);
  } else if (size < 4 * BLOCK) {
    ROWS(m, to, from) copy_row(to, from, size);
  } else {
    ROWS(m, to, from) copy_long(to, from, size);
  }
}

// What fetches memory ahead by itself is late for several sources and a place to write to.
static void turns(char* to, oyi_row_source* sources, size_t count, int64_t rows) {
  enum { AHEAD = 4096 };
  for (int64_t row = 0; row < rows; row++)
    for (size_t k = 0; k < count; k++) {
      const size_t size = sources[k].size;
      const char* from = sources[k].from;
      for (size_t at = 0; at < size; at += LINE) __builtin_prefetch(from + AHEAD + at);
      if (size >= VECTOR && size <= BLOCK)
        copy_vectors(to, from, size);
      else
        copy(to, from, size);
      sources[k].from += size;
      to += size;
    }
}

#define TYPED(T, ID)                                                                  \
  /* Read from their ends on. */                                                      \
  static void turned_##ID(const oyi_move* m) {                                        \
    const int64_t n = m->n;                                                           \
    ROWS(m, to, from) {                                                               \
      T* restrict o = (T*)(void*)to;                                                  \
      const T* restrict a = (const T*)(const void*)from;                              \
      for (int64_t i = 0; i < n; i++) o[i] = a[-i];                                   \
    }                                                                                 \
  }                                                                                   \
  /* Every other one, as the parts of complex numbers. */                             \
  static void every_other_##ID(const oyi_move* m) {                                   \
    const int64_t n = m->n;                                                           \
    ROWS(m, to, from) {                                                               \
      T* restrict o = (T*)(void*)to;                                                  \
      const T* restrict a = (const T*)(const void*)from;                              \
      for (int64_t i = 0; i < n; i++) o[i] = a[2 * i];                                \
    }                                                                                 \
  }                                                                                   \
  static void pairs_##ID(char* to, const char* first, const char* second, size_t n) { \
    T* restrict o = (T*)(void*)to;                                                    \
    const T* restrict a = (const T*)(const void*)first;                               \
    const T* restrict b = (const T*)(const void*)second;                              \
    for (size_t i = 0; i < n; i++) {                                                  \
      o[2 * i] = a[i];                                                                \
      o[2 * i + 1] = b[i];                                                            \
    }                                                                                 \
  }                                                                                   \
  static void apart_##ID(const oyi_move* m) {                                         \
    const int64_t n = m->n, to_along = m->to_along, from_along = m->from_along;       \
    ROWS(m, to, from) {                                                               \
      OYI_UNROLL_BY(4)                                                                \
      for (int64_t i = 0; i < n; i++)                                                 \
        memcpy(to + i * to_along, from + i * from_along, sizeof(T));                  \
    }                                                                                 \
  }
TYPED(any_1, 1)
TYPED(any_2, 2)
TYPED(any_4, 4)
TYPED(any_8, 8)
TYPED(sixteen, 16)

#include "tensor/move_other_body.h"

// Rows of up to eight elements, as many of them from the first one on as up to the last one; one
// in the middle is moved twice.
#define TYPED_FEW(T, ID)                                                              \
  static inline __attribute__((always_inline)) void halves_##ID(const oyi_move* m,    \
                                                                const int64_t half) { \
    const int64_t along = m->from_along, rest = m->n - half;                          \
    PLANES(m, one) {                                                                  \
      ROWS(&one, to, from) {                                                          \
        OYI_UNROLL_BY(4)                                                              \
        for (int64_t i = 0; i < half; i++) {                                          \
          const int64_t k = rest + i;                                                 \
          memcpy(to + i * (int64_t)sizeof(T), from + i * along, sizeof(T));           \
          memcpy(to + k * (int64_t)sizeof(T), from + k * along, sizeof(T));           \
        }                                                                             \
      }                                                                               \
    }                                                                                 \
  }                                                                                   \
  static void few_##ID(const oyi_move* m) {                                           \
    switch ((m->n + 1) / 2) {                                                         \
      case 1: halves_##ID(m, 1); break;                                               \
      case 2: halves_##ID(m, 2); break;                                               \
      case 3: halves_##ID(m, 3); break;                                               \
      default: halves_##ID(m, 4); break;                                              \
    }                                                                                 \
  }
TYPED_FEW(any_1, 1)
TYPED_FEW(any_2, 2)
TYPED_FEW(any_4, 4)
TYPED_FEW(any_8, 8)
TYPED_FEW(sixteen, 16)

// Two at a time, in the order in which they are read, as memory is fetched ahead.
typedef uint64_t two_sixteens __attribute__((vector_size(32), aligned(1), may_alias));
static void turned_pairs(const oyi_move* m) {
  const int64_t n = m->n, item = sizeof(sixteen);
  ROWS(m, to, from) {
    const char* first = from - (n - 1) * item;
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
      const two_sixteens both = *(const two_sixteens*)(const void*)(first + i * item);
      *(two_sixteens*)(void*)(to + (n - 2 - i) * item) =
          __builtin_shufflevector(both, both, 2, 3, 0, 1);
    }
    if (i < n) memcpy(to, first + i * item, sizeof(sixteen));
  }
}

#include "tensor/move_short_body.h"

#define OF_ITEM(name, item, ...)              \
  do {                                        \
    switch (item) {                           \
      case 1: name##_1(__VA_ARGS__); break;   \
      case 2: name##_2(__VA_ARGS__); break;   \
      case 4: name##_4(__VA_ARGS__); break;   \
      case 8: name##_8(__VA_ARGS__); break;   \
      default: name##_16(__VA_ARGS__); break; \
    }                                         \
  } while (0)

#include "tensor/turn_body.h"

// Columns take the place of rows.
static oyi_move across(const oyi_move* m) {
  return (oyi_move){.item = m->item,
                    .n = m->rows,
                    .rows = m->n,
                    .to = m->to,
                    .from = m->from,
                    .to_along = m->to_down,
                    .to_down = m->to_along,
                    .from_along = m->from_down,
                    .from_down = m->from_along};
}

// Whether no element is written twice: what is written last stays, so that blocks may not
// change the order of those that are.
static inline bool is_apart(const oyi_move* m) {
  return m->to_down >= m->n * (int64_t)m->item;
}

static void pairs(char* to, const char* first, const char* second, size_t n,
                  size_t item) {
  OF_ITEM(pairs, item, to, first, second, n);
}

// An element of each of some rows at a time, which are near until all of theirs are moved.
static void columns(const oyi_move* m) {
  enum { NEAR = 1 << 14, LEAST = 8 };
  const int64_t to = m->to_down < 0 ? -m->to_down : m->to_down;
  const int64_t from = m->from_down < 0 ? -m->from_down : m->from_down;
  const int64_t down = to > from ? to : from, fit = down ? NEAR / down : m->rows;
  const int64_t most = fit > LEAST ? fit : LEAST;
  oyi_move some = across(m);
  for (int64_t row = 0; row < m->rows; row += most) {
    some.n = m->rows - row < most ? m->rows - row : most;
    OF_ITEM(apart, m->item, &some);
    some.to += most * m->to_down;
    some.from += most * m->from_down;
  }
}

// Each element of a row is in a line of its own, in which those of the next rows are.
static bool has_near_columns(const oyi_move* m) {
  enum { FEW = 8 };
  const int64_t along = m->from_along < 0 ? -m->from_along : m->from_along;
  const int64_t down = m->from_down < 0 ? -m->from_down : m->from_down;
  return m->rows >= FEW && along >= LINE && down < LINE && down > 0 && is_apart(m);
}

enum { SHORT = 8 };  // elements of rows that few_ has
static void rows(const oyi_move* m) {
  if (m->n == 0) return;
  const int64_t item = (int64_t)m->item;
  const bool whole = m->to_along == item, same = m->from_along == 0;
  if (m->n == 1 && m->rows > 1) {
    const oyi_move turned = across(m);
    rows(&turned);
  } else if (whole && m->from_along == item) {
    adjacent_rows(m);
  } else if (m->rows > 1 && whole && !same && m->from_down == item && is_apart(m) &&
             turn(m)) {
    return;
  } else if (m->rows > 1 && m->to_down == item && m->from_along == item) {
    const oyi_move turned = across(m);
    if (!is_apart(&turned) || !turn(&turned)) OF_ITEM(apart, m->item, m);
  } else if (m->rows > 1 && whole && m->from_along == -item && turned_short(m)) {
    return;
  } else if (whole && same && m->n == 2 && m->to_down == 2 * item &&
             m->from_down == item) {
    pairs(m->to, m->from, m->from, (size_t)m->rows, m->item);
  } else if (whole && same && m->n > 1 && m->rows > 1 && m->to_down == m->n * item &&
             m->to_down <= REPEATED_ROW) {
    repeat_short(m);
  } else if (m->n < SHORT && m->rows > m->n && whole && is_apart(m)) {
    OF_ITEM(few, m->item, m);
  } else if (m->n < SHORT && m->rows > m->n) {
    columns(m);
  } else if (whole && same) {
    ROWS(m, to, from) fill(to, (size_t)m->n * m->item, from, m->item);
  } else if (whole && m->from_along == -item && item == (int64_t)sizeof(sixteen) &&
             m->rows > 1) {
    turned_pairs(m);
  } else if (whole && m->from_along == -item) {
    OF_ITEM(turned, m->item, m);
  } else if (whole && m->from_along == 2 * item) {
    OF_ITEM(every_other, m->item, m);
  } else if (whole && m->from_along == -2 * item) {
    OF_ITEM(every_other_turned, m->item, m);
  } else if (has_near_columns(m)) {
    columns(m);
  } else {
    OF_ITEM(apart, m->item, m);
  }
}

static void planes(const oyi_move* m) {
  const int64_t item = (int64_t)m->item;
  const bool whole = m->to_along == item, turned = whole && m->from_down == item;
  if (turned && m->n * item < VECTOR && is_apart(m) && turn_narrow(m)) return;
  const int64_t along = item == (int64_t)sizeof(sixteen) ? LINE : VECTOR;
  const bool turns = turned && m->n * item >= along && m->rows * item >= LINE;
  if (m->n <= SHORT && whole && !turns && is_apart(m)) {
    OF_ITEM(few, m->item, m);
    return;
  }
  PLANES(m, one) {
    oyi_move plane = one;
    plane.more = 0;
    rows(&plane);
  }
}

#if defined(__AVX2__)
static void stream(char* to, const char* from, size_t n) {
  for (size_t i = 0; i < n; i += VECTOR)
    _mm256_stream_si256((__m256i*)(void*)(to + i),
                        _mm256_loadu_si256((const __m256i_u*)(const void*)(from + i)));
}
static void end_stream(void) {
  _mm_sfence();
}
#else
#define stream     NULL
#define end_stream NULL
#endif

const oyi_move_table LEVELED(oyi_moves) = {copy,  fill,  rows,   planes,
                                           pairs, turns, stream, end_stream};
