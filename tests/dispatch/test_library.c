// SPDX-License-Identifier: Apache-2.0
// Library handles: their kinds, what each refuses and in which words (reference,
// sections 3.2 to 3.5), and what closing them undoes.
#include <stdio.h>

#include "support.h"

#define AT_DEF "(Error occurred while processing TORCH_LIBRARY block at lib.c:7)"
#define AT_FRAGMENT \
  "(Error occurred while processing TORCH_LIBRARY_FRAGMENT block at lib.c:7)"
#define AT_IMPL "(Error occurred while processing TORCH_LIBRARY_IMPL block at lib.c:7)"

static oy_status create(oy_registry* registry, oy_library_kind kind, const char* ns,
                        oy_key key, const char* file, int line, oy_library** out) {
  return oy_library_create(&(oy_library_params){registry, kind, ns, key, file, line},
                           out);
}

static void REG_01_library_kinds(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library[6];
  library[0] = test_library(registry, OY_LIBRARY_DEF, "test", OY_KEY_Undefined);
  library[1] = test_library(registry, OY_LIBRARY_FRAGMENT, "test", OY_KEY_Undefined);
  library[2] = test_library(registry, OY_LIBRARY_FRAGMENT, "test", OY_KEY_Undefined);
  library[3] = test_library(registry, OY_LIBRARY_IMPL, "test", OY_KEY_CPU);
  library[4] = test_library(registry, OY_LIBRARY_IMPL, "test", OY_KEY_CPU);
  library[5] = test_library(registry, OY_LIBRARY_DEF, "other", OY_KEY_Undefined);
  for (size_t i = 0; i < TEST_COUNT(library); i++) oy_library_close(library[i]);
  oy_library_close(NULL);
  oy_registry_destroy(registry);
  oy_registry_destroy(NULL);
}

// A key belongs to IMPL libraries alone.
static void REG_01_key_only_for_impl(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = (oy_library*)&registry;
  assert_error_part(
      create(registry, OY_LIBRARY_DEF, "test", OY_KEY_CPU, "lib.c", 7, &library), 0, "");
  assert_null(library);
  assert_error_part(
      create(registry, OY_LIBRARY_FRAGMENT, "test", OY_KEY_CPU, "lib.c", 7, &library), 0,
      "");
  assert_null(library);
  oy_registry_destroy(registry);
}

static void REG_02_only_one_def(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library *first, *second = NULL;
  assert_ok(create(registry, OY_LIBRARY_DEF, "test", 0, "one.c", 11, &first));
  assert_error(
      create(registry, OY_LIBRARY_DEF, "test", 0, "two.c", 22, &second),
      OY_ALREADY_EXISTS,
      "Only a single TORCH_LIBRARY can be used to register the namespace test; please "
      "put all of your definitions in a single TORCH_LIBRARY block.  If you were trying "
      "to specify implementations, consider using TORCH_LIBRARY_IMPL (which can be "
      "duplicated).  If you really intended to define operators for a single namespace "
      "in a distributed way, you can use TORCH_LIBRARY_FRAGMENT to explicitly indicate "
      "this.  Previous registration of TORCH_LIBRARY was registered at one.c:11; latest "
      "registration was registered at two.c:22");
  assert_null(second);
  oy_library_close(first);
  assert_ok(create(registry, OY_LIBRARY_DEF, "test", 0, "two.c", 22, &second));
  oy_library_close(second);
  oy_registry_destroy(registry);
}

// "Defect": upstream reads the missing namespace of a wildcard DEF before it
// checks; here it is refused like a FRAGMENT.
static void REG_04_wildcard_is_for_impl(void** state) {
  (void)state;
  static const struct {
    oy_library_kind kind;
    const char* name;
  } rows[] = {{OY_LIBRARY_DEF, "TORCH_LIBRARY"},
              {OY_LIBRARY_FRAGMENT, "TORCH_LIBRARY_FRAGMENT"}};
  oy_registry* registry = test_registry();
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    const char* n = rows[i].name;
    oy_library* library = (oy_library*)&registry;
    assert_error(
        create(registry, rows[i].kind, "_", 0, "lib.c", 7, &library), 0,
        test_printf("%s: cannot define %s with the wildcard namespace _ (every %s "
                    "defines operators for a distinct namespace!) Did you mean to use "
                    "TORCH_LIBRARY_IMPL instead?  (Error occurred while processing %s "
                    "block at lib.c:7)",
                    n, n, n, n));
    assert_null(library);
  }
  oy_registry_destroy(registry);
}

// A wildcard IMPL library may hold kernels too, for operators named in full.
static void REG_04_wildcard_impl(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_IMPL, "_", OY_KEY_CPU);
  static const test_step steps[] = {STEP_IMPL("a::x", Undefined, "ax"),
                                    STEP_IMPL("b::x", Undefined, "bx"),
                                    STEP_FALLBACK(Undefined, "cpu fallback")};
  for (size_t i = 0; i < TEST_COUNT(steps); i++)
    assert_ok(test_apply(library, &steps[i], NULL));
  assert_true(oy_registry_has_fallback(registry, OY_KEY_CPU));
  assert_string_equal(test_cell(oy_op_lookup(registry, oy_str_of("b::x")), OY_KEY_CPU),
                      "bx [kernel]");
  oy_library_close(library);
  assert_false(oy_registry_has_fallback(registry, OY_KEY_CPU));
  assert_int_equal(oy_registry_op_count(registry), 0);
  oy_registry_destroy(registry);
}

