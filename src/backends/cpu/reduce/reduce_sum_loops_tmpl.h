// SPDX-License-Identifier: Apache-2.0
// Sums, means and products, for the capability level LEVEL. Floats run in double, sums of
// them by parts that are sums in float; sums of doubles keep their rounding errors;
// integers run in 64 bits and wrap.
#include <string.h>

#include "backends/cpu/reduce/reduce_columns.h"
#include "backends/cpu/reduce/reduce_loops.h"
#include "tensor/half.h"

#define R A
// A mean is a sum with the number of elements as its |args|.
#define MEAN(a) (args ? (A)((a) / *(const double*)args) : (a))
#define TIMES   double

// Conversions to double take the units that add; a product with 1, which is exact and
// rounded once with its sum, takes those that multiply.
typedef float narrow_lanes __attribute__((vector_size(16)));
typedef float loaded_lanes
    __attribute__((vector_size(16), aligned(sizeof(float)), may_alias));
typedef double wide_lanes __attribute__((vector_size(32)));
typedef double kept_lanes
    __attribute__((vector_size(32), aligned(sizeof(double)), may_alias));
#if defined(__FMA__)
#include <immintrin.h>
#define ADD_STEP(a, x) __builtin_fma((double)(x), 1.0, a)
#define WIDE(x)        (wide_lanes) _mm256_cvtps_pd((__m128)(x))
#define ADD_LANES(a, x) \
  (wide_lanes) _mm256_fmadd_pd((__m256d)(x), _mm256_set1_pd(1), (__m256d)(a))
#else
#define ADD_STEP(a, x)  ((a) + (A)(x))
#define WIDE(x)         __builtin_convertvector(x, wide_lanes)
#define ADD_LANES(a, x) ((a) + (x))
#endif

#define LOAD(p)   ((narrow_lanes) * (const loaded_lanes*)(p))
#define GET(p, k) (((kept_lanes*)(void*)(p))[k])

// From TWO_STREAMS elements on the halves are read side by side: memory beyond the second
// cache is fetched ahead for each.
enum { LANES = 4, CHAINS = 8, CHAINED = LANES * CHAINS, TWO_STREAMS = 8192 };
// Columns side by side, and rows that they are read of at once: memory is read along rows
// that way, and running values are read and written once for several elements.
enum { STRIP_OF = 4 * LANES, ROWS_AT_ONCE = 8 };

// Chains |first| to |last| - 1 go on with LANES floats each, from |p| on.
#define CHAIN(TAKE, first, last, p) \
  OYI_UNROLL                        \
  for (int k = first; k < (last); k++) a[k] = TAKE(a[k], WIDE(LOAD((p) + k * LANES)))

// What STRIPS of reduce_fold_tmpl.h is, of name_of_rows for a few rows at a time: the first of
// them without what was there.
#define STRIPS_OF(name, A, START)                                                    \
  static void name##_strips(A* to, int64_t n, const char* x, int64_t rows,           \
                            int64_t row_step) {                                      \
    int64_t done = rows < 2 ? rows : rows < ROWS_AT_ONCE ? 2 : ROWS_AT_ONCE;         \
    if (done == ROWS_AT_ONCE)                                                        \
      name##_of_rows(to, n, x, ROWS_AT_ONCE, row_step, true);                        \
    else if (done == 2)                                                              \
      name##_of_rows(to, n, x, 2, row_step, true);                                   \
    else if (done == 1)                                                              \
      name##_of_rows(to, n, x, 1, row_step, true);                                   \
    else                                                                             \
      for (int64_t i = 0; i < n; i++) to[i] = START;                                 \
    for (; rows - done >= ROWS_AT_ONCE; done += ROWS_AT_ONCE)                        \
      name##_of_rows(to, n, x + done * row_step, ROWS_AT_ONCE, row_step, false);     \
    for (; rows - done >= 2; done += 2)                                              \
      name##_of_rows(to, n, x + done * row_step, 2, row_step, false);                \
    if (done < rows) name##_of_rows(to, n, x + done * row_step, 1, row_step, false); \
  }

