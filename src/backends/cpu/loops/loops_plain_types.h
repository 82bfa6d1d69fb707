// SPDX-License-Identifier: Apache-2.0
// The plain loops of all types, as loop_define.h or loop_list.h reads them.
#define T    int64_t
#define ID   i64
#define KIND I64
#include "backends/cpu/loops/loops_plain_int.def"
#undef T
#undef ID
#undef KIND

#define T    int32_t
#define ID   i32
#define KIND I32
#include "backends/cpu/loops/loops_plain_int.def"
#undef T
#undef ID
#undef KIND

#define T    int16_t
#define ID   i16
#define KIND I16
#include "backends/cpu/loops/loops_plain_int.def"
#undef T
#undef ID
#undef KIND

#define T    int8_t
#define ID   i8
#define KIND I8
#include "backends/cpu/loops/loops_plain_int.def"
#undef T
#undef ID
#undef KIND

#define T    uint8_t
#define ID   u8
#define KIND U8
#include "backends/cpu/loops/loops_plain_int.def"
#undef T
#undef ID
#undef KIND

#define T    uint8_t
#define ID   b1
#define KIND BOOL
UNARY_TO(signbit, uint8_t, a & 0)
UNARY_TO(isposinf, uint8_t, a & 0)
UNARY_TO(isneginf, uint8_t, a & 0)
UNARY(conj, a)
UNARY(nan_to_num, a)
BINARY(fmax, a | b)
BINARY(fmin, a& b)
#undef T
#undef ID
#undef KIND
