// SPDX-License-Identifier: Apache-2.0
// Reductions and softmax over dimensions of size 1, of every layout and dtype: what is expected
// is an element, 0 or 1.
#include "base/memory.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32,  OY_DTYPE_F64, OY_DTYPE_F16,
                                    OY_DTYPE_BF16, OY_DTYPE_U8,  OY_DTYPE_I64,
                                    OY_DTYPE_BOOL};

enum { LONG = 37, SHORT = 3, ALL = LONG * SHORT };
static const double g_values[] = {1, -0.0, NAN, 0, -2, INFINITY, 3, -INFINITY};

typedef struct layout {
  oy_ints strides;  // of (LONG, 1, SHORT)
  bool keepdim;
} layout;

static bool is_float(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64 || dtype == OY_DTYPE_F16 ||
         dtype == OY_DTYPE_BF16;
}

static double value_at(int64_t place, oy_dtype dtype) {
  const double x = g_values[place % (int64_t)OY_ARRAY_SIZE(g_values)];
  if (is_float(dtype)) return x;
  if (!isfinite(x)) return dtype == OY_DTYPE_BOOL;
  if (dtype == OY_DTYPE_BOOL) return x != 0;
  return fabs(x);
}

// In the open scope.
static oy_tensor* sample(const layout* l, oy_dtype dtype) {
  enum { ROOM = 4 * ALL };
  double data[ROOM];
  for (int i = 0; i < ROOM; i++) data[i] = value_at(i, dtype);
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(ROOM), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  oy_tensor* typed = oy_to_dtype(wide, dtype, false, true, oy_none());
  return oy_as_strided(typed, OY_DIMS(LONG, 1, SHORT), l->strides, oy_none());
}

typedef enum expected { ELEMENT, SUM, NANSUM, ONE, NOTHING, TRUTH } expected;

static double want_of(double x, expected what) {
  switch (what) {
    case SUM: return x + 0;
    case NANSUM: return isnan(x) ? 0 : x + 0;
    case ONE: return x - x + 1;
    case NOTHING: return x - x;
    case TRUTH: return x != 0;
    default: return x;
  }
}

// Not NULL, of this many elements, each as it should be, and the sign of 0, too.
static void check(const oy_tensor* t, const layout* l, oy_dtype dtype, expected what) {
  assert_non_null(t);
  assert_int_equal(oy_tensor_numel(t), ALL);
  for (int64_t i = 0; i < ALL; i++) {
    const int64_t place = i / SHORT * l->strides.data[0] + i % SHORT * l->strides.data[2];
    const double want = want_of(value_at(place, dtype), what), got = element(t, i);
    if (isnan(want))
      assert_true(isnan(got));
    else
      assert_true(got == want && !signbit(got) == !signbit(want));
  }
}

static void check_zeros(const oy_tensor* t) {
  assert_non_null(t);
  assert_int_equal(t->dtype, OY_DTYPE_I64);
  assert_int_equal(oy_tensor_numel(t), ALL);
  for (int64_t i = 0; i < ALL; i++) assert_true(element(t, i) == 0);
}

typedef oy_status (*pair_fn)(oy_tensor* x, bool keepdim, oy_tensor** a, oy_tensor** b);
static oy_status greatest(oy_tensor* x, bool keepdim, oy_tensor** a, oy_tensor** b) {
  return oy_max_dim(x, 1, keepdim, a, b);
}
static oy_status least(oy_tensor* x, bool keepdim, oy_tensor** a, oy_tensor** b) {
  return oy_min_dim(x, 1, keepdim, a, b);
}
static oy_status median(oy_tensor* x, bool keepdim, oy_tensor** a, oy_tensor** b) {
  return oy_median_dim(x, 1, keepdim, a, b);
}
static oy_status first(oy_tensor* x, bool keepdim, oy_tensor** a, oy_tensor** b) {
  return oy_kthvalue(x, 1, 1, keepdim, a, b);
}
static oy_status mode(oy_tensor* x, bool keepdim, oy_tensor** a, oy_tensor** b) {
  return oy_mode(x, 1, keepdim, a, b);
}

static void check_pairs(oy_tensor* x, const layout* l) {
  static const pair_fn pairs[] = {greatest, least, mode, median, first};
  const size_t count = OY_ARRAY_SIZE(pairs) - (x->dtype == OY_DTYPE_BOOL ? 2 : 0);
  for (size_t i = 0; i < count; i++) {
    oy_tensor *values, *places;
    assert_int_equal(pairs[i](x, l->keepdim, &values, &places), OY_OK);
    check(values, l, x->dtype, ELEMENT);
    check_zeros(places);
  }
  oy_tensor *low, *high;
  assert_int_equal(oy_aminmax(x, oy_int(1), l->keepdim, &low, &high), OY_OK);
  check(low, l, x->dtype, ELEMENT);
  check(high, l, x->dtype, ELEMENT);
}

