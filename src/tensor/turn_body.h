// SPDX-License-Identifier: Apache-2.0
// Planes turned round, as in copies of transposed matrices: elements that lie together down
// the input come to lie along rows of the output. Blocks of it are in vectors: each 16 bytes
// of them, a lane, take as many elements of as many rows, and change them by interleaving
// pairs of vectors as often as it takes to double one element up to the lane. A second lane
// goes on with the next rows. For move_body.h, which has VECTOR.

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAVE_SHUFFLE 1
#endif
#endif

#ifdef HAVE_SHUFFLE
enum { LANE = 16, SHARED = 512, CACHE = 32 << 10 };

// Elements of the first and second half of each lane of two vectors, by turns.
#define LOW_8(at, n)       at, at + n
#define LOW_4(at, n)       LOW_8(at, n), LOW_8(at + 1, n)
#define LOW_2(at, n)       LOW_4(at, n), LOW_4(at + 2, n)
#define LOW_1(at, n)       LOW_2(at, n), LOW_2(at + 4, n)
#define PAIRS(at, n, size) LOW_##size(at, n)
#if defined(__AVX2__)
#define FIRST_HALVES(size) PAIRS(0, 32 / size, size), PAIRS(16 / size, 32 / size, size)
#define SECOND_HALVES(size) \
  PAIRS(8 / size, 32 / size, size), PAIRS(24 / size, 32 / size, size)
#else
#define FIRST_HALVES(size)  PAIRS(0, 16 / size, size)
#define SECOND_HALVES(size) PAIRS(8 / size, 16 / size, size)
#endif

typedef char lane __attribute__((vector_size(LANE), aligned(1), may_alias));

static inline vector load_lanes(const char* from, int64_t step) {
  const lane first = *(const lane*)from;
#if defined(__AVX2__)
  const lane second = *(const lane*)(from + step);
  return __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                                 27, 28, 29, 30, 31);
#else
  (void)step;
  return first;
#endif
}

// Rows of the output, whole blocks of |block|, whose lines the nearest cache keeps until they
// are filled up, side by side: rows a multiple of a great power of two apart share few sets of it.
static inline int64_t rows_at_once(const oyi_move* m, int64_t block) {
  enum { WAYS = 8, PAGE = 4096 };
  const uint64_t down = (uint64_t)m->to_down, apart = down & (0 - down);
  const int64_t sets = apart < LINE   ? PAGE / LINE
                       : apart < PAGE ? (int64_t)(PAGE / apart)
                                      : 1;
  const int64_t fit = sets * WAYS / block * block;
  return fit < block ? block : fit < m->rows ? fit : m->rows;
}

// One block: LANE / size rows of the output, a vector each, of which |count| are written.
#define TURN_BLOCK(T, size)                                                                    \
  static inline __attribute__((always_inline)) void turn_block_##size(                         \
      char* to, int64_t to_down, const char* from, int64_t from_along, int64_t count) {        \
    enum { N = LANE / size };                                                                  \
    typedef T part __attribute__((vector_size(VECTOR), aligned(1), may_alias));                \
    part a[N], b[N];                                                                           \
    OYI_UNROLL_BY(16)                                                                          \
    for (int k = 0; k < N; k++)                                                                \
      a[k] = (part)load_lanes(from + k * from_along, N * from_along);                          \
    OYI_UNROLL_BY(16)                                                                          \
    for (int step = 1; step < N; step *= 2) {                                                  \
      OYI_UNROLL_BY(16)                                                                        \
      for (int k = 0; k < N / 2; k++) {                                                        \
        b[2 * k] = __builtin_shufflevector(a[k], a[k + N / 2], FIRST_HALVES(size));            \
        b[2 * k + 1] = __builtin_shufflevector(a[k], a[k + N / 2], SECOND_HALVES(size));       \
      }                                                                                        \
      OYI_UNROLL_BY(16)                                                                        \
      for (int k = 0; k < N; k++) a[k] = b[k];                                                 \
    }                                                                                          \
    OYI_UNROLL_BY(16)                                                                          \
    for (int k = 0; k < N; k++)                                                                \
      if (k < count) *(part*)(to + k * to_down) = a[k];                                        \
  }                                                                                            \
  /* The last blocks lie over those before them. Where rows of the output share few sets of */ \
  /* the cache, lines of it would be gone before the next blocks fill them up. */              \
  static void turn_##size(const oyi_move* m) {                                                 \
    enum { N = LANE / size, ALONG = VECTOR / size };                                           \
    const int64_t down = rows_at_once(m, N);                                                   \
    for (int64_t first = 0; first < m->rows; first += down)                                    \
      for (int64_t i = 0; i < m->n; i += ALONG) {                                              \
        const int64_t column = i + ALONG <= m->n ? i : m->n - ALONG;                           \
        const char* from = m->from + column * m->from_along;                                   \
        char* to = m->to + column * size;                                                      \
        for (int k = 0; m->ahead && first == 0 && k < ALONG; k++)                              \
          __builtin_prefetch(from + k * m->from_along + m->ahead);                             \
        for (int64_t j = first; j < first + down && j < m->rows; j += N) {                     \
          const int64_t row = j + N <= m->rows ? j : m->rows - N;                              \
          turn_block_##size(to + row * m->to_down, m->to_down, from + row * size,              \
                            m->from_along, N);                                                 \
        }                                                                                      \
      }                                                                                        \
  }                                                                                            \
  /* Fewer rows than a block has: what follows them is read as well, up to |n|. */             \
  static void turn_few_##size(const oyi_move* m, int64_t n) {                                  \
    enum { ALONG = VECTOR / size };                                                            \
    for (int64_t i = 0; i < n; i += ALONG) {                                                   \
      const int64_t column = i + ALONG <= n ? i : n - ALONG;                                   \
      turn_block_##size(m->to + column * size, m->to_down,                                     \
                        m->from + column * m->from_along, m->from_along, m->rows);             \
    }                                                                                          \
  }
