// SPDX-License-Identifier: Apache-2.0
// Elementwise operators by name, in all dtypes, and what they refuse. The expected
// numbers are those of PyTorch 1.13 for the same float32 and int64 inputs.
#include "support/tensors.h"

enum { N = 4 };
static const float g_a[N] = {0.5f, -1.25f, 2, 0};
static const float g_b[N] = {1.5f, 0.75f, -2, 3};
static const int64_t g_i[N] = {7, -7, 12, 5};
static const int64_t g_j[N] = {2, 2, -5, 3};

typedef struct row {
  const char* name;
  double want[N];
} row;

// clang-format off
static const row g_unary[] = {
    {"abs", {0.5, 1.25, 2, 0}},
    {"absolute", {0.5, 1.25, 2, 0}},
    {"neg", {-0.5, 1.25, -2, -0}},
    {"negative", {-0.5, 1.25, -2, -0}},
    {"sign", {1, -1, 1, 0}},
    {"sgn", {1, -1, 1, 0}},
    {"ceil", {1, -1, 2, 0}},
    {"floor", {0, -2, 2, 0}},
    {"round", {0, -1, 2, 0}},
    {"trunc", {0, -1, 2, 0}},
    {"fix", {0, -1, 2, 0}},
    {"frac", {0.5, -0.25, 0, 0}},
    {"reciprocal", {2, -0.800000012, 0.5, INFINITY}},
    {"sqrt", {0.707106769, NAN, 1.41421354, 0}},
    {"rsqrt", {1.41421354, NAN, 0.707106769, INFINITY}},
    {"square", {0.25, 1.5625, 4, 0}},
    {"exp", {1.64872122, 0.286504805, 7.38905621, 1}},
    {"exp2", {1.41421354, 0.420448214, 4, 1}},
    {"expm1", {0.648721278, -0.713495195, 6.38905621, 0}},
    {"log", {-0.693147182, NAN, 0.693147182, -INFINITY}},
    {"log2", {-1, NAN, 1, -INFINITY}},
    {"log10", {-0.30103001, NAN, 0.30103001, -INFINITY}},
    {"log1p", {0.405465096, NAN, 1.09861231, 0}},
    {"sin", {0.47942555, -0.948984623, 0.909297407, 0}},
    {"cos", {0.87758255, 0.315322369, -0.416146845, 1}},
    {"tan", {0.546302497, -3.00956964, -2.18503976, 0}},
    {"asin", {0.52359879, NAN, NAN, 0}},
    {"acos", {1.04719758, NAN, NAN, 1.57079637}},
    {"atan", {0.463647604, -0.8960554, 1.10714877, 0}},
    {"arcsin", {0.52359879, NAN, NAN, 0}},
    {"arccos", {1.04719758, NAN, NAN, 1.57079637}},
    {"arctan", {0.463647604, -0.8960554, 1.10714877, 0}},
    {"sinh", {0.521095276, -1.60191917, 3.62686038, 0}},
    {"cosh", {1.12762594, 1.8884238, 3.76219583, 1}},
    {"tanh", {0.462117165, -0.848283648, 0.964027584, 0}},
    {"asinh", {0.481211841, -1.047593, 1.44363546, 0}},
    {"acosh", {NAN, NAN, 1.31695795, NAN}},
    {"atanh", {0.549306154, NAN, NAN, 0}},
    {"arcsinh", {0.481211841, -1.047593, 1.44363546, 0}},
    {"arccosh", {NAN, NAN, 1.31695795, NAN}},
    {"arctanh", {0.549306154, NAN, NAN, 0}},
    {"erf", {0.520499885, -0.92290014, 0.995322287, 0}},
    {"erfc", {0.479500115, 1.92290008, 0.00467773527, 1}},
    {"erfinv", {0.476936281, NAN, NAN, 0}},
    {"lgamma", {0.572364926, 1.36643171, 0, INFINITY}},
    {"digamma", {-1.96351087, 3.71413898, 0.422784209, -INFINITY}},
    {"i0", {1.06348348, 1.4304688, 2.27958512, 0.99999994}},
    {"sinc", {0.636619747, -0.180063277, 2.78275341e-08, 1}},
    {"sigmoid", {0.622459352, 0.222700134, 0.880797029, 0.5}},
    {"deg2rad", {0.00872664619, -0.021816615, 0.0349065848, 0}},
    {"rad2deg", {28.6478901, -71.6197281, 114.59156, 0}},
    {"silu", {0.311229676, -0.278375179, 1.76159406, 0}},
    {"mish", {0.375245243, -0.308413923, 1.943959, 0}},
    {"hardsigmoid", {0.583333313, 0.291666657, 0.833333313, 0.5}},
    {"hardswish", {0.291666657, -0.364583343, 1.66666663, 0}},
    {"relu", {0.5, 0, 2, 0}},
    {"relu6", {0.5, 0, 2, 0}},
    {"selu", {0.525350511, -1.25439537, 2.10140204, 0}},
    {"logical_not", {0, 0, 0, 1}},
    {"signbit", {0, 1, 0, 0}},
    {"isposinf", {0, 0, 0, 0}},
    {"isneginf", {0, 0, 0, 0}},
    {"isnan", {0, 0, 0, 0}},
    {"isinf", {0, 0, 0, 0}},
    {"isfinite", {1, 1, 1, 1}},
    {"isreal", {1, 1, 1, 1}},
    {"angle", {0, 3.14159274, 0, 0}},
    {"positive", {0.5, -1.25, 2, 0}},
    {"log_sigmoid", {-0.474076986, -1.50192904, -0.126928017, -0.693147182}},
    {"special_i0e", {0.645035326, 0.409836173, 0.308508307, 0.99999994}},
    {"special_i1", {0.257894278, -0.755281329, 1.59063685, 0}},
    {"special_i1e", {0.156420797, -0.216391742, 0.215269282, 0}},
    {"special_erfcx", {0.615690231, 9.17364311, 0.255395651, 1}},
    {"special_ndtri", {0, NAN, NAN, -INFINITY}},
    {"special_log_ndtr", {-0.368946433, -2.24762559, -0.0230129119, -0.693147182}},
    {"special_entr", {0.346573591, -INFINITY, -1.38629436, 0}},
    {"special_ndtr", {0.691462457, 0.105649769, 0.977249861, 0.5}},
    {"special_expit", {0.622459352, 0.222700134, 0.880797029, 0.5}},
    {"special_psi", {-1.96351087, 3.71413898, 0.422784209, -INFINITY}},
    {"special_gammaln", {0.572364926, 1.36643171, 0, INFINITY}},
};
static const row g_binary[] = {
    {"atan2", {0.321750551, -1.03037679, 2.3561945, 0}},
    {"arctan2", {0.321750551, -1.03037679, 2.3561945, 0}},
    {"hypot", {1.58113885, 1.45773792, 2.82842708, 3}},
    {"nextafter", {0.50000006, -1.24999988, 1.99999988, 1.40129846e-45}},
    {"maximum", {1.5, 0.75, 2, 3}},
    {"minimum", {0.5, -1.25, -2, 0}},
    {"fmax", {1.5, 0.75, 2, 3}},
    {"fmin", {0.5, -1.25, -2, 0}},
    {"logaddexp", {1.81326163, 0.876928031, 2.01814985, 3.04858732}},
    {"logaddexp2", {2.08496237, 1.07192802, 2.0874629, 3.16992497}},
    {"floor_divide", {0, -2, -1, 0}},
    {"heaviside", {1, 0, 1, 3}},
    {"logical_and", {1, 1, 1, 0}},
    {"logical_or", {1, 1, 1, 1}},
    {"logical_xor", {0, 0, 0, 1}},
    {"special_zeta", {NAN, NAN, INFINITY, NAN}},
    {"igamma", {0.916735483, NAN, NAN, 1}},
    {"igammac", {0.083264517, NAN, NAN, 0}},
    {"special_xlog1py", {0.45814538, -0.699519753, NAN, 0}},
    {"special_xlogy", {0.202732548, 0.3596026, NAN, 0}},
    {"mul.Tensor", {0.75, -0.9375, -4, 0}},
    {"multiply.Tensor", {0.75, -0.9375, -4, 0}},
    {"div.Tensor", {0.333333343, -1.66666663, -1, 0}},
    {"divide.Tensor", {0.333333343, -1.66666663, -1, 0}},
    {"true_divide.Tensor", {0.333333343, -1.66666663, -1, 0}},
    {"fmod.Tensor", {0.5, -0.5, 0, 0}},
    {"remainder.Tensor", {0.5, 0.25, 0, 0}},
    {"copysign.Tensor", {0.5, 1.25, -2, 0}},
    {"xlogy.Tensor", {0.202732548, 0.3596026, NAN, 0}},
    {"pow.Tensor_Tensor", {0.353553385, NAN, 0.25, 0}},
    {"float_power.Tensor_Tensor", {0.353553391, NAN, 0.25, 0}},
    {"eq.Tensor", {0, 0, 0, 0}},
    {"ne.Tensor", {1, 1, 1, 1}},
    {"lt.Tensor", {1, 1, 0, 1}},
    {"le.Tensor", {1, 1, 0, 1}},
    {"gt.Tensor", {0, 0, 1, 0}},
    {"ge.Tensor", {0, 0, 1, 0}},
    {"greater.Tensor", {0, 0, 1, 0}},
    {"greater_equal.Tensor", {0, 0, 1, 0}},
    {"less.Tensor", {1, 1, 0, 1}},
    {"less_equal.Tensor", {1, 1, 0, 1}},
    {"not_equal.Tensor", {1, 1, 1, 1}},
    {"ldexp.Tensor", {1.41421354, -2.10224104, 0.5, 0}},
    {"clamp_min.Tensor", {1.5, 0.75, 2, 3}},
    {"clamp_max.Tensor", {0.5, -1.25, -2, 0}},
    {"max.other", {1.5, 0.75, 2, 3}},
    {"min.other", {0.5, -1.25, -2, 0}},
    {"isclose", {0, 0, 0, 0}},
    {"sigmoid_backward", {-0.375, -0.234375, -12, -0}},
    {"tanh_backward", {-0.625, -0.546875, -6, -0}},
    {"silu_backward", {0.520647109, -1.05324996, -0.181568503, 0}},
    {"mish_backward", {0.544243991, -1.232198, -0.21671021, 0}},
    {"hardsigmoid_backward", {0.0833333358, -0.208333343, 0.333333343, 0}},
    {"hardswish_backward", {0.5, -0.9375, -0.333333373, 0}},
};
// A shift by less than nothing gives 0 (since 2.1; before it was what the machine did).
static const row g_integers[] = {
    {"gcd", {1, 1, 1, 1}},
    {"lcm", {14, 14, 60, 15}},
    {"floor_divide", {3, -4, -3, 1}},
    {"bitwise_and.Tensor", {2, 0, 8, 1}},
    {"bitwise_or.Tensor", {7, -5, -1, 7}},
    {"bitwise_xor.Tensor", {5, -5, -9, 6}},
    {"__and__.Tensor", {2, 0, 8, 1}},
    {"__or__.Tensor", {7, -5, -1, 7}},
    {"__xor__.Tensor", {5, -5, -9, 6}},
    {"bitwise_left_shift.Tensor", {28, -28, 0, 40}},
    {"bitwise_right_shift.Tensor", {1, -2, 0, 0}},
    {"__lshift__.Tensor", {28, -28, 0, 40}},
    {"__rshift__.Tensor", {1, -2, 0, 0}},
    {"fmod.Tensor", {1, -1, 2, 2}},
    {"remainder.Tensor", {1, 1, -3, 2}},
    {"maximum", {7, 2, 12, 5}},
    {"minimum", {2, -7, -5, 3}},
    {"heaviside", {1, 0, 1, 1}},
    {"pow.Tensor_Tensor", {49, 49, 0, 125}},
};
// clang-format on

