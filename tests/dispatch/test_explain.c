// SPDX-License-Identifier: Apache-2.0
// Explaining a call without making it: what each argument put in, the thread's
// sets, what the mask took, the slot, its candidates and what comes next. What
// is explained must be what then happens.
#include <stdio.h>

#include "support.h"

typedef struct world {
  oy_registry* registry;
  oy_library* fallbacks;
  test_libraries libraries;
  const oy_op* op;
} world;

static void begin(world* w, const test_step* steps, size_t count) {
  w->registry = test_registry_with_fallbacks(&w->fallbacks);
  test_register(w->registry, "test", steps, count, &w->libraries);
  w->op = test_find(w->registry, "test::f");
}

static void end(world* w) {
  test_close(&w->libraries);
  oy_library_close(w->fallbacks);
  oy_registry_destroy(w->registry);
}

static const test_step g_steps[] = {
    STEP_DEF("f(Tensor x) -> Tensor"),
    {.kind = TEST_IMPL,
     .text = "f",
     .key = OY_KEY_Autograd,
     .debug = "autograd",
     .kernel = {.typed = (oy_typed_fn)test_kernel_t_t_next,
                .signature = "(Tensor) -> Tensor",
                .state = (void*)(uintptr_t) "autograd"}},
    STEP_IMPL("f", CPU, "cpu"),
    STEP_IMPL("f", CompositeImplicitAutograd, "math"),
    STEP_IMPL("f", CompositeExplicitAutogradNonFunctional, "default"),
    STEP_FALLBACK(CPU, "cpu fallback"),
    STEP_FALLTHROUGH("f", Negative, "off")};

static const oy_explain_step* step_with(const oy_explanation* e, oy_step_verdict verdict,
                                        const char* kernel) {
  for (size_t i = 0; i < e->step_count; i++)
    if (e->steps[i].verdict == verdict && strstr(e->steps[i].kernel, kernel))
      return &e->steps[i];
  return NULL;
}

static void OBS_12_parts_of_an_explanation(void** state) {
  (void)state;
  world w;
  begin(&w, g_steps, TEST_COUNT(g_steps));
  oy_argument_keys argument = {oy_keyset_add(TEST_GRAD(CPU), OY_KEY_Negative),
                               OY_DTYPE_F32};
  oy_explanation* e = NULL;
  test_log_clear();
  assert_ok(oy_explain(w.op, &argument, 1, &e));
  assert_int_equal(test_log_count(), 0);  // nothing ran
  assert_ptr_equal(e->op, w.op);
  assert_int_equal(e->argument_count, 1);
  assert_true(oy_keyset_equal(e->argument_keys[0], argument.keys));
  assert_true(oy_keyset_equal(e->arguments, argument.keys));
  assert_true(oy_keyset_equal(e->included, oy_included_get()));
  assert_true(oy_keyset_equal(e->excluded, oy_excluded_get()));
  // Fallthroughs that were in the way, and only those.
  assert_int_equal(e->masked.functionality, 1ull << OY_KEY_Negative |
                                                1ull << OY_KEY_ADInplaceOrView |
                                                1ull << OY_KEY_BackendSelect);
  assert_true(oy_keyset_equal(e->effective, TEST_KEYS(OY_KEY_CPU, OY_KEY_AutogradCPU)));
  assert_int_equal(e->slot, OY_KEY_AutogradCPU);

  const oy_explain_step* chosen = step_with(e, OY_STEP_CHOSEN, "autograd");
  assert_non_null(chosen);
  assert_ptr_equal(chosen, &e->steps[0]);
  assert_int_equal(chosen->key, OY_KEY_AutogradCPU);
  assert_string_equal(chosen->provenance, "autograd kernel");
  for (size_t i = 0; i < e->step_count; i++) {
    assert_true(e->steps[i].reason[0] != '\0');
    assert_true(i == 0 || e->steps[i].verdict != OY_STEP_CHOSEN);
  }
  // The composite lost because the CPU has a kernel of its own.
  const oy_explain_step* lost = step_with(e, OY_STEP_LOST, "math");
  assert_non_null(lost);
  assert_contains(lost->reason, "kernel of its own");
  assert_non_null(step_with(e, OY_STEP_LOST, "fb"));
  const oy_explain_step* next = step_with(e, OY_STEP_NEXT, "cpu");
  assert_non_null(next);
  assert_int_equal(next->key, OY_KEY_CPU);
  oy_explanation_free(e);
  oy_explanation_free(NULL);
  end(&w);
}

