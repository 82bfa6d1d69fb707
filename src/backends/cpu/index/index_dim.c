// SPDX-License-Identifier: Apache-2.0
// Slices of one dimension by number: index_select, index_fill, index_copy, index_add.
// index_reduce is in index_reduce.c.
#include <string.h>

#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/indexing.h"
#include "backends/cpu/kernels.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// ------------------------------------------------------------------- index_select

static oy_status check_select(const oyi_tensor* t, const oyi_tensor* index) {
  OY_CHECK(index->ndim <= 1, OUT_OF_RANGE,
           "index_select(): Index is supposed to be a vector");
  OY_CHECK(index->header.dtype == OY_DTYPE_I64 || index->header.dtype == OY_DTYPE_I32,
           TYPE_MISMATCH, "index_select(): Expected dtype int32 or int64 for index");
  OY_CHECK(t->ndim > 0 || index->numel == 1, INVALID_ARGUMENT,
           "index_select(): Index to scalar can have only 1 value, got %lld value(s)",
           (long long)index->numel);
  OY_TRY(oyi_check_same_device(t, index));
  OY_TRY(oyi_check_memory(t));
  return oyi_check_memory(index);
}

static oyi_tensor* select_output(const oyi_tensor* t, const oyi_tensor* index,
                                 int64_t dim, oy_object* out) {
  int64_t shape[OY_TENSOR_MAX_DIMS];
  for (size_t d = 0; d < t->ndim; d++) shape[d] = t->sizes[d];
  if (t->ndim) shape[dim] = index->numel;
  oy_ints sizes = {shape, t->ndim};
  if (!out) return oyi_tensor_new(sizes, t->header.dtype, oyi_tensor_device(t));
  oyi_tensor* o = oyi_tensor_of(out);
  if (!o) return NULL;
  if (o->header.dtype != t->header.dtype) {
    OY_FAIL(TYPE_MISMATCH,
            "index_select(): self and result must have the same scalar type");
    return NULL;
  }
  const oyi_tensor* inputs[] = {t, index};
  bool good = oyi_output_check_overlap(o, inputs, 2) == 0 &&
              oyi_output_check_shape(o, t, sizes) == 0 &&
              oyi_output_prepare(o, sizes, t->header.dtype, oyi_tensor_device(t)) == 0;
  return good ? o : NULL;
}

// Whether elements are better copied as views of the tensors, one for each index, than by
// rows behind the indices, which may be short, or lie far apart: one index, a few of slices that
// share no lines of memory, or one place.
static bool selects_views(const oyi_tensor* t, int64_t dim, int64_t count) {
  enum { MOST = 8, ROW = 64, ONE_ROW = 256, LEAST = 64 };
  if (t->ndim == 0 || count == 0 || oyi_is_meta(t)) return false;
  int64_t row = oyi_item(t), all = t->sizes[dim] ? t->numel / t->sizes[dim] : 0;
  for (size_t d = (size_t)dim + 1; d < t->ndim; d++) row *= t->sizes[d];
  const bool lies =
      (t->flags & OYI_CONTIGUOUS) && (dim == 0 || row >= (count == 1 ? ONE_ROW : ROW));
  if (t->sizes[dim] == 1 && count == 1) return true;
  const int64_t apart = oyi_strides(t)[dim] * oyi_item(t), most = apart < ROW ? 1 : MOST;
  return !lies && (count <= most ? all >= LEAST : t->sizes[dim] == 1);
}

static oy_status select_into(const oyi_indexing* x, int64_t dim, oyi_tensor* to) {
  const oyi_tensor* t = x->self;
  const int64_t count = x->offsets->numel, *offsets = oyi_data(x->offsets);
  if (!selects_views(t, dim, count)) return oyi_indexing_take(x, to);
  if (t->sizes[dim] == 1) return oyi_index_copy(to, 0, t, 0, dim, oyi_sizes_view(to));
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, to->sizes, to->ndim * sizeof(*sizes));
  sizes[dim] = 1;
  for (int64_t i = 0; i < count; i++)
    OY_TRY(oyi_index_copy(to, i * oyi_strides(to)[dim], t,
                          offsets[i] * x->scale / oyi_item(t), dim,
                          (oy_ints){sizes, to->ndim}));
  return OY_OK;
}