// The result of the operator |name| for |count| tensors and its defaults: new.
static oy_tensor* call(const char* name, oy_tensor* const* inputs, size_t count) {
  char full[80];
  snprintf(full, sizeof(full), "aten::%s", name);
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(full));
  oy_value storage[8];
  oy_stack stack;
  oy_stack_init(&stack, storage, 8);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(oy_stack_push(&stack, oy_value_tensor(inputs[i])), OY_OK);
  if (oy_op_push_defaults(op, &stack, count, NULL, 0) != OY_OK ||
      oy_op_call_boxed(op, &stack) != OY_OK) {
    oy_stack_reset(&stack);
    return NULL;
  }
  oy_tensor* result = oy_tensor_retain(stack.data[0].as.object);
  oy_stack_reset(&stack);
  return result;
}

// |tolerance| is relative; where the result is bool or an integer nothing is off.
static void expect(const row* r, const oy_tensor* got, double tolerance) {
  if (!got) fail_msg("%s: %s", r->name, oy_error_get()->message);
  for (int i = 0; i < N; i++) {
    double value = element(got, i), want = r->want[i];
    bool same = isnan(want) ? isnan(value)
                            : value == want ||
                                  fabs(value - want) <= tolerance * fabs(want) + 1e-7;
    if (!same)
      fail_msg("%s at %d: %.9g and not %.9g (%s)", r->name, i, value, want,
               oy_dtype_name(got->dtype));
  }
}

