// SPDX-License-Identifier: Apache-2.0
// Lines of every length up to some vectors, and some longer ones, sorted as plain insertion
// sorts them: equal elements in their order, zeros of either sign equal, NaN the greatest.
#include "base/memory.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {
    OY_DTYPE_BOOL, OY_DTYPE_U8,  OY_DTYPE_I8,   OY_DTYPE_I16, OY_DTYPE_I32,
    OY_DTYPE_I64,  OY_DTYPE_F16, OY_DTYPE_BF16, OY_DTYPE_F32, OY_DTYPE_F64};

enum { LONGEST = 2100 };

// The least and greatest numbers of each dtype among others, |kinds| of them; of 64 bits some
// that differ in their lowest bits only.
static double value_at(int64_t place, oy_dtype dtype, int64_t kinds) {
  const uint64_t mixed = ((uint64_t)(place + 1) * 0x9e3779b97f4a7c15u) >> 33;
  const bool is_float = oy_dtype_is_floating(dtype);
  if (dtype == OY_DTYPE_BOOL) return mixed % 2;
  if (is_float && mixed % 13 == 0) return NAN;
  if (is_float && mixed % 13 == 1) return mixed % 2 ? 0.0 : -0.0;
  if (is_float && mixed % 13 == 2) return mixed % 2 ? INFINITY : -INFINITY;
  if (!is_float && mixed % 13 == 0)
    return dtype == OY_DTYPE_U8 ? 255 : dtype == OY_DTYPE_I8 ? -128 : -32768;
  const double number = (double)(mixed % (uint64_t)kinds);
  if (dtype == OY_DTYPE_F64 && kinds > 7) return 1 + number * 0x1p-52;
  if (dtype == OY_DTYPE_I64 && mixed % 13 == 1) return -0x1p62;
  return dtype == OY_DTYPE_U8 ? number : number - (double)(kinds / 2);
}

// Whether |a| comes before |b| wherever they are.
static bool is_before(double a, double b, bool descending) {
  if (descending) return isnan(a) ? !isnan(b) : a > b;
  return isnan(b) ? !isnan(a) : a < b;
}

static void sort_plainly(int64_t* places, const double* x, int64_t n, bool descending) {
  for (int64_t i = 0; i < n; i++) {
    int64_t at = i;
    for (; at > 0 && is_before(x[i], x[places[at - 1]], descending); at--)
      places[at] = places[at - 1];
    places[at] = i;
  }
}

// Three lines of |n|, next to each other or |across|.
static void check(int64_t n, oy_dtype dtype, bool descending, bool across) {
  enum { LINES = 3 };
  static double data[LINES * LONGEST];
  static int64_t places[LONGEST];
  oy_scope scope;
  oy_scope_open(&scope);
  for (int64_t i = 0; i < LINES * n; i++) data[i] = value_at(i, dtype, n % 2 ? 100 : 7);
  oy_tensor* wide = oy_tensor_from_data(
      data, across ? OY_DIMS(n, LINES) : OY_DIMS(LINES, n), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  oy_tensor* x = oy_to_dtype(wide, dtype, false, true, oy_none());
  if (across) x = oy_t(x);
  oy_tensor *values, *from;
  assert_non_null(x);
  assert_int_equal(oy_sort_stable(x, oy_bool(true), 1, descending, &values, &from),
                   OY_OK);
  for (int64_t line = 0; line < LINES; line++) {
    double* row = data + line * n;
    for (int64_t i = 0; i < n; i++) row[i] = element(x, line * n + i);
    sort_plainly(places, row, n, descending);
    for (int64_t i = 0; i < n; i++) {
      assert_int_equal(element(from, line * n + i), places[i]);
      const double got = element(values, line * n + i), wanted = row[places[i]];
      assert_true(isnan(wanted) ? isnan(got)
                                : got == wanted && !signbit(got) == !signbit(wanted));
    }
  }
  oy_scope_close(&scope);
}

static void lines_are_sorted(void** state) {
  (void)state;
  static const int64_t longer[] = {127, 128, 129,  255,  257,
                                   511, 520, 1024, 1031, LONGEST};
  for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++) {
    for (int64_t n = 1; n <= 70; n++)
      for (int turned = 0; turned < 4; turned++)
        check(n, g_dtypes[d], turned & 1, turned >> 1);
    for (size_t i = 0; i < OY_ARRAY_SIZE(longer); i++)
      check(longer[i], g_dtypes[d], i % 2, i % 3 == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_sorted),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
