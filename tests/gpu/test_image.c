// SPDX-License-Identifier: Apache-2.0
// Convolutions and pooling against the CPU's.
#include "gpu/support.h"

#define T(t)     oy_value_tensor(t)
#define NONE     oy_none()
#define TWO(...) oy_value_list(OY_TAG_INT_LIST, (const int64_t[]){__VA_ARGS__}, 2)

static const bool all[3] = {true, true, true};

static void check_convolution(oy_tensor* x, oy_tensor* w, oy_value bias, int64_t stride,
                              int64_t padding, int64_t dilation, int64_t groups) {
  oy_value made[1];
  oy_value args[] = {T(x),
                     T(w),
                     bias,
                     TWO(stride, stride),
                     TWO(padding, padding),
                     TWO(dilation, dilation),
                     oy_bool(false),
                     TWO(0, 0),
                     oy_int(groups)};
  check_call("aten::convolution", 1e-5, 9, args);
  if (call_op("aten::convolution", 9, args, made) != 1) fail();
  int64_t channels = oy_tensor_size(w, 0);
  CHECK_CALL("aten::convolution_backward", 1e-4, made[0], T(x), T(w),
             oy_value_list(OY_TAG_INT_LIST, &channels, 1), args[3], args[4], args[5],
             args[6], args[7], args[8], oy_value_list(OY_TAG_BOOL_LIST, all, 3));
  oy_value_release(&made[0]);
}

static void gpu_convolution(void** state) {
  (void)state;
  oy_tensor* x = numbers(OY_DIMS(3, 4, 9, 7), OY_DTYPE_F32, 1);
  oy_tensor* turned = numbers_transposed(OY_DIMS(2, 4, 6, 8), OY_DTYPE_F32, 5);
  oy_tensor* w = numbers(OY_DIMS(6, 4, 3, 2), OY_DTYPE_F32, 2);
  oy_tensor* grouped = numbers(OY_DIMS(6, 2, 3, 3), OY_DTYPE_F32, 3);
  oy_tensor* bias = numbers(OY_DIMS(6), OY_DTYPE_F32, 4);
  check_convolution(x, w, T(bias), 1, 1, 1, 1);
  check_convolution(x, w, NONE, 2, 0, 1, 1);
  check_convolution(x, w, T(bias), 2, 2, 2, 1);
  check_convolution(turned, grouped, T(bias), 1, 1, 1, 2);
  CHECK_REFUSED("aten::convolution", T(x), T(bias), NONE, TWO(1, 1), TWO(0, 0), TWO(1, 1),
                oy_bool(false), TWO(0, 0), oy_int(1));
  oy_tensor_release(x);
  oy_tensor_release(turned);
  oy_tensor_release(w);
  oy_tensor_release(grouped);
  oy_tensor_release(bias);
}

// What columns cannot do runs on the CPU.
static void gpu_convolution_elsewhere(void** state) {
  (void)state;
  oy_tensor* x = numbers(OY_DIMS(2, 3, 5, 5), OY_DTYPE_F32, 1);
  oy_tensor* w = numbers(OY_DIMS(3, 2, 3, 3), OY_DTYPE_F32, 2);
  CHECK_CALL("aten::convolution", 1e-5, T(x), T(w), NONE, TWO(1, 1), TWO(0, 0), TWO(1, 1),
             oy_bool(true), TWO(0, 0), oy_int(1));
  oy_tensor_release(x);
  oy_tensor_release(w);
}

static void gpu_max_pool(void** state) {
  (void)state;
  oy_tensor* x = numbers(OY_DIMS(2, 3, 8, 7), OY_DTYPE_F32, 1);
  oy_value made[2];
  oy_value args[] = {T(x), TWO(3, 2), TWO(2, 1), TWO(1, 1), TWO(1, 1), oy_bool(false)};
  check_call("aten::max_pool2d_with_indices", 0, 6, args);
  if (call_op("aten::max_pool2d_with_indices", 6, args, made) != 2) fail();
  CHECK_CALL("aten::max_pool2d_with_indices_backward", 1e-5, made[0], T(x), args[1],
             args[2], args[3], args[4], args[5], made[1]);
  oy_value_release(&made[0]);
  oy_value_release(&made[1]);
  oy_tensor_release(x);
  // Windows that begin and end outside.
  oy_tensor* thin = numbers(OY_DIMS(1, 1, 3, 2), OY_DTYPE_F32, 1);
  CHECK_CALL("aten::max_pool2d_with_indices", 0, T(thin), TWO(2, 2), TWO(1, 1), TWO(0, 1),
             TWO(1, 3), oy_bool(true));
  oy_tensor_release(thin);
}

int main(void) {
  gpu_start();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gpu_convolution),
      cmocka_unit_test(gpu_convolution_elsewhere),
      cmocka_unit_test(gpu_max_pool),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
