// SPDX-License-Identifier: Apache-2.0
// Batches of small matrices, and matrices of few columns, in every way that is taken for them,
// against sums in double: columns by rows, short floats as floats, vectors.
#include "support/tensors.h"

enum { BATCH = 17 };

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_F16, OY_DTYPE_I64, OY_DTYPE_I32,
                                    OY_DTYPE_C64, OY_DTYPE_C128};
// Around the sizes of vectors and of what each way is for.
// clang-format off
static const int64_t g_sizes[][3] = {
    {7, 1, 5}, {40, 1, 17}, {1, 1, 9}, {9, 1, 1}, {3, 16, 1}, {1, 16, 3}, {30, 12, 3},
    {3, 12, 30}, {2, 8, 70}, {5, 64, 3}, {1, 10, 1}, {1, 64, 1}, {4, 4, 4}, {17, 3, 20},
    {16, 1, 2}, {33, 1, 3}, {17, 2, 8}, {40, 3, 2}, {35, 8, 5}, {16, 5, 7}, {33, 33, 3},
    {50, 12, 6}, {70, 15, 4}, {9, 7, 18}, {65, 4, 33}, {64, 2, 10}, {70, 16, 17},
    {20, 11, 16}, {2, 70, 10}, {3, 33, 2}, {12, 1, 12}, {40, 64, 1}, {2, 2, 1},
    {5, 4, 1}, {1, 3, 7}, {12, 2, 10}, {2, 5, 9}, {17, 4, 3}, {4, 12, 8}, {300, 1, 20},
    {3, 50, 3}, {2, 50, 2}, {1, 50, 5}, {6, 50, 1}, {5, 6, 7}, {100, 3, 10},
    {300, 1, 1}, {100, 1, 5}, {20, 1, 40}, {17, 1, 300},
    {260, 11, 19}, {1, 10, 50}, {2, 100, 1}, {1, 64, 5}, {15, 37, 1},
    {1, 33, 13}, {8, 65, 1}, {1, 17, 7}, {3, 130, 40}, {12, 260, 20},
    {14, 287, 9}, {30, 257, 7}, {2, 128, 5}, {12, 20, 1},
    {6, 30, 1}, {1, 25, 9}, {3, 64, 2}, {2, 150, 3}, {5, 200, 3}, {8, 100, 3},
    {3, 70, 9}, {1, 100, 4}, {3, 33, 12}, {2, 37, 17}, {7, 9, 3}, {6, 25, 2}, {9, 31, 2},
    {70, 15, 40}, {33, 6, 13}, {401, 9, 6}, {16, 17, 2}, {35, 31, 5}, {70, 32, 16},
    {21, 24, 9}, {33, 18, 7}, {66, 12, 3}, {19, 35, 6}, {27, 45, 3}, {12, 50, 1}, {8, 17, 1}};
// clang-format on

// Small whole numbers, whose products and sums all of the types hold.
static double number(int64_t i, int which) {
  return (double)((i * 7 + which * 3 + i / 5) % 5 - 2);
}

// Complex ones have two of them.
typedef struct parts {
  double re, im;
} parts;
static const parts g_one = {1, 0};
static parts parts_of(int64_t i, int which, bool pairs) {
  if (!pairs) return (parts){number(i, which), 0};
  return (parts){number(2 * i, which), number(2 * i + 1, which)};
}

// |turned|: the last two dimensions lie the other way round.
static oy_tensor* numbers(int64_t rows, int64_t columns, int which, bool turned,
                          oy_dtype dtype) {
  const bool pairs = oy_dtype_is_complex(dtype);
  const oy_dtype part = dtype == OY_DTYPE_C64 ? OY_DTYPE_F32 : OY_DTYPE_F64;
  const int64_t count = BATCH * rows * columns * (pairs ? 2 : 1);
  double* data = malloc((size_t)count * sizeof(*data));
  assert_non_null(data);
  for (int64_t i = 0; i < count; i++) data[i] = number(i, which);
  oy_tensor* wide = oy_tensor_from_data(
      data, OY_DIMS(BATCH, rows, columns, pairs ? 2 : 1), OY_DTYPE_F64);
  free(data);
  oy_tensor* typed = oy_to_dtype(wide, pairs ? part : dtype, false, true, oy_none());
  oy_tensor* made = pairs ? oy_view_as_complex(typed) : oy_squeeze_dim(typed, 3);
  oy_tensor_release(wide);
  oy_tensor_release(typed);
  if (!turned) return made;
  oy_tensor* flipped = oy_transpose_int(made, 1, 2);
  oy_tensor* copy = oy_contiguous(flipped, OY_MEMORY_CONTIGUOUS);
  oy_tensor* result = oy_transpose_int(copy, 1, 2);
  oy_tensor* const all[] = {made, flipped, copy};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
  return result;
}

