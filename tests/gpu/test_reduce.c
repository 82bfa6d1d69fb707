// SPDX-License-Identifier: Apache-2.0
// Reductions, softmax and norms against the CPU's.
#include <math.h>

#include "gpu/support.h"

#define T(t) oy_value_tensor(t)
#define DIMS(...)                                                \
  oy_value_list(OY_TAG_INT_LIST, (const int64_t[]){__VA_ARGS__}, \
                sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define NONE oy_none()
#define YES  oy_bool(true)

// What no kernel knows the results of is the CPU's.
static void gpu_reduce_to_complex(void** state) {
  (void)state;
  oy_tensor* ones = oy_tensor_empty(OY_DIMS(3), OY_DTYPE_I16, oy_device_cpu());
  for (int64_t i = 0; i < 3; i++)
    assert_int_equal(oy_tensor_set(ones, OY_DIMS(i), oy_int(i + 2)), OY_OK);
  oy_tensor* there = to_gpu(ones, 0);
  const oy_value args[] = {T(there), DIMS(0), oy_bool(false), oy_int(OY_DTYPE_C128)};
  const oy_value of_one[] = {T(there), oy_int(0), oy_bool(false), oy_int(OY_DTYPE_C128)};
  oy_value made[2];
  assert_int_equal(call_op("aten::nansum", 4, args, &made[0]), 1);
  assert_int_equal(call_op("aten::prod.dim_int", 4, of_one, &made[1]), 1);
  static const double want[2] = {2 + 3 + 4, 2 * 3 * 4};
  for (int i = 0; i < 2; i++) {
    oy_tensor* got = to_cpu(made[i].as.object);
    const double* data = oy_tensor_data(got);
    assert_true(data[0] == want[i] && data[1] == 0);
    oy_tensor_release(got);
    oy_value_release(&made[i]);
  }
  oy_tensor_release(ones);
  oy_tensor_release(there);
}

static void gpu_reduce_sums(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(6, 5, 37), OY_DTYPE_F32, 1);
  oy_tensor* turned = numbers_transposed(OY_DIMS(6, 5, 7), OY_DTYPE_F32, 2);
  oy_tensor* ints = numbers(OY_DIMS(6, 5), OY_DTYPE_I32, 3);
  oy_tensor* none = numbers(OY_DIMS(4, 0, 3), OY_DTYPE_F32, 3);
  oy_tensor* half = numbers(OY_DIMS(9, 33), OY_DTYPE_F16, 4);
  CHECK_CALL("aten::sum", 1e-6, T(a));
  CHECK_CALL("aten::sum.dim_IntList", 1e-6, T(a), DIMS(2));
  CHECK_CALL("aten::sum.dim_IntList", 1e-6, T(a), DIMS(0, -1), YES);
  CHECK_CALL("aten::sum.dim_IntList", 1e-6, T(turned), DIMS(1));
  CHECK_CALL("aten::sum.dim_IntList", 0, T(ints), DIMS(0));
  CHECK_CALL("aten::sum.dim_IntList", 0, T(none), DIMS(1));
  CHECK_CALL("aten::sum.dim_IntList", 1e-3, T(half), DIMS(1));
  CHECK_CALL("aten::mean.dim", 1e-6, T(a), DIMS(1));
  CHECK_CALL("aten::mean", 1e-6, T(a));
  CHECK_CALL("aten::prod.dim_int", 1e-5, T(turned), oy_int(1));
  CHECK_REFUSED("aten::sum.dim_IntList", T(a), DIMS(3));
  CHECK_REFUSED("aten::mean.dim", T(ints), DIMS(0));
  CHECK_REFUSED("aten::mean.out", T(a), DIMS(0), YES, NONE, T(ints));
  oy_tensor_release(a);
  oy_tensor_release(turned);
  oy_tensor_release(ints);
  oy_tensor_release(none);
  oy_tensor_release(half);
}

// Large enough that one result is made in parts.
static void gpu_reduce_parts(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(3, 40000), OY_DTYPE_F32, 1);
  CHECK_CALL("aten::sum", 1e-6, T(a));
  CHECK_CALL("aten::sum.dim_IntList", 1e-6, T(a), DIMS(1));
  CHECK_CALL("aten::max.dim", 0, T(a), oy_int(1));
  CHECK_CALL("aten::var.correction", 1e-6, T(a), DIMS(0, 1), oy_int(1));
  oy_tensor_release(a);
}

