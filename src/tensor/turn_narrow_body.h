// SPDX-License-Identifier: Apache-2.0
// Few lines side by side, as the channels of an image: rows of less than a vector, which take an
// element of each line. As many bytes of each as a vector has are interleaved; each lane of what
// that gives is a row, or several. For move_body.h, after turn_body.h.

#if defined(HAVE_SHUFFLE) && defined(__AVX2__)
// Elements of the first half of each lane by turns, and of the second.
static inline __attribute__((always_inline)) __m256i first_pairs(__m256i a, __m256i b,
                                                                 int64_t item) {
  switch (item) {
    case 1: return _mm256_unpacklo_epi8(a, b);
    case 2: return _mm256_unpacklo_epi16(a, b);
    case 4: return _mm256_unpacklo_epi32(a, b);
    default: return _mm256_unpacklo_epi64(a, b);
  }
}
static inline __attribute__((always_inline)) __m256i second_pairs(__m256i a, __m256i b,
                                                                  int64_t item) {
  switch (item) {
    case 1: return _mm256_unpackhi_epi8(a, b);
    case 2: return _mm256_unpackhi_epi16(a, b);
    case 4: return _mm256_unpackhi_epi32(a, b);
    default: return _mm256_unpackhi_epi64(a, b);
  }
}

// Elements of |lines| vectors, a power of two, become rows of as many that follow each other in the
// lanes.
static inline __attribute__((always_inline)) void mix(__m256i* a, const int64_t lines,
                                                      const int64_t item) {
  __m256i b[LANE];
  OYI_UNROLL_BY(4)
  for (int64_t step = 1; step < lines; step *= 2) {
    OYI_UNROLL_BY(8)
    for (int64_t k = 0; k < lines / 2; k++) {
      b[2 * k] = first_pairs(a[k], a[k + lines / 2], item);
      b[2 * k + 1] = second_pairs(a[k], a[k + lines / 2], item);
    }
    OYI_UNROLL_BY(16)
    for (int64_t k = 0; k < lines; k++) a[k] = b[k];
  }
}

// Of |lines| lines from |from| on, of which the last may be the same.
static inline __attribute__((always_inline)) void interleave(__m256i* a, const char* from,
                                                             int64_t along, int64_t n,
                                                             const int64_t lines,
                                                             const int64_t item) {
  OYI_UNROLL_BY(16)
  for (int64_t k = 0; k < lines; k++)
    a[k] = _mm256_loadu_si256(
        (const __m256i_u*)(const void*)(from + (k < n ? k : n - 1) * along));
  mix(a, lines, item);
}

static inline void store_lane(char* to, __m128i x) {
  _mm_storeu_si128((__m128i_u*)(void*)to, x);
}

// Rows of |lines| elements of which |n| count are moved together.
static inline __m256i together(int64_t size, int64_t whole) {
  char places[LANE];
  for (int64_t i = 0; i < LANE; i++)
    places[i] = (char)((i / size * whole + i % size) & 15);
  return _mm256_broadcastsi128_si256(
      _mm_loadu_si128((const __m128i*)(const void*)places));
}

// Rows follow each other. A lane has one or more of them and less than one that is too much, which
// the next ones are written over; those at the end go by elements. False: there are too few.
static inline __attribute__((always_inline)) bool narrow(const oyi_move* m,
                                                         const int64_t lines,
                                                         const int64_t item) {
  const int64_t size = m->n * item, block = VECTOR / item, count = LANE / (lines * item);
  const int64_t behind = (LANE - 1) / size + 1 - count, rows = m->rows - behind;
  if (rows < block) return false;
  const __m256i order = together(size, lines * item);
  PLANES(m, one) {
    for (int64_t j = 0; j < rows; j += block) {
      const int64_t row = j + block <= rows ? j : rows - block;
      __m256i a[LANE];
      interleave(a, one.from + row * item, m->from_along, m->n, lines, item);
      char* to = one.to + row * size;
      OYI_UNROLL_BY(16)
      for (int64_t k = 0; k < lines; k++) {
        if (count > 1) a[k] = _mm256_shuffle_epi8(a[k], order);
        store_lane(to + k * count * size, _mm256_castsi256_si128(a[k]));
      }
      to += block / 2 * size;
      OYI_UNROLL_BY(16)
      for (int64_t k = 0; k < lines; k++)
        store_lane(to + k * count * size, _mm256_extracti128_si256(a[k], 1));
    }
    for (int64_t row = rows; row < m->rows; row++)
      for (int64_t k = 0; k < m->n; k++)
        memcpy(one.to + row * size + k * item, one.from + k * m->from_along + row * item,
               (size_t)item);
  }
  return true;
}