static oy_tensor* as(const float* data, oy_dtype dtype) {
  oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(N), OY_DTYPE_F32);
  oy_tensor* result = oy_to_dtype(t, dtype, false, true, oy_none());
  oy_tensor_release(t);
  return result;
}

// The inputs are exact in every float. What PyTorch computes in float it rounds there.
static const struct {
  oy_dtype dtype;
  double tolerance;
} g_floats[] = {{OY_DTYPE_F32, 2e-6},
                {OY_DTYPE_F64, 2e-6},
                {OY_DTYPE_F16, 1.2e-3},
                {OY_DTYPE_BF16, 8e-3}};

// PyTorch has no kernel of these for halves.
static bool is_wide(const char* name) {
  static const char* const wide[] = {"special_erfcx", "special_ndtri", "special_log_ndtr",
                                     "special_zeta"};
  for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
    if (strcmp(name, wide[i]) == 0) return true;
  return false;
}

static void run_rows(const row* rows, size_t count, size_t arity) {
  for (size_t d = 0; d < 4; d++) {
    oy_tensor* inputs[] = {as(g_a, g_floats[d].dtype), as(g_b, g_floats[d].dtype)};
    for (size_t i = 0; i < count; i++) {
      // The neighbour of a number depends on the dtype.
      if (strcmp(rows[i].name, "nextafter") == 0 && d > 0) continue;
      oy_tensor* got = call(rows[i].name, inputs, arity);
      if (d >= 2 && is_wide(rows[i].name)) {
        assert_null(got);
        assert_non_null(strstr(oy_error_get()->message, "not implemented for '"));
        continue;
      }
      expect(&rows[i], got, g_floats[d].tolerance);
      oy_tensor_release(got);
    }
    oy_tensor_release(inputs[0]);
    oy_tensor_release(inputs[1]);
  }
}

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))
static void functions_of_one_tensor(void** state) {
  (void)state;
  run_rows(g_unary, COUNT(g_unary), 1);
}
static void functions_of_two_tensors(void** state) {
  (void)state;
  run_rows(g_binary, COUNT(g_binary), 2);
}

