// SPDX-License-Identifier: Apache-2.0
// Tensors joined by way of cat: stack, and what NumPy has names for.
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

OYI_COMPOSITE(concat) {
  return oyi_call_cat(tensors, dim);
}
OYI_COMPOSITE(concat_out) {
  return oyi_call_cat_out(tensors, dim, out);
}
OYI_COMPOSITE(concatenate) {
  return oyi_call_cat(tensors, dim);
}
OYI_COMPOSITE(concatenate_out) {
  return oyi_call_cat_out(tensors, dim, out);
}

// Makes a list of |view| of each tensor; an error lets go of what there is.
typedef oy_object* (*view_fn)(oy_object* tensor, int64_t argument);
static oy_status each(oy_tensors tensors, view_fn view, int64_t argument,
                      oy_value* out_list) {
  oy_object** items;
  OY_TRY(oyi_list_new(tensors.size, out_list, &items));
  for (size_t i = 0; i < tensors.size; i++)
    if (!oyi_list_put(items, i, view(tensors.data[i], argument)))
      return oyi_list_fail(out_list);
  return OY_OK;
}

// cat of what |view| gives for each, into |out| if that is not NULL.
static oy_object* joined(oy_tensors tensors, view_fn view, int64_t argument, int64_t dim,
                         oy_object* out) {
  oy_value list;
  if (each(tensors, view, argument, &list) != 0) return NULL;
  oy_object* result = out ? oyi_call_cat_out(oyi_list_tensors(list), dim, out)
                          : oyi_call_cat(oyi_list_tensors(list), dim);
  oy_value_release(&list);
  return result;
}

static oy_object* unsqueezed(oy_object* tensor, int64_t dim) {
  return oyi_call_unsqueeze(tensor, dim);
}

// ---------------------------------------------------------------------- stack

// The new dimension's place; all sizes must be the same.
static int64_t check_stack(oy_tensors tensors, int64_t dim) {
  if (tensors.size == 0) {
    OY_FAIL(INVALID_ARGUMENT, "stack expects a non-empty TensorList");
    return -1;
  }
  const oyi_tensor* first = oyi_tensor_of(tensors.data[0]);
  int64_t d = first ? oyi_dim_wrap(dim, (int64_t)first->ndim + 1) : -1;
  for (size_t i = 1; d >= 0 && i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(tensors.data[i]);
    if (!t) return -1;
    if (oyi_same_sizes(oyi_sizes_view(first), oyi_sizes_view(t))) continue;
    OY_FAIL(INVALID_ARGUMENT,
            "stack expects each tensor to be equal size, but got %s at entry 0 and %s at "
            "entry %zu",
            oyi_dims_print(oyi_sizes_view(first)).text,
            oyi_dims_print(oyi_sizes_view(t)).text, i);
    return -1;
  }
  return d;
}

// A dimension that is not the last comes by cat and a view that divides it.
static oy_object* stack(oy_tensors tensors, int64_t dim) {
  int64_t d = check_stack(tensors, dim);
  if (d < 0) return NULL;
  const oyi_tensor* first = oyi_tensor_cast(tensors.data[0]);
  if (d == first->ndim) return joined(tensors, unsqueezed, d, d, NULL);
  int64_t sizes[OY_TENSOR_MAX_DIMS + 1];
  memcpy(sizes, first->sizes, (size_t)d * sizeof(int64_t));
  sizes[d] = (int64_t)tensors.size;
  memcpy(sizes + d + 1, first->sizes + d, (first->ndim - (size_t)d) * sizeof(int64_t));
  oy_object* flat = oyi_call_cat(tensors, d);
  oy_object* result = oyi_call_view(flat, (oy_ints){sizes, first->ndim + 1u});
  oy_tensor_release(flat);
  return result;
}

OYI_COMPOSITE(stack) {
  return stack(tensors, dim);
}
OYI_COMPOSITE(_stack) {
  return stack(tensors, dim);
}
OYI_COMPOSITE(stack_out) {
  int64_t d = check_stack(tensors, dim);
  return d < 0 ? NULL : joined(tensors, unsqueezed, d, d, out);
}
OYI_COMPOSITE(_stack_out) {
  int64_t d = check_stack(tensors, dim);
  return d < 0 ? NULL : joined(tensors, unsqueezed, d, d, out);
}

