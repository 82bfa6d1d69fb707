// SPDX-License-Identifier: Apache-2.0
// The formulas of elementwise operators against finite differences in double, and
// the gradients of these gradients: each operator, and its in-place form, at points of a
// range where it is smooth.
#include "support/tensors.h"

enum { N = 6 };
typedef oy_tensor* (*unary)(oy_tensor* x);
typedef oy_tensor* (*binary)(oy_tensor* x, oy_tensor* y);

typedef struct case_1 {
  const char* name;
  unary f, inplace;
  double from, to;
} case_1;

#define UNARY(name, from, to) \
  { #name, oy_##name, oy_##name##_, from, to }
#define WITH(name, call, in_place)          \
  static oy_tensor* name(oy_tensor* x) {    \
    return call;                            \
  }                                         \
  static oy_tensor* name##_(oy_tensor* x) { \
    return in_place;                        \
  }
// clang-format off
WITH(pow_number, oy_pow_Tensor_Scalar(x, oy_float(2.5)), oy_pow__Scalar(x, oy_float(2.5)))
WITH(pow_zero, oy_pow_Tensor_Scalar(x, oy_int(0)), oy_pow__Scalar(x, oy_int(0)))
WITH(logit, oy_logit(x, oy_none()), oy_logit_(x, oy_none()))
WITH(logit_eps, oy_logit(x, oy_float(0.3)), oy_logit_(x, oy_float(0.3)))
WITH(polygamma, oy_polygamma(1, x), oy_polygamma_(x, 1))
WITH(mvlgamma, oy_mvlgamma(x, 3), oy_mvlgamma_(x, 3))
WITH(clamp_min, oy_clamp_min(x, oy_float(0.5)), oy_clamp_min_(x, oy_float(0.5)))
WITH(clamp_max, oy_clamp_max(x, oy_float(0.5)), oy_clamp_max_(x, oy_float(0.5)))
WITH(gelu, oy_gelu(x, oy_str_of("none")), oy_gelu_(x, oy_str_of("none")))
WITH(gelu_tanh, oy_gelu(x, oy_str_of("tanh")), oy_gelu_(x, oy_str_of("tanh")))
WITH(threshold, oy_threshold(x, oy_float(0.1), oy_float(7)),
     oy_threshold_(x, oy_float(0.1), oy_float(7)))
WITH(fmod_number, oy_fmod_Scalar(x, oy_float(0.45)), oy_fmod__Scalar(x, oy_float(0.45)))
WITH(remainder_number, oy_remainder_Scalar(x, oy_float(0.45)),
     oy_remainder__Scalar(x, oy_float(0.45)))
WITH(div_number, oy_div_Scalar_mode(x, oy_float(3), oy_none()),
     oy_div__Scalar_mode(x, oy_float(3), oy_none()))
WITH(copysign_number, oy_copysign_Scalar(x, oy_float(-2)), oy_copysign__Scalar(x, oy_float(-2)))
WITH(xlogy_number, oy_xlogy_Scalar_Other(x, oy_float(2)), oy_xlogy__Scalar_Other(x, oy_float(2)))
WITH(round_decimals, oy_round_decimals(x, 1), oy_round__decimals(x, 1))
WITH(nan_to_num, oy_nan_to_num(x, oy_none(), oy_none(), oy_none()),
     oy_nan_to_num_(x, oy_none(), oy_none(), oy_none()))
// clang-format on
static oy_tensor* mantissa(oy_tensor* x) {
  oy_tensor *fraction = NULL, *power = NULL;
  return oy_frexp_Tensor(x, &fraction, &power) == OY_OK ? fraction : NULL;
}
static oy_tensor* leaky_relu(oy_tensor* x) {
  return oy_leaky_relu(x, oy_float(0.1));
}
static oy_tensor* hardshrink(oy_tensor* x) {
  return oy_hardshrink(x, oy_float(0.5));
}
static oy_tensor* softshrink(oy_tensor* x) {
  return oy_softshrink(x, oy_float(0.5));
}
static oy_tensor* rsub_number(oy_tensor* x) {
  return oy_rsub_Scalar(x, oy_float(2), oy_float(3));
}

