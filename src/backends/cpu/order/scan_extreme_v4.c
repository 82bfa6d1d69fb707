// SPDX-License-Identifier: Apache-2.0
// Running extremes of short lines of eight bytes each, eight of them at a time: in three steps
// each learns what is best of all before it, where one after the other waits for the one before.
// Of narrower ones sixteen, of several lines if they are so short. And lines that are neighbours,
// if they are so few that a vector has an element of each.
#include <immintrin.h>

#include "backends/cpu/order/scan_extreme.h"
#include "base/template.h"

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

// Doubles as whole numbers of the same order (ordered.h). |turn| has the bits that turn it: where
// compilers know them they negate into a register that they wait for.
static inline __m512i ordered(__m512i bits, __m512i turn) {
  const __m512i magnitude = _mm512_and_epi64(bits, _mm512_set1_epi64(INT64_MAX));
  const __m512i sign = _mm512_srai_epi64(bits, 63);
  const __m512i key =
      _mm512_xor_epi64(_mm512_sub_epi64(_mm512_xor_epi64(magnitude, sign), sign), turn);
  const __mmask8 is_nan =
      _mm512_cmpgt_epi64_mask(magnitude, _mm512_set1_epi64(0x7ff0000000000000));
  return _mm512_mask_set1_epi64(key, is_nan, INT64_MAX);
}

static inline __attribute__((always_inline)) __m512i key_of(__m512i bits, bool is_float,
                                                            __m512i turn) {
  return is_float ? ordered(bits, turn) : _mm512_xor_epi64(bits, turn);
}

// Lanes that are |step| further down; those without one stay, and keep() then has no effect.
static inline __m512i earlier_lanes(int step) {
  const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  const __mmask8 have = (__mmask8)(0xff << step);
  return _mm512_mask_sub_epi64(lanes, have, lanes, _mm512_set1_epi64(step));
}

static inline __attribute__((always_inline)) void one_line(const int64_t* x, int64_t* y,
                                                           int64_t* at, int64_t n,
                                                           bool is_float, __m512i turn) {
  const __m512i last = _mm512_set1_epi64(LANES - 1), eight = _mm512_set1_epi64(LANES);
  const __m512i before[STEPS] = {earlier_lanes(1), earlier_lanes(2), earlier_lanes(4)};
  __m512i places = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  best top;
  for (int64_t i = 0; i < n; i += LANES, places = _mm512_add_epi64(places, eight)) {
    const __mmask8 mask = n - i < LANES ? (__mmask8)((1u << (n - i)) - 1) : 0xff;
    const __m512i bits = _mm512_maskz_loadu_epi64(mask, x + i);
    best now = {key_of(bits, is_float, turn), bits, places};
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

static inline __attribute__((always_inline)) void wide_lines(const oyi_extreme_lines* e,
                                                             bool is_float) {
  const __m512i turn = _mm512_set1_epi64(e->is_least ? -1 : 0);
  for (int64_t l = 0; l < e->lines; l++)
    one_line((const int64_t*)(const void*)(e->x + l * e->x_line),
             (int64_t*)(void*)(e->y + l * e->y_line),
             (int64_t*)(void*)(e->at + l * e->at_line), e->n, is_float, turn);
}

// -------------------------------------------------------------------------- narrow ones

#define IN_LINE static inline __attribute__((always_inline))

enum { MANY = 16, MANY_STEPS = 4 };

// Sixteen elements of some lines: the lanes that are 1, 2, 4 and 8 before each, or itself where
// that is another line's; the first of its line, and bits for all from that one to itself.
typedef struct lanes {
  __m512i before[MANY_STEPS], start, up_to;
} lanes;

static lanes lanes_of(int64_t n) {
  int32_t before[MANY_STEPS][MANY], start[MANY], up_to[MANY];
  lanes l;
  for (int32_t i = 0; i < MANY; i++) {
    start[i] = n < MANY ? i - i % (int32_t)n : 0;
    up_to[i] = (2 << i) - (1 << start[i]);
    for (int s = 0; s < MANY_STEPS; s++)
      before[s][i] = i - (1 << s) < start[i] ? i : i - (1 << s);
  }
  for (int s = 0; s < MANY_STEPS; s++) l.before[s] = _mm512_loadu_si512(before[s]);
  l.start = _mm512_loadu_si512(start);
  l.up_to = _mm512_loadu_si512(up_to);
  return l;
}

// Known where it is used, as no table is.
IN_LINE int64_t item_of(const oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_U8:
    case OY_DTYPE_I8: return 1;
    case OY_DTYPE_I16:
    case OY_DTYPE_F16:
    case OY_DTYPE_BF16: return 2;
    default: return 4;
  }
}

IN_LINE __m512i load(const char* x, __mmask16 mask, const oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_U8: return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, x));
    case OY_DTYPE_I8: return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, x));
    case OY_DTYPE_I16:
    case OY_DTYPE_F16:
    case OY_DTYPE_BF16: return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(mask, x));
    default: return _mm512_maskz_loadu_epi32(mask, x);
  }
}

