// SPDX-License-Identifier: Apache-2.0
// Copies between dtypes: typed loops for the pairs that programs use, and one
// loop over oyi_number for the rest. Copies of one dtype move whole elements.
#include "tensor/element.h"
#include "tensor/half.h"
#include "tensor/iterator.h"

#define FROM          float
#define FROM_ID       f32
#define FROM_IS_FLOAT 1
#include "tensor/convert_from_tmpl.h"
#undef FROM
#undef FROM_ID
#define FROM    double
#define FROM_ID f64
#include "tensor/convert_from_tmpl.h"
#undef FROM
#undef FROM_ID
#undef FROM_IS_FLOAT
#define FROM_IS_FLOAT 0
#define FROM          int64_t
#define FROM_ID       i64
#include "tensor/convert_from_tmpl.h"
#undef FROM
#undef FROM_ID
#define FROM    int32_t
#define FROM_ID i32
#include "tensor/convert_from_tmpl.h"
#undef FROM
#undef FROM_ID
#define FROM    uint8_t
#define FROM_ID u8
#include "tensor/convert_from_tmpl.h"
#undef FROM
#undef FROM_ID
#undef FROM_IS_FLOAT

typedef void (*convert_fn)(char* out, int64_t out_stride, const char* in,
                           int64_t in_stride, int64_t n);

// A bool is a byte that is 0 or 1, so it is read as one.
#define ROW(from)                                                                       \
  {                                                                                     \
    [OY_DTYPE_F32] = convert_##from##_to_f32, [OY_DTYPE_F64] = convert_##from##_to_f64, \
    [OY_DTYPE_I64] = convert_##from##_to_i64, [OY_DTYPE_I32] = convert_##from##_to_i32, \
    [OY_DTYPE_U8] = convert_##from##_to_u8, [OY_DTYPE_BOOL] = convert_##from##_to_b1    \
  }
enum { TYPED = 16 };
static const convert_fn g_loops[TYPED][TYPED] = {
    [OY_DTYPE_F32] = ROW(f32), [OY_DTYPE_F64] = ROW(f64), [OY_DTYPE_I64] = ROW(i64),
    [OY_DTYPE_I32] = ROW(i32), [OY_DTYPE_U8] = ROW(u8),   [OY_DTYPE_BOOL] = ROW(u8)};

static void move_row(size_t item, char* out, int64_t out_stride, const char* in,
                     int64_t in_stride, int64_t n) {
  if (out_stride == (int64_t)item && in_stride == (int64_t)item) {
    memmove(out, in, (size_t)n * item);
    return;
  }
  for (int64_t i = 0; i < n; i++) memcpy(out + i * out_stride, in + i * in_stride, item);
}

void oyi_convert_row(oy_dtype to, char* out, int64_t out_stride, oy_dtype from,
                     const char* in, int64_t in_stride, int64_t n) {
  if (to == from) {
    move_row(oyi_dtype_bytes[to], out, out_stride, in, in_stride, n);
    return;
  }
  convert_fn loop = to < TYPED && from < TYPED ? g_loops[from][to] : NULL;
  if (loop) {
    loop(out, out_stride, in, in_stride, n);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    oyi_element_store(to, out + i * out_stride,
                      oyi_element_load(from, in + i * in_stride));
}

typedef struct pair {
  oy_dtype to, from;
} pair;

static void convert_loop(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  const pair* p = args;
  oyi_convert_row(p->to, data[0], strides[0], p->from, data[1], strides[1], n);
}

void oyi_convert(oyi_tensor* to, const oyi_tensor* from) {
  pair p = {to->header.dtype, from->header.dtype};
  oyi_iter it;
  const oyi_tensor* tensors[2] = {to, from};
  oyi_iter_plain(&it, tensors, 2);
  oyi_iter_run(&it, convert_loop, &p);
}

oyi_tensor* oyi_converted(const oyi_tensor* t, oy_dtype dtype) {
  oyi_tensor* copy = oyi_tensor_new(oyi_sizes_view(t), dtype, oyi_tensor_device(t));
  if (copy) oyi_convert(copy, t);
  return copy;
}
