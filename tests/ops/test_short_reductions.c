// SPDX-License-Identifier: Apache-2.0
// Sums, products and norms of many short rows of the dtypes that are narrower than what they are
// reduced in, of every length around those of vectors, against plain loops.
#include <float.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { ROWS = 37, MOST = 1100, MOST_PRODUCTS = 99, WIDEST = 40 };

// Every length up to what one vector of the narrowest has and more, and some beyond.
#define LENGTHS(n) \
  int64_t n = 1;   \
  n <= MOST;       \
  n += n < 70 ? 1 : n < 270 ? 11 : 83

static uint64_t next_word(uint64_t* seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *seed >> 33;
}

// -------------------------------------------------------------------------- integers

// A number of |dtype| from random bits: now and then the least or the greatest there is.
static int64_t integer(oy_dtype dtype, uint64_t word) {
  const int64_t half[] = {[OY_DTYPE_I8] = 1 << 7,
                          [OY_DTYPE_I16] = 1 << 15,
                          [OY_DTYPE_I32] = INT64_C(1) << 31};
  if (dtype == OY_DTYPE_U8) return word % 5 == 0 ? 255 : (int64_t)(word >> 8 & 255);
  if (dtype == OY_DTYPE_BOOL) return word % 9 != 0;
  const int64_t least = -half[dtype];
  if (word % 5 == 0) return word % 2 ? least : -least - 1;
  // Odd ones, of which products do not vanish.
  return least + ((int64_t)(word >> 3) & (-2 * least - 1)) / 2 * 2 + 1;
}

static void check_integers(oy_dtype dtype, int64_t n) {
  int64_t data[ROWS * MOST], sums[ROWS], products[ROWS];
  uint64_t seed = (uint64_t)n * 17 + (uint64_t)dtype;
  for (int64_t r = 0; r < ROWS; r++) {
    uint64_t sum = 0, product = 1;
    for (int64_t i = 0; i < n; i++) {
      const int64_t x = data[r * n + i] = integer(dtype, next_word(&seed));
      sum += (uint64_t)x;
      product *= (uint64_t)x;
    }
    sums[r] = (int64_t)sum;
    products[r] = (int64_t)product;
  }
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(ROWS, n), OY_DTYPE_I64);
  oy_tensor* t =
      oy__to_copy(wide, oy_int(dtype), oy_none(), oy_none(), oy_none(), false, oy_none());
  oy_tensor* sum = oy_sum_dim_IntList(t, OY_DIMS(1), false, oy_none());
  oy_tensor* product = oy_prod_dim_int(t, 1, false, oy_none());
  assert_non_null(sum);
  assert_non_null(product);
  assert_memory_equal(oy_tensor_data(sum), sums, sizeof(sums));
  assert_memory_equal(oy_tensor_data(product), products, sizeof(products));
  oy_tensor* all[] = {wide, t, sum, product};
  for (int k = 0; k < 4; k++) oy_tensor_release(all[k]);
}

static void rows_of_integers(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_I8, OY_DTYPE_I16, OY_DTYPE_I32,
                                    OY_DTYPE_BOOL};
  for (LENGTHS(n))
    for (int k = 0; k < 5; k++) check_integers(dtypes[k], n);
}

// ---------------------------------------------------------------------------- floats

// |got| has a float for each row, within a few of its roundings.
static void assert_floats(oy_tensor* got, const double want[ROWS]) {
  assert_non_null(got);
  const float* x = oy_tensor_data(got);
  for (int64_t r = 0; r < ROWS; r++) {
    const double most = fabs(want[r]) * 4 * FLT_EPSILON;
    if (isnan(want[r]) ? isnan(x[r])
                       : (double)x[r] == (double)(float)want[r] ||
                             fabs((double)x[r] - want[r]) <= most)
      continue;
    print_error("row %lld is %.9g and not %.9g\n", (long long)r, (double)x[r], want[r]);
    fail();
  }
  oy_tensor_release(got);
}

// Row |r| of numbers of which each is exact in 16 bits: from row to row of another size, up to
// what float has no squares and no sums of, and special ones.
static double number(int64_t r, int64_t i, bool is_wide) {
  static const double wide[] = {1, 0x1p70, 0x1p-70, 0, 0x1p125, 0x1p-120};
  static const double near[] = {1, 16, 0x1p-6, 0, 128, 0x1p-14};
  const double size = (is_wide ? wide : near)[r % 6];
  if (r == 7 && i == r % 5) return NAN;
  if (r == 8 && i == 0) return -INFINITY;
  // Great ones beside small ones.
  if (r > 30) return ((i + r) % 3 ? 3.0 : -1.0) * (is_wide ? wide : near)[(i + r) % 6];
  return (double)((i * 7 + r * 3) % 15 - 7) * size;
}