// Only the second input has a derivative.
static oy_tensor* with_order(oy_tensor* (*f)(oy_tensor*, oy_tensor*), oy_tensor* x) {
  const double order = 1.7;
  oy_tensor* a = oy_tensor_from_data(&order, OY_DIMS(1), OY_DTYPE_F64);
  oy_tensor* result = f(a, x);
  oy_tensor_release(a);
  return result;
}
static oy_tensor* igamma_of_order(oy_tensor* x) {
  return with_order(oy_igamma, x);
}
static oy_tensor* igammac_of_order(oy_tensor* x) {
  return with_order(oy_igammac, x);
}

static const case_1 g_unary[] = {
    UNARY(abs, -2, 2),
    UNARY(neg, -2, 2),
    UNARY(exp, -2, 2),
    UNARY(exp2, -2, 2),
    UNARY(expm1, -2, 2),
    UNARY(log, 0.2, 3),
    UNARY(log2, 0.2, 3),
    UNARY(log10, 0.2, 3),
    UNARY(log1p, -0.5, 3),
    UNARY(sqrt, 0.2, 3),
    UNARY(rsqrt, 0.2, 3),
    UNARY(reciprocal, 0.5, 3),
    UNARY(square, -2, 2),
    UNARY(sin, -2, 2),
    UNARY(cos, -2, 2),
    UNARY(tan, -1, 1),
    UNARY(asin, -0.9, 0.9),
    UNARY(acos, -0.9, 0.9),
    UNARY(atan, -2, 2),
    UNARY(sinh, -2, 2),
    UNARY(cosh, -2, 2),
    UNARY(tanh, -2, 2),
    UNARY(asinh, -2, 2),
    UNARY(acosh, 1.2, 3),
    UNARY(atanh, -0.9, 0.9),
    UNARY(erf, -2, 2),
    UNARY(erfc, -2, 2),
    UNARY(erfinv, -0.9, 0.9),
    UNARY(lgamma, 0.3, 4),
    UNARY(digamma, 0.3, 4),
    UNARY(sigmoid, -2, 2),
    UNARY(frac, 0.1, 0.9),
    UNARY(ceil, 0.1, 0.9),
    UNARY(floor, 0.1, 0.9),
    UNARY(round, 0.1, 0.4),
    UNARY(trunc, 0.1, 0.9),
    UNARY(sign, 0.1, 2),
    UNARY(sgn, 0.1, 2),
    UNARY(deg2rad, -2, 2),
    UNARY(rad2deg, -2, 2),
    UNARY(relu, -2, 2),
    UNARY(silu, -2, 2),
    UNARY(mish, -2, 2),
    UNARY(hardsigmoid, -4, 4),
    UNARY(hardswish, -4, 4),
    {"pow", pow_number, pow_number_, 0.3, 2},
    {"pow 0", pow_zero, pow_zero_, 0.3, 2},
    {"logit", logit, logit_, 0.1, 0.9},
    {"logit eps", logit_eps, logit_eps_, 0.1, 0.9},
    {"polygamma", polygamma, polygamma_, 0.5, 3},
    {"clamp_min", clamp_min, clamp_min_, -2, 2},
    {"clamp_max", clamp_max, clamp_max_, -2, 2},
    {"gelu", gelu, gelu_, -2, 2},
    {"gelu tanh", gelu_tanh, gelu_tanh_, -2, 2},
    {"threshold", threshold, threshold_, -2, 2},
    {"fmod", fmod_number, fmod_number_, 0.01, 0.4},
    {"remainder", remainder_number, remainder_number_, 0.01, 0.4},
    {"div", div_number, div_number_, -2, 2},
    {"copysign", copysign_number, copysign_number_, 0.2, 2},
    {"xlogy", xlogy_number, xlogy_number_, 0.2, 2},
    {"round decimals", round_decimals, round_decimals_, 0.01, 0.04},
    {"nan_to_num", nan_to_num, nan_to_num_, -2, 2},
    {"igamma", igamma_of_order, NULL, 0.3, 4},
    {"igammac", igammac_of_order, NULL, 0.3, 4},
    {"mvlgamma", mvlgamma, mvlgamma_, 1.2, 4},
    {"frexp", mantissa, NULL, 0.3, 7},
    {"leaky_relu", leaky_relu, NULL, -2, 2},
    {"hardshrink", hardshrink, NULL, -2, 2},
    {"softshrink", softshrink, NULL, -2, 2},
    {"rsub", rsub_number, NULL, -2, 2},
};

