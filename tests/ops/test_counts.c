// SPDX-License-Identifier: Apache-2.0
// bincount, and least and greatest elements at once, of every integer dtype, beside plain loops:
// lengths around vectors and pieces, few bins and many, elements with gaps between them.
#include "base/memory.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_U8, OY_DTYPE_I8, OY_DTYPE_I16, OY_DTYPE_I32,
                                    OY_DTYPE_I64};

static int64_t number_at(int64_t i, int64_t bins) {
  return (int64_t)(((uint64_t)i * 0x9e3779b97f4a7c15u) >> 33) % bins;
}

// Every |step|th of n * step numbers below |bins|, |less| subtracted; in the open scope.
static oy_tensor* numbers(int64_t n, int64_t step, int64_t bins, int64_t less,
                          oy_dtype dtype) {
  oy_tensor* all = oy_tensor_empty(OY_DIMS(n * step), OY_DTYPE_I64, oy_device_cpu());
  assert_non_null(oy_scope_take(all));
  for (int64_t i = 0; i < n * step; i++)
    ((int64_t*)oy_tensor_data(all))[i] = number_at(i, bins) - less;
  oy_tensor* typed = oy_to_dtype(all, dtype, false, true, oy_none());
  oy_tensor* view = oy_as_strided(typed, OY_DIMS(n), OY_DIMS(step), oy_none());
  assert_non_null(view);
  return view;
}

static void one_count(int64_t n, int64_t step, int64_t bins, int64_t least,
                      oy_dtype dtype) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = numbers(n, step, bins, 0, dtype);
  oy_tensor* half =
      oy_full(OY_DIMS(n), oy_float(0.5), oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* counted = oy_bincount(x, &oy_none_object, least);
  oy_tensor* weighed = oy_bincount(x, half, least);
  assert_non_null(counted);
  assert_non_null(weighed);
  int64_t* want = calloc((size_t)(bins + least), sizeof(*want));
  int64_t length = least;
  for (int64_t i = 0; i < n; i++) {
    const int64_t at = number_at(i * step, bins);
    want[at]++;
    if (at >= length) length = at + 1;
  }
  assert_int_equal(oy_tensor_numel(counted), length);
  assert_int_equal(oy_tensor_numel(weighed), length);
  for (int64_t i = 0; i < length; i++) {
    assert_int_equal(((const int64_t*)oy_tensor_data(counted))[i], want[i]);
    assert_true(((const float*)oy_tensor_data(weighed))[i] == (float)want[i] / 2);
  }
  free(want);
  oy_scope_close(&scope);
}

static void numbers_are_counted(void** state) {
  (void)state;
  static const int64_t lengths[] = {1, 7, 511, 513, 4095, 4096, 9001};
  static const int64_t bins[] = {1, 9, 127, 256, 257, 1000};
  for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
    for (size_t n = 0; n < OY_ARRAY_SIZE(lengths); n++)
      for (size_t b = 0; b < OY_ARRAY_SIZE(bins); b++) {
        const bool narrow = g_dtypes[d] == OY_DTYPE_I8 || g_dtypes[d] == OY_DTYPE_U8;
        if (bins[b] > (g_dtypes[d] == OY_DTYPE_I8 ? 128 : 256) && narrow) continue;
        for (int64_t step = 1; step < 3; step++) {
          one_count(lengths[n], step, bins[b], 0, g_dtypes[d]);
          one_count(lengths[n], step, bins[b], 300, g_dtypes[d]);
        }
      }
}

// The last one of many, which what was counted before must not be given for.
static void negative_numbers_are_refused(void** state) {
  (void)state;
  for (int64_t n = 10; n <= 10000; n *= 10) {
    oy_tensor* zeros =
        oy_zeros(OY_DIMS(n), oy_int(OY_DTYPE_I16), oy_none(), oy_none(), oy_none());
    assert_non_null(zeros);
    ((int16_t*)oy_tensor_data(zeros))[n - 1] = -1;
    assert_fails(oy_bincount(zeros, &oy_none_object, 0),
                 "bincount only supports 1-d non-negative integral inputs.");
    oy_tensor_release(zeros);
  }
}

static void one_pair(int64_t n, int64_t step, oy_dtype dtype) {
  enum { BINS = 200, LESS = 90 };
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = numbers(n, step, BINS, dtype == OY_DTYPE_U8 ? 0 : LESS, dtype);
  oy_tensor *low, *high;
  assert_int_equal(oy_aminmax(x, oy_none(), false, &low, &high), OY_OK);
  double least = element(x, 0), greatest = least;
  for (int64_t i = 0; i < n; i++) {
    const double value = element(x, i);
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
  }
  assert_true(element(low, 0) == least && element(high, 0) == greatest);
  oy_scope_close(&scope);
}

