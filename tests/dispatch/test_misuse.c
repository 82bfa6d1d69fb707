// SPDX-License-Identifier: Apache-2.0
// Arguments that make no sense: keys that are none, texts that are missing,
// numbers beyond their range, stacks with too little on them. An error each
// time, nothing changed, nothing read that is not there (for AddressSanitizer).
#include <stdio.h>

#include "opyard/state.h"
#include "support.h"

static oy_object* never(const oy_op* op, oy_keyset keys, oy_object* self) {
  (void)op;
  (void)keys;
  (void)self;
  fail_msg("a kernel that must not run ran");
  return NULL;
}

#define TYPED(...) \
  { .typed = (oy_typed_fn)never, .signature = "(Tensor) -> Tensor", __VA_ARGS__ }

static void REG_16_bad_kernel_params(void** state) {
  (void)state;
  static const oy_kernel_params rows[] = {
      TYPED(.fallthrough = true),
      {.boxed = test_kernel_boxed, .fallthrough = true},
      TYPED(.dtype_filter = 200),
      TYPED(.dtype_filter = 255),
      TYPED(.dtype_filter = OY_DTYPE_LIMIT + 1),
  };
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_FRAGMENT, "test", 0);
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_impl_params impl = {"f", OY_KEY_CPU, rows[i], false, OY_HERE};
    oy_registration* registration = NULL;
    if (oy_library_impl(library, &impl, &registration) == OY_OK)
      fail_msg("row %zu was accepted", i);
    assert_int_not_equal(oy_error_get()->code, OY_OK);
    assert_int_equal(oy_registry_op_count(registry), 0);
  }
  oy_library_close(library);
  oy_registry_destroy(registry);
}

// Keys that no kernel can be registered for.
static const oy_key g_bad_keys[] = {
    OY_KEY_Dense,
    OY_KEY_AutogradFunctionality,
    OY_KEY_OF(OY_KEY_Dense, 50),  // a backend that does not exist
    OY_KEY_OF(OY_KEY_Tracer, 0),  // not per backend
    OY_KEY_OF(OY_KEY_Undefined, 0),
    OY_KEY_Trace,  // the trace's own
    OY_KEY_TraceRedispatch,
    49,  // beyond the last functionality
    63,
    255,
    OY_KEY_ALIAS_BIT | 6,  // beyond the last alias
    0xffff,
    0x7fff,
};

static void REG_16_bad_keys(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_FRAGMENT, "test", 0);
  oy_library* fallbacks = test_library(registry, OY_LIBRARY_IMPL, "_", 0);
  for (size_t i = 0; i < TEST_COUNT(g_bad_keys); i++) {
    test_step impl = STEP_BOXED("f", CPU, "k"), fallback = STEP_FALLBACK(CPU, "k");
    test_step def = STEP_DEF("g(Tensor x) -> Tensor");
    def.has_kernel = true;
    def.kernel = impl.kernel;
    impl.key = fallback.key = def.key = g_bad_keys[i];
    if (test_apply(library, &impl, NULL) == OY_OK)
      fail_msg("a kernel for key %#x", g_bad_keys[i]);
    if (test_apply(fallbacks, &fallback, NULL) == OY_OK)
      fail_msg("a fallback for key %#x", g_bad_keys[i]);
    if (test_apply(library, &def, NULL) == OY_OK)
      fail_msg("a definition with key %#x", g_bad_keys[i]);
    oy_library* none = NULL;
    oy_library_params params = {registry, OY_LIBRARY_IMPL, "x", g_bad_keys[i], "l.c", 1};
    impl.key = OY_KEY_Undefined;  // the library's
    if (oy_library_create(&params, &none) == OY_OK &&
        test_apply(none, &impl, NULL) == OY_OK)
      fail_msg("a library for key %#x", g_bad_keys[i]);
    oy_library_close(none);
    assert_int_equal(oy_registry_op_count(registry), 0);
  }
  oy_library_close(library);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

// Asking about them is no crash either.
static void OBS_03_questions_about_bad_keys(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_BOXED("f", CompositeImplicitAutograd, "math")};
  test_libraries libraries;
  test_register(registry, "test", steps, 2, &libraries);
  const oy_op* op = test_find(registry, "test::f");
  for (size_t i = 0; i < TEST_COUNT(g_bad_keys); i++) {
    oy_key key = g_bad_keys[i];
    char* text = NULL;
    bool has = false;
    assert_false(oy_op_has_kernel(op, key));
    assert_false(oy_registry_has_fallback(registry, key));
    // Some land on the slot of another key; the answers are no matter.
    (void)oy_op_is_fallthrough(op, key);
    (void)!oy_op_has_computed_kernel(op, key, &has);
    (void)!oy_op_dump_cell(op, key, &text);
    oy_text_free(text);
    text = NULL;
    (void)!oy_registry_dump_key(registry, key, &text);
    oy_text_free(text);
    oy_stack stack;
    oy_value storage[1];
    oy_stack_init(&stack, storage, 1);
    test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
    assert_ok(oy_stack_push(&stack, oy_value_tensor(&x.object)));
    assert_int_not_equal(oy_op_call_boxed_for_key(op, key, &stack), OY_OK);
    oy_stack_reset(&stack);
  }
  test_close(&libraries);
  oy_registry_destroy(registry);
}

