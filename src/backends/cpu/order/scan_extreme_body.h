// SPDX-License-Identifier: Apache-2.0
// Running extremes of scan_extreme.h, for one level of processors: LEVELED(name) is given.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/order/scan_extreme.h"

#include <string.h>

#include "backends/cpu/order/ordered.h"
#include "base/template.h"

enum {
  BLOCK = 64,        // elements that are passed over together
  PART = 16,         // of them, where the best may change
  COLUMNS = 512,     // lines that are neighbours, at a time
  FEW_COLUMNS = 6,   // fewer are lines
  SHORT_APART = 32,  // elements of a short line that has gaps
  LONG_SHORT = 6,    // elements of 8 bytes of a short line; of others it has two
};

// Keys are integers of which the greatest is looked for: elements of a type as wide, all of
// their bits turned for the least, and floats as numbers of the same order, of which NaN is the
// last and zeros of either sign are the same.
#define WHOLE(x, turn)         ((x) ^ (turn))
#define FLOATING(number, turn) ((number) == LAST ? LAST : (K)((number) ^ (turn)))

#define KEY(x, turn)        WHOLE(x, turn)
#define IS_ALIKE(key, turn) ((void)(turn), true)
#define K                   uint8_t
#define C                   int8_t
#define ID                  u8
#include "backends/cpu/order/scan_extreme_tmpl.h"
#define K  int8_t
#define C  int8_t
#define ID i8
#include "backends/cpu/order/scan_extreme_tmpl.h"
#define K  int16_t
#define C  int16_t
#define ID i16
#include "backends/cpu/order/scan_extreme_tmpl.h"
#define K  int32_t
#define C  int32_t
#define ID i32
#include "backends/cpu/order/scan_extreme_tmpl.h"
#define K  int64_t
#define C  int64_t
#define ID i64
#include "backends/cpu/order/scan_extreme_tmpl.h"
#undef KEY
#undef IS_ALIKE

#define IS_ALIKE(key, turn) ((key) != (turn) && (key) != LAST)
#define LAST                INT16_MAX
#define KEY(x, turn)        FLOATING(oyi_ordered_f16(x), turn)
#define K                   int16_t
#define C                   int16_t
#define ID                  f16
#include "backends/cpu/order/scan_extreme_tmpl.h"
#undef KEY
#define KEY(x, turn) FLOATING(oyi_ordered_bf16(x), turn)
#define K            int16_t
#define C            int16_t
#define ID           bf16
#include "backends/cpu/order/scan_extreme_tmpl.h"
#undef LAST
#undef KEY
#define LAST         INT32_MAX
#define KEY(x, turn) FLOATING(oyi_ordered_f32(x), turn)
#define K            int32_t
#define C            int32_t
#define ID           f32
#include "backends/cpu/order/scan_extreme_tmpl.h"
#undef LAST
#undef KEY
#define LAST         INT64_MAX
#define KEY(x, turn) FLOATING(oyi_ordered_f64(x), turn)
#define K            int64_t
#define C            int64_t
#define ID           f64
#include "backends/cpu/order/scan_extreme_tmpl.h"

void LEVELED(oyi_extremes)(oy_dtype dtype, const oyi_extreme_lines* e) {
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8: extremes_u8(e); return;
    case OY_DTYPE_I8: extremes_i8(e); return;
    case OY_DTYPE_I16: extremes_i16(e); return;
    case OY_DTYPE_I32: extremes_i32(e); return;
    case OY_DTYPE_I64: extremes_i64(e); return;
    case OY_DTYPE_F16: extremes_f16(e); return;
    case OY_DTYPE_BF16: extremes_bf16(e); return;
    case OY_DTYPE_F32: extremes_f32(e); return;
    default: extremes_f64(e); return;
  }
}