// Floats by as many running values as hide how long one step takes: of |n| that lie together,
// a multiple of LANES, in LANES values; and of |rows| rows, in one for each of |n| columns, a
// multiple of STRIP_OF.
#define FLOATS(name, START, TAKE, JOIN)                                               \
  static inline __attribute__((always_inline)) void name##_lanes(                     \
      double* to, const float* p, int64_t n) {                                        \
    wide_lanes a[CHAINS];                                                             \
    for (int k = 0; k < CHAINS; k++) a[k] = (wide_lanes){START, START, START, START}; \
    int64_t i = 0;                                                                    \
    if (n >= TWO_STREAMS) {                                                           \
      const int64_t half = n / (2 * CHAINED) * CHAINED;                               \
      for (; i < half; i += CHAINED / 2) {                                            \
        CHAIN(TAKE, 0, CHAINS / 2, p + i);                                            \
        CHAIN(TAKE, CHAINS / 2, CHAINS, p + half + i - CHAINED / 2);                  \
      }                                                                               \
      i = 2 * half;                                                                   \
    }                                                                                 \
    for (; i + CHAINED <= n; i += CHAINED) CHAIN(TAKE, 0, CHAINS, p + i);             \
    if (n & (4 * LANES)) {                                                            \
      CHAIN(TAKE, 0, 4, p + i);                                                       \
      i += 4 * LANES;                                                                 \
    }                                                                                 \
    if (n & (2 * LANES)) {                                                            \
      CHAIN(TAKE, 0, 2, p + i);                                                       \
      i += 2 * LANES;                                                                 \
    }                                                                                 \
    if (n & LANES) a[2] = TAKE(a[2], WIDE(LOAD(p + i)));                              \
    const wide_lanes low = JOIN(JOIN(a[0], a[4]), JOIN(a[2], a[6]));                  \
    const wide_lanes all = JOIN(low, JOIN(JOIN(a[1], a[5]), JOIN(a[3], a[7])));       \
    memcpy(to, &all, sizeof(all));                                                    \
  }                                                                                   \
  static inline __attribute__((always_inline)) void name##_of_rows(                   \
      double* to, int64_t n, const char* x, const int rows, int64_t row_step,         \
      const bool begins) {                                                            \
    const wide_lanes start = {START, START, START, START};                            \
    for (int64_t i = 0; i < n; i += STRIP_OF) {                                       \
      double* at = to + i;                                                            \
      const char* row = x + i * (int64_t)sizeof(float);                               \
      wide_lanes a = start, b = start, c = start, d = start;                          \
      if (!begins) a = GET(at, 0), b = GET(at, 1), c = GET(at, 2), d = GET(at, 3);    \
      OYI_UNROLL                                                                      \
      for (int r = 0; r < rows; r++, row += row_step) {                               \
        const float* p = (const float*)(const void*)row;                              \
        a = TAKE(a, WIDE(LOAD(p)));                                                   \
        b = TAKE(b, WIDE(LOAD(p + LANES)));                                           \
        c = TAKE(c, WIDE(LOAD(p + 2 * LANES)));                                       \
        d = TAKE(d, WIDE(LOAD(p + 3 * LANES)));                                       \
      }                                                                               \
      GET(at, 0) = a, GET(at, 1) = b, GET(at, 2) = c, GET(at, 3) = d;                 \
    }                                                                                 \
  }                                                                                   \
  STRIPS_OF(name, double, START)
#define ADD_TWO(a, b)      ((a) + (b))
#define MULTIPLY_TWO(a, b) ((a) * (b))
FLOATS(sum, 0, ADD_LANES, ADD_TWO)
FLOATS(prod, 1, MULTIPLY_TWO, MULTIPLY_TWO)

// Whether one of them, of which there is a multiple of STRIP_OF, is infinite, or no number.
static bool any_endless(const double* x, int64_t n) {
  wide_lanes none[4] = {{0}};  // or NaN
  for (int64_t i = 0; i < n; i += STRIP_OF) {
    OYI_UNROLL
    for (int k = 0; k < 4; k++) none[k] += GET(x + i, k) - GET(x + i, k);
  }
  const wide_lanes all = (none[0] + none[1]) + (none[2] + none[3]);
  return all[0] + all[1] + all[2] + all[3] != 0;
}

// Those become what |exact| has: what one column comes to does not depend on others.
static void replace_endless(double* x, const double* exact, int64_t n) {
  for (int64_t i = 0; i < n; i++) x[i] = x[i] - x[i] == 0 ? x[i] : exact[i];
}

#include "backends/cpu/reduce/reduce_product_tmpl.h"
#include "backends/cpu/reduce/reduce_sum_float_tmpl.h"

