// SPDX-License-Identifier: Apache-2.0
// Single registrations: stacks of kernels, overriding, fallbacks, listeners, and
// what is left dangling (reference, sections 3.4 to 3.8).
#include <stdio.h>

#include "support.h"

#define SIG "(Tensor _0) -> Tensor _0 [ boxed unboxed ]\n"

// Newest active; removing any one removes only that one (REG-08). Each row is an
// order of removing three kernels at one key: what is active after each step.
static void REG_08_kernel_stack(void** state) {
  (void)state;
  static const struct {
    int order[3];
    const char* active[3];
    const char* dump[2];
  } rows[] = {
      {{2, 1, 0},
       {"k1 [kernel]", "k0 [kernel]", ""},
       {"CPU: k1 :: " SIG "CPU (inactive): k0 :: " SIG, "CPU: k0 :: " SIG}},
      {{0, 1, 2},
       {"k2 [kernel]", "k2 [kernel]", ""},
       {"CPU: k2 :: " SIG "CPU (inactive): k1 :: " SIG, "CPU: k2 :: " SIG}},
      {{1, 2, 0},
       {"k2 [kernel]", "k0 [kernel]", ""},
       {"CPU: k2 :: " SIG "CPU (inactive): k0 :: " SIG, "CPU: k0 :: " SIG}},
      {{1, 0, 2},
       {"k2 [kernel]", "k2 [kernel]", ""},
       {"CPU: k2 :: " SIG "CPU (inactive): k0 :: " SIG, "CPU: k2 :: " SIG}},
      {{2, 0, 1},
       {"k1 [kernel]", "k1 [kernel]", ""},
       {"CPU: k1 :: " SIG "CPU (inactive): k0 :: " SIG, "CPU: k1 :: " SIG}},
      {{0, 2, 1},
       {"k2 [kernel]", "k1 [kernel]", ""},
       {"CPU: k2 :: " SIG "CPU (inactive): k1 :: " SIG, "CPU: k1 :: " SIG}},
  };
  static const test_step steps[] = {STEP_IMPL("f", CPU, "k0"), STEP_IMPL("f", CPU, "k1"),
                                    STEP_IMPL("f", CPU, "k2")};
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_registry* registry = test_registry();
    test_libraries libraries;
    test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
    const oy_op* op = oy_op_lookup(registry, oy_str_of("test::f"));
    assert_string_equal(test_state(op),
                        "name: test::f\nschema: (none)\nCPU: k2 :: " SIG
                        "CPU (inactive): k1 :: " SIG "CPU (inactive): k0 :: " SIG);
    for (size_t s = 0; s < 3; s++) {
      oy_library_close(libraries.library[rows[i].order[s]]);
      assert_string_equal(test_cell(op, OY_KEY_CPU), rows[i].active[s]);
      if (s < 2)
        assert_string_equal(
            test_state(op),
            test_printf("name: test::f\nschema: (none)\n%s", rows[i].dump[s]));
      assert_ok(oy_op_check_invariants(op));
    }
    assert_int_equal(oy_registry_op_count(registry), 0);
    oy_registry_destroy(registry);
  }
}

// ------------------------------------------------------------------- warnings

typedef struct warnings {
  size_t count;
  char last[2048];
} warnings;

static void note_warning(void* user_data, const char* message) {
  warnings* w = user_data;
  w->count++;
  snprintf(w->last, sizeof(w->last), "%s", message);
}

// "Defect": upstream names the first typed kernel of the operator at any key as
// the previous one. Here it is the one that was active at this key.
static void REG_09_override_warning(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  warnings seen = {0, ""};
  oy_registry_set_warning_sink(registry, note_warning, &seen);
  test_libraries libraries;
  static const test_step steps[] = {
      STEP_DEF("f(Tensor x) -> Tensor"), STEP_IMPL("f", CUDA, "at cuda"),
      STEP_IMPL("f", CPU, "first"), STEP_IMPL("f", CPU, "second")};
  test_register(registry, "test", steps, 3, &libraries);
  assert_int_equal(seen.count, 0);
  oy_library* second = NULL;
  assert_ok(test_apply_alone(registry, "test", &steps[3], &second));
  assert_int_equal(seen.count, 1);
  assert_contains(seen.last,
                  "Overriding a previously registered kernel for the same operator and "
                  "the same dispatch key\n");
  assert_contains(seen.last, "  operator: test::f(Tensor x) -> Tensor\n    def\n");
  assert_contains(seen.last, "  dispatch key: CPU\n");
  assert_contains(seen.last, "  previous kernel: first\n");
  assert_contains(seen.last, "       new kernel: second");
  assert_lacks(seen.last, "at cuda");
  oy_library_close(second);
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// What is no override, or an allowed one, is silent.
static void REG_09_no_warning(void** state) {
  (void)state;
  test_step allowed = STEP_IMPL("f", CPU, "allowed");
  allowed.allow_override = true;
  test_step dtype = STEP_IMPL("f", CPU, "dtype");
  dtype.kernel.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F32);
  const test_step seconds[] = {allowed,
                               dtype,
                               STEP_IMPL("f", CUDA, "other key"),
                               STEP_IMPL("g", CPU, "other op"),
                               STEP_IMPL("f.overload", CPU, "other overload"),
                               STEP_FALLBACK(CPU, "fallback")};
  for (size_t i = 0; i < TEST_COUNT(seconds); i++) {
    oy_registry* registry = test_registry();
    warnings seen = {0, ""};
    oy_registry_set_warning_sink(registry, note_warning, &seen);
    const test_step steps[] = {STEP_IMPL("f", CPU, "first"), seconds[i]};
    test_libraries libraries;
    test_register(registry, "test", steps, 2, &libraries);
    if (seen.count) print_error("row %zu: %s\n", i, seen.last);
    assert_int_equal(seen.count, 0);
    test_close(&libraries);
    oy_registry_destroy(registry);
  }
}