TURN_BLOCK(uint8_t, 1)
TURN_BLOCK(uint16_t, 2)
TURN_BLOCK(uint32_t, 4)
TURN_BLOCK(uint64_t, 8)

// Elements of a whole lane: lines of the output, four of them, by vectors of one or two.
static void turn_16(const oyi_move* m) {
  enum { ALONG = LINE / LANE, LANES = VECTOR / LANE };
  for (int64_t i = 0; i < m->n; i += ALONG) {
    const int64_t column = i + ALONG <= m->n ? i : m->n - ALONG;
    const char* from = m->from + column * m->from_along;
    char* to = m->to + column * LANE;
    for (int k = 0; m->ahead && k < ALONG; k++)
      __builtin_prefetch(from + k * m->from_along + m->ahead);
    for (int64_t row = 0; row < m->rows; row++, from += LANE, to += m->to_down) {
      vector parts[ALONG / LANES];
      for (int k = 0; k < ALONG / LANES; k++)
        parts[k] = load_lanes(from + k * LANES * m->from_along, m->from_along);
      for (int k = 0; k < ALONG / LANES; k++) *(vector*)(to + k * VECTOR) = parts[k];
    }
  }
}

// Whether it did: input rows of less than a block, of which the last ones, where a lane would
// reach past their end, are moved by elements.
static bool turn_few(const oyi_move* m) {
  const int64_t item = (int64_t)m->item, size = m->rows * item, step = m->from_along;
  // Every other element is soon found in whole vectors.
  if (step < size || step == 2 * item) return false;
  const int64_t past = (LANE - size + step - 1) / step, n = m->n - past;
  if (n * item < VECTOR) return false;
  switch (item) {
    case 1: turn_few_1(m, n); break;
    case 2: turn_few_2(m, n); break;
    case 4: turn_few_4(m, n); break;
    default: turn_few_8(m, n); break;
  }
  for (int64_t row = 0; row < m->rows; row++)
    for (int64_t i = n; i < m->n; i++)
      memcpy(m->to + row * m->to_down + i * item, m->from + i * step + row * item,
             m->item);
  return true;
}

#endif
#include "tensor/turn_narrow_body.h"
#ifdef HAVE_SHUFFLE
// Whether it did: input rows of one block and more.
static bool turn(const oyi_move* m) {
  const int64_t item = (int64_t)m->item;
  const int64_t along = item == LANE ? LINE : VECTOR;
  if (m->n * item < VECTOR) return turn_narrow(m);
  if (m->n * item < along) return false;
  if (m->rows * item < LANE) return turn_few(m);
  switch (item) {
    case 1: turn_1(m); break;
    case 2: turn_2(m); break;
    case 4: turn_4(m); break;
    case 8: turn_8(m); break;
    default: turn_16(m); break;
  }
  return true;
}
#else
static bool turn(const oyi_move* m) {
  (void)m;
  return false;
}
#endif
