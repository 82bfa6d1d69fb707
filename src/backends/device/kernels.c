// SPDX-License-Identifier: Apache-2.0
// Kernels that move bytes and compute nothing, through the hooks of the device.
#include "backends/device/device.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/hooks.h"

// Without a device argument the call came here by the keys of another one.
static bool read_options(oy_keyset keys, oy_value dtype, oy_value layout, oy_value device,
                         oy_value pin_memory, oyi_options* out) {
  oy_device ours = oy_device_make(oy_keyset_highest_backend(keys), -1);
  return oyi_options_read(dtype, layout, device, pin_memory, oy_dtype_default(), ours,
                          out) == 0 &&
         oy_device_resolve(&out->device) == 0;
}

OYI_DEVICE(empty_memory_format) {
  oyi_options options;
  if (!read_options(keys, dtype, layout, device, pin_memory, &options)) return NULL;
  int64_t format =
      memory_format.tag == OY_TAG_NONE ? OY_MEMORY_CONTIGUOUS : memory_format.as.i;
  return oyi_with_memory(oyi_rule_empty(size, &options, format, NULL));
}

OYI_DEVICE(empty_strided) {
  oyi_options options;
  if (!read_options(keys, dtype, layout, device, pin_memory, &options)) return NULL;
  return oyi_with_memory(oyi_rule_empty_strided(size, stride, &options));
}

// To a device, from one, or between two.
OYI_DEVICE(copy_) {
  oyi_tensor* to = oyi_tensor_of(self);
  const oyi_tensor* from = to ? oyi_tensor_of(src) : NULL;
  return from && oyi_device_copy(to, from, non_blocking) == 0 ? self : NULL;
}

OYI_DEVICE(fill__Scalar) {
  oyi_tensor* t = oyi_tensor_of(self);
  return t && oyi_device_fill(t, value) == 0 ? self : NULL;
}

OYI_DEVICE(fill__Tensor) {
  const oyi_tensor* number = oyi_tensor_of(value);
  oyi_tensor* t = number ? oyi_tensor_of(self) : NULL;
  if (!t) return NULL;
  if (oyi_check_fill(value) != 0) return NULL;
  oy_value element = oy_none();
  if (oyi_call_item(value, &element) != 0) return NULL;
  oy_status status = oyi_device_fill(t, element);
  oy_value_release(&element);
  return status == 0 ? self : NULL;
}

OYI_DEVICE(zero_) {
  oyi_tensor* t = oyi_tensor_of(self);
  return t && oyi_device_fill(t, oy_int(0)) == 0 ? self : NULL;
}

OYI_DEVICE(_local_scalar_dense) {
  *out_result = oy_none();
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->numel == 1, INVALID_ARGUMENT,
           "expected a tensor with one element, got %lld", (long long)t->numel);
  _Alignas(16) char element[16];
  if (!oyi_data(t)) return oyi_hooks_no_data(t);
  OY_TRY(
      oyi_storage_read(t->storage, (size_t)t->byte_offset, (size_t)oyi_item(t), element));
  return oyi_number_to_scalar(oyi_element_load(t->header.dtype, element),
                              t->header.dtype == OY_DTYPE_BOOL, out_result);
}
