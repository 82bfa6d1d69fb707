// SPDX-License-Identifier: Apache-2.0
// Backends that come into use while operators and fallbacks exist: every table
// grows by a block, and what an alias key stands for grows with it. Backends
// stay for the process, so each test adds one of its own.
#include <stdio.h>

#include "support.h"

static oy_backend add_backend(const char* name) {
  oy_backend backend = OY_BACKEND_NONE;
  assert_ok(oy_backend_register(oy_str_of(name), &backend));
  assert_true(backend >= 14 && backend < 63);
  return backend;
}

static oy_key key_of(oy_key functionality, oy_backend backend) {
  return (oy_key)OY_KEY_OF(functionality, backend);
}

static const test_step g_steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_IMPL("f", CPU, "cpu"),
                                    STEP_IMPL("f", CompositeImplicitAutograd, "math"),
                                    STEP_DEF("g(Tensor x) -> Tensor"),
                                    STEP_IMPL("g", Autograd, "autograd"),
                                    STEP_IMPL("g", CompositeExplicitAutograd, "default"),
                                    STEP_FALLBACK_FALLTHROUGH(BackendSelect, "fb"),
                                    STEP_FALLBACK_FALLTHROUGH(ADInplaceOrView, "fb")};

static const char* ran(const oy_op* op, oy_keyset keys) {
  test_tensor tensor = test_tensor_of(keys);
  test_log_clear();
  return test_call_t_t(op, &tensor.object) ? test_log() : "error";
}

