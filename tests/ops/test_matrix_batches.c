// SPDX-License-Identifier: Apache-2.0
// Batches of small matrices, and matrices of few columns, in every way that is taken for them,
// against sums in double: columns by rows, short floats as floats, vectors.
#include "support/tensors.h"

enum { BATCH = 17 };

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_F16, OY_DTYPE_I64};
static const int64_t g_sizes[][3] = {{7, 1, 5},
                                     {40, 1, 17},
                                     {1, 1, 9},
                                     {9, 1, 1},
                                     {3, 16, 1},
                                     {1, 16, 3},
                                     {30, 12, 3},
                                     {3, 12, 30},
                                     {2, 8, 70},
                                     {5, 64, 3},
                                     {1, 10, 1},
                                     {1, 64, 1},
                                     {4, 4, 4},
                                     {17, 3, 20},
                                     // rows by the vector and around it
                                     {16, 1, 2},
                                     {33, 1, 3},
                                     {17, 2, 8},
                                     {40, 3, 2},
                                     {35, 8, 5},
                                     {16, 5, 7},
                                     {33, 33, 3},
                                     {50, 12, 6},
                                     {70, 15, 4},
                                     {9, 7, 18},
                                     {65, 4, 33},
                                     {64, 2, 10},
                                     {70, 16, 17},
                                     {20, 11, 16},
                                     {2, 70, 10},
                                     {3, 33, 2},
                                     {12, 1, 12},
                                     {40, 64, 1},
                                     {2, 2, 1}};

// Small whole numbers, whose products and sums all of the types hold.
static double number(int64_t i, int which) {
  return (double)((i * 7 + which * 3 + i / 5) % 5 - 2);
}

// |turned|: the last two dimensions lie the other way round.
static oy_tensor* numbers(int64_t rows, int64_t columns, int which, bool turned,
                          oy_dtype dtype) {
  const int64_t count = BATCH * rows * columns;
  double* data = malloc((size_t)count * sizeof(*data));
  assert_non_null(data);
  for (int64_t i = 0; i < count; i++) data[i] = number(i, which);
  oy_tensor* wide =
      oy_tensor_from_data(data, OY_DIMS(BATCH, rows, columns), OY_DTYPE_F64);
  free(data);
  oy_tensor* made = oy_to_dtype(wide, dtype, false, true, oy_none());
  oy_tensor_release(wide);
  if (!turned) return made;
  oy_tensor* flipped = oy_transpose_int(made, 1, 2);
  oy_tensor* copy = oy_contiguous(flipped, OY_MEMORY_CONTIGUOUS);
  oy_tensor* result = oy_transpose_int(copy, 1, 2);
  oy_tensor* const all[] = {made, flipped, copy};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
  return result;
}

// Of |scale| times what is added and |alpha| times the products.
static void check(oy_tensor* found, const int64_t* size, double scale, double alpha,
                  int64_t batches) {
  const int64_t n = size[0], k = size[1], m = size[2];
  assert_non_null(found);
  oy_tensor* wide = oy_to_dtype(found, OY_DTYPE_F64, false, true, oy_none());
  const double* x = oy_tensor_data(wide);
  for (int64_t i = 0; i < batches * n * m; i++) {
    const int64_t row = i / m, b = row / n;
    double want = scale * number(i, 2);
    for (int64_t p = 0; p < k; p++)
      want += alpha * number(row * k + p, 0) * number((b * k + p) * m + i % m, 1);
    assert_true(x[i] == want);
  }
  oy_tensor_release(wide);
  oy_tensor_release(found);
}

// What is added once and the products of all matrices.
static void check_sum(oy_tensor* found, const int64_t* size) {
  const int64_t n = size[0], k = size[1], m = size[2];
  assert_non_null(found);
  oy_tensor* wide = oy_to_dtype(found, OY_DTYPE_F64, false, true, oy_none());
  const double* x = oy_tensor_data(wide);
  for (int64_t i = 0; i < n * m; i++) {
    double want = number(i, 2);
    for (int64_t b = 0; b < BATCH; b++)
      for (int64_t p = 0; p < k; p++)
        want += number((b * n + i / m) * k + p, 0) * number((b * k + p) * m + i % m, 1);
    assert_true(x[i] == want);
  }
  oy_tensor_release(wide);
  oy_tensor_release(found);
}

// What is not to be read, where the type has such.
static oy_tensor* nothing(const int64_t* size, oy_dtype dtype) {
  oy_tensor* made = oy_full(OY_DIMS(BATCH, size[0], size[2]), oy_float((double)NAN),
                            oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* result = oy_to_dtype(made, dtype, false, true, oy_none());
  oy_tensor_release(made);
  return result;
}

// Bits of |turned| are for a and b.
static void check_all(oy_dtype dtype, const int64_t* size, int turned) {
  oy_tensor* a = numbers(size[0], size[1], 0, turned & 1, dtype);
  oy_tensor* b = numbers(size[1], size[2], 1, turned & 2, dtype);
  oy_tensor* c = numbers(size[0], size[2], 2, false, dtype);
  oy_tensor* none = nothing(size, dtype);
  check(oy_bmm(a, b), size, 0, 1, BATCH);
  check(oy_baddbmm(c, a, b, oy_int(1), oy_int(1)), size, 1, 1, BATCH);
  check(oy_baddbmm(c, a, b, oy_int(2), oy_int(-1)), size, 2, -1, BATCH);
  check(oy_baddbmm(none, a, b, oy_int(0), oy_int(1)), size, 0, 1, BATCH);
  oy_tensor *a0 = oy_select_int(a, 0, 0), *b0 = oy_select_int(b, 0, 0),
            *c0 = oy_select_int(c, 0, 0);
  check(oy_mm(a0, b0), size, 0, 1, 1);
  check(oy_addmm(c0, a0, b0, oy_int(1), oy_int(1)), size, 1, 1, 1);
  // Sums of bfloat16 are rounded after each matrix.
  if (dtype != OY_DTYPE_BF16 && dtype != OY_DTYPE_F16)
    check_sum(oy_addbmm(c0, a, b, oy_int(1), oy_int(1)), size);
  oy_tensor* const made[] = {a, b, c, none, a0, b0, c0};
  for (int i = 0; i < 7; i++) oy_tensor_release(made[i]);
}

static void small_products_are_exact(void** state) {
  (void)state;
  for (size_t d = 0; d < sizeof(g_dtypes) / sizeof(*g_dtypes); d++)
    for (size_t i = 0; i < sizeof(g_sizes) / sizeof(*g_sizes); i++)
      for (int turned = 0; turned < 4; turned++)
        check_all(g_dtypes[d], g_sizes[i], turned);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_products_are_exact)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
