// SPDX-License-Identifier: Apache-2.0
// Registrations and schemas: inference, checking kernels against definitions,
// duplicates, alias kinds, tags, and not finding (reference, sections 2.5, 2.6,
// 3.3 and 3.8).
#include <stdio.h>

#include "support.h"

static void any_kernel(void);
static void any_kernel(void) {}

static test_step typed_impl(const char* name, oy_key key, const char* signature,
                            const char* debug) {
  test_step step = {.kind = TEST_IMPL, .text = name, .key = key, .debug = debug};
  step.kernel.typed = any_kernel;
  step.kernel.signature = signature;
  return step;
}

// Signatures as they are given, and the schema that is inferred from them.
static const struct {
  const char* signature;
  const char* inferred;
} g_signatures[] = {
    {"() -> ()", "() -> ()"},
    {"(Tensor) -> Tensor", "(Tensor _0) -> Tensor _0"},
    {"(Tensor, Tensor, Scalar) -> Tensor",
     "(Tensor _0, Tensor _1, Scalar _2) -> Tensor _0"},
    {"(Tensor) -> (Tensor, int)", "(Tensor _0) -> (Tensor _0, int _1)"},
    {"(Tensor?, Tensor[], Tensor?[]) -> Tensor[]",
     "(Tensor? _0, Tensor[] _1, Tensor?[] _2) -> Tensor[] _0"},
    {"(int, float, bool, str, complex) -> int",
     "(int _0, float _1, bool _2, str _3, complex _4) -> int _0"},
    {"(int[], float[]?, bool[], str[]) -> ()",
     "(int[] _0, float[]? _1, bool[] _2, str[] _3) -> ()"},
    {"(ScalarType?, Layout?, Device?, bool?) -> Tensor",
     "(ScalarType? _0, Layout? _1, Device? _2, bool? _3) -> Tensor _0"},
    {"(Generator?, Dict(str, Tensor)) -> Tensor",
     "(Generator? _0, Dict(str, Tensor) _1) -> Tensor _0"},
    {"(SymInt, SymInt[]) -> SymInt", "(SymInt _0, SymInt[] _1) -> SymInt _0"},
};

