// SPDX-License-Identifier: Apache-2.0
// View operators. Their kernels only compute geometry, so one kernel serves every
// backend whose tensors have strides; history is the layers' business.
#include <stdio.h>

#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"
#include "tensor/view_plain.h"

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
  return oy_tensor_expand(self, size);
}

static oy_object* view_all(oy_object* self) {
  const oyi_tensor* t = oyi_tensor_of(self);
  return t ? oyi_tensor_object(oyi_tensor_alias_same(t)) : NULL;
}

OYI_COMPOSITE(alias) {
  return view_all(self);
}
OYI_COMPOSITE(detach) {
  return view_all(self);
}

OYI_COMPOSITE(lift) {
  return oyi_tensor_of(self) ? oy_tensor_retain(self) : NULL;
}
OYI_COMPOSITE(lift_fresh) {
  return oyi_tensor_of(self) ? oy_tensor_retain(self) : NULL;
}

// -------------------------------------------------------- order of dimensions

static __attribute__((noinline)) oy_object* t_slow(oy_object* self) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim < 2) return oyi_view_all(t);
  if (t->ndim > 2) {
    OY_FAIL(INVALID_ARGUMENT,
            "t() expects a tensor with <= 2 dimensions, but self is %uD", t->ndim);
    return NULL;
  }
  return oyi_tensor_object(oyi_tensor_transposed(t, 0, 1));
}
OYI_COMPOSITE(t) {
  oyi_tensor* v = OYI_PLAINLY(self, oyi_plain_turned(oyi_tensor_cast(self)));
  return OY_LIKELY(v != NULL) ? oyi_tensor_object(v) : t_slow(self);
}

OYI_COMPOSITE(transpose_int) {
  return oy_tensor_transpose(self, dim0, dim1);
}

static __attribute__((noinline)) oy_object* permute_slow(oy_object* self, oy_ints dims) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (dims.size != t->ndim) {
    OY_FAIL(INVALID_ARGUMENT,
            "permute(sparse_coo): number of dimensions in the tensor input does not "
            "match the length of the desired ordering of dimensions i.e. input.dim() = "
            "%u is not equal to len(dims) = %zu",
            t->ndim, dims.size);
    return NULL;
  }
  uint64_t seen = 0;
  for (size_t i = 0; i < dims.size; i++) {
    int64_t d = oyi_dim_wrap(dims.data[i], t->ndim);
    if (d < 0) return NULL;
    if (seen >> d & 1) {
      OY_FAIL(INVALID_ARGUMENT, "permute(): duplicate dims are not allowed.");
      return NULL;
    }
    seen |= 1ull << d;
  }
  oyi_tensor* v = oyi_view_begin(t, dims.size);
  if (!v) return NULL;
  for (size_t i = 0; i < dims.size; i++) {
    const int64_t d = dims.data[i] + (dims.data[i] < 0 ? t->ndim : 0);
    v->sizes[i] = t->sizes[d];
    v->sizes[dims.size + i] = oyi_strides(t)[d];
  }
  return oyi_tensor_object(oyi_view_end_ordered(v));
}
OYI_COMPOSITE(permute) {
  oyi_tensor* v = OYI_PLAINLY(self, oyi_plain_permute(oyi_tensor_cast(self), dims));
  return OY_LIKELY(v != NULL) ? oyi_tensor_object(v) : permute_slow(self, dims);
}

// -------------------------------------------------------- dimensions of size 1

// |t| without those dimensions of |mask| that have size 1.
static oy_object* squeezed(const oyi_tensor* t, uint64_t mask) {
  uint64_t kept = 0;
  size_t ndim = 0;
  for (size_t i = 0; i < t->ndim; i++) {
    const bool stays = t->sizes[i] != 1 || !(mask >> i & 1);
    kept |= (uint64_t)stays << i;
    ndim += stays;
  }
  oyi_tensor* v = oyi_view_begin(t, ndim);
  if (!v) return NULL;
  for (size_t i = 0, at = 0; at < ndim; i++) {
    if (!(kept >> i & 1)) continue;
    v->sizes[at] = t->sizes[i];
    v->sizes[ndim + at++] = oyi_strides(t)[i];
  }
  // Dimensions of size 1 decide nothing: numel and flags are those of |t|.
  return oyi_tensor_object(v);
}

OYI_COMPOSITE(squeeze) {
  oyi_tensor* v = OYI_PLAINLY(self, oyi_plain_squeeze_all(oyi_tensor_cast(self)));
  if (OY_LIKELY(v != NULL)) return oyi_tensor_object(v);
  const oyi_tensor* t = oyi_tensor_of(self);
  return t ? squeezed(t, ~0ull) : NULL;
}