static void check_layout(const layout* l, oy_dtype dtype) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = sample(l, dtype);
  assert_non_null(x);
  const bool keepdim = l->keepdim;
  check(oy_amax(x, OY_DIMS(1), keepdim), l, dtype, ELEMENT);
  check(oy_amin(x, OY_DIMS(1), keepdim), l, dtype, ELEMENT);
  check(oy_prod_dim_int(x, 1, keepdim, oy_none()), l, dtype, ELEMENT);
  check(oy_sum_dim_IntList(x, OY_DIMS(1), keepdim, oy_none()), l, dtype, SUM);
  check(oy_nansum(x, OY_DIMS(1), keepdim, oy_none()), l, dtype, NANSUM);
  check(oy_any_dim(x, 1, keepdim), l, dtype, TRUTH);
  check(oy_all_dim(x, 1, keepdim), l, dtype, TRUTH);
  check_zeros(oy_argmax(x, oy_int(1), keepdim));
  check_zeros(oy_argmin(x, oy_int(1), keepdim));
  check_pairs(x, l);
  if (is_float(dtype)) {
    check(oy_mean_dim(x, OY_DIMS(1), keepdim, oy_none()), l, dtype, SUM);
    check(oy__softmax(x, 1, false), l, dtype, ONE);
    check(oy__log_softmax(x, 1, false), l, dtype, NOTHING);
  }
  oy_scope_close(&scope);
}

static void elements_are_results(void** state) {
  (void)state;
  const layout layouts[] = {{OY_DIMS(SHORT, SHORT, 1), false},
                            {OY_DIMS(SHORT, 1, 1), true},
                            {OY_DIMS(1, 1, LONG), false},
                            {OY_DIMS(2 * SHORT, 5, 2), true},
                            {OY_DIMS(0, 7, 1), false}};
  for (size_t i = 0; i < OY_ARRAY_SIZE(layouts); i++)
    for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
      check_layout(&layouts[i], g_dtypes[d]);
}

// Complex numbers have no order, but a place where they are alone; outputs may have gaps.
static void places_into_gaps(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x =
      oy_zeros(OY_DIMS(1, 5), oy_int(OY_DTYPE_C64), oy_none(), oy_none(), oy_none());
  oy_tensor* room =
      oy_ones(OY_DIMS(10), oy_int(OY_DTYPE_I64), oy_none(), oy_none(), oy_none());
  oy_tensor* gaps = oy_as_strided(room, OY_DIMS(5), OY_DIMS(2), oy_none());
  assert_non_null(oy_argmax_out(x, oy_int(0), false, gaps));
  assert_elements(room, OY_DIMS(10), 0, 1, 0, 1, 0, 1, 0, 1, 0, 1);
  assert_fails(oy_argmax(x, oy_int(1), false),
               "\"argmax_cpu\" not implemented for 'ComplexFloat'");
  oy_scope_close(&scope);
}

static bool is_same(double got, double want) {
  return isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(want);
}

// 1 times a complex number by the plain formula: an infinite part makes the other one NaN.
static void products_of_complex_numbers(void** state) {
  (void)state;
  enum { NUMBERS = 8 * 8 };
  static const oy_dtype dtypes[] = {OY_DTYPE_C64, OY_DTYPE_C128};
  double data[2 * NUMBERS];
  for (int i = 0; i < NUMBERS; i++)
    data[2 * i] = g_values[i % 8], data[2 * i + 1] = g_values[i / 8];
  for (int k = 0; k < 4; k++) {
    oy_scope scope;
    oy_scope_open(&scope);
    const int64_t step = k % 2 + 1;
    oy_tensor* wide =
        oy_tensor_from_data(data, OY_DIMS(NUMBERS / step, 1, step), OY_DTYPE_C128);
    assert_non_null(oy_scope_take(wide));
    oy_tensor* x =
        oy_select_int(oy_to_dtype(wide, dtypes[k / 2], false, true, oy_none()), 2, 0);
    oy_tensor* product = oy_view_as_real(oy_prod_dim_int(x, 1, false, oy_none()));
    oy_tensor* running = oy_view_as_real(oy_cumprod(x, 1, oy_none()));
    for (int64_t i = 0; i < NUMBERS / step; i++) {
      const double re = data[2 * i * step], im = data[2 * i * step + 1];
      const double want[] = {1 * re - 0 * im, 1 * im + 0 * re};
      for (int j = 0; j < 2; j++) {
        assert_true(is_same(element(product, 2 * i + j), want[j]));
        assert_true(is_same(element(running, 2 * i + j), want[j]));
      }
    }
    oy_scope_close(&scope);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_are_results),
      cmocka_unit_test(places_into_gaps),
      cmocka_unit_test(products_of_complex_numbers),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
