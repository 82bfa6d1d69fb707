// SPDX-License-Identifier: Apache-2.0
// Gradients of functions of one tensor. x is the input, y the result; of a complex
// function it is the conjugate of the derivative.
#include <math.h>

#include "layers/autograd/derivatives/formula_help.h"

// A formula that gives |value| for input 0.
#define RULE(name, value)                                                         \
  static oy_status name(oyi_short_node* node, oy_object* grad, oy_object** out) { \
    GIVE(0, value);                                                               \
    return OY_OK;                                                                 \
  }
#define X    saved(node, 0)
#define Y    saved_result(node)
#define G    keep(grad)
#define N(x) oy_float(x)
#define ONE  oy_int(1)
#define NO   (void)node

RULE(zero, (NO, zeros_like(grad)))
RULE(same, (NO, G))
RULE(absolute, of_mul(G, of_sgn(X)))
RULE(acos_x,
     of_mul(G, of_neg(of_conj(of_rsqrt(of_add_number(of_neg(of_square(X)), ONE))))))
RULE(asin_x, of_mul(G, of_conj(of_rsqrt(of_add_number(of_neg(of_square(X)), ONE)))))
RULE(atan_x, of_div(G, of_conj(of_add_number(of_square(X), ONE))))
// The root of a product is the product of the roots where neither is negative.
static oy_object* acosh_slope(oy_object* x) {
  if (!x || !oy_dtype_is_complex(x->dtype))
    return of_rsqrt(of_add_number(of_square(x), oy_int(-1)));
  oy_object* above = of_rsqrt(of_add_number(keep(x), oy_int(1)));
  return of_mul(above, of_rsqrt(of_add_number(x, oy_int(-1))));
}
RULE(acosh_x, of_mul(G, of_conj(acosh_slope(X))))
RULE(asinh_x, of_mul(G, of_conj(of_rsqrt(of_add_number(of_square(X), ONE)))))
RULE(atanh_x, of_div(G, of_conj(of_add_number(of_neg(of_square(X)), ONE))))
RULE(sin_x, of_mul(G, of_conj(of_cos(X))))
RULE(cos_x, of_mul(G, of_neg(of_conj(of_sin(X)))))
RULE(tan_y, of_mul(G, of_conj(of_add_number(of_square(Y), ONE))))
RULE(sinh_x, of_mul(G, of_conj(of_cosh(X))))
RULE(cosh_x, of_mul(G, of_conj(of_sinh(X))))
RULE(tanh_y, oyi_call_tanh_backward(grad, oyi_node_saved(node, OYI_SAVE_RESULT)))
RULE(sigmoid_y, oyi_call_sigmoid_backward(grad, oyi_node_saved(node, OYI_SAVE_RESULT)))
RULE(exp_y, of_mul(G, of_conj(Y)))
RULE(exp2_y, of_mul_number(of_mul(G, of_conj(Y)), N(M_LN2)))
RULE(expm1_y, of_mul(G, of_conj(of_add_number(Y, ONE))))
RULE(log_x, of_div(G, of_conj(X)))
RULE(log2_x, of_div(G, of_mul_number(of_conj(X), N(M_LN2))))
RULE(log10_x, of_div(G, of_mul_number(of_conj(X), N(M_LN10))))
RULE(log1p_x, of_div(G, of_conj(of_add_number(X, ONE))))
RULE(sqrt_y, of_div(G, of_mul_number(of_conj(Y), oy_int(2))))
RULE(rsqrt_y, of_mul_number(of_mul(G, of_conj(of_pow_number(Y, oy_int(3)))), N(-0.5)))
RULE(reciprocal_y, of_mul(of_neg(G), of_conj(of_square(Y))))
RULE(erf_x, of_mul(of_mul_number(of_exp(of_neg(of_square(X))), N(M_2_SQRTPI)), G))
RULE(erfc_x, of_mul(of_mul_number(of_exp(of_neg(of_square(X))), N(-M_2_SQRTPI)), G))
RULE(erfinv_y, of_mul(of_mul_number(of_exp(of_square(Y)), N(1 / M_2_SQRTPI)), G))
RULE(lgamma_x, of_mul(G, of_digamma(X)))
RULE(digamma_x, of_mul(G, oyi_call_polygamma(1, oyi_node_saved(node, 0))))
RULE(polygamma_x,
     of_mul(G, oyi_call_polygamma(node->extra.dims[0] + 1, oyi_node_saved(node, 0))))
RULE(logit_x, oyi_call_logit_backward(grad, oyi_node_saved(node, 0), node->extra.scalar))
RULE(deg2rad_g, (NO, of_mul_number(G, N(M_PI / 180))))
RULE(rad2deg_g, (NO, of_mul_number(G, N(180 / M_PI))))
RULE(finite_x, of_mul(G, of_isfinite(X)))
RULE(conj_g, (NO, of_conj(G)))

