// SPDX-License-Identifier: Apache-2.0
// Many short rows, of which several are taken at once: numbers of them that leave some over,
// of every length around those of vectors.
#include <complex.h>
#undef I

#include "base/memory.h"
#include "support/tensors.h"

enum { ROWS = 37, MOST = 99, SPECIAL = 5 };

// Of which products are exact: few are not of size one.
static double number(int64_t row, int64_t i) {
  const int64_t k = row * 31 + i * 7;
  return (k % 5 < 2 ? -1 : 1) * (i % 9 == 4 ? 2.0 : 1.0);
}

// The same as |number| of a row and of an imaginary part that is there now and then.
static double _Complex pair(int64_t row, int64_t i) {
  return __builtin_complex(number(row, i), i % 9 == 1 ? number(row, i + 3) : 0);
}

static oy_tensor* as_dtype(oy_tensor* owned, oy_dtype dtype) {
  oy_tensor* t = oy__to_copy(owned, oy_int(dtype), oy_none(), oy_none(), oy_none(), false,
                             oy_none());
  oy_tensor_release(owned);
  return t;
}

typedef struct results {
  double sum, product, greatest, least, place;  // the place of the greatest
} results;

static results of_row(const double* x, int64_t n) {
  results r = {0, 1, -INFINITY, INFINITY, 0};
  for (int64_t i = 0; i < n; i++) {
    r.sum += x[i];
    r.product *= x[i];
    if (x[i] > r.greatest) r.place = (double)i;
    r.greatest = isnan(x[i]) || x[i] > r.greatest ? x[i] : r.greatest;
    r.least = isnan(x[i]) || x[i] < r.least ? x[i] : r.least;
    if (isnan(x[i])) return (results){NAN, NAN, NAN, NAN, (double)i};
  }
  return r;
}

static void compare(oy_tensor* t, const double want[ROWS]) {
  assert_close_(t, OY_DIMS(ROWS), want, 0, __FILE__, __LINE__);
  oy_tensor_release(t);
}

static void check_reals(const double* data, int64_t n, oy_dtype dtype) {
  double want[4][ROWS];
  for (int64_t r = 0; r < ROWS; r++) {
    const results all = of_row(data + r * n, n);
    want[0][r] = all.sum, want[1][r] = all.product;
    want[2][r] = all.greatest, want[3][r] = all.least;
  }
  oy_tensor* t =
      as_dtype(oy_tensor_from_data(data, OY_DIMS(ROWS, n), OY_DTYPE_F64), dtype);
  compare(oy_sum_dim_IntList(t, OY_DIMS(1), false, oy_none()), want[0]);
  compare(oy_prod_dim_int(t, 1, false, oy_none()), want[1]);
  compare(oy_amax(t, OY_DIMS(1), false), want[2]);
  compare(oy_amin(t, OY_DIMS(1), false), want[3]);
  if (dtype != OY_DTYPE_I64) {
    for (int64_t r = 0; r < ROWS; r++) want[0][r] /= (double)n;
    oy_tensor* mean = oy_mean_dim(t, OY_DIMS(1), false, oy_none());
    assert_close_(mean, OY_DIMS(ROWS), want[0], 1e-6, __FILE__, __LINE__);
    oy_tensor_release(mean);
    for (int64_t r = 0; r < ROWS; r++) {
      double squares = 0;
      for (int64_t i = 0; i < n; i++) squares += data[r * n + i] * data[r * n + i];
      want[0][r] = sqrt(squares);
    }
    oy_tensor* norm = oy_linalg_vector_norm(t, oy_int(2), OY_DIMS(1), false, oy_none());
    assert_close_(norm, OY_DIMS(ROWS), want[0], 1e-6, __FILE__, __LINE__);
    oy_tensor_release(norm);
  }
  oy_tensor_release(t);
}

static void rows_of_numbers(void** state) {
  (void)state;
  for (int64_t n = 1; n <= MOST; n++) {
    double data[ROWS * MOST];
    for (int64_t r = 0; r < ROWS; r++)
      for (int64_t i = 0; i < n; i++) data[r * n + i] = number(r, i);
    check_reals(data, n, OY_DTYPE_I64);
    check_reals(data, n, OY_DTYPE_F32);
    check_reals(data, n, OY_DTYPE_F64);
    // Wherever in a row.
    data[SPECIAL * n + n / 2] = NAN;
    data[(ROWS - 1) * n + n - 1] = NAN;
    data[2 * n] = INFINITY;
    check_reals(data, n, OY_DTYPE_F32);
    check_reals(data, n, OY_DTYPE_F64);
  }
}