// An operator without a schema is named by its name.
static void REG_09_override_without_schema(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  warnings seen = {0, ""};
  oy_registry_set_warning_sink(registry, note_warning, &seen);
  static const test_step steps[] = {STEP_BOXED("f.o", Autograd, "first"),
                                    STEP_BOXED("f.o", Autograd, "second")};
  test_libraries libraries;
  test_register(registry, "test", steps, 2, &libraries);
  assert_int_equal(seen.count, 1);
  assert_contains(seen.last, "  operator: test::f.o\n");
  assert_contains(seen.last, "  dispatch key: Autograd\n");
  assert_contains(seen.last, "  previous kernel: first\n");
  // A sink that is taken away hears nothing.
  oy_registry_set_warning_sink(registry, NULL, NULL);
  oy_library* third = NULL;
  assert_ok(test_apply_alone(registry, "test", &steps[0], &third));
  assert_int_equal(seen.count, 1);
  oy_library_close(third);
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// ------------------------------------------------------------------ fallbacks

static void REG_11_second_fallback(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step first = STEP_FALLBACK(XLA, NULL);
  oy_library *one = NULL, *two = NULL;
  assert_ok(test_apply_alone(registry, "_", &first, &one));
  test_step second = first;
  second.debug = "the second";
  assert_error(test_apply_alone(registry, "_", &second, &two), OY_ALREADY_EXISTS,
               "Tried to register multiple backend fallbacks for the same dispatch key "
               "XLA; previous registration registered at step.c:1, new registration the "
               "second");
  oy_library_close(one);
  assert_false(oy_registry_has_fallback(registry, OY_KEY_XLA));
  assert_ok(test_apply_alone(registry, "_", &second, &two));
  oy_library_close(two);
  oy_registry_destroy(registry);
}

// An alias key stands for its runtime keys: all of them or none.
static void REG_11_alias_fallback_is_atomic(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_FALLBACK(AutogradXLA, "xla alone")};
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  const oy_op* op = test_find(registry, "test::f");
  const char* before = test_table(op);
  static const test_step all = STEP_FALLBACK(Autograd, "all");
  oy_library* library = NULL;
  assert_error(test_apply_alone(registry, "_", &all, &library), OY_ALREADY_EXISTS,
               "Tried to register multiple backend fallbacks for the same dispatch key "
               "AutogradXLA; previous registration xla alone, new registration all");
  assert_string_equal(test_table(op), before);
  assert_false(oy_registry_has_fallback(registry, OY_KEY_AutogradOther));
  assert_false(oy_registry_has_fallback(registry, OY_KEY_AutogradCPU));
  assert_false(oy_registry_has_fallback(registry, OY_KEY_AutogradMeta));
  test_close(&libraries);

  assert_ok(test_apply_alone(registry, "_", &all, &library));
  oy_key key;
  for (size_t i = 0; oy_key_at(i, &key); i++) {
    if (!oy_key_is_runtime(key)) continue;
    if (oy_registry_has_fallback(registry, key) != oy_key_in_alias(key, OY_KEY_Autograd))
      fail_msg("fallback at %s", oy_key_name(key));
  }
  oy_library_close(library);
  assert_false(oy_registry_has_fallback(registry, OY_KEY_AutogradCPU));
  oy_registry_destroy(registry);
}

