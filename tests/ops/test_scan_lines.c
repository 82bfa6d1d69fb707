// SPDX-License-Identifier: Apache-2.0
// Running sums, products and extremes of lines that lie in every way beside each other, beside
// plain loops: few and many columns, short rows, gaps, single elements, in place.
#include "base/memory.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_U8,  OY_DTYPE_I32, OY_DTYPE_I64};

typedef struct shape {
  int64_t sizes[3], strides[3];
  int dim;
} shape;

// Whole numbers whose sums and products bfloat16 has exactly, in short lines; never -0.
static double value_at(int64_t place, oy_dtype dtype) {
  const uint64_t mixed = ((uint64_t)place * 0x9e3779b97f4a7c15u) >> 40;
  static const double values[] = {1, 2, 1, -1, 1, -2, 1};
  const double x = values[mixed % OY_ARRAY_SIZE(values)];
  return dtype == OY_DTYPE_U8 ? fabs(x) : x;
}

static int64_t place_of(const shape* s, int64_t i) {
  const int64_t c = i % s->sizes[2], b = i / s->sizes[2] % s->sizes[1];
  return i / s->sizes[2] / s->sizes[1] * s->strides[0] + b * s->strides[1] +
         c * s->strides[2];
}

typedef struct scans {
  oy_tensor *sum, *product, *greatest, *places;
} scans;

// Element |i| of each, whose line begins at |line| in the memory of the input.
static void check_element(const scans* r, const shape* s, oy_dtype dtype, int64_t i,
                          int64_t line, int64_t upto) {
  double sum = 0, product = 1, greatest = -INFINITY;
  int64_t place = 0;
  for (int64_t k = 0; k <= upto; k++) {
    const double x = value_at(line + k * s->strides[s->dim], dtype);
    sum += x;
    product *= x;
    if (x >= greatest) greatest = x, place = k;
  }
  assert_true(element(r->sum, i) == sum);
  assert_true(element(r->product, i) == product);
  assert_true(element(r->greatest, i) == greatest);
  assert_int_equal((int64_t)element(r->places, i), place);
}

static oy_tensor* sample(const shape* s, oy_dtype dtype) {
  int64_t room = 1;
  for (int d = 0; d < 3; d++) room += (s->sizes[d] - 1) * s->strides[d];
  double* data = malloc((size_t)room * sizeof(*data));
  for (int64_t i = 0; i < room; i++) data[i] = value_at(i, dtype);
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(room), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  free(data);
  oy_tensor* typed = oy_to_dtype(wide, dtype, false, true, oy_none());
  return oy_as_strided(typed, (oy_ints){s->sizes, 3}, (oy_ints){s->strides, 3},
                       oy_none());
}

static void check(const shape* s, oy_dtype dtype) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = sample(s, dtype);
  assert_non_null(x);
  scans r = {.sum = oy_cumsum(x, s->dim, oy_none()),
             .product = oy_cumprod(x, s->dim, oy_none())};
  assert_int_equal(oy_cummax(x, s->dim, &r.greatest, &r.places), OY_OK);
  for (int64_t i = 0; i < oy_tensor_numel(x); i++) {
    int64_t upto = i;
    for (int d = 2; d > s->dim; d--) upto /= s->sizes[d];
    upto %= s->sizes[s->dim];
    check_element(&r, s, dtype, i, place_of(s, i) - upto * s->strides[s->dim], upto);
  }
  if (oy_dtype_is_floating(dtype)) {
    oy_tensor* same = oy_cumsum_(x, s->dim, oy_none());
    for (int64_t i = 0; i < oy_tensor_numel(x); i++)
      assert_true(element(same, i) == element(r.sum, i));
  }
  oy_scope_close(&scope);
}