static void integers_of_every_width(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_I64, OY_DTYPE_I32, OY_DTYPE_I16,
                                    OY_DTYPE_I8};
  for (size_t d = 0; d < COUNT(dtypes); d++) {
    oy_tensor* a = oy_tensor_from_data(g_i, OY_DIMS(N), OY_DTYPE_I64);
    oy_tensor* b = oy_tensor_from_data(g_j, OY_DIMS(N), OY_DTYPE_I64);
    oy_tensor* inputs[] = {oy_to_dtype(a, dtypes[d], false, true, oy_none()),
                           oy_to_dtype(b, dtypes[d], false, true, oy_none())};
    for (size_t i = 0; i < COUNT(g_integers); i++) {
      oy_tensor* got = call(g_integers[i].name, inputs, 2);
      expect(&g_integers[i], got, 0);
      assert_int_equal(got->dtype, dtypes[d]);
      oy_tensor_release(got);
    }
    oy_tensor_release(inputs[0]);
    oy_tensor_release(inputs[1]);
    oy_tensor_release(a);
    oy_tensor_release(b);
  }
}

// ---------------------------------------------------------------- other arguments

// |got| is released.
#define GIVES(got, ...)                                   \
  do {                                                    \
    oy_tensor* result_ = (got);                           \
    assert_close(result_, OY_DIMS(4), 2e-6, __VA_ARGS__); \
    oy_tensor_release(result_);                           \
  } while (0)

