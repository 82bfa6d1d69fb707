// SPDX-License-Identifier: Apache-2.0
// View operators. Their kernels only compute geometry, so one kernel serves every
// backend whose tensors have strides; history is the layers' business.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "tensor/impl.h"

OYI_COMPOSITE(as_strided) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  int64_t offset = storage_offset.tag == OY_TAG_NONE ? t->offset : storage_offset.as.i;
  return oy_tensor_as_strided(self, size, stride, offset);
}

OYI_COMPOSITE(view) {
  return oy_tensor_view(self, size);
}

OYI_COMPOSITE(_unsafe_view) {
  return oy_tensor_view(self, size);
}

OYI_COMPOSITE(expand) {
  (void)op, (void)keys, (void)implicit;
  return oy_tensor_expand(self, size);
}

OYI_COMPOSITE(t) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim > 2) {
    OY_FAIL(INVALID_ARGUMENT,
            "t() expects a tensor with <= 2 dimensions, but self is %uD", t->ndim);
    return NULL;
  }
  return oy_tensor_transpose(self, 0, t->ndim < 2 ? 0 : 1);
}

OYI_COMPOSITE(transpose_int) {
  return oy_tensor_transpose(self, dim0, dim1);
}

static oy_object* view_all(oy_object* self) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  return oyi_tensor_object(
      oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset));
}

OYI_COMPOSITE(alias) {
  return view_all(self);
}

OYI_COMPOSITE(detach) {
  return view_all(self);
}

// The view of |t| without dimension |dim|, |offset| elements further on.
static oy_object* without_dim(const oyi_tensor* t, size_t dim, int64_t offset) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  size_t n = 0;
  for (size_t i = 0; i < t->ndim; i++) {
    if (i == dim) continue;
    sizes[n] = t->sizes[i];
    strides[n++] = oyi_strides(t)[i];
  }
  return oyi_tensor_object(oyi_tensor_alias(t, (oy_ints){sizes, n}, (oy_ints){strides, n},
                                            t->offset + offset));
}

OYI_COMPOSITE(squeeze_dim) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t d = t ? oyi_dim_wrap(dim, t->ndim) : -1;
  if (d < 0) return NULL;
  if (t->ndim == 0 || t->sizes[d] != 1) return view_all(self);
  return without_dim(t, (size_t)d, 0);
}

OYI_COMPOSITE(unsqueeze) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t d = t ? oyi_dim_wrap(dim, (int64_t)t->ndim + 1) : -1;
  if (d < 0) return NULL;
  if (t->ndim == OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, "tensors may have at most %d dimensions",
            OY_TENSOR_MAX_DIMS);
    return NULL;
  }
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0, from = 0; i < (size_t)t->ndim + 1; i++) {
    if (i == (size_t)d) {
      sizes[i] = 1;
      strides[i] = i < t->ndim ? t->sizes[i] * oyi_strides(t)[i] : 1;
      continue;
    }
    sizes[i] = t->sizes[from];
    strides[i] = oyi_strides(t)[from++];
  }
  size_t n = (size_t)t->ndim + 1;
  return oyi_tensor_object(
      oyi_tensor_alias(t, (oy_ints){sizes, n}, (oy_ints){strides, n}, t->offset));
}

OYI_COMPOSITE(select_int) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim == 0) {
    OY_FAIL(OUT_OF_RANGE, "select() cannot be applied to a 0-dim tensor.");
    return NULL;
  }
  int64_t d = oyi_dim_wrap(dim, t->ndim);
  if (d < 0) return NULL;
  int64_t size = t->sizes[d];
  if (index < -size || index >= size) {
    OY_FAIL(OUT_OF_RANGE,
            "select(): index %lld out of range for tensor of size %s at dimension "
            "%lld",
            (long long)index, oyi_dims_print(oyi_sizes_view(t)).text, (long long)d);
    return NULL;
  }
  if (index < 0) index += size;
  return without_dim(t, (size_t)d, index * oyi_strides(t)[d]);
}

OYI_COMPOSITE(reshape) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t inferred[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  if (!t || oyi_infer_size(shape, t->numel, inferred) != 0) return NULL;
  oy_ints wanted = {inferred, shape.size};
  if (oyi_view_strides(t, wanted, strides)) return oyi_call_view(self, wanted);
  oy_object* copy = oyi_call_clone(self, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_object* result = oyi_call__unsafe_view(copy, wanted);
  oy_tensor_release(copy);
  return result;
}

OYI_COMPOSITE(contiguous) {
  if (!oyi_tensor_of(self)) return NULL;
  if (memory_format == OY_MEMORY_PRESERVE) {
    OY_FAIL(INVALID_ARGUMENT,
            "preserve memory format is unsupported by the contiguous operator");
    return NULL;
  }
  if (oy_tensor_is_contiguous(self, (oy_memory_format)memory_format))
    return oy_tensor_retain(self);
  return oyi_call_clone(self, oy_int(memory_format));
}
