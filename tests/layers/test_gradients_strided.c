// SPDX-License-Identifier: Apache-2.0
// Gradients that go by memory or by complex numbers: as_strided, of elements that overlap,
// and operators with a complex number, against finite differences; and where derivatives
// are not what differences see (singular determinants, one triangle of eigh's input),
// against PyTorch 1.13.
#include "layers/differences.h"

#define X in[0]
#define Y in[1]
#define FUNCTION(name, value)                    \
  static oy_tensor* name(oy_tensor* const* in) { \
    return value;                                \
  }

// -------------------------------------------------------------------- as_strided

FUNCTION(rows, oy_as_strided(X, OY_DIMS(2, 2), OY_DIMS(3, 1), oy_int(1)))
FUNCTION(windows, oy_as_strided(X, OY_DIMS(4, 3), OY_DIMS(1, 1), oy_none()))
FUNCTION(repeated, oy_as_strided(X, OY_DIMS(3, 2), OY_DIMS(0, 2), oy_int(1)))
FUNCTION(of_transposed, oy_as_strided(oy_mul_Tensor(oy_t(X), oy_t(X)), OY_DIMS(3),
                                      OY_DIMS(2), oy_int(0)))
FUNCTION(of_expanded, oy_as_strided(oy_expand(X, OY_DIMS(2, 3), false), OY_DIMS(3),
                                    OY_DIMS(1), oy_int(0)))
FUNCTION(of_none, oy_as_strided(X, OY_DIMS(0, 2), OY_DIMS(2, 1), oy_int(0)))
FUNCTION(scattered, oy_as_strided_scatter(X, Y, OY_DIMS(2, 2), OY_DIMS(3, 1), oy_int(1)))

static void AUT_as_strided_by_differences(void** state) {
  (void)state;
  static const differences_row table[] = {
      {"as_strided", rows, "2,3", -2, 2},
      {"as_strided, windows", windows, "2,3", -2, 2},
      {"as_strided, expanded", repeated, "2,3", -2, 2},
      {"as_strided of a result by columns", of_transposed, "2,3", -2, 2},
      {"as_strided of an expanded input", of_expanded, "3", -2, 2},
      {"as_strided, no elements", of_none, "2,3", -2, 2},
      {"as_strided_scatter", scattered, "2,3 2,2", -2, 2},
  };
  check_differences(table, sizeof(table) / sizeof(*table), 2);
  check_differences_memory(table, sizeof(table) / sizeof(*table));
}

// -------------------------------------------------------------- complex numbers

static const oy_complex g_turn = {0.5, -1.5};
#define NUMBER          oy_complex_value(&g_turn)
#define PAIRS(value)    oy_view_as_real(value)
#define COMPLEX         oy_op_complex(X, Y)
#define OTHER_WAY_ROUND oy_op_complex(Y, X)

FUNCTION(times, PAIRS(oy_mul_Scalar(COMPLEX, NUMBER)))
FUNCTION(over, PAIRS(oy_div_Scalar(COMPLEX, NUMBER)))
FUNCTION(over_mode, PAIRS(oy_div_Scalar_mode(COMPLEX, NUMBER, oy_none())))
FUNCTION(plus, PAIRS(oy_add_Tensor(COMPLEX, OTHER_WAY_ROUND, NUMBER)))
FUNCTION(minus, PAIRS(oy_sub_Tensor(COMPLEX, OTHER_WAY_ROUND, NUMBER)))
FUNCTION(from, PAIRS(oy_rsub_Scalar(COMPLEX, oy_int(1), NUMBER)))
FUNCTION(power, PAIRS(oy_pow_Tensor_Scalar(COMPLEX, NUMBER)))
FUNCTION(between, PAIRS(oy_lerp_Scalar(COMPLEX, OTHER_WAY_ROUND, NUMBER)))
FUNCTION(of_reals, PAIRS(oy_mul_Scalar(X, NUMBER)))
FUNCTION(turned, PAIRS(oy_polar(X, Y)))