// The product, 0 with its sign where it is below every normal number: processors take as long
// for one such product as for a hundred others, and long rows of numbers below 1 end so.
static inline double product_of_normal(double a, double b) {
  enum { EXPONENT = 0x7ff, BIAS = 1023 };
  uint64_t x, y;
  memcpy(&x, &a, sizeof(x));
  memcpy(&y, &b, sizeof(y));
  const uint64_t both = (x >> 52 & EXPONENT) + (y >> 52 & EXPONENT);
  if (OY_LIKELY(both >= BIAS)) return a * b;
  return (x ^ y) >> 63 ? -0.0 : 0.0;
}
static double prod_floats(const float* p, int64_t n) {
  double all[LANES];
#if defined(__AVX2__)
  if (oyi_cpu_level() > 1)
    oyi_prod_f32_lanes_v4(all, p, n);
  else
#endif
    prod_lanes(all, p, n);
  return product_of_normal(all[0] * all[2], all[1] * all[3]);
}
static void prod_columns(double* to, int64_t n, const char* x, int64_t rows,
                         int64_t row_step) {
#if defined(__AVX2__)
  if (oyi_cpu_level() > 1) {
    oyi_prod_f32_columns_v4(to, n, x, rows, row_step);
    return;
  }
#endif
  prod_strips(to, n, x, rows, row_step);
}
// Most pieces have no NaN, and a sum that is a number proves it. Else, in the same order at
// each level, a NaN is added as 0.
static void nansum_strips(double* to, int64_t n, const char* x, int64_t rows,
                          int64_t row_step) {
  if (float_columns(to, n, x, rows, row_step)) return;
  double exact[OYI_REDUCE_WIDE];
  for (int64_t i = 0; i < n; i++) exact[i] = 0;
  for (; rows > 0; rows--, x += row_step) {
    const float* p = (const float*)(const void*)x;
    for (int64_t i = 0; i < n; i++) exact[i] += p[i] == p[i] ? (double)p[i] : 0;
  }
  replace_endless(to, exact, n);
}
enum { NUMBERS_PIECE = 4096 };
// Not inlined: what is rare has the room for it, and nothing else goes through memory.
static __attribute__((noinline)) double sum_numbers(const float* p, int64_t n) {
  float numbers[NUMBERS_PIECE];
  for (int64_t k = 0; k < n; k++) numbers[k] = p[k] == p[k] ? p[k] : 0;
  return sum_floats(numbers, n);
}
static double nansum_floats(const float* p, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i += NUMBERS_PIECE) {
    const int64_t some = n - i < NUMBERS_PIECE ? n - i : NUMBERS_PIECE;
    const double part = sum_in_float(p + i, some);
    sum += OY_LIKELY(part - part == 0) ? part : sum_numbers(p + i, some);
  }
  return sum;
}
#define NANSUM_WHOLE    nansum_floats
#define NANSUM_STRIPS   nansum_strips
#define T               float
#define A               double
#define ID              f32
#define WHOLE_STEPS     LANES
#define SUM_WHOLE       sum_floats
#define STRIP           STRIP_OF
#define SUM_STRIPS      float_strips
#define SUM_FEW         few_columns
#define NANSUM_FEW      few_columns
#define SUM_FEW_MOST    16
#define NANSUM_FEW_MOST 16
#define PROD_WHOLE      prod_floats
#define PROD_STRIPS     prod_columns
#include "backends/cpu/reduce/reduce_sum_tmpl.h"
// What these reduce as they lie.
#include "backends/cpu/reduce/reduce_sum_bf16_tmpl.h"
#if defined(__F16C__)
#include "backends/cpu/reduce/reduce_sum_f16_tmpl.h"
#endif
#undef WHOLE_STEPS
#undef SUM_WHOLE
#undef SUM_STRIPS
#undef SUM_FEW
#undef NANSUM_FEW
#undef SUM_FEW_MOST
#undef NANSUM_FEW_MOST
#undef NANSUM_WHOLE
#undef NANSUM_STRIPS
#undef PROD_WHOLE
#undef PROD_STRIPS
#undef STRIP
#undef T
#undef ID
#undef ADD_STEP

#include "backends/cpu/reduce/reduce_sum_few_tmpl.h"

#define ADD_STEP(a, x) ((a) + (A)(x))
#define T              double
#define ID             f64
#define EXACT_SUMS
#define SUM_FEW          few_doubles
#define NANSUM_FEW       few_numbers
#define SUM_FEW_MOST     FEW_LANES
#define NANSUM_FEW_MOST  FEW_LANES
#define SUM_FEW_EXACT    exact_doubles
#define NANSUM_FEW_EXACT exact_numbers
#include "backends/cpu/reduce/reduce_sum_tmpl.h"
#undef EXACT_SUMS
#undef SUM_FEW
#undef NANSUM_FEW
#undef SUM_FEW_MOST
#undef NANSUM_FEW_MOST
#undef SUM_FEW_EXACT
#undef NANSUM_FEW_EXACT
#undef T
#undef A
#undef ID

