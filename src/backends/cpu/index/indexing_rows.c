// SPDX-License-Identifier: Apache-2.0
// Short rows by number, such as those of embeddings: a call for each of them takes longer than
// its bytes.
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
static void rows_long(int64_t n, char* to, const char* from, int64_t scale,
                      const int64_t* numbers, int64_t bytes) {
  enum { PART = 64 };
  for (int64_t i = 0; i < n; i++, to += bytes) {
    const char* row = from + numbers[i] * scale;
    for (int64_t at = 0; at < bytes - PART; at += PART) memcpy(to + at, row + at, PART);
    memcpy(to + bytes - PART, row + bytes - PART, PART);
  }
}

oyi_rows_fn oyi_rows_for(int64_t bytes) {
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
