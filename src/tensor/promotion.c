// SPDX-License-Identifier: Apache-2.0
// Which dtype a computation has: PyTorch's promotion table (reference, 8.7), the
// three categories of operands (8.8), and the dtype of a call for operators with
// dtype variants. OY_DTYPE_ANY stands for Undefined.
#include "tensor/promotion.h"

#include "base/memory.h"
#include "opyard/defaults.h"
#include "tensor/dtype_kind.h"
#include "tensor/impl.h"

const uint8_t oyi_dtype_bytes[256] = {
#define OY_DTYPE(id, pytorch, value, size, name) [value] = size,
#include "opyard/dtypes.def"
#undef OY_DTYPE
};

enum {
  BOOL_BIT = OYI_KIND_BOOL,
  INTEGRAL = OYI_KIND_INTEGRAL,
  FLOATING = OYI_KIND_FLOATING,
  COMPLEX = OYI_KIND_COMPLEX,
  QUANTIZED = OYI_KIND_QUANTIZED,
  FLOAT8 = OYI_KIND_FLOAT8,
  BAREBONES = OYI_KIND_BAREBONES
};

const uint8_t oyi_dtype_kind[256] = {[OY_DTYPE_U8] = INTEGRAL,
                                     [OY_DTYPE_I8] = INTEGRAL,
                                     [OY_DTYPE_I16] = INTEGRAL,
                                     [OY_DTYPE_I32] = INTEGRAL,
                                     [OY_DTYPE_I64] = INTEGRAL,
                                     [OY_DTYPE_F16] = FLOATING,
                                     [OY_DTYPE_BF16] = FLOATING,
                                     [OY_DTYPE_F32] = FLOATING,
                                     [OY_DTYPE_F64] = FLOATING,
                                     [OY_DTYPE_C32] = COMPLEX,
                                     [OY_DTYPE_C64] = COMPLEX,
                                     [OY_DTYPE_C128] = COMPLEX,
                                     [OY_DTYPE_BOOL] = BOOL_BIT,
                                     [OY_DTYPE_QI8] = QUANTIZED,
                                     [OY_DTYPE_QU8] = QUANTIZED,
                                     [OY_DTYPE_QI32] = QUANTIZED,
                                     [OY_DTYPE_F8E5M2] = FLOATING | FLOAT8,
                                     [OY_DTYPE_F8E4M3] = FLOATING | FLOAT8,
                                     [OY_DTYPE_F8E5M2FNUZ] = FLOATING | FLOAT8,
                                     [OY_DTYPE_F8E4M3FNUZ] = FLOATING | FLOAT8,
                                     [OY_DTYPE_U16] = INTEGRAL | BAREBONES,
                                     [OY_DTYPE_U32] = INTEGRAL | BAREBONES,
                                     [OY_DTYPE_U64] = INTEGRAL | BAREBONES};

bool oy_dtype_is_floating(oy_dtype dtype) {
  return oyi_dtype_kind[dtype] & FLOATING;
}
bool oy_dtype_is_complex(oy_dtype dtype) {
  return oyi_dtype_kind[dtype] & COMPLEX;
}
bool oy_dtype_is_integral(oy_dtype dtype, bool include_bool) {
  return oyi_dtype_kind[dtype] & (include_bool ? INTEGRAL | BOOL_BIT : INTEGRAL);
}
bool oy_dtype_is_quantized(oy_dtype dtype) {
  return oyi_dtype_kind[dtype] & QUANTIZED;
}
static oy_dtype g_default = OY_DTYPE_F32;

oy_dtype oy_dtype_default(void) {
  return __atomic_load_n(&g_default, __ATOMIC_RELAXED);
}

oy_status oy_dtype_default_set(oy_dtype dtype) {
  OY_CHECK(dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64 || dtype == OY_DTYPE_F16 ||
               dtype == OY_DTYPE_BF16,
           TYPE_MISMATCH, "only floating-point types are supported as the default type");
  __atomic_store_n(&g_default, dtype, __ATOMIC_RELAXED);
  return OY_OK;
}

const char* oy_dtype_pytorch_name(oy_dtype dtype) {
  switch (dtype) {
#define OY_DTYPE(id, pytorch, value, size, name) \
  case value:                                    \
    return pytorch;
#include "opyard/dtypes.def"
#undef OY_DTYPE
    default: return "Undefined";
  }
}