static void check_pairs(oy_tensor* owned, const double _Complex want[ROWS]) {
  oy_tensor* parts = oy_view_as_real(owned);
  assert_close_(parts, OY_DIMS(ROWS, 2), (const double*)want, 0, __FILE__, __LINE__);
  oy_tensor_release(parts);
  oy_tensor_release(owned);
}

// Over rows of a few results each, of which several are read as a longer one.
static void check_columns(const double* data, int64_t rows, int64_t columns,
                          oy_dtype dtype) {
  double want[4][ROWS], column[MOST * MOST];
  for (int64_t c = 0; c < columns; c++) {
    for (int64_t r = 0; r < rows; r++) column[r] = data[r * columns + c];
    const results all = of_row(column, rows);
    want[0][c] = all.sum, want[1][c] = all.greatest, want[2][c] = all.least;
    want[3][c] = all.place;
  }
  const oy_ints all = OY_DIMS(rows, columns), made = OY_DIMS(columns);
  oy_tensor* t = as_dtype(oy_tensor_from_data(data, all, OY_DTYPE_F64), dtype);
  oy_tensor* got[] = {oy_sum_dim_IntList(t, OY_DIMS(0), false, oy_none()),
                      oy_amax(t, OY_DIMS(0), false), oy_amin(t, OY_DIMS(0), false),
                      oy_argmax(t, oy_int(0), false)};
  for (int k = 0; k < 4; k++) {
    assert_close_(got[k], made, want[k], 0, __FILE__, __LINE__);
    oy_tensor_release(got[k]);
  }
  oy_tensor_release(t);
}

static void columns_of_numbers(void** state) {
  (void)state;
  enum { LONGEST = 800 };
  static double data[LONGEST * ROWS];
  for (int64_t columns = 2; columns < ROWS; columns++)
    for (int64_t rows = 300; rows < LONGEST; rows += 173) {
      for (int64_t i = 0; i < rows * columns; i++)
        data[i] = number(i / columns, i % columns);
      check_columns(data, rows, columns, OY_DTYPE_I64);
      check_columns(data, rows, columns, OY_DTYPE_I8);
      check_columns(data, rows, columns, OY_DTYPE_F16);
      check_columns(data, rows, columns, OY_DTYPE_F32);
      data[(rows - 1) * columns + 1] = NAN;
      check_columns(data, rows, columns, OY_DTYPE_F64);
    }
}

static void rows_of_complex_numbers(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_C64, OY_DTYPE_C128};
  for (int64_t n = 1; n <= MOST / 2; n++) {
    double _Complex data[ROWS * MOST], sums[ROWS], products[ROWS];
    for (int64_t r = 0; r < ROWS; r++) {
      sums[r] = 0, products[r] = 1;
      for (int64_t i = 0; i < n; i++) {
        data[r * n + i] = pair(r, i);
        sums[r] += pair(r, i);
        products[r] *= pair(r, i);
      }
    }
    for (int k = 0; k < 2; k++) {
      oy_tensor* t =
          as_dtype(oy_tensor_from_data(data, OY_DIMS(ROWS, n), OY_DTYPE_C128), dtypes[k]);
      check_pairs(oy_sum_dim_IntList(t, OY_DIMS(1), false, oy_none()), sums);
      check_pairs(oy_prod_dim_int(t, 1, false, oy_none()), products);
      oy_tensor_release(t);
    }
  }
}

// By the definition, which does not overflow for numbers of this size.
static void check_exponentials(const double* data, int64_t n, int64_t dim) {
  double want[ROWS * MOST], sums[ROWS + MOST];
  for (int64_t k = 0; k < ROWS + MOST; k++) sums[k] = 0;
  for (int64_t i = 0; i < ROWS * n; i++) {
    double* sum = &sums[dim ? i / n : i % n];
    *sum += exp(data[i]);
    want[i] = log(*sum);
  }
  static const oy_dtype dtypes[] = {OY_DTYPE_F64, OY_DTYPE_F32, OY_DTYPE_BF16};
  static const double near[] = {1e-13, 1e-6, 0.03};
  for (int k = 0; k < 3; k++) {
    oy_tensor* t =
        as_dtype(oy_tensor_from_data(data, OY_DIMS(ROWS, n), OY_DTYPE_F64), dtypes[k]);
    oy_tensor* got = oy_logcumsumexp(t, dim);
    assert_close_(got, OY_DIMS(ROWS, n), want, near[k], __FILE__, __LINE__);
    oy_tensor_release(got);
    oy_tensor_release(t);
  }
}