static void operators_with_numbers(void** state) {
  (void)state;
  oy_tensor* a = as(g_a, OY_DTYPE_F32);
  oy_tensor* b = as(g_b, OY_DTYPE_F32);
  oy_tensor* mask = BOOLS(OY_DIMS(4), true, false, true, false);
  oy_value none = oy_none();
  oy_str plain = oy_str_of("none"), approximate = oy_str_of("tanh");
  GIVES(oy_clamp(a, oy_int(-1), oy_float(0.25)), 0.25, -1, 0.25, 0);
  GIVES(oy_clamp(a, oy_int(0), none), 0.5, 0, 2, 0);
  GIVES(oy_clip(a, none, oy_int(1)), 0.5, -1.25, 1, 0);
  GIVES(oy_clamp_Tensor(a, b, b), 1.5, 0.75, -2, 3);
  GIVES(oy_clamp_min(a, oy_int(0)), 0.5, 0, 2, 0);
  GIVES(oy_clamp_max(a, oy_int(0)), 0, -1.25, 0, 0);
  GIVES(oy_where_self(mask, a, b), 0.5, 0.75, 2, 3);
  GIVES(oy_where_ScalarOther(mask, a, oy_int(9)), 0.5, 9, 2, 9);
  GIVES(oy_where_ScalarSelf(mask, oy_int(9), a), 9, -1.25, 9, 0);
  GIVES(oy_where_Scalar(mask, oy_int(9), oy_int(8)), 9, 8, 9, 8);
  GIVES(oy_lerp_Scalar(a, b, oy_float(0.25)), 0.75, -0.75, 1, 0.75);
  GIVES(oy_lerp_Tensor(a, b, a), 1, -3.75, -6, 0);
  GIVES(oy_addcmul(a, a, b, oy_int(2)), 2, -3.125, -6, 0);
  GIVES(oy_addcdiv(a, a, b, oy_int(3)), 1.5, -6.25, -1, 0);
  GIVES(oy_rsub_Tensor(a, b, oy_int(2)), 0.5, 3.25, -6, 3);
  GIVES(oy_rsub_Scalar(a, oy_int(1), oy_int(1)), 0.5, 2.25, -1, 1);
  GIVES(oy_div_Tensor_mode(a, b, oy_value_str(oy_str_of("trunc"))), 0, -1, -1, 0);
  GIVES(oy_div_Tensor_mode(a, b, oy_value_str(oy_str_of("floor"))), 0, -2, -1, 0);
  GIVES(oy_div_Scalar_mode(a, oy_float(0.75), oy_value_str(oy_str_of("floor"))), 0, -2, 2,
        0);
  GIVES(oy_remainder_Scalar(a, oy_float(0.75)), 0.5, 0.25, 0.5, 0);
  GIVES(oy_fmod_Scalar(a, oy_float(0.75)), 0.5, -0.5, 0.5, 0);
  GIVES(oy_pow_Tensor_Scalar(a, oy_int(3)), 0.125, -1.953125, 8, 0);
  GIVES(oy_pow_Scalar(oy_int(2), a), 1.41421354, 0.420448214, 4, 1);
  GIVES(oy_round_decimals(a, 1), 0.5, -1.2, 2, 0);
  GIVES(oy_copysign_Scalar(a, oy_int(-1)), -0.5, -1.25, -2, 0);
  GIVES(oy_polygamma(1, a), 4.93480206, 19.1818714, 0.644934058, INFINITY);
  // At a pole it is what the sine of the rounded product leaves.
  oy_tensor* at_pole = oy_polygamma(1, b);
  GIVES(oy_div_Scalar(at_pole, oy_float(322842423984128.0)), 0, 0, 1, 0);
  oy_tensor_release(at_pole);
  GIVES(oy_logit(a, oy_float(0.25)), 0, -1.09861231, 1.09861231, -1.09861231);
  GIVES(oy_leaky_relu(a, oy_float(0.5)), 0.5, -0.625, 2, 0);
  GIVES(oy_elu(a, oy_int(1), oy_int(1), oy_int(1)), 0.5, -0.713495195, 2, 0);
  GIVES(oy_celu(a, oy_float(2)), 0.5, -0.929477096, 2, 0);
  GIVES(oy_gelu(a, plain), 0.345731199, -0.132062316, 1.95449996, 0);
  GIVES(oy_gelu(a, approximate), 0.345714003, -0.132285804, 1.95459771, 0);
  GIVES(oy_softplus(a, oy_int(1), oy_int(20)), 0.974076986, 0.251929641, 2.12692809,
        0.693147182);
  GIVES(oy_hardtanh(a, oy_int(-1), oy_int(1)), 0.5, -1, 1, 0);
  GIVES(oy_hardshrink(a, oy_float(0.5)), 0, -1.25, 2, 0);
  GIVES(oy_softshrink(a, oy_float(0.5)), 0, -0.75, 1.5, 0);
  GIVES(oy_threshold(a, oy_float(0.5), oy_int(7)), 7, 7, 2, 7);
  GIVES(oy_threshold_backward(b, a, oy_int(0)), 1.5, 0, -2, 0);
  GIVES(oy_leaky_relu_backward(b, a, oy_float(0.5), false), 1.5, 0.375, -2, 1.5);
  GIVES(oy_hardtanh_backward(b, a, oy_int(-1), oy_int(1)), 1.5, 0, 0, 3);
  GIVES(oy_hardshrink_backward(b, a, oy_float(0.5)), 0, 0.75, -2, 0);
  GIVES(oy_softshrink_backward(b, a, oy_float(0.5)), 0, 0.75, -2, 0);
  GIVES(oy_elu_backward(b, oy_int(1), oy_int(1), oy_int(1), false, a), 1.5, 0.214878604,
        -2, 3);
  oy_tensor* weight = F32(OY_DIMS(1), 0.25);
  GIVES(oy_prelu(a, weight), 0.5, -0.3125, 2, 0);
  oy_tensor* pairs = oy_glu(a, -1);
  assert_close(pairs, OY_DIMS(2), 2e-6, 0.440398544, -0.625);
  oy_tensor_release(pairs);
  oy_tensor_release(weight);
  oy_tensor_release(mask);
  oy_tensor_release(b);
  oy_tensor_release(a);
}

