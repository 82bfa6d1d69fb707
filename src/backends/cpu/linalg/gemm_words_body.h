// SPDX-License-Identifier: Apache-2.0
// What all products by words (gemm_words_tmpl.h) use, whatever the type.
#include <immintrin.h>

#include "backends/cpu/linalg/gemm_words.h"
#include "base/template.h"
#include "tensor/block_cache.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(16)

// 12 x 2 accumulators of 32 registers; panels of b that are packed together, at most, and
// their bytes; rows of a for which b is not packed if it need not be.
enum { WORD_ROWS = 12, WORD_PANELS = 16, WORD_CACHE = 512 << 10, FEW_ROWS = 64 };
// Words of columns that lie in rows of their own, of which the machine foresees nothing.
enum { WORDS_AHEAD = 16 };

static inline __mmask16 first_lanes(int64_t count) {
  return (__mmask16)(count >= 16 ? 0xffff : count > 0 ? (1u << count) - 1 : 0);
}
static inline __mmask64 first_bytes(int64_t count) {
  return count >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << count) - 1;
}

// A tile of sums: rows of a where they lie or packed, |a_row| bytes apart, their words
// |a_step| bytes apart, and columns of b, packed but for great types.
typedef struct word_tile {
  const char* a;
  int64_t a_row, a_step;
  const uint32_t* b;
  int64_t b_step;  // from one word of a column to the next, in words
  int64_t ahead;   // of columns where they lie: what is asked for early, in bytes
  int64_t height, width, words;
} word_tile;

// |lines| cache lines, into the second cache: rows may share few places of the first.
static inline __attribute__((always_inline)) void prefetch_lines(uintptr_t at,
                                                                 int lines) {
  _mm_prefetch((const char*)at, _MM_HINT_T1);
  if (lines == 2) _mm_prefetch((const char*)at + 64, _MM_HINT_T1);
}

static inline int word_at(const char* at) {
  int word;
  memcpy(&word, at, sizeof(word));
  return word;
}

// Whether rows of a, |step| bytes apart, are as good where they are as side by side: not
// where the first cache has them all in the same few places.
static inline bool can_read(int64_t step) {
  return step % 2048 != 0;
}

// Columns of b, whole panels of 32.
static inline int64_t columns_together(int64_t words, int64_t columns) {
  const int64_t all = (columns + 31) / 32;
  int64_t panels = words > 0 ? WORD_CACHE / (32 * (int64_t)sizeof(uint32_t) * words) : 1;
  if (panels > WORD_PANELS) panels = WORD_PANELS;
  if (panels > all) panels = all;
  return 32 * (panels < 1 ? 1 : panels);
}

// Sixteen words of four lanes: |count| of them, at most, go to |to|, lanes side by side.
static inline __attribute__((always_inline)) void store_squares(const __m512i rows[4],
                                                                uint32_t* to,
                                                                int64_t width,
                                                                int64_t count) {
  const __m512i a = _mm512_unpacklo_epi32(rows[0], rows[1]);
  const __m512i b = _mm512_unpackhi_epi32(rows[0], rows[1]);
  const __m512i c = _mm512_unpacklo_epi32(rows[2], rows[3]);
  const __m512i d = _mm512_unpackhi_epi32(rows[2], rows[3]);
  // Word 4 q + r of all lanes is in part q of the r-th.
  const __m512i squares[4] = {_mm512_unpacklo_epi64(a, c), _mm512_unpackhi_epi64(a, c),
                              _mm512_unpacklo_epi64(b, d), _mm512_unpackhi_epi64(b, d)};
#define STORE_PART(q)                                             \
  OYI_UNROLL                                                      \
  for (int r = 0; r < 4; r++)                                     \
    if (4 * (q) + r < count)                                      \
  _mm_storeu_si128((__m128i*)(void*)(to + (4 * (q) + r) * width), \
                   _mm512_extracti32x4_epi32(squares[r], q))
  STORE_PART(0);
  STORE_PART(1);
  STORE_PART(2);
  STORE_PART(3);
#undef STORE_PART
}