static oy_object* select_slices(oy_object* self, int64_t dim, oy_object* index,
                                oy_object* out) {
  oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* i = t ? oyi_tensor_of(index) : NULL;
  oyi_indexing x;
  if (!i || (dim = oyi_dim_wrap(dim, t->ndim)) < 0 || check_select(t, i) != 0 ||
      oyi_indexing_begin_dim(&x, t, dim, i, OYI_INDEX_SELECT) != 0)
    return NULL;
  oyi_tensor* result = NULL;
  if (!out || oyi_indexing_own(&x) == OY_OK) result = select_output(t, i, dim, out);
  oy_status status = result ? select_into(&x, dim, result) : OY_INVALID_ARGUMENT;
  oyi_indexing_end(&x);
  return oyi_index_result(result, out, status);
}

OYI_CPU(index_select) {
  return select_slices(self, dim, index, NULL);
}
OYI_CPU(index_select_out) {
  return select_slices(self, dim, index, out);
}

// --------------------------------------------------------------------- index_fill

// Whether slices along |dim| have no elements.
static bool has_no_slices(const oyi_tensor* t, int64_t dim) {
  for (int64_t d = 0; d < t->ndim; d++)
    if (d != dim && t->sizes[d] == 0) return true;
  return false;
}

static oy_object* fill_slices(oy_object* self, int64_t dim, oy_object* index,
                              const oyi_tensor* value) {
  oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* i = t ? oyi_tensor_of(index) : NULL;
  if (!i || oyi_check_memory(t) != 0 || oyi_check_memory(i) != 0) return NULL;
  if (i->header.dtype != OY_DTYPE_I64) {
    OY_FAIL(OUT_OF_RANGE, "index_fill_(): Expected dtype int64 for index.");
    return NULL;
  }
  if (i->ndim > 1) {
    OY_FAIL(INVALID_ARGUMENT, "Index has to be a vector/scalar");
    return NULL;
  }
  oyi_indexing x;
  const oyi_tensor* inputs[] = {i};
  oyi_warn_expanded(t, "index_fill_", "mask] = scalar");
  if ((dim = oyi_dim_wrap(dim, t->ndim)) < 0 || oyi_check_inputs_apart(t, inputs, 1) != 0)
    return NULL;
  if (has_no_slices(t, dim)) return self;  // PyTorch does not look at indices then
  if (oyi_indexing_begin_dim(&x, t, dim, i, OYI_INDEX_ANY) != 0) return NULL;
  oy_status status =
      oyi_indexing_update(&x, value, oyi_updater_for(OYI_UPDATE_SET, self->dtype));
  oyi_indexing_end(&x);
  return status == 0 ? self : NULL;
}

OYI_CPU(index_fill__int_Scalar) {
  if (!oyi_tensor_of(self)) return NULL;
  if (value.tag == OY_TAG_COMPLEX && !oy_dtype_is_complex(self->dtype)) {
    OY_FAIL(TYPE_MISMATCH,
            "index_fill_(): Converting complex Scalar to non-complex type is not "
            "supported");
    return NULL;
  }
  const oyi_number number = oyi_number_of_scalar(value);
  if (oyi_number_check(number, self->dtype) != 0) return NULL;
  oyi_tensor* one = oyi_tensor_new(oy_dims_none(), self->dtype, oy_device_cpu());
  if (!one) return NULL;
  oyi_element_store(self->dtype, oyi_data(one), number);
  oy_object* result = fill_slices(self, dim, index, one);
  oy_tensor_release(&one->header);
  return result;
}

OYI_CPU(index_fill__int_Tensor) {
  const oyi_tensor* v = oyi_tensor_of(value);
  if (!v || !oyi_tensor_of(self)) return NULL;
  if (oyi_check_filler("index_fill_", value) != 0) return NULL;
  if (oyi_is_meta(oyi_tensor_cast(self))) return fill_slices(self, dim, index, v);
  if (oyi_is_meta(v)) {
    (void)!oyi_check_same_device(oyi_tensor_cast(self), v);
    return NULL;
  }
  oyi_tensor* one = oyi_converted(v, self->dtype);
  if (!one) return NULL;
  oy_object* result = fill_slices(self, dim, index, one);
  oy_tensor_release(&one->header);
  return result;
}