// What a library refuses, one row each. The message is whole.
typedef struct refusal {
  oy_library_kind kind;
  const char* ns;
  oy_key key;
  test_step step;
  const char* message;
} refusal;

static const refusal g_refusals[] = {
    {OY_LIBRARY_IMPL, "test", OY_KEY_CPU, STEP_DEF("foo(Tensor x) -> Tensor"),
     "def(\"foo\"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  All "
     "def()s should be placed in the (unique) TORCH_LIBRARY block for their namespace. "
     " " AT_IMPL},
    {OY_LIBRARY_IMPL, "test", OY_KEY_Undefined, STEP_DEF("foo.bar() -> ()"),
     "def(\"foo.bar\"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  "
     "All def()s should be placed in the (unique) TORCH_LIBRARY block for their "
     "namespace.  " AT_IMPL},
    {OY_LIBRARY_DEF, "test", OY_KEY_Undefined, STEP_DEF("other::foo() -> ()"),
     "Explicitly provided namespace (other) in schema string does not match namespace of "
     "enclosing TORCH_LIBRARY block (test).  Move this definition to the (unique) "
     "TORCH_LIBRARY block corresponding to this namespace (and consider deleting the "
     "namespace from your schema string.)  " AT_DEF},
    {OY_LIBRARY_FRAGMENT, "test", OY_KEY_Undefined, STEP_DEF("other::foo() -> ()"),
     "Explicitly provided namespace (other) in schema string does not match namespace of "
     "enclosing TORCH_LIBRARY_FRAGMENT block (test).  Move this definition to the "
     "(unique) TORCH_LIBRARY block corresponding to this namespace (and consider "
     "deleting the namespace from your schema string.)  " AT_FRAGMENT},
    {OY_LIBRARY_IMPL, "test", OY_KEY_CPU, STEP_IMPL("other::foo", Undefined, "k"),
     "impl(\"other::foo\", ...): Explicitly provided namespace (other) in operator name "
     "does not match namespace of enclosing TORCH_LIBRARY_IMPL block (test).  Move this "
     "definition to the TORCH_LIBRARY_IMPL block corresponding to this namespace (and "
     "consider deleting the namespace from your schema string.)  " AT_IMPL},
    {OY_LIBRARY_DEF, "test", OY_KEY_Undefined, STEP_IMPL("other::foo", CPU, "k"),
     "impl(\"other::foo\", ...): Explicitly provided namespace (other) in operator name "
     "does not match namespace of enclosing TORCH_LIBRARY block (test).  Move this "
     "definition to the TORCH_LIBRARY block corresponding to this namespace (and "
     "consider deleting the namespace from your schema string.)  " AT_DEF},
    {OY_LIBRARY_IMPL, "test", OY_KEY_CPU, STEP_IMPL("foo", CUDA, "k"),
     "impl(\"foo\", ...): Explicitly provided dispatch key (CUDA) is inconsistent with "
     "the dispatch key of the enclosing TORCH_LIBRARY_IMPL block (CPU).  Please declare "
     "a separate TORCH_LIBRARY_IMPL block for this dispatch key and move your impl() "
     "there.  " AT_IMPL},
    {OY_LIBRARY_DEF, "test", OY_KEY_Undefined, STEP_FALLBACK(CPU, "k"),
     "fallback(...): Cannot define an operator inside of a TORCH_LIBRARY block.  Did you "
     "mean to call this function inside a TORCH_LIBRARY_IMPL block?  " AT_DEF},
    {OY_LIBRARY_FRAGMENT, "test", OY_KEY_Undefined, STEP_FALLBACK(CPU, "k"),
     "fallback(...): Cannot define an operator inside of a TORCH_LIBRARY_FRAGMENT block. "
     " Did you mean to call this function inside a TORCH_LIBRARY_IMPL block? "
     " " AT_FRAGMENT},
    {OY_LIBRARY_IMPL, "test", OY_KEY_XLA, STEP_FALLBACK(Undefined, "k"),
     "fallback(...): Fallback functions which apply to only a single namespace (you "
     "specified test) are not supported.  If you intended to apply this fallback "
     "function globally, please define a separate block:\n\n    TORCH_LIBRARY_IMPL(_, "
     "XLA, m) { m.fallback(...); }\n\n" AT_IMPL},
};

