// SPDX-License-Identifier: Apache-2.0
// Reductions, softmax and norms of rows that are long enough to be shared by several
// work-items, along memory and across it, against the CPU's.
#include <math.h>

#include "gpu/support.h"

#define T(t) oy_value_tensor(t)
#define DIMS(...)                                                \
  oy_value_list(OY_TAG_INT_LIST, (const int64_t[]){__VA_ARGS__}, \
                sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define NONE oy_none()
#define YES  oy_bool(true)
#define NO   oy_bool(false)

// Sizes, and the dimension that is reduced: long rows, long columns, what lies between, few
// of each, numbers that no team divides.
static const struct shape {
  int64_t sizes[3];
  int64_t dim;
} g_shapes[] = {
    {{1, 5, 3001}, 2}, {{1, 3001, 5}, 1},  {{5, 301, 7}, 1}, {{1, 130, 270}, 1},
    {{270, 2, 65}, 2}, {{1, 2, 20011}, 2}, {{3, 17, 2}, 1},  {{900, 3, 2}, 0},
};
enum { SHAPES = sizeof(g_shapes) / sizeof(*g_shapes) };

static void gpu_rows_sums(void** state) {
  (void)state;
  for (int i = 0; i < SHAPES; i++) {
    const struct shape* s = &g_shapes[i];
    const oy_ints sizes = {s->sizes, 3};
    oy_tensor* a = numbers(sizes, OY_DTYPE_F32, 1);
    oy_tensor* turned = numbers_transposed(sizes, OY_DTYPE_F32, 2);
    oy_tensor* stepped = numbers_stepped(sizes, OY_DTYPE_I32, 3);
    CHECK_CALL("aten::sum.dim_IntList", 1e-6, T(a), DIMS(s->dim));
    CHECK_CALL("aten::sum.dim_IntList", 1e-6, T(turned), DIMS(s->dim), YES);
    CHECK_CALL("aten::sum.dim_IntList", 0, T(stepped), DIMS(s->dim));
    CHECK_CALL("aten::sum.dim_IntList", 1e-6, T(turned), DIMS(0, 2));
    CHECK_CALL("aten::sum", 1e-6, T(turned));
    CHECK_CALL("aten::var_mean.correction", 1e-5, T(a), DIMS(s->dim), NONE);
    CHECK_CALL("aten::linalg_vector_norm", 1e-5, T(a), oy_float(2.5), DIMS(s->dim));
    oy_tensor_release(a);
    oy_tensor_release(turned);
    oy_tensor_release(stepped);
  }
}

// Equal ones are many: the first has to be found, and the first NaN.
static void gpu_rows_extremes(void** state) {
  (void)state;
  for (int i = 0; i < SHAPES; i++) {
    const struct shape* s = &g_shapes[i];
    const oy_ints sizes = {s->sizes, 3};
    oy_tensor* small = numbers(sizes, OY_DTYPE_I8, 1);
    oy_tensor* a = numbers(sizes, OY_DTYPE_F32, 2);
    oy_tensor* turned = numbers_transposed(sizes, OY_DTYPE_BF16, 2);
    CHECK_CALL("aten::max.dim", 0, T(small), oy_int(s->dim));
    CHECK_CALL("aten::min.dim", 0, T(turned), oy_int(s->dim), YES);
    CHECK_CALL("aten::argmax", 0, T(small), NONE);
    const int64_t last[3] = {s->sizes[0] - 1, s->sizes[1] - 1, s->sizes[2] - 1};
    const int64_t middle[3] = {last[0] / 2, last[1] / 2, last[2] / 2};
    assert_int_equal(oy_tensor_set(a, (oy_ints){last, 3}, oy_float(NAN)), OY_OK);
    assert_int_equal(oy_tensor_set(a, (oy_ints){middle, 3}, oy_float(NAN)), OY_OK);
    CHECK_CALL("aten::max.dim", 0, T(a), oy_int(s->dim));
    CHECK_CALL("aten::argmin", 0, T(a), NONE);
    CHECK_CALL("aten::amax", 0, T(a), DIMS(s->dim));
    oy_tensor_release(small);
    oy_tensor_release(a);
    oy_tensor_release(turned);
  }
}

static void gpu_rows_softmax(void** state) {
  (void)state;
  for (int i = 0; i < SHAPES; i++) {
    const struct shape* s = &g_shapes[i];
    const oy_ints sizes = {s->sizes, 3};
    oy_tensor* a = numbers(sizes, OY_DTYPE_F32, 1);
    oy_tensor* g = numbers(sizes, OY_DTYPE_F32, 2);
    const oy_value dim = oy_int(s->dim), dtype = oy_int(OY_DTYPE_F32);
    CHECK_CALL("aten::_softmax", 1e-6, T(a), dim, NO);
    CHECK_CALL("aten::_log_softmax", 2e-6, T(a), dim, NO);
    CHECK_CALL("aten::_softmax_backward_data", 2e-4, T(g), T(a), dim, dtype);
    CHECK_CALL("aten::_log_softmax_backward_data", 2e-4, T(g), T(a), dim, dtype);
    oy_tensor_release(a);
    oy_tensor_release(g);
  }
}

static void gpu_rows_layer_norm(void** state) {
  (void)state;
  static const int64_t shapes[][2] = {{3, 2001}, {700, 33}, {70, 9}};
  static const bool all[3] = {true, true, true};
  for (int i = 0; i < 3; i++) {
    const int64_t rows = shapes[i][0], length = shapes[i][1];
    oy_tensor* x = numbers(OY_DIMS(rows, length), OY_DTYPE_F32, 1);
    oy_tensor* g = numbers(OY_DIMS(rows, length), OY_DTYPE_F32, 2);
    oy_tensor* w = numbers(OY_DIMS(length), OY_DTYPE_F32, 3);
    oy_tensor* mean = numbers(OY_DIMS(rows, 1), OY_DTYPE_F32, 5);
    oy_tensor* rstd = numbers(OY_DIMS(rows, 1), OY_DTYPE_F32, 6);
    CHECK_CALL("aten::native_layer_norm", 4e-6, T(x), DIMS(length), T(w), T(w),
               oy_float(1e-5));
    CHECK_CALL("aten::native_layer_norm_backward", 1e-4, T(g), T(x), DIMS(length),
               T(mean), T(rstd), T(w), T(w), oy_value_list(OY_TAG_BOOL_LIST, all, 3));
    oy_tensor* const made[] = {x, g, w, mean, rstd};
    for (size_t k = 0; k < sizeof(made) / sizeof(*made); k++) oy_tensor_release(made[k]);
  }
}

static void gpu_rows_batch_norm(void** state) {
  (void)state;
  static const int64_t shapes[][3] = {{6, 3, 221}, {301, 7, 1}, {2, 70, 3}};
  static const bool all[3] = {true, true, true};
  for (int i = 0; i < 3; i++) {
    const oy_ints sizes = {shapes[i], 3};
    const int64_t channels = shapes[i][1];
    oy_tensor* x = numbers(sizes, OY_DTYPE_F32, 1);
    oy_tensor* g = numbers(sizes, OY_DTYPE_F32, 2);
    oy_tensor* w = numbers(OY_DIMS(channels), OY_DTYPE_F32, 3);
    oy_tensor* mean = numbers(OY_DIMS(channels), OY_DTYPE_F32, 4);
    oy_value made[1];
    oy_value of[] = {T(w)};
    if (call_op("aten::exp", 1, of, made) != 1) fail();
    oy_tensor* spread = made[0].as.object;  // positive
    const oy_value mask = oy_value_list(OY_TAG_BOOL_LIST, all, 3);
    CHECK_CALL("aten::native_batch_norm", 6e-6, T(x), T(w), T(w), T(mean), T(spread), YES,
               oy_float(0.1), oy_float(1e-5));
    CHECK_CALL("aten::native_batch_norm", 6e-6, T(x), T(w), T(w), T(mean), T(spread), NO,
               oy_float(0.1), oy_float(1e-5));
    CHECK_CALL("aten::native_batch_norm_backward", 1e-4, T(g), T(x), T(w), T(mean),
               T(spread), T(mean), T(spread), YES, oy_float(1e-5), mask);
    oy_tensor* const all_made[] = {x, g, w, mean, spread};
    for (size_t k = 0; k < 5; k++) oy_tensor_release(all_made[k]);
  }
}

int main(void) {
  gpu_start();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gpu_rows_sums),       cmocka_unit_test(gpu_rows_extremes),
      cmocka_unit_test(gpu_rows_softmax),    cmocka_unit_test(gpu_rows_layer_norm),
      cmocka_unit_test(gpu_rows_batch_norm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
