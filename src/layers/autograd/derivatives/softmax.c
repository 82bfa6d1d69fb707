// SPDX-License-Identifier: Apache-2.0
// Gradients of softmax and its logarithm, from their results, and the gradients of those.
#include "layers/autograd/derivatives/derivative.h"

BACKWARD(_softmax) {
  ARGUMENTS(_softmax);
  GIVE(self, oyi_call__softmax_backward_data(GRAD(0), RESULT(0), dim, INPUT_DTYPE(self)));
  return OY_OK;
}
BACKWARD(_log_softmax) {
  ARGUMENTS(_log_softmax);
  GIVE(self,
       oyi_call__log_softmax_backward_data(GRAD(0), RESULT(0), dim, INPUT_DTYPE(self)));
  return OY_OK;
}
BACKWARD(_safe_softmax) {
  ARGUMENTS(_safe_softmax);
  oy_object* result = RESULT(0);
  if (!result) return oy_failure();
  GIVE(self, oyi_call__softmax_backward_data(GRAD(0), result, dim, result->dtype));
  return OY_OK;
}

static oy_object* of_sum(oy_object* tensor, int64_t dim) {
  oy_object* sum = oyi_call_sum_dim_IntList(tensor, (oy_ints){&dim, 1}, true, oy_none());
  oy_tensor_release(tensor);
  return sum;
}
// |grad| in the dtype of the softmax, where its input had another one.
static oy_object* as_result(oy_object* grad, oy_object* output) {
  if (grad->dtype == output->dtype) return keep(grad);
  return oyi_call_to_dtype(grad, output->dtype, false, false, oy_none());
}

// y (g - sum(g y)), for y: G g - G sum(g y) - g sum(G y)
static oy_object* softmax_twice(oy_object* grad, oy_object* grad_output,
                                oy_object* output, int64_t dim) {
  oy_object* both = oyi_call_mul_Tensor(grad, grad_output);
  oy_object* first = of_sum(oyi_call_mul_Tensor(grad_output, output), dim);
  oy_object* second = of_sum(oyi_call_mul_Tensor(grad, output), dim);
  return of_sub(of_sub(both, of_mul(keep(grad), first)),
                of_mul(keep(grad_output), second));
}

BACKWARD(_softmax_backward_data) {
  ARGUMENTS(_softmax_backward_data);
  oy_object* grad = as_result(GRAD(0), output);
  if (WANTS(grad_output))
    gives[EDGE_AT(grad_output)] =
        oyi_call__softmax_backward_data(grad, output, dim, input_dtype);
  if (WANTS(output))
    gives[EDGE_AT(output)] = softmax_twice(grad, grad_output, output, dim);
  oy_tensor_release(grad);
  return given_all(node, gives);
}

// g - exp(y) sum(g), for g: G - sum(G exp(y)), and for y: -G exp(y) sum(g)
BACKWARD(_log_softmax_backward_data) {
  ARGUMENTS(_log_softmax_backward_data);
  oy_object* grad = as_result(GRAD(0), output);
  oy_object* bent = of_mul(oyi_call_exp(output), keep(grad));
  if (WANTS(output))
    gives[EDGE_AT(output)] = of_neg(of_mul(of_sum(keep(grad_output), dim), keep(bent)));
  if (WANTS(grad_output))
    gives[EDGE_AT(grad_output)] = of_sub(keep(grad), of_sum(keep(bent), dim));
  oy_tensor_release(bent);
  oy_tensor_release(grad);
  return given_all(node, gives);
}

// -------------------------------------------------------------------- the table

DERIVATIVE(_softmax, "SoftmaxBackward0", OUTPUT(0))
DERIVATIVE(_log_softmax, "LogSoftmaxBackward0", OUTPUT(0))
DERIVATIVE(_safe_softmax, "SafeSoftmaxBackward0", OUTPUT(0))
DERIVATIVE(_softmax_backward_data, "SoftmaxBackwardDataBackward0",
           SAVE_IF(_softmax_backward_data, grad_output, output),
           SAVE(_softmax_backward_data, output))
DERIVATIVE(_log_softmax_backward_data, "LogSoftmaxBackwardDataBackward0",
           SAVE_IF(_log_softmax_backward_data, grad_output, output),
           SAVE(_log_softmax_backward_data, output))
