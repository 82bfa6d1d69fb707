// SPDX-License-Identifier: Apache-2.0
// Sums, means and products, for the capability level LEVEL. Floats run in double, so
// that they are rounded once; sums of doubles keep their rounding errors; integers run
// in 64 bits and wrap.
#include "backends/cpu/reduce_loops.h"

#define R A
// A mean is a sum with the number of elements as its |args|.
#define MEAN(a) (args ? (A)((a) / *(const double*)args) : (a))

#define T  float
#define A  double
#define ID f32
#include "backends/cpu/reduce_sum_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
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
