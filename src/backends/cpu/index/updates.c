// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/index/updates.h"

#include <complex.h>
#undef I

#include "backends/cpu/index/complex_product.h"
#include "backends/cpu/loops/loops.h"
#include "base/cpu.h"
#include "base/template.h"
#include "tensor/convert_loops.h"
#include "tensor/half.h"
#include "tensor/impl.h"
#include "tensor/move.h"

// A function of lines |l|: element |x[i]| of one updates |o[index[i]]|, which becomes what is
// given; it ends at the first index that is too great.
#define UPDATE_LINES(function, T, ...)                             \
  static bool function(const oyi_update_lines* l) {                \
    const int64_t n = l->n;                                        \
    const uint64_t size = l->size;                                 \
    char* to = l->to;                                              \
    const char *from = l->from, *at = l->index;                    \
    for (int64_t k = 0; k < l->lines; k++) {                       \
      T* o = (T*)(void*)to;                                        \
      const T* x = (const T*)(const void*)from;                    \
      const uint64_t* index = (const uint64_t*)(const void*)at;    \
      OYI_UNROLL                                                   \
      for (int64_t i = 0; i < n; i++) {                            \
        if (OY_UNLIKELY(index[i] >= size)) return false;           \
        o[index[i]] = __VA_ARGS__;                                 \
      }                                                            \
      to += l->to_down, from += l->from_down, at += l->index_down; \
    }                                                              \
    return true;                                                   \
  }

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(4)
enum { LONG_ROW = 16 };  // elements that are worth a call of another loop

// ------------------------------------------------------------------ sums and products

// Integers, whose overflow wraps.
#define NUMBER    T
#define LOAD(x)   (x)
#define STORE(v)  (T)(v)
#define ADD(a, b) ((uint64_t)(a) + (uint64_t)(b))
#define MUL(a, b) ((uint64_t)(a) * (uint64_t)(b))
#define T         uint8_t
#define ID        u8
#define DTYPE     OY_DTYPE_U8
#include "backends/cpu/index/update_tmpl.h"
#define T     int8_t
#define ID    i8
#define DTYPE OY_DTYPE_I8
#include "backends/cpu/index/update_tmpl.h"
#define T     int16_t
#define ID    i16
#define DTYPE OY_DTYPE_I16
#include "backends/cpu/index/update_tmpl.h"
#define T     int32_t
#define ID    i32
#define DTYPE OY_DTYPE_I32
#include "backends/cpu/index/update_tmpl.h"
#define T     int64_t
#define ID    i64
#define DTYPE OY_DTYPE_I64
#include "backends/cpu/index/update_tmpl.h"

// A bool is a byte that is 0 or 1.
#undef ADD
#undef MUL
#define ADD(a, b) ((a) | (b))
#define MUL(a, b) ((a) & (b))
#define T         uint8_t
#define ID        b1
#define DTYPE     OY_DTYPE_BOOL
#include "backends/cpu/index/update_tmpl.h"

#undef ADD
#undef MUL
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define T         float
#define ID        f32
#define DTYPE     OY_DTYPE_F32
#include "backends/cpu/index/update_tmpl.h"
#define T     double
#define ID    f64
#define DTYPE OY_DTYPE_F64
#include "backends/cpu/index/update_tmpl.h"

// 16-bit floats compute as float.
#undef NUMBER
#define NUMBER float
#undef LOAD
#undef STORE
#define LOAD(x)  oyi_f16_to_float(x)
#define STORE(v) oyi_f16_from_float(v)
#define T        uint16_t
#define ID       f16
#define DTYPE    OY_DTYPE_F16
#include "backends/cpu/index/update_tmpl.h"
#undef LOAD
#undef STORE
#define LOAD(x)  oyi_bf16_to_float(x)
#define STORE(v) oyi_bf16_from_float(v)
#define T        uint16_t
#define ID       bf16
#define DTYPE    OY_DTYPE_BF16
#include "backends/cpu/index/update_tmpl.h"

