// SPDX-License-Identifier: Apache-2.0
// Shapes by way of view, reshape and slice: operators that choose sizes and leave the
// view, or the copy where there is none, to others.
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

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

OYI_COMPOSITE(reshape_as) {
  const oyi_tensor* like = oyi_tensor_of(other);
  return like ? oyi_call_reshape(self, oyi_sizes_view(like)) : NULL;
}
OYI_COMPOSITE(view_as) {
  const oyi_tensor* like = oyi_tensor_of(other);
  return like ? oyi_call_view(self, oyi_sizes_view(like)) : NULL;
}
OYI_COMPOSITE(expand_as) {
  const oyi_tensor* like = oyi_tensor_of(other);
  return like ? oyi_call_expand(self, oyi_sizes_view(like), false) : NULL;
}
OYI_COMPOSITE(broadcast_to) {
  return oyi_call_expand(self, size, false);
}
OYI_COMPOSITE(ravel) {
  oy_object* flat = oyi_call_contiguous(self, OY_MEMORY_CONTIGUOUS);
  oy_object* result = oyi_call_view(flat, OY_DIMS(-1));
  oy_tensor_release(flat);
  return result;
}

OYI_COMPOSITE(flatten_using_ints) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t first = t ? oyi_dim_wrap(start_dim, t->ndim) : -1;
  int64_t last = first < 0 ? -1 : oyi_dim_wrap(end_dim, t->ndim);
  if (last < 0) return NULL;
  if (first > last) {
    OY_FAIL(INVALID_ARGUMENT,
            "flatten() has invalid args: start_dim cannot come after end_dim");
    return NULL;
  }
  if (t->ndim == 0) return oyi_call_reshape(self, OY_DIMS(1));
  if (first == last) return oy_tensor_retain(self);
  int64_t sizes[OY_TENSOR_MAX_DIMS], joined = 1;
  size_t n = 0;
  for (int64_t i = 0; i < t->ndim; i++) {
    if (i >= first && i <= last) joined *= t->sizes[i];
    if (i < first || i > last) sizes[n++] = t->sizes[i];
    if (i == last) sizes[n++] = joined;
  }
  return oyi_call_reshape(self, (oy_ints){sizes, n});
}

// Resolves a -1 in the sizes of an unflatten and checks their product.
static oy_status unflatten_sizes(oy_ints sizes, int64_t dim, int64_t size, int64_t* out) {
  int64_t known = 1;
  size_t open = sizes.size;
  bool bad = false;
  for (size_t i = 0; i < sizes.size; i++) {
    out[i] = sizes.data[i];
    if (sizes.data[i] == -1 && open == sizes.size)
      open = i;
    else
      bad |=
          sizes.data[i] < 0 || __builtin_mul_overflow(known, sizes.data[i], &known) != 0;
  }
  if (!bad && open < sizes.size && known != 0 && size % known == 0) {
    out[open] = size / known;
    return OY_OK;
  }
  OY_CHECK(
      !bad && open == sizes.size && known == size, INVALID_ARGUMENT,
      "unflatten: Provided sizes %s don't multiply up to the size of dim %lld (%lld) "
      "in the input tensor",
      oyi_dims_print(sizes).text, (long long)dim, (long long)size);
  return OY_OK;
}

OYI_COMPOSITE(unflatten_int) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t d = t ? oyi_dim_wrap(dim, t->ndim) : -1;
  if (d < 0) return NULL;
  if (sizes.size == 0 || t->ndim == 0) {
    OY_FAIL(INVALID_ARGUMENT, sizes.size ? "unflatten: the tensor has no dimensions"
                                         : "unflatten: sizes must be non-empty");
    return NULL;
  }
  if (t->ndim - 1u + sizes.size > OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, "tensors may have at most %d dimensions",
            OY_TENSOR_MAX_DIMS);
    return NULL;
  }
  int64_t shape[OY_TENSOR_MAX_DIMS];
  memcpy(shape, t->sizes, (size_t)d * sizeof(int64_t));
  if (unflatten_sizes(sizes, d, t->sizes[d], shape + d) != 0) return NULL;
  size_t rest = (size_t)t->ndim - 1 - (size_t)d;
  memcpy(shape + d + sizes.size, t->sizes + d + 1, rest * sizeof(int64_t));
  return oyi_call_view(self, (oy_ints){shape, t->ndim - 1u + sizes.size});
}

// --------------------------------------------------------------------- narrow

