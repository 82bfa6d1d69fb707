// SPDX-License-Identifier: Apache-2.0
// Backends of plugins: another name for PrivateUse1, gradients by default, several of them at
// once. Texts are PyTorch's.
#include "standin.h"
#include "support/tensors.h"

// ------------------------------------------------------------------------- names

static void PU1_01_rename_once(void** state) {
  (void)state;
  const oy_backend pu1 = OY_BACKEND_PrivateUse1;
  assert_int_equal(oy_backend_rename(pu1, oy_str_of("cuda")), OY_INVALID_ARGUMENT);
  assert_error("Cannot register privateuse1 backend with in-tree device name: cuda");
  assert_int_equal(oy_backend_rename(pu1, oy_str_of("no name")), OY_INVALID_ARGUMENT);
  oy_error_clear();
  assert_int_equal(oy_backend_rename(OY_BACKEND_CUDA, oy_str_of("npu")),
                   OY_INVALID_ARGUMENT);
  oy_error_clear();
  assert_int_equal(oy_backend_rename(pu1, oy_str_of("npu")), OY_OK);
  assert_int_equal(oy_backend_rename(pu1, oy_str_of("npu")), OY_OK);
  assert_int_equal(oy_backend_rename(pu1, oy_str_of("other")), OY_FAILED_PRECONDITION);
  assert_error(
      "torch.register_privateuse1_backend() has already been set! Current backend: npu");
  // The others have a name to give away, too.
  assert_int_equal(oy_backend_rename(OY_BACKEND_PrivateUse2, oy_str_of("npu")),
                   OY_INVALID_ARGUMENT);
  oy_error_clear();
  assert_int_equal(oy_backend_rename(OY_BACKEND_PrivateUse2, oy_str_of("tpu")), OY_OK);
}

static void PU1_01_devices_and_keys(void** state) {
  (void)state;
  char text[64];
  oy_device device;
  oy_key key;
  static const char* const spellings[] = {"npu:1", "privateuseone:1", "privateuse1:1"};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(oy_device_parse(oy_str_of(spellings[i]), &device), OY_OK);
    assert_int_equal(device.backend, OY_BACKEND_PrivateUse1);
    assert_int_equal(device.index, 1);
  }
  oy_device_print(device, text, sizeof(text));
  assert_string_equal(text, "npu:1");
  assert_string_equal(oy_key_name(OY_KEY_AutogradPrivateUse1), "Autogradnpu");
  static const char* const keys[] = {"npu", "PrivateUse1", "Autogradnpu",
                                     "AutogradPrivateUse1"};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(oy_key_parse(oy_str_of(keys[i]), &key), OY_OK);
    assert_int_equal(key, i < 2 ? OY_KEY_PrivateUse1 : OY_KEY_AutogradPrivateUse1);
  }
  // What an error says of an operator without a kernel.
  oy_tensor* x = oy_tensor_opaque(oy_tensor_keys_for(device, OY_DTYPE_F32), OY_DIMS(1),
                                  OY_DTYPE_F32, device);
  assert_null(oy_neg(x));
  assert_non_null(
      strstr(oy_error_get()->message, "with arguments from the 'npu' backend"));
  oy_error_clear();
  oy_tensor_release(x);
}

// ----------------------------------------------------------------- storage-less mode

static oy_object* neg_opaque(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op, (void)keys;
  return oy_tensor_opaque(x->keys, oy_tensor_sizes(x), x->dtype, oy_tensor_device(x));
}

static void PU1_02_tensors_without_storage(void** state) {
  (void)state;
  standin s;
  standin_open(&s, "Opaque", true);
  const oy_device device = oy_device_make(s.backend, 0);
  oy_impl_params impl = {.name = "neg",
                         .key = standin_key(&s),
                         .kernel = OY_TYPED(neg_opaque),
                         .place = OY_HERE};
  assert_int_equal(oy_library_impl(s.library, &impl, NULL), OY_OK);
  oy_tensor* x = oy_tensor_opaque(oy_tensor_keys_for(device, OY_DTYPE_F32), OY_DIMS(2, 3),
                                  OY_DTYPE_F32, device);
  oy_tensor* y = oy_neg(x);
  assert_non_null(y);
  assert_dims(oy_tensor_sizes(y), OY_DIMS(2, 3));
  assert_null(oy_tensor_data(y));
  // It has nothing that could be copied, so it cannot fall back, and says so.
  assert_int_equal(oy_library_add_cpu_fallback(s.fallbacks, s.backend, NULL), OY_OK);
  assert_null(oy_exp(x));
  assert_non_null(strstr(oy_error_get()->message, "aten::copy_ has no kernel"));
  oy_error_clear();
  oy_tensor_release(x);
  oy_tensor_release(y);
  standin_close(&s);
}

// ------------------------------------------------------------------------ autograd

static oy_tensor* filled(const standin* s, float a, float b) {
  return standin_from(s, F32(OY_DIMS(2), a, b));
}

