// SPDX-License-Identifier: Apache-2.0
// Gradients of arithmetic with two tensors, and with a tensor and a number. Gradients
// of reals that reach complex operands are left to the engine.
#include <math.h>

#include "layers/autograd/derivatives/formula_help.h"
#include "tensor/element.h"

#define G keep(grad)
#define A saved(node, 0)
#define B saved(node, 1)
#define Y saved_result(node)
// A formula for both inputs, each only if it is wanted.
#define RULE(name, for_a, for_b)                                                  \
  static oy_status name(oyi_short_node* node, oy_object* grad, oy_object** out) { \
    if (WANTS(0)) GIVE(0, for_a);                                                 \
    if (WANTS(1)) GIVE(1, for_b);                                                 \
    return OY_OK;                                                                 \
  }
// A formula for input 0 alone.
#define RULE_1(name, value)                                                       \
  static oy_status name(oyi_short_node* node, oy_object* grad, oy_object** out) { \
    (void)node;                                                                   \
    GIVE(0, value);                                                               \
    return OY_OK;                                                                 \
  }
#define NUMBER node->extra.scalar

static oy_object* quotient(oyi_short_node* node, const char* mode) {
  return oyi_call_div_Tensor_mode(oyi_node_saved(node, 0), oyi_node_saved(node, 1),
                                  oy_value_str(oy_str_of(mode)));
}
// |grad| where one is chosen, half of it where both are the same.
static oy_object* share(oy_object* same, oy_object* chosen, oy_object* grad) {
  oy_object* part = of_masked(chosen, keep(grad));
  oy_object* half = oyi_call_mul_Scalar(grad, oy_float(0.5));
  oy_object* result = oyi_call_where_self(same, half, part);
  oy_tensor_release(part);
  oy_tensor_release(half);
  oy_tensor_release(same);
  return result;
}
static oy_object* squares(oyi_short_node* node) {
  return of_add(of_square(A), of_square(B));
}
static double number_of(oy_scalar s) {
  return oyi_scalar_real(s);
}
// a + b * |s|, where a complex one is put into |room|.
static oy_scalar affine(oy_scalar s, int64_t a, int64_t b, oy_complex* room) {
  if (s.tag == OY_TAG_FLOAT) return oy_float((double)a + (double)b * s.as.d);
  if (s.tag != OY_TAG_COMPLEX) return oy_int(a + b * s.as.i);
  const oy_complex* c = s.as.complex_data;
  *room = (oy_complex){(double)a + (double)b * c->re, (double)b * c->im};
  return oy_complex_value(room);
}

// ------------------------------------------------------------------- arithmetic

RULE(rsub, of_neg(of_scaled(G, NUMBER)), G)
RULE_1(rsub_number, of_neg(of_scaled(G, NUMBER)))
RULE_1(same, G)

static oy_status div_mode(oyi_short_node* node, oy_object* grad, oy_object** out) {
  bool rounds = node->extra.flag;
  if (WANTS(0)) GIVE(0, rounds ? zeros_like(grad) : of_div(G, of_conj(B)));
  if (!WANTS(1)) return OY_OK;
  if (rounds)
    GIVE(1, zeros_like(grad));
  else
    GIVE(1, of_neg(of_mul(G, of_conj(of_div(of_div(A, B), B)))));
  return OY_OK;
}
static oy_status div_number_mode(oyi_short_node* node, oy_object* grad, oy_object** out) {
  bool rounds = NUMBER.tag != OY_TAG_COMPLEX && node->extra.flag;
  GIVE(0, rounds ? zeros_like(grad) : of_divided(G, NUMBER));
  return OY_OK;
}
RULE(fmod_ab, G, of_neg(of_mul(G, quotient(node, "trunc"))))
RULE(remainder_ab, G, of_neg(of_mul(G, quotient(node, "floor"))))

RULE(atan2_ab, of_mul(G, of_div(B, squares(node))),
     of_mul(G, of_div(of_neg(A), squares(node))))
RULE(hypot_ab, of_mul(G, of_div(A, Y)), of_mul(G, of_div(B, Y)))
RULE(maximum_ab, share(of_eq(A, B), of_lt(B, A), grad),
     share(of_eq(A, B), of_lt(A, B), grad))
RULE(minimum_ab, share(of_eq(A, B), of_lt(A, B), grad),
     share(of_eq(A, B), of_lt(B, A), grad))
RULE(fmax_ab, of_masked(of_or(of_ge(A, B), of_isnan(B)), G),
     of_masked(of_not(of_or(of_ge(A, B), of_isnan(B))), G))
RULE(fmin_ab, of_masked(of_or(of_le(A, B), of_isnan(B)), G),
     of_masked(of_not(of_or(of_le(A, B), of_isnan(B))), G))
