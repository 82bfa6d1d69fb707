// SPDX-License-Identifier: Apache-2.0
// What test_printers.sh looks at with gdb: values in global variables, and a function to
// stop in. By itself it tests that they are what the script expects to see.
#include "support/tensors.h"

oy_tensor *g_source, *g_squares;  // what others are made of
oy_tensor *g_plain, *g_turned, *g_leaf, *g_made, *g_meta, *g_scalar, *g_flags, *g_none;
const oy_op* g_op;
oy_keyset g_keys;
oy_value g_values[4];
oy_ints g_ints;
oy_str g_text;
oy_device g_device;

void stop_here(void);
__attribute__((noinline)) void stop_here(void) {
  __asm__ volatile("" ::: "memory");
}

static void printed_values(void** state) {
  (void)state;
  static const int64_t numbers[] = {3, -1, 4};
  g_plain = F32(OY_DIMS(2, 2), 1, 2.5, 3, 4);
  g_source = I64(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  g_turned = oy_t(g_source);
  g_leaf = oy_requires_grad_(F64(OY_DIMS(2), 1, 2), true);
  g_squares = oy_mul_Tensor(g_leaf, g_leaf);
  g_made = oy_sum(g_squares, oy_none());
  g_meta = oy_tensor_empty(OY_DIMS(5, 7), OY_DTYPE_F32, oy_device_meta());
  g_scalar = oy_tensor_from_scalar(oy_int(7));
  g_flags = BOOLS(OY_DIMS(2), true, false);
  g_none = &oy_none_object;
  assert_int_equal(
      oy_op_find(oy_registry_default(), oy_str_of("aten::add.Tensor"), &g_op), OY_OK);
  g_keys = g_leaf->keys;
  g_values[0] = oy_int(42);
  g_values[1] = oy_value_str(oy_str_of("mean"));
  g_values[2] = oy_value_tensor(g_plain);
  g_values[3] = oy_value_list(OY_TAG_INT_LIST, numbers, 3);
  g_ints = (oy_ints){numbers, 3};
  g_text = oy_str_of("some text");
  g_device = oy_device_cpu();
  assert_true(element(g_turned, 1) == 4);
  assert_true(oy_requires_grad(g_made));
  stop_here();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(printed_values)};
  if (oy_init() != OY_OK) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