typedef struct case_2 {
  const char* name;
  binary f;
  double from, to, other_from, other_to;
} case_2;

static oy_tensor* rsub(oy_tensor* x, oy_tensor* y) {
  return oy_rsub_Tensor(x, y, oy_float(2.5));
}
static oy_tensor* div_floor(oy_tensor* x, oy_tensor* y) {
  return oy_div_Tensor_mode(x, y, oy_value_str(oy_str_of("floor")));
}
static oy_tensor* div_plain(oy_tensor* x, oy_tensor* y) {
  return oy_div_Tensor_mode(x, y, oy_none());
}
static oy_tensor* lerp(oy_tensor* x, oy_tensor* y) {
  return oy_lerp_Scalar(x, y, oy_float(0.3));
}
static const case_2 g_binary[] = {
    {"rsub", rsub, -2, 2, -1, 3},
    {"div floor", div_floor, 1.1, 1.4, 2, 3},
    {"div", div_plain, -2, 2, 1, 3},
    {"fmod", oy_fmod_Tensor, 2.2, 2.4, 1.01, 1.05},
    {"remainder", oy_remainder_Tensor, 2.2, 2.4, 1.01, 1.05},
    {"atan2", oy_atan2, -2, 2, 0.5, 2},
    {"hypot", oy_hypot, -2, 2, 0.5, 2},
    {"maximum", oy_maximum, -2, 2, -1, 1},
    {"minimum", oy_minimum, -2, 2, -1, 1},
    {"fmax", oy_fmax, -2, 2, -1, 1},
    {"fmin", oy_fmin, -2, 2, -1, 1},
    {"logaddexp", oy_logaddexp, -2, 2, -1, 3},
    {"logaddexp2", oy_logaddexp2, -2, 2, -1, 3},
    {"copysign", oy_copysign_Tensor, 0.5, 2, -3, -1},
    {"xlogy", oy_xlogy_Tensor, 0.2, 2, 0.3, 2},
    {"pow", oy_pow_Tensor_Tensor, 0.3, 2, -1.5, 2},
    {"clamp_min", oy_clamp_min_Tensor, -2, 2, -1, 1},
    {"clamp_max", oy_clamp_max_Tensor, -2, 2, -1, 1},
    {"lerp", lerp, -2, 2, -1, 3},
};

static oy_tensor* points(double from, double to) {
  double data[N];
  // Not evenly spread, so that two operands never meet.
  for (int i = 0; i < N; i++) data[i] = from + (to - from) * (i + 0.37) * (i + 0.63) / 37;
  return oy_tensor_from_data(data, OY_DIMS(N), OY_DTYPE_F64);
}

typedef struct subject {
  const char* name;
  unary f, inplace;
  binary g;
} subject;

static oy_tensor* result_of(const subject* s, oy_tensor* x, oy_tensor* y) {
  if (s->g) return s->g(x, y);
  return s->inplace ? s->inplace(oy_clone(x, oy_none())) : s->f(x);
}
static oy_status call(void* data, oy_tensor* const* in, size_t count, oy_tensor** outputs,
                      size_t* out_count) {
  outputs[0] = result_of(data, in[0], count > 1 ? in[1] : NULL);
  *out_count = 1;
  return outputs[0] ? OY_OK : oy_failure();
}

static void check(subject* s, oy_tensor* x, oy_tensor* y) {
  static const oy_gradcheck_options options = {.atol = 2e-6, .rtol = 2e-5};
  oy_tensor* in[] = {x, y};
  const size_t count = y ? 2 : 1;
  for (size_t i = 0; i < count; i++) assert_non_null(oy_requires_grad_(in[i], true));
  if (oy_gradcheck(call, s, in, count, &options) != OY_OK)
    fail_msg("%s: %s", s->name, oy_error_get()->message);
  if (oy_gradgradcheck(call, s, in, count, &options) != OY_OK)
    fail_msg("%s, second order: %s", s->name, oy_error_get()->message);
}

static void functions_of_one_tensor(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof(g_unary) / sizeof(*g_unary); i++) {
    const case_1* c = &g_unary[i];
    for (int inplace = 0; inplace < (c->inplace ? 2 : 1); inplace++) {
      subject s = {c->name, c->f, inplace ? c->inplace : NULL, NULL};
      oy_tensor* x = points(c->from, c->to);
      check(&s, x, NULL);
      oy_tensor_release(x);
    }
  }
}

