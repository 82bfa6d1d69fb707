// SPDX-License-Identifier: Apache-2.0
// First and second derivatives of activations, and of their in-place forms.
#include "layers/differences.h"

#define X       x[0]
#define CHANGED oy_clone(x[0], oy_none())
#define CASE(name, value)                       \
  static oy_tensor* name(oy_tensor* const* x) { \
    return value;                               \
  }
// clang-format off
CASE(relu, oy_relu(X))
CASE(relu_, oy_relu_(CHANGED))
CASE(relu6, oy_relu6(X))
CASE(threshold, oy_threshold(X, oy_float(0.1), oy_float(7)))
CASE(leaky_relu, oy_leaky_relu(X, oy_float(0.1)))
CASE(leaky_relu_, oy_leaky_relu_(CHANGED, oy_float(0.1)))
CASE(elu, oy_elu(X, oy_float(1.3), oy_float(0.8), oy_float(1.1)))
CASE(elu_, oy_elu_(CHANGED, oy_float(1.3), oy_float(0.8), oy_float(1.1)))
CASE(selu, oy_selu(X))
CASE(celu, oy_celu(X, oy_float(1.7)))
CASE(celu_, oy_celu_(CHANGED, oy_float(1.7)))
CASE(gelu, oy_gelu(X, oy_str_of("none")))
CASE(gelu_tanh, oy_gelu(X, oy_str_of("tanh")))
CASE(silu, oy_silu(X))
CASE(mish, oy_mish(X))
CASE(sigmoid, oy_sigmoid(X))
CASE(tanh_, oy_tanh(X))
CASE(hardsigmoid, oy_hardsigmoid(X))
CASE(hardswish, oy_hardswish(X))
CASE(hardtanh, oy_hardtanh(X, oy_float(-0.7), oy_float(0.9)))
CASE(hardtanh_, oy_hardtanh_(CHANGED, oy_float(-0.7), oy_float(0.9)))
CASE(hardshrink, oy_hardshrink(X, oy_float(0.5)))
CASE(softshrink, oy_softshrink(X, oy_float(0.5)))
CASE(softplus, oy_softplus(X, oy_float(1.4), oy_float(2)))
CASE(logit, oy_logit(X, oy_none()))
CASE(logit_eps, oy_logit(X, oy_float(0.2)))
CASE(log_sigmoid, oy_log_sigmoid(X))
CASE(glu, oy_glu(X, 1))
CASE(glu_last, oy_glu(X, -1))
CASE(prelu, oy_prelu(X, x[1]))
CASE(prelu_kernel, oy__prelu_kernel(X, x[1]))
// clang-format on

static const differences_row g_rows[] = {
    {"relu", relu, "7", -2, 2},
    {"relu_", relu_, "7", -2, 2},
    {"relu6", relu6, "7", -2, 9},
    {"threshold", threshold, "7", -2, 2},
    {"leaky_relu", leaky_relu, "7", -2, 2},
    {"leaky_relu_", leaky_relu_, "7", -2, 2},
    {"elu", elu, "7", -2, 2},
    {"elu_", elu_, "7", -2, 2},
    {"selu", selu, "7", -2, 2},
    {"celu", celu, "7", -2, 2},
    {"celu_", celu_, "7", -2, 2},
    {"gelu", gelu, "7", -2, 2},
    {"gelu tanh", gelu_tanh, "7", -2, 2},
    {"silu", silu, "7", -2, 2},
    {"mish", mish, "7", -2, 2},
    {"sigmoid", sigmoid, "7", -2, 2},
    {"tanh", tanh_, "7", -2, 2},
    {"hardsigmoid", hardsigmoid, "7", -4, 4},
    {"hardswish", hardswish, "7", -4, 4},
    {"hardtanh", hardtanh, "7", -2, 2},
    {"hardtanh_", hardtanh_, "7", -2, 2},
    {"hardshrink", hardshrink, "7", -2, 2},
    {"softshrink", softshrink, "7", -2, 2},
    {"softplus", softplus, "7", -2, 2},
    {"logit", logit, "7", 0.1, 0.9},
    {"logit eps", logit_eps, "7", 0.05, 0.95},
    {"log_sigmoid", log_sigmoid, "7", -2, 2},
    {"glu", glu, "2,4,2", -2, 2},
    {"glu of the last", glu_last, "3,4", -2, 2},
    {"prelu", prelu, "2,3,2 3", -2, 2},
    {"_prelu_kernel", prelu_kernel, "2,3 2,3", -2, 2},
};

static void activations(void** state) {
  (void)state;
  check_differences(g_rows, sizeof(g_rows) / sizeof(*g_rows), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(activations)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
