// SPDX-License-Identifier: Apache-2.0
// Sums, differences, products, quotients, extremes and comparisons of rows beside a column, beside
// one row for all of them, and of rows with gaps between them: of every length around those of
// vectors, and of a walk that threads share.
#include "base/memory.h"
#include "support/tensors.h"

enum { ROWS = 37, MOST = 70, GAP = 3 };

typedef oy_tensor* (*of_two)(oy_tensor* a, oy_tensor* b);

static oy_tensor* plus_twice(oy_tensor* a, oy_tensor* b) {
  return oy_add_Tensor(a, b, oy_int(2));
}
static oy_tensor* minus(oy_tensor* a, oy_tensor* b) {
  return oy_sub_Tensor(a, b, ALPHA1);
}
static double plus_twice_of(double a, double b) {
  return a + 2 * b;
}
static double minus_of(double a, double b) {
  return a - b;
}
static double product_of(double a, double b) {
  return a * b;
}
static double quotient_of(double a, double b) {
  return a / b;
}
static double greater_of(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
}
static double smaller_of(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
}

static double is_equal(double a, double b) {
  return a == b;
}
static double is_unequal(double a, double b) {
  return a != b;
}
static double is_less(double a, double b) {
  return a < b;
}
static double is_least(double a, double b) {
  return a <= b;
}
static double is_greater(double a, double b) {
  return a > b;
}
static double is_most(double a, double b) {
  return a >= b;
}
static double are_both(double a, double b) {
  return a != 0 && b != 0;
}
static double is_any(double a, double b) {
  return a != 0 || b != 0;
}
static double is_one(double a, double b) {
  return (a != 0) != (b != 0);
}

static const struct {
  of_two fn;
  double (*want)(double a, double b);
  bool floating;
} g_operators[] = {{plus_twice, plus_twice_of, false}, {minus, minus_of, false},
                   {oy_mul_Tensor, product_of, false}, {oy_div_Tensor, quotient_of, true},
                   {oy_maximum, greater_of, false},    {oy_minimum, smaller_of, false},
                   {oy_eq_Tensor, is_equal, false},    {oy_ne_Tensor, is_unequal, false},
                   {oy_lt_Tensor, is_less, false},     {oy_le_Tensor, is_least, false},
                   {oy_gt_Tensor, is_greater, false},  {oy_ge_Tensor, is_most, false},
                   {oy_logical_and, are_both, false},  {oy_logical_or, is_any, false},
                   {oy_logical_xor, is_one, false}};

// Whole numbers, of which quotients by powers of 2 are exact in any dtype; NaN now and then.
static double number(int64_t i, bool is_divisor, bool has_nan) {
  if (has_nan && i % 97 == 13) return NAN;
  return is_divisor ? (double)(1 << i % 4) * (i % 3 == 1 ? -1 : 1)
                    : (double)(i * 37 % 101 - 50);
}

static oy_tensor* numbers(int64_t rows, int64_t n, bool is_divisor, oy_dtype dtype) {
  double data[ROWS * (MOST + GAP)];
  const bool has_nan = oy_dtype_is_floating(dtype);
  for (int64_t i = 0; i < rows * n; i++) data[i] = number(i, is_divisor, has_nan);
  oy_tensor* t = oy_scope_take(oy_tensor_from_data(data, OY_DIMS(rows, n), OY_DTYPE_F64));
  return oy_to_dtype(t, dtype, false, true, oy_none());
}

static void check(oy_tensor* a, oy_tensor* b, oy_dtype dtype, int64_t n) {
  const int64_t wide_a = oy_tensor_sizes(a).data[1] > 1,
                down_a = oy_tensor_sizes(a).data[0] > 1;
  const int64_t wide_b = oy_tensor_sizes(b).data[1] > 1,
                down_b = oy_tensor_sizes(b).data[0] > 1;
  for (size_t k = 0; k < OY_ARRAY_SIZE(g_operators); k++) {
    if (g_operators[k].floating && !oy_dtype_is_floating(dtype)) continue;
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* got = g_operators[k].fn(a, b);
    assert_non_null(got);
    assert_int_equal(oy_tensor_numel(got), ROWS * n);
    for (int64_t i = 0; i < ROWS * n; i++) {
      const int64_t row = i / n, column = i % n;
      const double x = element(a, row * down_a * (wide_a ? n : 1) + column * wide_a);
      const double y = element(b, row * down_b * (wide_b ? n : 1) + column * wide_b);
      const double want = g_operators[k].want(x, y), is = element(got, i);
      if (!(is == want || (isnan(is) && isnan(want))))
        fail_msg("operator %d of %s, rows of %lld: %g of %g and %g", (int)k,
                 oy_dtype_name(dtype), (long long)n, is, x, y);
    }
    oy_scope_close(&scope);
  }
}

static void rows_beside_a_column_or_a_row(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I32,
                                    OY_DTYPE_I64, OY_DTYPE_I16};
  for (int64_t n = 2; n < MOST; n++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++) {
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* a = numbers(ROWS, n, false, dtypes[d]);
      oy_tensor* apart = oy_narrow(numbers(ROWS, n + GAP, false, dtypes[d]), 1, 1, n);
      check(a, numbers(ROWS, 1, true, dtypes[d]), dtypes[d], n);
      check(numbers(ROWS, 1, false, dtypes[d]), numbers(ROWS, n, true, dtypes[d]),
            dtypes[d], n);
      check(apart, numbers(1, n, true, dtypes[d]), dtypes[d], n);
      check(apart, numbers(ROWS, n, true, dtypes[d]), dtypes[d], n);
      check(apart, oy_narrow(numbers(ROWS, n + GAP, true, dtypes[d]), 1, GAP, n),
            dtypes[d], n);
      oy_scope_close(&scope);
    }
}

