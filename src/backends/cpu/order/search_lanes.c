// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/order/search_lanes.h"

#include "backends/cpu/order/ordered.h"
#include "base/template.h"
#include "tensor/half.h"

#define OYI_UNROLL OYI_UNROLL_BY(8)

#define LOAD(x) (x)
#define T       uint8_t
#define K       uint8_t
#define ID      u8
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  int8_t
#define K  int8_t
#define ID i8
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  int16_t
#define K  int16_t
#define ID i16
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  int32_t
#define K  int32_t
#define ID i32
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  int64_t
#define K  int64_t
#define ID i64
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  float
#define K  float
#define ID f32
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  double
#define K  double
#define ID f64
#include "backends/cpu/order/search_lanes_tmpl.h"
#undef LOAD

#define LOAD(x) oyi_ordered_f16((int16_t)(x))
#define T       uint16_t
#define K       int16_t
#define ID      f16
#include "backends/cpu/order/search_lanes_tmpl.h"
#undef LOAD
#define LOAD(x) oyi_bf16_to_float(x)
#define T       uint16_t
#define K       float
#define ID      bf16
#include "backends/cpu/order/search_lanes_tmpl.h"

typedef void (*search_fn)(const void* x, int64_t n, const void* values, int64_t count,
                          int64_t* out);

// Of values below, and of values not above.
static const search_fn searches[OY_DTYPE_LIMIT][2] = {
    [OY_DTYPE_BOOL] = {below_u8, up_to_u8},  [OY_DTYPE_U8] = {below_u8, up_to_u8},
    [OY_DTYPE_I8] = {below_i8, up_to_i8},    [OY_DTYPE_I16] = {below_i16, up_to_i16},
    [OY_DTYPE_I32] = {below_i32, up_to_i32}, [OY_DTYPE_I64] = {below_i64, up_to_i64},
    [OY_DTYPE_F32] = {below_f32, up_to_f32}, [OY_DTYPE_F64] = {below_f64, up_to_f64},
    [OY_DTYPE_F16] = {below_f16, up_to_f16}, [OY_DTYPE_BF16] = {below_bf16, up_to_bf16},
};

void oyi_search_lanes(oy_dtype dtype, const char* x, int64_t n, const char* values,
                      int64_t count, bool or_equal, int64_t* out) {
  searches[dtype][or_equal](x, n, values, count, out);
}

bool oyi_search_has_nan(oy_dtype dtype, const char* x, int64_t n) {
  const void* from = x;
  const uint16_t* halves = from;
  const float* floats = from;
  const double* doubles = from;
  int64_t found = 0;
  int32_t found_float = 0;
  int16_t found_half = 0;
  switch (dtype) {
    case OY_DTYPE_F16:
      for (int64_t i = 0; i < n; i++) found_half |= (halves[i] & 0x7fff) > 0x7c00;
      break;
    case OY_DTYPE_BF16:
      for (int64_t i = 0; i < n; i++) found_half |= (halves[i] & 0x7fff) > 0x7f80;
      break;
    case OY_DTYPE_F32:
      for (int64_t i = 0; i < n; i++) found_float |= floats[i] != floats[i];
      break;
    case OY_DTYPE_F64:
      for (int64_t i = 0; i < n; i++) found |= doubles[i] != doubles[i];
      break;
    default: break;
  }
  return (found | found_float | found_half) != 0;
}

oy_dtype oyi_search_integer(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F16:
    case OY_DTYPE_BF16: return OY_DTYPE_I16;
    case OY_DTYPE_F32: return OY_DTYPE_I32;
    case OY_DTYPE_F64: return OY_DTYPE_I64;
    default: return dtype;
  }
}

void oyi_search_to_integers(oy_dtype dtype, const char* x, int64_t n, int64_t* out) {
  const void* from = x;
  void* to = out;
  const int16_t* halves = from;
  if (dtype == OY_DTYPE_F16)
    for (int64_t i = 0; i < n; i++) ((int16_t*)to)[i] = oyi_ordered_f16(halves[i]);
  else if (dtype == OY_DTYPE_BF16)
    for (int64_t i = 0; i < n; i++) ((int16_t*)to)[i] = oyi_ordered_bf16(halves[i]);
  else if (dtype == OY_DTYPE_F32)
    for (int64_t i = 0; i < n; i++)
      ((int32_t*)to)[i] = oyi_ordered_f32(((const int32_t*)from)[i]);
  else
    for (int64_t i = 0; i < n; i++)
      ((int64_t*)to)[i] = oyi_ordered_f64(((const int64_t*)from)[i]);
}