static void closeness(void** state) {
  (void)state;
  oy_tensor* a = F32(OY_DIMS(4), 1, NAN, INFINITY, 100);
  oy_tensor* b = F32(OY_DIMS(4), 1.00001f, NAN, INFINITY, 101);
  GIVES(oy_isclose(a, b, 1e-4, 1e-8, false), 1, 0, 1, 0);
  GIVES(oy_isclose(a, b, 0.1, 1e-8, true), 1, 1, 1, 1);
  bool same = true;
  assert_int_equal(oy_allclose(a, b, 0.1, 1e-8, false, &same), OY_OK);
  assert_false(same);
  assert_int_equal(oy_allclose(a, b, 0.1, 1e-8, true, &same), OY_OK);
  assert_true(same);
  assert_int_equal(oy_equal(b, b, &same), OY_OK);
  assert_false(same);  // NaN is not itself
  oy_tensor* c = F32(OY_DIMS(2), 1, 2);
  oy_tensor* d = F32(OY_DIMS(2), 1, 2);
  assert_int_equal(oy_equal(c, d, &same), OY_OK);
  assert_true(same);
  oy_tensor_release(d);
  oy_tensor_release(c);
  oy_tensor_release(b);
  oy_tensor_release(a);
}

static void two_results(void** state) {
  (void)state;
  oy_tensor *a = as(g_a, OY_DTYPE_F32), *b = as(g_b, OY_DTYPE_F32), *y, *buffer;
  assert_int_equal(oy_log_sigmoid_forward(a, &y, &buffer), OY_OK);
  assert_close(y, OY_DIMS(4), 2e-6, -0.474076986, -1.50192964, -0.126928017,
               -0.693147182);
  GIVES(oy_log_sigmoid_backward(b, a, buffer), 0.566311002, 0.582974911, -0.238405839,
        1.5);
  oy_tensor_release(y);
  oy_tensor_release(buffer);
  oy_tensor* weight = F32(OY_DIMS(4), 0.25, 0.25, 0.25, 0.25);
  assert_int_equal(oy__prelu_kernel_backward(b, a, weight, &y, &buffer), OY_OK);
  assert_close(y, OY_DIMS(4), 2e-6, 1.5, 0.1875, -2, 0.75);
  assert_close(buffer, OY_DIMS(4), 2e-6, 0, -0.9375, 0, 0);
  oy_tensor_release(y);
  oy_tensor_release(buffer);
  oy_tensor_release(weight);
  oy_tensor_release(b);
  oy_tensor_release(a);
}

