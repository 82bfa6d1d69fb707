// SPDX-License-Identifier: Apache-2.0
// Vector norms, for the capability level LEVEL. They run in double.
#include "backends/cpu/loops/loops.h"
#include "backends/cpu/pointwise/elementwise.h"
#include "backends/cpu/reduce/reduce_loops.h"

#define A double
#define R double

enum { POWERS_AT_ONCE = 256, POWER_SUMS = 16 };

#define T         float
#define ID        f32
#define ABS(x)    (double)fabsf(x)
#define SQUARE(x) ((double)(x) * (double)(x))
#include "backends/cpu/reduce/reduce_norm_powers_tmpl.h"
#define POWERS
#include "backends/cpu/reduce/reduce_norm_tmpl.h"
// Third and fourth powers, which double has but for one rounding, as pow() gives them.
static inline double cube_of_f32(float x) {
  const double size = (double)fabsf(x);
  return size * size * size;
}
static inline double fourth_of_f32(float x) {
  const double square = (double)x * (double)x;
  return square * square;
}
#define SETUP_ORDER                          \
  const double order = *(const double*)args; \
  (void)order
#define T          float
#define ID         f32
#define NAME       norm3
#define START      0
#define SETUP      SETUP_ORDER
#define STEP(a, x) ((a) + cube_of_f32(x))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  pow(a, 1 / order)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define NAME       norm4
#define START      0
#define SETUP      SETUP_ORDER
#define STEP(a, x) ((a) + fourth_of_f32(x))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  pow(a, 1 / order)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#undef T
#undef ID

#define T         double
#define ID        f64
#define ABS(x)    fabs(x)
#define SQUARE(x) ((x) * (x))
#include "backends/cpu/reduce/reduce_norm_tmpl.h"
// In double nothing overflows; an infinite part outweighs NaN, as in abs.
static inline double square_of_c64(float _Complex x) {
  const double re = (double)crealf(x), im = (double)cimagf(x);
  const bool infinite = (fabs(re) == INFINITY) | (fabs(im) == INFINITY);
  return infinite ? INFINITY : re * re + im * im;
}
#define T      float _Complex
#define ID     c64
#define ABS(x) sqrt(square_of_c64(x))
#define SQUARE(x) \
  ((double)crealf(x) * (double)crealf(x) + (double)cimagf(x) * (double)cimagf(x))
// A root is as great as the others if its square is.
#define SIZE(x)    square_of_c64(x)
#define SIZE_OF(a) sqrt(a)
#include "backends/cpu/reduce/reduce_norm_powers_tmpl.h"
#define POWERS
#include "backends/cpu/reduce/reduce_norm_tmpl.h"

#include "backends/cpu/reduce/reduce_norm_sizes_tmpl.h"
#define NAME          greatest
#define START         0
#define IS_MORE(a, b) ((a) > (b))
#define REACHED(x)    ((x) * (1 - NEAR))
#include "backends/cpu/reduce/reduce_norm_extreme_tmpl.h"
#define NAME          least
#define START         INFINITY
#define IS_MORE(a, b) ((a) < (b))
#define REACHED(x)    ((x) * (1 + NEAR))
#include "backends/cpu/reduce/reduce_norm_extreme_tmpl.h"
#define T          double _Complex
#define ID         c128
#define ABS(x)     cabs(x)
#define SIZE(x)    size_of(x)
#define SQUARE(x)  (creal(x) * creal(x) + cimag(x) * cimag(x))
#define MAX_WHOLE  greatest_of_row
#define MAX_STRIPS greatest_of_columns
#define MIN_WHOLE  least_of_row
#define MIN_STRIPS least_of_columns
#define SUM_WHOLE  sum_of_sizes
#define SUM_STRIPS sum_of_columns
#define STRIP      SQUARES
#include "backends/cpu/reduce/reduce_norm_tmpl.h"

// What norm2 of floats reduces as it lies.
#include "backends/cpu/reduce/reduce_norm_bf16_tmpl.h"

#define ROW(name, id, in) OYI_REDUCER_ROW(name, id, in, F64, F64)
#define WIDE_ROWS(name)   ROW(name, f64, F64), ROW(name, c64, C64), ROW(name, c128, C128)
#define ROWS(name)        ROW(name, f32, F32), WIDE_ROWS(name)
const oyi_fold OYI_JOIN(oyi_norm0_reducers, LEVEL)[] = {ROWS(norm0), {0}};
const oyi_fold OYI_JOIN(oyi_norm1_reducers, LEVEL)[] = {ROWS(norm1), {0}};
#define MANY_ROW(id, in, ...)                                                            \
  OYI_REDUCER_ROW_OF(norm2, id, in, F64, F64, OYI_REDUCE_BLOCK, OYI_REDUCE_TURNED, NULL, \
                     NULL, OYI_ROWS_OF(norm2, id), __VA_ARGS__)
const oyi_fold OYI_JOIN(oyi_norm2_reducers, LEVEL)[] = {
    MANY_ROW(f32, F32, {norm2_bf16_row, NULL}, {NULL, NULL}),
    MANY_ROW(f64, F64, {NULL, NULL}, {NULL, NULL}),
    MANY_ROW(c64, C64, {NULL, NULL}, {NULL, NULL}),
    MANY_ROW(c128, C128, {NULL, NULL}, {NULL, NULL}),
    {0}};
const oyi_fold OYI_JOIN(oyi_norm3_reducers, LEVEL)[] = {ROW(norm3, f32, F32), {0}};
const oyi_fold OYI_JOIN(oyi_norm4_reducers, LEVEL)[] = {ROW(norm4, f32, F32), {0}};
const oyi_fold OYI_JOIN(oyi_norm_max_reducers, LEVEL)[] = {ROWS(norm_max), {0}};
const oyi_fold OYI_JOIN(oyi_norm_min_reducers, LEVEL)[] = {ROWS(norm_min), {0}};
const oyi_fold OYI_JOIN(oyi_norm_any_reducers, LEVEL)[] = {ROWS(norm_any), {0}};
