// SPDX-License-Identifier: Apache-2.0
// Gradients of indexing by tensors of positions: what was read gets its gradient back
// where it was, what was overwritten gets none.
#include "layers/autograd/derivatives/derivative_help.h"

// Zeros of |sizes|, which an in-place operator adds |grad| to.
#define ADDED_TO_ZEROS(grad, sizes, call)       \
  oy_object* whole = zeros_of((grad), (sizes)); \
  return oyi_written(whole, (call))

// -------------------------------------------------------------- index, index_put

static oy_object* spread_index(oy_object* grad, oy_ints sizes, oy_tensors indices) {
  ADDED_TO_ZEROS(grad, sizes,
                 oyi_call__index_put_impl_(whole, indices, grad, true, true));
}
BACKWARD(index_Tensor) {
  ARGUMENTS(index_Tensor);
  if (WANTS(self)) GIVE(self, spread_index(GRAD(0), INPUT_SIZES(self), indices));
  return OY_OK;
}

static oy_object* overwritten(oy_object* grad, oy_tensors indices) {
  oy_object* zero = zeros_of(grad, (oy_ints){NULL, 0});
  oy_object* result = oyi_call_index_put(grad, indices, zero, false);
  oy_tensor_release(zero);
  return result;
}
BACKWARD(index_put) {
  ARGUMENTS(index_put);
  if (WANTS(self)) GIVE(self, accumulate ? keep(GRAD(0)) : overwritten(GRAD(0), indices));
  if (WANTS(values)) GIVE(values, oyi_call_index_Tensor(GRAD(0), indices));
  return OY_OK;
}

// ------------------------------------------------------- positions in a dimension

static oy_object* spread_rows(oy_object* grad, oy_ints sizes, int64_t dim,
                              oy_object* index) {
  ADDED_TO_ZEROS(grad, sizes, oyi_call_index_add_(whole, dim, index, grad, oy_int(1)));
}
BACKWARD(index_select) {
  ARGUMENTS(index_select);
  if (WANTS(self)) GIVE(self, spread_rows(GRAD(0), INPUT_SIZES(self), dim, index));
  return OY_OK;
}

BACKWARD(index_fill_int_Scalar) {
  ARGUMENTS(index_fill_int_Scalar);
  if (WANTS(self))
    GIVE(self, oyi_call_index_fill_int_Scalar(GRAD(0), dim, index, oy_int(0)));
  return OY_OK;
}
// The sum of the gradient at |index|, each position once.
static oy_object* filled_sum(oy_object* grad, int64_t dim, oy_object* index) {
  oy_object *once = NULL, *inverse = NULL;
  if (oyi_call__unique(index, false, false, &once, &inverse) != 0) return NULL;
  oy_object* rows = oyi_call_index_select(grad, dim, once);
  oy_object* result = oyi_call_sum(rows, oy_none());
  oy_tensor_release(once);
  oy_tensor_release(inverse);
  oy_tensor_release(rows);
  return result;
}
BACKWARD(index_fill_int_Tensor) {
  ARGUMENTS(index_fill_int_Tensor);
  if (WANTS(self))
    GIVE(self, oyi_call_index_fill_int_Scalar(GRAD(0), dim, index, oy_int(0)));
  if (WANTS(value)) GIVE(value, filled_sum(GRAD(0), dim, index));
  return OY_OK;
}

// The rows of |grad| at |index|; of a source without dimensions there is one.
static oy_object* source_rows(oy_object* grad, int64_t dim, oy_object* index,
                              oy_ints source) {
  if (source.size > 0) return oyi_call_index_select(grad, dim, index);
  oy_object* rows = oyi_call_index_select(grad, dim, index);
  oy_object* result = oyi_call_reshape(rows, source);
  oy_tensor_release(rows);
  return result;
}
BACKWARD(index_copy) {
  ARGUMENTS(index_copy);
  if (WANTS(self))
    GIVE(self, oyi_call_index_fill_int_Scalar(GRAD(0), dim, index, oy_int(0)));
  if (WANTS(source)) GIVE(source, source_rows(GRAD(0), dim, index, INPUT_SIZES(source)));
  return OY_OK;
}
BACKWARD(index_add) {
  ARGUMENTS(index_add);
  if (WANTS(self)) GIVE(self, keep(GRAD(0)));
  if (WANTS(source))
    GIVE(source, of_scaled(source_rows(GRAD(0), dim, index, INPUT_SIZES(source)), alpha));
  return OY_OK;
}

// ------------------------------------------------------------- take, put, gather

static oy_object* spread_flat(oy_object* grad, oy_ints sizes, oy_object* index) {
  ADDED_TO_ZEROS(grad, sizes, oyi_call_put_(whole, index, grad, true));
}
BACKWARD(take) {
  ARGUMENTS(take);
  if (WANTS(self)) GIVE(self, spread_flat(GRAD(0), INPUT_SIZES(self), index));
  return OY_OK;
}

