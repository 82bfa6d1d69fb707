// SPDX-License-Identifier: Apache-2.0
// Rules of factories, devices and numbers.
#include "ops/rules/rules.h"

#include "tensor/element.h"
#include "tensor/iterator.h"
#include "tensor/iterator_walk.h"

// ------------------------------------------------------------------ factories

oy_status oyi_options_read(oy_value dtype, oy_value layout, oy_value device,
                           oy_value pin_memory, oy_dtype default_dtype,
                           oy_device default_device, oyi_options* out) {
  int64_t number = dtype.tag == OY_TAG_NONE ? default_dtype : dtype.as.i;
  OY_CHECK(number >= 0 && number < OY_DTYPE_LIMIT && oyi_dtype_bytes[number],
           INVALID_ARGUMENT, "there is no element type with number %lld",
           (long long)number);
  OY_CHECK(layout.tag == OY_TAG_NONE || layout.as.i == OY_LAYOUT_STRIDED, NOT_IMPLEMENTED,
           "expected the strided layout, got layout %lld", (long long)layout.as.i);
  OY_CHECK(pin_memory.tag == OY_TAG_NONE || !pin_memory.as.i, NOT_IMPLEMENTED,
           "only dense tensors of devices with pinned memory can be pinned");
  out->dtype = (oy_dtype)number;
  out->device = device.tag == OY_TAG_NONE ? default_device : device.as.device;
  return OY_OK;
}

// Strides in the order of |order|, the fastest dimension first.
static void strides_in_order(oy_ints size, const uint8_t* order, int64_t* out) {
  int64_t stride = 1;
  for (size_t k = 0; k < size.size; k++) {
    out[order[k]] = stride;
    stride *= size.data[order[k]] > 1 ? size.data[order[k]] : 1;
  }
}

static oyi_tensor* empty_channels_last(oy_ints size, const oyi_options* options,
                                       int64_t format) {
  static const uint8_t order_2d[] = {1, 3, 2, 0}, order_3d[] = {1, 4, 3, 2, 0};
  bool is_2d = format == OY_MEMORY_CHANNELS_LAST;
  int64_t strides[5], numel;
  size_t nbytes;
  if (size.size != (is_2d ? 4u : 5u)) {
    OY_FAIL(INVALID_ARGUMENT, "required rank %d tensor to use channels_last%s format",
            is_2d ? 4 : 5, is_2d ? "" : "_3d");
    return NULL;
  }
  if (oyi_sizes_check(size, oyi_dtype_bytes[options->dtype], &numel, &nbytes) != 0)
    return NULL;
  strides_in_order(size, is_2d ? order_2d : order_3d, strides);
  return oyi_tensor_new_strided(size, (oy_ints){strides, size.size}, options->dtype,
                                options->device);
}

oyi_tensor* oyi_rule_empty(oy_ints size, const oyi_options* options,
                           int64_t memory_format, const oyi_tensor* like) {
  if (memory_format == OY_MEMORY_PRESERVE) {
    if (!like) {
      OY_FAIL(INVALID_ARGUMENT, "unsupported memory format Preserve");
      return NULL;
    }
    if (like->flags & OYI_CONTIGUOUS) {
      oyi_tensor* t = oyi_tensor_new(size, options->dtype, options->device);
      if (t) oyi_strides_keep(t, like);
      return t;
    }
    int64_t strides[OY_TENSOR_MAX_DIMS];
    oy_ints dense = {strides, like->ndim};
    if (like->flags & OYI_DENSE)
      dense = oyi_strides_view(like);
    else
      oyi_dense_strides(like, strides);
    return oyi_tensor_new_strided(size, dense, options->dtype, options->device);
  }
  if (memory_format == OY_MEMORY_CONTIGUOUS)
    return oyi_tensor_new(size, options->dtype, options->device);
  return empty_channels_last(size, options, memory_format);
}

oyi_tensor* oyi_rule_empty_strided(oy_ints size, oy_ints stride,
                                   const oyi_options* options) {
  size_t item = oyi_dtype_bytes[options->dtype], nbytes, needed;
  int64_t numel;
  if (oyi_sizes_check(size, item, &numel, &nbytes) != 0) return NULL;
  if (size.size != stride.size) {
    OY_FAIL(INVALID_ARGUMENT,
            "dimensionality of sizes (%zu) must match dimensionality of strides (%zu)",
            size.size, stride.size);
    return NULL;
  }
  for (size_t i = 0; i < stride.size; i++) {
    if (stride.data[i] >= 0) continue;
    OY_FAIL(INVALID_ARGUMENT, "strides must not be negative, got %s",
            oyi_dims_print(stride).text);
    return NULL;
  }
  if (oyi_storage_needed(size, stride, 0, item, &needed) != 0) return NULL;
  oyi_storage* s = oyi_storage_new(needed, options->device);
  if (!s) return NULL;
  oyi_tensor* t =
      oyi_tensor_on_storage(s, oyi_tensor_new_keys(options->device, options->dtype), size,
                            stride, 0, options->dtype, options->device);
  oyi_storage_release(s);
  return t;
}

