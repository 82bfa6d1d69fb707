// SPDX-License-Identifier: Apache-2.0
// Norms of the differences of rows, in double.
#include "backends/cpu/linalg/distance_norms.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "backends/cpu/loops/loops.h"
#include "base/cpu.h"
#include "base/template.h"

typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));
enum { STEP = OYI_DISTANCE_STEP };
#define UNROLL OYI_UNROLL_BY(4)

// How many rows are compared with one at a time, so that their sums do not wait for each
// other.
enum { FOUR = 4 };
// The p-norms of the differences of row |a| from one row, or from four that lie one after
// the other, of |n| elements, a multiple of STEP.
typedef void (*some_fn)(const double* a, const double* b, int64_t n, double* out);
typedef struct norm {
  some_fn four, one;
} norm;

// The place of an infinite p beside 0, 1 and 2: the greatest term in place of the sum.
enum { ENDLESS = 3 };

// What |difference| adds to the sum for p of 0, 1 or 2, or what the greatest is found among.
static inline pair term(pair difference, int p) {
  const pair_bits magnitude = {INT64_MAX, INT64_MAX};
  if (p == 0) return (pair)((difference != 0) & (pair_bits)((pair){1, 1}));
  if (p == 1 || p == ENDLESS) return (pair)((pair_bits)difference & magnitude);
  return difference * difference;
}
// Sizes are in the order of their bits, and NaN is above all of them.
static inline pair join(pair a, pair b, int p) {
  const pair_bits more = (pair_bits)a > (pair_bits)b;
  return p == ENDLESS ? (pair)(((pair_bits)a & more) | ((pair_bits)b & ~more)) : a + b;
}

// Eight sums that do not wait for each other.
static inline __attribute__((always_inline)) double sum_terms(const double* a,
                                                              const double* b, int64_t n,
                                                              int p) {
  pair sums[STEP / 2] = {{0, 0}};
  for (int64_t i = 0; i < n; i += STEP)
    for (int k = 0; k < STEP / 2; k++) {
      pair x, y;
      memcpy(&x, a + i + 2 * k, sizeof(x));
      memcpy(&y, b + i + 2 * k, sizeof(y));
      sums[k] = join(sums[k], term(x - y, p), p);
    }
  const pair all = join(join(sums[0], sums[1], p), join(sums[2], sums[3], p), p);
  return join(all, (pair){all[1], all[0]}, p)[0];
}

static inline __attribute__((always_inline)) void some_pairs(const double* a,
                                                             const double* b, int64_t n,
                                                             int p, int rows,
                                                             double* out) {
  for (int j = 0; j < rows; j++) {
    const double sum = sum_terms(a, b + j * n, n, p);
    out[j] = p == 2 ? sqrt(sum) : sum;
  }
}

#define NORM_OF(p, level, attribute, some)                                              \
  attribute static void four_##p##_##level(const double* a, const double* b, int64_t n, \
                                           double* out) {                               \
    some(a, b, n, p, FOUR, out);                                                        \
  }                                                                                     \
  attribute static void one_##p##_##level(const double* a, const double* b, int64_t n,  \
                                          double* out) {                                \
    some(a, b, n, p, 1, out);                                                           \
  }