static oy_object* overwritten_flat(oy_object* grad, oy_object* index) {
  const oyi_tensor* i = oyi_tensor_of(index);
  oy_object* zeros = i ? zeros_of(grad, oyi_sizes_view(i)) : NULL;
  oy_object* result = oyi_call_put(grad, index, zeros, false);
  oy_tensor_release(zeros);
  return result;
}
static oy_object* taken(oy_object* grad, oy_object* index, oy_ints sizes) {
  oy_object* flat = oyi_call_take(grad, index);
  oy_object* result = oyi_call_reshape(flat, sizes);
  oy_tensor_release(flat);
  return result;
}
BACKWARD(put) {
  ARGUMENTS(put);
  if (WANTS(self))
    GIVE(self, accumulate ? keep(GRAD(0)) : overwritten_flat(GRAD(0), index));
  if (WANTS(source)) GIVE(source, taken(GRAD(0), index, INPUT_SIZES(source)));
  return OY_OK;
}

static oy_object* spread_gathered(oy_object* grad, oy_ints sizes, int64_t dim,
                                  oy_object* index) {
  ADDED_TO_ZEROS(grad, sizes, oyi_call_scatter_add_(whole, dim, index, grad));
}
BACKWARD(gather) {
  ARGUMENTS(gather);
  if (WANTS(self)) GIVE(self, spread_gathered(GRAD(0), INPUT_SIZES(self), dim, index));
  return OY_OK;
}

// ----------------------------------------------------------------------- scatter

BACKWARD(scatter_value) {
  ARGUMENTS(scatter_value);
  if (WANTS(self)) GIVE(self, oyi_call_scatter_value(GRAD(0), dim, index, oy_int(0)));
  return OY_OK;
}
BACKWARD(scatter_src) {
  ARGUMENTS(scatter_src);
  if (WANTS(self)) GIVE(self, oyi_call_scatter_value(GRAD(0), dim, index, oy_int(0)));
  if (WANTS(src)) GIVE(src, oyi_call_gather(GRAD(0), dim, index, false));
  return OY_OK;
}
BACKWARD(scatter_add) {
  ARGUMENTS(scatter_add);
  if (WANTS(self)) GIVE(self, keep(GRAD(0)));
  if (WANTS(src)) GIVE(src, oyi_call_gather(GRAD(0), dim, index, false));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

#define INDICES(id) SAVE(id, indices)
#define INDEX(id)   SAVE(id, index)
DERIVATIVE(index_Tensor, "IndexBackward0", INDICES(index_Tensor))
DERIVATIVE_AS(_unsafe_index_Tensor, "UnsafeIndexBackward0", index_Tensor,
              INDICES(_unsafe_index_Tensor))
DERIVATIVE(index_put, "IndexPutBackward0", INDICES(index_put))
DERIVATIVE_AS(index_put_, "IndexPutBackward0", index_put, INDICES(index_put_))
DERIVATIVE_AS(_unsafe_index_put, "UnsafeIndexPutBackward0", index_put,
              INDICES(_unsafe_index_put))
DERIVATIVE_AS(_index_put_impl, "IndexPutImplBackward0", index_put,
              INDICES(_index_put_impl))
DERIVATIVE_AS(_index_put_impl_, "IndexPutImplBackward0", index_put,
              INDICES(_index_put_impl_))
DERIVATIVE(index_select, "IndexSelectBackward0", INDEX(index_select))
DERIVATIVE(index_fill_int_Scalar, "IndexFillBackward0", INDEX(index_fill_int_Scalar))
DERIVATIVE_AS(index_fill__int_Scalar, "IndexFillBackward0", index_fill_int_Scalar,
              INDEX(index_fill__int_Scalar))
DERIVATIVE(index_fill_int_Tensor, "IndexFillBackward1", INDEX(index_fill_int_Tensor))
DERIVATIVE_AS(index_fill__int_Tensor, "IndexFillBackward1", index_fill_int_Tensor,
              INDEX(index_fill__int_Tensor))
DERIVATIVE(index_copy, "IndexCopyBackward0", INDEX(index_copy))
DERIVATIVE_AS(index_copy_, "IndexCopyBackward0", index_copy, INDEX(index_copy_))
DERIVATIVE(index_add, "IndexAddBackward0", SAVE_IF(index_add, index, source))
DERIVATIVE_AS(index_add_, "IndexAddBackward0", index_add,
              SAVE_IF(index_add_, index, source))
DERIVATIVE(take, "TakeBackward0", INDEX(take))
DERIVATIVE(put, "PutBackward0", INDEX(put))
DERIVATIVE_AS(put_, "PutBackward0", put, INDEX(put_))
DERIVATIVE(gather, "GatherBackward0", INDEX(gather))
DERIVATIVE(scatter_src, "ScatterBackward0", INDEX(scatter_src))
DERIVATIVE_AS(scatter__src, "ScatterBackward0", scatter_src, INDEX(scatter__src))
DERIVATIVE(scatter_value, "ScatterBackward1", INDEX(scatter_value))
DERIVATIVE_AS(scatter__value, "ScatterBackward1", scatter_value, INDEX(scatter__value))
DERIVATIVE(scatter_add, "ScatterAddBackward0", SAVE_IF(scatter_add, index, src))
DERIVATIVE_AS(scatter_add_, "ScatterAddBackward0", scatter_add,
              SAVE_IF(scatter_add_, index, src))