static void SCH_10_inferred_signature(void** state) {
  (void)state;
  for (size_t i = 0; i < TEST_COUNT(g_signatures); i++) {
    oy_registry* registry = test_registry();
    oy_library* library = NULL;
    test_step step = typed_impl("f", OY_KEY_CPU, g_signatures[i].signature, "k");
    assert_ok(test_apply_alone(registry, "test", &step, &library));
    assert_string_equal(
        test_state(oy_op_lookup(registry, oy_str_of("test::f"))),
        test_printf("name: test::f\nschema: (none)\nCPU: k :: %s [ boxed unboxed ]\n",
                    g_signatures[i].inferred));
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

// def by name infers the schema; the alias kind is then CONSERVATIVE.
static void SCH_10_def_with_inference(void** state) {
  (void)state;
  for (size_t i = 0; i < TEST_COUNT(g_signatures); i++) {
    oy_registry* registry = test_registry();
    oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
    test_step step = typed_impl("foo.o", 0, g_signatures[i].signature, "default_def");
    step.kind = TEST_DEF;
    step.has_kernel = true;
    assert_ok(test_apply(library, &step, NULL));
    const char* inferred = g_signatures[i].inferred;
    assert_string_equal(
        test_state(test_find(registry, "test::foo.o")),
        test_printf("name: test::foo.o\nschema: test::foo.o%s\ndebug: default_def\n"
                    "alias analysis kind: CONSERVATIVE\n"
                    "CompositeImplicitAutograd[alias]: default_def :: %s [ boxed "
                    "unboxed ]\n",
                    inferred, inferred));
    assert_ok(oy_registry_check_invariants(registry));
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

// Nothing to infer from: no kernel, a boxed one, a typed one without its type.
static void SCH_10_not_inferable(void** state) {
  (void)state;
  static const oy_kernel_params kernels[] = {
      {.boxed = test_kernel_boxed},
      {.typed = any_kernel},
      {.fallthrough = true},
  };
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
  for (size_t i = 0; i <= TEST_COUNT(kernels); i++) {
    test_step step = STEP_DEF("foo");
    step.has_kernel = i < TEST_COUNT(kernels);
    if (step.has_kernel) step.kernel = kernels[i];
    oy_status status = test_apply(library, &step, NULL);
    if (!step.has_kernel) {
      assert_error_part(status, 0, "");
      continue;
    }
    assert_error(status, 0,
                 "def(\"foo\"): Full schema string was not specified, and we couldn't "
                 "infer schema either.  Please explicitly provide a schema string.  "
                 "(Error occurred while processing TORCH_LIBRARY block at lib.c:7)");
  }
  assert_int_equal(oy_registry_op_count(registry), 0);
  oy_library_close(library);
  oy_registry_destroy(registry);
}

// The whole message of section 2.6, for each reason and in both orders.
static const struct {
  const char *schema, *signature, *inferred, *reason;
} g_mismatches[] = {
    {"foo(Tensor x, Tensor y) -> Tensor", "(Tensor) -> Tensor",
     "(Tensor _0) -> Tensor _0", "The number of arguments is different. 2 vs 1."},
    {"foo(Tensor x) -> Tensor", "(Tensor) -> (Tensor, Tensor)",
     "(Tensor _0) -> (Tensor _0, Tensor _1)",
     "The number of returns is different. 1 vs 2."},
    {"foo(Tensor x, int y) -> Tensor", "(Tensor, float) -> Tensor",
     "(Tensor _0, float _1) -> Tensor _0", "Type mismatch in argument 2: int vs float."},
    {"foo(Tensor x) -> Tensor", "(Tensor) -> int", "(Tensor _0) -> int _0",
     "Type mismatch in return 1: Tensor vs int."},
    {"foo.o(Tensor x) -> ()", "(Tensor?) -> ()", "(Tensor? _0) -> ()",
     "Type mismatch in argument 1: Tensor vs Tensor?."},
    {"foo(Tensor[] x) -> ()", "(Tensor?[]) -> ()", "(Tensor?[] _0) -> ()",
     "Type mismatch in argument 1: Tensor[] vs Tensor?[]."},
};

static void SCH_11_mismatch(void** state) {
  (void)state;
  for (size_t i = 0; i < TEST_COUNT(g_mismatches) * 2; i++) {
    bool def_first = i % 2;
    size_t row = i / 2;
    const char* schema = g_mismatches[row].schema;
    const char* name = test_printf("%.*s", (int)strcspn(schema, "("), schema);
    test_step def = STEP_DEF(schema);
    def.debug = NULL;
    test_step impl =
        typed_impl(name, OY_KEY_CPU, g_mismatches[row].signature, "impl_t_t");
    oy_registry* registry = test_registry();
    oy_library *first = NULL, *second = NULL;
    assert_ok(test_apply_alone(registry, "test", def_first ? &def : &impl, &first));
    const oy_op* op = oy_op_lookup(registry, oy_str_of(test_printf("test::%s", name)));
    const char *state_before = test_state(op), *table_before = test_table(op);
    assert_error(
        test_apply_alone(registry, "test", def_first ? &impl : &def, &second),
        OY_SCHEMA_MISMATCH,
        test_printf(
            "Inferred operator schema for a C++ kernel function doesn't match the "
            "expected function schema.\n  operator: test::%s\n  expected schema: "
            "test::%s\n    registered at step.c:1\n  inferred schema: %s\n    impl_t_t\n"
            "  reason: %s",
            name, schema, g_mismatches[row].inferred, g_mismatches[row].reason));
    assert_string_equal(test_state(op), state_before);
    assert_string_equal(test_table(op), table_before);
    oy_library_close(first);
    assert_int_equal(oy_registry_op_count(registry), 0);
    oy_registry_destroy(registry);
  }
}

// Names, defaults, keyword-only and alias information are not compared; SymInt
// in the declaration takes an int kernel.
static void SCH_11_what_is_not_compared(void** state) {
  (void)state;
  static const char* const rows[][2] = {
      {"f(Tensor self, *, int dim=3) -> Tensor", "(Tensor x, int y) -> Tensor"},
      {"f(Tensor(a!) self) -> Tensor(a!)", "(Tensor) -> Tensor"},
      {"f(Tensor x) -> (Tensor a, Tensor b)", "(Tensor) -> (Tensor, Tensor)"},
      {"f(int[2] x=1) -> ()", "(int[]) -> ()"},
      {"f(SymInt x, SymInt[] y, SymInt? z) -> ()", "(int, int[], int?) -> ()"},
      {"f(SymInt x) -> ()", "(SymInt) -> ()"},
      {"f(ScalarType? x) -> ()", "(ScalarType?) -> ()"},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_registry* registry = test_registry();
    test_step def = STEP_DEF(rows[i][0]);
    test_step steps[] = {def, typed_impl("f", OY_KEY_CPU, rows[i][1], "k")};
    test_libraries libraries;
    test_register(registry, "test", steps, 2, &libraries);
    test_close(&libraries);
    oy_registry_destroy(registry);
  }
}

// Two typed kernels that differ, with no schema to tell which one is right.
static void REG_10_signature_mismatch(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library *first = NULL, *second = NULL, *boxed = NULL;
  test_step one = typed_impl("fn", OY_KEY_CPU, "(Tensor) -> Tensor", NULL);
  test_step two = typed_impl("fn", OY_KEY_CUDA, "(Tensor, int) -> Tensor", "the second");
  test_step three = STEP_BOXED("fn", XLA, "boxed");
  assert_ok(test_apply_alone(registry, "tr", &one, &first));
  assert_ok(test_apply_alone(registry, "tr", &three, &boxed));
  const oy_op* op = oy_op_lookup(registry, oy_str_of("tr::fn"));
  const char *state_before = test_state(op), *table_before = test_table(op);
  assert_error_part(test_apply_alone(registry, "tr", &two, &second), OY_SCHEMA_MISMATCH,
                    "Mismatch in kernel C++ signatures\n  operator: tr::fn\n");
  const char* message = test_message();
  assert_contains(message, "  kernel 1: (Tensor _0) -> Tensor _0\n");
  assert_contains(message, "    dispatch key: CPU\n    registered at step.c:1\n");
  assert_contains(message, "  kernel 2: (Tensor _0, int _1) -> Tensor _0\n");
  assert_contains(message, "    dispatch key: CUDA\n    the second");
  assert_string_equal(test_state(op), state_before);
  assert_string_equal(test_table(op), table_before);
  // Upstream remembers the signature of a kernel that is gone. Here a closed
  // library leaves nothing behind, so the other kernel now fits.
  oy_library_close(first);
  assert_ok(test_apply_alone(registry, "tr", &two, &second));
  oy_library_close(second);
  oy_library_close(boxed);
  oy_registry_destroy(registry);
}

static void SCH_13_duplicate_def(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_step original = STEP_DEF("foo(Tensor x, Tensor y) -> Tensor");
  test_step same = original, other_kind = original;
  test_step other = STEP_DEF("foo(Tensor x) -> Tensor");
  original.debug = NULL;
  same.debug = "again";
  other_kind.alias_kind = OY_ALIAS_PURE_FUNCTION;
  other_kind.has_alias_kind = true;
  other_kind.debug = other.debug = "again";
  const test_step* rows[] = {&same, &other_kind, &other};
  oy_library *first = NULL, *second = NULL;
  assert_ok(test_apply_alone(registry, "test", &original, &first));
  const oy_op* op = test_find(registry, "test::foo");
  const char* before = test_state(op);
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    assert_error(
        test_apply_alone(registry, "test", rows[i], &second), OY_ALREADY_EXISTS,
        test_printf("Tried to register an operator (test::%s) with the same name and "
                    "overload name multiple times. Each overload's schema should only be "
                    "registered with a single call to def(). Duplicate registration: "
                    "again. Original registration: registered at step.c:1",
                    rows[i]->text));
    assert_string_equal(test_state(op), before);
  }
  // An overload is another operator; and a definition that is gone is gone.
  test_step overload = STEP_DEF("foo.bar(Tensor x) -> Tensor");
  assert_ok(test_apply_alone(registry, "test", &overload, &second));
  oy_library_close(second);
  oy_library_close(first);
  assert_ok(test_apply_alone(registry, "test", &other, &first));
  oy_library_close(first);
  oy_registry_destroy(registry);
}

static void SCH_14_alias_kinds(void** state) {
  (void)state;
  static const struct {
    bool given;
    oy_alias_kind kind;
    const char* printed;
  } rows[] = {
      {false, 0, "FROM_SCHEMA"},
      {true, OY_ALIAS_FROM_SCHEMA, "FROM_SCHEMA"},
      {true, OY_ALIAS_CONSERVATIVE, "CONSERVATIVE"},
      {true, OY_ALIAS_PURE_FUNCTION, "PURE_FUNCTION"},
      {true, OY_ALIAS_INTERNAL_SPECIAL_CASE, "INTERNAL_SPECIAL_CASE"},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_registry* registry = test_registry();
    test_step def = STEP_DEF("foo(Tensor x, Tensor y) -> Tensor");
    def.has_alias_kind = rows[i].given;
    def.alias_kind = rows[i].kind;
    oy_library* library = NULL;
    assert_ok(test_apply_alone(registry, "test", &def, &library));
    assert_string_equal(test_state(test_find(registry, "test::foo")),
                        test_printf("name: test::foo\n"
                                    "schema: test::foo(Tensor x, Tensor y) -> Tensor\n"
                                    "debug: def\nalias analysis kind: %s\n",
                                    rows[i].printed));
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

static void SCH_17_tags(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_step tagged = STEP_DEF("f(Tensor x) -> Tensor");
  tagged.tags = "core pointwise nondeterministic_seeded";
  test_step plain = STEP_DEF("g(Tensor x) -> Tensor");
  test_step steps[] = {tagged, plain, STEP_IMPL("h", CPU, "no definition")};
  test_libraries libraries;
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  const oy_op* op = test_find(registry, "test::f");
  static const struct {
    const char* tag;
    bool has;
  } rows[] = {{"core", true},
              {"pointwise", true},
              {"nondeterministic_seeded", true},
              {"cor", false},
              {"ore", false},
              {"seeded", false},
              {"pointwise core", false},
              {"", false},
              {"generated", false}};
  for (size_t i = 0; i < TEST_COUNT(rows); i++)
    if (oy_op_has_tag(op, rows[i].tag) != rows[i].has) fail_msg("\"%s\"", rows[i].tag);
  assert_string_equal(oy_op_tags(op), tagged.tags);
  assert_string_equal(oy_op_tags(test_find(registry, "test::g")), "");
  assert_string_equal(oy_op_tags(oy_op_lookup(registry, oy_str_of("test::h"))), "");
  test_close(&libraries);
  assert_string_equal(oy_op_tags(op), "");
  assert_false(oy_op_has_tag(op, "core"));
  oy_registry_destroy(registry);
}

static void SCH_18_find_errors(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  static const test_step steps[] = {STEP_IMPL("undefined", CPU, "k"),
                                    STEP_IMPL("undefined.o", CPU, "k"),
                                    STEP_DEF("defined(Tensor x) -> Tensor")};
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  static const char forgot[] =
      " but we found an implementation; did you forget to def() the operator?";
  static const struct {
    const char *name, *message, *tail;
  } rows[] = {
      {"test::nothing", "Could not find schema for test::nothing.", ""},
      {"test::nothing.over", "Could not find schema for test::nothing.over", ""},
      {"test::defined.over", "Could not find schema for test::defined.over", ""},
      {"other::defined", "Could not find schema for other::defined.", ""},
      {"test::undefined", "Could not find schema for test::undefined.", forgot},
      {"test::undefined.o", "Could not find schema for test::undefined.o", forgot},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    const oy_op* op = (const oy_op*)&registry;
    const char* text = test_printf("%s%s", rows[i].message, rows[i].tail);
    assert_error_part(oy_op_find(registry, oy_str_of(rows[i].name), &op), OY_NOT_FOUND,
                      text);
    assert_null(op);
    if (strncmp(test_message(), text, strlen(text)) != 0) fail_msg("not at the start");
    if (!rows[i].tail[0]) assert_lacks(test_message(), "did you forget to def()");
  }
  // A lookup raises nothing.
  oy_error_clear();
  assert_null(oy_op_lookup(registry, oy_str_of("test::nothing")));
  assert_non_null(oy_op_lookup(registry, oy_str_of("test::undefined")));
  assert_int_equal(oy_error_get()->code, OY_OK);
  test_close(&libraries);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(SCH_10_inferred_signature),
      TEST(SCH_10_def_with_inference),
      TEST(SCH_10_not_inferable),
      TEST(SCH_11_mismatch),
      TEST(SCH_11_what_is_not_compared),
      TEST(REG_10_signature_mismatch),
      TEST(SCH_13_duplicate_def),
      TEST(SCH_14_alias_kinds),
      TEST(SCH_17_tags),
      TEST(SCH_18_find_errors),
  };
  return cmocka_run_group_tests_name("registration_schema", tests, NULL, NULL);
}
