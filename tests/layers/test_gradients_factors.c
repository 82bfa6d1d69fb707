// SPDX-License-Identifier: Apache-2.0
// Gradients of factors of matrices, and of equations that are solved with them, against
// finite differences.
#include "layers/differences.h"

#define X in[0]
#define Y in[1]
#define FUNCTION(name, value)                    \
  static oy_tensor* name(oy_tensor* const* in) { \
    return value;                                \
  }
#define NONE oy_none()

// X and some of the identity: far from singular, whatever X is.
static oy_tensor* regular(oy_tensor* x) {
  oy_tensor* eye = oy_eye_m(oy_tensor_size(x, -2), oy_tensor_size(x, -1),
                            oy_int(OY_DTYPE_F64), NONE, NONE, NONE);
  return oy_add_Tensor(x, eye, oy_int(5));
}

// ---------------------------------------------------------------------- Cholesky's

FUNCTION(inverse_lower, oy_cholesky_inverse(oy_tril(regular(X), 0), false))
FUNCTION(inverse_upper, oy_cholesky_inverse(oy_triu(regular(X), 0), true))
FUNCTION(solve_lower, oy_cholesky_solve(Y, oy_tril(regular(X), 0), false))
FUNCTION(solve_upper, oy_cholesky_solve(Y, oy_triu(regular(X), 0), true))

// ---------------------------------------------------------------------- triangles

#define TRIANGLE(name, upper, transpose, unit)                                      \
  static oy_tensor* name(oy_tensor* const* in) {                                    \
    oy_tensor *x = NULL, *copy = NULL;                                              \
    return oy_triangular_solve(Y, regular(X), upper, transpose, unit, &x, &copy) == \
                   OY_OK                                                            \
               ? oy_add_Tensor(x, oy_sum(copy, NONE), oy_int(1))                    \
               : NULL;                                                              \
  }
TRIANGLE(triangle_upper, true, false, false)
TRIANGLE(triangle_lower, false, false, false)
TRIANGLE(triangle_transposed, true, true, false)
TRIANGLE(triangle_unit, false, true, true)

// -------------------------------------------------------------------------- L and U

static oy_tensor* lu(oy_tensor* const* in) {
  oy_tensor *p = NULL, *l = NULL, *u = NULL;
  if (oy_linalg_lu(regular(X), true, &p, &l, &u) != OY_OK) return NULL;
  return oy_add_Tensor(oy_sum(oy_mul_Tensor(l, l), NONE), oy_mul_Tensor(u, u), oy_int(1));
}
static oy_status factored(oy_tensor* x, oy_tensor** lu_data, oy_tensor** pivots) {
  oy_tensor* info = NULL;
  return oy_linalg_lu_factor_ex(regular(x), true, false, lu_data, pivots, &info);
}
static oy_tensor* lu_factor(oy_tensor* const* in) {
  oy_tensor *data = NULL, *pivots = NULL;
  return factored(X, &data, &pivots) == OY_OK ? data : NULL;
}
static oy_tensor* unpacked(oy_tensor* const* in) {
  oy_tensor *data = NULL, *pivots = NULL, *p = NULL, *l = NULL, *u = NULL;
  if (factored(X, &data, &pivots) != OY_OK ||
      oy_lu_unpack(data, pivots, true, true, &p, &l, &u) != OY_OK)
    return NULL;
  return oy_matmul(oy_mul_Tensor(l, l), oy_mul_Tensor(u, u));
}
#define SOLVE(name, left, adjoint)                                  \
  static oy_tensor* name(oy_tensor* const* in) {                    \
    oy_tensor *data = NULL, *pivots = NULL;                         \
    return factored(X, &data, &pivots) == OY_OK                     \
               ? oy_linalg_lu_solve(data, pivots, Y, left, adjoint) \
               : NULL;                                              \
  }
SOLVE(lu_solve, true, false)
SOLVE(lu_solve_adjoint, true, true)
SOLVE(lu_solve_right, false, false)
SOLVE(lu_solve_right_adjoint, false, true)

// -------------------------------------------------------- reflectors, least squares

FUNCTION(householder, oy_linalg_householder_product(X, Y))
static oy_tensor* lstsq(oy_tensor* const* in) {
  oy_tensor *x = NULL, *residuals = NULL, *rank = NULL, *values = NULL;
  return oy_linalg_lstsq(regular(X), Y, NONE, NONE, &x, &residuals, &rank, &values) ==
                 OY_OK
             ? x
             : NULL;
}
static oy_tensor* residuals(oy_tensor* const* in) {
  oy_tensor *x = NULL, *squares = NULL, *rank = NULL, *values = NULL;
  return oy_linalg_lstsq(regular(X), Y, NONE, NONE, &x, &squares, &rank, &values) == OY_OK
             ? squares
             : NULL;
}
FUNCTION(power_0, oy_linalg_matrix_power(X, 0))
FUNCTION(power_less, oy_linalg_matrix_power(regular(X), -2))

// ------------------------------------------------------------------------- checks

#define FROM -1.6, 1.6

static void check(const differences_row* rows, size_t size) {
  check_differences(rows, size / sizeof(*rows), 2);
  check_differences_memory(rows, size / sizeof(*rows));
}

static void triangles(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"cholesky_inverse", inverse_lower, "3,3", FROM},
      {"cholesky_inverse of U", inverse_upper, "3,3", FROM},
      {"cholesky_solve", solve_lower, "3,3 3,2", FROM},
      {"cholesky_solve of U", solve_upper, "2,2,2 2,1", FROM},
      {"triangular_solve", triangle_upper, "3,3 3,2", FROM},
      {"triangular_solve, lower", triangle_lower, "3,3 3,2", FROM},
      {"triangular_solve, transposed", triangle_transposed, "3,3 3,2", FROM},
      {"triangular_solve, unit", triangle_unit, "3,3 3,2", FROM},
  };
  check(rows, sizeof(rows));
}

static void factors(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"lu", lu, "3,3", FROM},
      {"lu, wide", lu, "2,4", FROM},
      {"lu, tall", lu, "4,2", FROM},
      {"lu_factor_ex", lu_factor, "3,3", FROM},
      {"lu_factor_ex, wide", lu_factor, "2,4", FROM},
      {"lu_factor_ex, tall", lu_factor, "2,4,2", FROM},
      {"lu_unpack", unpacked, "3,3", FROM},
      {"lu_unpack, wide", unpacked, "2,4", FROM},
      {"lu_unpack, tall", unpacked, "4,2", FROM},
      {"lu_solve", lu_solve, "3,3 3,2", FROM},
      {"lu_solve, adjoint", lu_solve_adjoint, "3,3 3,2", FROM},
      {"lu_solve, right", lu_solve_right, "3,3 2,3", FROM},
      {"lu_solve, right adjoint", lu_solve_right_adjoint, "3,3 2,3", FROM},
  };
  check(rows, sizeof(rows));
}

static void products(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"householder_product", householder, "4,3 3", FROM},
      {"householder_product, fewer", householder, "4,3 2", FROM},
      {"lstsq", lstsq, "3,3 3,2", FROM},
      {"lstsq, tall", lstsq, "4,2 4,2", FROM},
      {"lstsq, of a vector", lstsq, "4,2 4", FROM},
      {"lstsq, wide", lstsq, "2,4 2,2", FROM},
      {"residuals of lstsq", residuals, "4,2 4,2", FROM},
      {"matrix_power 0", power_0, "2,2", FROM},
      {"matrix_power -2", power_less, "2,2", FROM},
  };
  check(rows, sizeof(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles),
      cmocka_unit_test(factors),
      cmocka_unit_test(products),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
