// SPDX-License-Identifier: Apache-2.0
// any, all and counts of what is not 0, for the capability level LEVEL.
#include "backends/cpu/reduce/reduce_loops.h"

// Numbers of two doubles by their bits, of which vectors are as wide as there are: all but the
// sign are 0 where a double is.
typedef uint64_t part_bits __attribute__((may_alias));

static uint8_t any_of_pairs(const double _Complex* x, int64_t n) {
  const part_bits* p = (const part_bits*)(const void*)x;
  uint64_t bits = 0;
  for (int64_t i = 0; i < 2 * n; i++) bits |= p[i];
  return bits << 1 != 0;
}
static uint8_t all_of_pairs(const double _Complex* x, int64_t n) {
  const part_bits* p = (const part_bits*)(const void*)x;
  uint64_t zeros = 0;
  for (int64_t i = 0; i < n; i++) zeros |= (p[2 * i] | p[2 * i + 1]) << 1 == 0;
  return zeros == 0;
}

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
#define T         double _Complex
#define ID        c128
#define ANY_WHOLE any_of_pairs
#define ALL_WHOLE all_of_pairs
#include "backends/cpu/reduce/reduce_logic_tmpl.h"
#undef ANY_WHOLE
#undef ALL_WHOLE

#define ROW(name, id, in, to) OYI_REDUCER_ROW(name, id, in, to, to)
#define ROWS(name, to)                                                           \
  ROW(name, u8, U8, to), ROW(name, u8, I8, to), ROW(name, i16, I16, to),         \
      ROW(name, i32, I32, to), ROW(name, i64, I64, to), ROW(name, f32, F32, to), \
      ROW(name, f64, F64, to), ROW(name, c64, C64, to), ROW(name, c128, C128, to)
const oyi_fold OYI_JOIN(oyi_any_reducers, LEVEL)[] = {ROWS(any, U8), {0}};
const oyi_fold OYI_JOIN(oyi_all_reducers, LEVEL)[] = {ROWS(all, U8), {0}};
const oyi_fold OYI_JOIN(oyi_count_reducers, LEVEL)[] = {ROWS(count, I64), {0}};
