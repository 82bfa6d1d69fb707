// SPDX-License-Identifier: Apache-2.0
// Least squares by each driver: what is left is across the columns, its squares are the
// residuals, and the solution is that of least norm, whatever the rank is.
#include "base/memory.h"
#include "support/matrices.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_C64,
                                    OY_DTYPE_C128};
static const char* const g_drivers[] = {"gels", "gelsy", "gelsd", "gelss"};

static const struct {
  int64_t batch, m, n, columns;
} g_shapes[] = {{1, 1, 1, 1},   {3, 4, 4, 2},  {5, 9, 4, 3},   {2, 4, 9, 3},
                {1, 40, 1, 2},  {1, 1, 40, 2}, {2, 70, 50, 1}, {2, 50, 70, 1},
                {1, 45, 45, 5}, {20, 16, 8, 4}};

typedef struct found {
  oy_tensor *x, *residuals, *rank, *values;
} found;

// Takes both over.
static void check_close(oy_tensor* got, oy_tensor* want, double bound) {
  assert_non_null(got);
  assert_non_null(want);
  assert_int_equal(oy_tensor_numel(got), oy_tensor_numel(want));
  oy_tensor* off = oy_sub_Tensor(got, want, oy_int(1));
  const double size = 1 + greatest(want);
  assert_true(greatest(off) <= size * bound);
  oy_tensor* const made[] = {got, want, off};
  for (int i = 0; i < 3; i++) oy_tensor_release(made[i]);
}

static double bound_of(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_C64 ? 2e-3 : 1e-11;
}

static found solved(oy_tensor* a, oy_tensor* b, const char* driver) {
  found f;
  const oy_value name = oy_value_str(oy_str_of(driver));
  assert_int_equal(
      oy_linalg_lstsq(a, b, oy_none(), name, &f.x, &f.residuals, &f.rank, &f.values),
      OY_OK);
  return f;
}
static void drop(found* f) {
  oy_tensor* const made[] = {f->x, f->residuals, f->rank, f->values};
  for (int i = 0; i < 4; i++) oy_tensor_release(made[i]);
}

// A^H (A x - b) = 0, and the squares of A x - b.
static void check_left(oy_tensor* a, oy_tensor* b, const found* f, bool has_residuals) {
  const int64_t rows = -2;
  const double bound = bound_of(a->dtype);
  oy_tensor *product = oy_matmul(a, f->x), *left = oy_sub_Tensor(b, product, oy_int(1));
  oy_tensor *a_h = oy_mH(a), *across = oy_matmul(a_h, left);
  check_close(
      across,
      oy_zeros_like(across, oy_none(), oy_none(), oy_none(), oy_none(), oy_none()),
      bound * (double)oy_tensor_size(a, -2));
  oy_tensor *size = oy_abs(left), *squares = oy_square(size);
  if (has_residuals)
    check_close(oy_tensor_retain(f->residuals),
                oy_sum_dim_IntList(squares, (oy_ints){&rows, 1}, false, oy_none()),
                bound);
  else
    assert_int_equal(oy_tensor_numel(f->residuals), 0);
  oy_tensor* const made[] = {product, left, a_h, size, squares};
  for (int i = 0; i < 5; i++) oy_tensor_release(made[i]);
}

static void check_strides(oy_tensor* x, int64_t m, int64_t n) {
  assert_int_equal(oy_tensor_strides(x).data[1], 1);
  assert_int_equal(oy_tensor_strides(x).data[2], m > n ? m : n);
}