// ----------------------------------------------------------- index_copy, index_add

static oy_status check_copy(const oyi_tensor* t, int64_t dim, const oyi_tensor* i,
                            const oyi_tensor* s) {
  OY_CHECK(i->ndim <= 1, OUT_OF_RANGE,
           "index_copy_(): Index should have dimension 1 or 0 (got %u)", i->ndim);
  OY_CHECK(s->ndim > 0 || i->numel == 1, OUT_OF_RANGE,
           "index_copy_(): When source is scalar, index should have one element (got "
           "%lld)",
           (long long)i->numel);
  OY_CHECK(s->ndim == t->ndim || s->ndim == 0 || t->ndim == 0, OUT_OF_RANGE,
           "index_copy_(): When source and destination are not scalars, their "
           "dimensionality must match. Source dimensionality (%u), destination "
           "dimensionality (%u)",
           s->ndim, t->ndim);
  OY_CHECK(i->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "index_copy_(): Expected a long tensor for index, but got %s",
           oy_dtype_pytorch_name(i->header.dtype));
  OY_CHECK(t->header.dtype == s->header.dtype, TYPE_MISMATCH,
           "index_copy_(): self and source expected to have the same dtype, but got "
           "(self) %s and (source) %s",
           oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(s->header.dtype));
  for (int64_t d = 0; d < s->ndim && s->ndim == t->ndim; d++)
    if (d != dim && s->sizes[d] != t->sizes[d])
      return OY_FAIL(INVALID_ARGUMENT,
                     "index_copy_(): Source/destination tensor must have same slice "
                     "shapes. Destination slice shape: %lld at dimension %lld and source "
                     "slice shape: %lld at dimension %lld.",
                     (long long)t->sizes[d], (long long)dim, (long long)s->sizes[d],
                     (long long)dim);
  int64_t slices = s->ndim ? s->sizes[dim] : 1;
  OY_CHECK(i->numel == slices, OUT_OF_RANGE,
           "index_copy_(): Number of indices (%lld) should be equal to source.size(dim) "
           "(%lld)",
           (long long)i->numel, (long long)slices);
  return oyi_check_same_device(t, s);
}

static oy_object* update_slices(oyi_tensor* t, int64_t dim, const oyi_tensor* i,
                                const oyi_tensor* s, oy_object* out, oyi_update update,
                                oyi_index_kind kind) {
  oyi_indexing x;
  oyi_tensor* target;
  const oyi_tensor* inputs[] = {i, s};
  // The indices are checked before anything is written.
  if (oyi_check_memory(i) != 0 || oyi_indexing_begin_dim(&x, t, dim, i, kind) != 0)
    return NULL;
  oyi_indexing_end(&x);
  if (oyi_index_target(t, out, inputs, 2, &target) != 0) return NULL;
  oy_status status = oyi_indexing_begin_dim(&x, target, dim, i, kind);
  if (status == 0) {
    status = oyi_indexing_update(&x, s, oyi_updater_for(update, t->header.dtype));
    oyi_indexing_end(&x);
  }
  return oyi_index_result(target, out, status);
}

static oy_object* copy_slices(oy_object* self, int64_t dim, oy_object* index,
                              oy_object* source, oy_object* out) {
  oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* i = t ? oyi_tensor_of(index) : NULL;
  const oyi_tensor* s = i ? oyi_tensor_of(source) : NULL;
  if (!s || (dim = oyi_dim_wrap(dim, t->ndim)) < 0 || check_copy(t, dim, i, s) != 0)
    return NULL;
  return update_slices(t, dim, i, s, out, OYI_UPDATE_SET, OYI_INDEX_COPY);
}

OYI_CPU(index_copy) {
  return copy_slices(self, dim, index, source, NULL);
}
OYI_CPU(index_copy_out) {
  return copy_slices(self, dim, index, source, out);
}
OYI_CPU(index_copy_) {
  return copy_slices(self, dim, index, source, self);
}