static void REG_03_refusals(void** state) {
  (void)state;
  for (size_t i = 0; i < TEST_COUNT(g_refusals); i++) {
    const refusal* row = &g_refusals[i];
    oy_registry* registry = test_registry();
    oy_library* library = test_library(registry, row->kind, row->ns, row->key);
    oy_registration* registration = (oy_registration*)&registry;
    uint64_t generation = oy_registry_generation(registry);
    assert_error(test_apply(library, &row->step, &registration), 0, row->message);
    assert_null(registration);
    assert_int_equal(oy_registry_op_count(registry), 0);
    assert_int_equal(oy_registry_generation(registry), generation);
    assert_false(oy_registry_has_fallback(registry, OY_KEY_CPU));
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

// Those whose words are opyard's own: an error, and nothing changed.
static void REG_03_other_refusals(void** state) {
  (void)state;
  static const refusal rows[] = {
      {OY_LIBRARY_IMPL, "_", OY_KEY_Undefined, STEP_FALLBACK(Undefined, "no key"), ""},
      {OY_LIBRARY_IMPL, "test", OY_KEY_CPU, STEP_IMPL("foo.default", CPU, "k"),
       "default is not a legal overload name for aten operators"},
      {OY_LIBRARY_IMPL, "test", OY_KEY_CPU, STEP_IMPL("foo.__name__", CPU, "k"),
       "__name__ is not a legal overload name for aten operators"},
      {OY_LIBRARY_DEF, "test", 0, STEP_DEF("foo.default(Tensor x) -> Tensor"),
       "default is not a legal overload name for aten operators"},
      {OY_LIBRARY_DEF, "test", 0, STEP_DEF("foo.__name__() -> ()"),
       "__name__ is not a legal overload name for aten operators"},
      {OY_LIBRARY_DEF, "test", 0, STEP_DEF("foo(Tensor x -> Tensor"), ""},
      {OY_LIBRARY_DEF, "test", 0, STEP_IMPL("foo(Tensor x) -> Tensor", CPU, "k"), ""},
      {OY_LIBRARY_DEF, "test", 0, STEP_IMPL("", CPU, "k"), ""},
      {OY_LIBRARY_IMPL, "_", OY_KEY_CPU, STEP_IMPL("foo", CPU, "no namespace"), ""},
      {OY_LIBRARY_IMPL, "test", 0, STEP_IMPL("foo", Dense, "no runtime key"), ""},
      {OY_LIBRARY_IMPL, "_", 0, STEP_FALLBACK(AutogradFunctionality, "the same"), ""},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    const refusal* row = &rows[i];
    oy_registry* registry = test_registry();
    oy_library* library = test_library(registry, row->kind, row->ns, row->key);
    oy_registration* registration = (oy_registration*)&registry;
    oy_status status = test_apply(library, &row->step, &registration);
    if (status == OY_OK) print_error("row %zu was accepted\n", i);
    assert_error_part(status, 0, row->message);
    assert_true(oy_error_get()->message[0] != '\0');
    assert_null(registration);
    assert_int_equal(oy_registry_op_count(registry), 0);
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

// A kernel that is nothing at all, and a signature that is no signature.
static void REG_03_bad_kernels(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_IMPL, "test", OY_KEY_CPU);
  const oy_kernel_params bad[] = {
      {.state = NULL},
      OY_TYPED_SIGNATURE(test_kernel_t_t, "(Tensor"),
      OY_TYPED_SIGNATURE(test_kernel_t_t, "(Tensor x, Unheard y) -> Tensor"),
      OY_TYPED_SIGNATURE(test_kernel_t_t, "")};
  for (size_t i = 0; i < TEST_COUNT(bad); i++) {
    oy_registration* registration = (oy_registration*)&registry;
    oy_impl_params params = {"foo", OY_KEY_CPU, bad[i], false, OY_HERE};
    assert_error_part(oy_library_impl(library, &params, &registration), 0, "");
    assert_null(registration);
    assert_int_equal(oy_registry_op_count(registry), 0);
  }
  oy_library_close(library);
  oy_registry_destroy(registry);
}

static void REG_03_matching_namespace_is_fine(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", OY_KEY_Undefined);
  static const test_step steps[] = {
      STEP_DEF("test::foo(Tensor x) -> Tensor"), STEP_DEF("bar(Tensor x) -> Tensor"),
      STEP_IMPL("test::foo", CPU, "k1"), STEP_IMPL("bar", CPU, "k2")};
  for (size_t i = 0; i < TEST_COUNT(steps); i++)
    assert_ok(test_apply(library, &steps[i], NULL));
  assert_string_equal(test_cell(test_find(registry, "test::foo"), OY_KEY_CPU),
                      "k1 [kernel]");
  assert_string_equal(test_cell(test_find(registry, "test::bar"), OY_KEY_CPU),
                      "k2 [kernel]");
  oy_library_close(library);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(REG_01_library_kinds),
      TEST(REG_01_key_only_for_impl),
      TEST(REG_02_only_one_def),
      TEST(REG_04_wildcard_is_for_impl),
      TEST(REG_04_wildcard_impl),
      TEST(REG_03_refusals),
      TEST(REG_03_other_refusals),
      TEST(REG_03_bad_kernels),
      TEST(REG_03_matching_namespace_is_fine),
  };
  return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
