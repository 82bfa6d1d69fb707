// SPDX-License-Identifier: Apache-2.0
// Operators of the CPU that move elements and do not compute: empty, copy, fill,
// and reading one element.
#include "backends/cpu/kernels.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

OYI_CPU(empty_memory_format) {
  oyi_options options;
  if (oyi_options_read(dtype, layout, device, pin_memory, oy_dtype_default(),
                       oy_device_cpu(), &options) != 0)
    return NULL;
  int64_t format =
      memory_format.tag == OY_TAG_NONE ? OY_MEMORY_CONTIGUOUS : memory_format.as.i;
  return oyi_tensor_object(oyi_rule_empty(size, &options, format, NULL));
}

OYI_CPU(empty_strided) {
  oyi_options options;
  if (oyi_options_read(dtype, layout, device, pin_memory, oy_dtype_default(),
                       oy_device_cpu(), &options) != 0)
    return NULL;
  return oyi_tensor_object(oyi_rule_empty_strided(size, stride, &options));
}

OYI_CPU(copy_) {
  if (self == src) return oyi_tensor_of(self) ? self : NULL;
  oyi_iter it;
  // The source does not make the target larger: it is broadcast to it.
  oy_object* inputs[] = {src};
  if (oyi_tensor_of(self) && oyi_tensor_of(src)) {
    const oyi_tensor *to = oyi_tensor_cast(self), *from = oyi_tensor_cast(src);
    if (!oyi_same_sizes(oyi_sizes_view(to), oyi_sizes_view(from))) {
      oy_object* wide = oy_tensor_expand(src, oyi_sizes_view(to));
      if (!wide) return NULL;
      oy_object* done = oy_cpu_copy_(op, keys, self, wide, non_blocking);
      oy_tensor_release(wide);
      return done;
    }
  }
  if (oyi_iter_elementwise(&it, self, inputs, 1,
                           OYI_ITER_KEEP_DTYPES | OYI_ITER_INPLACE) != 0)
    return NULL;
  oyi_convert_walk(&it, self->dtype, src->dtype);
  return oyi_iter_finish(&it);
}

// args: one element of the tensor, repeated by a copy from stride 0.
static void fill_loop(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  const oy_dtype* dtype = args;
  const char* element = (const char*)args + 16;
  const int64_t item = oyi_dtype_bytes[*dtype];
  if (strides[0] == item) {
    oyi_move_fill(data[0], (size_t)(n * item), element, (size_t)item);
    return;
  }
  oyi_convert_row(*dtype, data[0], strides[0], *dtype, element, 0, n);
}

// A fill may write an element more than once, so overlap is no error.
static oy_object* fill(oy_object* self, oyi_number n) {
  oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->numel > 0 && !oyi_data(t)) {
    OY_FAIL(NOT_IMPLEMENTED, "a CPU kernel was given a tensor without data");
    return NULL;
  }
  _Alignas(16) char args[32] = {0};
  memcpy(args, &t->header.dtype, sizeof(t->header.dtype));
  if (oyi_number_check(n, t->header.dtype) != 0) return NULL;
  oyi_element_store(t->header.dtype, args + 16, n);
  const int64_t item = oyi_dtype_bytes[t->header.dtype];
  if ((t->flags & OYI_DENSE) && t->numel <= OYI_ITER_GRAIN) {
    fill_loop(t->numel, &(char*){oyi_data(t)}, &item, args);
    return self;
  }
  oyi_iter it;
  const oyi_tensor* tensors[] = {t};
  oyi_iter_plain(&it, tensors, 1);
  oyi_iter_run(&it, fill_loop, args);
  return self;
}

OYI_CPU(fill__Scalar) {
  return fill(self, oyi_number_of_scalar(value));
}

OYI_CPU(fill__Tensor) {
  const oyi_tensor* number = oyi_tensor_of(value);
  const oyi_tensor* t = number ? oyi_tensor_of(self) : NULL;
  if (!t) return NULL;
  if (oyi_check_fill(value) != 0) return NULL;
  if (oyi_is_meta(t)) return self;
  // Those from 2^63 on are in no scalar.
  if (value->dtype == OY_DTYPE_U64 && number->backend == OY_BACKEND_CPU &&
      oyi_data(number))
    return fill(self, oyi_element_load(value->dtype, oyi_data(number)));
  oy_value element = oy_none();
  if (oyi_call_item(value, &element) != 0) return NULL;
  oy_object* filled = fill(self, oyi_number_of_scalar(element));
  oy_value_release(&element);
  return filled;
}

OYI_CPU(zero_) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (!(t->flags & OYI_CONTIGUOUS) || !oyi_data(t))
    return fill(self, (oyi_number){.kind = OYI_NUMBER_INT});
  memset(oyi_data(t), 0, (size_t)(t->numel * oyi_item(t)));
  return self;
}

OYI_CPU(_local_scalar_dense) {
  *out_result = oy_none();
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->numel == 1 && oyi_data(t), INVALID_ARGUMENT,
           "expected a tensor with one element, got %lld", (long long)t->numel);
  return oyi_number_to_scalar(oyi_element_load(t->header.dtype, oyi_data(t)),
                              t->header.dtype == OY_DTYPE_BOOL, out_result);
}