// Their parts, for compilers divide complex numbers one by one. PyTorch divides by a complex
// number: where a part is infinite, or no number, the other one is none.
static inline void divide_pairs(double* x, int64_t n, double by) {
  for (int64_t i = 0; i < 2 * n; i += 2) {
    const double re = x[i] / by, im = x[i + 1] / by;
    x[i] = re + im * 0;
    x[i + 1] = im - re * 0;
  }
}
#undef MEAN
#define MEAN(a) (a)
#define MEANS(to, n) \
  if (args) divide_pairs((double*)(void*)(to), n, *(const double*)args)
#define T               float _Complex
#define A               double _Complex
#define ID              c64
#define WHOLE_STEPS     (LANES / 2)
#define SUM_WHOLE       sum_pairs
#define STRIP           (STRIP_OF / 2)
#define SUM_STRIPS      pair_strips
#define SUM_FEW         few_pairs
#define PROD_STEP(a, x) plain_product(a, (A)(x))
#define PROD_WHOLE      product_c64
#define PROD_STRIPS     product_c64_strips
#include "backends/cpu/reduce/reduce_sum_tmpl.h"
#undef WHOLE_STEPS
#undef SUM_WHOLE
#undef SUM_STRIPS
#undef SUM_FEW
#undef STRIP
#undef PROD_WHOLE
#undef PROD_STRIPS
#undef T
#undef ID
#define T           double _Complex
#define ID          c128
#define WHOLE_STEPS 1
#define STRIP       LANES
#define PROD_WHOLE  product_c128
#define PROD_STRIPS product_c128_strips
#include "backends/cpu/reduce/reduce_sum_tmpl.h"
#undef WHOLE_STEPS
#undef STRIP
#undef PROD_STEP
#undef PROD_WHOLE
#undef PROD_STRIPS
#undef T
#undef A
#undef ID

#undef MEANS
#undef TIMES
#define TIMES        uint64_t
#define T            int64_t
#define A            uint64_t
#define ID           i64
#define SUM_FEW      few_whole
#define SUM_FEW_MOST FEW_LANES
#include "backends/cpu/reduce/reduce_sum_tmpl.h"
#undef SUM_FEW
#undef SUM_FEW_MOST

#define PLAIN_ROW(name, id, in, to, block, REPEAT, MANY)                               \
  OYI_REDUCER_ROW_OF(name, id, in, to, to, block, OYI_REDUCE_TURNED, REPEAT(name, id), \
                     name##_all_columns_##id, MANY(name, id), {NULL, NULL},            \
                     {NULL, NULL})
#define ROWS(name, REPEAT, MANY, ...)                                              \
  OYI_REDUCER_ROW_OF(name, f32, F32, F64, F64, OYI_REDUCE_WIDE, OYI_REDUCE_TURNED, \
                     REPEAT(name, f32), name##_all_columns_f32, MANY(name, f32),   \
                     __VA_ARGS__),                                                 \
      PLAIN_ROW(name, f64, F64, F64, OYI_REDUCE_WIDE, REPEAT, MANY),               \
      PLAIN_ROW(name, i64, I64, I64, OYI_REDUCE_WIDE, REPEAT, MANY),               \
      PLAIN_ROW(name, c64, C64, C128, OYI_REDUCE_BLOCK, REPEAT, MANY),             \
      PLAIN_ROW(name, c128, C128, C128, OYI_REDUCE_BLOCK, REPEAT, MANY)
#if defined(__F16C__)
#define F16_COLUMNS(name) name##_f16_columns
#else
#define F16_COLUMNS(name) NULL
#endif
#define HALVES(name)                        \
  {name##_bf16_row, name##_bf16_columns}, { \
    NULL, F16_COLUMNS(name)                 \
  }
#define REPEATED(name, id) name##_repeat_##id
#define NONE(name, id)     NULL
const oyi_fold OYI_JOIN(oyi_sum_reducers, LEVEL)[] = {
    ROWS(sum, REPEATED, OYI_ROWS_OF, HALVES(sum)), {0}};
#define OF_NUMBERS(name, id) OF_NUMBERS_##id
#define OF_NUMBERS_f32       OYI_ROWS_OF(nansum, f32)
#define OF_NUMBERS_f64       OYI_ROWS_OF(nansum, f64)
#define OF_NUMBERS_i64       NULL
#define OF_NUMBERS_c64       NULL
#define OF_NUMBERS_c128      NULL
const oyi_fold OYI_JOIN(oyi_nansum_reducers, LEVEL)[] = {
    ROWS(nansum, REPEATED, OF_NUMBERS, HALVES(nansum)), {0}};
const oyi_fold OYI_JOIN(oyi_prod_reducers, LEVEL)[] = {
    ROWS(prod, NONE, OYI_ROWS_OF, {NULL, NULL}, {NULL, NULL}), {0}};
