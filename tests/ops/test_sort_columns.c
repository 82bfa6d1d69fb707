// SPDX-License-Identifier: Apache-2.0
// Lines that are columns, sorted and selected from through copies: as many as go together, one
// more, and those of the last of several dimensions.
#include "base/memory.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16,
                                    OY_DTYPE_U8, OY_DTYPE_I64};

// Whole numbers, many of them equal, and NaN.
static double value_at(int64_t place, oy_dtype dtype) {
  const uint64_t mixed = ((uint64_t)place * 0x9e3779b97f4a7c15u) >> 40;
  const bool is_float = dtype != OY_DTYPE_U8 && dtype != OY_DTYPE_I64;
  if (is_float && mixed % 29 == 0) return NAN;
  return (double)(mixed % 50);
}

// Whether |a| may come before |b|: NaN is the greatest.
static bool in_order(double a, double b, bool descending) {
  if (descending) return in_order(b, a, false);
  return isnan(b) || a <= b;
}

typedef struct columns {
  int64_t outer, n, inner;
} columns;

// |kept| of each line are there, in order; places tell where they come from, equal ones in
// theirs if it is |stable|.
static void check_lines(const columns* c, oy_tensor* x, oy_tensor* values,
                        oy_tensor* places, int64_t kept, bool descending, bool stable) {
  assert_int_equal(oy_tensor_numel(values), c->outer * kept * c->inner);
  for (int64_t o = 0; o < c->outer; o++)
    for (int64_t i = 0; i < c->inner; i++) {
      bool seen[512] = {false};
      double before = 0;
      int64_t place_before = -1;
      for (int64_t k = 0; k < kept; k++) {
        const int64_t at = (o * kept + k) * c->inner + i;
        const double v = element(values, at);
        const int64_t place = (int64_t)element(places, at);
        assert_true(place >= 0 && place < c->n && !seen[place]);
        seen[place] = true;
        const double from = element(x, (o * c->n + place) * c->inner + i);
        assert_true(from == v || (isnan(from) && isnan(v)));
        assert_true(k == 0 || in_order(before, v, descending));
        if (stable && k > 0 && in_order(v, before, descending))
          assert_true(place > place_before);
        before = v, place_before = place;
      }
      // What is left out does not come before the last one.
      for (int64_t k = 0; k < c->n; k++)
        assert_true(seen[k] || in_order(before, element(x, (o * c->n + k) * c->inner + i),
                                        descending));
    }
}

static void check(const columns* c, oy_dtype dtype) {
  oy_scope scope;
  oy_scope_open(&scope);
  const int64_t all = c->outer * c->n * c->inner;
  double* data = malloc((size_t)all * sizeof(*data));
  for (int64_t i = 0; i < all; i++) data[i] = value_at(i, dtype);
  oy_tensor* wide =
      oy_tensor_from_data(data, OY_DIMS(c->outer, c->n, c->inner), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  free(data);
  oy_tensor* x = oy_to_dtype(wide, dtype, false, true, oy_none());
  oy_tensor *values, *places;
  for (int descending = 0; descending < 2; descending++) {
    assert_int_equal(oy_sort_stable(x, oy_bool(true), 1, descending, &values, &places),
                     OY_OK);
    check_lines(c, x, values, places, c->n, descending, true);
    assert_int_equal(oy_topk(x, 3, 1, descending, true, &values, &places), OY_OK);
    check_lines(c, x, values, places, 3, descending, false);
  }
  oy_scope_close(&scope);
}

static void columns_are_lines(void** state) {
  (void)state;
  static const columns shapes[] = {{1, 16, 16},  {1, 17, 35}, {2, 40, 33},
                                   {3, 200, 17}, {1, 15, 40}, {2, 64, 15}};
  for (size_t i = 0; i < OY_ARRAY_SIZE(shapes); i++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++) check(&shapes[i], g_dtypes[d]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_lines),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