// --------------------------------------------------------- at least n dimensions

// |tensor| with at least |ndim| dimensions, put where NumPy puts them.
static oy_object* at_least(oy_object* tensor, int64_t ndim) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  if (t->ndim >= ndim) return oy_tensor_retain(tensor);
  if (t->ndim == 0) {
    static const int64_t ones[3] = {1, 1, 1};
    return oyi_call_reshape(tensor, (oy_ints){ones, (size_t)ndim});
  }
  oy_object* row =
      t->ndim == 1 ? oyi_call_unsqueeze(tensor, 0) : oy_tensor_retain(tensor);
  if (ndim == 2) return row;
  oy_object* result = oyi_call_unsqueeze(row, -1);
  oy_tensor_release(row);
  return result;
}

OYI_COMPOSITE(atleast_1d) {
  return at_least(self, 1);
}
OYI_COMPOSITE(atleast_2d) {
  return at_least(self, 2);
}
OYI_COMPOSITE(atleast_3d) {
  return at_least(self, 3);
}
OYI_COMPOSITE(atleast_1d_Sequence) {
  return each(tensors, at_least, 1, out_result);
}
OYI_COMPOSITE(atleast_2d_Sequence) {
  return each(tensors, at_least, 2, out_result);
}
OYI_COMPOSITE(atleast_3d_Sequence) {
  return each(tensors, at_least, 3, out_result);
}

// --------------------------------------------------------- NumPy's ways to stack

static bool is_empty_list(oy_tensors tensors, const char* name) {
  if (tensors.size > 0) return false;
  OY_FAIL(INVALID_ARGUMENT, "%s expects a non-empty TensorList", name);
  return true;
}

static oy_object* hstack(oy_tensors tensors, oy_object* out) {
  if (is_empty_list(tensors, "hstack")) return NULL;
  bool vectors = oy_tensor_ndim(tensors.data[0]) <= 1;
  return joined(tensors, at_least, 1, vectors ? 0 : 1, out);
}
OYI_COMPOSITE(hstack) {
  return hstack(tensors, NULL);
}
OYI_COMPOSITE(hstack_out) {
  return hstack(tensors, out);
}

static oy_object* vstack(oy_tensors tensors, oy_object* out) {
  return is_empty_list(tensors, "vstack") ? NULL : joined(tensors, at_least, 2, 0, out);
}
OYI_COMPOSITE(vstack) {
  return vstack(tensors, NULL);
}
OYI_COMPOSITE(vstack_out) {
  return vstack(tensors, out);
}
OYI_COMPOSITE(row_stack) {
  return oyi_call_vstack(tensors);
}
OYI_COMPOSITE(row_stack_out) {
  return oyi_call_vstack_out(tensors, out);
}

static oy_object* dstack(oy_tensors tensors, oy_object* out) {
  return is_empty_list(tensors, "dstack") ? NULL : joined(tensors, at_least, 3, 2, out);
}
OYI_COMPOSITE(dstack) {
  return dstack(tensors, NULL);
}
OYI_COMPOSITE(dstack_out) {
  return dstack(tensors, out);
}

// Vectors and numbers become columns.
static oy_object* as_columns(oy_object* tensor, int64_t unused) {
  (void)unused;
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  if (t->ndim > 1) return oy_tensor_retain(tensor);
  return oyi_call_reshape(tensor, OY_DIMS(t->numel, 1));
}

// hstack of the columns.
static oy_object* column_stack(oy_tensors tensors, oy_object* out) {
  oy_value list;
  if (is_empty_list(tensors, "column_stack") || each(tensors, as_columns, 0, &list) != 0)
    return NULL;
  oy_tensors columns = oyi_list_tensors(list);
  oy_object* result = out ? oyi_call_hstack_out(columns, out) : oyi_call_hstack(columns);
  oy_value_release(&list);
  return result;
}
OYI_COMPOSITE(column_stack) {
  return column_stack(tensors, NULL);
}
OYI_COMPOSITE(column_stack_out) {
  return column_stack(tensors, out);
}