static void each_driver_solves(void** state) {
  (void)state;
  for (size_t s = 0; s < OY_ARRAY_SIZE(g_shapes); s++)
    for (size_t t = 0; t < OY_ARRAY_SIZE(g_dtypes); t++) {
      const int64_t batch = g_shapes[s].batch, m = g_shapes[s].m, n = g_shapes[s].n;
      oy_tensor* a = drawn_numbers(OY_DIMS(batch, m, n), g_dtypes[t], 5);
      oy_tensor* b =
          drawn_numbers(OY_DIMS(batch, m, g_shapes[s].columns), g_dtypes[t], 6);
      found first = solved(a, b, "gelsy");
      for (size_t d = 0; d < OY_ARRAY_SIZE(g_drivers); d++) {
        found f = solved(a, b, g_drivers[d]);
        check_left(a, b, &f, m > n && d != 1);
        check_strides(f.x, m, n);
        check_close(oy_tensor_retain(f.x), oy_tensor_retain(first.x),
                    100 * bound_of(g_dtypes[t]));
        assert_int_equal(oy_tensor_numel(f.rank), d == 0 ? 0 : batch);
        assert_int_equal(oy_tensor_numel(f.values), d < 2 ? 0 : batch * (m < n ? m : n));
        drop(&f);
      }
      drop(&first);
      oy_tensor_release(a);
      oy_tensor_release(b);
    }
}

// The same matrix twice, side by side or one below the other: half of its rank is there.
static void lacking_ranks_are_seen(void** state) {
  (void)state;
  for (int64_t dim = 1; dim <= 2; dim++)
    for (size_t t = 0; t < OY_ARRAY_SIZE(g_dtypes); t++) {
      oy_tensor* half =
          drawn_numbers(OY_DIMS(2, dim == 1 ? 3 : 12, dim == 1 ? 12 : 3), g_dtypes[t], 7);
      oy_tensor* twice[] = {half, half};
      oy_tensor* a = oy_cat((oy_tensors){twice, 2}, dim);
      oy_tensor* b = drawn_numbers(OY_DIMS(2, oy_tensor_size(a, 1), 2), g_dtypes[t], 8);
      found first = solved(a, b, "gelsy");
      for (size_t d = 0; d < OY_ARRAY_SIZE(g_drivers); d++) {
        found f = solved(a, b, g_drivers[d]);
        check_left(a, b, &f, false);
        check_close(oy_tensor_retain(f.x), oy_tensor_retain(first.x),
                    100 * bound_of(g_dtypes[t]));
        if (d > 0)
          check_close(oy_tensor_retain(f.rank),
                      oy_full_like(f.rank, oy_int(3), oy_none(), oy_none(), oy_none(),
                                   oy_none(), oy_none()),
                      0);
        drop(&f);
      }
      drop(&first);
      oy_tensor* const made[] = {half, a, b};
      for (int i = 0; i < 3; i++) oy_tensor_release(made[i]);
    }
}

// A column of zeros, which no rounding hides, and a limit that takes an equation away.
static void limits_are_kept(void** state) {
  (void)state;
  const double data[] = {1, 0, 0, 0.01, 0, 0}, sides[] = {3, 1, 1};
  oy_tensor* a = oy_tensor_from_data(data, OY_DIMS(3, 2), OY_DTYPE_F64);
  oy_tensor* b = oy_tensor_from_data(sides, OY_DIMS(3, 1), OY_DTYPE_F64);
  static const struct { double rcond, want; } rows[] = {{1e-3, 100}, {0.1, 0}, {0, 100}};
  for (size_t i = 0; i < OY_ARRAY_SIZE(rows); i++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(g_drivers); d++) {
      found f;
      assert_int_equal(oy_linalg_lstsq(a, b, oy_float(rows[i].rcond),
                                       oy_value_str(oy_str_of(g_drivers[d])), &f.x,
                                       &f.residuals, &f.rank, &f.values),
                       OY_OK);
      const double want[] = {3, rows[i].want};
      check_close(oy_tensor_retain(f.x),
                  oy_tensor_from_data(want, OY_DIMS(2, 1), OY_DTYPE_F64), 1e-12);
      drop(&f);
    }
  oy_tensor_release(a);
  oy_tensor_release(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_driver_solves),
                                     cmocka_unit_test(lacking_ranks_are_seen),
                                     cmocka_unit_test(limits_are_kept)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
