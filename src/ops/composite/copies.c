// SPDX-License-Identifier: Apache-2.0
// Copies, conversions, and questions about shapes.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/unseen.h"
#include "opyard/device.h"

static oy_object* copied(oy_object* made, oy_object* from, bool non_blocking) {
  OYI_MADE(made, oyi_call_copy_(made, from, non_blocking));
}

static bool is_preserved(oy_value memory_format) {
  return memory_format.tag == OY_TAG_NONE || memory_format.as.i == OY_MEMORY_PRESERVE;
}

// Whether what lies in one piece has |memory_format|.
static bool is_in_piece(oy_value memory_format) {
  return is_preserved(memory_format) || memory_format.as.i == OY_MEMORY_CONTIGUOUS;
}

OYI_COMPOSITE(clone) {
  size_t nbytes;
  if (oyi_is_tensor(self) && oyi_is_unseen_piece(oyi_tensor_cast(self), &nbytes) &&
      is_in_piece(memory_format)) {
    oyi_tensor* copy = oyi_tensor_new_like(oyi_tensor_cast(self));
    if (!copy) return NULL;
    if (is_preserved(memory_format)) oyi_strides_keep(copy, oyi_tensor_cast(self));
    memcpy(oyi_data(copy), oyi_data(oyi_tensor_cast(self)), nbytes);
    return oyi_tensor_object(copy);
  }
  oy_object* made = oyi_call_empty_like(self, oy_none(), oy_none(), oy_none(), oy_none(),
                                        memory_format);
  return copied(made, self, false);
}

OYI_COMPOSITE(_to_copy) {
  oy_object* made =
      oyi_call_empty_like(self, dtype, layout, device, pin_memory, memory_format);
  return copied(made, self, non_blocking);
}

OYI_COMPOSITE(zero) {
  oy_object* made = oyi_call_clone(self, oy_none());
  return oyi_written(made, oyi_call_zero_(made));
}
OYI_COMPOSITE(copy) {
  oy_object* made = oyi_call_clone(self, oy_none());
  return oyi_written(made, oyi_call_copy_(made, src, non_blocking));
}
OYI_WRITTEN_COPY(fill_Scalar, fill__Scalar, value)
OYI_WRITTEN_COPY(fill_Tensor, fill__Tensor, value)
OYI_WRITTEN_COPY(resize, resize_, size, memory_format)
OYI_WRITTEN_COPY(resize_as, resize_as_, the_template, memory_format)

OYI_STORED(resize_out, resize)
OYI_STORED(resize_as_out, resize_as)
OYI_STORED(copy_out, copy)
OYI_STORED(fill_Scalar_out, fill_Scalar)
OYI_STORED(fill_Tensor_out, fill_Tensor)
OYI_STORED(zero_out, zero)
OYI_STORED(clone_out, clone)

OYI_COMPOSITE(_to_copy_out) {
  if (!oyi_tensor_of(out)) return NULL;
  return oyi_stored(out, oyi_call__to_copy(self, oy_int(out->dtype), oy_none(), oy_none(),
                                           oy_none(), non_blocking, memory_format));
}

// ------------------------------------------------------------------------- to

// What is asked for; NONE leaves it as it is.
typedef struct target {
  oy_value dtype, layout, device, pin_memory, memory_format;
  bool non_blocking, copy;
} target;

// Without an index the tensor's own device is meant, if it is of that kind.
static bool is_there(const oyi_tensor* t, oy_value device) {
  if (device.tag == OY_TAG_NONE) return true;
  oy_device wanted = device.as.device;
  if (wanted.backend == t->backend && wanted.index < 0 &&
      oy_device_is_available(wanted.backend))
    (void)!oy_device_resolve(&wanted);
  return wanted.backend == t->backend &&
         (wanted.index == t->device_index || wanted.backend == OY_BACKEND_CPU ||
          wanted.backend == OY_BACKEND_Meta);
}