static void functions_of_two_tensors(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof(g_binary) / sizeof(*g_binary); i++) {
    const case_2* c = &g_binary[i];
    subject s = {c->name, NULL, NULL, c->f};
    oy_tensor* x = points(c->from, c->to);
    oy_tensor* y = points(c->other_from, c->other_to);
    check(&s, x, y);
    oy_tensor_release(x);
    oy_tensor_release(y);
  }
}

// Where two operands are the same each has half of the gradient.
static void ties_are_shared(void** state) {
  (void)state;
  oy_tensor* x = F64(OY_DIMS(3), 1, 2, 3);
  oy_tensor* y = F64(OY_DIMS(3), 1, 1, 4);
  oy_requires_grad_(x, true);
  oy_requires_grad_(y, true);
  oy_scope scope;
  oy_scope_open(&scope);
  assert_int_equal(oy_backward(oy_sum(oy_maximum(x, y), oy_none()), NULL, false), OY_OK);
  oy_scope_close(&scope);
  assert_elements(oy_grad(x), OY_DIMS(3), 0.5, 1, 0);
  assert_elements(oy_grad(y), OY_DIMS(3), 0.5, 0, 1);
  oy_tensor_release(x);
  oy_tensor_release(y);
}

// Ones and zeros that a comparison writes over its operand depend on neither.
static void comparisons_in_place_give_zeros(void** state) {
  (void)state;
  static const binary with_tensor[] = {oy_eq__Tensor, oy_ne__Tensor, oy_lt__Tensor,
                                       oy_le__Tensor, oy_gt__Tensor, oy_ge__Tensor};
  oy_tensor* (*const with_number[])(oy_tensor*, oy_scalar) = {
      oy_eq__Scalar, oy_ne__Scalar, oy_lt__Scalar,
      oy_le__Scalar, oy_gt__Scalar, oy_ge__Scalar};
  for (int i = 0; i < 12; i++) {
    oy_tensor *x = F64(OY_DIMS(3), 1, 2, 3), *y = F64(OY_DIMS(3), 1, 1, 4);
    oy_requires_grad_(x, true);
    oy_requires_grad_(y, true);
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* copy = oy_clone(x, oy_none());
    assert_non_null(i < 6 ? with_tensor[i](copy, y)
                          : with_number[i - 6](copy, oy_float(2)));
    assert_int_equal(oy_backward(oy_sum(copy, oy_none()), NULL, false), OY_OK);
    oy_scope_close(&scope);
    assert_elements(oy_grad(x), OY_DIMS(3), 0, 0, 0);
    if (i < 6) assert_elements(oy_grad(y), OY_DIMS(3), 0, 0, 0);
    oy_tensor_release(x);
    oy_tensor_release(y);
  }
}

// PyTorch has no derivative for these: asking for one is an error, and not a silence.
static void steps_refuse_gradients(void** state) {
  (void)state;
  static const struct {
    binary fn;
    const char* text;
  } rows[] = {
      {oy_heaviside, "derivative for aten::heaviside is not implemented"},
      {oy_heaviside_, "derivative for aten::heaviside_ is not implemented"},
      {oy_nextafter, "derivative for aten::nextafter is not implemented"},
      {oy_floor_divide, "derivative for aten::floor_divide is not implemented"},
      {oy_floor_divide__Tensor,
       "derivative for aten::floor_divide_.Tensor is not implemented"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor *x = F64(OY_DIMS(2), 1, -2), *y = F64(OY_DIMS(2), 1, 4);
    oy_requires_grad_(x, true);
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* made = rows[i].fn(oy_clone(x, oy_none()), y);
    assert_true(oy_requires_grad(made));
    assert_int_not_equal(oy_backward(oy_sum(made, oy_none()), NULL, false), OY_OK);
    assert_non_null(strstr(oy_error_get()->message, rows[i].text));
    oy_error_clear();
    oy_scope_close(&scope);
    oy_tensor_release(x);
    oy_tensor_release(y);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_one_tensor),
      cmocka_unit_test(functions_of_two_tensors),
      cmocka_unit_test(ties_are_shared),
      cmocka_unit_test(comparisons_in_place_give_zeros),
      cmocka_unit_test(steps_refuse_gradients),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
