// SPDX-License-Identifier: Apache-2.0
// Least and greatest elements, for the capability level LEVEL.
#include "backends/cpu/reduce/reduce_loops.h"

#define IS_NAN(x) ((x) != (x))
#define T         float
#define ID        f32
#define LEAST     (-INFINITY)
#define GREATEST  INFINITY
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#undef IS_NAN
#define IS_NAN(x) 0
#define T         uint8_t
#define ID        u8
#define LEAST     0
#define GREATEST  UINT8_MAX
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#define T        int8_t
#define ID       i8
#define LEAST    INT8_MIN
#define GREATEST INT8_MAX
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#define T        int16_t
#define ID       i16
#define LEAST    INT16_MIN
#define GREATEST INT16_MAX
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#define T        int32_t
#define ID       i32
#define LEAST    INT32_MIN
#define GREATEST INT32_MAX
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#define T        int64_t
#define ID       i64
#define LEAST    INT64_MIN
#define GREATEST INT64_MAX
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"

#define ROW(name, id, in, second) OYI_REDUCER_ROW(name, id, in, in, second)
#define ROWS(name)                                                               \
  ROW(name, f32, F32, F32), ROW(name, f64, F64, F64), ROW(name, u8, U8, U8),     \
      ROW(name, i8, I8, I8), ROW(name, i16, I16, I16), ROW(name, i32, I32, I32), \
      ROW(name, i64, I64, I64)
#define PLACE_ROWS(name)                                                          \
  ROW(name, f32, F32, I64), ROW(name, f64, F64, I64), ROW(name, u8, U8, I64),     \
      ROW(name, i8, I8, I64), ROW(name, i16, I16, I64), ROW(name, i32, I32, I64), \
      ROW(name, i64, I64, I64)
const oyi_fold OYI_JOIN(oyi_amin_reducers, LEVEL)[] = {ROWS(amin), {0}};
const oyi_fold OYI_JOIN(oyi_amax_reducers, LEVEL)[] = {ROWS(amax), {0}};
const oyi_fold OYI_JOIN(oyi_aminmax_reducers, LEVEL)[] = {ROWS(aminmax), {0}};
const oyi_fold OYI_JOIN(oyi_argmin_reducers, LEVEL)[] = {PLACE_ROWS(argmin), {0}};
const oyi_fold OYI_JOIN(oyi_argmax_reducers, LEVEL)[] = {PLACE_ROWS(argmax), {0}};
