// SPDX-License-Identifier: Apache-2.0
// Gradients of elementwise operators of three tensors, and of those where the number comes
// first.
#include <math.h>

#include "layers/autograd/derivatives/derivative.h"

// -------------------------------------------------------------- choosing elements

BACKWARD(where_self) {
  ARGUMENTS(where_self);
  if (WANTS(self)) GIVE(self, oyi_call_where_ScalarOther(condition, GRAD(0), oy_int(0)));
  if (WANTS(other)) GIVE(other, oyi_call_where_ScalarSelf(condition, oy_int(0), GRAD(0)));
  return OY_OK;
}

static bool is_none(oy_value v) {
  return v.tag == OY_TAG_NONE;
}

// The elements that no bound has changed.
static oy_object* inside(oy_object* self, oy_value min, oy_value max) {
  if (is_none(min)) return oyi_call_le_Scalar(self, max);
  if (is_none(max)) return oyi_call_ge_Scalar(self, min);
  return of_and(oyi_call_ge_Scalar(self, min), oyi_call_le_Scalar(self, max));
}

BACKWARD(clamp) {
  ARGUMENTS(clamp);
  if (is_none(min) && is_none(max))
    GIVE(self, keep(GRAD(0)));
  else
    GIVE(self, of_masked(inside(self, min, max), keep(GRAD(0))));
  return OY_OK;
}

static oy_object* inside_tensors(oy_object* self, oy_object* min, oy_object* max) {
  if (oy_object_is_none(min)) return oyi_call_le_Tensor(self, max);
  if (oy_object_is_none(max)) return oyi_call_ge_Tensor(self, min);
  return of_and(oyi_call_ge_Tensor(self, min), oyi_call_le_Tensor(self, max));
}

// The upper bound wins where both have an element in their power.
BACKWARD(clamp_Tensor) {
  ARGUMENTS(clamp_Tensor);
  bool no_min = oy_object_is_none(min), no_max = oy_object_is_none(max);
  if (WANTS(self)) GIVE(self, of_masked(inside_tensors(self, min, max), keep(GRAD(0))));
  if (WANTS(min)) {
    oy_object* below = oyi_call_lt_Tensor(self, min);
    if (!no_max) below = of_and(below, oyi_call_lt_Tensor(min, max));
    GIVE(min, of_masked(below, keep(GRAD(0))));
  }
  if (WANTS(max)) {
    oy_object* above = oyi_call_gt_Tensor(self, max);
    if (!no_min) above = of_or(above, oyi_call_lt_Tensor(max, min));
    GIVE(max, of_masked(above, keep(GRAD(0))));
  }
  return OY_OK;
}

// ------------------------------------------------------------------ three tensors

BACKWARD(lerp_Tensor) {
  ARGUMENTS(lerp_Tensor);
  if (WANTS(self))
    GIVE(self, of_mul(keep(GRAD(0)),
                      of_conj(oyi_call_rsub_Scalar(weight, oy_int(1), oy_int(1)))));
  if (WANTS(end)) GIVE(end, of_mul(keep(GRAD(0)), of_conj(keep(weight))));
  if (WANTS(weight))
    GIVE(weight,
         of_mul(keep(GRAD(0)), of_conj(oyi_call_sub_Tensor(end, self, oy_int(1)))));
  return OY_OK;
}

BACKWARD(addcmul) {
  ARGUMENTS(addcmul);
  oy_complex room;
  oy_scalar factor = conj_number(value, &room);
  if (WANTS(self)) GIVE(self, keep(GRAD(0)));
  if (WANTS(tensor1))
    GIVE(tensor1, of_mul(keep(GRAD(0)), of_mul_number(of_conj(keep(tensor2)), factor)));
  if (WANTS(tensor2))
    GIVE(tensor2, of_mul(keep(GRAD(0)), of_mul_number(of_conj(keep(tensor1)), factor)));
  return OY_OK;
}

BACKWARD(addcdiv) {
  ARGUMENTS(addcdiv);
  if (WANTS(self)) GIVE(self, keep(GRAD(0)));
  if (WANTS(tensor1)) {
    oy_object* slope = of_mul_number(oyi_call_reciprocal(tensor2), value);
    GIVE(tensor1, of_mul(keep(GRAD(0)), of_conj(slope)));
  }
  if (WANTS(tensor2)) {
    oy_object* square = oyi_call_mul_Tensor(tensor2, tensor2);
    oy_object* slope = of_div(oyi_call_mul_Scalar(tensor1, value), square);
    GIVE(tensor2, of_mul(of_neg(keep(GRAD(0))), of_conj(slope)));
  }
  return OY_OK;
}

// ------------------------------------------------------------- the number is first