static void TAB_12_backend_added_later(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  test_register(registry, "test", g_steps, TEST_COUNT(g_steps), &libraries);
  const oy_op *f = test_find(registry, "test::f"), *g = test_find(registry, "test::g");
  oy_backend npu = add_backend("NpuA");
  oy_key dense = key_of(OY_KEY_Dense, npu),
         grad = key_of(OY_KEY_AutogradFunctionality, npu),
         sparse = key_of(OY_KEY_Sparse, npu);
  assert_ok(oy_registry_check_invariants(registry));
  assert_string_equal(test_cell(f, dense), "math [math kernel]");
  assert_string_equal(test_cell(f, grad), "math [math kernel]");
  assert_string_equal(test_cell(f, sparse), "math [math kernel]");
  assert_string_equal(test_cell(g, dense), "default [default backend kernel]");
  assert_string_equal(test_cell(g, grad), "autograd [autograd kernel]");
  assert_contains(test_table(f), "\nNpuA: math [math kernel]\n");
  oy_keyset plain = oy_keyset_of(dense), needs = oy_keyset_or(plain, oy_keyset_of(grad));
  assert_string_equal(ran(f, plain), "math");
  assert_string_equal(ran(g, plain), "default");
  assert_string_equal(ran(g, needs), "autograd");
  assert_string_equal(ran(f, TEST_PLAIN(CPU)), "cpu");  // the others are as before
  // A kernel at the new key, and its effect on the autograd key.
  test_step own = STEP_IMPL("f", CPU, "npu");
  own.key = dense;
  oy_library* library;
  assert_ok(test_apply_alone(registry, "test", &own, &library));
  assert_string_equal(ran(f, plain), "npu");
  assert_string_equal(test_cell(f, grad), "");
  assert_string_equal(test_cell(f, OY_KEY_AutogradCPU), "");
  assert_string_equal(test_cell(f, OY_KEY_AutogradCUDA), "math [math kernel]");
  oy_library_close(library);
  assert_string_equal(ran(f, plain), "math");
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// Adding the backend first or last gives the same cells.
static void TAB_12_backend_order_does_not_matter(void** state) {
  (void)state;
  static const test_step alias_fallback = STEP_FALLBACK(Autograd, "all autograd");
  const char* texts[2];
  oy_backend backend = OY_BACKEND_NONE;
  for (int late = 1; late >= 0; late--) {
    oy_registry* registry = test_registry();
    test_libraries libraries;
    oy_library* fallback;
    test_register(registry, "test", g_steps, 3, &libraries);
    assert_ok(test_apply_alone(registry, "_", &alias_fallback, &fallback));
    const oy_op* op = test_find(registry, "test::f");
    if (late) backend = add_backend("NpuB");
    assert_ok(oy_registry_check_invariants(registry));
    texts[late] =
        test_printf("%s|%s|%s|%s", test_cell(op, key_of(1, backend)),
                    test_cell(op, key_of(OY_KEY_AutogradFunctionality, backend)),
                    test_cell(op, OY_KEY_AutogradCPU), test_table(op));
    oy_library_close(fallback);
    test_close(&libraries);
    oy_registry_destroy(registry);
  }
  assert_string_equal(texts[1], texts[0]);
}

// A fallback at an alias key serves a backend that came later, like a kernel at
// an alias key does; closing it takes it from there, too.
static void TAB_13_alias_fallback_and_new_backend(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step def = STEP_DEF("f(Tensor x) -> Tensor"),
                         all = STEP_FALLBACK(Autograd, "all autograd");
  oy_library *definition, *fallback;
  assert_ok(test_apply_alone(registry, "test", &def, &definition));
  assert_ok(test_apply_alone(registry, "_", &all, &fallback));
  oy_key grad = key_of(OY_KEY_AutogradFunctionality, add_backend("NpuC"));
  const oy_op* op = test_find(registry, "test::f");
  assert_string_equal(test_cell(op, grad), "all autograd [backend fallback]");
  assert_true(oy_registry_has_fallback(registry, grad));
  oy_library_close(fallback);
  assert_string_equal(test_cell(op, grad), "");
  assert_false(oy_registry_has_fallback(registry, grad));
  assert_ok(oy_registry_check_invariants(registry));
  oy_library_close(definition);
  oy_registry_destroy(registry);
}

// A tensor of a backend that no registration ever named: never another
// backend's kernel.
static void TAB_15_backend_not_in_use(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_IMPL("f", CPU, "cpu"),
                                    STEP_FALLBACK_FALLTHROUGH(BackendSelect, "fb"),
                                    STEP_FALLBACK_FALLTHROUGH(ADInplaceOrView, "fb")};
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  const oy_op* op = test_find(registry, "test::f");
  static const oy_key keys[] = {OY_KEY_HPU, OY_KEY_VE, OY_KEY_SparseHPU,
                                OY_KEY_PrivateUse2, OY_KEY_Meta};
  for (size_t i = 0; i < TEST_COUNT(keys); i++) {
    if (strcmp(ran(op, oy_keyset_of(keys[i])), "error") != 0)
      fail_msg("a tensor of %s ran %s", oy_key_name(keys[i]), test_log());
    assert_contains(test_message(),
                    test_printf("Could not run 'test::f' with arguments from the '%s' "
                                "backend.",
                                oy_key_name(keys[i])));
  }
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// A fallback is found by the first call of a backend that it did not bring into use, and
// by no call once it is gone.
static void TAB_12_fallback_of_a_backend_not_in_use(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  test_register(registry, "test", g_steps, TEST_COUNT(g_steps), &libraries);
  static const test_step fallback = STEP_FALLBACK(IPU, "ipu fallback");
  oy_library* library;
  assert_ok(test_apply_alone(registry, "test", &fallback, &library));
  assert_ok(oy_registry_check_invariants(registry));
  const oy_keyset ipu = oy_keyset_of(OY_KEY_IPU);
  test_step h = STEP_DEF("h(Tensor x) -> Tensor");
  oy_library* own;
  assert_ok(test_apply_alone(registry, "test", &h, &own));
  assert_string_equal(ran(test_find(registry, "test::h"), ipu), "ipu fallback");
  assert_ok(oy_registry_check_invariants(registry));
  // Composites stand above it.
  assert_string_equal(ran(test_find(registry, "test::f"), ipu), "math");
  assert_string_equal(ran(test_find(registry, "test::g"), ipu), "default");
  oy_library_close(library);
  assert_string_equal(ran(test_find(registry, "test::h"), ipu), "error");
  oy_library_close(own);
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// Each backend with an autograd key of its own has a slot of its own; the others share
// AutogradOther's, and nested tensors have theirs before it.
static void AG_04_autograd_keys_have_their_slots(void** state) {
  (void)state;
  static const test_step steps[] = {
      STEP_DEF("f(Tensor x) -> Tensor"),
      STEP_IMPL("f", CPU, "cpu"),
      STEP_IMPL("f", AutogradCPU, "autograd cpu"),
      STEP_IMPL("f", AutogradCUDA, "autograd cuda"),
      STEP_IMPL("f", AutogradPrivateUse1, "autograd own"),
      STEP_IMPL("f", AutogradOther, "autograd other"),
      STEP_IMPL("f", AutogradNestedTensor, "autograd nested"),
      STEP_FALLBACK_FALLTHROUGH(BackendSelect, "fb"),
      STEP_FALLBACK_FALLTHROUGH(ADInplaceOrView, "fb")};
  oy_registry* registry = test_registry();
  test_libraries libraries;
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  const oy_op* f = test_find(registry, "test::f");
  assert_string_equal(ran(f, TEST_KEYS(OY_KEY_CPU, OY_KEY_AutogradCPU)), "autograd cpu");
  assert_string_equal(ran(f, TEST_KEYS(OY_KEY_CUDA, OY_KEY_AutogradCUDA)),
                      "autograd cuda");
  assert_string_equal(ran(f, TEST_KEYS(OY_KEY_PrivateUse1, OY_KEY_AutogradPrivateUse1)),
                      "autograd own");
  // HIP and sparse vendors' keys without a backend bit have none of their own.
  assert_string_equal(ran(f, TEST_KEYS(OY_KEY_HIP, OY_KEY_AutogradOther)),
                      "autograd other");
  assert_string_equal(ran(f, TEST_KEYS(OY_KEY_FPGA, OY_KEY_AutogradOther)),
                      "autograd other");
  const oy_key nested = key_of(OY_KEY_NestedTensor, OY_BACKEND_CPU);
  assert_string_equal(ran(f, TEST_KEYS(nested, OY_KEY_AutogradNestedTensor)),
                      "autograd nested");
  assert_string_equal(ran(f, TEST_KEYS(nested, OY_KEY_AutogradNestedTensor,
                                       OY_KEY_AutogradOther, OY_KEY_AutogradCPU)),
                      "autograd nested");
  assert_string_equal(ran(f, TEST_PLAIN(CPU)), "cpu");
  test_close(&libraries);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(TAB_15_backend_not_in_use),
      TEST(AG_04_autograd_keys_have_their_slots),
      TEST(TAB_12_backend_added_later),
      TEST(TAB_12_backend_order_does_not_matter),
      TEST(TAB_13_alias_fallback_and_new_backend),
      TEST(TAB_12_fallback_of_a_backend_not_in_use),
  };
  return cmocka_run_group_tests_name("table_backends", tests, NULL, NULL);
}
