// SPDX-License-Identifier: Apache-2.0
// Calls that fail: no kernel, no tensor, the ambiguous kernel, a wrong C type, an
// operator that is gone, errors on their way up; and calls from inside calls
// (reference, sections 4.2 and 5.4).
#include <stdio.h>

#include "support.h"

typedef struct fixture {
  oy_registry* registry;
  oy_library* fallbacks;
  test_libraries libraries;
  const oy_op* op;
} fixture;

static void begin(fixture* f, const test_step* steps, size_t count) {
  f->registry = test_registry_with_fallbacks(&f->fallbacks);
  test_register(f->registry, "test", steps, count, &f->libraries);
  f->op = oy_op_lookup(f->registry, oy_str_of("test::f"));
  assert_non_null(f->op);
}

static void end(fixture* f) {
  test_close(&f->libraries);
  oy_library_close(f->fallbacks);
  oy_registry_destroy(f->registry);
}

static size_t lines(const char* text) {
  size_t n = *text != '\0';
  for (; *text; text++) n += *text == '\n' && text[1] != '\0';
  return n;
}

// The line of |message| that begins with |label|; "" if there is none.
static const char* line_of(const char* message, const char* label) {
  const char* at = strstr(message, label);
  return at ? test_printf("%.*s", (int)strcspn(at, "\n"), at) : "";
}

// A name as a word of its own: "CPU" is not in "AutogradCPU".
static bool has_word(const char* text, const char* word) {
  size_t n = strlen(word);
  for (const char* at = strstr(text, word); at; at = strstr(at + 1, word)) {
    bool left = at == text || strchr(" ,[(:", at[-1]);
    if (left && (at[n] == '\0' || strchr(" ,])\n.;", at[n]))) return true;
  }
  return false;
}

// ------------------------------------------------------------- could not run

static const test_step g_steps[] = {
    STEP_DEF("f(Tensor x) -> Tensor"), STEP_IMPL("f", CPU, "cpu"),
    STEP_IMPL("f", XLA, "xla"),
    STEP_IMPL("f", CompositeImplicitAutogradNestedTensor, "nested"),
    STEP_FALLBACK(Tracer, "tracer fallback")};

static void check_could_not_run(const oy_op* op, const char* key) {
  const oy_error* error = oy_error_get();
  const char* message = test_message();
  assert_int_equal(error->code, OY_NOT_IMPLEMENTED);
  const char* first =
      test_printf("Could not run 'test::f' with arguments from the '%s' backend.", key);
  if (strncmp(message, first, strlen(first)) != 0)
    fail_msg("should begin with: %s\nbut is: %s", first, message);
  assert_true(lines(message) <= 10);
  const char* kernels = line_of(message, "kernels:");
  assert_true(has_word(kernels, "CPU") && has_word(kernels, "XLA"));
  assert_false(has_word(kernels, "AutogradCPU") || has_word(kernels, "Tracer"));
  assert_contains(line_of(message, "inherited from composite:"), "NestedTensor");
  assert_true(has_word(line_of(message, "only a fallback:"), "Tracer"));
  assert_contains(error->detail, test_table(op));
  assert_string_equal(error->op, "test::f");
}

static void CALL_08_could_not_run(void** state) {
  (void)state;
  fixture f;
  begin(&f, g_steps, TEST_COUNT(g_steps));
  static const struct {
    oy_key keys[3];
    const char* name;
  } rows[] = {{{OY_KEY_CUDA}, "CUDA"},
              {{OY_KEY_CPU, OY_KEY_CUDA}, "CUDA"},
              {{OY_KEY_SparseCPU}, "SparseCPU"},
              {{OY_KEY_CPU, OY_KEY_Conjugate}, "Conjugate"},
              {{OY_KEY_CUDA, OY_KEY_ADInplaceOrView, OY_KEY_AutogradCUDA}, "CUDA"},
              {{OY_KEY_PrivateUse1, OY_KEY_AutogradPrivateUse1}, "AutogradPrivateUse1"},
              {{OY_KEY_FPGA}, "FPGA"}};
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    test_tensor x = test_tensor_of(test_keyset(rows[i].keys, 3));
    oy_error_clear();
    assert_null(test_call_t_t(f.op, &x.object));
    check_could_not_run(f.op, rows[i].name);
    oy_error_clear();
    assert_int_equal(test_call_boxed(f.op, &x.object), OY_NOT_IMPLEMENTED);
    check_could_not_run(f.op, rows[i].name);
  }
  end(&f);
}

