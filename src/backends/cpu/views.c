// SPDX-License-Identifier: Apache-2.0
// View operators that each backend has kernels for, and resize_.
#include "backends/cpu/kernels.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"

OYI_CPU(_reshape_alias) {
  const oyi_tensor* t = oyi_tensor_of(self);
  return t ? oy_tensor_as_strided(self, size, stride, t->offset) : NULL;
}

OYI_CPU(unfold) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t d = t ? oyi_dim_wrap(dimension, t->ndim) : -1;
  if (d < 0) return NULL;
  int64_t have = t->ndim ? t->sizes[d] : 1, stride = t->ndim ? oyi_strides(t)[d] : 1;
  const char* wrong = NULL;
  if (size < 0)
    OY_FAIL(INVALID_ARGUMENT, wrong = "size is %lld but must be >= 0", (long long)size);
  else if (size > have)
    OY_FAIL(INVALID_ARGUMENT,
            wrong = "maximum size for tensor at dimension %lld is %lld but size is %lld",
            (long long)d, (long long)have, (long long)size);
  else if (step <= 0)
    OY_FAIL(INVALID_ARGUMENT, wrong = "step is %lld but must be > 0", (long long)step);
  else if (t->ndim == OY_TENSOR_MAX_DIMS)
    OY_FAIL(INVALID_ARGUMENT, wrong = "tensors may have at most %d dimensions",
            OY_TENSOR_MAX_DIMS);
  if (wrong) return NULL;
  oyi_shape s;
  s.ndim = 0;
  oyi_shape_keep(&s, t, 0, t->ndim);
  if (t->ndim) {
    s.sizes[d] = (have - size) / step + 1;
    if (__builtin_mul_overflow(stride, step, &s.strides[d])) s.strides[d] = stride;
  }
  oyi_shape_add(&s, size, stride);
  return oyi_shape_view(&s, t, t->offset);
}

// -------------------------------------------------------------------- complex

// The dtype of the parts of a complex one, and the other way round; ANY if none.
static oy_dtype part_dtype(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_C32: return OY_DTYPE_F16;
    case OY_DTYPE_C64: return OY_DTYPE_F32;
    case OY_DTYPE_C128: return OY_DTYPE_F64;
    default: return OY_DTYPE_ANY;
  }
}
static oy_dtype whole_dtype(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F16: return OY_DTYPE_C32;
    case OY_DTYPE_F32: return OY_DTYPE_C64;
    case OY_DTYPE_F64: return OY_DTYPE_C128;
    default: return OY_DTYPE_ANY;
  }
}

OYI_CPU(view_as_real) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->header.keys.functionality & 1ull << OY_KEY_Conjugate) {
    OY_FAIL(INVALID_ARGUMENT,
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the "
            "conjugate tensor so you can view it as real, use self.resolve_conj(); "
            "however, be warned that the resulting tensor will NOT alias the original.");
    return NULL;
  }
  oy_dtype dtype = part_dtype(t->header.dtype);
  if (dtype == OY_DTYPE_ANY || t->ndim == OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, dtype == OY_DTYPE_ANY
                                  ? "view_as_real is only supported for complex tensors"
                                  : "tensors may have at most 64 dimensions");
    return NULL;
  }
  oyi_shape s;
  s.ndim = 0;
  for (size_t i = 0; i < t->ndim; i++)
    oyi_shape_add(&s, t->sizes[i], 2 * oyi_strides(t)[i]);
  oyi_shape_add(&s, 2, 1);
  return oyi_view_as_dtype(t, &s, 2 * t->offset, dtype);
}

static oy_status check_pairs(const oyi_tensor* t) {
  OY_CHECK(
      whole_dtype(t->header.dtype) != OY_DTYPE_ANY, TYPE_MISMATCH,
      "view_as_complex is only supported for half, float and double tensors, but got "
      "a tensor of scalar type: %s",
      oy_dtype_pytorch_name(t->header.dtype));
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT,
           "Input tensor must have one or more dimensions");
  OY_CHECK(t->sizes[t->ndim - 1] == 2, INVALID_ARGUMENT,
           "Tensor must have a last dimension of size 2");
  OY_CHECK(oyi_strides(t)[t->ndim - 1] == 1, INVALID_ARGUMENT,
           "Tensor must have a last dimension with stride 1");
  for (size_t i = 0; i + 1 < t->ndim; i++)
    OY_CHECK(oyi_strides(t)[i] % 2 == 0, INVALID_ARGUMENT,
             "Tensor must have a stride divisible by 2 for all but last dimension");
  OY_CHECK(t->offset % 2 == 0, INVALID_ARGUMENT,
           "Tensor must have a storage_offset divisible by 2");
  return OY_OK;
}

