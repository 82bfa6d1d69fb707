// SPDX-License-Identifier: Apache-2.0
// Running extremes of short lines of eight bytes each, eight of them at a time: in three steps
// each learns what is best of all before it, where one after the other waits for the one before.
#include <immintrin.h>

#include "backends/cpu/order/scan_extreme.h"

enum { LANES = 8, STEPS = 3 };

// What is best up to some element: its key, of which the greatest is looked for, its bits and
// its place.
typedef struct best {
  __m512i key, bits, place;
} best;

// Those of |earlier| whose keys are greater.
static inline void keep(best* now, const best* earlier) {
  const __mmask8 stays = _mm512_cmpgt_epi64_mask(earlier->key, now->key);
  now->key = _mm512_mask_mov_epi64(now->key, stays, earlier->key);
  now->bits = _mm512_mask_mov_epi64(now->bits, stays, earlier->bits);
  now->place = _mm512_mask_mov_epi64(now->place, stays, earlier->place);
}

static inline best permuted(const best* b, __m512i from) {
  return (best){_mm512_permutexvar_epi64(from, b->key),
                _mm512_permutexvar_epi64(from, b->bits),
                _mm512_permutexvar_epi64(from, b->place)};
}

// Doubles as whole numbers of the same order (ordered.h).
static inline __m512i ordered(__m512i bits, bool is_least) {
  const __m512i magnitude = _mm512_and_epi64(bits, _mm512_set1_epi64(INT64_MAX));
  const __m512i sign = _mm512_srai_epi64(bits, 63);
  const __m512i turn = is_least ? _mm512_set1_epi64(-1) : _mm512_setzero_si512();
  const __m512i key =
      _mm512_xor_epi64(_mm512_sub_epi64(_mm512_xor_epi64(magnitude, sign), sign), turn);
  const __mmask8 is_nan =
      _mm512_cmpgt_epi64_mask(magnitude, _mm512_set1_epi64(0x7ff0000000000000));
  return _mm512_mask_set1_epi64(key, is_nan, INT64_MAX);
}

static inline __attribute__((always_inline)) __m512i key_of(__m512i bits, bool is_float,
                                                            bool is_least) {
  if (is_float) return ordered(bits, is_least);
  return is_least ? _mm512_xor_epi64(bits, _mm512_set1_epi64(-1)) : bits;
}

// Lanes that are |step| further down; those without one stay, and keep() then has no effect.
static inline __m512i earlier_lanes(int step) {
  const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  const __mmask8 have = (__mmask8)(0xff << step);
  return _mm512_mask_sub_epi64(lanes, have, lanes, _mm512_set1_epi64(step));
}

static inline __attribute__((always_inline)) void one_line(const int64_t* x, int64_t* y,
                                                           int64_t* at, int64_t n,
                                                           bool is_float, bool is_least) {
  const __m512i last = _mm512_set1_epi64(LANES - 1), eight = _mm512_set1_epi64(LANES);
  const __m512i before[STEPS] = {earlier_lanes(1), earlier_lanes(2), earlier_lanes(4)};
  __m512i places = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  best top;
  for (int64_t i = 0; i < n; i += LANES, places = _mm512_add_epi64(places, eight)) {
    const __mmask8 mask = n - i < LANES ? (__mmask8)((1u << (n - i)) - 1) : 0xff;
    const __m512i bits = _mm512_maskz_loadu_epi64(mask, x + i);
    best now = {key_of(bits, is_float, is_least), bits, places};
    for (int s = 0; s < STEPS; s++) {
      const best earlier = permuted(&now, before[s]);
      keep(&now, &earlier);
    }
    if (i > 0) keep(&now, &top);
    _mm512_mask_storeu_epi64(y + i, mask, now.bits);
    _mm512_mask_storeu_epi64(at + i, mask, now.place);
    if (i + LANES < n) top = permuted(&now, last);
  }
}

static inline __attribute__((always_inline)) void lines(const oyi_extreme_lines* e,
                                                        bool is_float, bool is_least) {
  for (int64_t l = 0; l < e->lines; l++)
    one_line((const int64_t*)(const void*)(e->x + l * e->x_line),
             (int64_t*)(void*)(e->y + l * e->y_line),
             (int64_t*)(void*)(e->at + l * e->at_line), e->n, is_float, is_least);
}

void oyi_extremes_short_v4(bool is_float, const oyi_extreme_lines* e) {
  if (is_float)
    e->is_least ? lines(e, true, true) : lines(e, true, false);
  else
    e->is_least ? lines(e, false, true) : lines(e, false, false);
}