// Products of complex numbers are the plain formula: C's own treat infinities specially.
#define TIMES(name, C, R)                                                           \
  static inline C name(C a, C b) {                                                  \
    const R *x = (const R*)&a, *y = (const R*)&b;                                   \
    return __builtin_complex(x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]); \
  }
TIMES(times_f32, float _Complex, float)
TIMES(times_f64, double _Complex, double)
#undef TIMES
#undef LOAD
#undef STORE
#undef MUL
#define IS_COMPLEX
#define LOAD(x)   (x)
#define STORE(v)  (v)
#define MUL(a, b) times_f64(a, b)
#define T         double _Complex
#define ID        c128
#define DTYPE     OY_DTYPE_C128
#include "backends/cpu/index/update_tmpl.h"
#undef MUL
#define MUL(a, b) times_f32(a, b)
#define T         float _Complex
#define ID        c64
#define DTYPE     OY_DTYPE_C64
#include "backends/cpu/index/update_tmpl.h"

typedef struct halves {
  uint16_t re, im;
} halves;
static inline float _Complex load_c32(halves z) {
  return __builtin_complex(oyi_f16_to_float(z.re), oyi_f16_to_float(z.im));
}
static inline halves store_c32(float _Complex z) {
  return (halves){oyi_f16_from_float(crealf(z)), oyi_f16_from_float(cimagf(z))};
}
#undef LOAD
#undef STORE
#define LOAD(x)  load_c32(x)
#define STORE(v) store_c32(v)
#define T        halves
#define ID       c32
#define DTYPE    OY_DTYPE_C32
#include "backends/cpu/index/update_tmpl.h"
#undef LOAD
#undef STORE
#undef ADD
#undef MUL
#undef IS_COMPLEX
#undef NUMBER

#include "backends/cpu/index/update_complex.h"

// Halves that lie together, by the vectors that widen and narrow them.
static inline void update_halves(oyi_update update, int64_t n, char* to,
                                 const char* from) {
  enum { PIECE = 256 };
  const oyi_convert_loop widen =
      oyi_convert_chain_of(OY_DTYPE_F32, OY_DTYPE_F16).loops[0];
  const oyi_convert_loop narrow =
      oyi_convert_chain_of(OY_DTYPE_F16, OY_DTYPE_F32).loops[0];
  const int64_t item = sizeof(uint16_t);
  float a[PIECE], b[PIECE];
  for (int64_t some; n > 0; n -= some, to += some * item, from += some * item) {
    some = n < PIECE ? n : PIECE;
    widen(a, to, some);
    widen(b, from, some);
    for (int64_t i = 0; i < some; i++)
      a[i] = update == OYI_UPDATE_ADD ? a[i] + b[i] : a[i] * b[i];
    narrow(to, a, some);
  }
}
#define HALVES(name, update)                                                        \
  static void name##_halves(int64_t n, char* to, int64_t to_step, const char* from, \
                            int64_t from_step) {                                    \
    const int64_t item = sizeof(uint16_t);                                          \
    if (n >= LONG_ROW && to_step == item && from_step == item)                      \
      update_halves(update, n, to, from);                                           \
    else                                                                            \
      name##_row_f16(n, to, to_step, from, from_step);                              \
  }
HALVES(add, OYI_UPDATE_ADD)
HALVES(mul, OYI_UPDATE_MUL)
#undef HALVES

// --------------------------------------------------------------- the greater, the less

