// SPDX-License-Identifier: Apache-2.0
// Gradients of rrelu. The slopes are what the call wrote to |noise|.
#include "layers/autograd/derivatives/derivative.h"

BACKWARD(rrelu_with_noise) {
  ARGUMENTS(rrelu_with_noise);
  if (WANTS(self))
    GIVE(self, oyi_call_rrelu_with_noise_backward(GRAD(0), self, noise, lower, upper,
                                                  training, false));
  return OY_OK;
}
BACKWARD(rrelu_with_noise_) {
  ARGUMENTS(rrelu_with_noise_);
  if (WANTS(self))
    GIVE(self, oyi_call_rrelu_with_noise_backward(GRAD(0), RESULT(0), noise, lower, upper,
                                                  training, true));
  return OY_OK;
}
BACKWARD(rrelu_with_noise_functional) {
  ARGUMENTS(rrelu_with_noise_functional);
  if (WANTS(self))
    GIVE(self, oyi_call_rrelu_with_noise_backward(GRAD(0), self, RESULT(1), lower, upper,
                                                  training, false));
  return OY_OK;
}
BACKWARD(rrelu_with_noise_backward) {
  ARGUMENTS(rrelu_with_noise_backward);
  if (WANTS(grad_output))
    GIVE(grad_output, oyi_call_rrelu_with_noise_backward(
                          GRAD(0), self, noise, lower, upper, training, self_is_result));
  if (WANTS(self)) GIVE(self, zeros_like(GRAD(0)));
  return OY_OK;
}

DERIVATIVE(rrelu_with_noise, "RreluWithNoiseBackward0", SAVE(rrelu_with_noise, self),
           WRITTEN(rrelu_with_noise, noise))
DERIVATIVE(rrelu_with_noise_, "RreluWithNoiseBackward1",
           WRITTEN(rrelu_with_noise_, noise), OUTPUT(0))
DERIVATIVE_OF_FIRST(rrelu_with_noise_functional, "RreluWithNoiseFunctionalBackward0",
                    SAVE(rrelu_with_noise_functional, self), OUTPUT(1))
DERIVATIVE(rrelu_with_noise_backward, "RreluWithNoiseBackwardBackward0",
           SAVE(rrelu_with_noise_backward, self), SAVE(rrelu_with_noise_backward, noise))