IN_LINE void store(char* y, __mmask16 mask, __m512i bits, const oy_dtype dtype) {
  if (item_of(dtype) == 1)
    _mm512_mask_cvtepi32_storeu_epi8(y, mask, bits);
  else if (item_of(dtype) == 2)
    _mm512_mask_cvtepi32_storeu_epi16(y, mask, bits);
  else
    _mm512_mask_storeu_epi32(y, mask, bits);
}

// As above.
IN_LINE __m512i narrow_key(__m512i bits, const oy_dtype dtype, __m512i turn) {
  const int infinity = dtype == OY_DTYPE_F32    ? 0x7f800000
                       : dtype == OY_DTYPE_BF16 ? 0x7f80
                                                : 0x7c00;
  if (dtype != OY_DTYPE_F32 && dtype != OY_DTYPE_BF16 && dtype != OY_DTYPE_F16)
    return _mm512_xor_epi32(bits, turn);
  const __m512i sign = _mm512_srai_epi32(bits, 31);
  const __m512i magnitude = _mm512_and_epi32(
      bits, _mm512_set1_epi32(dtype == OY_DTYPE_F32 ? INT32_MAX : INT16_MAX));
  const __m512i number = _mm512_sub_epi32(_mm512_xor_epi32(magnitude, sign), sign);
  const __mmask16 is_nan =
      _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(infinity));
  return _mm512_mask_set1_epi32(_mm512_xor_epi32(number, turn), is_nan, INT32_MAX);
}

// The greatest of each lane and those before it in its line.
IN_LINE __m512i running(__m512i x, const lanes* l, const int steps) {
  OYI_UNROLL_BY(4)
  for (int s = 0; s < steps; s++)
    x = _mm512_max_epi32(x, _mm512_permutexvar_epi32(l->before[s], x));
  return x;
}

// The last lane of its line up to each that is one of |some|; the first always is.
IN_LINE __m512i last_of(__mmask16 some, const lanes* l) {
  const __m512i here = _mm512_and_epi32(_mm512_set1_epi32(some), l->up_to);
  return _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(here));
}

IN_LINE void put_places(int64_t* at, __mmask16 mask, __m512i places) {
  enum { HALF = MANY / 2 };
  const __m256i low = _mm512_castsi512_si256(places);
  const __m256i high = _mm512_extracti64x4_epi64(places, 1);
  _mm512_mask_storeu_epi64(at, (__mmask8)mask, _mm512_cvtepi32_epi64(low));
  _mm512_mask_storeu_epi64(at + HALF, (__mmask8)(mask >> HALF),
                           _mm512_cvtepi32_epi64(high));
}

// |n| elements, of one line or, at most MANY, of some.
IN_LINE void narrow_line(const lanes* l, const char* x, char* y, int64_t* at, int64_t n,
                         const oy_dtype dtype, __m512i turn, const int steps) {
  const int64_t item = item_of(dtype);
  const __m512i last = _mm512_set1_epi32(MANY - 1);
  __m512i top = last, top_bits = last, top_place = last;
  for (int64_t i = 0; i < n; i += MANY) {
    const __mmask16 mask = n - i < MANY ? (__mmask16)((1u << (n - i)) - 1) : 0xffff;
    const __m512i bits = load(x + i * item, mask, dtype);
    const __m512i key = narrow_key(bits, dtype, turn);
    __m512i most = running(key, l, steps);
    const __m512i from = last_of(_mm512_cmpeq_epi32_mask(key, most), l);
    __m512i value = _mm512_permutexvar_epi32(from, bits);
    __m512i place =
        _mm512_add_epi32(_mm512_sub_epi32(from, l->start), _mm512_set1_epi32((int)i));
    if (i > 0) {
      const __mmask16 stays = _mm512_cmpgt_epi32_mask(top, most);
      most = _mm512_mask_mov_epi32(most, stays, top);
      value = _mm512_mask_mov_epi32(value, stays, top_bits);
      place = _mm512_mask_mov_epi32(place, stays, top_place);
    }
    store(y + i * item, mask, value, dtype);
    put_places(at + i, mask, place);
    top = _mm512_permutexvar_epi32(last, most);
    top_bits = _mm512_permutexvar_epi32(last, value);
    top_place = _mm512_permutexvar_epi32(last, place);
  }
}

IN_LINE void narrow_lines(const oyi_extreme_lines* e, const oy_dtype dtype) {
  const __m512i turn = _mm512_set1_epi32(e->is_least ? -1 : 0);
  const int64_t size = e->n * item_of(dtype);
  const bool follow = e->x_line == size && e->y_line == size && e->at_line == e->n * 8;
  const int64_t most = follow && e->n < MANY ? MANY / e->n : 1;
  const lanes of_lines = lanes_of(e->n);
  for (int64_t l = 0, some; l < e->lines; l += some) {
    some = e->lines - l < most ? e->lines - l : most;
    const char* x = e->x + l * e->x_line;
    char* y = e->y + l * e->y_line;
    int64_t* at = (int64_t*)(void*)(e->at + l * e->at_line);
    if (e->n <= MANY / 2)
      narrow_line(&of_lines, x, y, at, some * e->n, dtype, turn, MANY_STEPS - 1);
    else
      narrow_line(&of_lines, x, y, at, some * e->n, dtype, turn, MANY_STEPS);
  }
}