static void extremes_at_once(void** state) {
  (void)state;
  static const oy_dtype floats[] = {OY_DTYPE_F32, OY_DTYPE_F64};
  for (int64_t n = 1; n < 300; n += n < 40 ? 1 : 13)
    for (int64_t step = 1; step < 3; step++) {
      for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++) one_pair(n, step, g_dtypes[d]);
      for (size_t d = 0; d < OY_ARRAY_SIZE(floats); d++) one_pair(n, step, floats[d]);
    }
}

// Wherever it is.
static void extremes_at_once_of_nan(void** state) {
  (void)state;
  enum { N = 200 };
  for (int64_t at = 0; at < N; at += 7) {
    float values[N] = {0};
    values[at] = NAN;
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* x = oy_tensor_from_data(values, OY_DIMS(N), OY_DTYPE_F32);
    assert_non_null(oy_scope_take(x));
    oy_tensor *low, *high;
    assert_int_equal(oy_aminmax(x, oy_none(), false, &low, &high), OY_OK);
    assert_true(isnan(element(low, 0)) && isnan(element(high, 0)));
    oy_scope_close(&scope);
  }
}

// Those of the type, at all pairs of places of one step and the rest after it.
static void extremes_are_ends(void** state) {
  (void)state;
  enum { N = 150 };
  static const int64_t ends[][2] = {{INT64_MIN, INT64_MAX},
                                    {INT32_MIN, INT32_MAX},
                                    {INT16_MIN, INT16_MAX},
                                    {INT8_MIN, INT8_MAX},
                                    {0, UINT8_MAX}};
  static const oy_dtype dtypes[] = {OY_DTYPE_I64, OY_DTYPE_I32, OY_DTYPE_I16, OY_DTYPE_I8,
                                    OY_DTYPE_U8};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (int at = 0; at < N - 1; at++) {
      int64_t values[N];
      for (int i = 0; i < N; i++) values[i] = 3;
      values[at] = ends[d][0], values[(at * 7 + 1) % N] = ends[d][1];
      if (values[at] != ends[d][0]) continue;
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* wide = oy_tensor_from_data(values, OY_DIMS(N), OY_DTYPE_I64);
      assert_non_null(oy_scope_take(wide));
      oy_tensor* x = oy_to_dtype(wide, dtypes[d], false, false, oy_none());
      oy_tensor *low, *high;
      assert_int_equal(oy_aminmax(x, oy_none(), false, &low, &high), OY_OK);
      oy_scalar least, greatest;
      assert_int_equal(oy_tensor_get(low, (oy_ints){0}, &least), OY_OK);
      assert_int_equal(oy_tensor_get(high, (oy_ints){0}, &greatest), OY_OK);
      assert_true(least.as.i == ends[d][0] && greatest.as.i == ends[d][1]);
      oy_scope_close(&scope);
    }
}

// What is read as another type, along rows and across them: numbers and sums are whole.
static void integers_add_up_in_float(void** state) {
  (void)state;
  static const int64_t widths[] = {1, 3, 16, 100, 255, 256, 257, 1000, 1030};
  enum { ROWS = 37 };
  for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
    for (size_t w = 0; w < OY_ARRAY_SIZE(widths); w++)
      for (int dim = 0; dim < 2; dim++) {
        oy_scope scope;
        oy_scope_open(&scope);
        const int64_t sizes[] = {ROWS, widths[w]};
        oy_tensor* flat = numbers(ROWS * widths[w], 1, 90, 0, g_dtypes[d]);
        oy_tensor* x = oy_view(flat, (oy_ints){sizes, 2});
        const int64_t over[] = {dim};
        oy_tensor* sums =
            oy_sum_dim_IntList(x, (oy_ints){over, 1}, false, oy_int(OY_DTYPE_F32));
        assert_non_null(sums);
        for (int64_t k = 0; k < sizes[1 - dim]; k++) {
          double want = 0;
          for (int64_t i = 0; i < sizes[dim]; i++)
            want += element(x, dim == 0 ? i * widths[w] + k : k * widths[w] + i);
          assert_true(element(sums, k) == want);
        }
        oy_scope_close(&scope);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_counted),
      cmocka_unit_test(negative_numbers_are_refused),
      cmocka_unit_test(extremes_at_once),
      cmocka_unit_test(extremes_at_once_of_nan),
      cmocka_unit_test(extremes_are_ends),
      cmocka_unit_test(integers_add_up_in_float),
  };
  return cmocka_run_group_tests_name("counts", tests, init_library, shut_library);
}