// Redispatch to nowhere says the same.
static void CALL_08_redispatch_to_nowhere(void** state) {
  (void)state;
  fixture f;
  begin(&f, g_steps, TEST_COUNT(g_steps));
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  assert_null(test_redispatch_t_t(f.op, TEST_PLAIN(CUDA), &x.object));
  check_could_not_run(f.op, "CUDA");
  assert_int_equal(test_redispatch_boxed(f.op, TEST_PLAIN(CUDA), &x.object),
                   OY_NOT_IMPLEMENTED);
  check_could_not_run(f.op, "CUDA");
  end(&f);
}

// An operator with nothing at all has nothing to list, and says so in a few lines.
static void CALL_08_no_kernels_at_all(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step def = STEP_DEF("f(Tensor x) -> Tensor");
  oy_library* library;
  assert_ok(test_apply_alone(registry, "test", &def, &library));
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  oy_guard guard = oy_guard_force(oy_keyset_empty(), oy_keyset_empty());
  assert_null(test_call_t_t(test_find(registry, "test::f"), &x.object));
  const char* message = test_message();
  assert_contains(message,
                  "Could not run 'test::f' with arguments from the 'CPU' backend.");
  assert_true(lines(message) <= 10);
  oy_guard_end(&guard);
  oy_library_close(library);
  oy_registry_destroy(registry);
}

static void CALL_09_no_tensor_arguments(void** state) {
  (void)state;
  static const test_step steps[] = {STEP_DEF("f() -> ()"), STEP_BOXED("f", CPU, "cpu")};
  fixture f;
  begin(&f, steps, TEST_COUNT(steps));
  static const char first[] =
      "There were no tensor arguments to this function (e.g., you passed an empty list "
      "of "
      "Tensors), but no fallback function is registered for schema test::f.";
  for (int boxed = 0; boxed < 2; boxed++) {
    oy_stack stack;
    oy_stack_init(&stack, NULL, 0);
    oy_error_clear();
    oy_status status = boxed ? oy_op_call_boxed(f.op, &stack) : test_call_void(f.op);
    assert_int_equal(status, OY_NOT_IMPLEMENTED);
    const char* message = test_message();
    if (strncmp(message, first, strlen(first)) != 0) fail_msg("%s", message);
    assert_true(lines(message) <= 10);
    assert_contains(oy_error_get()->detail, test_table(f.op));
    oy_stack_reset(&stack);
  }
  // A composite serves it.
  static const test_step math = STEP_BOXED("f", CompositeImplicitAutograd, "math");
  oy_library* library;
  assert_ok(test_apply_alone(f.registry, "test", &math, &library));
  test_log_clear();
  assert_ok(test_call_void(f.op));
  assert_string_equal(test_log(), "math");
  oy_library_close(library);
  end(&f);
}

static void TAB_06_ambiguous_kernel_raises(void** state) {
  (void)state;
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_IMPL("f", FPGA, "fpga"),
                                    STEP_IMPL("f", CompositeImplicitAutograd, "math")};
  fixture f;
  begin(&f, steps, TEST_COUNT(steps));
  test_tensor plain = test_tensor_of(TEST_PLAIN(FPGA)),
              grad = test_tensor_of(TEST_KEYS(OY_KEY_FPGA, OY_KEY_AutogradOther));
  test_log_clear();
  assert_ptr_equal(test_call_t_t(f.op, &plain.object), &plain.object);
  assert_string_equal(test_log(), "fpga");
  static const char text[] =
      "test::f has kernels registered to both CompositeImplicitAutograd and a backend "
      "mapped to AutogradOther.";
  assert_null(test_call_t_t(f.op, &grad.object));
  assert_contains(test_message(), text);
  assert_contains(test_printf("%s%s", test_message(), oy_error_get()->detail),
                  "This makes the backend kernel unreachable");
  assert_error_part(test_call_boxed(f.op, &grad.object), 0, text);
  end(&f);
}

// ------------------------------------------------------------ error callback

static const char* g_reported;
static oy_key g_reported_key;

static void report(const oy_op* op, oy_key key, void* user_data) {
  (void)op;
  g_reported = user_data;
  g_reported_key = key;
  (void)OY_FAIL(FAILED_PRECONDITION, "install the CUDA build");
}

