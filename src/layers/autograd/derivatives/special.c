// SPDX-License-Identifier: Apache-2.0
// Gradients of special functions.
#include <math.h>

#include "layers/autograd/derivatives/derivative.h"
#include "ops/composite/held.h"
#include "tensor/element.h"

// ------------------------------------------------------------------ x log(1 + y)

BACKWARD(special_xlog1py) {
  ARGUMENTS(special_xlog1py);
  if (WANTS(self)) {
    oy_object* log = oyi_call_log1p(other);
    oy_object* none = of_and(oyi_call_eq_Scalar(self, oy_int(0)),
                             oyi_call_le_Scalar(other, oy_int(-1)));
    GIVE(self, of_masked(of_not(none), of_mul(keep(GRAD(0)), log)));
  }
  if (WANTS(other))
    GIVE(other, of_div(oyi_call_mul_Tensor(GRAD(0), self),
                       oyi_call_add_Scalar(other, oy_int(1), oy_int(1))));
  return OY_OK;
}
BACKWARD(special_xlog1py_self_scalar) {
  ARGUMENTS(special_xlog1py_self_scalar);
  GIVE(other, of_div(oyi_call_mul_Scalar(GRAD(0), self),
                     oyi_call_add_Scalar(other, oy_int(1), oy_int(1))));
  return OY_OK;
}
BACKWARD(special_xlog1py_other_scalar) {
  ARGUMENTS(special_xlog1py_other_scalar);
  double number = oyi_scalar_real(other);
  oy_object* product = oyi_call_mul_Scalar(GRAD(0), oy_float(log1p(number)));
  if (number <= -1)
    product = of_masked(of_not(oyi_call_eq_Scalar(self, oy_int(0))), product);
  GIVE(self, product);
  return OY_OK;
}

// ------------------------------------------------------------- one tensor, specials

// d/dx sinc(x) = (cos(pi x) pi x - sin(pi x)) / (pi x^2), 0 at 0.
BACKWARD(sinc) {
  ARGUMENTS(sinc);
  oy_object* turned = oyi_call_mul_Scalar(self, oy_float(M_PI));
  oy_object* rise = of_mul(of_cos(keep(turned)), keep(turned));
  oy_object* fall = of_sin(keep(turned));
  oy_object* below = of_mul(turned, keep(self));
  oy_object* slope = of_div(of_sub(rise, fall), below);
  oy_object* at_zero = oyi_call_eq_Scalar(self, oy_int(0));
  GIVE(self, of_masked(of_not(at_zero), of_mul(keep(GRAD(0)), of_conj(slope))));
  return OY_OK;
}
BACKWARD(special_entr) {
  ARGUMENTS(special_entr);
  oy_object* log = oyi_call_add_Scalar(self, oy_int(0), oy_int(1));
  GIVE(self, of_mul(keep(GRAD(0)), of_add_number(of_neg(of_log(log)), oy_int(-1))));
  return OY_OK;
}
// sqrt(2 pi) exp(y^2 / 2)
BACKWARD(special_ndtri) {
  ARGUMENTS(special_ndtri);
  oy_object* half = of_mul_number(of_square(keep(RESULT(0))), oy_float(0.5));
  GIVE(self,
       of_mul(keep(GRAD(0)), of_mul_number(of_exp(half), oy_float(sqrt(2 * M_PI)))));
  return OY_OK;
}
// exp(-x^2 / 2 - y) / sqrt(2 pi), by erfcx where it would go to 0 / 0
BACKWARD(special_log_ndtr) {
  ARGUMENTS(special_log_ndtr);
  oy_object* scaled = oyi_call_mul_Scalar(self, oy_float(-M_SQRT1_2));
  oy_object* erfcx = oyi_call_special_erfcx(scaled);
  oy_tensor_release(scaled);
  oy_object* one = zeros_like(self);
  one = of_add_number(one, oy_float(sqrt(2 / M_PI)));
  GIVE(self, of_mul(keep(GRAD(0)), of_div(one, erfcx)));
  return OY_OK;
}
// 2 x y - 2 / sqrt(pi)
BACKWARD(special_erfcx) {
  ARGUMENTS(special_erfcx);
  oy_object* slope = of_mul_number(of_mul(keep(self), keep(RESULT(0))), oy_int(2));
  GIVE(self, of_mul(of_add_number(slope, oy_float(-M_2_SQRTPI)), keep(GRAD(0))));
  return OY_OK;
}
BACKWARD(i0) {
  ARGUMENTS(i0);
  GIVE(self, of_mul(keep(GRAD(0)), oyi_call_special_i1(self)));
  return OY_OK;
}
// i1e(x) - sgn(x) y
BACKWARD(special_i0e) {
  ARGUMENTS(special_i0e);
  oy_object* slope =
      of_sub(oyi_call_special_i1e(self), of_mul(of_sgn(keep(self)), keep(RESULT(0))));
  GIVE(self, of_mul(keep(GRAD(0)), slope));
  return OY_OK;
}
// y / x, 1/2 at 0
static oy_object* over_x_or_half(oy_object* self, oy_object* result) {
  oy_object* at_zero = oyi_call_eq_Scalar(self, oy_int(0));
  oy_object* safe = oyi_call_where_ScalarSelf(at_zero, oy_float(2), self);
  oy_object* quotient = of_div(keep(result), safe);
  oy_object* all = oyi_call_where_ScalarSelf(at_zero, oy_float(0.5), quotient);
  oy_tensor_release(quotient);
  oy_tensor_release(at_zero);
  return all;
}
// i0(x) - y / x; 1/2 at 0
BACKWARD(special_i1) {
  ARGUMENTS(special_i1);
  oy_object* slope = of_sub(oyi_call_i0(self), over_x_or_half(self, RESULT(0)));
  GIVE(self, of_mul(keep(GRAD(0)), slope));
  return OY_OK;
}
// i0e(x) - y (sgn(x) + 1 / x)
BACKWARD(special_i1e) {
  ARGUMENTS(special_i1e);
  oy_object* turned = of_mul(of_sgn(keep(self)), keep(RESULT(0)));
  oy_object* slope =
      of_sub(of_sub(oyi_call_special_i0e(self), turned), over_x_or_half(self, RESULT(0)));
  GIVE(self, of_mul(keep(GRAD(0)), slope));
  return OY_OK;
}
// Of reals the angle is flat.
BACKWARD(angle) {
  ARGUMENTS(angle);
  if (!oy_dtype_is_complex(self->dtype)) {
    GIVE(self, zeros_like(self));
    return OY_OK;
  }
  oy_object* real = oyi_call_real(self);
  oy_object* imag = oyi_call_imag(self);
  oy_object* square = of_add(of_square(keep(real)), of_square(keep(imag)));
  oy_object* minus = of_neg(imag);
  oy_object* turned = oyi_call_complex(minus, real);
  oy_tensor_release(minus);
  oy_tensor_release(real);
  oy_object* slope = of_div(turned, square);
  oy_object* at_zero = oyi_call_eq_Scalar(self, oy_int(0));
  GIVE(self, of_masked(of_not(at_zero), of_mul(keep(GRAD(0)), slope)));
  return OY_OK;
}