static void running_exponentials(void** state) {
  (void)state;
  for (int64_t n = 1; n < 20; n++) {
    double data[ROWS * MOST];
    for (int64_t i = 0; i < ROWS * n; i++) data[i] = (double)(i * 37 % 23 - 11) / 4;
    data[n / 2] = NAN;
    data[3 * n] = data[4 * n] = -INFINITY;
    data[(ROWS - 1) * n] = INFINITY;
    check_exponentials(data, n, 1);
    check_exponentials(data, n, 0);
  }
}

// Of rows that lie apart, one or two of the inputs, beside results that do not.
static void check_apart(const double* data, int64_t n, oy_dtype dtype) {
  double differences[ROWS * MOST], products[ROWS * MOST];
  for (int64_t r = 0; r < ROWS; r++)
    for (int64_t i = 0; i + 1 < n; i++) {
      const double *x = data + r * n + i, *first = data + i;
      differences[r * (n - 1) + i] = x[1] - x[0];
      products[r * (n - 1) + i] = x[1] * first[0];
    }
  oy_scope scope;
  oy_scope_open(&scope);
  const oy_ints made = OY_DIMS(ROWS, n - 1);
  oy_tensor* t =
      as_dtype(oy_tensor_from_data(data, OY_DIMS(ROWS, n), OY_DTYPE_F64), dtype);
  oy_tensor* before = oy_narrow(t, 1, 0, n - 1);
  oy_tensor* after = oy_narrow(t, 1, 1, n - 1);
  oy_tensor* first = oy_narrow(before, 0, 0, 1);
  assert_close_(oy_sub_Tensor(after, before, ALPHA1), made, differences, 0, __FILE__,
                __LINE__);
  assert_close_(oy_mul_Tensor(after, first), made, products, 0, __FILE__, __LINE__);
  oy_scope_close(&scope);
}

static void rows_that_lie_apart(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_I8, OY_DTYPE_BF16, OY_DTYPE_F32,
                                    OY_DTYPE_F64};
  for (int64_t n = 2; n < 40; n++) {
    double data[ROWS * MOST];
    for (int64_t i = 0; i < ROWS * n; i++) data[i] = (double)(i * 37 % 15 - 7);
    for (int k = 0; k < 4; k++) check_apart(data, n, dtypes[k]);
  }
}

// A number for each row, and a row for all of them, beside rows that follow each other.
static void check_spread(const double* data, int64_t n, oy_dtype dtype) {
  double column[ROWS], row[MOST], want[3][ROWS * MOST];
  for (int64_t r = 0; r < ROWS; r++) column[r] = (double)(r * 5 % 23 - 11);
  for (int64_t i = 0; i < n; i++) row[i] = (double)(i * 3 % 7 - 3);
  for (int64_t i = 0; i < ROWS * n; i++) {
    want[0][i] = column[i / n] - data[i];
    want[1][i] = data[i] * row[i % n];
    want[2][i] = data[i] > 0 ? column[i / n] : row[i % n];
  }
  oy_tensor* t =
      as_dtype(oy_tensor_from_data(data, OY_DIMS(ROWS, n), OY_DTYPE_F64), dtype);
  oy_tensor* c =
      as_dtype(oy_tensor_from_data(column, OY_DIMS(ROWS, 1), OY_DTYPE_F64), dtype);
  oy_tensor* w = as_dtype(oy_tensor_from_data(row, OY_DIMS(n), OY_DTYPE_F64), dtype);
  oy_tensor* positive = oy_gt_Scalar(t, oy_int(0));
  oy_tensor* all[] = {t,
                      c,
                      w,
                      positive,
                      oy_sub_Tensor(c, t, ALPHA1),
                      oy_mul_Tensor(t, w),
                      oy_where_self(positive, c, w)};
  for (int k = 0; k < 3; k++)
    assert_close_(all[4 + k], OY_DIMS(ROWS, n), want[k], 0, __FILE__, __LINE__);
  for (int k = 0; k < 7; k++) oy_tensor_release(all[k]);
}

