// SPDX-License-Identifier: Apache-2.0
// Factories: their BackendSelect kernels, which turn the |device| argument into a
// key (no tensor argument could), and those that are composed of empty and fill.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules.h"

// The key of the backend that a factory's options ask for (reference, 6.7).
static oy_status select_keys(oy_value dtype, oy_value layout, oy_value device,
                             oy_keyset* out_keys) {
  oy_key key;
  oy_backend backend =
      device.tag == OY_TAG_NONE ? OY_BACKEND_CPU : device.as.device.backend;
  oy_layout kind = layout.tag == OY_TAG_NONE ? OY_LAYOUT_STRIDED : (oy_layout)layout.as.i;
  bool quantized = dtype.tag != OY_TAG_NONE && dtype.as.i >= 0 && dtype.as.i < 256 &&
                   oy_dtype_is_quantized((oy_dtype)dtype.as.i);
  // Of the keys of the call only the trace goes on: the layers between are skipped.
  uint64_t trace = out_keys->functionality & 1ull << OY_KEY_TraceRedispatch;
  OY_TRY(oy_key_of_device(backend, kind, quantized, &key));
  *out_keys = oy_keyset_of(key);
  out_keys->functionality |= trace;
  return OY_OK;
}

OYI_BACKENDSELECT(empty_memory_format) {
  if (select_keys(dtype, layout, device, &keys) != 0) return NULL;
  return oyi_redispatch_empty_memory_format(op, keys, OYI_ARGS_empty_memory_format);
}
OYI_BACKENDSELECT(empty_strided) {
  if (select_keys(dtype, layout, device, &keys) != 0) return NULL;
  return oyi_redispatch_empty_strided(op, keys, OYI_ARGS_empty_strided);
}
OYI_BACKENDSELECT(zeros) {
  if (select_keys(dtype, layout, device, &keys) != 0) return NULL;
  return oyi_redispatch_zeros(op, keys, OYI_ARGS_zeros);
}
OYI_BACKENDSELECT(ones) {
  if (select_keys(dtype, layout, device, &keys) != 0) return NULL;
  return oyi_redispatch_ones(op, keys, OYI_ARGS_zeros);
}
OYI_BACKENDSELECT(full) {
  if (select_keys(dtype, layout, device, &keys) != 0) return NULL;
  return oyi_redispatch_full(op, keys, OYI_ARGS_full);
}
OYI_BACKENDSELECT(scalar_tensor) {
  if (select_keys(dtype, layout, device, &keys) != 0) return NULL;
  return oyi_redispatch_scalar_tensor(op, keys, OYI_ARGS_scalar_tensor);
}

// ------------------------------------------------------------------- composed

// The first writes to a tensor that was just made are not changes of it: they do
// not count as versions, so ADInplaceOrView is left out while they run.
static uint64_t begin_first_write(void) {
  uint64_t keep = oy_tls.keep;
  oy_tls.keep = keep & ~(1ull << OY_KEY_ADInplaceOrView);
  return keep;
}

// Gives |made| if it was |written|, else releases it.
static oy_object* end_first_write(uint64_t keep, oy_object* made, oy_object* written) {
  oy_tls.keep = keep;
  if (written) return made;
  oy_tensor_release(made);
  return NULL;
}

static oy_object* filled(oy_object* made, oy_scalar value) {
  if (!made) return NULL;
  uint64_t keep = begin_first_write();
  return end_first_write(keep, made, oyi_call_fill__Scalar(made, value));
}

static oy_object* zeroed(oy_object* made) {
  if (!made) return NULL;
  uint64_t keep = begin_first_write();
  return end_first_write(keep, made, oyi_call_zero_(made));
}

static oy_object* copied(oy_object* made, oy_object* from, bool non_blocking) {
  if (!made) return NULL;
  uint64_t keep = begin_first_write();
  return end_first_write(keep, made, oyi_call_copy_(made, from, non_blocking));
}

OYI_COMPOSITE(zeros) {
  return zeroed(oyi_call_empty_memory_format(OYI_ARGS_zeros, oy_none()));
}

