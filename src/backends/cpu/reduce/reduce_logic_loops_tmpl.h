// SPDX-License-Identifier: Apache-2.0
// any, all and counts of what is not 0, for the capability level LEVEL.
#include "backends/cpu/reduce/reduce_loops.h"

#define T  uint8_t
#define ID u8
#include "backends/cpu/reduce/reduce_logic_tmpl.h"
#define T  int16_t
#define ID i16
#include "backends/cpu/reduce/reduce_logic_tmpl.h"
#define T  int32_t
#define ID i32
#include "backends/cpu/reduce/reduce_logic_tmpl.h"
#define T  int64_t
#define ID i64
#include "backends/cpu/reduce/reduce_logic_tmpl.h"
#define T  float
#define ID f32
#include "backends/cpu/reduce/reduce_logic_tmpl.h"
#define T  double
#define ID f64
#include "backends/cpu/reduce/reduce_logic_tmpl.h"
#define T  float _Complex
#define ID c64
#include "backends/cpu/reduce/reduce_logic_tmpl.h"
#define T  double _Complex
#define ID c128
#include "backends/cpu/reduce/reduce_logic_tmpl.h"

#define ROW(name, id, in, to) OYI_REDUCER_ROW(name, id, in, to, to)
#define ROWS(name, to)                                                           \
  ROW(name, u8, U8, to), ROW(name, u8, I8, to), ROW(name, i16, I16, to),         \
      ROW(name, i32, I32, to), ROW(name, i64, I64, to), ROW(name, f32, F32, to), \
      ROW(name, f64, F64, to), ROW(name, c64, C64, to), ROW(name, c128, C128, to)
const oyi_fold OYI_JOIN(oyi_any_reducers, LEVEL)[] = {ROWS(any, U8), {0}};
const oyi_fold OYI_JOIN(oyi_all_reducers, LEVEL)[] = {ROWS(all, U8), {0}};
const oyi_fold OYI_JOIN(oyi_count_reducers, LEVEL)[] = {ROWS(count, I64), {0}};
