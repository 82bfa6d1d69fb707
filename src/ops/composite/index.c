// SPDX-License-Identifier: Apache-2.0
// Indexing operators by others: copies that are written in place, forms with given
// outputs, gather with indices that broadcast.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/out_form.h"
#include "tensor/impl.h"

// Runs an in-place form, which returns what it was given, on a copy of |self|.
#define ON_A_COPY(format, call)                                       \
  oy_object* copy = oyi_call_clone(self, oy_int(OY_MEMORY_##format)); \
  if ((call)) return copy;                                            \
  oy_tensor_release(copy);                                            \
  return NULL

OYI_COMPOSITE(_unsafe_index_Tensor) {
  return oyi_call_index_Tensor(self, indices);
}
OYI_COMPOSITE(index_put_) {
  return oyi_call__index_put_impl_(self, indices, values, accumulate, false);
}
OYI_COMPOSITE(index_put) {
  ON_A_COPY(PRESERVE, oyi_call_index_put_(copy, indices, values, accumulate));
}
OYI_COMPOSITE(index_put_out) {
  return oyi_into_exact_out(out, oyi_call_index_put(self, indices, values, accumulate));
}
OYI_COMPOSITE(_unsafe_index_put) {
  return oyi_call_index_put(self, indices, values, accumulate);
}
OYI_COMPOSITE(_index_put_impl) {
  ON_A_COPY(PRESERVE,
            oyi_call__index_put_impl_(copy, indices, values, accumulate, unsafe));
}
OYI_COMPOSITE(_index_put_impl_out) {
  return oyi_into_exact_out(
      out, oyi_call__index_put_impl(self, indices, values, accumulate, unsafe));
}

OYI_COMPOSITE(index_fill_int_Scalar) {
  ON_A_COPY(PRESERVE, oyi_call_index_fill__int_Scalar(copy, dim, index, value));
}
OYI_COMPOSITE(index_fill_int_Scalar_out) {
  return oyi_into_exact_out(out, oyi_call_index_fill_int_Scalar(self, dim, index, value));
}
OYI_COMPOSITE(index_fill_int_Tensor) {
  ON_A_COPY(PRESERVE, oyi_call_index_fill__int_Tensor(copy, dim, index, value));
}
OYI_COMPOSITE(index_fill_int_Tensor_out) {
  return oyi_into_exact_out(out, oyi_call_index_fill_int_Tensor(self, dim, index, value));
}
OYI_COMPOSITE(put) {
  ON_A_COPY(PRESERVE, oyi_call_put_(copy, index, source, accumulate));
}
OYI_COMPOSITE(put_out) {
  return oyi_into_exact_out(out, oyi_call_put(self, index, source, accumulate));
}

// A new reference to |self| as large as it and |mask| together.
static oy_object* as_large_as_both(oy_object* self, oy_object* mask) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* m = t ? oyi_tensor_of(mask) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (!m || oyi_broadcast(oyi_sizes_view(m), oyi_sizes_view(t), sizes, &ndim) != 0)
    return NULL;
  if (oyi_same_sizes(oyi_sizes_view(t), (oy_ints){sizes, ndim}))
    return oy_tensor_retain(self);
  return oyi_call_expand(self, (oy_ints){sizes, ndim}, false);
}

OYI_COMPOSITE(masked_fill_Scalar) {
  oy_object* wide = as_large_as_both(self, mask);
  oy_object* copy = oyi_call_clone(wide, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_tensor_release(wide);
  if (oyi_call_masked_fill__Scalar(copy, mask, value)) return copy;
  oy_tensor_release(copy);
  return NULL;
}
OYI_COMPOSITE(masked_fill_Scalar_out) {
  return oyi_into_exact_out(out, oyi_call_masked_fill_Scalar(self, mask, value));
}
OYI_COMPOSITE(masked_fill_Tensor) {
  oy_object* wide = as_large_as_both(self, mask);
  oy_object* copy = oyi_call_clone(wide, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_tensor_release(wide);
  if (oyi_call_masked_fill__Tensor(copy, mask, value)) return copy;
  oy_tensor_release(copy);
  return NULL;
}
OYI_COMPOSITE(masked_fill_Tensor_out) {
  return oyi_into_exact_out(out, oyi_call_masked_fill_Tensor(self, mask, value));
}
OYI_COMPOSITE(masked_scatter) {
  oy_object* wide = as_large_as_both(self, mask);
  oy_object* copy = oyi_call_clone(wide, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_tensor_release(wide);
  if (oyi_call_masked_scatter_(copy, mask, source)) return copy;
  oy_tensor_release(copy);
  return NULL;
}
OYI_COMPOSITE(masked_scatter_out) {
  return oyi_into_exact_out(out, oyi_call_masked_scatter(self, mask, source));
}

OYI_COMPOSITE(argwhere) {
  return oyi_call_nonzero(self);
}

// --------------------------------------------------------------------- take_along_dim

static oy_status check_along(const oyi_tensor* t, const oyi_tensor* i, oy_value dim) {
  OY_CHECK(i->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "torch.take_along_dim(): dtype of indices should be Long but got %s",
           oy_dtype_pytorch_name(i->header.dtype));
  OY_CHECK(dim.tag == OY_TAG_NONE || t->ndim == i->ndim, INVALID_ARGUMENT,
           "torch.take_along_dim(): input and indices should have the same number of "
           "dimensions, but got %u dimensions for input, and %u dimensions for indices",
           t->ndim, i->ndim);
  return OY_OK;
}

// |tensor| in the broadcast shape |joined|, but for dimension |dim|.
static oy_object* along(oy_object* tensor, const int64_t* joined, size_t ndim,
                        int64_t dim) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  for (size_t d = 0; d < ndim; d++) sizes[d] = joined[d];
  sizes[dim] = oyi_tensor_cast(tensor)->sizes[dim];
  return oyi_call_expand(tensor, (oy_ints){sizes, ndim}, false);
}

typedef struct along_pair {
  oy_object *self, *indices;
  int64_t dim;
} along_pair;

// Both operands of the gather; false with nothing held.
static bool broadcast_along(oy_object* self, oy_object* indices, oy_value dim,
                            along_pair* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* i = t ? oyi_tensor_of(indices) : NULL;
  if (!i || check_along(t, i, dim) != 0) return false;
  if (dim.tag == OY_TAG_NONE) {
    out->dim = 0;
    out->self = oyi_call_view(self, OY_DIMS(-1));
    out->indices = out->self ? oyi_call_view(indices, OY_DIMS(-1)) : NULL;
  } else {
    int64_t a[OY_TENSOR_MAX_DIMS], b[OY_TENSOR_MAX_DIMS], joined[OY_TENSOR_MAX_DIMS];
    size_t ndim;
    if ((out->dim = oyi_dim_wrap(dim.as.i, t->ndim)) < 0) return false;
    for (int64_t d = 0; d < t->ndim; d++) {
      a[d] = d == out->dim ? 1 : t->sizes[d];
      b[d] = d == out->dim ? 1 : i->sizes[d];
    }
    if (oyi_broadcast((oy_ints){a, t->ndim}, (oy_ints){b, t->ndim}, joined, &ndim) != 0)
      return false;
    out->self = along(self, joined, ndim, out->dim);
    out->indices = out->self ? along(indices, joined, ndim, out->dim) : NULL;
  }
  if (!out->indices) oy_tensor_release(out->self);
  return out->indices != NULL;
}

OYI_COMPOSITE(take_along_dim) {
  along_pair p;
  if (!broadcast_along(self, indices, dim, &p)) return NULL;
  oy_object* result = oyi_call_gather(p.self, p.dim, p.indices, false);
  oy_tensor_release(p.self);
  oy_tensor_release(p.indices);
  return result;
}
OYI_COMPOSITE(take_along_dim_out) {
  along_pair p;
  if (!broadcast_along(self, indices, dim, &p)) return NULL;
  oy_object* result = oyi_call_gather_out(p.self, p.dim, p.indices, false, out);
  oy_tensor_release(p.self);
  oy_tensor_release(p.indices);
  return result;
}
