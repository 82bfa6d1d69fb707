// SPDX-License-Identifier: Apache-2.0
// What libraries register: where kernels go, where they say they came from, and
// what is left when they are closed.
#include <stdio.h>

#include "support.h"

#define DEF_WITH(schema, key_name, debug_text)                                           \
  {                                                                                      \
    .kind = TEST_DEF, .text = (schema), .key = OY_KEY_##key_name, .debug = (debug_text), \
    .has_kernel = true, .kernel = TEST_TYPED_T_T(debug_text)                             \
  }

// def(schema), def(schema, kernel), def(name, kernel): where the kernel lands.
static void REG_05_def_with_kernel(void** state) {
  (void)state;
  static const struct {
    test_step step;
    const char* kernels;  // after the four lines of the definition
    const char* schema;
  } rows[] = {
      {STEP_DEF("f(Tensor x) -> Tensor"), "", "test::f(Tensor x) -> Tensor"},
      {DEF_WITH("f(Tensor x) -> Tensor", Undefined, "k"),
       "CompositeImplicitAutograd[alias]: k :: (Tensor _0) -> Tensor _0 [ boxed unboxed "
       "]\n",
       "test::f(Tensor x) -> Tensor"},
      {DEF_WITH("f(Tensor x) -> Tensor", CPU, "k"),
       "CPU: k :: (Tensor _0) -> Tensor _0 [ boxed unboxed ]\n",
       "test::f(Tensor x) -> Tensor"},
      {DEF_WITH("f", Undefined, "k"),
       "CompositeImplicitAutograd[alias]: k :: (Tensor _0) -> Tensor _0 [ boxed unboxed "
       "]\n",
       "test::f(Tensor _0) -> Tensor _0"},
      {DEF_WITH("test::f", CUDA, "k"),
       "CUDA: k :: (Tensor _0) -> Tensor _0 [ boxed unboxed ]\n",
       "test::f(Tensor _0) -> Tensor _0"},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_registry* registry = test_registry();
    oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
    oy_registration* registration = NULL;
    assert_ok(test_apply(library, &rows[i].step, &registration));
    const oy_op* op = test_find(registry, "test::f");
    const char* expected = test_printf(
        "name: test::f\nschema: %s\ndebug: %s\nalias analysis kind: %s\n%s",
        rows[i].schema, rows[i].step.debug,
        strchr(rows[i].step.text, '(') ? "FROM_SCHEMA" : "CONSERVATIVE", rows[i].kernels);
    assert_string_equal(test_state(op), expected);
    assert_ok(oy_op_check_invariants(op));
    // One handle undoes both.
    oy_registration_remove(registration);
    assert_int_equal(oy_registry_op_count(registry), 0);
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

// A def with a kernel that does not fit leaves neither.
static void REG_05_def_with_wrong_kernel(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
  test_step step = DEF_WITH("f(Tensor x, Tensor y) -> Tensor", Undefined, "k");
  assert_error_part(test_apply(library, &step, NULL), OY_SCHEMA_MISMATCH,
                    "reason: The number of arguments is different. 2 vs 1.");
  assert_null(oy_op_lookup(registry, oy_str_of("test::f")));
  assert_int_equal(oy_registry_op_count(registry), 0);
  oy_library_close(library);
  oy_registry_destroy(registry);
}

static void REG_07_impl_uses_library_key(void** state) {
  (void)state;
  static const struct {
    oy_library_kind kind;
    oy_key library_key, key;
    const char* printed;
  } rows[] = {
      {OY_LIBRARY_IMPL, OY_KEY_CPU, OY_KEY_Undefined, "CPU"},
      {OY_LIBRARY_IMPL, OY_KEY_CPU, OY_KEY_CPU, "CPU"},
      {OY_LIBRARY_IMPL, OY_KEY_Autograd, OY_KEY_Undefined, "Autograd[alias]"},
      {OY_LIBRARY_IMPL, OY_KEY_Undefined, OY_KEY_AutogradXLA, "AutogradXLA"},
      {OY_LIBRARY_IMPL, OY_KEY_Undefined, OY_KEY_Undefined,
       "CompositeImplicitAutograd[alias]"},
      {OY_LIBRARY_IMPL, OY_KEY_CatchAll, OY_KEY_Undefined,
       "CompositeImplicitAutograd[alias]"},
      {OY_LIBRARY_DEF, OY_KEY_Undefined, OY_KEY_Undefined,
       "CompositeImplicitAutograd[alias]"},
      {OY_LIBRARY_FRAGMENT, OY_KEY_Undefined, OY_KEY_Meta, "Meta"},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_registry* registry = test_registry();
    oy_library* library = test_library(registry, rows[i].kind, "t", rows[i].library_key);
    test_step step = STEP_IMPL("f", Undefined, "k");
    step.key = rows[i].key;
    assert_ok(test_apply(library, &step, NULL));
    assert_string_equal(
        test_state(oy_op_lookup(registry, oy_str_of("t::f"))),
        test_printf("name: t::f\nschema: (none)\n%s: k :: (Tensor _0) -> Tensor _0 [ "
                    "boxed unboxed ]\n",
                    rows[i].printed));
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

// Kernels may come before the definition; a definition that they contradict
// fails and changes nothing.
static void REG_06_impl_before_def(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* impl = test_library(registry, OY_LIBRARY_IMPL, "test", OY_KEY_CPU);
  oy_library* def = test_library(registry, OY_LIBRARY_DEF, "test", 0);
  test_step kernel = STEP_IMPL("f", CPU, "k");
  assert_ok(test_apply(impl, &kernel, NULL));
  const oy_op* op = oy_op_lookup(registry, oy_str_of("test::f"));
  assert_non_null(op);
  assert_null(oy_op_schema(op));
  const char *state_before = test_state(op), *table_before = test_table(op);

  test_step wrong = STEP_DEF("f(Tensor x, Tensor y) -> Tensor");
  assert_error_part(test_apply(def, &wrong, NULL), OY_SCHEMA_MISMATCH,
                    "The number of arguments is different. 2 vs 1.");
  assert_string_equal(test_state(op), state_before);
  assert_string_equal(test_table(op), table_before);
  assert_null(oy_op_schema(op));
  assert_ok(oy_op_check_invariants(op));

  test_step right = STEP_DEF("f(Tensor x) -> Tensor");
  assert_ok(test_apply(def, &right, NULL));
  assert_ptr_equal(test_find(registry, "test::f"), op);
  test_tensor cpu = test_tensor_of(TEST_PLAIN(CPU));
  oy_guard guard = oy_guard_force(oy_keyset_empty(), oy_keyset_empty());
  test_log_clear();
  assert_ptr_equal(test_call_t_t(op, &cpu.object), &cpu.object);
  assert_string_equal(test_log(), "k");
  oy_guard_end(&guard);
  oy_library_close(def);
  assert_string_equal(test_state(op), state_before);
  oy_library_close(impl);
  oy_registry_destroy(registry);
}

// The operator goes with its last registration, and its handle stays good.
static void REG_12_counts(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_IMPL("f", CPU, "k1"), STEP_IMPL("f", CPU, "k2")};
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  const oy_op* op = test_find(registry, "test::f");
  assert_int_equal(oy_registry_op_count(registry), 1);
  oy_library_close(libraries.library[0]);  // the definition
  assert_int_equal(oy_registry_op_count(registry), 1);
  assert_null(oy_op_schema(op));
  assert_ptr_equal(oy_op_lookup(registry, oy_str_of("test::f")), op);
  oy_library_close(libraries.library[2]);
  assert_int_equal(oy_registry_op_count(registry), 1);
  oy_library_close(libraries.library[1]);
  assert_int_equal(oy_registry_op_count(registry), 0);
  assert_null(oy_op_lookup(registry, oy_str_of("test::f")));
  const oy_op** list = NULL;
  size_t count = 99;
  assert_ok(oy_registry_list(registry, &list, &count));
  assert_int_equal(count, 0);
  oy_ops_free(list);
  // The handle of an operator that is gone answers questions.
  assert_int_equal(oy_op_name_of(op).size, strlen("test::f"));
  assert_string_equal(oy_op_tags(op), "");
  assert_false(oy_op_has_kernel(op, OY_KEY_CPU));
  assert_ok(oy_op_check_invariants(op));
  // It comes back to life with its name.
  test_register(registry, "test", steps, 1, &libraries);
  assert_ptr_equal(test_find(registry, "test::f"), op);
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// Handles outlive each other in any order; a library closes what is left.
static void REG_12_remove_single_registrations(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_IMPL("f", CPU, "k1"), STEP_IMPL("f", CUDA, "k2"),
                                    STEP_DEF("g(Tensor x) -> Tensor")};
  oy_registration* registration[TEST_COUNT(steps)];
  for (size_t i = 0; i < TEST_COUNT(steps); i++)
    assert_ok(test_apply(library, &steps[i], &registration[i]));
  oy_registration_remove(registration[1]);
  oy_registration_remove(registration[3]);
  const oy_op* op = test_find(registry, "test::f");
  assert_string_equal(test_cell(op, OY_KEY_CPU), "");
  assert_string_equal(test_cell(op, OY_KEY_CUDA), "k2 [kernel]");
  assert_int_equal(oy_registry_op_count(registry), 1);
  oy_library_close(library);
  assert_int_equal(oy_registry_op_count(registry), 0);
  oy_registry_destroy(registry);
}

// The texts of a place are copied: the caller may overwrite its own.
static void REG_24_places_are_kept(void** state) {
  (void)state;
  char file[] = "first.c", lib_file[] = "library.c", debug[] = "by hand", ns[] = "test";
  char name[] = "f", schema[] = "f(Tensor x) -> Tensor", tags[] = "core";
  oy_registry* registry = test_registry();
  oy_library* library = NULL;
  assert_ok(oy_library_create(
      &(oy_library_params){registry, OY_LIBRARY_FRAGMENT, ns, 0, lib_file, 5}, &library));
  const oy_place places[] = {{file, 3, NULL}, {NULL, 0, debug}, {NULL, 0, NULL}};
  const oy_key keys[] = {OY_KEY_CPU, OY_KEY_CUDA, OY_KEY_XLA};
  oy_def_params def = {.schema = schema, .tags = tags, .place = {file, 1, NULL}};
  assert_ok(oy_library_def(library, &def, NULL));
  for (size_t i = 0; i < TEST_COUNT(keys); i++)
    assert_ok(oy_library_impl(
        library,
        &(oy_impl_params){name, keys[i], OY_BOXED(test_kernel_boxed), false, places[i]},
        NULL));
  memset(file, 'x', strlen(file));
  memset(lib_file, 'x', strlen(lib_file));
  memset(debug, 'x', strlen(debug));
  memset(ns, 'x', strlen(ns));
  memset(name, 'x', strlen(name));
  memset(schema, 'x', strlen(schema));
  memset(tags, 'x', strlen(tags));
  const oy_op* op = test_find(registry, "test::f");
  assert_string_equal(test_state(op),
                      "name: test::f\n"
                      "schema: test::f(Tensor x) -> Tensor\n"
                      "debug: registered at first.c:1\n"
                      "alias analysis kind: FROM_SCHEMA\n"
                      "CPU: registered at first.c:3 :: (none) [ boxed ]\n"
                      "CUDA: by hand :: (none) [ boxed ]\n"
                      "XLA: registered at library.c:5 :: (none) [ boxed ]\n");
  assert_string_equal(oy_op_tags(op), "core");
  oy_library_close(library);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(REG_05_def_with_kernel),
      TEST(REG_05_def_with_wrong_kernel),
      TEST(REG_07_impl_uses_library_key),
      TEST(REG_06_impl_before_def),
      TEST(REG_12_counts),
      TEST(REG_12_remove_single_registrations),
      TEST(REG_24_places_are_kept),
  };
  return cmocka_run_group_tests_name("library_life", tests, NULL, NULL);
}
