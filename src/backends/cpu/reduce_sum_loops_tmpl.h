// SPDX-License-Identifier: Apache-2.0
// Sums, means and products, for the capability level LEVEL. Floats run in double, so
// that they are rounded once; sums of doubles keep their rounding errors; integers run
// in 64 bits and wrap.
#include <string.h>

#include "backends/cpu/reduce_loops.h"

#define R A
// A mean is a sum with the number of elements as its |args|.
#define MEAN(a) (args ? (A)((a) / *(const double*)args) : (a))

// Conversions to double take the units that add; a product with 1, which is exact and
// rounded once with its sum, takes those that multiply.
typedef float narrow_lanes __attribute__((vector_size(16)));
typedef double wide_lanes __attribute__((vector_size(32)));
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

enum { SUM_LANES = 4, SUM_CHAINS = 8, SUM_STEP = SUM_LANES * SUM_CHAINS };

// Floats by as many sums as hide how long one takes; |n| is a multiple of SUM_STEP.
static double sum_floats(const float* p, int64_t n) {
  wide_lanes sums[SUM_CHAINS] = {{0}};
  for (int64_t i = 0; i < n; i += SUM_STEP) {
    OYI_UNROLL
    for (int k = 0; k < SUM_CHAINS; k++) {
      narrow_lanes x;
      memcpy(&x, p + i + k * SUM_LANES, sizeof(x));
      sums[k] = ADD_LANES(sums[k], WIDE(x));
    }
  }
  const wide_lanes low = (sums[0] + sums[4]) + (sums[2] + sums[6]);
  const wide_lanes all = low + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  return (all[0] + all[2]) + (all[1] + all[3]);
}

#define T  float
#define A  double
#define ID f32
#define SUM_WHOLE_STEPS
#include "backends/cpu/reduce_sum_tmpl.h"
#undef SUM_WHOLE_STEPS
#undef T
#undef ID
#undef ADD_STEP
#define ADD_STEP(a, x) ((a) + (A)(x))
#define T              double
#define ID             f64
#define EXACT_SUMS
#include "backends/cpu/reduce_sum_tmpl.h"
#undef EXACT_SUMS
#undef T
#undef A
#undef ID

#define T  float _Complex
#define A  double _Complex
#define ID c64
#include "backends/cpu/reduce_sum_tmpl.h"
#undef T
#undef ID
#define T  double _Complex
#define ID c128
#include "backends/cpu/reduce_sum_tmpl.h"
#undef T
#undef A
#undef ID

#undef MEAN
#define MEAN(a) (a)
#define T       int64_t
#define A       uint64_t
#define ID      i64
#include "backends/cpu/reduce_sum_tmpl.h"

#define ROW(name, id, in, to) OYI_REDUCER_ROW(name, id, in, to, to)
#define ROWS(name)                                                              \
  ROW(name, f32, F32, F64), ROW(name, f64, F64, F64), ROW(name, i64, I64, I64), \
      ROW(name, c64, C64, C128), ROW(name, c128, C128, C128)
const oyi_fold OYI_JOIN(oyi_sum_reducers, LEVEL)[] = {ROWS(sum), {0}};
const oyi_fold OYI_JOIN(oyi_nansum_reducers, LEVEL)[] = {ROWS(nansum), {0}};
const oyi_fold OYI_JOIN(oyi_prod_reducers, LEVEL)[] = {ROWS(prod), {0}};
