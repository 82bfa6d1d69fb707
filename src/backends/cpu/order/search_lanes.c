// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/order/search_lanes.h"
#include "base/template.h"

#define OYI_UNROLL OYI_UNROLL_BY(8)

#define T  uint8_t
#define ID u8
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  int8_t
#define ID i8
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  int16_t
#define ID i16
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  int32_t
#define ID i32
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  int64_t
#define ID i64
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  float
#define ID f32
#include "backends/cpu/order/search_lanes_tmpl.h"
#define T  double
#define ID f64
#include "backends/cpu/order/search_lanes_tmpl.h"

typedef void (*search_fn)(const void* x, int64_t n, const void* values, int64_t* out);

// Of values below, and of values not above.
static const search_fn searches[OY_DTYPE_LIMIT][2] = {
    [OY_DTYPE_BOOL] = {below_u8, up_to_u8},  [OY_DTYPE_U8] = {below_u8, up_to_u8},
    [OY_DTYPE_I8] = {below_i8, up_to_i8},    [OY_DTYPE_I16] = {below_i16, up_to_i16},
    [OY_DTYPE_I32] = {below_i32, up_to_i32}, [OY_DTYPE_I64] = {below_i64, up_to_i64},
    [OY_DTYPE_F32] = {below_f32, up_to_f32}, [OY_DTYPE_F64] = {below_f64, up_to_f64},
};

bool oyi_search_has_lanes(oy_dtype dtype) {
  return searches[dtype][0] != NULL;
}

void oyi_search_lanes(oy_dtype dtype, const char* x, int64_t n, const char* values,
                      bool or_equal, int64_t* out) {
  searches[dtype][or_equal](x, n, values, out);
}
