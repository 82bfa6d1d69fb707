// SPDX-License-Identifier: Apache-2.0
// Gradients of activations, by the operators that PyTorch has for them. In-place forms
// use the result where it tells as much as the input.
#include "layers/autograd/derivatives/derivative.h"
#include "tensor/element.h"

BACKWARD(leaky_relu_) {
  ARGUMENTS(leaky_relu_);
  GIVE(self, oyi_call_leaky_relu_backward(GRAD(0), RESULT(0), negative_slope, true));
  return OY_OK;
}

BACKWARD(hardtanh) {
  ARGUMENTS(hardtanh);
  GIVE(self, oyi_call_hardtanh_backward(GRAD(0), self, min_val, max_val));
  return OY_OK;
}
BACKWARD(hardtanh_) {
  ARGUMENTS(hardtanh_);
  GIVE(self, oyi_call_hardtanh_backward(GRAD(0), RESULT(0), min_val, max_val));
  return OY_OK;
}

BACKWARD(softplus) {
  ARGUMENTS(softplus);
  GIVE(self, oyi_call_softplus_backward(GRAD(0), self, beta, threshold));
  return OY_OK;
}

BACKWARD(glu) {
  ARGUMENTS(glu);
  GIVE(self, oyi_call_glu_backward(GRAD(0), self, dim));
  return OY_OK;
}

BACKWARD(log_sigmoid_forward) {
  ARGUMENTS(log_sigmoid_forward);
  GIVE(self, oyi_call_log_sigmoid_backward(GRAD(0), self, RESULT(1)));
  return OY_OK;
}

BACKWARD(_prelu_kernel) {
  ARGUMENTS(_prelu_kernel);
  oy_object *of_self, *of_weight;
  OY_TRY(oyi_call__prelu_kernel_backward(GRAD(0), self, weight, &of_self, &of_weight));
  GIVE_PART(self, of_self);
  GIVE_PART(weight, of_weight);
  return OY_OK;
}

// ------------------------------------------------------------------- elu and celu

BACKWARD(elu) {
  ARGUMENTS(elu);
  GIVE(self, oyi_call_elu_backward(GRAD(0), alpha, scale, input_scale, false, self));
  return OY_OK;
}
BACKWARD(elu_) {
  ARGUMENTS(elu_);
  GIVE(self, oyi_call_elu_backward(GRAD(0), alpha, scale, input_scale, true, RESULT(0)));
  return OY_OK;
}

// celu is elu whose input is divided by alpha.
static oy_object* celu_gradient(oy_object* grad, oy_scalar alpha, bool is_result,
                                oy_object* tensor) {
  double a = oyi_scalar_real(alpha);
  return oyi_call_elu_backward(grad, alpha, oy_int(1), oy_float(1 / a), is_result,
                               tensor);
}
BACKWARD(celu) {
  ARGUMENTS(celu);
  GIVE(self, celu_gradient(GRAD(0), alpha, false, self));
  return OY_OK;
}
BACKWARD(celu_) {
  ARGUMENTS(celu_);
  GIVE(self, celu_gradient(GRAD(0), alpha, true, RESULT(0)));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(leaky_relu_, "LeakyReluBackward1", OUTPUT(0))
DERIVATIVE(hardtanh, "HardtanhBackward0", SAVE(hardtanh, self))
DERIVATIVE(hardtanh_, "HardtanhBackward1", OUTPUT(0))
DERIVATIVE(softplus, "SoftplusBackward0", SAVE(softplus, self))
DERIVATIVE(glu, "GluBackward0", SAVE(glu, self))
DERIVATIVE_OF_FIRST(log_sigmoid_forward, "LogSigmoidBackward0",
                    SAVE(log_sigmoid_forward, self), OUTPUT(1))
DERIVATIVE(_prelu_kernel, "PreluKernelBackward0", SAVE(_prelu_kernel, self),
           SAVE(_prelu_kernel, weight))
DERIVATIVE(elu, "EluBackward0", SAVE(elu, self))
DERIVATIVE(elu_, "EluBackward1", OUTPUT(0))
DERIVATIVE(celu, "CeluBackward0", SAVE(celu, self))
DERIVATIVE(celu_, "CeluBackward1", OUTPUT(0))
