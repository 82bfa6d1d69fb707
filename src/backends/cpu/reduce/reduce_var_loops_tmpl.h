// SPDX-License-Identifier: Apache-2.0
// Variances and means, for the capability level LEVEL. They run in double.
#include "backends/cpu/reduce/reduce_loops.h"

static inline double real_square(double a) {
  return a * a;
}
static inline double complex_square(double _Complex a) {
  return creal(a) * creal(a) + cimag(a) * cimag(a);
}

#define T         float
#define A         double
#define ID        f32
#define SQUARE(a) real_square(a)
#include "backends/cpu/reduce/reduce_var_tmpl.h"
#define T         double
#define A         double
#define ID        f64
#define SQUARE(a) real_square(a)
#include "backends/cpu/reduce/reduce_var_tmpl.h"
#define T         float _Complex
#define A         double _Complex
#define ID        c64
#define SQUARE(a) complex_square(a)
#include "backends/cpu/reduce/reduce_var_tmpl.h"
#define T         double _Complex
#define A         double _Complex
#define ID        c128
#define SQUARE(a) complex_square(a)
#include "backends/cpu/reduce/reduce_var_tmpl.h"

const oyi_fold OYI_JOIN(oyi_var_reducers, LEVEL)[] = {
    OYI_REDUCER_ROW(var, f32, F32, F64, F64),
    OYI_REDUCER_ROW(var, f64, F64, F64, F64),
    OYI_REDUCER_ROW(var, c64, C64, F64, C128),
    OYI_REDUCER_ROW(var, c128, C128, F64, C128),
    {0}};
