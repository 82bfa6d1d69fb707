// SPDX-License-Identifier: Apache-2.0
// Order and running values, over dtypes and layouts. What the operators give was
// computed by PyTorch 1.13.
#include <math.h>
#include <string.h>

#include "ops/op_rows.h"
#include "support/tensors.h"

static void order_and_running_values(void** state) {
  (void)state;
  static const op_row rows[] = {
#include "ops/sort_rows.def"
  };
  check_op_rows(rows, sizeof(rows) / sizeof(*rows));
}

// Long lines, for the sort by digits and the selection, against what must hold.
static void long_lines_come_in_order(void** state) {
  (void)state;
  enum { N = 5000 };
  float* data = malloc(N * sizeof(float));
  uint32_t seed = 1;
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(int)(seed >> 20) - 2048;
  }
  oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(N), OY_DTYPE_F32);
  oy_tensor *values, *places, *most, *where;
  assert_int_equal(oy_sort_stable(x, oy_bool(true), 0, true, &values, &places), OY_OK);
  const float* v = oy_tensor_data(values);
  const int64_t* p = oy_tensor_data(places);
  for (int i = 0; i < N; i++) {
    assert_true(v[i] == data[p[i]]);
    if (i > 0) assert_true(v[i - 1] > v[i] || (v[i - 1] == v[i] && p[i - 1] < p[i]));
  }
  assert_int_equal(oy_topk(x, 20, 0, true, true, &most, &where), OY_OK);
  assert_memory_equal(oy_tensor_data(most), v, 20 * sizeof(float));
  // The least of every other element, of which few are wanted: steps, and NaN comes last.
  oy_tensor *step, *least, *at;
  data[2] = NAN;
  memcpy(oy_tensor_data(x), data, N * sizeof(float));
  step = oy_tensor_as_strided(x, OY_DIMS(N / 2), OY_DIMS(2), 0);
  assert_int_equal(oy_topk(step, 20, 0, false, true, &least, &at), OY_OK);
  v = oy_tensor_data(least);
  p = oy_tensor_data(at);
  for (int i = 0; i < 20; i++) assert_true(v[i] == data[2 * p[i]]);
  for (int i = 1; i < 20; i++) assert_true(v[i - 1] <= v[i]);
  int below = 0;
  for (int i = 0; i < N; i += 2) below += data[i] < v[19];
  assert_in_range(below, 0, 19);
  oy_tensor* const made[] = {at, least, step, most, where, values, places, x};
  for (int k = 0; k < 8; k++) oy_tensor_release(made[k]);
  free(data);
}

// A few of lines that are not long: in their order, each where it is said to be, and no other
// element before the last of them. Equal ones are many.
static void few_of_short_lines_come_in_order(void** state) {
  (void)state;
  enum { N = 700, FEW = 9 };
  float data[N];
  uint32_t seed = 7;
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(int)(seed >> 24) - 128;
  }
  for (int64_t n = FEW + 1; n <= N; n += 23)
    for (int64_t k = 1; k <= FEW; k++)
      for (int largest = 0; largest < 2; largest++) {
        oy_tensor *x = oy_tensor_from_data(data, OY_DIMS(n), OY_DTYPE_F32), *values, *at;
        assert_int_equal(oy_topk(x, k, 0, largest, true, &values, &at), OY_OK);
        const float* v = oy_tensor_data(values);
        const int64_t* p = oy_tensor_data(at);
        const float sign = largest ? -1.0f : 1.0f;
        int before = 0;
        for (int64_t i = 0; i < n; i++) before += sign * data[i] < sign * v[k - 1];
        assert_in_range(before, 0, k - 1);
        for (int64_t i = 0; i < k; i++) {
          assert_true(v[i] == data[p[i]]);
          if (i > 0) assert_true(sign * v[i - 1] <= sign * v[i]);
          for (int64_t other = 0; other < i; other++) assert_true(p[other] != p[i]);
        }
        oy_tensor_release(values);
        oy_tensor_release(at);
        oy_tensor_release(x);
      }
}

typedef struct numbered {
  double value;
  int64_t place;
} numbered;