static void PU1_03_gradients_by_default(void** state) {
  (void)state;
  standin s;
  standin_open(&s, "Grad", false);
  const oy_key key = (oy_key)OY_KEY_OF(OY_KEY_AutogradFunctionality, s.backend);
  assert_true(oy_registry_has_fallback(oy_registry_default(), key));
  assert_int_equal(oy_library_add_cpu_fallback(s.fallbacks, s.backend, NULL), OY_OK);
  oy_tensor* x = filled(&s, 2, 3);
  assert_non_null(oy_requires_grad_(x, true));
  oy_tensor *y = oy_mul_Tensor(x, x), *ones = filled(&s, 1, 1);
  assert_non_null(y);
  assert_int_equal(oy_backward(y, ones, false), OY_OK);
  oy_tensor* grad = standin_to_cpu(oy_grad(x));
  assert_elements(grad, OY_DIMS(2), 4, 6);
  oy_tensor* all[] = {grad, ones, y, x};
  for (size_t i = 0; i < 4; i++) oy_tensor_release(all[i]);
  standin_close(&s);
}

static int g_replaced;
static oy_status count_and_skip(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                const oy_kernel* kernel) {
  (void)kernel;
  g_replaced++;
  keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_AutogradOther));
  return oy_op_redispatch_boxed(op, keys, stack);
}

static oy_object* same(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op, (void)keys;
  return oy_tensor_retain(x);
}

static oy_object* call_same(oy_tensor* x) {
  const oy_op* op;
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  assert_int_equal(oy_op_find(oy_registry_default(), oy_str_of("backends::same"), &op),
                   OY_OK);
  assert_int_equal(oy_stack_push(&stack, oy_value_tensor(x)), OY_OK);
  if (oy_op_call_boxed(op, &stack) != OY_OK) return NULL;
  return stack.data[0].as.object;
}

static void PU1_03_the_default_is_replaced(void** state) {
  (void)state;
  standin s;
  oy_library* ops;
  standin_open(&s, "Grad", false);
  oy_library_params params = {NULL,     OY_LIBRARY_DEF, "backends", OY_KEY_Undefined,
                              __FILE__, __LINE__};
  assert_int_equal(oy_library_create(&params, &ops), OY_OK);
  oy_def_params def = {.schema = "same(Tensor x) -> Tensor", .place = OY_HERE};
  assert_int_equal(oy_library_def(ops, &def, NULL), OY_OK);
  oy_impl_params impl = {
      .name = "same", .key = standin_key(&s), .kernel = OY_TYPED(same), .place = OY_HERE};
  assert_int_equal(oy_library_impl(ops, &impl, NULL), OY_OK);
  const oy_key key = (oy_key)OY_KEY_OF(OY_KEY_AutogradFunctionality, s.backend);
  oy_registration *mine, *second;
  assert_int_equal(
      oy_library_fallback(s.fallbacks, key, &OY_BOXED(count_and_skip), OY_HERE, &mine),
      OY_OK);
  // One of the same rank is one too many.
  assert_int_equal(
      oy_library_fallback(s.fallbacks, key, &OY_BOXED(count_and_skip), OY_HERE, &second),
      OY_ALREADY_EXISTS);
  oy_error_clear();
  oy_tensor* x = filled(&s, 1, 2);
  assert_non_null(oy_requires_grad_(x, true));
  g_replaced = 0;
  oy_tensor_release(call_same(x));
  assert_int_equal(g_replaced, 1);
  // Without it the default is back.
  oy_registration_remove(mine);
  assert_true(oy_registry_has_fallback(oy_registry_default(), key));
  oy_tensor_release(call_same(x));
  assert_int_equal(g_replaced, 1);
  assert_int_equal(oy_registry_check_invariants(oy_registry_default()), OY_OK);
  oy_tensor_release(x);
  oy_library_close(ops);
  standin_close(&s);
}

// -------------------------------------------------------------------------- several

static void PU1_04_several_at_once(void** state) {
  (void)state;
  standin all[3];
  static const char* const names[] = {"Alpha", "Beta", "Gamma"};
  for (size_t i = 0; i < 3; i++) {
    standin_open(&all[i], names[i], false);
    assert_int_equal(oy_library_add_cpu_fallback(all[i].fallbacks, all[i].backend, NULL),
                     OY_OK);
  }
  for (size_t i = 0; i < 3; i++) {
    oy_tensor *x = filled(&all[i], 1, 2), *y = oy_neg(x);
    assert_int_equal(oy_tensor_device(y).backend, all[i].backend);
    oy_tensor* cpu = standin_to_cpu(y);
    assert_elements(cpu, OY_DIMS(2), -1, -2);
    oy_tensor_release(cpu);
    oy_tensor_release(y);
    oy_tensor_release(x);
  }
  oy_tensor *a = filled(&all[0], 1, 2), *b = filled(&all[1], 3, 4);
  assert_fails(oy_add_Tensor(a, b, oy_int(1)),
               "Expected all tensors to be on the same device, but found at least two "
               "devices, alpha:0 and beta:0!");
  oy_tensor_release(a);
  oy_tensor_release(b);
  // In another order than they came.
  for (size_t i = 0; i < 3; i++) standin_close(&all[(i + 1) % 3]);
  assert_int_equal(oy_registry_check_invariants(oy_registry_default()), OY_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(PU1_01_rename_once),
      cmocka_unit_test(PU1_01_devices_and_keys),
      cmocka_unit_test(PU1_02_tensors_without_storage),
      cmocka_unit_test(PU1_03_gradients_by_default),
      cmocka_unit_test(PU1_03_the_default_is_replaced),
      cmocka_unit_test(PU1_04_several_at_once),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