#define NUMBER        T
#define LOAD(x)       (x)
#define STORE(v)      (v)
#define GREATER(a, b) ((b) > (a) ? (b) : (a))
#define LESS(a, b)    ((b) < (a) ? (b) : (a))
#define T             uint8_t
#define ID            u8
#define DTYPE         OY_DTYPE_U8
#include "backends/cpu/index/update_order_tmpl.h"
#define T     int8_t
#define ID    i8
#define DTYPE OY_DTYPE_I8
#include "backends/cpu/index/update_order_tmpl.h"
#define T     int16_t
#define ID    i16
#define DTYPE OY_DTYPE_I16
#include "backends/cpu/index/update_order_tmpl.h"
#define T     int32_t
#define ID    i32
#define DTYPE OY_DTYPE_I32
#include "backends/cpu/index/update_order_tmpl.h"
#define T     int64_t
#define ID    i64
#define DTYPE OY_DTYPE_I64
#include "backends/cpu/index/update_order_tmpl.h"
#define T     uint8_t
#define ID    b1
#define DTYPE OY_DTYPE_BOOL
#include "backends/cpu/index/update_order_tmpl.h"

// What processors have an instruction for, where no operand is NaN; |a| if it is.
#define PICK(name, T, than)                  \
  static inline T name(T a, T b) {           \
    const T number = b than a ? b : a;       \
    return OY_UNLIKELY(b != b) ? b : number; \
  }
PICK(greater_f32, float, >)
PICK(greater_f64, double, >)
PICK(less_f32, float, <)
PICK(less_f64, double, <)
#undef PICK
#undef GREATER
#undef LESS
#define GREATER(a, b) greater_f32(a, b)
#define LESS(a, b)    less_f32(a, b)
#define T             float
#define ID            f32
#define DTYPE         OY_DTYPE_F32
#include "backends/cpu/index/update_order_tmpl.h"
#undef GREATER
#undef LESS
#define GREATER(a, b) greater_f64(a, b)
#define LESS(a, b)    less_f64(a, b)
#define T             double
#define ID            f64
#define DTYPE         OY_DTYPE_F64
#include "backends/cpu/index/update_order_tmpl.h"

// Halves by their bits: without a branch, which compilers make of a choice, and every other
// one of those goes the other way.
static inline int16_t order_of(uint16_t half) {
  const int16_t size = (int16_t)(half & 0x7fff), sign = (int16_t)(0 - (half >> 15));
  return (int16_t)((size ^ sign) - sign);
}
static inline uint16_t pick_half(uint16_t a, uint16_t b, bool is_before) {
  enum { INFINITE = 0x7c00 };  // the last one before NaN
  const bool a_is_number = (a & 0x7fff) <= INFINITE, b_is_nan = (b & 0x7fff) > INFINITE;
  const uint16_t all = (uint16_t)(0 - ((is_before & a_is_number) | b_is_nan));
  return a ^ ((a ^ b) & all);
}
#undef GREATER
#undef LESS
#define GREATER(a, b) pick_half(a, b, order_of(b) > order_of(a))
#define LESS(a, b)    pick_half(a, b, order_of(b) < order_of(a))
#define T             uint16_t
#define ID            f16
#define DTYPE         OY_DTYPE_F16
#include "backends/cpu/index/update_order_tmpl.h"

// What is picked of two floats that were wide bfloat16 is one of them, and needs no rounding.
static inline uint16_t upper_half(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof(bits));
  return (uint16_t)(bits >> 16);
}
#undef LOAD
#undef STORE
#undef GREATER
#undef LESS
#define LOAD(x)       oyi_bf16_to_float(x)
#define STORE(v)      upper_half(v)
#define GREATER(a, b) greater_f32(a, b)
#define LESS(a, b)    less_f32(a, b)
#define T             uint16_t
#define ID            bf16
#define DTYPE         OY_DTYPE_BF16
#include "backends/cpu/index/update_order_tmpl.h"
#undef LOAD
#undef STORE
#undef GREATER
#undef LESS
#undef NUMBER

// ------------------------------------------------------------------ moving elements

typedef struct bytes16 {
  uint64_t words[2];
} bytes16;
#define T  uint8_t
#define ID 1
#include "backends/cpu/index/update_move_tmpl.h"
#define T  uint16_t
#define ID 2
#include "backends/cpu/index/update_move_tmpl.h"
#define T  uint32_t
#define ID 4
#include "backends/cpu/index/update_move_tmpl.h"
#define T  uint64_t
#define ID 8
#include "backends/cpu/index/update_move_tmpl.h"
#define T  bytes16
#define ID 16
#include "backends/cpu/index/update_move_tmpl.h"