// NaN last, equal ones in the order of their places.
static int by_value(const void* a, const void* b) {
  const numbered *x = a, *y = b;
  if (isnan(x->value) != isnan(y->value)) return isnan(x->value) ? 1 : -1;
  if (x->value < y->value) return -1;
  if (x->value > y->value) return 1;
  return x->place < y->place ? -1 : 1;
}

static void expect_place(oy_tensor* value, oy_tensor* place, const numbered* want) {
  assert_int_equal(*(const int64_t*)oy_tensor_data(place), want->place);
  const float found = *(const float*)oy_tensor_data(value);
  assert_true(found == (float)want->value || (isnan(found) && isnan(want->value)));
  oy_tensor_release(value);
  oy_tensor_release(place);
}

static void check_order(int64_t n, int kinds, int64_t nans) {
  float* data = malloc((size_t)n * sizeof(float));
  numbered* want = malloc((size_t)n * sizeof(*want));
  uint32_t seed = (uint32_t)n;
  for (int64_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = i % 5 == 2 && nans-- > 0 ? NAN : (float)(int)(seed >> 9 & 0xffff) / 8 - 99;
    if (kinds && !isnan(data[i])) data[i] = (float)((seed >> 20) % (uint32_t)kinds);
    want[i] = (numbered){data[i], i};
  }
  qsort(want, (size_t)n, sizeof(*want), by_value);
  int64_t numbers = n;
  while (numbers > 0 && isnan(want[numbers - 1].value)) numbers--;
  oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(n), OY_DTYPE_F32);
  oy_tensor *value, *place;
  assert_int_equal(oy_median_dim(x, 0, false, &value, &place), OY_OK);
  expect_place(value, place, &want[numbers < n ? numbers : (n - 1) / 2]);
  assert_int_equal(oy_nanmedian_dim(x, 0, false, &value, &place), OY_OK);
  expect_place(value, place, &want[numbers ? (numbers - 1) / 2 : 0]);
  for (int64_t k = 1; k <= n; k += n / 3 + 1) {
    assert_int_equal(oy_kthvalue(x, k, 0, false, &value, &place), OY_OK);
    expect_place(value, place, &want[k - 1]);
  }
  oy_tensor* all = oy_nanmedian(x);
  const float middle = (float)want[numbers ? (numbers - 1) / 2 : 0].value;
  const float found = *(const float*)oy_tensor_data(all);
  assert_true(found == middle || (isnan(found) && isnan(middle)));
  assert_int_equal(oy_sort_stable(x, oy_bool(true), 0, false, &value, &place), OY_OK);
  for (int64_t i = 0; i < n; i++)
    assert_int_equal(((const int64_t*)oy_tensor_data(place))[i], want[i].place);
  oy_tensor* const made[] = {x, all, value, place};
  for (int k = 0; k < 4; k++) oy_tensor_release(made[k]);
  free(data);
  free(want);
}

// Lengths around where the ways to sort and to select change, against the C library's sort.
static void ranks_in_lines_of_any_length(void** state) {
  (void)state;
  static const int64_t lengths[] = {1, 2, 16, 17, 31, 63, 64, 65, 300, 2047, 2048, 2049};
  for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
    check_order(lengths[i], 0, 0);
    check_order(lengths[i], 0, 3);
    check_order(lengths[i], 3, lengths[i] / 10);
    check_order(lengths[i], 1, 0);
  }
}

// The running logarithm against the sum in long double; steps up, down, to infinity.
static void running_logarithms_of_sums(void** state) {
  (void)state;
  enum { N = 1200 };
  double data[N];
  uint32_t seed = 3;
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = i == 0 || i == 7 ? -INFINITY : (double)(seed >> 16) / 600 - 80;
  }
  data[1] = 0, data[2] = -60;  // what log(1 + x) is there for
  data[N - 10] = 900;
  data[N - 5] = INFINITY;
  oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(N), OY_DTYPE_F64);
  oy_tensor* y = oy_logcumsumexp(x, 0);
  const double* found = oy_tensor_data(y);
  long double sum = 0;
  for (int i = 0; i < N; i++) {
    sum += expl((long double)data[i]);
    const double want = i == 2 ? (double)log1pl(expl(-60.0L)) : (double)logl(sum);
    assert_true(found[i] == want || fabs(found[i] - want) <= 1e-13 * fabs(want));
  }
  oy_tensor_release(x);
  oy_tensor_release(y);
}

