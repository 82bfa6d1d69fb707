// SPDX-License-Identifier: Apache-2.0
// Gradients of dropout: what stayed gets its gradient, scaled as it was.
#include "layers/autograd/derivatives/derivative.h"

BACKWARD(native_dropout) {
  ARGUMENTS(native_dropout);
  // As in PyTorch also where nobody said whether this is training.
  bool is_training = train.tag != OY_TAG_NONE && train.as.i != 0;
  double kept = is_training ? 1 - p : 1;
  double scale = kept == 0 ? 0 : 1 / kept;
  GIVE(input, oyi_call_native_dropout_backward(GRAD(0), RESULT(1), scale));
  return OY_OK;
}
BACKWARD(native_dropout_backward) {
  ARGUMENTS(native_dropout_backward);
  if (WANTS(grad_output))
    GIVE(grad_output, oyi_call_native_dropout_backward(GRAD(0), mask, scale));
  if (WANTS(mask))
    GIVE(mask, of_mul_number(oyi_call_mul_Tensor(GRAD(0), grad_output), oy_float(scale)));
  return OY_OK;
}

DERIVATIVE_OF_FIRST(native_dropout, "NativeDropoutBackward0", OUTPUT(1))
DERIVATIVE(native_dropout_backward, "NativeDropoutBackwardBackward0",
           SAVE_IF(native_dropout_backward, grad_output, mask),
           SAVE(native_dropout_backward, mask))
