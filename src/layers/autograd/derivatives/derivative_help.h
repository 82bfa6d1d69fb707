// SPDX-License-Identifier: Apache-2.0
// What derivatives of indexing, reductions and matrices have in common. As in
// formula_help.h, what begins with |of_| takes the references that it is given.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_DERIVATIVE_HELP_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_DERIVATIVE_HELP_H_

#include "layers/autograd/derivatives/derivative.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"

// Zeros of dtype and device of |like|.
OYI_UNUSED static oy_object* zeros_of(oy_object* like, oy_ints sizes) {
  return oyi_call_new_zeros(like, sizes, oy_none(), oy_none(), oy_none(), oy_none());
}
OYI_UNUSED static oy_object* conj_of(oy_object* tensor) {
  return oyi_call_conj_physical(tensor);
}
OYI_UNUSED static double number_of(oy_scalar s) {
  return oyi_scalar_real(s);
}
// |value|, but 0 where |mask| is true.
OYI_UNUSED static oy_object* of_zero_where(oy_object* mask, oy_object* value) {
  oy_object* result = oyi_call_masked_fill_Scalar(value, mask, oy_int(0));
  oy_tensor_release(mask);
  oy_tensor_release(value);
  return result;
}

// |value|, reduced over |dims| (none: all) of |ndim|, with these dimensions back as ones.
// Without any it broadcasts as it is.
OYI_UNUSED static oy_object* restored(oy_object* value, oy_ints dims, bool keepdim,
                                      int64_t ndim) {
  oy_object* result = keep(value);
  if (keepdim || dims.size == 0 || ndim == 0) return result;
  uint64_t mask;
  if (oyi_dims_mask(dims, ndim, &mask) != 0) {
    oy_tensor_release(result);
    return NULL;
  }
  for (int64_t d = 0; d < ndim; d++) {
    if (!(mask >> d & 1)) continue;
    oy_object* wider = oyi_call_unsqueeze(result, d);
    oy_tensor_release(result);
    result = wider;
  }
  return result;
}
// The sum over |dims|, which stay as ones; none: over all.
OYI_UNUSED static oy_object* of_sum(oy_object* a, oy_ints dims) {
  oy_object* result = oyi_call_sum_dim_IntList(a, dims, true, oy_none());
  oy_tensor_release(a);
  return result;
}

OYI_UNUSED static oy_object* of_flip(oy_object* a, int64_t dim) {
  oy_object* result = oyi_call_flip(a, (oy_ints){&dim, 1});
  oy_tensor_release(a);
  return result;
}
// Sums of each element and all behind it.
OYI_UNUSED static oy_object* of_reverse_sums(oy_object* a, int64_t dim) {
  if (a && oy_tensor_numel(a) <= 1) return a;
  oy_object* flipped = of_flip(a, dim);
  oy_object* sums = oyi_call_cumsum(flipped, dim, oy_none());
  oy_tensor_release(flipped);
  return of_flip(sums, dim);
}

// Whether any element is true, or may be: tensors under vmap and those without data have no
// one answer, so that the way that is right of any of them has to be taken. |mask| is taken
// over.
OYI_UNUSED static oy_status may_be_any(oy_object* mask, bool* out) {
  oy_object* any = oyi_call_any(mask);
  oy_value value;
  oy_status status = any ? oyi_call_item(any, &value) : oy_failure();
  if (status == OY_NOT_IMPLEMENTED) {
    oy_error_clear();
    value = oy_bool(true);
    status = OY_OK;
  }
  if (status == OY_OK) *out = value.as.i != 0;
  oy_tensor_release(any);
  oy_tensor_release(mask);
  return status;
}
OYI_UNUSED static oy_status may_have_zeros(oy_object* tensor, bool* out) {
  return may_be_any(oyi_call_eq_Scalar(tensor, oy_int(0)), out);
}

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_DERIVATIVE_HELP_H_