static void gpu_reduce_extremes(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(8, 9), OY_DTYPE_F32, 1);
  oy_tensor* b = numbers(OY_DIMS(8, 9), OY_DTYPE_I64, 1);
  oy_tensor* flags = numbers(OY_DIMS(8, 9), OY_DTYPE_BOOL, 2);
  oy_tensor* none = numbers(OY_DIMS(0), OY_DTYPE_F32, 2);
  if (oy_tensor_set(a, OY_DIMS(2, 3), oy_float(NAN)) != OY_OK) fail();
  CHECK_CALL("aten::amax", 0, T(a), DIMS(1));
  CHECK_CALL("aten::amin", 0, T(a), DIMS(0), YES);
  CHECK_CALL("aten::max", 0, T(a));
  CHECK_CALL("aten::max.dim", 0, T(a), oy_int(1), YES);
  CHECK_CALL("aten::min.dim", 0, T(b), oy_int(0));
  CHECK_CALL("aten::argmax", 0, T(a), oy_int(-1));
  CHECK_CALL("aten::argmin", 0, T(b), NONE);
  CHECK_CALL("aten::any", 0, T(flags));
  CHECK_CALL("aten::all.dim", 0, T(flags), oy_int(1));
  CHECK_CALL("aten::count_nonzero", 0, T(b), NONE);
  CHECK_REFUSED("aten::max", T(none));
  oy_tensor_release(a);
  oy_tensor_release(b);
  oy_tensor_release(flags);
  oy_tensor_release(none);
}

static void gpu_reduce_spread(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(7, 20), OY_DTYPE_F32, 1);
  CHECK_CALL("aten::var.correction", 1e-6, T(a), DIMS(1), oy_int(1));
  CHECK_CALL("aten::std.correction", 1e-6, T(a), DIMS(0), oy_int(0));
  CHECK_CALL("aten::var_mean.correction", 1e-6, T(a), DIMS(1), NONE);
  CHECK_CALL("aten::linalg_vector_norm", 1e-6, T(a), oy_int(2), DIMS(1));
  CHECK_CALL("aten::linalg_vector_norm", 1e-6, T(a), oy_int(1), NONE);
  CHECK_CALL("aten::linalg_vector_norm", 1e-6, T(a), oy_float(INFINITY), DIMS(0));
  CHECK_CALL("aten::linalg_vector_norm", 1e-5, T(a), oy_float(2.5), DIMS(1));
  oy_tensor_release(a);
}

static void gpu_softmax(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(4, 35, 3), OY_DTYPE_F32, 1);
  oy_tensor* g = numbers(OY_DIMS(4, 35, 3), OY_DTYPE_F32, 2);
  oy_tensor* turned = numbers_transposed(OY_DIMS(4, 35), OY_DTYPE_F32, 3);
  CHECK_CALL("aten::_softmax", 1e-6, T(a), oy_int(1), oy_bool(false));
  CHECK_CALL("aten::_softmax", 1e-6, T(turned), oy_int(-1), oy_bool(false));
  CHECK_CALL("aten::_log_softmax", 2e-6, T(a), oy_int(2), oy_bool(false));
  CHECK_CALL("aten::_softmax_backward_data", 1e-5, T(g), T(a), oy_int(1),
             oy_int(OY_DTYPE_F32));
  CHECK_CALL("aten::_log_softmax_backward_data", 1e-4, T(g), T(a), oy_int(1),
             oy_int(OY_DTYPE_F32));
  oy_tensor_release(a);
  oy_tensor_release(g);
  oy_tensor_release(turned);
}

static void gpu_layer_norm(void** state) {
  (void)state;
  oy_tensor* x = numbers(OY_DIMS(5, 4, 6), OY_DTYPE_F32, 1);
  oy_tensor* g = numbers(OY_DIMS(5, 4, 6), OY_DTYPE_F32, 2);
  oy_tensor* w = numbers(OY_DIMS(4, 6), OY_DTYPE_F32, 3);
  oy_tensor* b = numbers(OY_DIMS(4, 6), OY_DTYPE_F32, 4);
  oy_tensor* mean = numbers(OY_DIMS(5, 1, 1), OY_DTYPE_F32, 5);
  oy_tensor* rstd = numbers(OY_DIMS(5, 1, 1), OY_DTYPE_F32, 6);
  static const bool all[3] = {true, true, true};
  CHECK_CALL("aten::native_layer_norm", 2e-6, T(x), DIMS(4, 6), T(w), T(b),
             oy_float(1e-5));
  CHECK_CALL("aten::native_layer_norm", 2e-6, T(x), DIMS(4, 6), NONE, NONE,
             oy_float(1e-5));
  CHECK_CALL("aten::native_layer_norm_backward", 1e-4, T(g), T(x), DIMS(4, 6), T(mean),
             T(rstd), T(w), T(b), oy_value_list(OY_TAG_BOOL_LIST, all, 3));
  oy_tensor_release(x);
  oy_tensor_release(g);
  oy_tensor_release(w);
  oy_tensor_release(b);
  oy_tensor_release(mean);
  oy_tensor_release(rstd);
}