static oy_tensor* as_dtype(const double* data, int64_t n, oy_dtype dtype) {
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(ROWS, n), OY_DTYPE_F64);
  oy_tensor* t =
      oy__to_copy(wide, oy_int(dtype), oy_none(), oy_none(), oy_none(), false, oy_none());
  oy_tensor_release(wide);
  return t;
}

static void check_halves(oy_dtype dtype, int64_t n, bool is_wide) {
  double data[ROWS * MOST], sums[ROWS], norms[ROWS], products[ROWS];
  for (int64_t r = 0; r < ROWS; r++) {
    sums[r] = norms[r] = 0;
    products[r] = 1;
    for (int64_t i = 0; i < n; i++) {
      const double x = data[r * n + i] = number(r, i, is_wide);
      sums[r] += x;
      norms[r] += x * x;
      products[r] *= x;
    }
    norms[r] = sqrt(norms[r]);
  }
  oy_tensor* t = as_dtype(data, n, dtype);
  const oy_value kind = oy_int(OY_DTYPE_F32);
  assert_floats(oy_sum_dim_IntList(t, OY_DIMS(1), false, kind), sums);
  assert_floats(oy_linalg_vector_norm(t, oy_int(2), OY_DIMS(1), false, kind), norms);
  // Products of numbers of any size overflow, and what they come to then depends on the order.
  if (!is_wide && n < MOST_PRODUCTS)
    assert_floats(oy_prod_dim_int(t, 1, false, kind), products);
  oy_tensor_release(t);
}

static void rows_of_halves(void** state) {
  (void)state;
  for (LENGTHS(n)) {
    check_halves(OY_DTYPE_BF16, n, true);
    check_halves(OY_DTYPE_BF16, n, false);
    check_halves(OY_DTYPE_F16, n, false);
  }
}

// Of doubles and of complex numbers, which are norms of their parts.
static void norms_of_rows(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F64, OY_DTYPE_C64, OY_DTYPE_C128};
  for (int64_t n = 2; n <= MOST; n += 1 + n / 20) {
    double data[ROWS * MOST], want[ROWS];
    for (int64_t r = 0; r < ROWS; r++) {
      want[r] = 0;
      for (int64_t i = 0; i < n; i++) {
        const double x = data[r * n + i] = number(r, i, false);
        want[r] += x * x;
      }
      want[r] = sqrt(want[r]);
    }
    for (int k = 0; k < 3; k++) {
      const bool is_complex = oy_dtype_is_complex(dtypes[k]);
      if (is_complex && n % 2 != 0) continue;
      oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(ROWS, is_complex ? n / 2 : n),
                                            is_complex ? OY_DTYPE_C128 : OY_DTYPE_F64);
      oy_tensor* t = oy__to_copy(wide, oy_int(dtypes[k]), oy_none(), oy_none(), oy_none(),
                                 false, oy_none());
      oy_tensor* norm = oy_linalg_vector_norm(t, oy_int(2), OY_DIMS(1), false, oy_none());
      assert_close_(norm, OY_DIMS(ROWS), want, 1e-3, __FILE__, __LINE__);
      oy_tensor* all[] = {wide, t, norm};
      for (int j = 0; j < 3; j++) oy_tensor_release(all[j]);
    }
  }
}

static void products_of_long_rows(void** state) {
  (void)state;
  enum { LONGEST = 1100 };
  float data[LONGEST];
  for (int64_t n = 97; n < LONGEST; n += 1 + n / 9) {
    double want = 1;
    for (int64_t i = 0; i < n; i++) {
      data[i] = i % 7 == 0 ? 2.0F : i % 7 == 3 ? -0.5F : i % 11 == 5 ? -1.0F : 1.0F;
      want *= (double)data[i];
    }
    oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(1, n), OY_DTYPE_F32);
    oy_tensor* got = oy_prod_dim_int(t, 1, false, oy_none());
    assert_elements(got, OY_DIMS(1), want);
    oy_tensor_release(got);
    oy_tensor_release(t);
  }
}

static void products_of_columns(void** state) {
  (void)state;
  enum { LONGEST = 300 };
  static float data[LONGEST * WIDEST];
  for (int64_t columns = 2; columns <= WIDEST; columns++)
    for (int64_t rows = 1; rows < LONGEST; rows += 1 + rows / 3) {
      double want[WIDEST];
      for (int64_t c = 0; c < columns; c++) {
        want[c] = 1;
        // Twos and halves: exact, and in the end no more than float holds.
        for (int64_t r = 0; r < rows; r++) {
          const int64_t k = (r * 5 + c * 3) % 7;
          const float x = k == 0 ? 2.0F : k == 1 ? -0.5F : k == 2 ? -1.0F : 1.0F;
          data[r * columns + c] = x;
          want[c] *= (double)x;
        }
      }
      if (rows > 20) data[17 * columns + 1] = NAN, want[1] = NAN;
      oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(rows, columns), OY_DTYPE_F32);
      oy_tensor* got = oy_prod_dim_int(t, 0, false, oy_none());
      assert_close_(got, OY_DIMS(columns), want, 0, __FILE__, __LINE__);
      oy_tensor_release(got);
      oy_tensor_release(t);
    }
}

