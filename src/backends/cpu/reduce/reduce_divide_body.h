// SPDX-License-Identifier: Apache-2.0
// Division of sums by counts of type C, f32 or f64; TABLE is the name for the loops.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <stdbool.h>

#include "backends/cpu/reduce/reduce_divide.h"
#include "base/template.h"

// In floats by vectors: numbers of up to 16 bits are exact in either, those of 32 in double.
// What is no whole number is farther from the next one than a quotient is rounded.
static inline int32_t round_down_f32(float quotient) {
  const int32_t whole = (int32_t)quotient;
  return whole - ((float)whole > quotient);
}
static inline int32_t round_down_f64(double quotient) {
  const int32_t whole = (int32_t)quotient;
  return whole - ((double)whole > quotient);
}
static inline int64_t divide_down(int64_t x, int64_t by) {
  return x / by - (x % by < 0);
}

#define PARTS              1
#define QUOTIENT(x, count) ((x) / (count))
#define T                  float
#define ID                 f32
#include "backends/cpu/reduce/reduce_divide_tmpl.h"
#define T  double
#define ID f64
#include "backends/cpu/reduce/reduce_divide_tmpl.h"
#undef PARTS
#define PARTS 2
#define T     float
#define ID    c64
#include "backends/cpu/reduce/reduce_divide_tmpl.h"
#define T  double
#define ID c128
#include "backends/cpu/reduce/reduce_divide_tmpl.h"
#undef PARTS
#undef QUOTIENT

#define PARTS 1
#define QUOTIENT(x, count)                                                  \
  (sizeof(C) == sizeof(float) ? round_down_f32((float)(x) / (float)(count)) \
                              : round_down_f64((double)(x) / (double)(count)))
#define T  uint8_t
#define ID u8
#include "backends/cpu/reduce/reduce_divide_tmpl.h"
#define T  int8_t
#define ID i8
#include "backends/cpu/reduce/reduce_divide_tmpl.h"
#define T  int16_t
#define ID i16
#include "backends/cpu/reduce/reduce_divide_tmpl.h"
#undef QUOTIENT
#define QUOTIENT(x, count) round_down_f64((double)(x) / (double)(count))
#define T                  int32_t
#define ID                 i32
#include "backends/cpu/reduce/reduce_divide_tmpl.h"
#undef QUOTIENT
#define QUOTIENT(x, count) divide_down(x, (int64_t)(count))
#define T                  int64_t
#define ID                 i64
#include "backends/cpu/reduce/reduce_divide_tmpl.h"

const oyi_loop TABLE[OYI_DIVIDE_DTYPES] = {
    [OY_DTYPE_BOOL] = divide_u8, [OY_DTYPE_U8] = divide_u8,
    [OY_DTYPE_I8] = divide_i8,   [OY_DTYPE_I16] = divide_i16,
    [OY_DTYPE_I32] = divide_i32, [OY_DTYPE_I64] = divide_i64,
    [OY_DTYPE_F32] = divide_f32, [OY_DTYPE_F64] = divide_f64,
    [OY_DTYPE_C64] = divide_c64, [OY_DTYPE_C128] = divide_c128};