// ------------------------------------------------------------- mvlgamma and frexp

// grad times the sum of digamma(x - j / 2), j < p.
static oy_object* mvlgamma_back(oy_object* grad, oy_object* self, int64_t p) {
  oyi_held h = {0};
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  const int64_t last = -1;
  oy_object* halves = oyi_hold(
      &h, oyi_call_arange_start_step(oy_float(0.5 * (1 - (double)p)), oy_float(0.5),
                                     oy_float(0.5), oy_int(self->dtype), oy_none(),
                                     oy_value_device(oyi_tensor_device(t)), oy_none()));
  oy_object* column = oyi_hold(&h, oyi_call_unsqueeze(self, -1));
  oy_object* each = oyi_hold(&h, oyi_call_add_Tensor(column, halves, oy_int(1)));
  oy_object* slopes = oyi_hold(&h, oyi_call_digamma(each));
  oy_object* sum = oyi_hold(
      &h, oyi_call_sum_dim_IntList(slopes, (oy_ints){&last, 1}, false, oy_none()));
  return oyi_held_end(&h, oyi_call_mul_Tensor(grad, sum));
}
BACKWARD(mvlgamma) {
  ARGUMENTS(mvlgamma);
  if (WANTS(self)) GIVE(self, mvlgamma_back(GRAD(0), self, p));
  return OY_OK;
}

BACKWARD(frexp_Tensor) {
  ARGUMENTS(frexp_Tensor);
  if (!WANTS(self) || !GRAD(0)) return OY_OK;
  oy_object* power = oyi_call_exp2(RESULT(1));
  GIVE(self, of_div(keep(GRAD(0)), power));
  return OY_OK;
}

// Samples move with their shapes.
BACKWARD(_standard_gamma) {
  ARGUMENTS(_standard_gamma);
  oy_object* by = oyi_call__standard_gamma_grad(self, RESULT(0));
  oy_object* made = oyi_call_mul_Tensor(GRAD(0), by);
  oy_tensor_release(by);
  GIVE(self, made);
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(special_xlog1py, "SpecialXlog1PyBackward0", SAVE(special_xlog1py, self),
           SAVE(special_xlog1py, other))
DERIVATIVE(special_xlog1py_self_scalar, "SpecialXlog1PyBackward1",
           SAVE(special_xlog1py_self_scalar, other))
DERIVATIVE(special_xlog1py_other_scalar, "SpecialXlog1PyBackward2",
           SAVE(special_xlog1py_other_scalar, self))
DERIVATIVE(sinc, "SincBackward0", SAVE(sinc, self))
DERIVATIVE_AS(sinc_, "SincBackward0", sinc, SAVE(sinc_, self))
DERIVATIVE(special_entr, "SpecialEntrBackward0", SAVE(special_entr, self))
DERIVATIVE(special_ndtri, "SpecialNdtriBackward0", OUTPUT(0))
DERIVATIVE(special_log_ndtr, "SpecialLogNdtrBackward0", SAVE(special_log_ndtr, self))
DERIVATIVE(special_erfcx, "SpecialErfcxBackward0", SAVE(special_erfcx, self), OUTPUT(0))
DERIVATIVE(i0, "I0Backward0", SAVE(i0, self))
DERIVATIVE_AS(i0_, "I0Backward0", i0, SAVE(i0_, self))
DERIVATIVE(special_i0e, "SpecialI0EBackward0", SAVE(special_i0e, self), OUTPUT(0))
DERIVATIVE(special_i1, "SpecialI1Backward0", SAVE(special_i1, self), OUTPUT(0))
DERIVATIVE(special_i1e, "SpecialI1EBackward0", SAVE(special_i1e, self), OUTPUT(0))
DERIVATIVE(angle, "AngleBackward0", SAVE(angle, self))
DERIVATIVE(mvlgamma, "MvlgammaBackward0", SAVE(mvlgamma, self))
DERIVATIVE_AS(mvlgamma_, "MvlgammaBackward0", mvlgamma, COPY(mvlgamma_, self))
DERIVATIVE_OF_FIRST(frexp_Tensor, "FrexpBackward0", OUTPUT(1))
DERIVATIVE(_standard_gamma, "StandardGammaBackward0", SAVE(_standard_gamma, self),
           OUTPUT(0))
