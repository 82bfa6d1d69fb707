// SPDX-License-Identifier: Apache-2.0
// Sums of rows that come again further on, into one result and into those of what is kept within
// what is reduced, beside plain loops.
#include "base/memory.h"
#include "opyard/threads.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {
    OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_F16, OY_DTYPE_BF16, OY_DTYPE_U8,  OY_DTYPE_I8,
    OY_DTYPE_I16, OY_DTYPE_I32, OY_DTYPE_I64, OY_DTYPE_C64,  OY_DTYPE_C128};

typedef struct shape {
  int64_t sizes[3], strides[3];
} shape;

// Lengths on both sides of what is taken at once, with gaps, and what is kept in the middle.
static const shape g_shapes[] = {
    {{3, 5, 33}, {200, 40, 1}},      {{70, 1, 34}, {40, 40, 1}},
    {{2, 9, 64}, {900, 70, 1}},      {{67, 3, 130}, {700, 140, 1}},
    {{5, 20, 160}, {3600, 180, 1}},  {{5, 20, 161}, {3600, 180, 1}},
    {{3, 40, 256}, {12000, 260, 1}}, {{3, 40, 257}, {12000, 260, 1}},
    {{4, 8, 50}, {400, 50, 1}},      {{9, 7, 50}, {350, 50, 1}},
    {{2, 1100, 40}, {44000, 40, 1}}, {{6, 30, 45}, {1, 400, 6}},
};

static double value_at(int64_t place, oy_dtype dtype) {
  const uint64_t mixed = ((uint64_t)place * 0x9e3779b97f4a7c15u) >> 40;
  const double x = (double)(mixed % 5) - 2;
  return dtype == OY_DTYPE_U8 ? fabs(x) : x;
}

// With |odd| at place |where|, or none if that is below 0.
static oy_tensor* sample(const shape* s, oy_dtype dtype, int64_t where, double odd) {
  int64_t room = 1;
  for (int d = 0; d < 3; d++) room += (s->sizes[d] - 1) * s->strides[d];
  double* data = malloc((size_t)room * sizeof(*data));
  assert_non_null(data);
  for (int64_t i = 0; i < room; i++) data[i] = i == where ? odd : value_at(i, dtype);
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(room), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  free(data);
  oy_tensor* typed = oy_to_dtype(wide, dtype, false, true, oy_none());
  return oy_as_strided(typed, (oy_ints){s->sizes, 3}, (oy_ints){s->strides, 3},
                       oy_none());
}

static double part(oy_tensor* t, int64_t i) {
  if (!oy_dtype_is_complex(t->dtype)) return element(t, i);
  oy_tensor* parts = oy_contiguous(oy_view_as_real(t), OY_MEMORY_CONTIGUOUS);
  assert_true(element(parts, 2 * i + 1) == 0);
  return element(parts, 2 * i);
}

// In float, as 16 bits have only some of the whole numbers.
static oy_value wide_for(oy_dtype dtype) {
  const bool is_short = dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16;
  return is_short ? oy_int(OY_DTYPE_F32) : oy_none();
}

static void check(const shape* s, oy_dtype dtype) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = sample(s, dtype, -1, 0);
  oy_tensor* all = oy_sum(x, wide_for(dtype));
  oy_tensor* kept = oy_sum_dim_IntList(x, OY_DIMS(0, 2), false, wide_for(dtype));
  assert_non_null(kept);
  double total = 0;
  for (int64_t j = 0; j < s->sizes[1]; j++) {
    double sum = 0;
    for (int64_t i = 0; i < s->sizes[0]; i++)
      for (int64_t k = 0; k < s->sizes[2]; k++)
        sum += value_at(i * s->strides[0] + j * s->strides[1] + k * s->strides[2], dtype);
    assert_true(part(kept, j) == sum);
    total += sum;
  }
  assert_true(part(all, 0) == total);
  oy_scope_close(&scope);
}

static void sums_beside_loops(void** state) {
  (void)state;
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    for (size_t i = 0; i < OY_ARRAY_SIZE(g_shapes); i++)
      for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
        check(&g_shapes[i], g_dtypes[d]);
  }
}

// One that is infinite, or no number, in the last row.
static void endless_sums(void** state) {
  (void)state;
  static const double odd[] = {INFINITY, -INFINITY, NAN};
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_shapes); i++)
    for (size_t k = 0; k < OY_ARRAY_SIZE(odd); k++) {
      const shape* s = &g_shapes[i];
      int64_t last = 0;
      for (int d = 0; d < 3; d++) last += (s->sizes[d] - 1) * s->strides[d];
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* x = sample(s, OY_DTYPE_F32, last, odd[k]);
      const double got = element(oy_sum(x, oy_none()), 0);
      assert_true(isnan(odd[k]) ? isnan(got) : got == odd[k]);
      const double numbers = element(oy_nansum(x, (oy_ints){0}, false, oy_none()), 0);
      assert_true(isnan(odd[k]) ? !isnan(numbers) : numbers == odd[k]);
      oy_scope_close(&scope);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_beside_loops),
                                     cmocka_unit_test(endless_sums)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
