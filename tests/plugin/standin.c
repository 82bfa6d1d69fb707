// SPDX-License-Identifier: Apache-2.0
#include "standin.h"

#include "support/tensors.h"

static void free_data(void* context, void* data) {
  (void)context;
  free(data);
}

// Room for the elements of a shape, on |device|.
static oy_tensor* make(oy_ints sizes, oy_ints strides, oy_dtype dtype, oy_device device) {
  int64_t last = 1;
  for (size_t i = 0; i < sizes.size; i++) {
    if (sizes.data[i] == 0) last = 0;
    if (last > 0 && strides.data) last += (sizes.data[i] - 1) * strides.data[i];
    if (last > 0 && !strides.data) last *= sizes.data[i];
  }
  size_t nbytes = (size_t)last * oy_dtype_size(dtype);
  void* data = malloc(nbytes + 1);
  if (!data) {
    oy_error_set(OY_OUT_OF_MEMORY, __FILE__, __LINE__, "no memory");
    return NULL;
  }
  oy_tensor_memory memory = {data, nbytes, free_data, NULL, device};
  oy_tensor* t = oy_tensor_from_memory(&memory, sizes, strides, dtype);
  if (!t) free(data);
  return t;
}

oy_tensor* standin_alias(const oy_tensor* tensor) {
  oy_tensor_memory memory = {oy_tensor_data(tensor), SIZE_MAX / 2, NULL, NULL,
                             oy_device_cpu()};
  return oy_tensor_from_memory(&memory, oy_tensor_sizes(tensor),
                               oy_tensor_strides(tensor), tensor->dtype);
}

// ------------------------------------------------------------------------ kernels

static oy_object* kernel_empty(const oy_op* op, oy_keyset keys, oy_ints size,
                               oy_ints stride, oy_value dtype, oy_value layout,
                               oy_value device, oy_value pin) {
  (void)op, (void)keys, (void)layout, (void)pin;
  oy_dtype d = dtype.tag == OY_TAG_NONE ? OY_DTYPE_F32 : (oy_dtype)dtype.as.i;
  return make(size, stride, d, device.as.device);
}

static oy_object* kernel_copy(const oy_op* op, oy_keyset keys, oy_object* self,
                              oy_object* src, bool non_blocking) {
  (void)op, (void)keys;
  oy_tensor *to = standin_alias(self), *from = standin_alias(src);
  const bool good = oy_copy_(to, from, non_blocking) != NULL;
  oy_tensor_release(to);
  oy_tensor_release(from);
  return good ? self : NULL;
}

static oy_object* kernel_resize(const oy_op* op, oy_keyset keys, oy_object* self,
                                oy_ints size, oy_value format) {
  (void)op, (void)keys, (void)format;
  oy_tensor* made = make(size, (oy_ints){NULL, 0}, self->dtype, oy_tensor_device(self));
  if (!made) return NULL;
  oy_status status = oy_tensor_set_source(self, made, 0, size, oy_tensor_strides(made));
  oy_tensor_release(made);
  return status == OY_OK ? self : NULL;
}

static void add_kernel(standin* s, const char* name, oy_typed_fn fn) {
  oy_impl_params params = {
      .name = name, .key = standin_key(s), .kernel = {.typed = fn}, .place = OY_HERE};
  assert_int_equal(oy_library_impl(s->library, &params, NULL), OY_OK);
}

void standin_open(standin* s, const char* name, bool is_bare) {
  assert_int_equal(oy_backend_register(oy_str_of(name), &s->backend), OY_OK);
  oy_library_params params = {NULL,     OY_LIBRARY_IMPL, "aten", OY_KEY_Undefined,
                              __FILE__, __LINE__};
  assert_int_equal(oy_library_create(&params, &s->library), OY_OK);
  params.ns = "_";
  assert_int_equal(oy_library_create(&params, &s->fallbacks), OY_OK);
  if (is_bare) return;
  add_kernel(s, "empty_strided", (oy_typed_fn)kernel_empty);
  add_kernel(s, "copy_", (oy_typed_fn)kernel_copy);
  add_kernel(s, "resize_", (oy_typed_fn)kernel_resize);
}

void standin_close(standin* s) {
  oy_library_close(s->fallbacks);
  oy_library_close(s->library);
}

// ------------------------------------------------------------------------ tensors

static oy_tensor* convert(oy_tensor* tensor, oy_device device) {
  if (!tensor) return NULL;
  oy_tensor* t =
      make(oy_tensor_sizes(tensor), oy_tensor_strides(tensor), tensor->dtype, device);
  oy_tensor *to = standin_alias(t), *from = standin_alias(tensor);
  assert_non_null(oy_copy_(to, from, false));
  oy_tensor_release(to);
  oy_tensor_release(from);
  return t;
}

oy_tensor* standin_from(const standin* s, oy_tensor* cpu) {
  oy_tensor* t = convert(cpu, oy_device_make(s->backend, 0));
  oy_tensor_release(cpu);
  return t;
}

oy_tensor* standin_to_cpu(oy_tensor* tensor) {
  return convert(tensor, oy_device_cpu());
}
