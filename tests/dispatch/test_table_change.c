// SPDX-License-Identifier: Apache-2.0
// Which cells a registration reaches, fallthrough masks per backend, dtype and
// priority variants, and backends added while operators exist (reference,
// sections 4.4 and 4.5).
#include <stdio.h>

#include "support.h"

static bool is_composite_of_undefined(oy_key key) {
  return key == OY_KEY_CompositeImplicitAutograd ||
         key == OY_KEY_CompositeExplicitAutograd ||
         key == OY_KEY_CompositeExplicitAutogradNonFunctional;
}

// A lone kernel at any key shows in the cells that the key stands for, and in no
// other; when it is gone, in none. Refreshing and membership use one expansion:
// "Defect": upstream's forgets FuncTorchBatchedDecomposition.
static void TAB_12_reach_of_each_key(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step def = STEP_DEF("f(Tensor x) -> Tensor");
  oy_library *definition, *library;
  assert_ok(test_apply_alone(registry, "test", &def, &definition));
  const oy_op* op = test_find(registry, "test::f");
  oy_key at, key;
  size_t registered = 0;
  for (size_t i = 0; oy_key_at(i, &at); i++) {
    if (at == OY_KEY_Undefined || !(oy_key_is_alias(at) || oy_key_is_runtime(at)))
      continue;
    test_step step = STEP_IMPL("f", CPU, "k");
    step.key = at;
    assert_ok(test_apply_alone(registry, "test", &step, &library));
    registered++;
    for (size_t k = 0; oy_key_at(k, &key); k++) {
      if (!oy_key_is_runtime(key)) continue;
      bool wanted = at == key || oy_key_in_alias(key, at) ||
                    (key == OY_KEY_Undefined && is_composite_of_undefined(at));
      bool has = false;
      assert_ok(oy_op_has_computed_kernel(op, key, &has));
      if (has != wanted || (test_cell(op, key)[0] != '\0') != wanted)
        fail_msg("kernel at %s, cell %s: %d", oy_key_name(at), oy_key_name(key), has);
    }
    assert_ok(oy_op_check_invariants(op));
    oy_library_close(library);
    assert_string_equal(test_table(op), "");
  }
  assert_true(registered > 130);
  oy_library_close(definition);
  oy_registry_destroy(registry);
}

// A backend kernel changes its autograd cell as well.
static void TAB_12_backend_reaches_autograd(void** state) {
  (void)state;
  static const struct {
    test_step step;
    oy_key cell;
    const char *before, *after;
  } rows[] = {
      {STEP_IMPL("f", CPU, "k"), OY_KEY_AutogradCPU, "math [math kernel]", ""},
      {STEP_IMPL("f", Meta, "k"), OY_KEY_AutogradMeta, "math [math kernel]", ""},
      {STEP_IMPL("f", PrivateUse3, "k"), OY_KEY_AutogradPrivateUse3, "math [math kernel]",
       ""},
      {STEP_IMPL("f", SparseCPU, "k"), OY_KEY_AutogradOther, "math [math kernel]",
       "ambiguous_autogradother [ambiguous autogradother]"},
      {STEP_IMPL("f", Vulkan, "k"), OY_KEY_AutogradOther, "math [math kernel]",
       "ambiguous_autogradother [ambiguous autogradother]"},
      {STEP_IMPL("f", CompositeExplicitAutograd, "k"), OY_KEY_AutogradXLA,
       "math [math kernel]", ""},
      {STEP_IMPL("f", CompositeExplicitAutograd, "k"), OY_KEY_NestedTensorCPU,
       "math [math kernel]", ""},
  };
  static const test_step math = STEP_IMPL("f", CompositeImplicitAutograd, "math");
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_registry* registry = test_registry();
    oy_library *composite, *library;
    assert_ok(test_apply_alone(registry, "test", &math, &composite));
    const oy_op* op = oy_op_lookup(registry, oy_str_of("test::f"));
    assert_string_equal(test_cell(op, rows[i].cell), rows[i].before);
    assert_ok(test_apply_alone(registry, "test", &rows[i].step, &library));
    assert_string_equal(test_cell(op, rows[i].cell), rows[i].after);
    oy_library_close(library);
    assert_string_equal(test_cell(op, rows[i].cell), rows[i].before);
    oy_library_close(composite);
    oy_registry_destroy(registry);
  }
}

// ------------------------------------------------------------------- masks

static const char* ran(const oy_op* op, oy_keyset keys) {
  test_tensor tensor = test_tensor_of(keys);
  test_log_clear();
  oy_object* result = test_call_t_t(op, &tensor.object);
  return result ? test_log() : "error";
}