// Also of parts that float does not hold.
static void sums_of_columns(void** state) {
  (void)state;
  enum { LONGEST = 300 };
  static float data[LONGEST * WIDEST];
  for (int64_t columns = 2; columns <= WIDEST; columns++)
    for (int64_t rows = 1; rows < LONGEST; rows += 1 + rows / 5) {
      double want[WIDEST] = {0};
      for (int64_t i = 0; i < rows * columns; i++) {
        const int64_t r = i / columns, c = i % columns;
        data[i] = (float)((r * 37 + c * 11) % 23 - 9);
        // In every eight rows two that are too great together, and what takes one away.
        if (c == 1)
          data[i] = r % 8 == 0 || r % 8 == 2 ? FLT_MAX : r % 8 == 5 ? -FLT_MAX : 0;
        if (c == 4 && r == rows / 2) data[i] = NAN;
        want[c] += (double)data[i];
      }
      if (fabs(want[1]) > (double)FLT_MAX) want[1] = INFINITY;
      oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(rows, columns), OY_DTYPE_F32);
      oy_tensor* got = oy_sum_dim_IntList(t, OY_DIMS(0), false, oy_none());
      assert_close_(got, OY_DIMS(columns), want, 0, __FILE__, __LINE__);
      oy_tensor_release(got);
      oy_tensor_release(t);
    }
}

// A row of zeros has a gradient of 0, and none of the others another one for it.
static void gradients_of_norms(void** state) {
  (void)state;
  oy_tensor* x = F64(OY_DIMS(3, 2), 3, 4, 0, -0.0, 5, -12);
  assert_non_null(oy_requires_grad_(x, true));
  oy_tensor* norm = oy_linalg_vector_norm(x, oy_int(2), OY_DIMS(1), false, oy_none());
  oy_tensor* sum = oy_sum(norm, oy_none());
  assert_int_equal(oy_backward(sum, NULL, false), OY_OK);
  oy_tensor* grad = oy_grad(x);
  assert_elements(grad, OY_DIMS(3, 2), 3.0 / 5, 4.0 / 5, 0, 0, 5.0 / 13, -12.0 / 13);
  oy_tensor* all[] = {sum, norm, x};
  for (int k = 0; k < 3; k++) oy_tensor_release(all[k]);
}

// ----------------------------------------------------------------- norms of other orders

// |sum| of powers; results are rounded to a dtype of |digits| bits.
static void check_power_norm(oy_tensor* got, int64_t i, double sum, double order,
                             int digits) {
  const double want = pow(sum, 1 / order), found = element(got, i);
  assert_true(isnan(want)   ? isnan(found)
              : isinf(want) ? found == want
                            : fabs(found - want) <= ldexp(want, -digits));
}

// Of rows, columns and all of a matrix, with gaps between elements and without.
static void check_power_norms(oy_dtype dtype, int64_t n, double order, int64_t gap) {
  enum { LINES = 19, MOST_OF_LINE = 600 };
  assert_true(n * gap <= MOST_OF_LINE);
  oy_scope scope;
  oy_scope_open(&scope);
  double data[LINES * MOST_OF_LINE], rows[LINES] = {0}, all = 0;
  uint64_t seed = (uint64_t)n;
  for (int64_t i = 0; i < LINES * n * gap; i++) {
    const double x = (double)(int64_t)(next_word(&seed) % 255) - 127;
    data[i] = i % 701 == 700 ? (order == 3 ? NAN : INFINITY) : x / 8;
  }
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(LINES, n, gap), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  oy_tensor* x = oy_select_int(oy_to_dtype(wide, dtype, false, true, oy_none()), 2, 0);
  const int digits = dtype == OY_DTYPE_BF16 || dtype == OY_DTYPE_F16 ? 7 : 23;
  const oy_scalar p = oy_float(order);
  oy_tensor* of_rows = oy_linalg_vector_norm(x, p, OY_DIMS(1), false, oy_none());
  oy_tensor* of_columns = oy_linalg_vector_norm(x, p, OY_DIMS(0), false, oy_none());
  oy_tensor* of_all = oy_linalg_vector_norm(x, p, oy_dims_none(), false, oy_none());
  for (int64_t c = 0; c < n; c++) {
    double column = 0;
    for (int64_t r = 0; r < LINES; r++) {
      const double power = pow(fabs(data[(r * n + c) * gap]), order);
      column += power, rows[r] += power, all += power;
    }
    check_power_norm(of_columns, c, column, order, digits);
  }
  for (int64_t r = 0; r < LINES; r++)
    check_power_norm(of_rows, r, rows[r], order, digits);
  check_power_norm(of_all, 0, all, order, digits);
  oy_scope_close(&scope);
}