static void REG_16_missing_texts(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library *library = test_library(registry, OY_LIBRARY_FRAGMENT, "test", 0), *none;
  static const char* const names[] = {NULL, "",   "test::",  "::f", "a b",
                                      "f.", "f(", "f::g::h", "1f"};
  for (size_t i = 0; i < TEST_COUNT(names); i++) {
    oy_impl_params impl = {
        names[i], OY_KEY_CPU, OY_BOXED(test_kernel_boxed), false, {NULL, 0, NULL}};
    if (oy_library_impl(library, &impl, NULL) == OY_OK)
      fail_msg("impl(\"%s\")", names[i] ? names[i] : "(null)");
    oy_def_params def = {.schema = names[i]};
    if (oy_library_def(library, &def, NULL) == OY_OK)
      fail_msg("def(\"%s\")", names[i] ? names[i] : "(null)");
    oy_library_params params = {registry, OY_LIBRARY_DEF, names[i], 0, NULL, 0};
    if (names[i] && strcmp(names[i], "1f") == 0) continue;
    if (oy_library_create(&params, &none) == OY_OK)
      fail_msg("library \"%s\"", names[i] ? names[i] : "(null)");
  }
  assert_int_equal(oy_registry_op_count(registry), 0);
  const oy_op* op = NULL;
  assert_int_not_equal(oy_op_find(registry, (oy_str){NULL, 0}, &op), OY_OK);
  assert_null(oy_op_lookup(registry, oy_str_of("")));
  oy_library_close(library);
  oy_registry_destroy(registry);
}

// A fallback is boxed: an unboxed function would be called with a wrong type.
static void REG_11_typed_fallback(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_IMPL, "_", OY_KEY_CPU);
  static const oy_kernel_params typed = TYPED(.priority = 0);
  static const oy_kernel_params nothing = {.priority = 0};
  assert_error_part(oy_library_fallback(library, 0, &typed, OY_HERE, NULL), 0, "");
  assert_error_part(oy_library_fallback(library, 0, &nothing, OY_HERE, NULL), 0, "");
  assert_false(oy_registry_has_fallback(registry, OY_KEY_CPU));
  oy_library_close(library);
  oy_registry_destroy(registry);
}

// -------------------------------------------------------------------- calls

static oy_status call_with(const oy_op* op, const oy_value* values, size_t count) {
  oy_value storage[8];
  oy_stack stack;
  oy_stack_init(&stack, storage, TEST_COUNT(storage));
  for (size_t i = 0; i < count; i++) assert_ok(oy_stack_push(&stack, values[i]));
  oy_status status = oy_op_call_boxed(op, &stack);
  oy_stack_reset(&stack);
  return status;
}

// Too few values, or values of other types, for typed kernels.
static void BOX_01_bad_stacks(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    {.kind = TEST_IMPL,
                                     .text = "f",
                                     .key = OY_KEY_CompositeImplicitAutograd,
                                     .debug = "k",
                                     .kernel = TYPED(.priority = 0)},
                                    STEP_DEF("two(Tensor x, Tensor y) -> Tensor"),
                                    STEP_BOXED("two", CompositeImplicitAutograd, "k")};
  test_libraries libraries;
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  oy_guard guard = oy_guard_force(oy_keyset_empty(), oy_keyset_empty());
  const oy_op *f = test_find(registry, "test::f"),
              *two = test_find(registry, "test::two");
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  const oy_value tensor = oy_value_tensor(&x.object);
  assert_error_part(call_with(f, NULL, 0), 0, "test::f");
  assert_error_part(call_with(two, &tensor, 1), 0, "test::two");
  static const int64_t ints[] = {1};
  const oy_value wrong[] = {oy_int(3), oy_float(1), oy_bool(true),
                            oy_value_str(oy_str_of("x")),
                            oy_value_list(OY_TAG_INT_LIST, ints, 1)};
  for (size_t i = 0; i < TEST_COUNT(wrong); i++)
    assert_error_part(call_with(f, &wrong[i], 1), OY_TYPE_MISMATCH, "");
  oy_guard_end(&guard);
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// Boxed kernels that leave something else than the schema says.
static oy_status leaves_int(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  (void)keys;
  (void)kernel;
  oy_stack_drop(stack, op->argument_count);
  return oy_stack_push(stack, oy_int(5));
}
static oy_status leaves_nothing(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                const oy_kernel* kernel) {
  (void)keys;
  (void)kernel;
  oy_stack_drop(stack, op->argument_count);
  return OY_OK;
}
static oy_status leaves_two(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  (void)op;
  (void)keys;
  (void)kernel;
  oy_value again;
  OY_TRY(oy_value_copy(*oy_stack_last(stack, 1), &again));
  return oy_stack_push(stack, again);
}

static void BOX_02_bad_results(void** state) {
  (void)state;
  static const oy_boxed_fn kernels[] = {leaves_int, leaves_nothing, leaves_two};
  for (size_t i = 0; i < TEST_COUNT(kernels); i++) {
    oy_registry* registry = test_registry();
    test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"), STEP_BOXED("f", CPU, "k")};
    steps[1].kernel.boxed = kernels[i];
    test_libraries libraries;
    test_register(registry, "test", steps, 2, &libraries);
    oy_guard guard = oy_guard_force(oy_keyset_empty(), oy_keyset_empty());
    oy_object* x = test_tensor_new(TEST_PLAIN(CPU), 1);
    oy_error_clear();
    assert_null(test_call_t_t(test_find(registry, "test::f"), x));
    assert_int_not_equal(oy_error_get()->code, OY_OK);
    assert_contains(test_message(), "test::f");
    assert_int_equal(x->references, 1);
    oy_object_release(x);
    oy_guard_end(&guard);
    test_close(&libraries);
    oy_registry_destroy(registry);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(REG_16_bad_kernel_params),
      TEST(REG_16_bad_keys),
      TEST(OBS_03_questions_about_bad_keys),
      TEST(REG_16_missing_texts),
      TEST(REG_11_typed_fallback),
      TEST(BOX_01_bad_stacks),
      TEST(BOX_02_bad_results),
  };
  return cmocka_run_group_tests_name("misuse", tests, NULL, NULL);
}