// Operators that exist, and operators that come later, get the fallback; all of
// them lose it.
static void REG_11_fallback_recomputes_all(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries early, late;
  static const test_step before[] = {
      STEP_DEF("f(Tensor x) -> Tensor"), STEP_IMPL("g", CUDA, "g cuda"),
      STEP_DEF("h(Tensor x) -> Tensor"), STEP_IMPL("h", CPU, "h cpu")};
  static const test_step after[] = {STEP_DEF("i(Tensor x) -> Tensor")};
  static const test_step fallback = STEP_FALLBACK(CPU, "fallback");
  test_register(registry, "test", before, TEST_COUNT(before), &early);
  oy_library* library = NULL;
  assert_ok(test_apply_alone(registry, "_", &fallback, &library));
  test_register(registry, "test", after, TEST_COUNT(after), &late);
  const oy_op* ops[4];
  static const char* const names[] = {"test::f", "test::g", "test::h", "test::i"};
  for (int i = 0; i < 4; i++) ops[i] = oy_op_lookup(registry, oy_str_of(names[i]));
  for (int i = 0; i < 4; i++)
    assert_string_equal(test_cell(ops[i], OY_KEY_CPU),
                        i == 2 ? "h cpu [kernel]" : "fallback [backend fallback]");
  assert_ok(oy_registry_check_invariants(registry));
  oy_library_close(library);
  for (int i = 0; i < 4; i++)
    assert_string_equal(test_cell(ops[i], OY_KEY_CPU), i == 2 ? "h cpu [kernel]" : "");
  assert_ok(oy_registry_check_invariants(registry));
  test_close(&late);
  test_close(&early);
  oy_registry_destroy(registry);
}

// ------------------------------------------------------------------ listeners

typedef struct heard {
  int defined, undefined;
  const oy_op* last;
} heard;

static void on_defined(void* user_data, const oy_op* op) {
  ((heard*)user_data)->defined++;
  ((heard*)user_data)->last = op;
}

static void on_undefined(void* user_data, const oy_op* op) {
  ((heard*)user_data)->undefined++;
  ((heard*)user_data)->last = op;
}

static void REG_13_listeners(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  heard h = {0, 0, NULL};
  int id = 0;
  static const test_step def = STEP_DEF("f(Tensor x) -> Tensor"),
                         impl = STEP_IMPL("f", CPU, "k"),
                         fallback = STEP_FALLBACK(CPU, "fallback"),
                         wrong = STEP_DEF("f(Tensor x, Tensor y) -> Tensor");
  oy_library *l_impl, *l_def, *l_fallback, *none;
  assert_ok(test_apply_alone(registry, "test", &impl, &l_impl));
  assert_ok(oy_registry_add_listener(registry,
                                     (oy_listener){on_defined, on_undefined, &h}, &id));
  assert_int_equal(h.defined, 0);  // kernels alone are no operator yet
  assert_ok(test_apply_alone(registry, "_", &fallback, &l_fallback));
  assert_int_not_equal(test_apply_alone(registry, "test", &wrong, &none), OY_OK);
  assert_int_equal(h.defined, 0);
  assert_ok(test_apply_alone(registry, "test", &def, &l_def));
  assert_int_equal(h.defined, 1);
  assert_ptr_equal(h.last, test_find(registry, "test::f"));
  oy_library_close(l_impl);
  oy_library_close(l_fallback);
  assert_int_equal(h.defined, 1);
  assert_int_equal(h.undefined, 0);
  // One that comes late is told of what there is.
  heard late = {0, 0, NULL};
  int late_id = 0;
  assert_ok(oy_registry_add_listener(
      registry, (oy_listener){on_defined, on_undefined, &late}, &late_id));
  assert_int_equal(late.defined, 1);
  assert_int_not_equal(late_id, id);
  oy_registry_remove_listener(registry, id);
  oy_library_close(l_def);
  assert_int_equal(h.undefined, 0);
  assert_int_equal(late.undefined, 1);
  oy_registry_remove_listener(registry, late_id);
  // Members may be NULL.
  assert_ok(oy_registry_add_listener(registry, (oy_listener){NULL, NULL, NULL}, &id));
  assert_ok(test_apply_alone(registry, "test", &def, &l_def));
  oy_library_close(l_def);
  oy_registry_destroy(registry);
}

static void REG_14_dangling(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  char* text = NULL;
  size_t count = 99;
  assert_ok(oy_registry_dump_dangling(registry, &text, &count));
  assert_int_equal(count, 0);
  assert_string_equal(test_keep(text), "");
  test_libraries libraries;
  static const test_step steps[] = {
      STEP_DEF("good(Tensor x) -> Tensor"), STEP_IMPL("good", CPU, "k"),
      STEP_IMPL("foo", CPU, "k"), STEP_DEF("empty(Tensor x) -> Tensor")};
  test_register(registry, "__test", steps, TEST_COUNT(steps), &libraries);
  assert_ok(oy_registry_dump_dangling(registry, &text, &count));
  assert_int_equal(count, 1);
  assert_string_equal(test_keep(text),
                      "name: __test::foo\nschema: (none)\nCPU: k :: " SIG);
  test_close(&libraries);
  assert_ok(oy_registry_dump_dangling(registry, &text, &count));
  assert_int_equal(count, 0);
  oy_text_free(text);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(REG_08_kernel_stack),
      TEST(REG_09_override_warning),
      TEST(REG_09_no_warning),
      TEST(REG_09_override_without_schema),
      TEST(REG_11_second_fallback),
      TEST(REG_11_alias_fallback_is_atomic),
      TEST(REG_11_fallback_recomputes_all),
      TEST(REG_13_listeners),
      TEST(REG_14_dangling),
  };
  return cmocka_run_group_tests_name("registration", tests, NULL, NULL);
}