static void AUT_complex_numbers_by_differences(void** state) {
  (void)state;
  static const differences_row table[] = {
      {"mul.Scalar", times, "2,3 2,3", 0.5, 2},
      {"div.Scalar", over, "2,3 2,3", 0.5, 2},
      {"div.Scalar_mode", over_mode, "2,3 2,3", 0.5, 2},
      {"add.Tensor", plus, "2,3 2,3", 0.5, 2},
      {"sub.Tensor", minus, "2,3 2,3", 0.5, 2},
      {"rsub.Scalar", from, "2,3 2,3", 0.5, 2},
      {"pow.Tensor_Scalar", power, "2,3 2,3", 0.5, 2},
      {"lerp.Scalar", between, "2,3 2,3", 0.5, 2},
      {"mul.Scalar of reals", of_reals, "2,3", 0.5, 2},
      {"polar", turned, "2,3 2,3", 0.5, 2},
  };
  check_differences(table, sizeof(table) / sizeof(*table), 2);
}

// ------------------------------------------------------------ beside PyTorch's

// The gradient of |y|, weighted by |weight|, for |x|.
static oy_tensor* gradient(oy_tensor* y, oy_tensor* x, oy_tensor* weight, bool create) {
  oy_tensor* result = NULL;
  oy_backward_options options = {.retain_graph = create, .create_graph = create};
  assert_int_equal(oy_gradients(&y, &weight, 1, &x, 1, &options, &result), OY_OK);
  return oy_scope_take(result);
}
#define KEPT(...) oy_scope_take(F64(__VA_ARGS__))

static void AUT_singular_determinants(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  // One that is singular, one that is not, one without any rank.
  oy_tensor* x = KEPT(OY_DIMS(3, 2, 2), 1, 2, 2, 4, 2, 0, 0, 2, 0, 0, 0, 0);
  assert_ptr_equal(oy_requires_grad_(x, true), x);
  oy_tensor* weight = KEPT(OY_DIMS(3), 1, 1, 1);
  oy_tensor* first = gradient(oy_linalg_det(x), x, weight, true);
  assert_close(first, OY_DIMS(3, 2, 2), 1e-12, 4, -2, -2, 1, 2, 0, 0, 2, 0, 0, 0, 0);
  oy_tensor* ones =
      oy_ones_like(x, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* second = gradient(first, x, ones, false);
  oy_tensor* head = oy_narrow(second, 0, 0, 2);
  assert_close(head, OY_DIMS(2, 2, 2), 1e-9, 1, -1, -1, 1, 1, -1, -1, 1);
  oy_scope_close(&scope);
}

static void AUT_eigenvectors_stay_orthonormal(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = KEPT(OY_DIMS(2, 2), 2, 1, 1, 3);
  assert_ptr_equal(oy_requires_grad_(x, true), x);
  oy_tensor *values = NULL, *vectors = NULL;
  assert_int_equal(oy_linalg_eigh(x, oy_str_of("L"), &values, &vectors), OY_OK);
  oy_tensor* of_values = oy_mul_Tensor(values, KEPT(OY_DIMS(2), 1, 2));
  oy_tensor* of_vectors =
      oy_mul_Tensor(oy_mul_Tensor(vectors, vectors), KEPT(OY_DIMS(2, 2), 1, 2, 3, 5));
  oy_tensor* y = oy_add_Tensor(oy_sum(of_values, oy_none()),
                               oy_sum(of_vectors, oy_none()), oy_int(1));
  oy_tensor* grad = gradient(y, x, NULL, false);
  assert_close(grad, OY_DIMS(2, 2), 5e-5, 1.0975, 0.3578, 0.3578, 1.9025);
  oy_scope_close(&scope);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(AUT_as_strided_by_differences),
      cmocka_unit_test(AUT_complex_numbers_by_differences),
      cmocka_unit_test(AUT_singular_determinants),
      cmocka_unit_test(AUT_eigenvectors_stay_orthonormal),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
