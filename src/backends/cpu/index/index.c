// SPDX-License-Identifier: Apache-2.0
// index and index_put: tensors and masks as indices.
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/indexing.h"
#include "backends/cpu/kernels.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/iterator.h"

static oy_object* index_into(oyi_indexing* x, oy_object* out) {
  int64_t shape[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (!oyi_indexing_shape(x, shape, &ndim)) return NULL;
  oy_ints sizes = {shape, ndim};
  oyi_tensor* result = NULL;
  if (out) {
    if (oyi_indexing_own(x) != OY_OK) return NULL;
    result = oyi_tensor_of(out);
    const oyi_tensor* inputs[] = {x->self};
    if (!result || oyi_check_apart(result, inputs, 1) != 0 ||
        oyi_output_exact(result, sizes, x->self->header.dtype,
                         oyi_tensor_device(x->self)) != 0)
      return NULL;
  } else {
    result = oyi_indexing_new(x, sizes);
    if (!result) return NULL;
  }
  if (oyi_indexing_take(x, result) == 0) return &result->header;
  if (!out) oy_tensor_release(&result->header);
  return NULL;
}

static oy_object* index_tensors(oy_object* self, oy_tensors indices, oy_object* out) {
  oyi_indexing x;
  if (oyi_indexing_begin(&x, self, indices) != 0) return NULL;
  oy_object* result = index_into(&x, out);
  oyi_indexing_end(&x);
  return result;
}

OYI_CPU(index_Tensor) {
  return index_tensors(self, indices, NULL);
}
OYI_CPU(index_Tensor_out) {
  return index_tensors(self, indices, out);
}

static oy_status check_values(const oyi_indexing* x, const oyi_tensor* values) {
  int64_t shape[OY_TENSOR_MAX_DIMS], joined[OY_TENSOR_MAX_DIMS];
  size_t ndim, joined_ndim;
  OY_TRY(oyi_check_same_device(x->self, values));
  OY_TRY(oyi_check_memory(values));
  if (!oyi_indexing_shape(x, shape, &ndim)) return OY_INVALID_ARGUMENT;
  oy_ints sizes = {shape, ndim};
  if (oyi_broadcast(oyi_sizes_view(values), sizes, joined, &joined_ndim) != 0 ||
      !oyi_same_sizes((oy_ints){joined, joined_ndim}, sizes))
    return OY_FAIL(INVALID_ARGUMENT,
                   "shape mismatch: value tensor of shape %s cannot be broadcast to "
                   "indexing result of shape %s",
                   oyi_dims_print(oyi_sizes_view(values)).text,
                   oyi_dims_print(sizes).text);
  OY_CHECK(x->self->header.dtype == values->header.dtype, TYPE_MISMATCH,
           "Index put requires the source and destination dtypes match, got %s for the "
           "destination and %s for the source.",
           oy_dtype_pytorch_name(x->self->header.dtype),
           oy_dtype_pytorch_name(values->header.dtype));
  return OY_OK;
}

// The one index that is not None, if it is a mask, with a dimension of 1 for each that follows
// its own; NULL without an error if indices are others, or with one.
static oy_object* only_mask(const oyi_tensor* t, oy_tensors indices) {
  const oyi_tensor* mask = NULL;
  size_t before = 0, after;
  for (size_t i = 0; i < indices.size; i++) {
    if (oy_object_is_none(indices.data[i])) {
      before += !mask;
      continue;
    }
    if (mask || indices.data[i]->dtype != OY_DTYPE_BOOL) return NULL;
    mask = oyi_tensor_of(indices.data[i]);
    if (!mask) return NULL;
  }
  if (!mask || before + mask->ndim > t->ndim || indices.size > t->ndim ||
      !oyi_same_sizes(oyi_sizes_view(mask), (oy_ints){t->sizes + before, mask->ndim}))
    return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, mask->sizes, mask->ndim * sizeof(*sizes));
  memcpy(strides, oyi_strides(mask), mask->ndim * sizeof(*strides));
  for (after = mask->ndim; after < t->ndim - before; after++)
    sizes[after] = strides[after] = 1;
  return oyi_tensor_object(oyi_tensor_alias(mask, (oy_ints){sizes, after},
                                            (oy_ints){strides, after}, mask->offset));
}

// One number where a mask says, as PyTorch puts it: of any dtype that fits. False if this is
// another case, as unsigned numbers are that no scalar holds.
static bool fills_mask(oy_object* self, oy_tensors indices, oy_object* values,
                       oy_status* out_status) {
  const oyi_tensor *t = oyi_tensor_of(self), *v = oyi_tensor_cast(values);
  const bool is_number = t && v->numel == 1 && !oyi_is_meta(v) &&
                         !(self->dtype == OY_DTYPE_U64 && values->dtype == OY_DTYPE_U64);
  oy_object* mask = is_number ? only_mask(t, indices) : NULL;
  if (!mask) return false;
  oy_scalar number;
  *out_status = oy_tensor_item(values, &number);
  if (*out_status == OY_OK) {
    *out_status = oyi_call_masked_fill__Scalar(self, mask, number) ? OY_OK : oy_failure();
    oy_value_release(&number);
  }
  oy_tensor_release(mask);
  return true;
}

static oy_status check_apart(const oyi_tensor* t, const oyi_tensor* values,
                             oy_tensors indices) {
  oyi_warn_expanded(t, "index_put_", "indices] = tensor");
  OY_TRY(oyi_check_inputs_apart(t, &values, 1));
  for (size_t i = 0; i < indices.size; i++) {
    if (oy_object_is_none(indices.data[i])) continue;
    const oyi_tensor* index = oyi_tensor_of(indices.data[i]);
    if (!index) return oy_failure();
    OY_TRY(oyi_check_inputs_apart(t, &index, 1));
  }
  return OY_OK;
}

static oy_status put(oy_object* self, oy_tensors indices, oy_object* values,
                     bool accumulate) {
  oyi_indexing x;
  const oyi_tensor *v = oyi_tensor_of(values), *t = v ? oyi_tensor_of(self) : NULL;
  oy_status filled;
  if (!t) return oy_failure();
  OY_TRY(check_apart(t, v, indices));
  if (!accumulate && fills_mask(self, indices, values, &filled)) return filled;
  OY_TRY(oyi_indexing_begin(&x, self, indices));
  oy_status status = check_values(&x, v);
  oyi_updater updater;
  if (status == 0)
    status = oyi_updater_find(accumulate ? OYI_UPDATE_ADD : OYI_UPDATE_SET, self->dtype,
                              "index_put", &updater);
  if (status == 0) status = oyi_indexing_update(&x, v, updater);
  oyi_indexing_end(&x);
  return status;
}

OYI_CPU(_index_put_impl_) {
  return put(self, indices, values, accumulate) == 0 ? self : NULL;
}
