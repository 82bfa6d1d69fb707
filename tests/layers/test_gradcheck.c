// SPDX-License-Identifier: Apache-2.0
// oy_gradcheck and oy_gradgradcheck themselves: what they find right, what wrong, and what
// they cannot tell.
#include "support/tensors.h"

static oy_status mul_exp(void* data, oy_tensor* const* in, size_t count,
                         oy_tensor** outputs, size_t* out_count) {
  (void)data, (void)count;
  outputs[0] = oy_mul_Tensor(oy_exp(in[0]), in[1]);
  outputs[1] = oy_sum(in[0], oy_none());
  *out_count = 2;
  return outputs[0] && outputs[1] ? OY_OK : oy_error_get()->code;
}

// A gradient that is |*data| times as long as it should be.
static oy_status stretch(void* data, oy_tensor* grad, oy_tensor** out_grad) {
  *out_grad = oy_mul_Scalar(grad, oy_float(*(double*)data));
  return *out_grad ? OY_OK : oy_error_get()->code;
}
static oy_status stretched(void* data, oy_tensor* const* in, size_t count,
                           oy_tensor** outputs, size_t* out_count) {
  (void)count;
  outputs[0] = oy_mul_Tensor(in[0], in[0]);
  *out_count = 1;
  if (!outputs[0]) return oy_error_get()->code;
  return oy_register_hook(outputs[0], stretch, data, NULL) ? OY_OK : oy_error_get()->code;
}

static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}

static void ENG_16_right_gradients(void** state) {
  (void)state;
  oy_tensor* in[] = {leaf(F64(OY_DIMS(2, 3), 1, -2, 0.5, 0.1, 2, -1)),
                     leaf(F64(OY_DIMS(3), 2, -1, 0.3))};
  assert_int_equal(oy_gradcheck(mul_exp, NULL, in, 2, NULL), OY_OK);
  assert_int_equal(oy_gradgradcheck(mul_exp, NULL, in, 2, NULL), OY_OK);
  // The inputs are as before.
  assert_elements(in[1], OY_DIMS(3), 2, -1, 0.3);
  assert_null(oy_grad(in[0]));
  oy_tensor_release(in[0]);
  oy_tensor_release(in[1]);
}

static oy_status complex_square(void* data, oy_tensor* const* in, size_t count,
                                oy_tensor** outputs, size_t* out_count) {
  (void)data, (void)count;
  outputs[0] = oy_mul_Tensor(in[0], oy_conj_physical(in[1]));
  outputs[1] = oy_abs(in[0]);
  *out_count = 2;
  return outputs[0] && outputs[1] ? OY_OK : oy_error_get()->code;
}

static void ENG_16_complex(void** state) {
  (void)state;
  const double data[] = {1, 2, -0.5, 0.3};
  oy_tensor* in[2];
  for (int i = 0; i < 2; i++)
    in[i] = leaf(oy_tensor_from_data(data, OY_DIMS(2), OY_DTYPE_C128));
  assert_int_equal(oy_gradcheck(complex_square, NULL, in, 2, NULL), OY_OK);
  oy_tensor_release(in[0]);
  oy_tensor_release(in[1]);
}

static void ENG_16_wrong_gradients(void** state) {
  (void)state;
  oy_tensor* x = leaf(F64(OY_DIMS(2), 1, 2));
  double right = 1, wrong = 1.5;
  assert_int_equal(oy_gradcheck(stretched, &right, &x, 1, NULL), OY_OK);
  assert_int_equal(oy_gradcheck(stretched, &wrong, &x, 1, NULL), OY_FAILED_PRECONDITION);
  assert_error(
      "Jacobian mismatch for output 0 with respect to input 0,\n"
      "numerical:tensor([[2.0000, 0.0000],\n        [0.0000, 4.0000]], "
      "dtype=torch.float64)\n"
      "analytical:tensor([[3., 0.],\n        [0., 6.]], dtype=torch.float64)\n");
  // As wrong as is allowed.
  oy_gradcheck_options loose = {.rtol = 0.6};
  assert_int_equal(oy_gradcheck(stretched, &wrong, &x, 1, &loose), OY_OK);
  oy_tensor_release(x);
}

static oy_status other_each_time(void* data, oy_tensor* grad, oy_tensor** out_grad) {
  double* by = data;
  *by += 1e-9;
  *out_grad = oy_mul_Scalar(grad, oy_float(*by));
  return *out_grad ? OY_OK : oy_error_get()->code;
}
static oy_status wavering(void* data, oy_tensor* const* in, size_t count,
                          oy_tensor** outputs, size_t* out_count) {
  (void)count;
  outputs[0] = oy_mul_Tensor(in[0], in[0]);
  *out_count = 1;
  if (!outputs[0]) return oy_error_get()->code;
  return oy_register_hook(outputs[0], other_each_time, data, NULL) ? OY_OK
                                                                   : oy_error_get()->code;
}

