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

// Rows of several such parts, of which the last ones overlap. All of a part is read before it is
// written: a load whose address ends as that of a store before it waits for that.
#if defined(__AVX512F__)
enum { WIDE = 64 };
#else
enum { WIDE = 32 };
#endif
typedef uint64_t wide __attribute__((vector_size(WIDE), aligned(1), may_alias));
static inline __attribute__((always_inline)) void move_parts(char* to, const char* from,
                                                             const int parts) {
  wide all[8];
  for (int k = 0; k < parts; k++) all[k] = ((const wide*)(const void*)from)[k];
  for (int k = 0; k < parts; k++) ((wide*)(void*)to)[k] = all[k];
}
static inline __attribute__((always_inline)) void move_rows(
    int64_t n, char* to, const char* from, int64_t scale, const int64_t* numbers,
    int64_t bytes, const int parts) {
  const int64_t part = parts * WIDE;
  for (int64_t i = 0; i < n; i++, to += bytes) {
    const char* row = from + numbers[i] * scale;
    for (int64_t at = 0; at < bytes - part; at += part)
      move_parts(to + at, row + at, parts);
    move_parts(to + bytes - part, row + bytes - part, parts);
  }
}
#define LONG_ROWS(parts)                                                            \
  static void rows_of_##parts(int64_t n, char* to, const char* from, int64_t scale, \
                              const int64_t* numbers, int64_t bytes) {              \
    move_rows(n, to, from, scale, numbers, bytes, parts);                           \
  }
LONG_ROWS(1)
LONG_ROWS(2)
LONG_ROWS(4)
LONG_ROWS(8)

oyi_rows_fn LEVELED(oyi_rows_for)(int64_t bytes) {
  enum { MOST = 512 };
  if (bytes < 2 || bytes > MOST) return NULL;
  if (bytes >= 8 * WIDE) return rows_of_8;
  if (bytes >= 4 * WIDE) return rows_of_4;
  if (bytes >= 2 * WIDE) return rows_of_2;
  if (bytes > 64) return rows_of_1;
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