RULE(logaddexp_ab, of_div(G, of_add_number(of_exp(of_sub(B, A)), oy_int(1))),
     of_div(G, of_add_number(of_exp(of_sub(A, B)), oy_int(1))))
RULE(logaddexp2_ab, of_div(G, of_add_number(of_exp2(of_sub(B, A)), oy_int(1))),
     of_div(G, of_add_number(of_exp2(of_sub(A, B)), oy_int(1))))
// The sign does not change with |b|.
RULE(copysign_ab, of_mul(G, of_masked(of_not(of_eq_number(A, oy_int(0))), of_div(Y, A))),
     zeros_like(grad))
RULE_1(copysign_a, of_mul(G, of_masked(of_not(of_eq_number(A, oy_int(0))), of_div(Y, A))))

// 0 where the product is 0 for every small change of |a|.
static oy_object* log_or_zero(oy_object* product, oy_object* a, oy_object* b) {
  return of_masked(of_not(of_and(of_eq_number(a, oy_int(0)), of_le_number(b, oy_int(0)))),
                   product);
}
RULE(xlogy_ab, log_or_zero(of_xlogy(G, B), A, B), of_div(of_mul(G, A), B))
static oy_status xlogy_number(oyi_short_node* node, oy_object* grad, oy_object** out) {
  oy_object* product = oyi_call_xlogy_Scalar_Other(grad, NUMBER);
  if (number_of(NUMBER) <= 0)
    product = of_masked(of_not(of_eq_number(A, oy_int(0))), product);
  GIVE(0, product);
  return OY_OK;
}

// ----------------------------------------------------------------------- powers

static oy_status pow_number(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (NUMBER.tag != OY_TAG_COMPLEX && number_of(NUMBER) == 0) {
    GIVE(0, zeros_like(grad));
    return OY_OK;
  }
  oy_complex room;
  oy_object* slope =
      of_mul_number(of_pow_number(A, affine(NUMBER, -1, 1, &room)), NUMBER);
  GIVE(0, of_mul(G, of_conj(slope)));
  return OY_OK;
}
// Where the exponent is 0 the power is 1, whatever the base.
static oy_object* power_of_base(oyi_short_node* node, oy_object* grad) {
  oy_object* power = of_pow(A, of_add_number(B, oy_int(-1)));
  oy_object* slope = of_mul(keep(grad), of_conj(of_mul(B, power)));
  return of_masked(of_not(of_eq_number(B, oy_int(0))), slope);
}
// Where the base is 0 it stays so for exponents around this one, unless that is below 0.
static oy_object* power_of_exponent(oyi_short_node* node, oy_object* grad) {
  oy_object* flat = of_eq_number(A, oy_int(0));
  if (!oy_dtype_is_complex(grad->dtype)) flat = of_and(flat, of_ge_number(B, oy_int(0)));
  return of_masked(of_not(flat), of_mul(keep(grad), of_conj(of_mul(Y, of_log(A)))));
}
RULE(pow_ab, power_of_base(node, grad), power_of_exponent(node, grad))

// The slope of the lower incomplete gamma function in |b|: b^(a - 1) e^-b / gamma(a).
static oy_object* igamma_slope(oyi_short_node* node) {
  oy_object* power = of_mul(of_add_number(A, oy_int(-1)), of_log(B));
  oy_object* scale = oyi_call_lgamma(oyi_node_saved(node, 0));
  return of_exp(of_sub(of_sub(power, B), scale));
}
static oy_status igamma_refuse(const char* name) {
  return OY_FAIL(NOT_IMPLEMENTED, "the derivative for '%s: input' is not implemented.",
                 name);
}
static oy_status igamma_ab(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) return igamma_refuse("igamma");
  GIVE(1, of_mul(G, igamma_slope(node)));
  return OY_OK;
}
static oy_status igammac_ab(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) return igamma_refuse("igammac");
  GIVE(1, of_neg(of_mul(G, igamma_slope(node))));
  return OY_OK;
}

// ----------------------------------------------------------------- bounds and lerp

RULE_1(clamp_min_a, of_masked(of_ge_number(A, NUMBER), G))
RULE_1(clamp_max_a, of_masked(of_le_number(A, NUMBER), G))
RULE(clamp_min_ab, of_masked(of_ge(A, B), G), of_masked(of_lt(A, B), G))
RULE(clamp_max_ab, of_masked(of_le(A, B), G), of_masked(of_lt(B, A), G))
static oy_status lerp_ab(oyi_short_node* node, oy_object* grad, oy_object** out) {
  oy_complex room;
  if (WANTS(0)) GIVE(0, of_scaled(G, affine(NUMBER, 1, -1, &room)));
  if (WANTS(1)) GIVE(1, of_scaled(G, NUMBER));
  return OY_OK;
}