static void check_extremes(int64_t n, bool is_least, oy_dtype dtype) {
  double* data = malloc((size_t)n * sizeof(double));
  uint32_t seed = (uint32_t)n + 1;
  for (int64_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (double)(seed >> 24);
  }
  if (n > 40 && dtype != OY_DTYPE_I64) data[40] = NAN;
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(n), OY_DTYPE_F64);
  oy_tensor* x = oy_to_dtype(wide, dtype, false, false, oy_none());
  oy_tensor *values, *places;
  assert_int_equal(
      is_least ? oy_cummin(x, 0, &values, &places) : oy_cummax(x, 0, &values, &places),
      OY_OK);
  oy_tensor* back = oy_to_dtype(values, OY_DTYPE_F64, false, false, oy_none());
  int64_t best = 0;
  for (int64_t i = 0; i < n; i++) {
    if ((is_least ? data[i] <= data[best] : data[i] >= data[best]) || isnan(data[i]))
      best = i;
    const double found = ((const double*)oy_tensor_data(back))[i];
    assert_int_equal(((const int64_t*)oy_tensor_data(places))[i], best);
    assert_true(found == data[best] || (isnan(found) && isnan(data[best])));
  }
  oy_tensor* const made[] = {wide, x, values, places, back};
  for (int k = 0; k < 5; k++) oy_tensor_release(made[k]);
  free(data);
}

// Lines of whole vectors and with something left over, against a plain loop.
static void running_extremes_of_lines(void** state) {
  (void)state;
  static const int64_t lengths[] = {1, 3, 4, 7, 8, 13, 16, 39, 63, 64, 203};
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I64};
  for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
    for (size_t d = 0; d < 3; d++)
      for (int least = 0; least < 2; least++)
        check_extremes(lengths[i], least, dtypes[d]);
}

// Of short lines one after the other, zeros of either sign are the same, so that the last of
// them stands, as it is; and from a NaN on there are NaNs, the last one's place.
static void running_extremes_of_zeros_and_nan(void** state) {
  (void)state;
  enum { N = 11, LINES = 3 };
  const double line[N] = {-1, 0.0, -0.0, -2, 0.0, -0.0, -3, NAN, 5, NAN, 7};
  const int64_t greatest[N] = {0, 1, 2, 2, 4, 5, 5, 7, 7, 9, 9};
  const int64_t least[N] = {0, 0, 0, 3, 3, 3, 6, 7, 7, 9, 9};
  double data[LINES][N];
  for (int l = 0; l < LINES; l++) memcpy(data[l], line, sizeof(line));
  oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(LINES, N), OY_DTYPE_F64);
  for (int is_least = 0; is_least < 2; is_least++) {
    oy_tensor *values, *places;
    assert_int_equal(
        is_least ? oy_cummin(x, 1, &values, &places) : oy_cummax(x, 1, &values, &places),
        OY_OK);
    for (int i = 0; i < LINES * N; i++) {
      const int64_t want = is_least ? least[i % N] : greatest[i % N];
      const double found = ((const double*)oy_tensor_data(values))[i];
      assert_int_equal(((const int64_t*)oy_tensor_data(places))[i], want);
      assert_memory_equal(&found, &line[want], sizeof(found));
    }
    oy_tensor_release(values);
    oy_tensor_release(places);
  }
  oy_tensor_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_and_running_values),
      cmocka_unit_test(long_lines_come_in_order),
      cmocka_unit_test(few_of_short_lines_come_in_order),
      cmocka_unit_test(ranks_in_lines_of_any_length),
      cmocka_unit_test(running_logarithms_of_sums),
      cmocka_unit_test(running_extremes_of_lines),
      cmocka_unit_test(running_extremes_of_zeros_and_nan),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
