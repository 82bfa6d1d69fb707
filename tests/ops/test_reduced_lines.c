// SPDX-License-Identifier: Apache-2.0
// Reductions of short rows with gaps, of rows by which few columns go, and of few columns
// without an end, beside plain loops: over the last dimension and over one before it.
#include "base/memory.h"
#include "opyard/threads.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_U8,  OY_DTYPE_I8,  OY_DTYPE_I16,
                                    OY_DTYPE_I32, OY_DTYPE_I64};

typedef struct shape {
  int64_t sizes[3], strides[3];
  int dim;  // which is reduced
} shape;

// Small whole numbers, all of which sums of any order have exactly; and NaN.
static double value_at(int64_t place, oy_dtype dtype, bool nans) {
  const uint64_t mixed = ((uint64_t)place * 0x9e3779b97f4a7c15u) >> 40;
  if (nans && mixed % 23 == 0) return NAN;
  const double x = (double)(mixed % 7) - 3;
  return dtype == OY_DTYPE_U8 ? fabs(x) : x;
}

typedef struct wanted {
  double sum, squares, nansum, greatest, least;
  int64_t place, least_place;
  bool any;
} wanted;

static wanted want_of(const shape* s, int64_t i, int64_t j, oy_dtype dtype, bool nans) {
  wanted w = {0, 0, 0, -INFINITY, INFINITY, -1, -1, false};
  const int a = s->dim == 0 ? 1 : 0, b = s->dim == 2 ? 1 : 2;
  for (int64_t k = 0; k < s->sizes[s->dim]; k++) {
    const double x = value_at(
        i * s->strides[a] + j * s->strides[b] + k * s->strides[s->dim], dtype, nans);
    w.sum += x;
    w.squares += x * x;
    w.nansum += isnan(x) ? 0 : x;
    w.any |= x != 0;
    if (!isnan(w.greatest) && (isnan(x) || x > w.greatest)) w.greatest = x, w.place = k;
    if (!isnan(w.least) && (isnan(x) || x < w.least)) w.least = x, w.least_place = k;
  }
  return w;
}

static bool same(double got, double want) {
  return isnan(want) ? isnan(got) : got == want;
}

// What is kept of a column for the next part of it is more than one value.
static void check_pairs(const shape* s, oy_tensor* x, bool nans) {
  const oy_dtype dtype = x->dtype;
  const double count = (double)s->sizes[s->dim];
  const bool is_float = dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64;
  oy_tensor *least, *greatest, *var = NULL;
  assert_int_equal(oy_aminmax(x, oy_int(s->dim), false, &least, &greatest), OY_OK);
  if (is_float) var = oy_var_dim(x, OY_DIMS(s->dim), true, false);
  const int64_t inner = s->sizes[s->dim == 2 ? 1 : 2], all = oy_tensor_numel(least);
  for (int64_t i = 0; i < all; i++) {
    const wanted w = want_of(s, i / inner, i % inner, dtype, nans);
    assert_true(same(element(least, i), w.least));
    assert_true(same(element(greatest, i), w.greatest));
    if (!var || count < 2) continue;
    const double want = (w.squares - w.sum * w.sum / count) / (count - 1);
    assert_true(isnan(want) ? isnan(element(var, i))
                            : fabs(element(var, i) - want) <= 1e-6 * (1 + want));
  }
}

