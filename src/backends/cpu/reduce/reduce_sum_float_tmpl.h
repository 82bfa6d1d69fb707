// SPDX-License-Identifier: Apache-2.0
// Sums of floats, a part of reduce_sum_loops_tmpl.h. What lies together is added in float,
// FLOATS_AT_ONCE numbers at a time, and those sums in double: a quarter more instructions than
// float alone takes, where all in double takes twice as many and reads memory slower than it
// comes. No number is in more than five roundings to float, so that a sum of any length is
// off by less than 2^-21 of the sum of all magnitudes. Where a part is more than float holds,
// all is done in double.

typedef float eight __attribute__((vector_size(32)));
typedef float loaded_eight
    __attribute__((vector_size(32), aligned(sizeof(float)), may_alias));
enum { EIGHT = 8, FLOAT_STEP = 4 * EIGHT, FLOATS_AT_ONCE = 4 * FLOAT_STEP };

#define EIGHT_AT(p) ((eight) * (const loaded_eight*)(const void*)(p))
// Half |k| of |x| in double.
#define HALF_WIDE(x, k) \
  WIDE(__builtin_shufflevector(x, x, 4 * (k), 4 * (k) + 1, 4 * (k) + 2, 4 * (k) + 3))

// The four running values |f| go on with FLOAT_STEP floats.
#define FLOAT_CHAINS(f, p)                                                \
  do {                                                                    \
    OYI_UNROLL                                                            \
    for (int k_ = 0; k_ < 4; k_++) (f)[k_] += EIGHT_AT((p) + k_ * EIGHT); \
  } while (0)
// What they have come to goes to the running values |low| and |high|.
#define FLOAT_JOIN(f, low, high)                              \
  do {                                                        \
    const eight sum_ = ((f)[0] + (f)[1]) + ((f)[2] + (f)[3]); \
    low = ADD_LANES(low, HALF_WIDE(sum_, 0));                 \
    high = ADD_LANES(high, HALF_WIDE(sum_, 1));               \
  } while (0)

static inline double sum_of_lanes(const double* all) {
  return (all[0] + all[2]) + (all[1] + all[3]);
}

// As sum_lanes, of |n| floats, a multiple of LANES.
static inline __attribute__((always_inline)) void float_lanes(double* to, const float* p,
                                                              int64_t n) {
  wide_lanes low = {0}, high = {0};
  for (; n >= FLOATS_AT_ONCE; n -= FLOATS_AT_ONCE, p += FLOATS_AT_ONCE) {
    eight f[4] = {EIGHT_AT(p), EIGHT_AT(p + EIGHT), EIGHT_AT(p + 2 * EIGHT),
                  EIGHT_AT(p + 3 * EIGHT)};
    FLOAT_CHAINS(f, p + FLOAT_STEP);
    FLOAT_CHAINS(f, p + 2 * FLOAT_STEP);
    FLOAT_CHAINS(f, p + 3 * FLOAT_STEP);
    FLOAT_JOIN(f, low, high);
  }
  if (n > 0) {
    eight f[4] = {{0}};
    for (; n >= FLOAT_STEP; n -= FLOAT_STEP, p += FLOAT_STEP) FLOAT_CHAINS(f, p);
    if (n & (2 * EIGHT)) {
      f[0] += EIGHT_AT(p);
      f[1] += EIGHT_AT(p + EIGHT);
      p += 2 * EIGHT;
    }
    if (n & EIGHT) {
      f[2] += EIGHT_AT(p);
      p += EIGHT;
    }
    if (n & LANES) low = ADD_LANES(low, WIDE(LOAD(p)));
    FLOAT_JOIN(f, low, high);
  }
  const wide_lanes all = low + high;
  memcpy(to, &all, sizeof(all));
}

static __attribute__((noinline)) double sum_in_double(const float* p, int64_t n) {
  double all[LANES];
  sum_lanes(all, p, n);
  return sum_of_lanes(all);
}
// No number where a part is none, or more than float holds.
static double sum_in_float(const float* p, int64_t n) {
  double all[LANES];
  float_lanes(all, p, n);
  return sum_of_lanes(all);
}
static double sum_floats(const float* p, int64_t n) {
  const double sum = sum_in_float(p, n);
  return OY_LIKELY(sum - sum == 0) ? sum : sum_in_double(p, n);
}

// Of pairs of parts.
static double _Complex sum_pairs(const float _Complex* p, int64_t n) {
  double all[LANES];
  float_lanes(all, (const float*)p, 2 * n);
  const double sum = sum_of_lanes(all);
  if (OY_UNLIKELY(sum - sum != 0)) sum_lanes(all, (const float*)p, 2 * n);
  return __builtin_complex(all[0] + all[2], all[1] + all[3]);
}

#define ROWS_OF  float
#define ITEM     (int64_t)sizeof(float)
#define EIGHT_OF EIGHT_AT
#include "backends/cpu/reduce/reduce_sum_rows_tmpl.h"
static bool float_columns(double* to, int64_t n, const char* x, int64_t rows,
                          int64_t row_step) {
#if defined(__AVX2__)
  if (oyi_cpu_level() > 1 && rows > 0) {
    oyi_sum_f32_columns_v4(to, n, x, rows, row_step);
    return OY_LIKELY(!any_endless(to, n));
  }
#endif
  return columns_of_float(to, n, x, rows, row_step);
}
static void float_strips(double* to, int64_t n, const char* x, int64_t rows,
                         int64_t row_step) {
  if (float_columns(to, n, x, rows, row_step)) return;
  double exact[OYI_REDUCE_WIDE];
  sum_strips(exact, n, x, rows, row_step);
  replace_endless(to, exact, n);
}

// Of columns of pairs, a multiple of STRIP_OF / 2.
static void pair_strips(double _Complex* to, int64_t n, const char* x, int64_t rows,
                        int64_t row_step) {
  float_strips((double*)(void*)to, 2 * n, x, rows, row_step);
}

// Of a few columns, if all of their sums are numbers.
static inline bool few_columns(double* to, int64_t n, const char* x, int64_t rows,
                               int64_t row_step) {
#if defined(__AVX2__)
  if (n <= OYI_FEW_COLUMNS && rows > 0 && oyi_cpu_level() > 1)
    return oyi_sum_f32_few_v4(to, n, x, rows, row_step);
#endif
  (void)to, (void)n, (void)x, (void)rows, (void)row_step;
  return false;
}
static inline bool few_pairs(double _Complex* to, int64_t n, const char* x, int64_t rows,
                             int64_t row_step) {
  return few_columns((double*)(void*)to, 2 * n, x, rows, row_step);
}
#undef EIGHT_AT
#undef FLOAT_CHAINS
#undef FLOAT_JOIN