// Over sets of keys and thread-local sets: the slot and the effective set are
// those of the call, the chosen kernel is the cell of the table.
static void OBS_12_explains_what_happens(void** state) {
  (void)state;
  static const oy_key sets[][4] = {
      {OY_KEY_CPU},
      {OY_KEY_CUDA},
      {OY_KEY_CPU, OY_KEY_ADInplaceOrView, OY_KEY_AutogradCPU},
      {OY_KEY_CUDA, OY_KEY_ADInplaceOrView, OY_KEY_AutogradCUDA},
      {OY_KEY_CPU, OY_KEY_CUDA, OY_KEY_AutogradCPU},
      {OY_KEY_SparseCPU, OY_KEY_AutogradCPU},
      {OY_KEY_CPU, OY_KEY_Negative},
      {OY_KEY_FPGA, OY_KEY_AutogradOther},
      {OY_KEY_NestedTensorCPU, OY_KEY_AutogradNestedTensor},
      {OY_KEY_Meta, OY_KEY_CPU}};
  static const oy_key locals[][2] = {{0, 0},
                                     {OY_KEY_Tracer, 0},
                                     {0, OY_KEY_AutogradCPU},
                                     {OY_KEY_Meta, 0},
                                     {OY_KEY_Negative, OY_KEY_AutogradOther}};
  world w;
  begin(&w, g_steps, TEST_COUNT(g_steps));
  for (size_t i = 0; i < TEST_COUNT(sets) * TEST_COUNT(locals); i++) {
    const oy_key* local = locals[i % TEST_COUNT(locals)];
    test_tensor x = test_tensor_of(test_keyset(sets[i / TEST_COUNT(locals)], 4));
    oy_guard in = oy_guard_include(oy_keyset_of(local[0]));
    oy_guard out = oy_guard_exclude(oy_keyset_of(local[1]));
    oy_argument_keys argument = {x.object.keys, OY_DTYPE_F32};
    oy_explanation* e = NULL;
    assert_ok(oy_explain(w.op, &argument, 1, &e));
    test_log_clear();
    oy_object* result = test_call_t_t(w.op, &x.object);
    const char* cell = test_cell(w.op, e->slot);
    oy_keyset keys = x.object.keys;
    (void)oy_select_call(w.op, &keys);
    assert_true(oy_keyset_equal(e->effective, keys));
    assert_int_equal(e->slot, oy_keyset_highest(keys));
    if (result) {
      const oy_explain_step* first = &e->steps[0];
      assert_int_equal(first->verdict, OY_STEP_CHOSEN);
      assert_true(oy_keyset_equal(test_log_keys(0), e->effective));
      assert_contains(cell, test_printf("[%s]", first->provenance));
      assert_contains(first->kernel,
                      test_printf("%.*s", (int)strcspn(test_log(), " "), test_log()));
    } else {
      assert_string_equal(cell, "");
      for (size_t s = 0; s < e->step_count; s++)
        if (e->steps[s].verdict == OY_STEP_CHOSEN)
          assert_string_equal(e->steps[s].kernel, "(none)");
    }
    oy_explanation_free(e);
    oy_guard_end(&out);
    oy_guard_end(&in);
  }
  end(&w);
}

// dtype, capability and priority: who won and why the others lost.
static void OBS_12_variants(void** state) {
  (void)state;
  test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"), STEP_BOXED("f", CPU, "any"),
                       STEP_BOXED("f", CPU, "double"), STEP_BOXED("f", CPU, "single"),
                       STEP_BOXED("f", CPU, "preferred")};
  steps[2].kernel.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F64);
  steps[3].kernel.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F32);
  steps[4].kernel.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F32);
  steps[4].kernel.priority = 3;
  static const struct {
    oy_dtype dtype;
    const char* chosen;
    const char* lost[3];
  } rows[] = {{OY_DTYPE_F32, "preferred", {"single", "double", "any"}},
              {OY_DTYPE_F64, "double", {"single", "preferred", "any"}},
              {OY_DTYPE_I64, "any", {"single", "preferred", "double"}}};
  world w;
  begin(&w, steps, TEST_COUNT(steps));
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_argument_keys argument = {TEST_PLAIN(CPU), rows[i].dtype};
    oy_explanation* e = NULL;
    assert_ok(oy_explain(w.op, &argument, 1, &e));
    assert_int_equal(e->dtype, rows[i].dtype);
    assert_non_null(step_with(e, OY_STEP_CHOSEN, rows[i].chosen));
    for (int l = 0; l < 3; l++)
      if (!step_with(e, OY_STEP_LOST, rows[i].lost[l]))
        fail_msg("row %zu: %s is not among the lost", i, rows[i].lost[l]);
    oy_explanation_free(e);
    // And so it goes, typed and boxed.
    test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
    x.object.dtype = rows[i].dtype;
    test_log_clear();
    assert_ptr_equal(test_call_t_t(w.op, &x.object), &x.object);
    assert_ok(test_call_boxed(w.op, &x.object));
    assert_string_equal(test_log(), test_printf("%s %s", rows[i].chosen, rows[i].chosen));
  }
  end(&w);
}

// Operators that have kernels and no definition, or nothing, can be explained.
static void OBS_12_undefined_operator(void** state) {
  (void)state;
  world w;
  begin(&w, g_steps, TEST_COUNT(g_steps));
  oy_argument_keys argument = {TEST_PLAIN(CPU), OY_DTYPE_F32};
  for (int step = 0; step < 2; step++) {
    if (step == 0) {
      oy_library_close(w.libraries.library[0]);
      w.libraries.library[0] = NULL;
    } else {
      test_close(&w.libraries);
    }
    oy_explanation* e = NULL;
    assert_ok(oy_explain(w.op, &argument, 1, &e));
    if (step == 0) assert_int_equal(e->slot, OY_KEY_CPU);
    assert_int_equal(step_with(e, OY_STEP_CHOSEN, "cpu") != NULL, step == 0);
    oy_explanation_free(e);
  }
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(OBS_12_parts_of_an_explanation),
      TEST(OBS_12_explains_what_happens),
      TEST(OBS_12_variants),
      TEST(OBS_12_undefined_operator),
  };
  return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