void oyi_extremes_short_v4(oy_dtype dtype, const oyi_extreme_lines* e) {
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8: narrow_lines(e, OY_DTYPE_U8); return;
    case OY_DTYPE_I8: narrow_lines(e, OY_DTYPE_I8); return;
    case OY_DTYPE_I16: narrow_lines(e, OY_DTYPE_I16); return;
    case OY_DTYPE_I32: narrow_lines(e, OY_DTYPE_I32); return;
    case OY_DTYPE_F16: narrow_lines(e, OY_DTYPE_F16); return;
    case OY_DTYPE_BF16: narrow_lines(e, OY_DTYPE_BF16); return;
    case OY_DTYPE_F32: narrow_lines(e, OY_DTYPE_F32); return;
    case OY_DTYPE_I64: wide_lines(e, false); return;
    default: wide_lines(e, true);
  }
}

// ------------------------------------------------------------------------ neighbours

IN_LINE void wide_columns(const oyi_extreme_lines* e, bool is_float) {
  const __m512i turn = _mm512_set1_epi64(e->is_least ? -1 : 0),
                one = _mm512_set1_epi64(1);
  const __mmask8 mask = (__mmask8)((1u << e->lines) - 1);
  const char* x = e->x;
  char *y = e->y, *at = e->at;
  __m512i top = _mm512_set1_epi64(INT64_MIN), here = _mm512_setzero_si512();
  __m512i value = here, place = here;
  for (int64_t i = 0; i < e->n; i++) {
    const __m512i bits = _mm512_maskz_loadu_epi64(mask, x);
    const __m512i key = key_of(bits, is_float, turn);
    const __mmask8 wins = _mm512_cmpge_epi64_mask(key, top);
    top = _mm512_max_epi64(top, key);
    value = _mm512_mask_mov_epi64(value, wins, bits);
    place = _mm512_mask_mov_epi64(place, wins, here);
    _mm512_mask_storeu_epi64(y, mask, value);
    _mm512_mask_storeu_epi64(at, mask, place);
    here = _mm512_add_epi64(here, one);
    x += e->x_step, y += e->y_step, at += e->at_step;
  }
}

IN_LINE void narrow_columns(const oyi_extreme_lines* e, const oy_dtype dtype) {
  const __m512i turn = _mm512_set1_epi32(e->is_least ? -1 : 0),
                one = _mm512_set1_epi32(1);
  const __mmask16 mask = (__mmask16)((1u << e->lines) - 1);
  const bool is_half = e->lines <= MANY / 2;
  const char* x = e->x;
  char *y = e->y, *at = e->at;
  __m512i top = _mm512_set1_epi32(INT32_MIN), here = _mm512_setzero_si512();
  __m512i value = here, place = here;
  for (int64_t i = 0; i < e->n; i++) {
    const __m512i bits = load(x, mask, dtype);
    const __m512i key = narrow_key(bits, dtype, turn);
    const __mmask16 wins = _mm512_cmpge_epi32_mask(key, top);
    top = _mm512_max_epi32(top, key);
    value = _mm512_mask_mov_epi32(value, wins, bits);
    place = _mm512_mask_mov_epi32(place, wins, here);
    store(y, mask, value, dtype);
    if (is_half)
      _mm512_mask_storeu_epi64(at, (__mmask8)mask,
                               _mm512_cvtepi32_epi64(_mm512_castsi512_si256(place)));
    else
      put_places((int64_t*)(void*)at, mask, place);
    here = _mm512_add_epi32(here, one);
    x += e->x_step, y += e->y_step, at += e->at_step;
  }
}

void oyi_extremes_few_v4(oy_dtype dtype, const oyi_extreme_lines* e) {
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8: narrow_columns(e, OY_DTYPE_U8); return;
    case OY_DTYPE_I8: narrow_columns(e, OY_DTYPE_I8); return;
    case OY_DTYPE_I16: narrow_columns(e, OY_DTYPE_I16); return;
    case OY_DTYPE_I32: narrow_columns(e, OY_DTYPE_I32); return;
    case OY_DTYPE_F16: narrow_columns(e, OY_DTYPE_F16); return;
    case OY_DTYPE_BF16: narrow_columns(e, OY_DTYPE_BF16); return;
    case OY_DTYPE_F32: narrow_columns(e, OY_DTYPE_F32); return;
    case OY_DTYPE_I64: wide_columns(e, false); return;
    default: wide_columns(e, true);
  }
}