static void lines_beside_loops(void** state) {
  (void)state;
  static const shape shapes[] = {
      {{40, 3, 9}, {27, 9, 1}, 2},   // rows of several dimensions
      {{40, 3, 9}, {60, 20, 2}, 2},  // with gaps
      {{2, 50, 3}, {300, 6, 2}, 2},  // few of the nearest
      {{30, 9, 3}, {27, 3, 1}, 1},   // columns: fewer than a group
      {{30, 9, 4}, {36, 4, 1}, 1},   // one group, and two that overlap, and so on
      {{30, 5, 7}, {35, 7, 1}, 1},
      {{30, 5, 11}, {60, 12, 1}, 1},
      {{30, 5, 15}, {75, 15, 1}, 1},
      {{3, 6, 16}, {96, 16, 1}, 1},
      {{70, 3, 20}, {60, 20, 1}, 1},  // blocks that follow each other, in several pieces
      {{4, 8, 128}, {1024, 128, 1}, 1},
      {{3, 6, 37}, {222, 37, 1}, 1},
      {{3, 5, 35}, {175, 35, 1}, 1},   // strips of which the last one is short
      {{3, 33, 17}, {561, 17, 1}, 1},  // long ones
      {{3, 7, 20}, {140, 20, 1}, 1},   // all of some vectors, and a part of one
      {{2, 40, 33}, {1320, 33, 1}, 1},
      {{2, 3, 1100}, {3300, 1100, 1}, 1},
      {{2, 9, 1033}, {9306, 1034, 1}, 1},
      {{2, 150, 5}, {750, 5, 1}, 1},  // in more pieces than one
      {{3, 90, 15}, {1350, 15, 1}, 1},
      {{2, 129, 4}, {516, 4, 1}, 1},
      {{9, 4, 19}, {76, 1, 4}, 2},
      {{5, 7, 11}, {77, 11, 1}, 0},  // all that is kept follows
      {{6, 40, 5}, {1, 30, 6}, 0},   // permuted
      {{6, 12, 5},
       {60, 1, 12},
       0},  // results of a few that are apart, and of many that are not
      {{6, 20, 5}, {100, 1, 20}, 0},
      {{9, 2, 3}, {6, 3, 1}, 0},  // two, three, four and five rows of columns, and gaps
      {{9, 1, 2}, {2, 2, 1}, 0},
      {{9, 1, 3}, {4, 4, 1}, 0},
      {{9, 5, 1}, {1, 9, 9}, 0},
      {{4, 6, 9}, {130, 20, 2}, 1},  // columns with gaps, few, long, far apart and turned
      {{4, 40, 21}, {1700, 42, 2}, 1},
      {{3, 9, 16}, {440, 48, 3}, 1},
      {{5, 6, 7}, {1, 100, 700}, 1},
      {{5, 6, 7}, {43, 1, 6}, 1},
      {{6, 1, 35}, {35, 35, 1}, 1},  // single elements
      {{6, 1, 35}, {1, 7, 9}, 1},
  };
  for (size_t i = 0; i < OY_ARRAY_SIZE(shapes); i++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++) check(&shapes[i], g_dtypes[d]);
}

// Sums and products of complex numbers down columns, and a -0 that is alone.
static void parts_of_complex_numbers(void** state) {
  (void)state;
  enum { N = 5, COLUMNS = 9, ALL = 2 * N * COLUMNS };
  static const oy_dtype dtypes[] = {OY_DTYPE_C64, OY_DTYPE_C128};
  for (size_t t = 0; t < OY_ARRAY_SIZE(dtypes); t++)
    for (int64_t columns = 1; columns <= COLUMNS; columns++) {
      oy_scope scope;
      oy_scope_open(&scope);
      double data[ALL];
      for (int i = 0; i < ALL; i++) data[i] = value_at(i, OY_DTYPE_F64);
      oy_tensor* plain = oy_tensor_from_data(data, OY_DIMS(N, columns, 2), OY_DTYPE_F64);
      assert_non_null(oy_scope_take(plain));
      oy_tensor* x =
          oy_to_dtype(oy_view_as_complex(plain), dtypes[t], false, true, oy_none());
      oy_tensor* sums = oy_view_as_real(oy_cumsum(x, 0, oy_none()));
      oy_tensor* products = oy_view_as_real(oy_cumprod(x, 0, oy_none()));
      for (int64_t c = 0; c < columns; c++) {
        double re = 1, im = 0;
        for (int64_t i = 0; i < N; i++) {
          const int64_t at = 2 * (i * columns + c);
          const double was = re, a = data[at], b = data[at + 1];
          re = was * a - im * b;
          im = was * b + im * a;
          assert_true(element(products, at) == re && element(products, at + 1) == im);
        }
      }
      for (int64_t c = 0; c < 2 * columns; c++) {
        double sum = 0;
        for (int64_t i = 0; i < N; i++) {
          sum += data[i * 2 * columns + c];
          assert_true(element(sums, i * 2 * columns + c) == sum);
        }
      }
      oy_scope_close(&scope);
    }
  oy_tensor* zeros = F32(OY_DIMS(2, 1), -0.0f, -0.0f);
  oy_tensor *sum = oy_cumsum(zeros, 1, oy_none()),
            *product = oy_cumprod(zeros, 1, oy_none());
  assert_true(!signbit(element(sum, 0)) && !signbit(element(sum, 1)));
  assert_true(signbit(element(product, 0)) && signbit(element(product, 1)));
  oy_tensor_release(product);
  oy_tensor_release(sum);
  oy_tensor_release(zeros);
}