OYI_COMPOSITE(squeeze_dim) {
  oyi_tensor* v = OYI_PLAINLY(self, oyi_plain_squeeze(oyi_tensor_cast(self), dim));
  if (OY_LIKELY(v != NULL)) return oyi_tensor_object(v);
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t d = t ? oyi_dim_wrap(dim, t->ndim) : -1;
  return d < 0 ? NULL : squeezed(t, 1ull << d);
}

OYI_COMPOSITE(squeeze_dims) {
  const oyi_tensor* t = oyi_tensor_of(self);
  uint64_t mask;
  if (!t || oyi_dims_mask(dim, t->ndim, &mask) != 0) return NULL;
  return squeezed(t, mask);
}

static __attribute__((noinline)) oy_object* unsqueeze_slow(oy_object* self, int64_t dim) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t d = t ? oyi_dim_wrap(dim, (int64_t)t->ndim + 1) : -1;
  if (d < 0) return NULL;
  if (t->ndim == OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, "tensors may have at most %d dimensions",
            OY_TENSOR_MAX_DIMS);
    return NULL;
  }
  const size_t ndim = t->ndim + (size_t)1, at = (size_t)d;
  oyi_tensor* v = oyi_view_begin(t, ndim);
  if (!v) return NULL;
  const int64_t *sizes = t->sizes, *strides = oyi_strides(t);
  v->sizes[at] = 1;
  v->sizes[ndim + at] = at < t->ndim ? sizes[at] * strides[at] : 1;
  for (size_t i = 0; i < t->ndim; i++) {
    const size_t to = i + (i >= at);
    v->sizes[to] = sizes[i];
    v->sizes[ndim + to] = strides[i];
  }
  return oyi_tensor_object(v);
}

OYI_COMPOSITE(unsqueeze) {
  oyi_tensor* v = OYI_PLAINLY(self, oyi_plain_unsqueeze(oyi_tensor_cast(self), dim));
  return OY_LIKELY(v != NULL) ? oyi_tensor_object(v) : unsqueeze_slow(self, dim);
}

// ------------------------------------------------------------ parts of a tensor

static __attribute__((noinline)) oy_object* select_slow(oy_object* self, int64_t dim,
                                                        int64_t index) {
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
  return oyi_view_without(t, (size_t)d, index * oyi_strides(t)[d]);
}

OYI_COMPOSITE(select_int) {
  oyi_tensor* v = OYI_PLAINLY(self, oyi_plain_select(oyi_tensor_cast(self), dim, index));
  return OY_LIKELY(v != NULL) ? oyi_tensor_object(v) : select_slow(self, dim, index);
}

static __attribute__((noinline)) oy_object* slice_slow(oy_object* self, int64_t dim,
                                                       oy_value start, oy_value end,
                                                       int64_t step) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim == 0) {
    OY_FAIL(OUT_OF_RANGE, "slice() cannot be applied to a 0-dim tensor.");
    return NULL;
  }
  int64_t d = oyi_dim_wrap(dim, t->ndim), from, to;
  if (d < 0) return NULL;
  if (step <= 0) {
    OY_FAIL(INVALID_ARGUMENT, "slice step must be positive");
    return NULL;
  }
  oyi_slice_bounds(start, end, t->sizes[d], &from, &to);
  int64_t size = step == 1 ? to - from : to > from ? (to - from - 1) / step + 1 : 0;
  return oyi_view_slice(t, (size_t)d, from, size, step);
}

OYI_COMPOSITE(slice_Tensor) {
  oyi_tensor* v =
      OYI_PLAINLY(self, oyi_plain_slice(oyi_tensor_cast(self), dim, start, end, step));
  return OY_LIKELY(v != NULL) ? oyi_tensor_object(v)
                              : slice_slow(self, dim, start, end, step);
}

OYI_COMPOSITE(diagonal) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t a = t ? oyi_dim_wrap(dim1, t->ndim) : -1;
  int64_t b = a < 0 ? -1 : oyi_dim_wrap(dim2, t->ndim);
  if (b < 0) return NULL;
  if (a == b) {
    OY_FAIL(INVALID_ARGUMENT, "diagonal dimensions cannot be identical %lld, %lld",
            (long long)dim1, (long long)dim2);
    return NULL;
  }
  int64_t rows = t->sizes[a], columns = t->sizes[b], at = t->offset;
  // What is beyond the matrix has no elements, however far it is.
  if (offset > columns || offset < -rows) offset = offset > 0 ? columns : -rows;
  if (offset >= 0) columns -= offset;
  if (offset < 0) rows += offset;
  int64_t size = rows < columns ? rows : columns;
  if (size > 0)
    at += offset >= 0 ? offset * oyi_strides(t)[b] : -offset * oyi_strides(t)[a];
  oyi_shape s;
  s.ndim = 0;
  for (size_t i = 0; i < t->ndim; i++)
    if ((int64_t)i != a && (int64_t)i != b)
      oyi_shape_add(&s, t->sizes[i], oyi_strides(t)[i]);
  oyi_shape_add(&s, size, oyi_strides(t)[a] + oyi_strides(t)[b]);
  return oyi_shape_view(&s, t, at);
}

