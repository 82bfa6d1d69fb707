// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/order/runs.h"

#include <stddef.h>

#include "base/template.h"
#include "tensor/half.h"

#define UNLIKE(a, b) ((a) != (b))
#define T            uint8_t
#define ID           u8
#include "backends/cpu/order/runs_tmpl.h"
#define T  uint16_t
#define ID u16
#include "backends/cpu/order/runs_tmpl.h"
#define T  uint32_t
#define ID u32
#include "backends/cpu/order/runs_tmpl.h"
#define T  uint64_t
#define ID u64
#include "backends/cpu/order/runs_tmpl.h"
#define T  float
#define ID f32
#include "backends/cpu/order/runs_tmpl.h"
#define T  double
#define ID f64
#include "backends/cpu/order/runs_tmpl.h"

#undef UNLIKE
#define UNLIKE(a, b) (oyi_bf16_to_float(a) != oyi_bf16_to_float(b))
#define T            uint16_t
#define ID           bf16
#include "backends/cpu/order/runs_tmpl.h"
#undef UNLIKE

// By their bits: zeros of either sign are alike, and NaN is like nothing.
static inline int unlike_f16(uint16_t a, uint16_t b) {
  enum { SIZE = 0x7fff, INFINITE = 0x7c00 };
  return ((a != b) & (((a | b) & SIZE) != 0)) | ((a & SIZE) > INFINITE);
}
#define UNLIKE(a, b) unlike_f16(a, b)
#define T            uint16_t
#define ID           f16
#include "backends/cpu/order/runs_tmpl.h"
#undef UNLIKE

oyi_runs_fn oyi_runs_of(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8:
    case OY_DTYPE_I8: return take_runs_u8;
    case OY_DTYPE_I16: return take_runs_u16;
    case OY_DTYPE_I32: return take_runs_u32;
    case OY_DTYPE_I64: return take_runs_u64;
    case OY_DTYPE_F16: return take_runs_f16;
    case OY_DTYPE_BF16: return take_runs_bf16;
    case OY_DTYPE_F32: return take_runs_f32;
    case OY_DTYPE_F64: return take_runs_f64;
    default: return NULL;
  }
}