OYI_COMPOSITE(narrow) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim == 0 || length < 0) {
    OY_FAIL(INVALID_ARGUMENT, length < 0
                                  ? "narrow(): length must be non-negative."
                                  : "narrow() cannot be applied to a 0-dim tensor.");
    return NULL;
  }
  int64_t d = oyi_dim_wrap(dim, t->ndim);
  if (d < 0) return NULL;
  int64_t size = t->sizes[d];
  if (start < -size || start > size) {
    OY_FAIL(OUT_OF_RANGE,
            "start out of range (expected to be in range of [%lld, %lld], but got %lld)",
            (long long)-size, (long long)size, (long long)start);
    return NULL;
  }
  if (start < 0) start += size;
  if (length > size - start) {
    OY_FAIL(INVALID_ARGUMENT,
            "start (%lld) + length (%lld) exceeds dimension size (%lld).",
            (long long)start, (long long)length, (long long)size);
    return NULL;
  }
  return oyi_call_slice_Tensor(self, d, oy_int(start), oy_int(start + length), 1);
}

OYI_COMPOSITE(narrow_Tensor) {
  const oyi_tensor* t = oyi_tensor_of(start);
  oy_value number;
  if (!t) return NULL;
  if (t->ndim != 0 || !oy_dtype_is_integral(t->header.dtype, false)) {
    OY_FAIL(INVALID_ARGUMENT, "start must be an 0-dim integral Tensor.");
    return NULL;
  }
  if (oyi_call_item(start, &number) != 0) return NULL;
  return oyi_call_narrow(self, dim, number.as.i, length);
}

// -------------------------------------------------------- order of dimensions

// The dimensions that |dims| names, each once, as they are counted from the front.
static oy_status wrap_all(oy_ints dims, const oyi_tensor* t, const char* which,
                          int64_t* out, uint64_t* out_mask) {
  *out_mask = 0;
  for (size_t i = 0; i < dims.size; i++) {
    out[i] = oyi_dim_wrap(dims.data[i], t->ndim);
    if (out[i] < 0) return OY_OUT_OF_RANGE;
    OY_CHECK(!(*out_mask >> out[i] & 1), INVALID_ARGUMENT,
             "movedim: repeated dim in `%s` (%s)", which, oyi_dims_print(dims).text);
    *out_mask |= 1ull << out[i];
  }
  return OY_OK;
}

OYI_COMPOSITE(movedim_intlist) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (source.size != destination.size || source.size > OY_TENSOR_MAX_DIMS) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "movedim: Invalid source or destination dims: source (%s dims) should contain "
        "the same number of dims as destination (%s dims)",
        oyi_dims_print(source).text, oyi_dims_print(destination).text);
    return NULL;
  }
  int64_t from[OY_TENSOR_MAX_DIMS], to[OY_TENSOR_MAX_DIMS], order[OY_TENSOR_MAX_DIMS];
  uint64_t taken, placed;
  if (wrap_all(source, t, "source", from, &taken) != 0 ||
      wrap_all(destination, t, "destination", to, &placed) != 0)
    return NULL;
  if (t->ndim == 0) return oyi_call_alias(self);
  // NOLINT: both lists have one size
  for (size_t i = 0; i < source.size; i++) order[to[i]] = from[i];
  for (size_t i = 0, next = 0; i < t->ndim; i++) {
    if (placed >> i & 1) continue;
    while (taken >> next & 1) next++;
    order[i] = (int64_t)next++;
  }
  return oyi_call_permute(self, (oy_ints){order, t->ndim});
}

OYI_COMPOSITE(movedim_int) {
  return oyi_call_movedim_intlist(self, OY_DIMS(source), OY_DIMS(destination));
}
OYI_COMPOSITE(moveaxis_intlist) {
  return oyi_call_movedim_intlist(self, source, destination);
}
OYI_COMPOSITE(moveaxis_int) {
  return oyi_call_movedim_intlist(self, OY_DIMS(source), OY_DIMS(destination));
}
OYI_COMPOSITE(swapaxes) {
  return oyi_call_transpose_int(self, axis0, axis1);
}
OYI_COMPOSITE(swapdims) {
  return oyi_call_transpose_int(self, dim0, dim1);
}

OYI_COMPOSITE(numpy_T) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  int64_t order[OY_TENSOR_MAX_DIMS];
  for (int64_t i = 0; i < t->ndim; i++) order[i] = t->ndim - 1 - i;
  return oyi_call_permute(self, (oy_ints){order, t->ndim});
}

OYI_COMPOSITE(linalg_diagonal) {
  return oyi_call_diagonal(A, offset, dim1, dim2);
}
