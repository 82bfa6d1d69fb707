// SPDX-License-Identifier: Apache-2.0
// Short rows that follow each other: read from their ends on, or of one element each. What is
// too much of a vector is written over by that of the next row. For move_body.h.

#if defined(__AVX2__)
// |from|'s 16 bytes with elements of |item| bytes in the opposite order, the last of them
// before byte |end|.
static inline __m128i opposite(int64_t item, int64_t end) {
  char places[16];
  for (int64_t i = 0; i < 16; i++)
    places[i] = (char)((end - item - i / item * item + i % item) & 15);
  return _mm_loadu_si128((const __m128i*)(const void*)places);
}
static inline void turn_lane(char* to, const char* from, __m128i order) {
  const __m128i x = _mm_loadu_si128((const __m128i_u*)(const void*)from);
  _mm_storeu_si128((__m128i_u*)(void*)to, _mm_shuffle_epi8(x, order));
}

// Short rows that follow each other, read from their ends on: lanes of a row, of which the last
// lies over the one before it, or one that is less than a lane with what follows it, which the
// next row is written over. Whether it did.
static bool turned_short(const oyi_move* m) {
  enum { LANE_BYTES = 16, FEW = 8 };
  const int64_t item = (int64_t)m->item, size = m->n * item;
  if (m->to_down != size || m->from_down != size ||
      (size > 2 * LANE_BYTES && m->n >= FEW))
    return false;
  const char* from = m->from - size + item;
  const int64_t all = m->rows * size;
  int64_t at = 0;
  if (size >= LANE_BYTES) {
    const __m128i order = opposite(item, LANE_BYTES);
    const int64_t last = size - LANE_BYTES;
    for (; size <= 2 * LANE_BYTES && at < all; at += size) {
      turn_lane(m->to + at, from + at + last, order);
      turn_lane(m->to + at + last, from + at, order);
    }
    for (; at < all; at += size) {
      for (int64_t i = 0; i < last; i += LANE_BYTES)
        turn_lane(m->to + at + i, from + at + last - i, order);
      turn_lane(m->to + at + last, from + at, order);
    }
    return true;
  }
  const __m128i order = opposite(item, size);
  for (; at + LANE_BYTES <= all; at += size) turn_lane(m->to + at, from + at, order);
  for (; at < all; at += size)
    for (int64_t i = 0; i < size; i += item)
      memcpy(m->to + at + i, from + at + size - item - i, m->item);
  return true;
}
#else
static bool turned_short(const oyi_move* m) {
  (void)m;
  return false;
}
#endif

// Each element several times, for rows that follow each other: vectors of it, of which those of
// the next row are written over what is too much. How many rows that did.
#define REPEAT_BY(size, part, load)                                               \
  static int64_t repeat_##size(const oyi_move* m) {                               \
    const int64_t row = m->to_down, whole = (row + VECTOR - 1) / VECTOR * VECTOR; \
    const int64_t rows = m->rows - (whole - 1) / row;                             \
    char* to = m->to;                                                             \
    int64_t i = 0;                                                                \
    for (; row == 2 * VECTOR && i < rows; i++, to += 2 * VECTOR) {                \
      const part x = load(m->from + i * m->from_down);                            \
      *(part*)to = *(part*)(to + VECTOR) = x;                                     \
    }                                                                             \
    for (; i < rows; i++, to += row) {                                            \
      const part x = load(m->from + i * m->from_down);                            \
      *(part*)to = x;                                                             \
      for (int64_t at = VECTOR; at < row; at += VECTOR) *(part*)(to + at) = x;    \
    }                                                                             \
    return rows > 0 ? rows : 0;                                                   \
  }
#define REPEAT(size)                                               \
  typedef any_##size all_##size                                    \
      __attribute__((vector_size(VECTOR), aligned(1), may_alias)); \
  static inline all_##size load_##size(const char* from) {         \
    return *(const any_##size*)from - (all_##size){0};             \
  }                                                                \
  REPEAT_BY(size, all_##size, load_##size)
REPEAT(1)
REPEAT(2)
REPEAT(4)
REPEAT(8)
static inline vector load_16(const char* from) {
#if defined(__AVX2__)
  const __m128i x = _mm_loadu_si128((const __m128i_u*)(const void*)from);
  return (vector)_mm256_broadcastsi128_si256(x);
#else
  return *(const vector*)from;
#endif
}
REPEAT_BY(16, vector, load_16)

enum { REPEATED_ROW = 128 };  // bytes of a row, at most
static void repeat_short(const oyi_move* m) {
  int64_t done = 0;
  switch (m->item) {
    case 1: done = repeat_1(m); break;
    case 2: done = repeat_2(m); break;
    case 4: done = repeat_4(m); break;
    case 8: done = repeat_8(m); break;
    default: done = repeat_16(m); break;
  }
  for (; done < m->rows; done++)
    for (int64_t i = 0; i < m->n; i++)
      memcpy(m->to + done * m->to_down + i * m->to_along, m->from + done * m->from_down,
             m->item);
}