static void rows_beside_numbers(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_I8, OY_DTYPE_BF16, OY_DTYPE_F32,
                                    OY_DTYPE_I64};
  for (int64_t n = 1; n < 70; n++) {
    double data[ROWS * MOST];
    for (int64_t i = 0; i < ROWS * n; i++) data[i] = (double)(i * 37 % 15 - 7);
    for (int k = 0; k < 4; k++) check_spread(data, n, dtypes[k]);
  }
}

static void rows_read_from_their_ends(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_I8, OY_DTYPE_BF16, OY_DTYPE_F32,
                                    OY_DTYPE_F64};
  for (int64_t n = 2; n < 40; n++) {
    double data[ROWS * MOST], want[ROWS * MOST];
    for (int64_t i = 0; i < ROWS * n; i++) data[i] = (double)(i * 37 % 101 - 50);
    for (int64_t i = 0; i < ROWS * n; i++) want[i] = data[i / n * n + n - 1 - i % n];
    for (int k = 0; k < 4; k++) {
      oy_tensor* t =
          as_dtype(oy_tensor_from_data(data, OY_DIMS(ROWS, n), OY_DTYPE_F64), dtypes[k]);
      oy_tensor* r = oy_flip(t, OY_DIMS(1));
      assert_close_(r, OY_DIMS(ROWS, n), want, 0, __FILE__, __LINE__);
      oy_tensor_release(r);
      oy_tensor_release(t);
    }
    if (n % 2 != 0) continue;
    // Pairs of numbers as complex ones.
    for (int64_t i = 0; i < ROWS * n; i++)
      want[i] = data[i / n * n + (n / 2 - 1 - i % n / 2) * 2 + i % 2];
    oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(ROWS, n / 2), OY_DTYPE_C128);
    oy_tensor *r = oy_flip(t, OY_DIMS(1)), *parts = oy_view_as_real(r);
    assert_close_(parts, OY_DIMS(ROWS, n / 2, 2), want, 0, __FILE__, __LINE__);
    oy_tensor* all[] = {parts, r, t};
    for (int k = 0; k < 3; k++) oy_tensor_release(all[k]);
  }
}

// Rows that lie apart, into another dtype: of every length around those that are brought together
// first.
static void check_converted(oy_dtype from, oy_dtype to, int64_t n) {
  enum { GAP = 3 };
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* wide = oy_arange(oy_int(ROWS * (n + GAP)), oy_int(OY_DTYPE_I64), oy_none(),
                              oy_none(), oy_none());
  wide = oy_view(oy_remainder_Scalar(wide, oy_int(5)), OY_DIMS(ROWS, n + GAP));
  oy_tensor* rows = oy_narrow(oy_to_dtype(wide, from, false, true, oy_none()), 1, 1, n);
  oy_tensor* got = oy_to_dtype(rows, to, false, false, oy_none());
  assert_int_equal(got->dtype, to);
  if (oy_dtype_is_complex(to)) got = oy_contiguous(oy_real(got), OY_MEMORY_CONTIGUOUS);
  for (int64_t i = 0; i < ROWS * n; i++) {
    const double x = (double)((i / n * (n + GAP) + i % n + 1) % 5);
    assert_true(element(got, i) == (to == OY_DTYPE_BOOL ? x != 0 : x));
  }
  oy_scope_close(&scope);
}

static void rows_are_converted(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8,  OY_DTYPE_BOOL, OY_DTYPE_I32,
                                    OY_DTYPE_I64, OY_DTYPE_BF16, OY_DTYPE_F16,
                                    OY_DTYPE_F32, OY_DTYPE_F64,  OY_DTYPE_C64};
  static const int64_t lengths[] = {2,   7,   31,  32,  33,  90,  127, 128, 129,
                                    160, 255, 256, 257, 300, 511, 512, 513};
  for (size_t a = 0; a < OY_ARRAY_SIZE(dtypes); a++)
    for (size_t b = 0; b < OY_ARRAY_SIZE(dtypes); b++)
      for (size_t l = 0; l < OY_ARRAY_SIZE(lengths); l++)
        if (a != b && dtypes[a] != OY_DTYPE_BOOL)
          check_converted(dtypes[a], dtypes[b], lengths[l]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_numbers),           cmocka_unit_test(columns_of_numbers),
      cmocka_unit_test(rows_of_complex_numbers),   cmocka_unit_test(running_exponentials),
      cmocka_unit_test(rows_that_lie_apart),       cmocka_unit_test(rows_beside_numbers),
      cmocka_unit_test(rows_read_from_their_ends), cmocka_unit_test(rows_are_converted),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