// ------------------------------------------------------------------- the table

// In place the numbers that a comparison gives are floats, which depend on nothing.
RULE(compared, zeros_like(grad), zeros_like(grad))

#define BOTH EDGE0 | EDGE1
#define BOTH_FORMS(id, inplace, text, fn, count, ...) \
  FORMULA(id, text, fn, count, __VA_ARGS__)           \
  FORMULA(inplace, text, fn, count, __VA_ARGS__)
FORMULA(rsub_Tensor, "RsubBackward0", rsub, 2, 0)
FORMULA(rsub_Scalar, "RsubBackward1", rsub_number, 1, 0)
BOTH_FORMS(div_Tensor_mode, div__Tensor_mode, "DivBackward2", div_mode, 2, EDGE1, BOTH)
BOTH_FORMS(div_Scalar_mode, div__Scalar_mode, "DivBackward3", div_number_mode, 1, 0)
BOTH_FORMS(fmod_Tensor, fmod__Tensor, "FmodBackward1", fmod_ab, 2, EDGE1, EDGE1)
BOTH_FORMS(fmod_Scalar, fmod__Scalar, "FmodBackward0", same, 1, 0)
BOTH_FORMS(remainder_Tensor, remainder__Tensor, "RemainderBackward1", remainder_ab, 2,
           EDGE1, EDGE1)
BOTH_FORMS(remainder_Scalar, remainder__Scalar, "RemainderBackward0", same, 1, 0)
BOTH_FORMS(atan2, atan2_, "Atan2Backward0", atan2_ab, 2, BOTH, BOTH)
BOTH_FORMS(igamma, igamma_, "IgammaBackward0", igamma_ab, 2, EDGE1, EDGE1)
BOTH_FORMS(igammac, igammac_, "IgammacBackward0", igammac_ab, 2, EDGE1, EDGE1)
BOTH_FORMS(hypot, hypot_, "HypotBackward0", hypot_ab, 2, EDGE0, EDGE1, BOTH)
FORMULA(maximum, "MaximumBackward0", maximum_ab, 2, BOTH, BOTH)
FORMULA(minimum, "MinimumBackward0", minimum_ab, 2, BOTH, BOTH)
FORMULA(fmax, "FmaxBackward0", fmax_ab, 2, BOTH, BOTH)
FORMULA(fmin, "FminBackward0", fmin_ab, 2, BOTH, BOTH)
FORMULA(logaddexp, "LogaddexpBackward0", logaddexp_ab, 2, BOTH, BOTH)
FORMULA(logaddexp2, "Logaddexp2Backward0", logaddexp2_ab, 2, BOTH, BOTH)
BOTH_FORMS(copysign_Tensor, copysign__Tensor, "CopysignBackward0", copysign_ab, 2, EDGE0,
           0, EDGE0)
BOTH_FORMS(copysign_Scalar, copysign__Scalar, "CopysignBackward1", copysign_a, 1, EDGE0,
           0, EDGE0)
BOTH_FORMS(xlogy_Tensor, xlogy__Tensor, "XlogyBackward0", xlogy_ab, 2, BOTH, BOTH)
BOTH_FORMS(xlogy_Scalar_Other, xlogy__Scalar_Other, "XlogyBackward2", xlogy_number, 1,
           EDGE0)
BOTH_FORMS(pow_Tensor_Scalar, pow__Scalar, "PowBackward0", pow_number, 1, EDGE0)
BOTH_FORMS(pow_Tensor_Tensor, pow__Tensor, "PowBackward1", pow_ab, 2, BOTH, BOTH, EDGE1)
BOTH_FORMS(clamp_min, clamp_min_, "ClampMinBackward0", clamp_min_a, 1, EDGE0)
BOTH_FORMS(clamp_max, clamp_max_, "ClampMaxBackward0", clamp_max_a, 1, EDGE0)
BOTH_FORMS(clamp_min_Tensor, clamp_min__Tensor, "ClampMinBackward1", clamp_min_ab, 2,
           BOTH, BOTH)
BOTH_FORMS(clamp_max_Tensor, clamp_max__Tensor, "ClampMaxBackward1", clamp_max_ab, 2,
           BOTH, BOTH)
BOTH_FORMS(lerp_Scalar, lerp__Scalar, "LerpBackward0", lerp_ab, 2, 0)
#define COMPARED(name, text)                        \
  FORMULA(name##__Scalar, text "0", compared, 1, 0) \
  FORMULA(name##__Tensor, text "1", compared, 2, 0)
COMPARED(eq, "EqBackward")
COMPARED(ne, "NeBackward")
COMPARED(lt, "LtBackward")
COMPARED(le, "LeBackward")
COMPARED(gt, "GtBackward")
COMPARED(ge, "GeBackward")