// A fallthrough for one backend leaves the others alone; both calls see each
// change at once.
static void TAB_14_masks_per_backend(void** state) {
  (void)state;
  oy_library *fallbacks, *off, *conjugate;
  oy_registry* registry = test_registry_with_fallbacks(&fallbacks);
  static const test_step steps[] = {
      STEP_DEF("f(Tensor x) -> Tensor"), STEP_IMPL("f", CPU, "cpu"),
      STEP_IMPL("f", CUDA, "cuda"), STEP_IMPL("f", Autograd, "autograd"),
      STEP_IMPL("f", Conjugate, "conjugate")};
  static const test_step through = STEP_FALLTHROUGH("f", AutogradCPU, "off"),
                         no_conj = STEP_FALLTHROUGH("f", Conjugate, "off");
  test_libraries libraries;
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  const oy_op* op = test_find(registry, "test::f");
  oy_keyset cpu = TEST_GRAD(CPU), cuda = TEST_GRAD(CUDA), both = oy_keyset_or(cpu, cuda);
  oy_keyset conj = oy_keyset_or(cpu, TEST_KEYS(OY_KEY_Conjugate));
  assert_string_equal(ran(op, cpu), "autograd");
  assert_string_equal(ran(op, cuda), "autograd");

  assert_ok(test_apply_alone(registry, "test", &through, &off));
  assert_string_equal(ran(op, cpu), "cpu");
  assert_string_equal(ran(op, cuda), "autograd");
  assert_string_equal(ran(op, both), "autograd");  // the higher backend decides
  assert_true(oy_op_is_fallthrough(op, OY_KEY_AutogradCPU));
  assert_false(oy_op_is_fallthrough(op, OY_KEY_AutogradCUDA));
  assert_false(oy_op_is_fallthrough(op, OY_KEY_CPU));

  assert_string_equal(ran(op, conj), "conjugate");  // it is below Autograd
  assert_ok(test_apply_alone(registry, "test", &no_conj, &conjugate));
  assert_string_equal(ran(op, conj), "cpu");
  oy_library_close(off);
  assert_string_equal(ran(op, conj), "autograd");
  assert_ok(test_apply_alone(registry, "test", &through, &off));
  assert_string_equal(ran(op, conj), "cpu");
  oy_library_close(conjugate);
  assert_string_equal(ran(op, conj), "conjugate");
  oy_library_close(off);
  assert_ok(oy_op_check_invariants(op));
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

// A fallback that falls through, taken away and put back, for all operators.
static void TAB_14_fallback_masks(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step steps[] = {STEP_FALLBACK_FALLTHROUGH(ADInplaceOrView, "fb"),
                                    STEP_FALLBACK_FALLTHROUGH(BackendSelect, "fb"),
                                    STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_IMPL("f", CPU, "cpu")};
  static const test_step through = STEP_FALLBACK_FALLTHROUGH(AutogradCPU, "off"),
                         boxed = STEP_FALLBACK(AutogradCPU, "boxed");
  test_libraries libraries;
  oy_library* library;
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  const oy_op* op = test_find(registry, "test::f");
  assert_string_equal(ran(op, TEST_GRAD(CPU)), "error");
  for (int i = 0; i < 2; i++) {
    assert_ok(test_apply_alone(registry, "_", &through, &library));
    assert_string_equal(ran(op, TEST_GRAD(CPU)), "cpu");
    oy_library_close(library);
    assert_ok(test_apply_alone(registry, "_", &boxed, &library));
    assert_string_equal(ran(op, TEST_GRAD(CPU)), "boxed");
    oy_library_close(library);
    assert_string_equal(ran(op, TEST_GRAD(CPU)), "error");
  }
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// The extractor's text shows the mask.
static void TAB_14_mask_in_extractor(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step steps[] = {STEP_DEF("f(Tensor x, int y, Tensor[] z) -> Tensor"),
                                    STEP_FALLTHROUGH("f", Conjugate, "off")};
  test_libraries libraries;
  test_register(registry, "test", steps, 2, &libraries);
  const oy_op* op = test_find(registry, "test::f");
  const char* text = test_extractor(op);
  assert_int_equal(strspn(text, "01"), 64);
  // The last argument first: z is bit 0, x bit 2.
  assert_string_equal(test_printf("%.3s", text + 61), "101");
  assert_int_equal(strspn(text, "0"), 61);
  assert_contains(text, " DispatchKeySet(");
  assert_lacks(text, "Conjugate");
  assert_contains(text, "Negative");
  assert_lacks(text, "TraceRedispatch");
  assert_lacks(text, "Trace,");
  assert_lacks(text, "Trace)");
  assert_int_equal(text[strlen(text) - 1], '\n');
  oy_library_close(libraries.library[1]);
  assert_contains(test_extractor(op), "Conjugate");
  oy_library_close(libraries.library[0]);
  oy_registry_destroy(registry);
}

// --------------------------------------------------------------------- variants

// Which of the kernels at CPU is active: the greatest priority, then the higher
// capability that the machine has, then the newest.
static void TAB_01_variants(void** state) {
  (void)state;
  static const struct {
    oy_kernel_params first, second;
    int winner;  // 0 or 1; needs a machine of |level|
    oy_cpu_level level;
  } rows[] = {
      {{.priority = 1}, {.priority = 0}, 0, 0},
      {{.priority = -1}, {.priority = 0}, 1, 0},
      {{.priority = INT16_MAX}, {.priority = INT16_MIN}, 0, 0},
      {{.cpu_level = OY_CPU_V3}, {.cpu_level = OY_CPU_BASELINE}, 0, OY_CPU_V3},
      {{.cpu_level = OY_CPU_V4}, {.cpu_level = OY_CPU_V3}, 0, OY_CPU_V4},
      {{.priority = 1}, {.cpu_level = OY_CPU_V3}, 0, OY_CPU_V3},
      {{.priority = 0}, {.priority = 0}, 1, 0},
  };
  for (size_t i = 0; i < TEST_COUNT(rows) * 2; i++) {
    bool swapped = i % 2;
    size_t row = i / 2;
    oy_cpu_level needed = rows[row].level;
    test_step steps[2] = {STEP_IMPL("f", CPU, "0"), STEP_IMPL("f", CPU, "1")};
    const oy_kernel_params* given[] = {&rows[row].first, &rows[row].second};
    for (int k = 0; k < 2; k++) {
      steps[k].kernel.priority = given[k]->priority;
      steps[k].kernel.cpu_level = given[k]->cpu_level;
    }
    bool same = row + 1 == TEST_COUNT(rows);
    if (oy_cpu_level_get() < needed) continue;
    oy_registry* registry = test_registry();
    oy_library* library[2];
    assert_ok(test_apply_alone(registry, "test", &steps[swapped], &library[0]));
    assert_ok(test_apply_alone(registry, "test", &steps[!swapped], &library[1]));
    int winner = same ? !swapped : rows[row].winner;
    const oy_op* op = oy_op_lookup(registry, oy_str_of("test::f"));
    const char* expected = test_printf("%d [kernel]", winner);
    const char* got = test_cell(op, OY_KEY_CPU);
    if (strcmp(got, expected) != 0)
      fail_msg("row %zu, swapped %d: %s is not %s", row, swapped, got, expected);
    oy_library_close(library[winner == (swapped ? 1 : 0) ? 0 : 1]);
    assert_string_equal(test_cell(op, OY_KEY_CPU), test_printf("%d [kernel]", !winner));
    oy_library_close(library[winner == (swapped ? 1 : 0) ? 1 : 0]);
    oy_registry_destroy(registry);
  }
}

// A kernel that needs more than the machine has is registered and not chosen.
static void TAB_01_capability_beyond_the_machine(void** state) {
  (void)state;
  if (oy_cpu_level_get() >= OY_CPU_V4) skip();
  oy_registry* registry = test_registry();
  test_step steps[] = {STEP_IMPL("f", CPU, "beyond"), STEP_IMPL("f", CPU, "base")};
  steps[0].kernel.cpu_level = OY_CPU_V4;
  steps[0].kernel.priority = 100;
  test_libraries libraries;
  test_register(registry, "test", steps, 2, &libraries);
  const oy_op* op = oy_op_lookup(registry, oy_str_of("test::f"));
  assert_string_equal(test_cell(op, OY_KEY_CPU), "base [kernel]");
  oy_library_close(libraries.library[1]);
  assert_string_equal(test_cell(op, OY_KEY_CPU), "");
  assert_ok(oy_op_check_invariants(op));
  oy_library_close(libraries.library[0]);
  oy_registry_destroy(registry);
}

static void TAB_15_missing_kernel(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step def = STEP_DEF("f(Tensor x) -> Tensor");
  oy_library* library;
  assert_ok(test_apply_alone(registry, "test", &def, &library));
  const oy_op* op = test_find(registry, "test::f");
  oy_key key;
  for (size_t i = 0; oy_key_at(i, &key); i++) {
    bool has = true;
    if (oy_key_is_alias(key)) {
      assert_error(oy_op_has_computed_kernel(op, key, &has), OY_INVALID_ARGUMENT,
                   "Alias keys do not have runtime kernel registrations.");
    } else if (oy_key_is_runtime(key)) {
      assert_ok(oy_op_has_computed_kernel(op, key, &has));
      assert_false(has);
      assert_string_equal(test_cell(op, key), "");
      assert_false(oy_op_has_kernel(op, key));
    }
  }
  assert_string_equal(ran(op, TEST_PLAIN(CPU)), "error");
  assert_int_equal(oy_error_get()->code, OY_NOT_IMPLEMENTED);
  oy_library_close(library);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(TAB_12_reach_of_each_key),
      TEST(TAB_12_backend_reaches_autograd),
      TEST(TAB_14_masks_per_backend),
      TEST(TAB_14_fallback_masks),
      TEST(TAB_14_mask_in_extractor),
      TEST(TAB_01_variants),
      TEST(TAB_01_capability_beyond_the_machine),
      TEST(TAB_15_missing_kernel),
  };
  return cmocka_run_group_tests_name("table_change", tests, NULL, NULL);
}