static void ENG_16_what_cannot_be_told(void** state) {
  (void)state;
  oy_tensor* x = F64(OY_DIMS(2), 1, 2);
  double by = 1;
  assert_int_equal(oy_gradcheck(stretched, &by, &x, 1, NULL), OY_FAILED_PRECONDITION);
  assert_error(
      "gradcheck expects at least one input tensor to require gradient, but none "
      "of the them have requires_grad=True.");
  oy_tensor* wide = leaf(oy_expand(x, OY_DIMS(3, 2), false));
  assert_int_equal(oy_gradcheck(stretched, &by, &wide, 1, NULL), OY_FAILED_PRECONDITION);
  assert_error(
      "The 0th input has a dimension with stride 0. gradcheck only supports inputs "
      "that are non-overlapping to be able to compute the numerical gradients "
      "correctly. You should call .contiguous on the input before passing it to "
      "gradcheck.");
  oy_tensor_release(wide);
  (void)leaf(x);
  assert_int_equal(oy_gradcheck(wavering, &by, &x, 1, NULL), OY_FAILED_PRECONDITION);
  assert_non_null(strstr(oy_error_get()->message, "Backward is not reentrant"));
  oy_tensor_release(x);
}

static void ENG_16_fast_mode(void** state) {
  (void)state;
  oy_tensor* in[] = {leaf(F64(OY_DIMS(2, 3), 1, -2, 0.5, 0.1, 2, -1)),
                     leaf(F64(OY_DIMS(3), 2, -1, 0.3))};
  assert_int_equal(oy_gradcheck_fast(mul_exp, NULL, in, 2, NULL), OY_OK);
  assert_elements(in[1], OY_DIMS(3), 2, -1, 0.3);
  const double data[] = {1, 2, -0.5, 0.3};
  oy_tensor* numbers[2];
  for (int i = 0; i < 2; i++)
    numbers[i] = leaf(oy_tensor_from_data(data, OY_DIMS(2), OY_DTYPE_C128));
  assert_int_equal(oy_gradcheck_fast(complex_square, NULL, numbers, 2, NULL), OY_OK);
  oy_tensor* x = leaf(F64(OY_DIMS(2), 1, 2));
  double wrong = 1.5;
  assert_int_equal(oy_gradcheck_fast(stretched, &wrong, &x, 1, NULL),
                   OY_FAILED_PRECONDITION);
  const char* message = oy_error_get()->message;
  assert_non_null(strstr(message,
                         "Jacobian mismatch for output 0 with respect to input "
                         "0,\nnumerical:tensor("));
  assert_non_null(strstr(message, "in fast mode. See: "));
  assert_non_null(strstr(message, "analytical:tensor([[3., 0.],\n        [0., 6.]]"));
  oy_tensor* all[] = {in[0], in[1], numbers[0], numbers[1], x};
  for (size_t i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

static size_t g_warned;
static void count_warnings(void* data, const char* text) {
  (void)data;
  g_warned += strstr(text, "Input #0 requires gradient and is not a double") != NULL;
}
static void ENG_16_single_precision_warns(void** state) {
  (void)state;
  oy_tensor* x = leaf(F32(OY_DIMS(2), 1, 2));
  double right = 1;
  const oy_gradcheck_options loose = {.eps = 1e-2, .atol = 0.1, .rtol = 0.1};
  g_warned = 0;
  oy_warning_handler_set(count_warnings, NULL);
  assert_int_equal(oy_gradcheck(stretched, &right, &x, 1, &loose), OY_OK);
  oy_warning_handler_set(NULL, NULL);
  assert_int_equal(g_warned, 1);
  oy_tensor_release(x);
}

static oy_tensor* g_inputs[2];
static bool runs(void) {
  return oy_gradgradcheck(mul_exp, NULL, g_inputs, 2, NULL) == OY_OK;
}
static void ENG_16_without_memory(void** state) {
  (void)state;
  g_inputs[0] = leaf(F64(OY_DIMS(1), 0.5));
  g_inputs[1] = leaf(F64(OY_DIMS(1), -2));
  assert_true(runs());
  fail_each_allocation(runs);
  oy_tensor_release(g_inputs[0]);
  oy_tensor_release(g_inputs[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ENG_16_right_gradients),
      cmocka_unit_test(ENG_16_complex),
      cmocka_unit_test(ENG_16_wrong_gradients),
      cmocka_unit_test(ENG_16_what_cannot_be_told),
      cmocka_unit_test(ENG_16_fast_mode),
      cmocka_unit_test(ENG_16_single_precision_warns),
      cmocka_unit_test(ENG_16_without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