// ----------------------------------------------------------------------- refusals

static void what_is_refused(void** state) {
  (void)state;
  oy_tensor* f = as(g_a, OY_DTYPE_F32);
  oy_tensor* d = as(g_a, OY_DTYPE_F64);
  oy_tensor* i = oy_tensor_from_data(g_i, OY_DIMS(N), OY_DTYPE_I64);
  oy_tensor* z = oy_tensor_empty(OY_DIMS(N), OY_DTYPE_C64, oy_device_cpu());
  oy_tensor* t = BOOLS(OY_DIMS(N), true, false, true, false);
  oy_tensor* zero = I64(OY_DIMS(1), 0);
  assert_fails(oy_floor_divide(i, zero), "ZeroDivisionError");
  assert_fails(oy_remainder_Tensor(i, zero), "ZeroDivisionError");
  assert_fails(oy_fmod_Tensor(i, zero), "ZeroDivisionError");
  assert_fails(oy_div_Tensor_mode(f, f, oy_value_str(oy_str_of("up"))),
               "div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
               "found 'up'");
  assert_fails(oy_pow_Tensor_Scalar(i, oy_int(-1)),
               "Integers to negative integer powers are not allowed.");
  assert_fails(oy_clamp(f, oy_none(), oy_none()),
               "torch.clamp: At least one of 'min' or 'max' must not be None");
  assert_fails(oy_clamp(z, oy_int(0), oy_none()),
               "clamp is not supported for complex types");
  assert_fails(oy_sign(z),
               "Unlike NumPy, torch.sign is not intended to support complex numbers. "
               "Please use torch.sgn instead.");
  assert_fails(oy_ceil(z), "ceil is not supported for complex inputs");
  assert_fails(oy_isposinf(z), "isposinf does not support complex inputs.");
  assert_fails(oy_isposinf_out(f, f), "isposinf does not support non-boolean outputs.");
  assert_fails(oy_abs_(z), "In-place abs is not supported for complex tensors.");
  assert_fails(oy_bitwise_and_Tensor(f, f),
               "\"bitwise_and_cpu\" not implemented for 'Float'");
  assert_fails(oy_gcd(f, f), "\"gcd_cpu\" not implemented for 'Float'");
  assert_fails(oy_lt_Tensor(z, z), "\"lt_cpu\" not implemented for 'ComplexFloat'");
  assert_fails(oy_erf(z), "\"erf_vml_cpu\" not implemented for 'ComplexFloat'");
  assert_fails(oy_positive(t), "The `+` operator, on a bool tensor is not supported.");
  assert_fails(oy_heaviside(f, d),
               "heaviside is not yet implemented for tensors with different dtypes.");
  assert_fails(oy_lerp_Scalar(f, d, oy_int(1)),
               "expected dtype float for `end` but got dtype double");
  assert_fails(oy_gelu(f, oy_str_of("sinh")),
               "approximate argument must be either none or tanh.");
  assert_fails(oy_polygamma(-1, f), "polygamma(n, x) does not support negative n.");
  assert_fails(oy_glu(zero, 0),
               "Halving dimension must be even, but dimension 0 is size 1");
  assert_fails(oy_exp_(i),
               "result type Float can't be cast to the desired output type Long");
  assert_fails(
      oy_float_power__Scalar(f, oy_int(2)),
      "the base given to float_power_ has dtype Float but the operation's result "
      "requires dtype Double");
  oy_tensor_release(zero);
  oy_tensor_release(t);
  oy_tensor_release(z);
  oy_tensor_release(i);
  oy_tensor_release(d);
  oy_tensor_release(f);
}

// The least integer has no positive partner; nothing traps.
static void the_least_integer(void** state) {
  (void)state;
  oy_tensor* least = I64(OY_DIMS(1), INT64_MIN);
  oy_tensor* minus = I64(OY_DIMS(1), -1);
  static oy_tensor* (*const calls[])(oy_tensor*, oy_tensor*) = {
      oy_floor_divide, oy_gcd, oy_lcm, oy_fmod_Tensor, oy_remainder_Tensor};
  for (size_t k = 0; k < COUNT(calls); k++) {
    oy_tensor* result = calls[k](least, minus);
    assert_non_null(result);
    oy_tensor_release(result);
  }
  oy_tensor* result = oy_abs(least);
  assert_elements(result, OY_DIMS(1), -0x1p63);
  oy_tensor_release(result);
  oy_tensor_release(minus);
  oy_tensor_release(least);
}

