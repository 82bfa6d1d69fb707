// SPDX-License-Identifier: Apache-2.0
// META-02: an operator's functional, out= and in-place forms and its Meta kernel are made
// from one shape rule: the same sizes, strides and dtype, and the same words for the same
// mistake. Texts are PyTorch's.
#include "support/tensors.h"

typedef struct row {
  const char *functional, *out, *in_place;
  bool has_alpha;
} row;
static const row g_rows[] = {
    {"aten::add.Tensor", "aten::add.out", "aten::add_.Tensor", true},
    {"aten::sub.Tensor", "aten::sub.out", "aten::sub_.Tensor", true},
    {"aten::mul.Tensor", "aten::mul.out", "aten::mul_.Tensor", false},
    {"aten::div.Tensor", "aten::div.out", "aten::div_.Tensor", false},
    {"aten::atan2", "aten::atan2.out", "aten::atan2_", false},
    {"aten::hypot", "aten::hypot.out", "aten::hypot_", false},
    {"aten::fmod.Tensor", "aten::fmod.Tensor_out", "aten::fmod_.Tensor", false},
    {"aten::copysign.Tensor", "aten::copysign.out", "aten::copysign_.Tensor", false},
};
enum { ROWS = sizeof(g_rows) / sizeof(g_rows[0]) };

// NAME(a, b[, alpha][, out]); NULL with the error set.
static oy_tensor* call(const row* r, const char* name, oy_tensor* a, oy_tensor* b,
                       oy_tensor* out) {
  oy_value storage[8];
  oy_stack stack;
  oy_stack_init(&stack, storage, 8);
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(name));
  if (!op) fail_msg("there is no %s", name);
  assert_int_equal(oy_stack_push(&stack, oy_value_tensor(a)), OY_OK);
  assert_int_equal(oy_stack_push(&stack, oy_value_tensor(b)), OY_OK);
  if (r->has_alpha) assert_int_equal(oy_stack_push(&stack, oy_int(1)), OY_OK);
  if (out) assert_int_equal(oy_stack_push(&stack, oy_value_tensor(out)), OY_OK);
  oy_tensor* result = NULL;
  if (oy_op_call_boxed(op, &stack) == OY_OK) {
    assert_int_equal(stack.size, 1);
    result = stack.data[0].as.object;
    oy_tensor_retain(result);
  }
  oy_stack_reset(&stack);
  return result;
}

static oy_tensor* made(oy_ints sizes, oy_device device) {
  return oy_ones(sizes, oy_none(), oy_none(), oy_value_device(device), oy_none());
}

static void assert_alike(const oy_tensor* t, const oy_tensor* like) {
  if (!t) fail_msg("%s", oy_error_get()->message);
  assert_dims(oy_tensor_sizes(t), oy_tensor_sizes(like));
  assert_dims(oy_tensor_strides(t), oy_tensor_strides(like));
  assert_int_equal(t->dtype, like->dtype);
}

// One operand is transposed, the other broadcast.
static void META_02_one_layout_for_all_forms(void** state) {
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    const row* r = &g_rows[i];
    oy_tensor* first = NULL;
    for (int meta = 0; meta < 2; meta++) {
      oy_device device = meta ? oy_device_meta() : oy_device_cpu();
      oy_tensor *base = made(OY_DIMS(3, 2), device), *a = oy_t(base);
      oy_tensor *b = made(OY_DIMS(3), device), *out = made(OY_DIMS(0), device);
      oy_tensor* result = call(r, r->functional, a, b, NULL);
      if (!first) first = oy_tensor_retain(result);
      assert_dims(oy_tensor_strides(result), OY_DIMS(1, 2));  // as the larger operand
      assert_alike(result, first);
      oy_tensor* same = call(r, r->out, a, b, out);
      assert_ptr_equal(same, out);
      assert_alike(out, first);
      oy_tensor_release(same);
      same = call(r, r->in_place, a, b, NULL);
      assert_ptr_equal(same, a);
      assert_alike(a, first);
      oy_tensor* all[] = {same, result, out, b, a, base};
      for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) oy_tensor_release(all[k]);
    }
    oy_tensor_release(first);
  }
}

static void assert_refused(oy_tensor* result, const char* text, const char* form) {
  if (result) fail_msg("%s was not refused", form);
  if (!strstr(oy_error_get()->message, text))
    fail_msg("%s: expected %s\ngot %s", form, text, oy_error_get()->message);
}

static void META_02_one_text_for_all_forms(void** state) {
  (void)state;
  static const char apart[] =
      "The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
      "dimension 1";
  static const char small[] =
      "output with shape [3] doesn't match the broadcast shape [2, 3]";
  for (int i = 0; i < ROWS; i++)
    for (int meta = 0; meta < 2; meta++) {
      const row* r = &g_rows[i];
      oy_device device = meta ? oy_device_meta() : oy_device_cpu();
      oy_tensor *a = made(OY_DIMS(2, 3), device), *b = made(OY_DIMS(4), device);
      oy_tensor *c = made(OY_DIMS(3), device), *out = made(OY_DIMS(0), device);
      assert_refused(call(r, r->functional, a, b, NULL), apart, r->functional);
      assert_refused(call(r, r->out, a, b, out), apart, r->out);
      assert_dims(oy_tensor_sizes(out), OY_DIMS(0));
      assert_refused(call(r, r->in_place, a, b, NULL), apart, r->in_place);
      assert_refused(call(r, r->in_place, c, a, NULL), small, r->in_place);
      oy_tensor* all[] = {a, b, c, out};
      for (size_t k = 0; k < 4; k++) oy_tensor_release(all[k]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(META_02_one_layout_for_all_forms),
      cmocka_unit_test(META_02_one_text_for_all_forms),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
