// SPDX-License-Identifier: Apache-2.0
// Factors and equations of matrices that are great enough for blocks, and for threads that share
// them: by what must hold, and that any number of threads above one finds the same.
#include "support/matrices.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_C64,
                                    OY_DTYPE_C128};
enum { DTYPES = 4, MOST_THREADS = 3 };

static bool is_single(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_C64;
}

// That a product is |want|, to what its |depth| sums of rounded numbers leave. Takes the
// operands over.
static void check_product(oy_tensor* a, oy_tensor* b, oy_tensor* want, int64_t depth) {
  assert_non_null(a);
  assert_non_null(b);
  oy_tensor* found = oy_matmul(a, b);
  oy_tensor* off = oy_sub_Tensor(found, want, oy_int(1));
  const double epsilon = is_single(want->dtype) ? 0x1p-23 : 0x1p-52;
  const double size = greatest(a) * greatest(b) * (double)depth;
  assert_true(greatest(off) <= size * epsilon);
  oy_tensor* const made[] = {a, b, found, off};
  for (int i = 0; i < 4; i++) oy_tensor_release(made[i]);
}

static bool is_same(oy_tensor* a, oy_tensor* b) {
  bool same = false;
  assert_int_equal(oy_equal(a, b, &same), OY_OK);
  return same;
}

// The result of two threads, kept, and that of three, which must be the same.
static void keep_or_compare(int threads, oy_tensor* result, oy_tensor** kept) {
  if (threads == 2)
    *kept = oy_tensor_retain(result);
  else if (threads == 3) {
    assert_true(is_same(*kept, result));
    oy_tensor_release(*kept);
  }
}

static void check_lu(oy_dtype dtype, int64_t m, int64_t n) {
  oy_tensor *a = drawn_numbers(OY_DIMS(m, n), dtype, 3), *first = NULL;
  for (int threads = 1; threads <= MOST_THREADS; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    oy_tensor *p, *l, *u;
    assert_int_equal(oy_linalg_lu(a, true, &p, &l, &u), OY_OK);
    keep_or_compare(threads, u, &first);
    check_product(oy_matmul(p, l), u, a, m < n ? m : n);
    oy_tensor_release(p);
    oy_tensor_release(l);
  }
  oy_tensor_release(a);
}

static void great_lu_factors_multiply_back(void** state) {
  (void)state;
  static const int64_t sizes[][2] = {
      {128, 128}, {150, 150}, {300, 131}, {131, 300}, {333, 333}};
  for (int d = 0; d < DTYPES; d++)
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
      check_lu(g_dtypes[d], sizes[i][0], sizes[i][1]);
}

static oy_tensor* positive(int64_t n, oy_dtype dtype) {
  oy_tensor *a = drawn_numbers(OY_DIMS(n, n), dtype, 5), *a_h = oy_mH(a),
            *square = oy_matmul(a, a_h);
  oy_tensor* one = oy_eye(n, oy_int(dtype), oy_none(), oy_none(), oy_none());
  oy_tensor* result = oy_add_Tensor(square, one, oy_int((int64_t)n));
  oy_tensor* const made[] = {a, a_h, square, one};
  for (int i = 0; i < 4; i++) oy_tensor_release(made[i]);
  return result;
}

static void check_cholesky(oy_dtype dtype, int64_t n) {
  oy_tensor *a = positive(n, dtype), *first = NULL;
  for (int threads = 1; threads <= MOST_THREADS; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (int upper = 0; upper < 2; upper++) {
      oy_tensor* l = oy_linalg_cholesky(a, upper);
      oy_tensor* other = upper ? oy_triu(l, 0) : oy_tril(l, 0);
      assert_true(is_same(l, other));
      oy_tensor_release(other);
      if (upper) keep_or_compare(threads, l, &first);
      if (upper)
        check_product(oy_mH(l), l, a, n);
      else
        check_product(l, oy_mH(l), a, n);
    }
  }
  oy_tensor_release(a);
}

static void great_cholesky_factors_multiply_back(void** state) {
  (void)state;
  for (int d = 0; d < DTYPES; d++) {
    check_cholesky(g_dtypes[d], 150);
    check_cholesky(g_dtypes[d], 400);
  }
}

// By triangles, by factors and by the inverse, of many right sides and from either side.
static void check_solve(oy_dtype dtype, int64_t n, int64_t columns) {
  oy_tensor *a = positive(n, dtype), *b = drawn_numbers(OY_DIMS(n, columns), dtype, 9),
            *first = NULL;
  oy_tensor* row = drawn_numbers(OY_DIMS(columns, n), dtype, 11);
  for (int threads = 1; threads <= MOST_THREADS; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    oy_tensor* x = oy_linalg_solve(a, b, true);
    keep_or_compare(threads, x, &first);
    check_product(oy_tensor_retain(a), x, b, n);
    check_product(oy_linalg_solve(a, row, false), oy_tensor_retain(a), row, n);
    for (int upper = 0; upper < 2; upper++) {
      oy_tensor *t = upper ? oy_triu(a, 0) : oy_tril(a, 0), *again = oy_tensor_retain(t);
      check_product(again, oy_linalg_solve_triangular(t, b, upper, true, false), b, n);
      again = oy_tensor_retain(t);
      check_product(oy_linalg_solve_triangular(t, row, upper, false, false), again, row,
                    n);
      oy_tensor_release(t);
    }
  }
  oy_tensor* const made[] = {a, b, row};
  for (int i = 0; i < 3; i++) oy_tensor_release(made[i]);
}