// Columns that are one and the same.
static void expanded_columns(void** state) {
  (void)state;
  enum { OUTER = 3, N = 7, COLUMNS = 6 };
  const shape flat = {{1, OUTER, N}, {1, N, 1}, 2};
  for (size_t t = 0; t < OY_ARRAY_SIZE(g_dtypes); t++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* lines = oy_unsqueeze(oy_select_int(sample(&flat, g_dtypes[t]), 0, 0), 2);
    oy_tensor* x = oy_expand(lines, OY_DIMS(OUTER, N, COLUMNS), false);
    oy_tensor* sums = oy_contiguous(oy_cumsum(x, 1, oy_none()), OY_MEMORY_CONTIGUOUS);
    assert_non_null(sums);
    for (int64_t b = 0; b < OUTER; b++)
      for (int64_t c = 0; c < COLUMNS; c++) {
        double sum = 0;
        for (int64_t i = 0; i < N; i++) {
          sum += value_at(b * N + i, g_dtypes[t]);
          assert_true(element(sums, (b * N + i) * COLUMNS + c) == sum);
        }
      }
    oy_scope_close(&scope);
  }
}

// Blocks of a few columns, which follow each other with gaps in two dimensions.
static void blocks_of_columns(void** state) {
  (void)state;
  enum { OUTER = 3, INNER = 4, N = 3, MOST = 18, DOWN = 20 };
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_I32, OY_DTYPE_I64, OY_DTYPE_C64};
  const shape flat = {{1, 1, 2 * OUTER * INNER * N * DOWN}, {1, 1, 1}, 2};
  for (size_t t = 0; t < OY_ARRAY_SIZE(dtypes); t++)
    for (int64_t columns = 1; columns <= MOST; columns++) {
      oy_scope scope;
      oy_scope_open(&scope);
      const int64_t strides[] = {2 * INNER * N * DOWN, N * DOWN, DOWN, 1};
      oy_tensor* x =
          oy_as_strided(sample(&flat, dtypes[t]), OY_DIMS(OUTER, INNER, N, columns),
                        (oy_ints){strides, 4}, oy_none());
      oy_tensor* sums = oy_cumsum(x, 2, oy_none());
      oy_tensor* products = oy_cumprod(x, 2, oy_none());
      if (dtypes[t] == OY_DTYPE_C64) sums = oy_real(sums), products = oy_real(products);
      sums = oy_contiguous(sums, OY_MEMORY_CONTIGUOUS);
      products = oy_contiguous(products, OY_MEMORY_CONTIGUOUS);
      assert_non_null(products);
      for (int64_t i = 0; i < OUTER * INNER * N * columns; i++) {
        const int64_t at = i / columns % N, block = i / columns / N;
        const int64_t begin = block / INNER * strides[0] + block % INNER * strides[1];
        double sum = 0, product = 1;
        for (int64_t k = 0; k <= at; k++) {
          const double here = value_at(begin + k * DOWN + i % columns, dtypes[t]);
          sum += here;
          product *= here;
        }
        assert_true(element(sums, i) == sum);
        assert_true(element(products, i) == product);
      }
      oy_scope_close(&scope);
    }
}

// Products of complex whole numbers, which are exact, of one line and of several, together and
// apart.
static void products_of_complex_numbers(void** state) {
  (void)state;
  enum { N = 9, MOST = 6, ALL = 2 * N * MOST };
  static const oy_dtype dtypes[] = {OY_DTYPE_C64, OY_DTYPE_C128};
  for (size_t t = 0; t < OY_ARRAY_SIZE(dtypes); t++)
    for (int64_t lines = 1; lines <= MOST; lines++)
      for (int64_t dim = 0; dim < 2; dim++) {
        oy_scope scope;
        oy_scope_open(&scope);
        double data[ALL];
        for (int i = 0; i < ALL; i++) data[i] = value_at(i, OY_DTYPE_F64);
        const oy_ints sizes = dim ? OY_DIMS(lines, N, 2) : OY_DIMS(N, lines, 2);
        oy_tensor* plain = oy_tensor_from_data(data, sizes, OY_DTYPE_F64);
        assert_non_null(oy_scope_take(plain));
        oy_tensor* x =
            oy_to_dtype(oy_view_as_complex(plain), dtypes[t], false, true, oy_none());
        oy_tensor* products = oy_view_as_real(oy_cumprod(x, dim, oy_none()));
        for (int64_t l = 0; l < lines; l++) {
          double real = 1, imaginary = 0;
          for (int64_t i = 0; i < N; i++) {
            const int64_t at = 2 * (dim ? l * N + i : i * lines + l);
            const double a = data[at], b = data[at + 1], before = real;
            real = before * a - imaginary * b;
            imaginary = before * b + imaginary * a;
            assert_true(element(products, at) == real);
            assert_true(element(products, at + 1) == imaginary);
          }
        }
        oy_scope_close(&scope);
      }
}