// Rows and columns of the table in the reference's order.
enum {
  P_U8,
  P_I8,
  P_I16,
  P_I32,
  P_I64,
  P_F16,
  P_BF16,
  P_F32,
  P_F64,
  P_C32,
  P_C64,
  P_C128,
  P_B1,
  P_COUNT
};
static const uint8_t g_rank[OY_DTYPE_LIMIT] = {
    [OY_DTYPE_U8] = P_U8,    [OY_DTYPE_I8] = P_I8,     [OY_DTYPE_I16] = P_I16,
    [OY_DTYPE_I32] = P_I32,  [OY_DTYPE_I64] = P_I64,   [OY_DTYPE_F16] = P_F16,
    [OY_DTYPE_F32] = P_F32,  [OY_DTYPE_F64] = P_F64,   [OY_DTYPE_C32] = P_C32,
    [OY_DTYPE_C64] = P_C64,  [OY_DTYPE_C128] = P_C128, [OY_DTYPE_BOOL] = P_B1,
    [OY_DTYPE_BF16] = P_BF16};

static const oy_dtype g_promote[P_COUNT][P_COUNT] = {
#define u8   OY_DTYPE_U8
#define i8   OY_DTYPE_I8
#define i16  OY_DTYPE_I16
#define i32  OY_DTYPE_I32
#define i64  OY_DTYPE_I64
#define f16  OY_DTYPE_F16
#define bf16 OY_DTYPE_BF16
#define f32  OY_DTYPE_F32
#define f64  OY_DTYPE_F64
#define c32  OY_DTYPE_C32
#define c64  OY_DTYPE_C64
#define c128 OY_DTYPE_C128
#define b1   OY_DTYPE_BOOL
    /* u8 */ {u8, i16, i16, i32, i64, f16, bf16, f32, f64, c32, c64, c128, u8},
    /* i8 */ {i16, i8, i16, i32, i64, f16, bf16, f32, f64, c32, c64, c128, i8},
    /* i16 */ {i16, i16, i16, i32, i64, f16, bf16, f32, f64, c32, c64, c128, i16},
    /* i32 */ {i32, i32, i32, i32, i64, f16, bf16, f32, f64, c32, c64, c128, i32},
    /* i64 */ {i64, i64, i64, i64, i64, f16, bf16, f32, f64, c32, c64, c128, i64},
    /* f16 */ {f16, f16, f16, f16, f16, f16, f32, f32, f64, c32, c64, c128, f16},
    /* bf16 */
    {bf16, bf16, bf16, bf16, bf16, f32, bf16, f32, f64, c64, c64, c128, bf16},
    /* f32 */ {f32, f32, f32, f32, f32, f32, f32, f32, f64, c64, c64, c128, f32},
    /* f64 */ {f64, f64, f64, f64, f64, f64, f64, f64, f64, c128, c128, c128, f64},
    /* c32 */ {c32, c32, c32, c32, c32, c32, c64, c64, c128, c32, c64, c128, c32},
    /* c64 */ {c64, c64, c64, c64, c64, c64, c64, c64, c128, c64, c64, c128, c64},
    /* c128 */
    {c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128, c128},
    /* b1 */ {u8, i8, i16, i32, i64, f16, bf16, f32, f64, c32, c64, c128, b1},
#undef u8
#undef i8
#undef i16
#undef i32
#undef i64
#undef f16
#undef bf16
#undef f32
#undef f64
#undef c32
#undef c64
#undef c128
#undef b1
};

static oy_status promote_unsigned(oy_dtype a, oy_dtype b, oy_dtype* out_dtype) {
  if (oyi_dtype_kind[a] & FLOATING) {
    *out_dtype = a;
    return OY_OK;
  }
  if (oyi_dtype_kind[b] & FLOATING) {
    *out_dtype = b;
    return OY_OK;
  }
  return OY_FAIL(TYPE_MISMATCH,
                 "Promotion for uint16, uint32, uint64 types is not supported, "
                 "attempted to promote %s and %s",
                 oy_dtype_pytorch_name(a), oy_dtype_pytorch_name(b));
}

oy_status oy_dtype_promote(oy_dtype a, oy_dtype b, oy_dtype* out_dtype) {
  *out_dtype = OY_DTYPE_ANY;
  if (oyi_dtype_kind[a] == 0 || oyi_dtype_kind[b] == 0) return OY_OK;  // Undefined
  if (a == b) {
    *out_dtype = a;
    return OY_OK;
  }
  uint8_t kinds = oyi_dtype_kind[a] | oyi_dtype_kind[b];
  OY_CHECK(!(kinds & QUANTIZED), TYPE_MISMATCH,
           "promoteTypes with quantized numbers is not handled yet; figure out what "
           "the correct rules should be, offending types: %s %s",
           oy_dtype_pytorch_name(a), oy_dtype_pytorch_name(b));
  OY_CHECK(!(kinds & FLOAT8), TYPE_MISMATCH,
           "Promotion for Float8 Types is not supported, attempted to promote %s "
           "and %s",
           oy_dtype_pytorch_name(a), oy_dtype_pytorch_name(b));
  if (kinds & BAREBONES) return promote_unsigned(a, b, out_dtype);
  *out_dtype = g_promote[g_rank[a]][g_rank[b]];
  return OY_OK;
}