static void solutions_of_many_right_sides_solve(void** state) {
  (void)state;
  static const int64_t sizes[][2] = {{100, 80}, {130, 83}, {200, 321}, {128, 1}};
  for (int d = 0; d < DTYPES; d++)
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
      check_solve(g_dtypes[d], sizes[i][0], sizes[i][1]);
}

// By a library's own way where there is one, and by equations: around the sizes at which one takes
// the other's place.
static void check_inverse(oy_dtype dtype, int64_t n) {
  oy_tensor* a = positive(n, dtype);
  oy_tensor* one = oy_eye(n, oy_int(dtype), oy_none(), oy_none(), oy_none());
  for (int threads = 1; threads <= MOST_THREADS; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (int upper = 0; upper < 2; upper++) {
      oy_tensor* factor = oy_linalg_cholesky(a, upper);
      oy_tensor *found = oy_cholesky_inverse(factor, upper), *other = oy_mH(found);
      check_product(oy_tensor_retain(a), oy_tensor_retain(found), one, n);
      check_product(other, oy_tensor_retain(a), one, n);
      // Of a singular one there is no inverse, but that is no error.
      oy_tensor* zero = oy_mul_Scalar(factor, oy_int(0));
      oy_tensor* none = oy_cholesky_inverse(zero, upper);
      oy_tensor *size = oy_abs(none), *sum = oy_sum(size, oy_none());
      assert_false(isfinite(element(sum, 0)));
      oy_tensor* const made[] = {factor, found, zero, none, size, sum};
      for (int i = 0; i < 6; i++) oy_tensor_release(made[i]);
    }
  }
  oy_tensor_release(a);
  oy_tensor_release(one);
}

static void inverses_by_factors_are_inverses(void** state) {
  (void)state;
  static const int64_t sizes[] = {15, 17, 33, 79, 80, 130};
  for (int d = 0; d < DTYPES; d++)
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
      check_inverse(g_dtypes[d], sizes[i]);
}

// Of a matrix with no positive diagonal, so that there are blocks of two.
static void check_ldl(oy_dtype dtype, int64_t n, bool hermitian) {
  oy_tensor *a = drawn_numbers(OY_DIMS(n, n), dtype, 13),
            *b = drawn_numbers(OY_DIMS(n, 3), dtype, 17);
  oy_tensor* turned = hermitian ? oy_mH(a) : oy_mT(a);
  oy_tensor* both = oy_add_Tensor(a, turned, oy_int(1));
  oy_tensor *factors, *pivots, *info;
  assert_int_equal(
      oy_linalg_ldl_factor_ex(both, hermitian, true, &factors, &pivots, &info), OY_OK);
  assert_int_equal(factors->dtype, dtype);
  oy_tensor* low = oy_tril(factors, 0);
  assert_true(is_same(low, factors));
  oy_tensor* x = oy_linalg_ldl_solve(factors, pivots, b, hermitian);
  // What is left of b grows with x, which may be some hundred times as great.
  check_product(oy_tensor_retain(both), x, b, 16 * n);
  oy_tensor* const made[] = {a, b, turned, both, factors, pivots, info, low};
  for (int i = 0; i < 8; i++) oy_tensor_release(made[i]);
}

static void solutions_by_pivots_solve(void** state) {
  (void)state;
  static const int64_t sizes[] = {1, 2, 9, 63, 64, 65, 140};
  for (int d = 0; d < DTYPES; d++)
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
      for (int hermitian = 0; hermitian < 2; hermitian++)
        check_ldl(g_dtypes[d], sizes[i], hermitian);
}

// Of a matrix whose column |at| is zero, and of one that is not positive there: LAPACK counts
// from 1.
static void the_first_column_that_fails_is_told(void** state) {
  (void)state;
  enum { N = 300 };
  static const int64_t places[] = {0, 70, 127, 128, 150, 299};
  for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
    assert_int_equal(oy_set_num_threads(2), OY_OK);
    oy_tensor *a = oy_eye(N, oy_none(), oy_none(), oy_none(), oy_none()), *lu, *pivots,
              *info;
    ((float*)oy_tensor_data(a))[places[i] * (N + 1)] = 0;
    assert_int_equal(oy_linalg_lu_factor_ex(a, true, false, &lu, &pivots, &info), OY_OK);
    assert_int_equal(*(const int32_t*)oy_tensor_data(info), places[i] + 1);
    oy_tensor_release(info);
    ((float*)oy_tensor_data(a))[places[i] * (N + 1)] = -1;
    oy_tensor* l;
    assert_int_equal(oy_linalg_cholesky_ex(a, false, false, &l, &info), OY_OK);
    assert_int_equal(*(const int32_t*)oy_tensor_data(info), places[i] + 1);
    oy_tensor* const made[] = {a, lu, pivots, info, l};
    for (int k = 0; k < 5; k++) oy_tensor_release(made[k]);
  }
}

static int init_portable(void** state) {
  setenv("OPYARD_OPENBLAS", "off", 1);
  return init_library(state);
}
static int init_any(void** state) {
  unsetenv("OPYARD_OPENBLAS");
  return init_library(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(great_lu_factors_multiply_back),
      cmocka_unit_test(great_cholesky_factors_multiply_back),
      cmocka_unit_test(solutions_of_many_right_sides_solve),
      cmocka_unit_test(inverses_by_factors_are_inverses),
      cmocka_unit_test(solutions_by_pivots_solve),
      cmocka_unit_test(the_first_column_that_fails_is_told),
  };
  int failed =
      cmocka_run_group_tests_name("portable", tests, init_portable, shut_library);
  return failed +
         cmocka_run_group_tests_name("as installed", tests, init_any, shut_library);
}
