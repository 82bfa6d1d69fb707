// SPDX-License-Identifier: Apache-2.0
// All loops from one type: FROM, FROM_ID and FROM_IS_FLOAT are given.
#if FROM_IS_FLOAT
#define VALUE(x) oyi_float_to_int((double)(x))
#else
#define VALUE(x) (x)
#endif
#define TO    int64_t
#define TO_ID i64
#include "tensor/convert_tmpl.h"
#undef TO
#undef TO_ID
#define TO    int32_t
#define TO_ID i32
#include "tensor/convert_tmpl.h"
#undef TO
#undef TO_ID
#define TO    uint8_t
#define TO_ID u8
#include "tensor/convert_tmpl.h"
#undef TO_ID
#undef VALUE
#define VALUE(x) ((x) != 0)
#define TO_ID    b1
#include "tensor/convert_tmpl.h"
#undef TO
#undef TO_ID
#undef VALUE
#define VALUE(x) (x)
#define TO       float
#define TO_ID    f32
#include "tensor/convert_tmpl.h"
#undef TO
#undef TO_ID
#define TO    double
#define TO_ID f64
#include "tensor/convert_tmpl.h"
#undef TO
#undef TO_ID
#undef VALUE