// The direction of complex numbers moves across itself: (g - Re(g / s) s) / |z|, and
// nothing at 0.
static oy_object* of_direction(oy_object* z, oy_object* grad) {
  oy_object* size = oyi_call_abs(z);
  oy_object* direction = oyi_call_sgn(z);
  oy_object* product = of_mul(keep(grad), of_conj(keep(direction)));
  oy_object* along = product ? oyi_call_real(product) : NULL;
  oy_object* across = of_sub(keep(grad), of_mul(along, direction));
  oy_object* zero = size ? oyi_call_eq_Scalar(size, oy_int(0)) : NULL;
  oy_object* result = of_div(across, size);
  oy_tensor_release(product);
  return of_masked(of_not(zero), result);
}
static oy_status sgn_x(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (!oy_dtype_is_complex(grad->dtype)) return zero(node, grad, out);
  oy_object* z = saved(node, 0);
  if (!z) return oy_failure();
  out[0] = of_direction(z, grad);
  oy_tensor_release(z);
  return out[0] ? OY_OK : oy_failure();
}

// An operator and its in-place form, which save nothing, the input or the result.
#define NOTHING(id, text, fn) \
  FORMULA(id, text, fn, 1, 0) \
  FORMULA(id##_, text, fn, 1, 0)
#define INPUT(id, text, fn)       \
  FORMULA(id, text, fn, 1, EDGE0) \
  FORMULA(id##_, text, fn, 1, EDGE0)
#define RESULT(id, text, fn)            \
  FORMULA(id, text, fn, 1, 0, 0, EDGE0) \
  FORMULA(id##_, text, fn, 1, 0, 0, EDGE0)

INPUT(abs, "AbsBackward0", absolute)
INPUT(acos, "AcosBackward0", acos_x)
INPUT(asin, "AsinBackward0", asin_x)
INPUT(atan, "AtanBackward0", atan_x)
INPUT(acosh, "AcoshBackward0", acosh_x)
INPUT(asinh, "AsinhBackward0", asinh_x)
INPUT(atanh, "AtanhBackward0", atanh_x)
INPUT(sin, "SinBackward0", sin_x)
INPUT(cos, "CosBackward0", cos_x)
RESULT(tan, "TanBackward0", tan_y)
INPUT(sinh, "SinhBackward0", sinh_x)
INPUT(cosh, "CoshBackward0", cosh_x)
RESULT(tanh, "TanhBackward0", tanh_y)
RESULT(sigmoid, "SigmoidBackward0", sigmoid_y)
RESULT(exp, "ExpBackward0", exp_y)
RESULT(exp2, "Exp2Backward0", exp2_y)
RESULT(expm1, "Expm1Backward0", expm1_y)
INPUT(log, "LogBackward0", log_x)
INPUT(log2, "Log2Backward0", log2_x)
INPUT(log10, "Log10Backward0", log10_x)
INPUT(log1p, "Log1PBackward0", log1p_x)
RESULT(sqrt, "SqrtBackward0", sqrt_y)
RESULT(rsqrt, "RsqrtBackward0", rsqrt_y)
RESULT(reciprocal, "ReciprocalBackward0", reciprocal_y)
INPUT(erf, "ErfBackward0", erf_x)
INPUT(erfc, "ErfcBackward0", erfc_x)
RESULT(erfinv, "ErfinvBackward0", erfinv_y)
INPUT(lgamma, "LgammaBackward0", lgamma_x)
INPUT(digamma, "DigammaBackward0", digamma_x)
INPUT(polygamma, "PolygammaBackward0", polygamma_x)
INPUT(logit, "LogitBackward0", logit_x)
NOTHING(deg2rad, "Deg2RadBackward0", deg2rad_g)
NOTHING(rad2deg, "Rad2DegBackward0", rad2deg_g)
INPUT(nan_to_num, "NanToNumBackward0", finite_x)
NOTHING(frac, "FracBackward0", same)
NOTHING(ceil, "CeilBackward0", zero)
NOTHING(floor, "FloorBackward0", zero)
NOTHING(round, "RoundBackward0", zero)
NOTHING(trunc, "TruncBackward0", zero)
NOTHING(sign, "SignBackward0", zero)
INPUT(sgn, "SgnBackward0", sgn_x)
FORMULA(round_decimals, "RoundBackward1", zero, 1, 0)
FORMULA(round__decimals, "RoundBackward1", zero, 1, 0)
FORMULA(_conj, "ConjBackward0", conj_g, 1, 0)
FORMULA(_conj_physical, "ConjPhysicalBackward0", conj_g, 1, 0)
FORMULA(conj_physical_, "ConjPhysicalBackward1", conj_g, 1, 0)