static double relu_of(double a) {
  return isnan(a) || a > 0 ? a : 0;
}
static double negative_of(double a) {
  return -a;
}
static double square_of(double a) {
  return a * a;
}

// Of rows with gaps between them.
static void rows_that_lie_apart(void** state) {
  (void)state;
  static const struct {
    oy_tensor* (*fn)(oy_tensor* a);
    double (*want)(double a);
  } ones[] = {
      {oy_relu, relu_of}, {oy_neg, negative_of}, {oy_abs, fabs}, {oy_square, square_of}};
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I32,
                                    OY_DTYPE_I64};
  for (int64_t n = 2; n < MOST; n++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++) {
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* a = oy_narrow(numbers(ROWS, n + GAP, false, dtypes[d]), 1, 1, n);
      for (size_t k = 0; k < OY_ARRAY_SIZE(ones); k++) {
        oy_tensor* got = ones[k].fn(a);
        assert_non_null(got);
        for (int64_t i = 0; i < ROWS * n; i++) {
          const double want = ones[k].want(element(a, i)), is = element(got, i);
          assert_true(is == want || (isnan(is) && isnan(want)));
        }
      }
      oy_scope_close(&scope);
    }
}

// The least number has no opposite, and is less than all others.
static void ends_of_whole_numbers(void** state) {
  (void)state;
  enum { N = 70, ROW = N - 1 };
  int64_t data[ROWS * N];
  for (int i = 0; i < ROWS * N; i++)
    data[i] = i % 5 == 0 ? INT64_MIN : i % 5 == 1 ? INT64_MAX : i - ROWS * N / 2;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* all =
      oy_scope_take(oy_tensor_from_data(data, OY_DIMS(ROWS, N), OY_DTYPE_I64));
  oy_tensor *a = oy_narrow(all, 1, 0, ROW), *b = oy_narrow(all, 1, 1, ROW);
  const int64_t *size = oy_tensor_data(oy_abs(a)),
                *most = oy_tensor_data(oy_maximum(a, b)),
                *least = oy_tensor_data(oy_minimum(a, b)),
                *less = oy_tensor_data(oy_neg(a));
  for (int i = 0; i < ROWS * ROW; i++) {
    const int64_t x = data[i / ROW * N + i % ROW], y = data[i / ROW * N + i % ROW + 1];
    const int64_t negative = (int64_t)(0 - (uint64_t)x);
    assert_int_equal(less[i], negative);
    assert_int_equal(size[i], x < 0 ? negative : x);
    assert_int_equal(most[i], x > y ? x : y);
    assert_int_equal(least[i], x < y ? x : y);
  }
  oy_scope_close(&scope);
}

// One input lies along the columns, another one along the planes, and is the same in all rows.
static void three_orders(void** state) {
  (void)state;
  enum { PLANES = 11, DOWN = 19, N = 45 };
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I64,
                                    OY_DTYPE_I16};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* all = oy_arange(oy_int(PLANES * DOWN * N), oy_int(OY_DTYPE_I64), oy_none(),
                               oy_none(), oy_none());
    all = oy_to_dtype(oy_remainder_Scalar(all, oy_int(31)), dtypes[d], false, true,
                      oy_none());
    oy_tensor* a = oy_view(all, OY_DIMS(PLANES, DOWN, N));
    oy_tensor* b = oy_permute(oy_view(all, OY_DIMS(PLANES, N, DOWN)), OY_DIMS(0, 2, 1));
    oy_tensor* c = oy_view(oy_narrow(all, 0, 0, PLANES * N), OY_DIMS(N, 1, PLANES));
    oy_tensor* got = oy_addcmul(a, b, oy_permute(c, OY_DIMS(2, 1, 0)), oy_int(2));
    assert_non_null(got);
    for (int64_t i = 0; i < PLANES * DOWN * N; i++) {
      const int64_t p = i / (DOWN * N), y = i / N % DOWN, x = i % N;
      const int64_t at = (p * N + x) * DOWN + y;
      assert_true(element(got, i) ==
                  (double)(i % 31 + 2 * (at % 31) * ((x * PLANES + p) % 31)));
    }
    oy_scope_close(&scope);
  }
}

// Into the matrix itself, of several planes, by one thread and by two.
static void planes_beside_columns(void** state) {
  (void)state;
  enum { PLANES = 3, DOWN = 900, N = 33 };
  for (int threads = 1; threads <= 2; threads++) {
    oy_scope scope;
    oy_scope_open(&scope);
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    oy_tensor* all = oy_arange(oy_int(PLANES * DOWN * N), oy_int(OY_DTYPE_F32), oy_none(),
                               oy_none(), oy_none());
    oy_tensor* x = oy_clone(oy_view(all, OY_DIMS(PLANES, DOWN, N)), oy_none());
    oy_tensor* column =
        oy_arange(oy_int(DOWN), oy_int(OY_DTYPE_F32), oy_none(), oy_none(), oy_none());
    assert_non_null(oy_sub__Tensor(x, oy_view(column, OY_DIMS(1, DOWN, 1)), ALPHA1));
    for (int64_t i = 0; i < PLANES * DOWN * N; i++)
      assert_true(element(x, i) == (double)(i - i / N % DOWN));
    oy_scope_close(&scope);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_beside_a_column_or_a_row),
      cmocka_unit_test(rows_that_lie_apart), cmocka_unit_test(ends_of_whole_numbers),
      cmocka_unit_test(three_orders), cmocka_unit_test(planes_beside_columns)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
