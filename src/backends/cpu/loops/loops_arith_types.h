// SPDX-License-Identifier: Apache-2.0
// The arithmetic loops of all types, as loop_define.h or loop_list.h reads them.
#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
#define LOGIT_SLOPE         (a / (b * ((T)1 - b)))

#define T         float
#define W         float
#define ID        f32
#define KIND      F32
#define FN(name)  name##f
#define NEGATE(x) (-(x))
#define IS_NAN(x) ((x) != (x))
#include "backends/cpu/loops/loops_arith_float.def"
#include "backends/cpu/loops/loops_arith_number.def"
#undef T
#undef W
#undef ID
#undef KIND
#undef FN

#define T        double
#define W        double
#define ID       f64
#define KIND     F64
#define FN(name) name
#include "backends/cpu/loops/loops_arith_float.def"
#include "backends/cpu/loops/loops_arith_number.def"
#undef T
#undef W
#undef ID
#undef KIND
#undef FN
#undef NEGATE
#undef IS_NAN

#define NEGATE(x) ((W)0 - (W)(x))
#define IS_NAN(x) 0
#define T         int64_t
#define W         uint64_t
#define ID        i64
#define KIND      I64
#include "backends/cpu/loops/loops_arith_int.def"
#include "backends/cpu/loops/loops_arith_number.def"
#undef T
#undef W
#undef ID
#undef KIND

#define T    int32_t
#define W    uint32_t
#define ID   i32
#define KIND I32
#include "backends/cpu/loops/loops_arith_int.def"
#include "backends/cpu/loops/loops_arith_number.def"
#include "backends/cpu/loops/loops_arith_short.def"
#undef T
#undef ID
#undef KIND

// Narrow products are computed in 32 bits: C would widen them to int anyway.
#define T    int16_t
#define ID   i16
#define KIND I16
#include "backends/cpu/loops/loops_arith_int.def"
#include "backends/cpu/loops/loops_arith_number.def"
#include "backends/cpu/loops/loops_arith_short.def"
#undef T
#undef ID
#undef KIND

#define T    int8_t
#define ID   i8
#define KIND I8
#include "backends/cpu/loops/loops_arith_int.def"
#include "backends/cpu/loops/loops_arith_number.def"
#include "backends/cpu/loops/loops_arith_short.def"
#undef T
#undef ID
#undef KIND

#define T    uint8_t
#define ID   u8
#define KIND U8
#include "backends/cpu/loops/loops_arith_int.def"
#include "backends/cpu/loops/loops_arith_number.def"
#include "backends/cpu/loops/loops_arith_short.def"
#undef ID
#undef KIND

#define ID   b1
#define KIND BOOL
#include "backends/cpu/loops/loops_arith_bool.def"
#undef T
#undef W
#undef ID
#undef KIND
#undef NEGATE
#undef IS_NAN
#undef CLAMP
#undef LOGIT_SLOPE

#define T        float _Complex
#define R        float
#define ID       c64
#define KIND     C64
#define FN(name) name##f
#include "backends/cpu/loops/loops_arith_complex.def"
#undef T
#undef R
#undef ID
#undef KIND
#undef FN

#define T        double _Complex
#define R        double
#define ID       c128
#define KIND     C128
#define FN(name) name
#include "backends/cpu/loops/loops_arith_complex.def"
#undef T
#undef R
#undef ID
#undef KIND
#undef FN
