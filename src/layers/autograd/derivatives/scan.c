// SPDX-License-Identifier: Apache-2.0
// Gradients of sums along a dimension, of their logarithms, and of the trace.
#include <float.h>

#include "layers/autograd/derivatives/derivative_help.h"

BACKWARD(cumsum) {
  ARGUMENTS(cumsum);
  if (WANTS(self)) GIVE(self, of_reverse_sums(keep(GRAD(0)), dim));
  return OY_OK;
}

// ------------------------------------------------------------------ logcumsumexp

// The reverse sums of exp(|log_grad| - result + self), of which the parts may overflow.
static oy_object* of_rise(oy_object* log_grad, oy_object* self, oy_object* result,
                          int64_t dim) {
  oy_object* flipped = of_flip(of_sub(log_grad, conj_of(result)), dim);
  oy_object* sums = oyi_call_logcumsumexp(flipped, dim);
  oy_tensor_release(flipped);
  return of_exp(of_add(of_flip(sums, dim), conj_of(self)));
}
static double lowest_of(oy_dtype dtype) {
  if (dtype == OY_DTYPE_F64) return -DBL_MAX;
  return dtype == OY_DTYPE_F16 ? -65504 : -3.3895e38;
}
// log(|grad|) where it is above 0, else the logarithm of nearly nothing.
static oy_object* of_log_positive(oy_object* grad) {
  if (!grad) return NULL;
  oy_scalar lowest = oy_float(lowest_of(grad->dtype));
  oy_object* below = oyi_call_le_Scalar(grad, oy_int(0));
  oy_object* log = oyi_call_log(grad);
  oy_object* result = oyi_call_masked_fill_Scalar(log, below, lowest);
  oy_tensor_release(below);
  oy_tensor_release(log);
  oy_tensor_release(grad);
  return result;
}
BACKWARD(logcumsumexp) {
  ARGUMENTS(logcumsumexp);
  if (!WANTS(self)) return OY_OK;
  oy_object* grad = GRAD(0);
  if (oy_tensor_ndim(grad) == 0 || oy_tensor_numel(grad) == 0)
    GIVE(self, keep(grad));
  else if (oy_dtype_is_complex(grad->dtype))
    GIVE(self, of_rise(oyi_call_log(grad), self, RESULT(0), dim));
  else
    GIVE(self,
         of_sub(of_rise(of_log_positive(keep(grad)), self, RESULT(0), dim),
                of_rise(of_log_positive(oyi_call_neg(grad)), self, RESULT(0), dim)));
  return OY_OK;
}

// ------------------------------------------------------------------------- trace

BACKWARD(trace) {
  ARGUMENTS(trace);
  if (!WANTS(self)) return OY_OK;
  oy_object* grad = GRAD(0);
  const oyi_tensor* t = oyi_tensor_of(grad);
  if (!t) return oy_failure();
  oy_ints sizes = INPUT_SIZES(self);
  oy_object* ones =
      oyi_call_eye_m(sizes.data[0], sizes.data[1], oy_int(grad->dtype), oy_none(),
                     oy_value_device(oyi_tensor_device(t)), oy_none());
  GIVE(self, of_mul(keep(grad), ones));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(cumsum, "CumsumBackward0")
DERIVATIVE_AS(cumsum_, "CumsumBackward0", cumsum)
DERIVATIVE(logcumsumexp, "LogcumsumexpBackward0", SAVE(logcumsumexp, self), OUTPUT(0))
DERIVATIVE(trace, "TraceBackward0")
