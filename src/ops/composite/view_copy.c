// SPDX-License-Identifier: Apache-2.0
// What view operators show, as copies (the functional forms that view_copy and the others
// are to functionalization), and tensors with such a part replaced.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

// A copy of what the view operator |of| gives for the same arguments, and its out= form.
#define COPIED(id, of)                               \
  OYI_COMPOSITE(id) {                                \
    return oyi_cloned(oyi_call_##of(OYI_ARGS_##of)); \
  }
COPIED(view_copy, view)
COPIED(view_copy_dtype, view_dtype)
COPIED(_reshape_alias_copy, _reshape_alias)
COPIED(alias_copy, alias)
COPIED(detach_copy, detach)
COPIED(expand_copy, expand)
COPIED(permute_copy, permute)
COPIED(transpose_copy_int, transpose_int)
COPIED(t_copy, t)
COPIED(select_copy_int, select_int)
COPIED(slice_copy_Tensor, slice_Tensor)
COPIED(squeeze_copy, squeeze)
COPIED(squeeze_copy_dim, squeeze_dim)
COPIED(squeeze_copy_dims, squeeze_dims)
COPIED(unsqueeze_copy, unsqueeze)
COPIED(unfold_copy, unfold)
COPIED(diagonal_copy, diagonal)
COPIED(as_strided_copy, as_strided)
COPIED(view_as_real_copy, view_as_real)
COPIED(view_as_complex_copy, view_as_complex)

OYI_COMPOSITE(lift_fresh_copy) {
  return oyi_call_clone(self, oy_none());
}

OYI_STORED(view_copy_out, view)
OYI_STORED(view_copy_dtype_out, view_dtype)
OYI_STORED(_reshape_alias_copy_out, _reshape_alias)
OYI_STORED(alias_copy_out, alias)
OYI_STORED(detach_copy_out, detach)
OYI_STORED(expand_copy_out, expand)
OYI_STORED(permute_copy_out, permute)
OYI_STORED(transpose_copy_int_out, transpose_int)
OYI_STORED(t_copy_out, t)
OYI_STORED(select_copy_int_out, select_int)
OYI_STORED(slice_copy_Tensor_out, slice_Tensor)
OYI_STORED(squeeze_copy_out, squeeze)
OYI_STORED(squeeze_copy_dim_out, squeeze_dim)
OYI_STORED(squeeze_copy_dims_out, squeeze_dims)
OYI_STORED(unsqueeze_copy_out, unsqueeze)
OYI_STORED(unfold_copy_out, unfold)
OYI_STORED(diagonal_copy_out, diagonal)
OYI_STORED(as_strided_copy_out, as_strided)
OYI_STORED(view_as_real_copy_out, view_as_real)
OYI_STORED(view_as_complex_copy_out, view_as_complex)
OYI_STORED(lift_fresh_copy_out, alias)
OYI_STORED(lift_out, lift)
OYI_STORED(_unsafe_view_out, _unsafe_view)

// ---------------------------------------------------------------------- lists

// Replaces each view by a copy of it.
static oy_status copy_each(oy_status status, oy_value* list) {
  OY_TRY(status);
  oy_object** items = (oy_object**)(uintptr_t)list->as.tensors;
  for (size_t i = 0; i < list->count; i++)
    if (!oyi_list_put(items, i, oyi_cloned(items[i]))) return oyi_list_fail(list);
  return OY_OK;
}

OYI_COMPOSITE(split_copy_Tensor) {
  return copy_each(oyi_call_split_Tensor(OYI_ARGS_split_Tensor), out_result);
}
OYI_COMPOSITE(split_with_sizes_copy) {
  return copy_each(oyi_call_split_with_sizes(OYI_ARGS_split_with_sizes), out_result);
}
OYI_COMPOSITE(unbind_copy_int) {
  return copy_each(oyi_call_unbind_int(OYI_ARGS_unbind_int), out_result);
}

OYI_COMPOSITE(unsafe_split_Tensor_out) {
  oy_value list;
  return oyi_stored_each(oyi_call_unsafe_split_Tensor(self, split_size, dim, &list),
                         &list, out);
}
OYI_COMPOSITE(unsafe_split_with_sizes_out) {
  oy_value list;
  return oyi_stored_each(oyi_call_unsafe_split_with_sizes(self, split_sizes, dim, &list),
                         &list, out);
}
OYI_COMPOSITE(split_copy_Tensor_out) {
  oy_value list;
  return oyi_stored_each(oyi_call_split_Tensor(self, split_size, dim, &list), &list, out);
}
OYI_COMPOSITE(unbind_copy_int_out) {
  oy_value list;
  return oyi_stored_each(oyi_call_unbind_int(self, dim, &list), &list, out);
}

// -------------------------------------------------------------------- scatter

// |copy| with its |part|, a view of it that is released, replaced by |src|.
static oy_object* replaced(oy_object* copy, oy_object* part, oy_object* src) {
  const oyi_tensor* to = oyi_tensor_of(part);
  const oyi_tensor* from = to ? oyi_tensor_of(src) : NULL;
  oy_object* done = NULL;
  if (from && !oyi_same_sizes(oyi_sizes_view(to), oyi_sizes_view(from)))
    OY_FAIL(
        INVALID_ARGUMENT,
        "expected src to have a size equal to the slice of self. src size = %s, slice "
        "size = %s",
        oyi_dims_print(oyi_sizes_view(from)).text,
        oyi_dims_print(oyi_sizes_view(to)).text);
  else if (from)
    done = oyi_call_copy_(part, src, false);
  oy_tensor_release(part);
  return oyi_written(copy, done);
}

OYI_COMPOSITE(slice_scatter) {
  oy_object* copy = oyi_call_clone(self, oy_int(OY_MEMORY_PRESERVE));
  return replaced(copy, oyi_call_slice_Tensor(copy, dim, start, end, step), src);
}
OYI_COMPOSITE(select_scatter) {
  oy_object* copy = oyi_call_clone(self, oy_int(OY_MEMORY_PRESERVE));
  return replaced(copy, oyi_call_select_int(copy, dim, index), src);
}
OYI_COMPOSITE(diagonal_scatter) {
  oy_object* copy = oyi_call_clone(self, oy_int(OY_MEMORY_PRESERVE));
  return replaced(copy, oyi_call_diagonal(copy, offset, dim1, dim2), src);
}
OYI_COMPOSITE(as_strided_scatter) {
  oy_object* copy = oyi_call_clone(self, oy_int(OY_MEMORY_PRESERVE));
  return replaced(copy, oyi_call_as_strided(copy, size, stride, storage_offset), src);
}

OYI_STORED(slice_scatter_out, slice_scatter)
OYI_STORED(select_scatter_out, select_scatter)
OYI_STORED(diagonal_scatter_out, diagonal_scatter)
OYI_STORED(as_strided_scatter_out, as_strided_scatter)