static void CALL_08_error_callback(void** state) {
  (void)state;
  fixture f;
  begin(&f, g_steps, TEST_COUNT(g_steps));
  char word[] = "here";
  test_tensor x = test_tensor_of(TEST_PLAIN(CUDA));
  assert_ok(oy_op_set_error_callback(f.op, report, word));
  assert_null(test_call_t_t(f.op, &x.object));
  assert_ptr_equal(g_reported, word);
  assert_int_equal(g_reported_key, OY_KEY_CUDA);
  assert_string_equal(test_message(), "install the CUDA build");
  assert_int_equal(test_call_boxed(f.op, &x.object), OY_FAILED_PRECONDITION);
  assert_ok(oy_op_set_error_callback(f.op, NULL, NULL));
  assert_null(test_call_t_t(f.op, &x.object));
  check_could_not_run(f.op, "CUDA");
  end(&f);
}

// -------------------------------------------------------------- wrong C type

static void CALL_10_typed_handle(void** state) {
  (void)state;
  static const test_step steps[] = {STEP_DEF("f(Tensor x, int y) -> Tensor")};
  fixture f;
  begin(&f, steps, TEST_COUNT(steps));
  assert_ok(oy_op_check_typed(f.op, "(Tensor, int) -> Tensor"));
  assert_ok(oy_op_check_typed(f.op, "(Tensor self, *, int other) -> Tensor"));
  static const char* const wrong[] = {"(Tensor) -> Tensor", "(Tensor, float) -> Tensor",
                                      "(Tensor, int) -> ()", "() -> ()"};
  for (size_t i = 0; i < TEST_COUNT(wrong); i++) {
    assert_error_part(oy_op_check_typed(f.op, wrong[i]), OY_SCHEMA_MISMATCH,
                      "Tried to access or call an operator with a wrong signature.\n"
                      "  operator: test::f(Tensor x, int y) -> Tensor\n    def\n");
    assert_contains(test_message(), "  correct signature:  ");
    assert_contains(test_message(), "  accessed/called as: ");
  }
  assert_error_part(oy_op_check_typed(f.op, "(Tensor"), OY_PARSE, "");
  end(&f);
}

// --------------------------------------------------------- operators that are gone

static void CALL_10_stale_handle(void** state) {
  (void)state;
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_IMPL("f", CPU, "cpu")};
  fixture f;
  begin(&f, steps, TEST_COUNT(steps));
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  oy_library_close(f.libraries.library[0]);  // kernels without a definition
  oy_error_clear();
  assert_error_part(test_call_boxed(f.op, &x.object), 0, "test::f");
  oy_library_close(f.libraries.library[1]);  // nothing at all
  f.libraries.count = 0;
  for (int i = 0; i < 3; i++) {
    oy_error_clear();
    assert_null(test_call_t_t(f.op, &x.object));
    assert_int_not_equal(oy_error_get()->code, OY_OK);
    assert_contains(test_message(), "test::f");
    assert_error_part(test_call_boxed(f.op, &x.object), 0, "test::f");
    assert_error_part(test_redispatch_boxed(f.op, TEST_PLAIN(CPU), &x.object), 0,
                      "test::f");
    assert_error_part(oy_op_check_typed(f.op, "(Tensor) -> Tensor"), 0, "test::f");
  }
  // It comes back.
  test_register(f.registry, "test", steps, 2, &f.libraries);
  assert_ptr_equal(test_call_t_t(f.op, &x.object), &x.object);
  end(&f);
}

// The operator comes back with another C type: the new calls work.
static void CALL_10_handle_with_another_schema(void** state) {
  (void)state;
  static const test_step before[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                     STEP_BOXED("f", CompositeImplicitAutograd, "one")};
  static const test_step after[] = {STEP_DEF("f() -> ()"),
                                    STEP_BOXED("f", CompositeImplicitAutograd, "two")};
  fixture f;
  begin(&f, before, 2);
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  assert_ptr_equal(test_call_t_t(f.op, &x.object), &x.object);
  test_close(&f.libraries);
  assert_null(test_call_t_t(f.op, &x.object));
  test_register(f.registry, "test", after, 2, &f.libraries);
  test_log_clear();
  assert_ok(test_call_void(f.op));
  assert_string_equal(test_log(), "two");
  assert_error_part(oy_op_check_typed(f.op, "(Tensor) -> Tensor"), OY_SCHEMA_MISMATCH,
                    "");
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(CALL_08_could_not_run),
      TEST(CALL_08_redispatch_to_nowhere),
      TEST(CALL_08_no_kernels_at_all),
      TEST(CALL_09_no_tensor_arguments),
      TEST(TAB_06_ambiguous_kernel_raises),
      TEST(CALL_08_error_callback),
      TEST(CALL_10_typed_handle),
      TEST(CALL_10_stale_handle),
      TEST(CALL_10_handle_with_another_schema),
  };
  return cmocka_run_group_tests_name("call_errors", tests, NULL, NULL);
}