static oy_status check_add(const oyi_tensor* t, int64_t dim, const oyi_tensor* i,
                           const oyi_tensor* s, oy_scalar alpha) {
  OY_CHECK(i->ndim <= 1, OUT_OF_RANGE,
           "index_add_(): Index is supposed to be a vector, but got dim: %u with type: "
           "%s and size: %s",
           i->ndim, oy_dtype_pytorch_name(i->header.dtype),
           oyi_dims_print(oyi_sizes_view(i)).text);
  OY_CHECK(i->header.dtype == OY_DTYPE_I64 || i->header.dtype == OY_DTYPE_I32,
           TYPE_MISMATCH,
           "index_add_(): Expected dtype int32/int64 for index but got: %s",
           oy_dtype_pytorch_name(i->header.dtype));
  OY_CHECK(t->header.dtype == s->header.dtype, TYPE_MISMATCH,
           "index_add_(): self (%s) and source (%s) must have the same scalar type",
           oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(s->header.dtype));
  OY_CHECK(dim == 0 || dim < s->ndim, INVALID_ARGUMENT,
           "index_add_(): Indexing dim %lld is out of bounds of the source tensor with "
           "dim %u",
           (long long)dim, s->ndim);
  int64_t slices = s->ndim ? s->sizes[dim] : 1;
  OY_CHECK(i->numel == slices, INVALID_ARGUMENT,
           "index_add_(): Number of indices (%lld) should be equal to "
           "source.size(dim): (%lld), for dim: %lld",
           (long long)i->numel, (long long)slices, (long long)dim);
  for (int64_t d = 0; d < t->ndim && s->ndim == t->ndim; d++)
    OY_CHECK(d == dim || s->sizes[d] == t->sizes[d], INVALID_ARGUMENT,
             "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
             "non-singleton dimension %lld",
             (long long)t->sizes[d], (long long)s->sizes[d],
             (long long)(d > dim ? d - 1 : d));
  // One element without dimensions counts as a line of one, or is all of the source.
  OY_CHECK(s->ndim == 0 || s->ndim == (t->ndim ? t->ndim : 1), INVALID_ARGUMENT,
           "source tensor shape must match self tensor shape, excluding the specified "
           "dimension. Got self.shape = %s source.shape = %s",
           oyi_dims_print(oyi_sizes_view(t)).text,
           oyi_dims_print(oyi_sizes_view(s)).text);
  OY_TRY(oyi_check_alpha(t->header.dtype, alpha));
  oyi_updater updater;
  OY_TRY(oyi_updater_find(OYI_UPDATE_ADD, t->header.dtype, "index_add_", &updater));
  return oyi_check_same_device(t, s);
}

// |source| times |alpha|; the source itself, retained, for 1.
static oyi_tensor* scaled(oyi_tensor* source, oy_scalar alpha) {
  if ((alpha.tag == OY_TAG_INT || alpha.tag == OY_TAG_BOOL) && alpha.as.i == 1) {
    oy_tensor_retain(&source->header);
    return source;
  }
  oyi_tensor* result = oyi_converted(source, source->header.dtype);
  if (!result || oyi_is_meta(source)) return result;
  _Alignas(16) char number[16];
  oyi_element_store(source->header.dtype, number, oyi_number_of_scalar(alpha));
  oyi_updater by = oyi_updater_for(OYI_UPDATE_MUL, source->header.dtype);
  by.row(result->numel, oyi_data(result), oyi_item(result), number, 0);
  return result;
}

static oy_object* add_slices(oy_object* self, int64_t dim, oy_object* index,
                             oy_object* source, oy_scalar alpha, oy_object* out) {
  oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* i = t ? oyi_tensor_of(index) : NULL;
  oyi_tensor* s = i ? oyi_tensor_of(source) : NULL;
  if (!s || (dim = oyi_dim_wrap(dim, t->ndim)) < 0 ||
      check_add(t, dim, i, s, alpha) != 0 || oyi_check_memory(s) != 0)
    return NULL;
  oyi_tensor* by = scaled(s, alpha);
  if (!by) return NULL;
  oy_object* result = update_slices(t, dim, i, by, out, OYI_UPDATE_ADD, OYI_INDEX_SELECT);
  oy_tensor_release(&by->header);
  return result;
}

OYI_CPU(index_add) {
  return add_slices(self, dim, index, source, alpha, NULL);
}
OYI_CPU(index_add_out) {
  return add_slices(self, dim, index, source, alpha, out);
}
OYI_CPU(index_add_) {
  return add_slices(self, dim, index, source, alpha, self);
}