OYI_COMPOSITE(ones) {
  return filled(oyi_call_empty_memory_format(OYI_ARGS_zeros, oy_none()), oy_int(1));
}

// Without a dtype the tensor has the number's.
static oy_value dtype_for(oy_value dtype, oy_scalar number) {
  if (dtype.tag != OY_TAG_NONE) return dtype;
  switch (number.tag) {
    case OY_TAG_BOOL: return oy_int(OY_DTYPE_BOOL);
    case OY_TAG_INT: return oy_int(OY_DTYPE_I64);
    case OY_TAG_COMPLEX: return oy_int(OY_DTYPE_C64);
    default: return oy_int(oy_dtype_default());
  }
}

OYI_COMPOSITE(full) {
  dtype = dtype_for(dtype, fill_value);
  return filled(oyi_call_empty_memory_format(OYI_ARGS_zeros, oy_none()), fill_value);
}

OYI_COMPOSITE(scalar_tensor) {
  // The dtype is the default one, whatever the number is, as in PyTorch.
  oy_ints size = oy_dims_none();
  return filled(oyi_call_empty_memory_format(OYI_ARGS_zeros, oy_none()), s);
}

OYI_COMPOSITE(empty_like) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_options options;
  if (!t || oyi_options_read(dtype, layout, device, pin_memory, t->header.dtype,
                             oyi_tensor_device(t), &options) != 0)
    return NULL;
  int64_t format =
      memory_format.tag == OY_TAG_NONE ? OY_MEMORY_PRESERVE : memory_format.as.i;
  oy_value as_dtype = oy_int(options.dtype);
  oy_value on_device = oy_value_device(options.device);
  oy_ints size = oyi_sizes_view(t);
  if (format == OY_MEMORY_PRESERVE && !(t->flags & OYI_CONTIGUOUS) &&
      (t->flags & OYI_DENSE))
    return oyi_call_empty_strided(size, oyi_strides_view(t), as_dtype, layout, on_device,
                                  pin_memory);
  if (format == OY_MEMORY_PRESERVE)
    format = t->flags & OYI_CONTIGUOUS ? OY_MEMORY_CONTIGUOUS
                                       : oy_tensor_suggest_memory_format(self);
  return oyi_call_empty_memory_format(size, as_dtype, layout, on_device, pin_memory,
                                      oy_int(format));
}

OYI_COMPOSITE(zeros_like) {
  return zeroed(oyi_call_empty_like(OYI_ARGS_empty_like));
}

OYI_COMPOSITE(ones_like) {
  return filled(oyi_call_empty_like(OYI_ARGS_empty_like), oy_int(1));
}

OYI_COMPOSITE(full_like) {
  return filled(oyi_call_empty_like(OYI_ARGS_empty_like), fill_value);
}

// --------------------------------------------------------------------- copies

OYI_COMPOSITE(clone) {
  oy_object* made = oyi_call_empty_like(self, oy_none(), oy_none(), oy_none(), oy_none(),
                                        memory_format);
  return copied(made, self, false);
}

OYI_COMPOSITE(_to_copy) {
  oy_object* made =
      oyi_call_empty_like(self, dtype, layout, device, pin_memory, memory_format);
  return copied(made, self, non_blocking);
}

OYI_COMPOSITE(to_dtype) {
  if (!oyi_tensor_of(self)) return NULL;
  bool same_format = memory_format.tag == OY_TAG_NONE ||
                     memory_format.as.i == OY_MEMORY_PRESERVE ||
                     oy_tensor_is_contiguous(self, (oy_memory_format)memory_format.as.i);
  if (!copy && self->dtype == dtype && same_format) return oy_tensor_retain(self);
  return oyi_call__to_copy(self, oy_int(dtype), oy_none(), oy_none(), oy_none(),
                           non_blocking, memory_format);
}

OYI_COMPOSITE(item) {
  *out_result = oy_none();
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_error_get()->code;
  OY_CHECK(t->numel == 1, INVALID_ARGUMENT,
           "a Tensor with %lld elements cannot be converted to Scalar",
           (long long)t->numel);
  return oyi_call__local_scalar_dense(self, out_result);
}
