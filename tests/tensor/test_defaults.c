// SPDX-License-Identifier: Apache-2.0
// What the process has chosen (opyard/defaults.h). Expected texts: PyTorch 1.13.
#include "opyard/defaults.h"

#include "support/tensors.h"

static void expect_text(oy_tensor* tensor, const char* want) {
  char* text;
  assert_int_equal(oy_tensor_print(tensor, &text), OY_OK);
  assert_string_equal(text, want);
  oy_text_free(text);
}

static void defaults_dtype(void** state) {
  (void)state;
  assert_int_equal(oy_dtype_default_set(OY_DTYPE_I64), OY_TYPE_MISMATCH);
  assert_int_equal(oy_dtype_default(), OY_DTYPE_F32);
  assert_int_equal(oy_dtype_default_set(OY_DTYPE_F64), OY_OK);
  oy_tensor* x = oy_ones(OY_DIMS(2), oy_none(), oy_none(), oy_none(), oy_none());
  assert_int_equal(x->dtype, OY_DTYPE_F64);
  expect_text(x, "tensor([1., 1.])");
  assert_int_equal(oy_dtype_default_set(OY_DTYPE_F32), OY_OK);
  expect_text(x, "tensor([1., 1.], dtype=torch.float64)");
  oy_tensor_release(x);
}

static void defaults_printing(void** state) {
  (void)state;
  oy_print_options before = oy_print_options_get(), o = before;
  oy_tensor* x = F32(OY_DIMS(6), 0.5, 1.25, 2, 3, 4, 5.125);
  expect_text(x, "tensor([0.5000, 1.2500, 2.0000, 3.0000, 4.0000, 5.1250])");
  o.precision = 2;
  assert_int_equal(oy_print_options_set(o), OY_OK);
  expect_text(x, "tensor([0.50, 1.25, 2.00, 3.00, 4.00, 5.12])");
  o.threshold = 5;
  o.edge_items = 1;
  assert_int_equal(oy_print_options_set(o), OY_OK);
  expect_text(x, "tensor([0.50,  ..., 5.12])");
  o.scientific = 1;
  assert_int_equal(oy_print_options_set(o), OY_OK);
  expect_text(x, "tensor([5.00e-01,  ..., 5.12e+00])");
  o = before;
  o.line_width = 30;
  assert_int_equal(oy_print_options_set(o), OY_OK);
  expect_text(
      x, "tensor([0.5000, 1.2500,\n        2.0000, 3.0000,\n        4.0000, 5.1250])");
  o.precision = -1;
  assert_int_equal(oy_print_options_set(o), OY_INVALID_ARGUMENT);
  o.precision = 61;
  assert_int_equal(oy_print_options_set(o), OY_INVALID_ARGUMENT);
  o.precision = 4;
  o.edge_items = -1;
  assert_int_equal(oy_print_options_set(o), OY_INVALID_ARGUMENT);
  assert_int_equal(oy_print_options_set(before), OY_OK);
  oy_tensor_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_dtype),
      cmocka_unit_test(defaults_printing),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
