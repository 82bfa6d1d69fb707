// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/index/updates.h"

#include <complex.h>
#undef I

#include "base/template.h"
#include "tensor/convert_loops.h"
#include "tensor/half.h"
#include "tensor/impl.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(4)

// |yes| where |is|, by bits: compilers make a branch of the choice of a float, and every other
// one of those goes the other way.
#define PICK_BITS(name, T, bits)               \
  static inline T name(bool is, T yes, T no) { \
    bits a, b;                                 \
    memcpy(&a, &yes, sizeof(a));               \
    memcpy(&b, &no, sizeof(b));                \
    b ^= (a ^ b) & (0 - (bits)is);             \
    memcpy(&no, &b, sizeof(no));               \
    return no;                                 \
  }
PICK_BITS(pick_f32, float, uint32_t)
PICK_BITS(pick_f64, double, uint64_t)
#undef PICK_BITS

// Integers, whose overflow wraps.
#define PICK(is, yes, no) ((is) ? (yes) : (no))
#define IS_NAN(x)         0
#define LOAD(x)           (x)
#define STORE(v)          (T)(v)
#define ADD(a, b)         ((uint64_t)(a) + (uint64_t)(b))
#define MUL(a, b)         ((uint64_t)(a) * (uint64_t)(b))
#define T                 uint8_t
#define ID                u8
#include "backends/cpu/index/update_tmpl.h"
#define T  int8_t
#define ID i8
#include "backends/cpu/index/update_tmpl.h"
#define T  int16_t
#define ID i16
#include "backends/cpu/index/update_tmpl.h"
#define T  int32_t
#define ID i32
#include "backends/cpu/index/update_tmpl.h"
#define T  int64_t
#define ID i64
#include "backends/cpu/index/update_tmpl.h"

// A bool is a byte that is 0 or 1.
#undef ADD
#undef MUL
#define ADD(a, b) ((a) | (b))
#define MUL(a, b) ((a) & (b))
#define T         uint8_t
#define ID        b1
#include "backends/cpu/index/update_tmpl.h"

#undef ADD
#undef MUL
#undef IS_NAN
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define IS_NAN(x) ((x) != (x))
#undef PICK
#define PICK pick_f32
#define T    float
#define ID   f32
#include "backends/cpu/index/update_tmpl.h"
#undef PICK
#define PICK pick_f64
#define T    double
#define ID   f64
#include "backends/cpu/index/update_tmpl.h"
#define IS_COMPLEX
#define T  float _Complex
#define ID c64
#include "backends/cpu/index/update_tmpl.h"
#define T  double _Complex
#define ID c128
#include "backends/cpu/index/update_tmpl.h"
#undef IS_COMPLEX

// 16-bit floats compute as float.
#undef PICK
#define PICK pick_f32
#undef LOAD
#undef STORE
#define LOAD(x)  oyi_f16_to_float(x)
#define STORE(v) oyi_f16_from_float(v)
#define T        uint16_t
#define ID       f16
#include "backends/cpu/index/update_tmpl.h"
#undef LOAD
#undef STORE
#define LOAD(x)  oyi_bf16_to_float(x)
#define STORE(v) oyi_bf16_from_float(v)
#define T        uint16_t
#define ID       bf16
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
#define IS_COMPLEX
#define T  halves
#define ID c32
#include "backends/cpu/index/update_tmpl.h"
#undef IS_COMPLEX

// Sums of halves that lie together, by the vectors that widen and narrow them.
static inline void add_halves(oy_dtype dtype, int64_t n, char* to, const char* from) {
  enum { PIECE = 256 };
  const oyi_convert_loop widen = oyi_convert_chain_of(OY_DTYPE_F32, dtype).loops[0];
  const oyi_convert_loop narrow = oyi_convert_chain_of(dtype, OY_DTYPE_F32).loops[0];
  const int64_t item = sizeof(uint16_t);
  float a[PIECE], b[PIECE];
  for (int64_t some; n > 0; n -= some, to += some * item, from += some * item) {
    some = n < PIECE ? n : PIECE;
    widen(a, to, some);
    widen(b, from, some);
    for (int64_t i = 0; i < some; i++) a[i] += b[i];
    narrow(to, a, some);
  }
}
#define ADD_HALVES(id, dtype)                                                         \
  static void add_halves_##id(int64_t n, char* to, int64_t to_step, const char* from, \
                              int64_t from_step) {                                    \
    const int64_t item = sizeof(uint16_t);                                            \
    if (n >= MANY_HALVES && to_step == item && from_step == item)                     \
      add_halves(dtype, n, to, from);                                                 \
    else                                                                              \
      add_row_##id(n, to, to_step, from, from_step);                                  \
  }
enum { MANY_HALVES = 16 };
ADD_HALVES(f16, OY_DTYPE_F16)
ADD_HALVES(bf16, OY_DTYPE_BF16)

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
    case 1: return (oyi_updater){set_row_1, set_at_1};
    case 2: return (oyi_updater){set_row_2, set_at_2};
    case 4: return (oyi_updater){set_row_4, set_at_4};
    case 8: return (oyi_updater){set_row_8, set_at_8};
    default: return (oyi_updater){set_row_16, set_at_16};
  }
}

#define REAL(name)                                                  \
  {                                                                 \
    [OY_DTYPE_U8] = {name##_row_u8, name##_at_u8},                  \
    [OY_DTYPE_I8] = {name##_row_i8, name##_at_i8},                  \
    [OY_DTYPE_I16] = {name##_row_i16, name##_at_i16},               \
    [OY_DTYPE_I32] = {name##_row_i32, name##_at_i32},               \
    [OY_DTYPE_I64] = {name##_row_i64, name##_at_i64},               \
    [OY_DTYPE_BOOL] = {name##_row_b1, name##_at_b1},                \
    [OY_DTYPE_F16] = {name##_row_f16, name##_at_f16},               \
    [OY_DTYPE_BF16] = {name##_row_bf16, name##_at_bf16},            \
    [OY_DTYPE_F32] = {name##_row_f32, name##_at_f32},               \
    [OY_DTYPE_F64] = {name##_row_f64, name##_at_f64}, COMPLEX(name) \
  }
#define COMPLEX(name)                               \
  [OY_DTYPE_C32] = {name##_row_c32, name##_at_c32}, \
  [OY_DTYPE_C64] = {name##_row_c64, name##_at_c64}, \
  [OY_DTYPE_C128] = {name##_row_c128, name##_at_c128}
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
  if (dtype >= DTYPES) return (oyi_updater){NULL, NULL};
  oyi_updater found = g_updaters[update][dtype];
  if (found.row == add_row_f16) found.row = add_halves_f16;
  if (found.row == add_row_bf16) found.row = add_halves_bf16;
  return found;
}

oy_status oyi_updater_find(oyi_update update, oy_dtype dtype, const char* name,
                           oyi_updater* out_updater) {
  *out_updater = oyi_updater_for(update, dtype);
  OY_CHECK(out_updater->row, NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
           oy_dtype_pytorch_name(dtype));
  return OY_OK;
}