static oy_complex log_of(oy_scalar s) {
  double re = s.tag == OY_TAG_COMPLEX ? s.as.complex_data->re
              : s.tag == OY_TAG_FLOAT ? s.as.d
                                      : (double)s.as.i;
  double im = s.tag == OY_TAG_COMPLEX ? s.as.complex_data->im : 0;
  return (oy_complex){log(hypot(re, im)), atan2(im, re)};
}
static bool is_zero(oy_scalar s) {
  if (s.tag == OY_TAG_COMPLEX)
    return s.as.complex_data->re == 0 && s.as.complex_data->im == 0;
  return s.tag == OY_TAG_FLOAT ? s.as.d == 0 : s.as.i == 0;
}

// Of 0 to a power that is not below 0 nothing changes with the power.
BACKWARD(pow_Scalar) {
  ARGUMENTS(pow_Scalar);
  oy_complex log = log_of(self);
  oy_scalar factor = log.im == 0 || !oy_dtype_is_complex(exponent->dtype)
                         ? oy_float(log.re)
                         : oy_complex_value(&log);
  oy_object* slope = of_mul_number(keep(RESULT(0)), factor);
  if (is_zero(self)) {
    oy_object* flat = oy_dtype_is_complex(exponent->dtype)
                          ? of_ge_number(oyi_call_real(exponent), oy_int(0))
                          : of_ge_number(keep(exponent), oy_int(0));
    // Before it meets the gradient, so that the gradient of that has no 0 * inf.
    slope = of_masked(of_not(flat), slope);
  }
  GIVE(exponent, of_mul(keep(GRAD(0)), of_conj(slope)));
  return OY_OK;
}

BACKWARD(xlogy_Scalar_Self) {
  ARGUMENTS(xlogy_Scalar_Self);
  GIVE(other, of_div(oyi_call_mul_Scalar(GRAD(0), self), keep(other)));
  return OY_OK;
}
// self - other * floor(self / other)
BACKWARD(remainder_Scalar_Tensor) {
  ARGUMENTS(remainder_Scalar_Tensor);
  oy_object* quotient = of_mul_number(oyi_call_reciprocal(other), self);
  oy_object* whole = oyi_call_floor(quotient);
  oy_tensor_release(quotient);
  GIVE(other, of_neg(of_mul(keep(GRAD(0)), whole)));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(where_self, "WhereBackward0", SAVE(where_self, condition))
DERIVATIVE(clamp, "ClampBackward1", SAVE(clamp, self))
DERIVATIVE_AS(clamp_, "ClampBackward1", clamp, SAVE(clamp_, self))
DERIVATIVE(clamp_Tensor, "ClampBackward0", SAVE(clamp_Tensor, self),
           SAVE(clamp_Tensor, min), SAVE(clamp_Tensor, max))
DERIVATIVE_AS(clamp__Tensor, "ClampBackward0", clamp_Tensor, SAVE(clamp__Tensor, self),
              SAVE(clamp__Tensor, min), SAVE(clamp__Tensor, max))
DERIVATIVE(lerp_Tensor, "LerpBackward1", SAVE(lerp_Tensor, weight),
           SAVE_IF(lerp_Tensor, self, weight), SAVE_IF(lerp_Tensor, end, weight))
DERIVATIVE_AS(lerp__Tensor, "LerpBackward1", lerp_Tensor, SAVE(lerp__Tensor, weight),
              SAVE_IF(lerp__Tensor, self, weight), SAVE_IF(lerp__Tensor, end, weight))
DERIVATIVE(addcmul, "AddcmulBackward0", SAVE_IF(addcmul, tensor1, tensor2),
           SAVE_IF(addcmul, tensor2, tensor1))
DERIVATIVE_AS(addcmul_, "AddcmulBackward0", addcmul, SAVE_IF(addcmul_, tensor1, tensor2),
              SAVE_IF(addcmul_, tensor2, tensor1))
DERIVATIVE(addcdiv, "AddcdivBackward0", SAVE_IF(addcdiv, tensor1, tensor2),
           SAVE(addcdiv, tensor2))
DERIVATIVE_AS(addcdiv_, "AddcdivBackward0", addcdiv, SAVE_IF(addcdiv_, tensor1, tensor2),
              SAVE(addcdiv_, tensor2))
DERIVATIVE(pow_Scalar, "PowBackward2", SAVE(pow_Scalar, exponent), OUTPUT(0))
DERIVATIVE(xlogy_Scalar_Self, "XlogyBackward1", SAVE(xlogy_Scalar_Self, other))
DERIVATIVE(remainder_Scalar_Tensor, "RemainderBackward2",
           SAVE(remainder_Scalar_Tensor, other))