static void gpu_batch_norm(void** state) {
  (void)state;
  oy_tensor* x = numbers(OY_DIMS(5, 3, 4, 2), OY_DTYPE_F32, 1);
  oy_tensor* g = numbers(OY_DIMS(5, 3, 4, 2), OY_DTYPE_F32, 2);
  oy_tensor* w = numbers(OY_DIMS(3), OY_DTYPE_F32, 3);
  oy_tensor* b = numbers(OY_DIMS(3), OY_DTYPE_F32, 4);
  oy_tensor* mean = numbers(OY_DIMS(3), OY_DTYPE_F32, 5);
  oy_value made[1];
  oy_value of[] = {T(b)};
  if (call_op("aten::exp", 1, of, made) != 1) fail();
  oy_tensor* spread = made[0].as.object;  // positive
  static const bool all[3] = {true, true, true};
  CHECK_CALL("aten::native_batch_norm", 3e-6, T(x), T(w), T(b), T(mean), T(spread), YES,
             oy_float(0.1), oy_float(1e-5));
  CHECK_CALL("aten::native_batch_norm", 3e-6, T(x), T(w), T(b), T(mean), T(spread),
             oy_bool(false), oy_float(0.1), oy_float(1e-5));
  CHECK_CALL("aten::native_batch_norm_backward", 1e-4, T(g), T(x), T(w), T(mean),
             T(spread), T(mean), T(spread), YES, oy_float(1e-5),
             oy_value_list(OY_TAG_BOOL_LIST, all, 3));
  CHECK_CALL("aten::native_batch_norm_backward", 1e-4, T(g), T(x), T(w), T(mean),
             T(spread), NONE, NONE, oy_bool(false), oy_float(1e-5),
             oy_value_list(OY_TAG_BOOL_LIST, all, 3));
  oy_tensor_release(x);
  oy_tensor_release(g);
  oy_tensor_release(w);
  oy_tensor_release(b);
  oy_tensor_release(mean);
  oy_tensor_release(spread);
}

// Statistics and parameters of several dtypes in one call.
static void gpu_norm_mixed(void** state) {
  (void)state;
  oy_tensor* x = numbers(OY_DIMS(5, 3), OY_DTYPE_F16, 1);
  oy_tensor* g = numbers(OY_DIMS(5, 3), OY_DTYPE_F16, 2);
  oy_tensor* mean = numbers(OY_DIMS(3), OY_DTYPE_BF16, 3);
  oy_tensor* spread = numbers(OY_DIMS(3), OY_DTYPE_F16, 4);
  oy_tensor* means = numbers(OY_DIMS(5, 1), OY_DTYPE_BF16, 3);
  oy_tensor* rstds = numbers(OY_DIMS(5, 1), OY_DTYPE_F16, 4);
  oy_tensor* w = numbers(OY_DIMS(3), OY_DTYPE_F16, 5);
  oy_tensor* var = numbers(OY_DIMS(3), OY_DTYPE_F32, 6);
  static const bool all[3] = {true, true, true};
  const oy_value mask = oy_value_list(OY_TAG_BOOL_LIST, all, 3);
  CHECK_CALL("aten::native_batch_norm_backward", 4e-3, T(g), T(x), T(w), NONE, NONE,
             T(mean), T(spread), YES, oy_float(0.5), mask);
  CHECK_CALL("aten::native_layer_norm_backward", 4e-3, T(g), T(x), DIMS(3), T(means),
             T(rstds), T(w), T(w), mask);
  CHECK_CALL("aten::_native_batch_norm_legit", 4e-3, T(x), T(w), NONE, T(mean), T(var),
             YES, oy_float(0.5), oy_float(0.5));
  oy_tensor* const made[] = {x, g, mean, spread, means, rstds, w, var};
  for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) oy_tensor_release(made[i]);
}

int main(void) {
  gpu_start();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gpu_reduce_to_complex), cmocka_unit_test(gpu_reduce_sums),
      cmocka_unit_test(gpu_reduce_parts),      cmocka_unit_test(gpu_reduce_extremes),
      cmocka_unit_test(gpu_reduce_spread),     cmocka_unit_test(gpu_softmax),
      cmocka_unit_test(gpu_layer_norm),        cmocka_unit_test(gpu_batch_norm),
      cmocka_unit_test(gpu_norm_mixed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