// Of 0, 1, 2 ... every |step|th number is so many times its place.
static void check_apart(int64_t n, int64_t step, oy_dtype dtype) {
  enum { MOST = 5 * 1100 };
  static float numbers[MOST];
  for (int i = 0; i < MOST; i++) numbers[i] = (float)i;
  oy_tensor* all = oy_tensor_from_data(numbers, OY_DIMS(step * n), OY_DTYPE_F32);
  oy_tensor* x = oy_to_dtype(all, dtype, false, false, oy_none());
  oy_tensor* from_0 = oy_slice_Tensor(x, 0, oy_none(), oy_none(), step);
  oy_tensor* from_1 = oy_slice_Tensor(x, 0, oy_int(1), oy_none(), step);
  oy_tensor* places = oy_slice_Tensor(x, 0, oy_int(0), oy_int(n), 1);
  oy_tensor* made[] = {oy_add_Tensor(from_0, places, oy_int(1)),
                       oy_sub_Tensor(from_0, from_1, oy_int(2)),
                       oy_neg(from_1),
                       oy_relu(from_1),
                       oy_heaviside(from_0, places),
                       oy_fmax(places, from_1)};
  for (int64_t i = 0; i < n; i++) {
    const double at = (double)i, here = (double)step * at;
    const double want[] = {
        here + at, here - 2 * (here + 1), -here - 1, here + 1, here > 0, here + 1};
    for (size_t m = 0; m < COUNT(made); m++) assert_true(element(made[m], i) == want[m]);
  }
  for (size_t m = 0; m < COUNT(made); m++) oy_tensor_release(made[m]);
  oy_tensor* const inputs[] = {places, from_1, from_0, x, all};
  for (size_t m = 0; m < COUNT(inputs); m++) oy_tensor_release(inputs[m]);
}

static void elements_apart(void** state) {
  (void)state;
  static const int64_t sizes[] = {3, 127, 128, 129, 512, 1100};
  static const oy_dtype dtypes[] = {OY_DTYPE_I16, OY_DTYPE_F32, OY_DTYPE_F64,
                                    OY_DTYPE_I64};
  for (size_t k = 0; k < COUNT(sizes) * COUNT(dtypes); k++)
    for (int64_t step = 2; step <= 5; step++)
      check_apart(sizes[k % COUNT(sizes)], step, dtypes[k / COUNT(sizes)]);
}

// Quotients of complex numbers are what those of a copy are, bit for bit.
static void complex_elements_apart(void** state) {
  (void)state;
  enum { LENGTH = 300, STEP = 3 };
  static float parts[2 * LENGTH * STEP];
  for (int i = 0; i < 2 * LENGTH * STEP; i++)
    parts[i] = (float)(i * 7919 % 401 - 200) / 8;
  oy_tensor* all = oy_tensor_from_data(parts, OY_DIMS(LENGTH * STEP), OY_DTYPE_C64);
  oy_tensor* x = oy_slice_Tensor(all, 0, oy_none(), oy_none(), STEP);
  oy_tensor* by = oy_slice_Tensor(all, 0, oy_int(LENGTH), oy_int(2 * LENGTH), 1);
  oy_tensor* copy = oy_contiguous(x, OY_MEMORY_CONTIGUOUS);
  oy_tensor *got = oy_div_Tensor(x, by), *want = oy_div_Tensor(copy, by);
  assert_memory_equal(oy_tensor_data(got), oy_tensor_data(want), sizeof(parts) / STEP);
  oy_tensor* const made[] = {got, want, copy, by, x, all};
  for (size_t m = 0; m < COUNT(made); m++) oy_tensor_release(made[m]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_one_tensor),
      cmocka_unit_test(functions_of_two_tensors),
      cmocka_unit_test(integers_of_every_width),
      cmocka_unit_test(operators_with_numbers),
      cmocka_unit_test(closeness),
      cmocka_unit_test(two_results),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(the_least_integer),
      cmocka_unit_test(elements_apart),
      cmocka_unit_test(complex_elements_apart),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
