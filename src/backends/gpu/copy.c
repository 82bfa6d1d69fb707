// SPDX-License-Identifier: Apache-2.0
// Copies and joins. Copies with the host, and between devices, are the library's own.
#include "rows.h"
#include "text.h"

static bool is_known(oy_dtype dtype) {
  return gpu_tag_name(dtype) != NULL;
}

// Meta, which has no memory, does not look at this.
static oy_status check_overlap(const oy_tensor* t) {
  const oy_ints sizes = oy_tensor_sizes(t), strides = oy_tensor_strides(t);
  for (size_t i = 0; i < sizes.size; i++)
    OY_CHECK(strides.data[i] != 0 || sizes.data[i] <= 1 || oy_tensor_numel(t) == 0,
             INVALID_ARGUMENT,
             "unsupported operation: more than one element of the written-to tensor "
             "refers to a single memory location. Please clone() the tensor before "
             "performing the operation.");
  return OY_OK;
}

// copy_(self, src, non_blocking)
static oy_status copy_into(gpu_call* c) {
  oy_object *self = c->args[0].as.object, *from = c->args[1].as.object;
  if (self != from) OY_TRY(check_overlap(self));
  bool here = oy_device_equal(oy_tensor_device(self), oy_tensor_device(from)) &&
              is_known(self->dtype) && is_known(from->dtype);
  if (here) {
    OY_TRY(gpu_call_infer(c));
    return gpu_copy_elements(c->device, self, from);
  }
  OY_TRY(oy_tensor_copy_from(self, from, c->args[2].as.i != 0));
  c->out[0] = oy_tensor_retain(self);
  c->out_count = 1;
  return OY_OK;
}

static bool is_skipped(const oy_tensor* t) {
  return oy_tensor_ndim(t) == 1 && oy_tensor_numel(t) == 0;
}

// cat(tensors, dim): each is copied to its place.
static oy_status join(gpu_call* c) {
  oy_value list = c->args[0];
  oy_tensor* out = c->out[0];
  oy_ints sizes = oy_tensor_sizes(out), strides = oy_tensor_strides(out);
  int64_t dim = c->args[1].as.i + (c->args[1].as.i < 0 ? (int64_t)sizes.size : 0);
  int64_t at = oy_tensor_storage_offset(out);
  if (oy_tensor_numel(out) == 0) return OY_OK;
  for (uint32_t i = 0; i < list.count; i++) {
    oy_object* t = list.as.tensors[i];
    if (is_skipped(t)) continue;
    oy_tensor* place = oy_tensor_as_strided(out, oy_tensor_sizes(t), strides, at);
    if (!place) return oy_failure();
    oy_status status = gpu_copy_elements(c->device, place, t);
    oy_tensor_release(place);
    OY_TRY(status);
    at += oy_tensor_size(t, dim) * strides.data[dim];
  }
  return OY_OK;
}

static const gpu_row g_rows[] = {
    {"copy_", copy_into, NULL, 0, GPU_ROW_BARE, NULL},
    {"cat", join, NULL, 0, 0, NULL},
    {"cat.out", join, NULL, 1, 0, NULL},
};

gpu_rows gpu_rows_copy(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
