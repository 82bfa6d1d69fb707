// SPDX-License-Identifier: Apache-2.0
// Complex numbers made of two tensors: complex writes their parts side by side, polar
// computes them. gcc makes vector code of the former at -O3 only.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/loops/loops.h"
#include "ops/calls.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// A resized |out| gets the layout that the iterator gives a new one.
static oy_status take_layout(oyi_tensor* out, oy_object* a, oy_object* b) {
  oyi_iter it;
  oy_object* inputs[] = {a, b};
  OY_TRY(oyi_iter_elementwise(&it, NULL, inputs, 2, 0));
  oy_status status = oyi_tensor_reshape(out, oyi_sizes_view(it.output),
                                        oyi_strides_view(it.output), out->offset);
  oyi_iter_abandon(&it);
  return status;
}

// Checks and prepares |out| for numbers whose parts are |a| and |b|, broadcast.
static oyi_tensor* prepare(oy_object* a, oy_object* b, oy_object* out, bool half) {
  const oyi_tensor* inputs[2] = {oyi_tensor_of(a), oyi_tensor_of(b)};
  oyi_tensor* o = inputs[0] && inputs[1] ? oyi_tensor_of(out) : NULL;
  if (!o) return NULL;
  oy_dtype dtype = a->dtype == OY_DTYPE_F32           ? OY_DTYPE_C64
                   : a->dtype == OY_DTYPE_F64         ? OY_DTYPE_C128
                   : a->dtype == OY_DTYPE_F16 && half ? OY_DTYPE_C32
                                                      : OY_DTYPE_ANY;
  if (dtype == OY_DTYPE_ANY || a->dtype != b->dtype || out->dtype != dtype) {
    if (dtype == OY_DTYPE_ANY)
      OY_FAIL(
          TYPE_MISMATCH,
          "Expected both inputs to be Half, Float or Double tensors but got %s and %s",
          oy_dtype_pytorch_name(a->dtype), oy_dtype_pytorch_name(b->dtype));
    else if (a->dtype != b->dtype)
      OY_FAIL(TYPE_MISMATCH,
              "Expected object of scalar type %s but got scalar type %s for second "
              "argument",
              oy_dtype_pytorch_name(a->dtype), oy_dtype_pytorch_name(b->dtype));
    else
      OY_FAIL(
          TYPE_MISMATCH,
          "Expected object of scalar type %s but got scalar type %s for argument 'out'",
          oy_dtype_pytorch_name(dtype), oy_dtype_pytorch_name(out->dtype));
    return NULL;
  }
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (oyi_broadcast(oyi_sizes_view(inputs[0]), oyi_sizes_view(inputs[1]), sizes, &ndim) ||
      oyi_output_check_overlap(o, inputs, 2) != 0)
    return NULL;
  bool resized = !oyi_same_sizes(oyi_sizes_view(o), (oy_ints){sizes, ndim});
  if (oyi_output_prepare(o, (oy_ints){sizes, ndim}, dtype, oyi_tensor_device(inputs[0])))
    return NULL;
  bool flat = inputs[0]->flags & inputs[1]->flags & OYI_CONTIGUOUS;
  return !resized || flat || take_layout(o, a, b) == 0 ? o : NULL;
}

// Numbers of parts that lie together are made by vectors.
#define COMPLEX_LOOP(name, T)                                                          \
  static void name(int64_t n, char* const* data, const int64_t* strides,               \
                   const void* args) {                                                 \
    (void)args;                                                                        \
    const int64_t item = sizeof(T), so = strides[0], sx = strides[1], sy = strides[2]; \
    char* out = data[0];                                                               \
    const char *x = data[1], *y = data[2];                                             \
    if (so == 2 * item && sx == item && sy == item) {                                  \
      T* restrict o = (T*)(void*)out;                                                  \
      const T* restrict re = (const T*)(const void*)x;                                 \
      const T* restrict im = (const T*)(const void*)y;                                 \
      for (int64_t i = 0; i < n; i++) o[2 * i] = re[i], o[2 * i + 1] = im[i];          \
      return;                                                                          \
    }                                                                                  \
    for (int64_t i = 0; i < n; i++, out += so, x += sx, y += sy) {                     \
      memcpy(out, x, sizeof(T));                                                       \
      memcpy(out + item, y, sizeof(T));                                                \
    }                                                                                  \
  }
COMPLEX_LOOP(complex_f16, uint16_t)
COMPLEX_LOOP(complex_f32, uint32_t)
COMPLEX_LOOP(complex_f64, uint64_t)

OYI_CPU(complex_out) {
  oyi_tensor* o = prepare(real, imag, out, true);
  if (!o || oyi_is_meta(o)) return oyi_tensor_object(o);
  oyi_iter it;
  oy_object* inputs[] = {real, imag};
  if (oyi_iter_elementwise(&it, out, inputs, 2, OYI_ITER_KEEP_DTYPES) != 0) return NULL;
  const oy_dtype part = real->dtype;
  oyi_iter_run(&it,
               part == OY_DTYPE_F16   ? complex_f16
               : part == OY_DTYPE_F32 ? complex_f32
                                      : complex_f64,
               NULL);
  return oyi_iter_finish(&it);
}

OYI_CPU(polar_out) {
  oyi_tensor* o = prepare(abs, angle, out, false);
  if (!o || oyi_is_meta(o)) return oyi_tensor_object(o);
  oyi_iter it;
  oy_object* inputs[] = {abs, angle};
  if (oyi_iter_elementwise(&it, out, inputs, 2, OYI_ITER_KEEP_DTYPES) != 0) return NULL;
  oyi_iter_run(&it, oyi_cpu_loops[OYI_LOOP_polar][abs->dtype], NULL);
  return oyi_iter_finish(&it);
}
