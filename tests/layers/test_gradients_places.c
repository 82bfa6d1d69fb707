// SPDX-License-Identifier: Apache-2.0
// First and second derivatives where results depend on places that are given: pools at
// random places, max_unpool3d, segments; and of products of three tensors.
#include "layers/differences.h"

#define X      x[0]
#define D(...) OY_DIMS(__VA_ARGS__)
#define NONE   ((oy_tensor*)&oy_none_object)
#define CASE(name, value)                       \
  static oy_tensor* name(oy_tensor* const* x) { \
    return value;                               \
  }
// The first of two results.
#define CASE_OF_2(name, call)                   \
  static oy_tensor* name(oy_tensor* const* x) { \
    oy_tensor *result = NULL, *indices;         \
    return call == OY_OK ? result : NULL;       \
  }
#define BOTH &result, &indices

static oy_tensor *g_samples2, *g_samples3, *g_where, *g_lengths, *g_offsets;

CASE(bilinear, oy_bilinear(X, x[1], x[2], NONE))
CASE(trilinear, oy__trilinear(X, x[1], x[2], D(1, 3), D(0), D(1, 2), D(2, 3), 1))
CASE(trilinear_kept, oy__trilinear(X, x[1], x[2], D(1, 3), D(0), D(1, 2), D(0), 0))
CASE_OF_2(pool2, oy_fractional_max_pool2d(X, D(2, 2), D(3, 2), g_samples2, BOTH))
CASE_OF_2(pool3, oy_fractional_max_pool3d(X, D(2, 1, 2), D(2, 2, 2), g_samples3, BOTH))
CASE(unpool, oy_max_unpool3d(X, g_where, D(2, 3, 2), D(1, 1, 1), D(0, 0, 0)))

#define SEGMENTS(name, how, lengths, offsets, initial) \
  CASE(name,                                           \
       oy_segment_reduce(X, oy_str_of(how), lengths, NONE, offsets, 0, false, initial))
SEGMENTS(segment_sum, "sum", g_lengths, NONE, oy_none())
SEGMENTS(segment_mean, "mean", NONE, g_offsets, oy_none())
SEGMENTS(segment_max, "max", NONE, g_offsets, oy_none())
SEGMENTS(segment_min, "min", NONE, g_offsets, oy_none())
SEGMENTS(segment_prod, "prod", g_lengths, NONE, oy_float(1.5))

static int make_places(void** state) {
  init_library(state);
  static const double samples[] = {0.2, 0.7, 0.9};
  static const int64_t where[] = {1, 10, 4, 7}, lengths[] = {2, 0, 3},
                       offsets[] = {0, 1, 5};
  g_samples2 = oy_tensor_from_data(samples, D(1, 1, 2), OY_DTYPE_F64);
  g_samples3 = oy_tensor_from_data(samples, D(1, 1, 3), OY_DTYPE_F64);
  g_where = oy_tensor_from_data(where, D(1, 2, 2, 1), OY_DTYPE_I64);
  g_lengths = oy_tensor_from_data(lengths, D(3), OY_DTYPE_I64);
  g_offsets = oy_tensor_from_data(offsets, D(3), OY_DTYPE_I64);
  return 0;
}
static int drop_places(void** state) {
  oy_tensor* const all[] = {g_samples2, g_samples3, g_where, g_lengths, g_offsets};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
  return shut_library(state);
}

static void at_places(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"bilinear", bilinear, "2,3 2,2 2,3,2", -2, 2},
      {"_trilinear", trilinear, "2,3 2,3,2 2,2", -2, 2},
      {"_trilinear, more that stays", trilinear_kept, "2,3 2,3,2 2,2", -2, 2},
      {"fractional_max_pool2d", pool2, "1,1,5,4", -2, 2},
      {"fractional_max_pool3d", pool3, "1,1,4,3,4", -2, 2},
      {"max_unpool3d", unpool, "1,2,2,1", -2, 2},
  };
  check_differences(rows, sizeof(rows) / sizeof(*rows), 2);
  check_differences_memory(rows, sizeof(rows) / sizeof(*rows));
}

static void segments(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"segment_reduce, sum", segment_sum, "5,2", -2, 2},
      {"segment_reduce, mean", segment_mean, "5,2", -2, 2},
      {"segment_reduce, max", segment_max, "5,2", -2, 2},
      {"segment_reduce, min", segment_min, "5,2", -2, 2},
      {"segment_reduce, prod", segment_prod, "5,2", -2, 2},
  };
  check_differences(rows, sizeof(rows) / sizeof(*rows), 1);
  check_differences_memory(rows, sizeof(rows) / sizeof(*rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_places),
      cmocka_unit_test(segments),
  };
  return cmocka_run_group_tests(tests, make_places, drop_places);
}
