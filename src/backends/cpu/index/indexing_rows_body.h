// SPDX-License-Identifier: Apache-2.0
// Short rows by number of one CPU capability: LEVELED(name) is the name for it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <string.h>

#include "backends/cpu/index/indexing.h"

// As many bytes as registers have, at the beginning of a row and at its end, where both parts
// overlap but for rows of twice as many.
#define ROWS(part)                                                              \
  static void rows_##part(int64_t n, char* to, const char* from, int64_t scale, \
                          const int64_t* numbers, int64_t bytes) {              \
    for (int64_t i = 0; i < n; i++, to += bytes) {                              \
      const char* row = from + numbers[i] * scale;                              \
      char first[part], last[part];                                             \
      memcpy(first, row, part);                                                 \
      memcpy(last, row + bytes - part, part);                                   \
      memcpy(to, first, part);                                                  \
      memcpy(to + bytes - part, last, part);                                    \
    }                                                                           \
  }                                                                             \
  static void row_##part(int64_t n, char* to, const char* from, int64_t scale,  \
                         const int64_t* numbers, int64_t bytes) {               \
    for (int64_t i = 0; i < n; i++, to += bytes)                                \
      memcpy(to, from + numbers[i] * scale, part);                              \
  }
ROWS(2)
ROWS(4)
ROWS(8)
ROWS(16)
ROWS(32)
#undef ROWS

// Rows of several such parts, of which the last ones overlap.
typedef uint64_t wide __attribute__((vector_size(32), aligned(1), may_alias));
static inline void move_two(char* to, const char* from) {
  const wide first = *(const wide*)(const void*)from;
  const wide last = *(const wide*)(const void*)(from + sizeof(wide));
  *(wide*)(void*)to = first;
  *(wide*)(void*)(to + sizeof(wide)) = last;
}
static void rows_long(int64_t n, char* to, const char* from, int64_t scale,
                      const int64_t* numbers, int64_t bytes) {
  enum { PART = 2 * sizeof(wide) };
  for (int64_t i = 0; i < n; i++, to += bytes) {
    const char* row = from + numbers[i] * scale;
    for (int64_t at = 0; at < bytes - PART; at += PART) move_two(to + at, row + at);
    move_two(to + bytes - PART, row + bytes - PART);
  }
}

oyi_rows_fn LEVELED(oyi_rows_for)(int64_t bytes) {
  enum { MOST = 512 };
  if (bytes < 2 || bytes > MOST) return NULL;
  if (bytes > 64) return rows_long;
  switch (bytes) {
    case 2: return row_2;
    case 4: return row_4;
    case 8: return row_8;
    case 16: return row_16;
    case 32: return row_32;
    default: break;
  }
  if (bytes < 4) return rows_2;
  if (bytes < 8) return rows_4;
  if (bytes < 16) return rows_8;
  return bytes < 32 ? rows_16 : rows_32;
}
