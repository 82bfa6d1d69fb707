// SPDX-License-Identifier: Apache-2.0
// Euclidean distances of many rows, which come from a product, beside long double: where rows
// are far from each other, nearly the same, the same, or no numbers; and other norms.
#include "base/memory.h"
#include "support/tensors.h"

enum { MOST_COLUMNS = 130 };

// Clusters of rows about |offset|, which share most of their digits.
static double coordinate(int64_t row, int64_t column, double offset) {
  const double cluster = (double)(row * 7 % 5) * 3;
  const double apart = (double)((row * 31 + column * 17) % 23) / 4096;
  return offset + cluster + (row % 3 ? apart : 0);
}

static oy_tensor* rows_of(oy_dtype dtype, int64_t batches, int64_t rows, int64_t columns,
                          int64_t from, double offset, double scale) {
  oy_tensor* t =
      oy_tensor_empty(OY_DIMS(batches, rows, columns), OY_DTYPE_F64, oy_device_cpu());
  assert_non_null(oy_scope_take(t));
  double* x = oy_tensor_data(t);
  for (int64_t i = 0; i < batches * rows; i++)
    for (int64_t j = 0; j < columns; j++)
      x[i * columns + j] = scale * coordinate(from + i, j, offset);
  // Rows 5 and 6 of the first are 3 and 4 of the second, bit by bit.
  if (batches * rows > 6 && columns > 1) {
    x[(5 - from) * columns + 1] = NAN;
    x[(6 - from) * columns] = INFINITY;
  }
  oy_tensor* typed = oy_to_dtype(t, dtype, false, true, oy_none());
  if (!typed) fail_msg("%s", oy_error_get()->message);
  return typed;
}

static double distance_of(const oy_tensor* a, const oy_tensor* b, int64_t i, int64_t j,
                          int64_t columns, double norm) {
  long double sum = 0;
  for (int64_t p = 0; p < columns; p++) {
    const long double d = fabsl((long double)element(a, i * columns + p) -
                                (long double)element(b, j * columns + p));
    if (isinf(norm))
      sum = isnan(d) || d > sum ? d : sum;
    else if (norm == 0)
      sum += d != 0;
    else
      sum += powl(d, (long double)norm);
  }
  return (double)(isinf(norm) || norm == 0 ? sum : powl(sum, 1 / (long double)norm));
}

// Whether |got| is |want|, within |tolerance| of it.
static bool is_near(double got, double want, double tolerance) {
  if (isnan(want) || isinf(want)) return isnan(want) ? isnan(got) : got == want;
  return fabs(got - want) <= tolerance * want;
}

static void check(oy_dtype dtype, int64_t mode, const int64_t* shape, double offset,
                  double scale) {
  enum { BATCHES = 2 };
  const double tolerance = dtype == OY_DTYPE_F64   ? 1e-13
                           : dtype == OY_DTYPE_F32 ? 1e-4
                                                   : 5e-3;
  const int64_t rows = shape[0], others = shape[1], columns = shape[2];
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* a = rows_of(dtype, BATCHES, rows, columns, 0, offset, scale);
  oy_tensor* b = rows_of(dtype, BATCHES, others, columns, 2, offset, scale);
  oy_tensor* found = oy_cdist(a, b, 2, oy_int(mode));
  if (!found) fail_msg("%s", oy_error_get()->message);
  assert_dims(oy_tensor_sizes(found), OY_DIMS(BATCHES, rows, others));
  for (int64_t i = 0; i < BATCHES * rows; i++)
    for (int64_t j = 0; j < others; j++) {
      const double want = distance_of(a, b, i, i / rows * others + j, columns, 2);
      const double got = element(found, i * others + j);
      if (!is_near(got, want, tolerance))
        fail_msg("%s, %lld x %lld x %lld, mode %lld: %.9g, not %.9g",
                 oy_dtype_name(dtype), (long long)rows, (long long)others,
                 (long long)columns, (long long)mode, got, want);
    }
  oy_scope_close(&scope);
}

static void distances_keep_their_digits(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16};
  static const int64_t shapes[][3] = {{1, 1, 1},   {2, 3, 5},    {26, 1, 8},
                                      {3, 65, 16}, {67, 26, 17}, {64, 64, MOST_COLUMNS},
                                      {30, 4, 4},  {5, 33, 3},   {26, 27, 0}};
  static const double offsets[] = {0, -40};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
      for (size_t o = 0; o < OY_ARRAY_SIZE(offsets); o++)
        for (int64_t mode = 0; mode < 3; mode++)
          check(dtypes[d], mode, shapes[s], offsets[o], 1);
}

// Squares near the least normal float, which an instruction may take products of for zero; and
// near the greatest.
static void sizes_do_not_matter(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_BF16};
  static const int64_t shape[] = {40, 30, 37};
  static const double scales[] = {0x1p-55, 0x1p-52, 0x1p-40, 0x1p-30, 0x1p50};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (size_t s = 0; s < OY_ARRAY_SIZE(scales); s++)
      check(dtypes[d], 1, shape, 0, scales[s]);
}

static void check_norm(oy_dtype dtype, const int64_t* shape, double norm) {
  enum { BATCHES = 2 };
  const double tolerance = dtype == OY_DTYPE_F64   ? 1e-13
                           : dtype == OY_DTYPE_F32 ? 0x1p-24
                                                   : 0x1p-8;
  const int64_t rows = shape[0], others = shape[1], columns = shape[2];
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* a = rows_of(dtype, BATCHES, rows, columns, 0, -3, 1);
  oy_tensor* b = rows_of(dtype, BATCHES, others, columns, 2, -3, 1);
  oy_tensor* found = oy_cdist(a, b, norm, oy_none());
  oy_tensor* one = oy_select_int(a, 0, 0);
  oy_tensor* pairs = oy_pdist(one, norm);
  if (!found || !pairs) fail_msg("%s", oy_error_get()->message);
  for (int64_t i = 0; i < BATCHES * rows; i++)
    for (int64_t j = 0; j < others; j++) {
      const double want = distance_of(a, b, i, i / rows * others + j, columns, norm);
      const double got = element(found, i * others + j);
      if (!is_near(got, want, tolerance))
        fail_msg("%s, %lld columns, norm %g: %.17g, not %.17g", oy_dtype_name(dtype),
                 (long long)columns, norm, got, want);
    }
  int64_t at = 0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = i + 1; j < rows; j++)
      assert_true(is_near(element(pairs, at++), distance_of(a, a, i, j, columns, norm),
                          tolerance));
  oy_scope_close(&scope);
}

// Powers of one term, of several rows at once, and of rows in parts; and the greatest of all.
static void other_norms_are_near(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16};
  static const int64_t shapes[][3] = {{1, 1, 1},   {2, 3, 5},  {9, 6, 8},
                                      {3, 65, 16}, {7, 26, 3}, {9, 1, 5},
                                      {4, 5, 600}, {3, 4, 0},  {5, 6, 512}};
  static const double norms[] = {0, 0.5, 1, 2.5, 3, (double)INFINITY};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (size_t s = 0; s < OY_ARRAY_SIZE(shapes); s++)
      for (size_t n = 0; n < OY_ARRAY_SIZE(norms); n++)
        check_norm(dtypes[d], shapes[s], norms[n]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances_keep_their_digits),
                                     cmocka_unit_test(sizes_do_not_matter),
                                     cmocka_unit_test(other_norms_are_near)};
  return cmocka_run_group_tests_name("distance", tests, init_library, shut_library);
}
