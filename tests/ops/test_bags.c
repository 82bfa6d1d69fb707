// SPDX-License-Identifier: Apache-2.0
// Bags of rows of tables of every width around those of vectors: what a loop from row to row
// and column to column gives, in the type of the table. Numbers are no whole ones, so that
// what is rounded once, or in another order, shows.
#include "support/tensors.h"

enum { ROWS = 13, BAGS = 6, COUNT = 17, WIDEST = 300, SUM = 0, MEAN = 1 };
static const int64_t g_offsets[BAGS] = {0, 1, 1, 4, 9, 17};  // none, one, few, many

typedef struct how {
  int64_t columns, mode, padding;
  bool is_scaled, is_double;
} how;

static double number(int64_t i, bool is_double) {
  const double x = (double)(i * 7919 % 1013 - 500) / 37;
  return is_double ? x : (double)(float)x;
}

static oy_tensor* tensor_of(const double* x, oy_ints sizes, bool is_double) {
  oy_tensor* t = oy_scope_take(oy_tensor_from_data(x, sizes, OY_DTYPE_F64));
  return is_double ? t : oy_to_dtype(t, OY_DTYPE_F32, false, false, oy_none());
}

// Of sums, products and quotients of floats, which double holds well enough.
static double rounded(const how* h, double x) {
  return h->is_double ? x : (double)(float)x;
}

// One column of one bag.
static double expected(const how* h, const double* table, const int64_t* index,
                       const double* scale, int64_t k, int64_t d) {
  const int64_t to = k + 1 < BAGS ? g_offsets[k + 1] : COUNT;
  double sum = 0;
  int64_t size = 0;
  for (int64_t i = g_offsets[k]; i < to; i++) {
    if (index[i] == h->padding) continue;
    const double x = table[index[i] * h->columns + d];
    sum = rounded(h, sum + rounded(h, h->is_scaled ? scale[i] * x : x));
    size++;
  }
  return h->mode == MEAN && size > 0 ? rounded(h, sum / (double)size) : sum;
}

static void check(const how* h) {
  static double table[ROWS * WIDEST];
  double scale[COUNT];
  int64_t index[COUNT];
  oy_tensor* made[4];
  oy_scope scope;
  oy_scope_open(&scope);
  for (int64_t i = 0; i < ROWS * h->columns; i++) table[i] = number(i, h->is_double);
  table[2 * h->columns + h->columns / 2] = NAN;
  for (int64_t d = 0; d < h->columns; d++) table[5 * h->columns + d] = -0.0;
  for (int64_t i = 0; i < COUNT; i++)
    index[i] = (i * 5 + 5) % ROWS, scale[i] = number(i + 100, h->is_double);
  oy_tensor* weight = tensor_of(table, OY_DIMS(ROWS, h->columns), h->is_double);
  oy_tensor* at = oy_scope_take(oy_tensor_from_data(index, OY_DIMS(COUNT), OY_DTYPE_I64));
  oy_tensor* first =
      oy_scope_take(oy_tensor_from_data(g_offsets, OY_DIMS(BAGS), OY_DTYPE_I64));
  oy_tensor* by =
      h->is_scaled ? tensor_of(scale, OY_DIMS(COUNT), h->is_double) : &oy_none_object;
  assert_int_equal(oy__embedding_bag(weight, at, first, false, h->mode, false, by, false,
                                     h->padding, &made[0], &made[1], &made[2], &made[3]),
                   OY_OK);
  for (int64_t k = 0; k < BAGS; k++)
    for (int64_t d = 0; d < h->columns; d++) {
      const double want = expected(h, table, index, scale, k, d);
      const void* got = oy_tensor_data(made[0]);
      const int64_t i = k * h->columns + d;
      const double x =
          h->is_double ? ((const double*)got)[i] : (double)((const float*)got)[i];
      if (isnan(want) ? isnan(x) : x == want && signbit(x) == signbit(want)) continue;
      print_error(
          "%d columns, mode %d, padding %d, scaled %d, double %d, bag %d, column "
          "%d: %g, not %g\n",
          (int)h->columns, (int)h->mode, (int)h->padding, h->is_scaled, h->is_double,
          (int)k, (int)d, x, want);
      fail();
    }
  const int64_t* sizes = oy_tensor_data(made[2]);
  for (int64_t k = 0; k < BAGS && h->mode == MEAN; k++) {
    int64_t size = 0;
    for (int64_t i = g_offsets[k]; i < (k + 1 < BAGS ? g_offsets[k + 1] : COUNT); i++)
      size += index[i] != h->padding;
    assert_int_equal(sizes[k], size);
  }
  oy_scope_close(&scope);
}

static void widths_around_vectors(void** state) {
  (void)state;
  static const int64_t columns[] = {1,  2,  3,  4,  5,  7,  8,   9,   12,  15,  16,    17,
                                    24, 31, 33, 48, 63, 64, 100, 127, 128, 129, WIDEST};
  for (size_t k = 0; k < sizeof(columns) / sizeof(*columns); k++)
    for (int64_t padding = -1; padding <= 10; padding += 11)
      for (int i = 0; i < 6; i++)
        check(&(how){columns[k], i % 3 == 2 ? MEAN : SUM, padding, i % 3 == 1, i > 2});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(widths_around_vectors)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