static oy_status promote_skip_undefined(oy_dtype a, oy_dtype b, oy_dtype* out) {
  if (oyi_dtype_kind[a] == 0 || oyi_dtype_kind[b] == 0) {
    *out = oyi_dtype_kind[a] ? a : b;
    return OY_OK;
  }
  return oy_dtype_promote(a, b, out);
}

static oy_dtype complex_of(oy_dtype d) {
  if (d == OY_DTYPE_F64) return OY_DTYPE_C128;
  return d == OY_DTYPE_F16 ? OY_DTYPE_C32 : OY_DTYPE_C64;
}

// The five rules of 8.8.
static oy_status combine(oy_dtype higher, oy_dtype lower, oy_dtype* out) {
  if (oyi_dtype_kind[higher] & COMPLEX) {
    *out = higher;
  } else if (oyi_dtype_kind[lower] & COMPLEX) {
    *out = oyi_dtype_kind[higher] & FLOATING ? complex_of(higher) : lower;
  } else if (oyi_dtype_kind[higher] & FLOATING) {
    *out = higher;
  } else if (higher == OY_DTYPE_BOOL || (oyi_dtype_kind[lower] & FLOATING)) {
    return promote_skip_undefined(higher, lower, out);
  } else {
    *out = oyi_dtype_kind[higher] ? higher : lower;
  }
  return OY_OK;
}

static oy_dtype wrapped_dtype(oy_dtype d) {
  if (oyi_dtype_kind[d] & COMPLEX) return OY_DTYPE_C64;
  return oyi_dtype_kind[d] & FLOATING ? oy_dtype_default() : d;
}

oy_status oyi_result_add(oyi_result_state* state, const oyi_tensor* t) {
  oy_dtype d = t->header.dtype;
  if (t->header.flags & OY_OBJECT_WRAPPED_NUMBER)
    return promote_skip_undefined(state->wrapped, wrapped_dtype(d), &state->wrapped);
  if (t->ndim > 0) return promote_skip_undefined(state->dim, d, &state->dim);
  return promote_skip_undefined(state->zero, d, &state->zero);
}

oy_status oyi_result_finish(const oyi_result_state* state, oy_dtype* out_dtype) {
  oy_dtype low;
  OY_TRY(combine(state->zero, state->wrapped, &low));
  return combine(state->dim, low, out_dtype);
}

oy_status oy_result_type(oy_tensor* const* tensors, size_t count, oy_dtype* out_dtype) {
  *out_dtype = OY_DTYPE_ANY;
  oyi_result_state state = OYI_RESULT_STATE_INIT;
  for (size_t i = 0; i < count; i++) {
    if (tensors[i] && oy_object_is_none(tensors[i])) continue;
    const oyi_tensor* t = oyi_tensor_of(tensors[i]);
    if (!t) return oy_failure();
    OY_TRY(oyi_result_add(&state, t));
  }
  return oyi_result_finish(&state, out_dtype);
}

bool oy_dtype_can_cast(oy_dtype from, oy_dtype to) {
  if ((oyi_dtype_kind[from] & COMPLEX) && !(oyi_dtype_kind[to] & COMPLEX)) return false;
  if ((oyi_dtype_kind[from] & FLOATING) && (oyi_dtype_kind[to] & (INTEGRAL | BOOL_BIT)))
    return false;
  return from == OY_DTYPE_BOOL || to != OY_DTYPE_BOOL;
}

// Objects that are no tensors of ours take part with their own number, and a mix
// that cannot be promoted goes by the greatest, so that a kernel for it can still
// be registered, and can say what is wrong.
static oy_dtype promoted(oy_object* const* tensors, size_t count, oy_dtype greatest) {
  oyi_result_state state = OYI_RESULT_STATE_INIT;
  for (size_t i = 0; i < count; i++) {
    const oy_object* o = tensors[i];
    if (!o || oy_object_is_none(o)) continue;
    if (!oyi_is_tensor(o) ||
        (oyi_dtype_kind[o->dtype] & (QUANTIZED | FLOAT8 | BAREBONES)) ||
        oyi_result_add(&state, oyi_tensor_cast(o)) != 0)
      return greatest;
  }
  oy_dtype result;
  return oyi_result_finish(&state, &result) == OY_OK ? result : greatest;
}

oy_dtype oyi_call_dtype(const oy_op* op, oy_object* const* tensors, size_t count) {
  (void)op;
  oy_dtype greatest = OY_DTYPE_ANY;
  bool mixed = false;
  for (size_t i = 0; i < count; i++) {
    const oy_object* o = tensors[i];
    if (!o || oy_object_is_none(o) || o->dtype == greatest) continue;
    mixed = greatest != OY_DTYPE_ANY;
    if (!mixed || o->dtype > greatest) greatest = o->dtype;
  }
  return mixed ? promoted(tensors, count, greatest) : greatest;
}