OYI_CPU(view_as_complex) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_pairs(t) != 0) return NULL;
  oyi_shape s;
  s.ndim = 0;
  for (size_t i = 0; i + 1 < t->ndim; i++)
    oyi_shape_add(&s, t->sizes[i], oyi_strides(t)[i] / 2);
  return oyi_view_as_dtype(t, &s, t->offset / 2, whole_dtype(t->header.dtype));
}

// -------------------------------------------------------------------- resizing

// Strides that |format| has for the sizes of |t|, which is contiguous.
static oy_status take_format(oyi_tensor* t, int64_t format) {
  oyi_options options = {t->header.dtype, oy_device_meta()};
  OY_CHECK(format != OY_MEMORY_PRESERVE, INVALID_ARGUMENT, "Unsupported memory format %s",
           "Preserve");
  oyi_tensor* like = oyi_rule_empty(oyi_sizes_view(t), &options, format, NULL);
  if (!like) return oy_failure();
  oy_status status =
      oyi_tensor_reshape(t, oyi_sizes_view(t), oyi_strides_view(like), t->offset);
  oy_tensor_release(&like->header);
  return status;
}

OYI_CPU(resize_) {
  oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  bool keeps = oyi_same_sizes(oyi_sizes_view(t), size);
  // A format makes even an expanded tensor dense, for which its storage may be short.
  bool formats = memory_format.tag != OY_TAG_NONE;
  if ((!keeps || formats) && oyi_tensor_resize(t, size) != 0) return NULL;
  return formats && take_format(t, memory_format.as.i) != 0 ? NULL : self;
}

OYI_CPU(is_set_to) {
  *out_result = false;
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(tensor) : NULL;
  if (!b) return oy_failure();
  *out_result = a->storage && a->storage == b->storage && a->offset == b->offset &&
                oyi_same_sizes(oyi_sizes_view(a), oyi_sizes_view(b)) &&
                oyi_same_sizes(oyi_strides_view(a), oyi_strides_view(b));
  return OY_OK;
}

// ---------------------------------------------------------- copies of views

OYI_CPU(narrow_copy) {
  return oyi_cloned(oyi_call_narrow(self, dim, start, length));
}
OYI_CPU(narrow_copy_out) {
  return oyi_stored(out, oyi_call_narrow(self, dim, start, length));
}

OYI_CPU(split_with_sizes_copy_out) {
  oy_value list;
  OY_TRY(oyi_call_split_with_sizes(self, split_sizes, dim, &list));
  oy_status status = OY_OK;
  if (list.count != out.size)
    status = OY_FAIL(INVALID_ARGUMENT,
                     "split_with_sizes_copy_out() expected an out= argument of size %u, "
                     "got size %zu",
                     list.count, out.size);
  for (size_t i = 0; i < out.size && status == 0; i++)
    if (!oyi_stored(out.data[i], oy_tensor_retain(list.as.tensors[i])))
      status = oy_failure();
  oy_value_release(&list);
  return status;
}

// ---------------------------------------------------------------------- set_

OYI_CPU(set_) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  oyi_tensor* fresh = oyi_tensor_new(OY_DIMS(0), self->dtype, oyi_tensor_device(t));
  if (!fresh) return NULL;
  oy_status status =
      oy_tensor_set_source(self, &fresh->header, 0, OY_DIMS(0), OY_DIMS(1));
  oy_tensor_release(&fresh->header);
  return status == 0 ? self : NULL;
}

OYI_CPU(set__source_Tensor) {
  const oyi_tensor* from = oyi_tensor_of(source);
  if (!from) return NULL;
  return oy_tensor_set_source(self, source, from->offset, oyi_sizes_view(from),
                              oyi_strides_view(from)) == 0
             ? self
             : NULL;
}