static void check(const shape* s, oy_dtype dtype, bool nans) {
  oy_scope scope;
  oy_scope_open(&scope);
  int64_t room = 1;
  for (int d = 0; d < 3; d++) room += (s->sizes[d] - 1) * s->strides[d];
  double* data = malloc((size_t)room * sizeof(*data));
  for (int64_t i = 0; i < room; i++) data[i] = value_at(i, dtype, nans);
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(room), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  free(data);
  oy_tensor* typed = oy_to_dtype(wide, dtype, false, true, oy_none());
  oy_tensor* x =
      oy_as_strided(typed, (oy_ints){s->sizes, 3}, (oy_ints){s->strides, 3}, oy_none());
  assert_non_null(x);
  const oy_ints dim = OY_DIMS(s->dim);
  oy_tensor *sum = oy_sum_dim_IntList(x, dim, false, oy_none()),
            *nansum = oy_nansum(x, dim, false, oy_none()), *amax = oy_amax(x, dim, false),
            *any = oy_any_dim(x, s->dim, false),
            *argmin = oy_argmin(x, oy_int(s->dim), false), *values, *places;
  assert_int_equal(oy_max_dim(x, s->dim, false, &values, &places), OY_OK);
  const bool is_float = dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64;
  const oy_dtype pair = dtype == OY_DTYPE_F32 ? OY_DTYPE_C64 : OY_DTYPE_C128;
  oy_tensor* parts = NULL;
  if (is_float) {
    oy_tensor* pairs = oy_to_dtype(x, pair, false, true, oy_none());
    parts = oy_view_as_real(oy_sum_dim_IntList(pairs, dim, false, oy_none()));
  }
  const int64_t inner = s->sizes[s->dim == 2 ? 1 : 2], all = oy_tensor_numel(sum);
  for (int64_t i = 0; i < all; i++) {
    const wanted w = want_of(s, i / inner, i % inner, dtype, nans);
    assert_true(same(element(sum, i), w.sum));
    if (parts) assert_true(same(element(parts, 2 * i), w.sum));
    if (parts) assert_true(element(parts, 2 * i + 1) == 0);
    assert_true(same(element(nansum, i), w.nansum));
    assert_true(same(element(amax, i), w.greatest));
    assert_true(same(element(values, i), w.greatest));
    assert_int_equal((int64_t)element(places, i), w.place);
    assert_int_equal((int64_t)element(argmin, i), w.least_place);
    assert_int_equal(element(any, i) != 0, w.any);
  }
  if (dtype != OY_DTYPE_BF16) check_pairs(s, x, nans);
  oy_scope_close(&scope);
}

