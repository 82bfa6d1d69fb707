// SPDX-License-Identifier: Apache-2.0
// Vector norms, for the capability level LEVEL. They run in double.
#include "backends/cpu/reduce/reduce_loops.h"

#define A double
#define R double

#define T         float
#define ID        f32
#define ABS(x)    (double)fabsf(x)
#define SQUARE(x) ((double)(x) * (double)(x))
#include "backends/cpu/reduce/reduce_norm_tmpl.h"
#define T         double
#define ID        f64
#define ABS(x)    fabs(x)
#define SQUARE(x) ((x) * (x))
#include "backends/cpu/reduce/reduce_norm_tmpl.h"
#define T      float _Complex
#define ID     c64
#define ABS(x) cabs((double _Complex)(x))
#define SQUARE(x) \
  ((double)crealf(x) * (double)crealf(x) + (double)cimagf(x) * (double)cimagf(x))
#include "backends/cpu/reduce/reduce_norm_tmpl.h"
#define T         double _Complex
#define ID        c128
#define ABS(x)    cabs(x)
#define SQUARE(x) (creal(x) * creal(x) + cimag(x) * cimag(x))
#include "backends/cpu/reduce/reduce_norm_tmpl.h"

// What norm2 of floats reduces as it lies.
#include "backends/cpu/reduce/reduce_norm_bf16_tmpl.h"

#define ROW(name, id, in) OYI_REDUCER_ROW(name, id, in, F64, F64)
#define WIDE_ROWS(name)   ROW(name, f64, F64), ROW(name, c64, C64), ROW(name, c128, C128)
#define ROWS(name)        ROW(name, f32, F32), WIDE_ROWS(name)
const oyi_fold OYI_JOIN(oyi_norm0_reducers, LEVEL)[] = {ROWS(norm0), {0}};
const oyi_fold OYI_JOIN(oyi_norm1_reducers, LEVEL)[] = {ROWS(norm1), {0}};
const oyi_fold OYI_JOIN(oyi_norm2_reducers, LEVEL)[] = {
    OYI_REDUCER_ROW_OF(norm2, f32, F32, F64, F64, OYI_REDUCE_BLOCK, NULL,
                       {norm2_bf16_row, NULL}, {NULL, NULL}),
    WIDE_ROWS(norm2),
    {0}};
const oyi_fold OYI_JOIN(oyi_norm_max_reducers, LEVEL)[] = {ROWS(norm_max), {0}};
const oyi_fold OYI_JOIN(oyi_norm_min_reducers, LEVEL)[] = {ROWS(norm_min), {0}};
const oyi_fold OYI_JOIN(oyi_norm_any_reducers, LEVEL)[] = {ROWS(norm_any), {0}};