// -------------------------------------------------------------- other dtypes

static oy_status check_last_stride(const oyi_tensor* t, oy_dtype dtype) {
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT,
           "self.dim() cannot be 0 to view %s as %s (different element sizes)",
           oy_dtype_pytorch_name(t->header.dtype), oy_dtype_pytorch_name(dtype));
  OY_CHECK(oyi_strides(t)[t->ndim - 1] == 1, INVALID_ARGUMENT,
           "self.stride(-1) must be 1 to view %s as %s (different element sizes), but "
           "got %lld",
           oy_dtype_pytorch_name(t->header.dtype), oy_dtype_pytorch_name(dtype),
           (long long)oyi_strides(t)[t->ndim - 1]);
  return OY_OK;
}

static oy_status check_divisible(const char* what, int64_t number, int64_t ratio,
                                 const oyi_tensor* t, oy_dtype dtype) {
  OY_CHECK(number % ratio == 0, INVALID_ARGUMENT,
           "%s must be divisible by %lld to view %s as %s (different element sizes), but "
           "got %lld",
           what, (long long)ratio, oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(dtype), (long long)number);
  return OY_OK;
}

// |ratio| elements become one.
static oy_status join_elements(const oyi_tensor* t, int64_t ratio, oy_dtype dtype,
                               oyi_shape* s, int64_t* offset) {
  size_t last = t->ndim - 1u;
  OY_TRY(check_divisible("self.size(-1)", t->sizes[last], ratio, t, dtype));
  OY_TRY(check_divisible("self.storage_offset()", *offset, ratio, t, dtype));
  for (size_t i = 0; i < last; i++) {
    char what[32];
    snprintf(what, sizeof(what), "self.stride(%zu)", i);
    OY_TRY(check_divisible(what, s->strides[i], ratio, t, dtype));
    s->strides[i] /= ratio;
  }
  s->sizes[last] /= ratio;
  *offset /= ratio;
  return OY_OK;
}

// Each element becomes |ratio| of them.
static oy_status split_elements(const oyi_tensor* t, int64_t ratio, oyi_shape* s,
                                int64_t* offset) {
  size_t last = t->ndim - 1u;
  bool bad = __builtin_mul_overflow(*offset, ratio, offset);
  bad |= __builtin_mul_overflow(s->sizes[last], ratio, &s->sizes[last]);
  for (size_t i = 0; i < last; i++)
    bad |= __builtin_mul_overflow(s->strides[i], ratio, &s->strides[i]);
  OY_CHECK(!bad, INVALID_ARGUMENT, "numel: integer multiplication overflow: %s",
           oyi_dims_print(oyi_sizes_view(t)).text);
  return OY_OK;
}

static oy_status check_resolved(const oyi_tensor* t) {
  const uint64_t keys = t->header.keys.functionality;
  OY_CHECK(!(keys & 1ull << OY_KEY_Conjugate), INVALID_ARGUMENT,
           "torch.Tensor.view is not supported for conjugate view tensors when "
           "converting to a different dtype.");
  OY_CHECK(!(keys & 1ull << OY_KEY_Negative), INVALID_ARGUMENT,
           "torch.Tensor.view is not supported for tensors with negative bit set when "
           "converting to a different dtype.");
  return OY_OK;
}

OYI_COMPOSITE(view_dtype) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (dtype < 0 || dtype >= OY_DTYPE_LIMIT || !oyi_dtype_bytes[dtype]) {
    OY_FAIL(INVALID_ARGUMENT, "there is no element type with number %lld",
            (long long)dtype);
    return NULL;
  }
  if (t->header.dtype != dtype && check_resolved(t) != 0) return NULL;
  int64_t have = oyi_item(t), want = oyi_dtype_bytes[dtype], offset = t->offset;
  oyi_shape s;
  s.ndim = 0;
  oyi_shape_keep(&s, t, 0, t->ndim);
  if (have != want && check_last_stride(t, (oy_dtype)dtype) != 0) return NULL;
  if (want > have && join_elements(t, want / have, (oy_dtype)dtype, &s, &offset) != 0)
    return NULL;
  if (want < have && split_elements(t, have / want, &s, &offset) != 0) return NULL;
  return oyi_view_as_dtype(t, &s, offset, (oy_dtype)dtype);
}
