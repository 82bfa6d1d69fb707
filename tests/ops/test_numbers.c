// SPDX-License-Identifier: Apache-2.0
// Numbers that operators are given: a complex one without an imaginary part is a real one,
// and another one is refused where a real one is asked for. Values are worked out by hand.
#include "base/memory.h"
#include "opyard/ops.h"
#include "support/tensors.h"

static oy_complex g_two = {2, 0}, g_one = {1, 0}, g_slanted = {1, 1};
#define TWO     oy_complex_value(&g_two)
#define ONE     oy_complex_value(&g_one)
#define SLANTED oy_complex_value(&g_slanted)

static const char g_float[] = "value cannot be converted to type float without overflow";
static const char g_double[] =
    "value cannot be converted to type double without overflow";

static void refused(oy_tensor* y, const char* text) {
  assert_null(y);
  assert_error(text);
  oy_error_clear();
}

// The gradient of elu from its result: grad * input_scale * (result + alpha * scale) where
// that is not above 0, else grad * scale.
static void TYPE_03_complex_numbers_that_are_real(void** state) {
  (void)state;
  oy_tensor* grad = F32(OY_DIMS(2), 2, 2);
  oy_tensor* result = F32(OY_DIMS(2), -1, 3);
  oy_tensor* y = oy_elu_backward(grad, TWO, ONE, oy_float(1), true, result);
  assert_elements(y, OY_DIMS(2), 2, 2);
  oy_tensor_release(y);
  y = oy_elu_backward(grad, oy_float(2), TWO, ONE, true, result);
  assert_elements(y, OY_DIMS(2), 6, 4);
  oy_tensor_release(y);
  y = oy_leaky_relu(result, TWO);
  assert_elements(y, OY_DIMS(2), -2, 3);
  oy_tensor_release(y);
  y = oy_softshrink(result, TWO);
  assert_elements(y, OY_DIMS(2), 0, 1);
  oy_tensor_release(y);
  y = oy_histc(result, 2, oy_int(-2), oy_complex_value(&(oy_complex){4, 0}));
  assert_elements(y, OY_DIMS(2), 1, 1);
  oy_tensor_release(y);
  oy_tensor_release(grad);
  oy_tensor_release(result);
}

static void TYPE_03_complex_numbers_that_are_not(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2), -1, 3);
  refused(oy_elu_backward(x, SLANTED, ONE, ONE, true, x), g_float);
  refused(oy_elu_backward(x, ONE, SLANTED, ONE, true, x), g_float);
  refused(oy_elu(x, ONE, ONE, SLANTED), g_float);
  refused(oy_leaky_relu(x, SLANTED), g_float);
  refused(oy_celu(x, SLANTED), g_double);
  refused(oy_softshrink(x, SLANTED), g_double);
  refused(oy_histc(x, 2, SLANTED, ONE), g_double);
  oy_tensor_release(x);
}

// There is no dimension that 0 elements could be of: the one there is stays.
static void topk_of_none_of_a_number_keeps_it(void** state) {
  (void)state;
  oy_tensor *values = NULL, *indices = NULL;
  oy_tensor* number = F32(((oy_ints){NULL, 0}), 5);
  assert_int_equal(oy_topk(number, 0, 0, true, true, &values, &indices), OY_OK);
  assert_elements(values, ((oy_ints){NULL, 0}), 5);
  assert_elements(indices, ((oy_ints){NULL, 0}), 0);
  oy_tensor_release(values);
  oy_tensor_release(indices);
  oy_tensor_release(number);
}

// Of every length around those of vectors, and of a buffer.
static void ranges_of_integers(void** state) {
  (void)state;
  static const struct {
    int64_t start, step;
  } rows[] = {{0, 1}, {-7, 3}, {INT64_MAX, -(INT64_C(1) << 40)}, {-5, -2}};
  for (size_t r = 0; r < OY_ARRAY_SIZE(rows); r++)
    for (int64_t n = 1; n < 2100; n += n < 40 ? 1 : 97) {
      const int64_t start = rows[r].start, step = rows[r].step;
      oy_tensor* t =
          oy_arange_start_step(oy_int(start), oy_int(start + n * step), oy_int(step),
                               oy_int(OY_DTYPE_I64), oy_none(), oy_none(), oy_none());
      assert_int_equal(oy_tensor_numel(t), n);
      const int64_t* got = oy_tensor_data(t);
      for (int64_t i = 0; i < n; i++) assert_int_equal(got[i], start + i * step);
      oy_tensor_release(t);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TYPE_03_complex_numbers_that_are_real),
      cmocka_unit_test(TYPE_03_complex_numbers_that_are_not),
      cmocka_unit_test(topk_of_none_of_a_number_keeps_it),
      cmocka_unit_test(ranges_of_integers),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