#define NORM_ROW(p, level) \
  { four_##p##_##level, one_##p##_##level }
#define NORM_ROWS(level) \
  NORM_ROW(0, level), NORM_ROW(1, level), NORM_ROW(2, level), NORM_ROW(3, level)

#if defined(__x86_64__)
// The same eight sums of each, added up in the same order, four to a vector.
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_bits __attribute__((vector_size(32)));
#define AVX2    __attribute__((target("avx2")))
#define SHUFFLE __builtin_shufflevector

AVX2 static inline __attribute__((always_inline)) quad quad_term(quad d, int p) {
  const quad_bits magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  const quad one = {1, 1, 1, 1};
  if (p == 0) return (quad)((d != 0) & (quad_bits)one);
  return p == 1 || p == ENDLESS ? (quad)((quad_bits)d & magnitude) : d * d;
}
AVX2 static inline __attribute__((always_inline)) quad quad_join(quad a, quad b, int p) {
  const quad_bits more = (quad_bits)a > (quad_bits)b;
  return p == ENDLESS ? (quad)_mm256_blendv_pd(b, a, (quad)more) : a + b;
}

// What comes of the eight sums of |rows| rows, one or four; |low| is written to.
AVX2 static inline __attribute__((always_inline)) void add_quads(quad* low,
                                                                 const quad* high, int p,
                                                                 int rows, double* out) {
  UNROLL for (int j = 0; j < rows; j++) low[j] = quad_join(
      SHUFFLE(low[j], high[j], 0, 1, 4, 5), SHUFFLE(low[j], high[j], 2, 3, 6, 7), p);
  if (rows < FOUR) {
    const quad two = quad_join(low[0], SHUFFLE(low[0], low[0], 2, 3, 0, 1), p);
    const double sum = quad_join(two, SHUFFLE(two, two, 1, 0, 3, 2), p)[0];
    *out = p == 2 ? sqrt(sum) : sum;
    return;
  }
  const quad two = quad_join(SHUFFLE(low[0], low[1], 0, 1, 4, 5),
                             SHUFFLE(low[0], low[1], 2, 3, 6, 7), p);
  const quad more = quad_join(SHUFFLE(low[2], low[3], 0, 1, 4, 5),
                              SHUFFLE(low[2], low[3], 2, 3, 6, 7), p);
  quad sum = quad_join(SHUFFLE(two, more, 0, 2, 4, 6), SHUFFLE(two, more, 1, 3, 5, 7), p);
  if (p == 2) sum = _mm256_sqrt_pd(sum);
  memcpy(out, &sum, sizeof(sum));
}

AVX2 static inline __attribute__((always_inline)) void some_quads(const double* a,
                                                                  const double* b,
                                                                  int64_t n, int p,
                                                                  int rows, double* out) {
  quad low[FOUR], high[FOUR];
  UNROLL for (int j = 0; j < rows; j++) low[j] = high[j] = (quad){0};
  for (int64_t i = 0; i < n; i += STEP) {
    quad first, second, x, y;
    memcpy(&first, a + i, sizeof(first));
    memcpy(&second, a + i + 4, sizeof(second));
    UNROLL for (int j = 0; j < rows; j++) {
      memcpy(&x, b + j * n + i, sizeof(x));
      memcpy(&y, b + j * n + i + 4, sizeof(y));
      low[j] = quad_join(low[j], quad_term(first - x, p), p);
      high[j] = quad_join(high[j], quad_term(second - y, p), p);
    }
  }
  add_quads(low, high, p, rows, out);
}

// All eight in one vector.
typedef double oct __attribute__((vector_size(64)));
typedef int64_t oct_bits __attribute__((vector_size(64)));
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx2")))

AVX512 static inline __attribute__((always_inline)) oct oct_term(oct d, int p) {
  const oct zero = {0}, one = zero + 1;
  if (p == 0) return (oct)((d != zero) & (oct_bits)one);
  return p == 1 || p == ENDLESS ? (oct)((oct_bits)d & ~(oct_bits)-zero) : d * d;
}
AVX512 static inline __attribute__((always_inline)) oct oct_join(oct a, oct b, int p) {
  return p == ENDLESS ? (oct)_mm512_max_epi64((__m512i)a, (__m512i)b) : a + b;
}

AVX512 static inline __attribute__((always_inline)) void some_octs(
    const double* a, const double* b, int64_t n, int p, int rows, double* out) {
  oct sums[FOUR];
  UNROLL for (int j = 0; j < rows; j++) sums[j] = (oct){0};
  for (int64_t i = 0; i < n; i += STEP) {
    oct one, x;
    memcpy(&one, a + i, sizeof(one));
    UNROLL for (int j = 0; j < rows; j++) {
      memcpy(&x, b + j * n + i, sizeof(x));
      sums[j] = oct_join(sums[j], oct_term(one - x, p), p);
    }
  }
  quad low[FOUR], high[FOUR];
  UNROLL for (int j = 0; j < rows; j++) {
    low[j] = SHUFFLE(sums[j], sums[j], 0, 1, 2, 3);
    high[j] = SHUFFLE(sums[j], sums[j], 4, 5, 6, 7);
  }
  add_quads(low, high, p, rows, out);
}
#define NORM(p) NORM_OF(p, avx512, AVX512, some_octs)
NORM(0)
NORM(1)
NORM(2)
NORM(3)
#undef NORM
#define NORM(p) NORM_OF(p, avx2, AVX2, some_quads)
NORM(0)
NORM(1)
NORM(2)
NORM(3)
#undef NORM
#endif
#define NORM(p) NORM_OF(p, any, , some_pairs)
NORM(0)
NORM(1)
NORM(2)
NORM(3)

// That of p = 0, 1, 2 or infinite; p = 0 counts what differs.
static norm norm_of(double p) {
  const int place = isinf(p) ? ENDLESS : (int)p;
#if defined(__x86_64__)
  static const norm avx2[] = {NORM_ROWS(avx2)}, avx512[] = {NORM_ROWS(avx512)};
  if (oyi_cpu_level() > 1) return avx512[place];
  if (oyi_cpu_level() > 0) return avx2[place];
#endif
  static const norm any[] = {NORM_ROWS(any)};
  return any[place];
}
bool oyi_distance_is_plain(double p) {
  return p == 0 || p == 1 || p == 2 || isinf(p);
}

// ------------------------------------------------------------------ any other p

// Of row |a| from |rows| others, by the C library.
static void exactly(const oyi_distance_norm* s, const double* a, const double* b,
                    int64_t rows, double* out) {
  for (int64_t j = 0; j < rows; j++, b += s->columns) {
    double sum = 0;
    for (int64_t i = 0; i < s->columns; i++) sum += pow(fabs(a[i] - b[i]), s->p);
    out[j] = pow(sum, 1 / s->p);
  }
}

static void take_powers(double* x, int64_t n, double exponent) {
  static const int64_t steps[] = {sizeof(*x), sizeof(*x)};
  oyi_cpu_loops[OYI_LOOP_pow_number][OY_DTYPE_F64](n, (char*[]){(char*)x, (char*)x},
                                                   steps, &exponent);
}

// The same by vectors: of as many rows at once as there is place for, or of a part of each. What
// the powers of vectors lack is far below the last bit of a float.
static void by_powers(const oyi_distance_norm* s, const double* a, const double* b,
                      int64_t rows, double* out) {
  enum { PLACES = 512 };
  const int64_t n = s->columns, width = n < PLACES ? n : PLACES;
  const int64_t some = width > 0 ? PLACES / width : rows;
  double terms[PLACES];
  memset(out, 0, (size_t)rows * sizeof(*out));
  for (int64_t j = 0; j < rows; j += some)
    for (int64_t i = 0; i < n; i += width) {
      const int64_t count = n - i < width ? n - i : width;
      const int64_t end = rows - j < some ? rows : j + some;
      double* to = terms;
      for (int64_t r = j; r < end; r++)
        for (int64_t k = i; k < i + count; k++) *to++ = fabs(a[k] - b[r * n + k]);
      take_powers(terms, to - terms, s->p);
      const double* from = terms;
      for (int64_t r = j; r < end; r++)
        for (int64_t k = 0; k < count; k++) out[r] += *from++;
    }
  take_powers(out, rows, 1 / s->p);
}

void oyi_distances_of(const oyi_distance_norm* s, const double* a, const double* b,
                      int64_t rows, double* out) {
  if (!oyi_distance_is_plain(s->p)) {
    if (s->rounds)
      by_powers(s, a, b, rows, out);
    else
      exactly(s, a, b, rows, out);
    return;
  }
  const norm by = norm_of(s->p);
  const int64_t n = s->columns;
  int64_t j = 0;
  for (; j + FOUR <= rows; j += FOUR) by.four(a, b + j * n, n, out + j);
  for (; j < rows; j++) by.one(a, b + j * n, n, out + j);
}