// Longer lines with NaN, zeros of either sign and what is as great as the best so far.
static double mixed_at(int64_t place, oy_dtype dtype) {
  const uint64_t mixed = ((uint64_t)place * 0x9e3779b97f4a7c15u) >> 40;
  const double x = (double)(mixed % 201) - 100;
  if (dtype == OY_DTYPE_U8) return fabs(x);
  if (dtype == OY_DTYPE_BOOL) return mixed % 3 == 0;
  if (dtype == OY_DTYPE_I8 || dtype == OY_DTYPE_I16 || dtype == OY_DTYPE_I32 ||
      dtype == OY_DTYPE_I64)
    return x;
  return mixed % 97 == 0 ? NAN : mixed % 5 == 0 ? -0.0 : x;
}

static void check_extremes(const shape* s, oy_dtype dtype, bool is_least) {
  oy_scope scope;
  oy_scope_open(&scope);
  int64_t room = 1;
  for (int d = 0; d < 3; d++) room += (s->sizes[d] - 1) * s->strides[d];
  double* data = malloc((size_t)room * sizeof(*data));
  for (int64_t i = 0; i < room; i++) data[i] = mixed_at(i, dtype);
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(room), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  oy_tensor* x =
      oy_as_strided(oy_to_dtype(wide, dtype, false, true, oy_none()),
                    (oy_ints){s->sizes, 3}, (oy_ints){s->strides, 3}, oy_none());
  oy_tensor *values, *places;
  assert_int_equal((is_least ? oy_cummin : oy_cummax)(x, s->dim, &values, &places),
                   OY_OK);
  for (int64_t i = 0; i < oy_tensor_numel(x); i++) {
    int64_t upto = i, place = 0;
    for (int d = 2; d > s->dim; d--) upto /= s->sizes[d];
    upto %= s->sizes[s->dim];
    const int64_t step = s->strides[s->dim], line = place_of(s, i) - upto * step;
    double best = data[line];
    for (int64_t k = 0; k <= upto; k++) {
      const double here = data[line + k * step];
      const bool is_better = is_least ? here <= best : here >= best;
      if (isnan(here) || (!isnan(best) && is_better)) best = here, place = k;
    }
    const double got = element(values, i);
    assert_true(isnan(best) ? isnan(got)
                            : got == best && !signbit(got) == !signbit(best));
    assert_int_equal((int64_t)element(places, i), place);
  }
  free(data);
  oy_scope_close(&scope);
}

static void extremes_beside_loops(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {
      OY_DTYPE_F32,  OY_DTYPE_F64, OY_DTYPE_BF16, OY_DTYPE_F16, OY_DTYPE_U8,
      OY_DTYPE_BOOL, OY_DTYPE_I8,  OY_DTYPE_I16,  OY_DTYPE_I32, OY_DTYPE_I64};
  static const shape shapes[] = {
      {{20, 150, 2}, {300, 2, 1}, 1},  // a few neighbours
      {{40, 30, 5}, {1, 200, 40}, 0},  // read in another order than results have
      {{40, 30, 5}, {1, 200, 40}, 1},   {{40, 30, 5}, {1, 200, 40}, 2},
      {{1, 300, 7}, {2100, 1, 300}, 1}, {{1, 300, 7}, {2100, 1, 300}, 2},
      {{3, 7, 300}, {2100, 1, 7}, 2},   {{20, 70, 3}, {250, 3, 1}, 1},
      {{5, 131, 8}, {1100, 8, 1}, 1},   {{5, 99, 9}, {1000, 10, 1}, 1},   // with gaps
      {{5, 99, 16}, {1584, 16, 1}, 1},  {{3, 70, 17}, {1190, 17, 1}, 1},  // more
      {{3, 20, 70}, {2800, 140, 2}, 2},  // lines with gaps, of which the results have none
      {{3, 40, 90}, {3600, 1, 40}, 2},  {{2, 2, 1500}, {6000, 3000, 2}, 2},
      {{4, 9, 8}, {144, 16, 2}, 2},
  };
  for (size_t i = 0; i < OY_ARRAY_SIZE(shapes); i++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
      for (int is_least = 0; is_least < 2; is_least++)
        check_extremes(&shapes[i], dtypes[d], is_least);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_beside_loops),
      cmocka_unit_test(parts_of_complex_numbers),
      cmocka_unit_test(blocks_of_columns),
      cmocka_unit_test(expanded_columns),
      cmocka_unit_test(products_of_complex_numbers),
      cmocka_unit_test(extremes_beside_loops),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