static oy_object* converted(oy_object* self, const target* to) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  bool format = is_preserved(to->memory_format) ||
                oy_tensor_suggest_memory_format(self) == to->memory_format.as.i;
  bool dtype = to->dtype.tag == OY_TAG_NONE || to->dtype.as.i == self->dtype;
  bool layout = to->layout.tag == OY_TAG_NONE || to->layout.as.i == OY_LAYOUT_STRIDED;
  if (!to->copy && format && dtype && layout && is_there(t, to->device))
    return oy_tensor_retain(self);
  return oyi_call__to_copy(self, to->dtype, to->layout, to->device, to->pin_memory,
                           to->non_blocking, to->memory_format);
}

OYI_COMPOSITE(to_dtype) {
  return converted(self, &(target){.dtype = oy_int(dtype),
                                   .memory_format = memory_format,
                                   .non_blocking = non_blocking,
                                   .copy = copy});
}
OYI_COMPOSITE(to_dtype_layout) {
  return converted(self, &(target){dtype, layout, device, pin_memory, memory_format,
                                   non_blocking, copy});
}
OYI_COMPOSITE(to_device) {
  return converted(self, &(target){.dtype = oy_int(dtype),
                                   .device = oy_value_device(device),
                                   .memory_format = memory_format,
                                   .non_blocking = non_blocking,
                                   .copy = copy});
}
OYI_COMPOSITE(to_other) {
  const oyi_tensor* like = oyi_tensor_of(other);
  if (!like) return NULL;
  return converted(self, &(target){.dtype = oy_int(other->dtype),
                                   .device = oy_value_device(oyi_tensor_device(like)),
                                   .memory_format = memory_format,
                                   .non_blocking = non_blocking,
                                   .copy = copy});
}
OYI_COMPOSITE(type_as) {
  const oyi_tensor* like = oyi_tensor_of(other);
  if (!like) return NULL;
  return converted(self, &(target){.dtype = oy_int(other->dtype),
                                   .device = oy_value_device(oyi_tensor_device(like))});
}

// -------------------------------------------------------------------- numbers

OYI_COMPOSITE(item) {
  *out_result = oy_none();
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->numel == 1, INVALID_ARGUMENT,
           "a Tensor with %lld elements cannot be converted to Scalar",
           (long long)t->numel);
  return oyi_call__local_scalar_dense(self, out_result);
}

OYI_COMPOSITE(is_same_size) {
  *out_result = false;
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  if (!b) return oy_failure();
  *out_result = oyi_same_sizes(oyi_sizes_view(a), oyi_sizes_view(b));
  return OY_OK;
}

OYI_COMPOSITE(is_inference) {
  const oyi_tensor* t = oyi_tensor_of(self);
  *out_result = t && oyi_is_inference(t);
  return t ? OY_OK : oy_failure();
}

// The number of |list|, sizes or strides of |self|, for a dimension.
static oy_status dim_number(oy_object* self, int64_t dim, bool is_stride, int64_t* out) {
  *out = 0;
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim > 0, OUT_OF_RANGE,
           "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
  int64_t d = oyi_dim_wrap(dim, t->ndim);
  if (d < 0) return OY_OUT_OF_RANGE;
  *out = is_stride ? oyi_strides(t)[d] : t->sizes[d];
  return OY_OK;
}
OYI_COMPOSITE(size_int) {
  return dim_number(self, dim, false, out_result);
}
OYI_COMPOSITE(stride_int) {
  return dim_number(self, dim, true, out_result);
}
OYI_COMPOSITE(sym_size_int) {
  return dim_number(self, dim, false, out_result);
}
OYI_COMPOSITE(sym_stride_int) {
  return dim_number(self, dim, true, out_result);
}
OYI_COMPOSITE(sym_numel) {
  *out_result = 0;
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  *out_result = t->numel;
  return OY_OK;
}
OYI_COMPOSITE(sym_storage_offset) {
  *out_result = 0;
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  *out_result = t->offset;
  return OY_OK;
}