oyi_take_fn oyi_take_for(size_t item) {
  switch (item) {
    case 1: return take_1;
    case 2: return take_2;
    case 4: return take_4;
    case 8: return take_8;
    default: return take_16;
  }
}

static oyi_updater setter_for(size_t item) {
  switch (item) {
    case 1: return (oyi_updater){set_row_1, set_at_1, set_lines_1};
    case 2: return (oyi_updater){set_row_2, set_at_2, set_lines_2};
    case 4: return (oyi_updater){set_row_4, set_at_4, set_lines_4};
    case 8: return (oyi_updater){set_row_8, set_at_8, set_lines_8};
    default: return (oyi_updater){set_row_16, set_at_16, set_lines_16};
  }
}

#define REAL(name)                                                                    \
  {                                                                                   \
    [OY_DTYPE_U8] = {name##_row_u8, name##_at_u8, name##_lines_u8},                   \
    [OY_DTYPE_I8] = {name##_row_i8, name##_at_i8, name##_lines_i8},                   \
    [OY_DTYPE_I16] = {name##_row_i16, name##_at_i16, name##_lines_i16},               \
    [OY_DTYPE_I32] = {name##_row_i32, name##_at_i32, name##_lines_i32},               \
    [OY_DTYPE_I64] = {name##_row_i64, name##_at_i64, name##_lines_i64},               \
    [OY_DTYPE_BOOL] = {name##_row_b1, name##_at_b1, name##_lines_b1},                 \
    [OY_DTYPE_F16] = {name##_row_f16, name##_at_f16, name##_lines_f16},               \
    [OY_DTYPE_BF16] = {name##_row_bf16, name##_at_bf16, name##_lines_bf16},           \
    [OY_DTYPE_F32] = {name##_row_f32, name##_at_f32, name##_lines_f32},               \
    [OY_DTYPE_F64] = {name##_row_f64, name##_at_f64, name##_lines_f64}, COMPLEX(name) \
  }
#define COMPLEX(name)                                                 \
  [OY_DTYPE_C32] = {name##_row_c32, name##_at_c32, name##_lines_c32}, \
  [OY_DTYPE_C64] = {name##_row_c64, name##_at_c64, name##_lines_c64}, \
  [OY_DTYPE_C128] = {name##_row_c128, name##_at_c128, name##_lines_c128}
enum { DTYPES = OY_DTYPE_BF16 + 1 };
static const oyi_updater g_updaters[][DTYPES] = {
    [OYI_UPDATE_ADD] = REAL(add),
    [OYI_UPDATE_MUL] = REAL(mul),
#undef COMPLEX
#define COMPLEX(name)
    [OYI_UPDATE_MAX] = REAL(max),
    [OYI_UPDATE_MIN] = REAL(min),
};

oyi_updater oyi_updater_for(oyi_update update, oy_dtype dtype) {
  if (update == OYI_UPDATE_SET) return setter_for(oyi_dtype_bytes[dtype]);
  if (dtype >= DTYPES) return (oyi_updater){0};
  oyi_updater found = g_updaters[update][dtype];
  if (found.row == add_row_f16) found.row = add_halves;
  if (found.row == mul_row_f16) found.row = mul_halves;
  if (found.row == add_row_c64) found.row = add_parts_c64;
  if (found.row == mul_row_c64) found.row = mul_pairs_c64;
  if (found.row == add_row_c128) found.row = add_parts_c128;
  return found;
}

oy_status oyi_updater_find(oyi_update update, oy_dtype dtype, const char* name,
                           oyi_updater* out_updater) {
  *out_updater = oyi_updater_for(update, dtype);
  OY_CHECK(out_updater->row, NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
           oy_dtype_pytorch_name(dtype));
  return OY_OK;
}