// -------------------------------------------------------------------- devices

oy_status oyi_check_same_device(const oyi_tensor* a, const oyi_tensor* b) {
  if (a->backend == b->backend && a->device_index == b->device_index) return OY_OK;
  char first[32], second[32];
  oy_device_print(oyi_tensor_device(a), first, sizeof(first));
  oy_device_print(oyi_tensor_device(b), second, sizeof(second));
  return OY_FAIL(INVALID_ARGUMENT,
                 "Expected all tensors to be on the same device, but found at least "
                 "two devices, %s and %s!",
                 first, second);
}

// -------------------------------------------------------------------- numbers

oy_status oyi_check_alpha(oy_dtype dtype, oy_scalar alpha) {
  OY_CHECK(alpha.tag != OY_TAG_BOOL || dtype == OY_DTYPE_BOOL, TYPE_MISMATCH,
           "Boolean alpha only supported for Boolean results.");
  OY_CHECK(oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype) ||
               alpha.tag == OY_TAG_INT || alpha.tag == OY_TAG_BOOL,
           TYPE_MISMATCH,
           "For integral input tensors, argument alpha must not be a floating point "
           "number.");
  OY_CHECK(oy_dtype_is_complex(dtype) || alpha.tag != OY_TAG_COMPLEX, TYPE_MISMATCH,
           "For non-complex input tensors, argument alpha must not be a complex number.");
  return OY_OK;
}

oy_status oyi_check_filler(const char* op, const oy_object* value) {
  const int64_t ndim = (int64_t)oy_tensor_ndim(value);
  OY_CHECK(ndim == 0, INVALID_ARGUMENT,
           "%s only supports a 0-dimensional value tensor, but got tensor with %lld "
           "dimension(s).",
           op, (long long)ndim);
  return OY_OK;
}
oy_status oyi_check_index_dtype(const oy_object* index, int argument, const char* name,
                                const char* op) {
  OY_CHECK(
      index->dtype == OY_DTYPE_I64 || index->dtype == OY_DTYPE_I32, TYPE_MISMATCH,
      "Expected tensor for argument #%d '%s' to have one of the following scalar "
      "types: Long, Int; but got torch.%sTensor instead (while checking arguments for "
      "%s)",
      argument, name, oy_dtype_pytorch_name(index->dtype), op);
  return OY_OK;
}
oy_status oyi_check_fill(const oy_object* value) {
  const int64_t ndim = (int64_t)oy_tensor_ndim(value);
  OY_CHECK(ndim == 0, INVALID_ARGUMENT,
           "fill_ only supports 0-dimension value tensor but got tensor with %lld "
           "dimensions.",
           (long long)ndim);
  return OY_OK;
}

oy_object* oyi_wrap_number(oy_scalar number) {
  // As wide as they come: only the category of a number takes part in promotion.
  oy_dtype dtype = number.tag == OY_TAG_FLOAT     ? OY_DTYPE_F64
                   : number.tag == OY_TAG_COMPLEX ? OY_DTYPE_C128
                   : number.tag == OY_TAG_BOOL    ? OY_DTYPE_BOOL
                                                  : OY_DTYPE_I64;
  oyi_tensor* t = oyi_tensor_new(oy_dims_none(), dtype, oy_device_cpu());
  if (!t) return NULL;
  oyi_element_store(dtype, oyi_data(t), oyi_number_of_scalar(number));
  t->header.flags |= OY_OBJECT_WRAPPED_NUMBER;
  return &t->header;
}

const char* oyi_dtype_cpp_name(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_U8: return "unsigned char";
    case OY_DTYPE_I8: return "signed char";
    case OY_DTYPE_I16: return "short int";
    case OY_DTYPE_I32: return "int";
    case OY_DTYPE_I64: return "long int";
    case OY_DTYPE_F16: return "c10::Half";
    case OY_DTYPE_BF16: return "c10::BFloat16";
    case OY_DTYPE_F32: return "float";
    case OY_DTYPE_F64: return "double";
    case OY_DTYPE_C64: return "c10::complex<float>";
    case OY_DTYPE_C128: return "c10::complex<double>";
    case OY_DTYPE_BOOL: return "bool";
    default: return oy_dtype_pytorch_name(dtype);
  }
}

oy_status oyi_output_check_exact(const oyi_tensor* out, oy_dtype dtype) {
  OY_CHECK(out->header.dtype == dtype, TYPE_MISMATCH,
           "Expected out tensor to have dtype %s, but got %s instead",
           oyi_dtype_cpp_name(dtype), oyi_dtype_cpp_name(out->header.dtype));
  return OY_OK;
}

oy_status oyi_output_exact(oyi_tensor* out, oy_ints sizes, oy_dtype dtype,
                           oy_device device) {
  OY_TRY(oyi_output_check_exact(out, dtype));
  return oyi_output_prepare(out, sizes, dtype, device);
}
