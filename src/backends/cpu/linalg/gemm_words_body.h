// SPDX-License-Identifier: Apache-2.0
// What all products by words (gemm_words_tmpl.h) use, whatever the type.
#include <immintrin.h>

#include "backends/cpu/linalg/gemm_across_body.h"
#include "backends/cpu/linalg/gemm_words.h"
#include "base/template.h"
#include "tensor/block_cache.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

// 12 x 2 accumulators of 32 registers; panels of b that are packed together, at most, and
// their bytes: as many as the second cache and a part of the third hold, since each is read
// but once for 12 rows of a, in order.
enum { WORD_ROWS = 12, WIDE = 32, WORD_PANELS = 24, WORD_CACHE = 2 << 20 };
// How far ahead rows of b are asked for as they are packed; words of a tile above which it is
// worth asking for what belongs to it.
enum { LINES_AHEAD = 8, WORTH_ASKING = 64 };

static inline __mmask16 first_lanes(int64_t count) {
  return (__mmask16)(count >= 16 ? 0xffff : count > 0 ? (1u << count) - 1 : 0);
}
static inline __mmask64 first_bytes(int64_t count) {
  return count >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << count) - 1;
}

// A tile of sums: rows of a where they lie or packed, |a_row| bytes apart, their words
// |a_step| bytes apart, and columns of b, packed.
typedef struct word_tile {
  const char* a;
  int64_t a_row, a_step;
  const uint32_t* b;
  int64_t height, width, words;
  bool
      has_half;  // and half a word of rows of a where they lie, behind which is something else
} word_tile;

// Addresses may lie outside of what there is: asking never fails.
static inline __attribute__((always_inline)) void prefetch_row(uintptr_t at,
                                                               uintptr_t bytes) {
  OYI_UNROLL
  for (uintptr_t i = 0; i < bytes; i += 64)
    _mm_prefetch((const char*)(at + i), _MM_HINT_T0);
}
// Into the second cache.
static inline void prefetch_far(uintptr_t at, uintptr_t bytes) {
  for (uintptr_t i = 0; i < bytes; i += 64)
    _mm_prefetch((const char*)(at + i), _MM_HINT_T1);
}

static inline int half_at(const char* at) {
  uint16_t half;
  memcpy(&half, at, sizeof(half));
  return half;
}
static inline int word_at(const char* at) {
  int word;
  memcpy(&word, at, sizeof(word));
  return word;
}

// Whether rows of a, |step| bytes apart, are as good where they are as copied: not where the
// first cache has 12 of them in the same eight places.
static inline bool can_read(int64_t step) {
  return step % 4096 != 0;
}

// Words from one row of a to the next where they are copied: whole lines, in an odd number, so
// that rows do not share places of the first cache.
static inline int64_t pitch_of(int64_t words) {
  return ((words + 15) / 16 | 1) * 16;
}

// Columns of b, whole panels of 32.
static inline int64_t columns_together(int64_t words, int64_t columns) {
  const int64_t all = (columns + 31) / 32;
  int64_t panels = words > 0 ? WORD_CACHE / (32 * (int64_t)sizeof(uint32_t) * words) : 1;
  if (panels > WORD_PANELS) panels = WORD_PANELS;
  if (panels > all) panels = all;
  return 32 * (panels < 1 ? 1 : panels);
}

// The sums of each of four vectors, |times| times.
static inline __attribute__((always_inline)) void add_across(const void* four,
                                                             uint32_t times, void* to) {
  __m512i v[4];
  memcpy(v, four, sizeof(v));
  _mm_storeu_si128(to, _mm_mullo_epi32(across_4_i32(v), _mm_set1_epi32((int)times)));
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