// Rows that lie apart: they leave the lanes by two moves each, which may lie over each other.
static inline __attribute__((always_inline)) bool narrow_apart(const oyi_move* m,
                                                               const int64_t lines,
                                                               const int64_t item) {
  const int64_t block = VECTOR / item, half = lines * item / 2, rest = m->n * item - half;
  if (m->rows < block) return false;
  PLANES(m, one)
  for (int64_t j = 0; j < m->rows; j += block) {
    const int64_t row = j + block <= m->rows ? j : m->rows - block;
    __m256i a[LANE];
    char parts[LANE * VECTOR];
    interleave(a, one.from + row * item, m->from_along, m->n, lines, item);
    OYI_UNROLL_BY(16)
    for (int64_t k = 0; k < lines; k++) {
      store_lane(parts + k * LANE, _mm256_castsi256_si128(a[k]));
      store_lane(parts + (lines + k) * LANE, _mm256_extracti128_si256(a[k], 1));
    }
    char* to = one.to + row * m->to_down;
    const char* from = parts;
    OYI_UNROLL_BY(4)
    for (int64_t k = 0; k < block; k++, to += m->to_down, from += 2 * half) {
      memcpy(to, from, (size_t)half);
      memcpy(to + rest, from + rest, (size_t)half);
    }
  }
  return true;
}

static inline __m128i load_lane(const char* from) {
  return _mm_loadu_si128((const __m128i_u*)(const void*)from);
}

// Few rows of a lane and more: the second lanes of vectors have the last lines. Pairs are moved as
// soon one by one, and so are four by four where some rows would be turned twice.
static inline __attribute__((always_inline)) bool few_rows(const oyi_move* m,
                                                           const int64_t item) {
  const int64_t lines = LANE / item, rest = m->n - lines, along = m->from_along;
  const bool is_slow = lines < 4 || (lines == 4 && rest == 0 && m->rows > lines);
  if (m->rows < lines || is_slow) return false;
  PLANES(m, one)
  for (int64_t j = 0; j < m->rows; j += lines) {
    const int64_t row = j + lines <= m->rows ? j : m->rows - lines;
    const char* from = one.from + row * item;
    char* to = one.to + row * m->to_down;
    __m256i a[LANE];
    OYI_UNROLL_BY(16)
    for (int64_t k = 0; k < lines; k++)
      a[k] = _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(from + k * along)),
                                     load_lane(from + (rest + k) * along), 1);
    mix(a, lines, item);
    OYI_UNROLL_BY(16)
    for (int64_t k = 0; k < lines; k++, to += m->to_down) {
      store_lane(to, _mm256_castsi256_si128(a[k]));
      store_lane(to + rest * item, _mm256_extracti128_si256(a[k], 1));
    }
  }
  return true;
}

// Rows of a lane and more: the second lane lies over the end of the first.
static inline __attribute__((always_inline)) bool two_lanes(const oyi_move* m,
                                                            const int64_t item) {
  const int64_t block = VECTOR / item, lines = LANE / item, rest = m->n - lines;
  if (m->rows < block) return few_rows(m, item);
  PLANES(m, one)
  for (int64_t j = 0; j < m->rows; j += block) {
    const int64_t row = j + block <= m->rows ? j : m->rows - block;
    for (int64_t first = 0; first <= rest; first += rest > 0 ? rest : 1) {
      __m256i a[LANE];
      interleave(a, one.from + first * m->from_along + row * item, m->from_along, lines,
                 lines, item);
      char* to = one.to + row * m->to_down + first * item;
      OYI_UNROLL_BY(16)
      for (int64_t k = 0; k < lines; k++) {
        store_lane(to + k * m->to_down, _mm256_castsi256_si128(a[k]));
        store_lane(to + (lines + k) * m->to_down, _mm256_extracti128_si256(a[k], 1));
      }
    }
  }
  return true;
}

// Rows of up to four elements leave lanes no sooner than they are moved one by one.
static bool turn_apart(const oyi_move* m, int64_t lines) {
  switch (lines * 10 + (int64_t)m->item) {
    case 81: return narrow_apart(m, 8, 1);
    case 161: return narrow_apart(m, 16, 1);
    case 82: return narrow_apart(m, 8, 2);
    default: return false;
  }
}

// Whether it did: rows of less than a vector.
static bool turn_narrow(const oyi_move* m) {
  const int64_t n = m->n, size = n * (int64_t)m->item;
  const int lines = n <= 2 ? 2 : n <= 4 ? 4 : n <= 8 ? 8 : 16;
  if (size < LANE && m->to_down != size) return turn_apart(m, lines);
  switch (m->item * 100 + (size_t)(size < LANE ? lines : 0)) {
    case 102: return narrow(m, 2, 1);
    case 104: return narrow(m, 4, 1);
    case 108: return narrow(m, 8, 1);
    case 116: return narrow(m, 16, 1);
    case 202: return narrow(m, 2, 2);
    case 204: return narrow(m, 4, 2);
    case 208: return narrow(m, 8, 2);
    case 402: return narrow(m, 2, 4);
    case 404: return narrow(m, 4, 4);
    case 100: return two_lanes(m, 1);
    case 200: return two_lanes(m, 2);
    case 400: return two_lanes(m, 4);
    case 800: return two_lanes(m, 8);
    default: return false;
  }
}
#else
static bool turn_narrow(const oyi_move* m) {
  (void)m;
  return false;
}
#endif