// Element |i| of |scale| times what is added and |alpha| times the products of matrix |b|.
static parts wanted(int64_t i, const int64_t* size, double scale, parts alpha, int64_t b,
                    bool pairs) {
  const int64_t n = size[0], k = size[1], m = size[2];
  const parts added = parts_of(i, 2, pairs);
  const int64_t row = i / m % n;
  parts want = {scale * added.re, scale * added.im};
  for (int64_t p = 0; p < k; p++) {
    const parts x = parts_of((b * n + row) * k + p, 0, pairs);
    const parts y = parts_of((b * k + p) * m + i % m, 1, pairs);
    const parts both = {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
    want.re += alpha.re * both.re - alpha.im * both.im;
    want.im += alpha.re * both.im + alpha.im * both.re;
  }
  return want;
}

// As doubles; complex ones are pairs of them.
static oy_tensor* widened(oy_tensor* found, bool* pairs) {
  assert_non_null(found);
  *pairs = oy_dtype_is_complex(found->dtype);
  oy_tensor* real = *pairs ? oy_view_as_real(found) : oy_tensor_retain(found);
  oy_tensor* wide = oy_to_dtype(real, OY_DTYPE_F64, false, true, oy_none());
  oy_tensor* result = oy_contiguous(wide, OY_MEMORY_CONTIGUOUS);
  oy_tensor* const all[] = {found, real, wide};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
  return result;
}

static void check_element(const double* x, int64_t i, parts want, bool pairs) {
  assert_true(x[pairs ? 2 * i : i] == want.re);
  if (pairs) assert_true(x[2 * i + 1] == want.im);
}

static void check(oy_tensor* found, const int64_t* size, double scale, parts alpha,
                  int64_t batches) {
  bool pairs;
  oy_tensor* wide = widened(found, &pairs);
  const int64_t each = size[0] * size[2];
  for (int64_t i = 0; i < batches * each; i++)
    check_element(oy_tensor_data(wide), i, wanted(i, size, scale, alpha, i / each, pairs),
                  pairs);
  oy_tensor_release(wide);
}

// What is added again after |period| elements, and the product.
static void check_again(oy_tensor* found, const int64_t* size, int64_t period,
                        int64_t batches) {
  bool pairs;
  oy_tensor* wide = widened(found, &pairs);
  const int64_t each = size[0] * size[2];
  for (int64_t i = 0; i < batches * each; i++) {
    const parts added = parts_of(i % period, 2, pairs);
    parts want = wanted(i, size, 0, g_one, i / each, pairs);
    want.re += added.re, want.im += added.im;
    check_element(oy_tensor_data(wide), i, want, pairs);
  }
  oy_tensor_release(wide);
}

// What is added once and the products of all matrices.
static void check_sum(oy_tensor* found, const int64_t* size) {
  bool pairs;
  oy_tensor* wide = widened(found, &pairs);
  for (int64_t i = 0; i < size[0] * size[2]; i++) {
    parts want = wanted(i, size, 1, g_one, 0, pairs);
    for (int64_t b = 1; b < BATCH; b++) {
      const parts more = wanted(i, size, 0, g_one, b, pairs);
      want.re += more.re, want.im += more.im;
    }
    check_element(oy_tensor_data(wide), i, want, pairs);
  }
  oy_tensor_release(wide);
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
  check(oy_bmm(a, b), size, 0, g_one, BATCH);
  check(oy_baddbmm(c, a, b, oy_int(1), oy_int(1)), size, 1, g_one, BATCH);
  check(oy_baddbmm(c, a, b, oy_int(2), oy_int(-1)), size, 2, (parts){-1, 0}, BATCH);
  check(oy_baddbmm(none, a, b, oy_int(0), oy_int(1)), size, 0, g_one, BATCH);
  oy_tensor *a0 = oy_select_int(a, 0, 0), *b0 = oy_select_int(b, 0, 0),
            *c0 = oy_select_int(c, 0, 0);
  check(oy_mm(a0, b0), size, 0, g_one, 1);
  check(oy_addmm(c0, a0, b0, oy_int(1), oy_int(1)), size, 1, g_one, 1);
  oy_tensor* row = oy_select_int(c0, 0, 0);
  check_again(oy_addmm(row, a0, b0, oy_int(1), oy_int(1)), size, size[2], 1);
  check_again(oy_baddbmm(row, a, b, oy_int(1), oy_int(1)), size, size[2], BATCH);
  check_again(oy_baddbmm(c0, a, b, oy_int(1), oy_int(1)), size, size[0] * size[2], BATCH);
  if (oy_dtype_is_complex(dtype))
    check(oy_addmm(c0, a0, b0, oy_int(2), oy_complex_value(&(oy_complex){1, -2})), size,
          2, (parts){1, -2}, 1);
  // Sums of bfloat16 are rounded after each matrix.
  if (dtype != OY_DTYPE_BF16 && dtype != OY_DTYPE_F16)
    check_sum(oy_addbmm(c0, a, b, oy_int(1), oy_int(1)), size);
  oy_tensor* const made[] = {a, b, c, none, a0, b0, c0, row};
  for (int i = 0; i < 8; i++) oy_tensor_release(made[i]);
}

static void small_products_are_exact(void** state) {
  (void)state;
  for (size_t d = 0; d < sizeof(g_dtypes) / sizeof(*g_dtypes); d++)
    for (size_t i = 0; i < sizeof(g_sizes) / sizeof(*g_sizes); i++)
      for (int turned = 0; turned < 4; turned++)
        check_all(g_dtypes[d], g_sizes[i], turned);
}

// addbmm is what addmm makes of one matrix after the other, rounded after each.
static void sums_are_of_one_after_the_other(void** state) {
  (void)state;
  for (size_t d = 0; d < sizeof(g_dtypes) / sizeof(*g_dtypes); d++)
    for (size_t i = 0; i < sizeof(g_sizes) / sizeof(*g_sizes); i++) {
      const int64_t* size = g_sizes[i];
      oy_tensor* a = numbers(size[0], size[1], 0, false, g_dtypes[d]);
      oy_tensor* b = numbers(size[1], size[2], 1, true, g_dtypes[d]);
      oy_tensor* c = numbers(size[0], size[2], 2, false, g_dtypes[d]);
      oy_tensor* sum = oy_select_int(c, 0, 0);
      oy_tensor* found = oy_addbmm(sum, a, b, oy_int(1), oy_int(1));
      for (int64_t k = 0; k < BATCH; k++) {
        oy_tensor *left = oy_select_int(a, 0, k), *right = oy_select_int(b, 0, k);
        oy_tensor* next = oy_addmm(sum, left, right, oy_int(1), oy_int(1));
        oy_tensor* const used[] = {left, right, sum};
        for (int t = 0; t < 3; t++) oy_tensor_release(used[t]);
        sum = next;
      }
      bool pairs;
      oy_tensor *got = widened(found, &pairs), *want = widened(sum, &pairs);
      const size_t bytes = (size_t)(size[0] * size[2]) * (pairs ? 2 : 1) * sizeof(double);
      assert_memory_equal(oy_tensor_data(got), oy_tensor_data(want), bytes);
      oy_tensor* const made[] = {a, b, c, got, want};
      for (int t = 0; t < 5; t++) oy_tensor_release(made[t]);
    }
}

// Each thread has rows, of which another kernel may be the one than of all of them.
static void threads_add_to_their_rows(void** state) {
  (void)state;
  static const int64_t size[] = {480, 12, 90};
  const int before = oy_get_num_threads();
  assert_int_equal(oy_set_num_threads(2), OY_OK);
  for (int turned = 0; turned < 4; turned++) {
    oy_tensor* a = numbers(size[0], size[1], 0, turned & 1, OY_DTYPE_BF16);
    oy_tensor* b = numbers(size[1], size[2], 1, turned & 2, OY_DTYPE_BF16);
    oy_tensor* c = numbers(size[0], size[2], 2, false, OY_DTYPE_BF16);
    oy_tensor *a0 = oy_select_int(a, 0, 0), *b0 = oy_select_int(b, 0, 0),
              *c0 = oy_select_int(c, 0, 0);
    check(oy_addmm(c0, a0, b0, oy_int(2), oy_int(-1)), size, 2, (parts){-1, 0}, 1);
    oy_tensor* const made[] = {a, b, c, a0, b0, c0};
    for (int i = 0; i < 6; i++) oy_tensor_release(made[i]);
  }
  assert_int_equal(oy_set_num_threads(before), OY_OK);
}

// Of large square products of short types each thread has columns: sums that are exact in float,
// rounded once.
static void threads_have_columns(void** state) {
  (void)state;
  enum { SIDE = 67, DEPTH = 4100 };
  static const int64_t size[] = {SIDE, DEPTH, SIDE};
  double* sums = malloc(SIDE * SIDE * sizeof(*sums));
  assert_non_null(sums);
  for (int64_t i = 0; i < SIDE * SIDE; i++)
    sums[i] = wanted(i, size, 0, g_one, 0, false).re;
  oy_tensor* exact = oy_tensor_from_data(sums, OY_DIMS(SIDE, SIDE), OY_DTYPE_F64);
  oy_tensor* want = oy_to_dtype(exact, OY_DTYPE_BF16, false, true, oy_none());
  free(sums);
  const int before = oy_get_num_threads();
  assert_int_equal(oy_set_num_threads(2), OY_OK);
  for (int turned = 0; turned < 4; turned++) {
    oy_tensor* a = numbers(SIDE, DEPTH, 0, turned & 1, OY_DTYPE_BF16);
    oy_tensor* b = numbers(DEPTH, SIDE, 1, turned & 2, OY_DTYPE_BF16);
    oy_tensor *a0 = oy_select_int(a, 0, 0), *b0 = oy_select_int(b, 0, 0);
    oy_tensor* got = oy_mm(a0, b0);
    bool same = false;
    assert_int_equal(oy_equal(got, want, &same), OY_OK);
    assert_true(same);
    oy_tensor* const made[] = {a, b, a0, b0, got};
    for (int i = 0; i < 5; i++) oy_tensor_release(made[i]);
  }
  assert_int_equal(oy_set_num_threads(before), OY_OK);
  oy_tensor_release(exact), oy_tensor_release(want);
}

// Of |wide|, what is added, as it lies: all, rows of a wider one, one row, a column, turned around.
static oy_tensor* added_as(oy_tensor* wide, int how, const int64_t* size, int64_t batch) {
  oy_tensor* all = oy_narrow(oy_narrow(wide, 2, 1, size[2]), 0, 0, batch);
  switch (how) {
    case 0: return oy_clone(all, oy_none());
    case 1: return all;
    case 2: return oy_select_int(oy_select_int(all, 0, 0), 0, 1);
    case 3: return oy_narrow(all, 2, 0, 1);
    case 4: return oy_narrow(all, 1, 0, 1);
    default:
      return oy_transpose_int(oy_clone(oy_transpose_int(all, 1, 2), oy_none()), 1, 2);
  }
}

// The same as into a copy of it, to the last bit.
static void check_added(int how, const int64_t* size, int64_t batch, double beta) {
  oy_tensor* made[] = {numbers(size[0], size[1], 0, false, OY_DTYPE_F32),
                       numbers(size[1], size[2], 1, false, OY_DTYPE_F32),
                       numbers(size[0], size[2] + 3, 2, false, OY_DTYPE_F32)};
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* a = oy_mul_Scalar(oy_narrow(made[0], 0, 0, batch), oy_float(0.3));
  oy_tensor* b = oy_mul_Scalar(oy_narrow(made[1], 0, 0, batch), oy_float(0.7));
  oy_tensor* c = added_as(made[2], how, size, batch);
  oy_tensor* wide = oy_expand(c, OY_DIMS(batch, size[0], size[2]), false);
  oy_tensor* copy = oy_clone(wide, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_tensor* got = oy_baddbmm(c, a, b, oy_float(beta), oy_float(1.25));
  oy_tensor* want = oy_baddbmm_(copy, a, b, oy_float(beta), oy_float(1.25));
  assert_non_null(want);
  bool same = false;
  assert_int_equal(oy_equal(got, want, &same), OY_OK);
  if (!same) fail_msg("%d: %d x %d", how, (int)size[0], (int)size[2]);
  oy_tensor *a0 = oy_select_int(a, 0, 0), *b0 = oy_select_int(b, 0, 0);
  oy_tensor* one = oy_addmm(how == 2 ? c : oy_select_int(c, 0, 0), a0, b0, oy_float(beta),
                            oy_float(1.25));
  assert_int_equal(oy_equal(one, oy_select_int(want, 0, 0), &same), OY_OK);
  assert_true(same);
  oy_scope_close(&scope);
  for (int i = 0; i < 3; i++) oy_tensor_release(made[i]);
}

static void what_is_added_stays_where_it_lies(void** state) {
  (void)state;
  static const int64_t sizes[][3] = {
      {4, 2, 4},     {7, 3, 17},   {50, 2, 300}, {5, 20, 33},   {389, 5, 40},
      {390, 70, 20}, {48, 64, 90}, {13, 33, 64}, {1001, 6, 70}, {700, 30, 129}};
  const int before = oy_get_num_threads();
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
      for (int how = 0; how < 6; how++) {
        check_added(how, sizes[i], 1, 1);
        check_added(how, sizes[i], 3, -0.5);
      }
  }
  assert_int_equal(oy_set_num_threads(before), OY_OK);
}

// Sums that wrap, of columns by rows that are too short for a kernel, whatever lies how.
static void whole_numbers_of_columns_by_rows(void** state) {
  (void)state;
  enum { ROWS = 100 };
  static const int64_t columns[] = {1, 3, 7, 15, 16, 40};
  static const oy_dtype dtypes[] = {OY_DTYPE_I32, OY_DTYPE_I64, OY_DTYPE_I8};
  for (int i = 0; i < 3 * 6 * 4; i++) {
    const oy_dtype dtype = dtypes[i % 3];
    const int64_t m = columns[i / 3 % 6], by = dtype == OY_DTYPE_I8 ? 1 : 1 << 30;
    const int64_t beta = i / 18 % 2 ? 1 : 3;
    oy_tensor* made[] = {numbers(ROWS, 1, 0, false, dtype),
                         numbers(1, m, 1, false, dtype),
                         numbers(ROWS, m, 2, i / 36, dtype)};
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* a = oy_mul_Scalar(oy_select_int(made[0], 0, 3), oy_int(by));
    oy_tensor *b = oy_select_int(made[1], 0, 3), *c = oy_select_int(made[2], 0, 3);
    oy_tensor* got = oy_addmm(c, a, b, oy_int(beta), oy_int(1));
    assert_non_null(got);
    for (int64_t at = 0; at < ROWS * m; at++) {
      const int64_t sum = beta * (int64_t)element(c, at) +
                          (int64_t)element(a, at / m) * (int64_t)element(b, at % m);
      assert_true((int64_t)element(got, at) ==
                  (dtype == OY_DTYPE_I32 ? (int32_t)sum : sum));
    }
    oy_scope_close(&scope);
    for (int k = 0; k < 3; k++) oy_tensor_release(made[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_products_are_exact),
                                     cmocka_unit_test(sums_are_of_one_after_the_other),
                                     cmocka_unit_test(threads_add_to_their_rows),
                                     cmocka_unit_test(threads_have_columns),
                                     cmocka_unit_test(what_is_added_stays_where_it_lies),
                                     cmocka_unit_test(whole_numbers_of_columns_by_rows)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
