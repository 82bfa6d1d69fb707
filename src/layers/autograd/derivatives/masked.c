// SPDX-License-Identifier: Apache-2.0
// Gradients of operators that read or write where a mask is true.
#include "layers/autograd/derivatives/derivative_help.h"

static oy_object* unmasked(oy_object* grad, oy_object* mask) {
  return oyi_call_masked_fill_Scalar(grad, mask, oy_int(0));
}
BACKWARD(masked_fill_Scalar) {
  ARGUMENTS(masked_fill_Scalar);
  if (WANTS(self)) GIVE(self, unmasked(GRAD(0), mask));
  return OY_OK;
}
BACKWARD(masked_fill_Tensor) {
  ARGUMENTS(masked_fill_Tensor);
  if (WANTS(self)) GIVE(self, unmasked(GRAD(0), mask));
  // |value| has no dimensions: the engine sums.
  if (WANTS(value)) GIVE(value, of_zero_where(oyi_call_logical_not(mask), keep(GRAD(0))));
  return OY_OK;
}

BACKWARD(masked_select) {
  ARGUMENTS(masked_select);
  if (!WANTS(self)) return OY_OK;
  oy_object* zeros = zeros_of(GRAD(0), INPUT_SIZES(self));
  oy_object* result = oyi_call_masked_scatter(zeros, mask, GRAD(0));
  oy_tensor_release(zeros);
  GIVE(self, result);
  return OY_OK;
}

// What was written, then zeros for the elements of the source that were not.
static oy_object* written_part(oy_object* grad, oy_object* mask, oy_ints sizes) {
  oy_object* part = oyi_call_masked_select(grad, mask);
  if (!part) return NULL;
  int64_t count = 1;
  for (size_t i = 0; i < sizes.size; i++) count *= sizes.data[i];
  int64_t missing = count - oy_tensor_numel(part);
  if (missing > 0) {
    oy_object* both[2] = {part, zeros_of(grad, (oy_ints){&missing, 1})};
    part = both[1] ? oyi_call_cat((oy_tensors){both, 2}, 0) : NULL;
    oy_tensor_release(both[0]);
    oy_tensor_release(both[1]);
  }
  oy_object* result = oyi_call_reshape(part, sizes);
  oy_tensor_release(part);
  return result;
}
BACKWARD(masked_scatter) {
  ARGUMENTS(masked_scatter);
  if (WANTS(self)) GIVE(self, unmasked(GRAD(0), mask));
  if (WANTS(source)) GIVE(source, written_part(GRAD(0), mask, INPUT_SIZES(source)));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(masked_fill_Scalar, "MaskedFillBackward0", SAVE(masked_fill_Scalar, mask))
DERIVATIVE_AS(masked_fill__Scalar, "MaskedFillBackward0", masked_fill_Scalar,
              SAVE(masked_fill__Scalar, mask))
DERIVATIVE(masked_fill_Tensor, "MaskedFillBackward1", SAVE(masked_fill_Tensor, mask))
DERIVATIVE_AS(masked_fill__Tensor, "MaskedFillBackward1", masked_fill_Tensor,
              SAVE(masked_fill__Tensor, mask))
DERIVATIVE(masked_select, "MaskedSelectBackward0", SAVE(masked_select, mask))
DERIVATIVE(masked_scatter, "MaskedScatterBackward0", SAVE(masked_scatter, mask))
DERIVATIVE_AS(masked_scatter_, "MaskedScatterBackward0", masked_scatter,
              SAVE(masked_scatter_, mask))