static void lines_beside_loops(void** state) {
  (void)state;
  static const shape shapes[] = {
      {{5, 70, 7}, {560, 8, 1}, 2},      // rows with gaps
      {{70, 3, 9}, {54, 18, 1}, 2},      // more of them along another dimension
      {{70, 3, 5}, {60, 20, 2}, 2},      // every other element of them
      {{67, 7, 4}, {28, 4, 1}, 1},       // columns of lines without gaps
      {{301, 5, 3}, {40, 4, 1}, 1},      // with gaps
      {{3, 260, 5}, {1, 20, 3}, 2},      // columns of a permuted one
      {{40, 65, 2}, {130, 2, 1}, 0},     // lines within what is reduced
      {{90, 66, 3}, {1000, 4, 1}, 0},    // with gaps
      {{3, 130, 6}, {780, 6, 1}, 1},     // several matrices of few long columns
      {{3, 130, 6}, {1560, 12, 1}, 1},   // of every other row
      {{60, 10, 5}, {100, 10, 2}, 1},    // every other column
      {{4, 131, 9}, {1441, 11, 1}, 1},   // with gaps
      {{2, 300, 15}, {4800, 16, 1}, 1},  // nearly a strip
      {{20, 6, 3}, {24, 4, 1}, 1},       // fewer lines
      {{30, 13, 40}, {520, 1, 13}, 0},   // permuted within what is reduced
      {{8, 2, 30}, {30, 240, 1}, 2},
      {{2, 150, 41}, {6150, 41, 1}, 1},  // and more
      {{2, 37, 140}, {5180, 140, 1}, 1},
      {{1, 30, 530}, {16000, 531, 1}, 1},
      {{2, 300, 1}, {4800, 16, 1}, 1},
      {{60, 33, 4}, {231, 7, 2}, 0},     // short lines of every other element
      {{70, 300, 3}, {1500, 5, 1}, 0},   // with gaps, more than a block
      {{70, 9, 10}, {108, 12, 1}, 0},    // and fewer
      {{50, 20, 8}, {160, 1, 20}, 0},    // without gaps, of another order
      {{20, 1, 100}, {300, 300, 3}, 0},  // one of three
      {{300, 1, 4}, {7, 7, 2}, 0},       // few columns, with nothing behind the last
      {{300, 4, 1}, {9, 2, 1}, 0},       // and gaps
      {{20000, 2, 2}, {11, 5, 2}, 0},    // in pieces
      {{5, 300, 12}, {12, 60, 1}, 2},    // rows that follow, of another order
      {{3, 70, 9}, {9, 40, 1}, 2},       // with gaps
      {{70, 2, 16}, {32, 16, 1}, 1},     // few rows of many matrices
      {{70, 4, 30}, {120, 30, 1}, 1},
      {{300, 3, 3}, {9, 3, 1}, 1},
      {{50, 34, 3}, {102, 3, 1}, 1},  // and more
      {{7, 40, 9}, {360, 9, 1}, 1},   // few columns of several matrices
      {{5, 33, 16}, {528, 16, 1}, 1},
      {{5, 64, 33}, {2112, 33, 1}, 1},
      {{3, 65, 20}, {1300, 20, 1}, 1},
      {{3, 13, 64}, {832, 64, 1}, 1},
      {{3, 7, 31}, {224, 32, 1}, 1},
      {{3, 2, 17}, {34, 17, 1}, 1},
      {{2, 70, 12}, {840, 12, 1}, 1},      // columns of more than half a vector of bytes
      {{2, 131, 70}, {9170, 70, 1}, 1},    // of more vectors than two
      {{3, 51, 5}, {255, 5, 1}, 1},        // of more than half a vector of words
      {{3, 51, 4}, {204, 4, 1}, 1},        // of all of a vector
      {{2, 67, 301}, {20167, 301, 1}, 1},  // of more than a block
      {{5, 7, 39}, {273, 39, 1}, 2},       // rows of a vector and a part of one
      {{5, 7, 101}, {707, 101, 1}, 2},     // and of several
      {{2, 3, 1000}, {3000, 1000, 1}, 2},
      {{300, 21, 5}, {5, 1500, 1}, 2},     // results of another order, written as a tile
      {{259, 21, 40}, {41, 12000, 1}, 2},  // with gaps
      {{7, 270, 67}, {18090, 1, 270}, 0},  // and of columns
      {{41, 2, 60}, {1, 2460, 41}, 1},     // of rows that follow
      {{16, 27, 2}, {2, 32, 1}, 2},        // short rows that follow, of another order
      {{5, 9, 3}, {3, 15, 1}, 2},
      {{40, 9, 3}, {54, 3, 1}, 2},  // a few short rows at a time, with gaps between them
      {{40, 15, 37}, {1111, 37, 1}, 2},
      {{21, 3, 70}, {500, 71, 1}, 2},
      {{21, 21, 4}, {100, 4, 1}, 2},
      {{70, 50, 5}, {250, 5, 1}, 1},  // few columns of many matrices
      {{53, 71, 7}, {600, 8, 1}, 1},  // with gaps
      {{17, 150, 12}, {1800, 12, 1}, 1},
      {{300, 40, 2}, {80, 2, 1}, 1},
      {{60, 50, 5}, {500, 10, 2}, 1},  // every other of them
      {{30, 40, 8}, {1000, 24, 3}, 1},
      {{20, 100, 12}, {2800, 28, 2}, 1},
      {{33, 250, 3}, {750, 3, 1}, 1},
      {{33, 61, 4}, {244, 4, 1}, 1},
      {{33, 61, 6}, {400, 6, 1}, 1},
      {{2, 3, 1100}, {9900, 3300, 3}, 2},
      {{2, 3, 600}, {3600, 1200, 2}, 2},  // every other element of long rows
      {{300, 1, 10}, {20, 20, 2}, 2},  // of many short rows, in one buffer and in several
      {{7, 30, 13}, {1170, 39, 3}, 2},
      {{19, 1, 200}, {400, 400, 2}, 2},
      {{9, 5, 63}, {2000, 260, 4}, 2},
      {{70, 3, 26}, {78, 26, 1}, 1},    // few rows of many matrices, of several vectors
      {{70, 5, 20}, {120, 24, 1}, 1},   // with gaps
      {{3, 21, 65}, {1365, 65, 1}, 1},  // one column more than four vectors of words
      {{3, 19, 128}, {2432, 128, 1}, 1},
      {{2, 43, 257}, {11051, 257, 1}, 1},
      {{3, 29, 32}, {928, 32, 1}, 1},  // as many columns as registers hold, and some more
      {{3, 31, 39}, {1240, 40, 1}, 1},
      {{2, 40, 75}, {3000, 75, 1}, 1},
      {{300, 29, 35}, {1050, 35, 1}, 1},  // more than stays in a cache
      {{290, 31, 40}, {1240, 1, 31}, 1},
      {{1, 9001, 2}, {18002, 2, 1}, 1},  // places of a few long columns
      {{1, 9001, 3}, {27003, 3, 1}, 1},
      {{2, 147, 4}, {588, 4, 1}, 1},
      {{1, 4099, 4},
       {16396, 4, 1},
       1},  // long columns, several rows of which fill registers
      {{2, 2103, 8}, {16824, 8, 1}, 1},
      {{1, 1061, 16}, {16976, 16, 1}, 1},
      {{1, 2077, 32}, {66464, 32, 1}, 1},
      {{3, 1061, 16}, {17000, 16, 1}, 1},
      {{70, 21, 16}, {336, 16, 1}, 1},  // of many matrices
      {{20, 7, 32}, {224, 32, 1}, 1},
      {{20, 70, 16}, {1200, 16, 1}, 1},
  };
  for (size_t i = 0; i < OY_ARRAY_SIZE(shapes); i++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
      for (int nans = 0; nans < (d < 3 ? 2 : 1); nans++)
        check(&shapes[i], g_dtypes[d], nans);
}

// Results of another order, shared out.
static void results_of_threads(void** state) {
  (void)state;
  static const shape shapes[] = {{{3, 2100, 17}, {35700, 1, 2100}, 0},
                                 {{1100, 19, 5}, {5, 5500, 1}, 2},
                                 {{2001, 5, 21}, {105, 21, 1}, 1}};
  const int threads = oy_get_num_threads();
  assert_int_equal(oy_set_num_threads(2), OY_OK);
  for (size_t i = 0; i < OY_ARRAY_SIZE(shapes); i++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
      check(&shapes[i], g_dtypes[d], d < 3);
  assert_int_equal(oy_set_num_threads(threads), OY_OK);
}

// Sum, greatest and variance of result |i| of dimensions 1 and 3, from the element at |first| of
// each row on.
static void check_both(const double* data, const int64_t* n, int64_t first, int64_t i,
                       oy_tensor* const* got, oy_dtype dtype) {
  double want = 0, squares = 0, greatest = -INFINITY;
  const double count = (double)(n[1] * n[3]);
  for (int64_t b = 0; b < n[1]; b++)
    for (int64_t d = 0; d < n[3]; d++) {
      const int64_t line = (i / n[2] * n[1] + b) * n[2] + i % n[2];
      const double v = data[line * (n[3] + first) + first + d];
      want += v;
      squares += v * v;
      if (!isnan(greatest) && (isnan(v) || v > greatest)) greatest = v;
    }
  // Of bfloat16 a result is rounded, as far as its digits go.
  const double digits = dtype == OY_DTYPE_BF16 ? fabs(want) / 256 : 0;
  const double sum = element(got[0], i);
  assert_true(isnan(want) ? isnan(sum) : fabs(sum - want) <= digits);
  assert_true(same(element(got[1], i), greatest));
  if (!got[2]) return;
  const double var = (squares - want * want / count) / (count - 1);
  const double found = element(got[2], i);
  assert_true(isnan(want) ? isnan(found) : fabs(found - var) <= 0.01 * var);
}

// Short rows of what is reduced, again and again, with what is kept between them, |inside| them, or
// alone; with gaps, and without.
static void check_dimensions(const int64_t* n, oy_dtype dtype, int64_t first, bool nans,
                             bool inside) {
  oy_scope scope;
  oy_scope_open(&scope);
  const int64_t row = n[3] + first, all = n[0] * n[1] * n[2] * row;
  double* data = malloc((size_t)all * sizeof(*data));
  for (int64_t i = 0; i < all; i++) data[i] = value_at(i, dtype, nans);
  oy_tensor* wide =
      oy_tensor_from_data(data, OY_DIMS(n[0], n[1], n[2], row), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  oy_tensor* x =
      oy_narrow(oy_to_dtype(wide, dtype, false, true, oy_none()), 3, first, n[3]);
  const oy_ints turned = OY_DIMS(1, 0, 3, 2);
  if (inside)
    x = oy_permute(oy_contiguous(oy_permute(x, turned), OY_MEMORY_CONTIGUOUS), turned);
  const bool is_float =
      dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64 || dtype == OY_DTYPE_BF16;
  oy_tensor* const got[] = {oy_sum_dim_IntList(x, OY_DIMS(1, 3), false, oy_none()),
                            oy_amax(x, OY_DIMS(1, 3), false),
                            is_float ? oy_var_dim(x, OY_DIMS(1, 3), true, false) : NULL};
  for (int64_t i = 0; i < n[0] * n[2]; i++) check_both(data, n, first, i, got, dtype);
  free(data);
  oy_scope_close(&scope);
}

static void several_dimensions(void** state) {
  (void)state;
  static const int64_t sizes[][4] = {
      {3, 7, 70, 5},   {2, 9, 130, 3},  {1, 40, 6, 7},   {2, 300, 1, 7}, {1, 50, 34, 3},
      {1, 33, 130, 2}, {2, 35, 17, 16}, {3, 5, 4, 2},    {1, 18, 1, 9},  {1, 40, 9, 17},
      {2, 7, 300, 4},  {1, 4000, 3, 5}, {40, 10, 5, 3},  {1, 4, 5, 2},   {7, 70, 1, 60},
      {5, 35, 3, 100}, {2, 33, 15, 67}, {1, 200, 1, 64}, {2, 37, 30, 60}};
  for (size_t s = 0; s < OY_ARRAY_SIZE(sizes); s++)
    for (size_t t = 0; t < OY_ARRAY_SIZE(g_dtypes); t++)
      for (int k = 0; k < (t < 3 ? 4 : 2); k++)
        for (int inside = 0; inside < 2; inside++)
          check_dimensions(sizes[s], g_dtypes[t], k & 1, k & 2, inside);
}

static oy_tensor* sum_down(oy_tensor* x, bool numbers) {
  return numbers ? oy_nansum(x, OY_DIMS(0), false, oy_none())
                 : oy_sum_dim_IntList(x, OY_DIMS(0), false, oy_none());
}

// A last block of a few columns comes to what they do within a wide one.
static void check_threads(oy_dtype dtype, bool numbers) {
  enum { ROWS = 60, WIDTH = 1029 };
  oy_scope scope;
  oy_scope_open(&scope);
  double* data = malloc(sizeof(*data) * ROWS * WIDTH);
  for (int64_t i = 0; i < (int64_t)ROWS * WIDTH; i++)
    data[i] = value_at(i * i, OY_DTYPE_F64, numbers) / 3 + 1e-4 * (double)(i % 97);
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(ROWS, WIDTH), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  free(data);
  oy_tensor* x = oy_to_dtype(wide, dtype, false, true, oy_none());
  const int threads = oy_get_num_threads();
  assert_int_equal(oy_set_num_threads(1), OY_OK);
  oy_tensor* one = sum_down(x, numbers);
  assert_int_equal(oy_set_num_threads(2), OY_OK);
  oy_tensor* two = sum_down(x, numbers);
  assert_int_equal(oy_set_num_threads(threads), OY_OK);
  assert_memory_equal(oy_tensor_data(one), oy_tensor_data(two),
                      (size_t)WIDTH * (dtype == OY_DTYPE_F64 ? 8 : 4));
  // The last columns alone, if they are not so few that they are rows.
  enum { FEWEST = 4, LAST = 37 };
  for (int64_t n = FEWEST; n <= LAST; n++) {
    oy_tensor* last = oy_contiguous(oy_narrow(x, 1, WIDTH - n, n), OY_MEMORY_CONTIGUOUS);
    oy_tensor* few = sum_down(last, numbers);
    for (int64_t i = 0; i < n; i++)
      assert_true(dtype != OY_DTYPE_F64 ||
                  element(few, i) == element(one, WIDTH - n + i));
  }
  oy_scope_close(&scope);
}

static void sums_whatever_the_threads(void** state) {
  (void)state;
  for (int numbers = 0; numbers < 2; numbers++) {
    check_threads(OY_DTYPE_F32, numbers);
    check_threads(OY_DTYPE_F64, numbers);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_beside_loops),
      cmocka_unit_test(results_of_threads),
      cmocka_unit_test(several_dimensions),
      cmocka_unit_test(sums_whatever_the_threads),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