static void norms_of_powers(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_BF16, OY_DTYPE_F16,
                                    OY_DTYPE_C64, OY_DTYPE_F64};
  static const double orders[] = {3, 4, 1.5, 2.5, -1, -0.75};
  static const int64_t lengths[] = {1, 3, 7, 16, 33, 100, 200};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (size_t i = 0; i < OY_ARRAY_SIZE(lengths); i++)
      for (int64_t gap = 1; gap <= 3; gap++)
        for (size_t k = 0; k < OY_ARRAY_SIZE(orders); k++)
          check_power_norms(dtypes[d], lengths[i], orders[k], gap);
}

// ----------------------------------------------------------------- rows with gaps

static double parts_of(oy_tensor* t, int64_t i) {
  return element(oy_dtype_is_complex(t->dtype) ? oy_view_as_real(t) : t, i);
}
static void check_alike(oy_tensor* a, oy_tensor* b, double places) {
  const int64_t parts = oy_dtype_is_complex(a->dtype) ? 2 : 1;
  assert_int_equal(a->dtype, b->dtype);
  for (int64_t i = 0; i < parts * oy_tensor_numel(a); i++) {
    const double x = parts_of(a, i), y = parts_of(b, i);
    assert_true(fabs(x - y) <= places * (1 + fabs(y)));
  }
}

// Of every |gap|th element, as of a copy without gaps.
static void check_gaps(oy_dtype dtype, int64_t n, int64_t gap) {
  enum { LINES = 70, MOST_OF_LINE = 1000 };
  static double data[LINES * MOST_OF_LINE];
  oy_scope scope;
  oy_scope_open(&scope);
  uint64_t seed = (uint64_t)(n + gap);
  const bool is_whole = oy_dtype_is_integral(dtype, true);
  for (int64_t i = 0; i < LINES * n * gap; i++)
    data[i] = is_whole ? (double)(next_word(&seed) % 5) - 2
                       : 0.75 + (double)(next_word(&seed) % 512) / 1024;
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(LINES, n, gap), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  oy_tensor* x = oy_select_int(oy_to_dtype(wide, dtype, false, true, oy_none()), 2, 0);
  oy_tensor* y = oy_contiguous(x, OY_MEMORY_CONTIGUOUS);
  const double places = is_whole ? 0 : dtype == OY_DTYPE_BF16 ? 0.01 : 1e-5;
  check_alike(oy_sum_dim_IntList(x, OY_DIMS(1), false, oy_none()),
              oy_sum_dim_IntList(y, OY_DIMS(1), false, oy_none()), places);
  if (dtype != OY_DTYPE_BF16)
    check_alike(oy_prod_dim_int(x, 1, false, oy_none()),
                oy_prod_dim_int(y, 1, false, oy_none()), places);
  if (!is_whole)
    check_alike(oy_linalg_vector_norm(x, oy_int(2), OY_DIMS(1), false, oy_none()),
                oy_linalg_vector_norm(y, oy_int(2), OY_DIMS(1), false, oy_none()),
                places);
  if (!is_whole && !oy_dtype_is_complex(dtype))
    check_alike(oy_amax(x, OY_DIMS(1), false), oy_amax(y, OY_DIMS(1), false), 0);
  oy_scope_close(&scope);
}

static void rows_with_gaps(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_I64, OY_DTYPE_I32,  OY_DTYPE_I8,
                                    OY_DTYPE_F32, OY_DTYPE_BF16, OY_DTYPE_F64,
                                    OY_DTYPE_C64, OY_DTYPE_C128};
  static const int64_t lengths[] = {2, 3, 10, 33, 100, 240};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (size_t i = 0; i < OY_ARRAY_SIZE(lengths); i++)
      for (int64_t gap = 2; gap <= 4; gap++) check_gaps(dtypes[d], lengths[i], gap);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_integers),      cmocka_unit_test(rows_of_halves),
      cmocka_unit_test(products_of_long_rows), cmocka_unit_test(norms_of_rows),
      cmocka_unit_test(products_of_columns),   cmocka_unit_test(sums_of_columns),
      cmocka_unit_test(gradients_of_norms),    cmocka_unit_test(norms_of_powers),
      cmocka_unit_test(rows_with_gaps),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
