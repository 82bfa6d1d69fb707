// SPDX-License-Identifier: Apache-2.0
// What can be asked: the two dumps to the byte, registrations per key, the
// invariant check and that it can fail, flags (reference, sections 7.2 to 7.4).
#include <stdio.h>

#include "support.h"

#define ADD_SIG      "(Tensor, Tensor, Scalar) -> Tensor"
#define ADD_INFERRED "(Tensor _0, Tensor _1, Scalar _2) -> Tensor _0"

static void any_kernel(void);
static void any_kernel(void) {}

#define TYPED(key_name, debug_text)                                    \
  {                                                                    \
    .kind = TEST_IMPL, .text = "add.Tensor", .key = OY_KEY_##key_name, \
    .debug = (debug_text), .kernel = {                                 \
      .typed = any_kernel,                                             \
      .signature = ADD_SIG                                             \
    }                                                                  \
  }

// add.Tensor of the reference, with a Python kernel stacked over the one of Meta.
static const test_step g_add[] = {
    {.kind = TEST_DEF,
     .debug = NULL,
     .text = "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"},
    TYPED(CompositeExplicitAutogradNonFunctional,
          "registered at NonFunctional.cpp:21389"),
    TYPED(Autograd, "registered at VariableType_2.cpp:16915"),
    TYPED(SparseCPU, "registered at RegisterSparseCPU.cpp:1261"),
    TYPED(Meta, "registered at RegisterMeta.cpp:27006"),
    STEP_BOXED("add.Tensor", Meta, "registered at /dev/null:488"),
    TYPED(CPU, "registered at RegisterCPU.cpp:30798"),
    STEP_FALLTHROUGH("add.Tensor", Named, "registered at NamedRegistrations.cpp:11"),
    TYPED(MkldnnCPU, "registered at RegisterMkldnnCPU.cpp:492"),
    TYPED(NestedTensorCPU, "registered at RegisterNestedTensorCPU.cpp:457"),
    TYPED(FuncTorchBatched, "registered at BatchRulesBinaryOps.cpp:322"),
    STEP_FALLBACK(Conjugate, "registered at ConjugateFallback.cpp:18"),
    STEP_FALLBACK_FALLTHROUGH(AutocastCPU, "registered at autocast_mode.cpp:482")};

static const oy_op* register_add(oy_registry* registry, test_libraries* libraries) {
  test_register(registry, "aten", g_add, TEST_COUNT(g_add), libraries);
  return test_find(registry, "aten::add.Tensor");
}

static void OBS_02_dump_state(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  const oy_op* op = register_add(registry, &libraries);
#define LINE(key, debug) key ": " debug " :: " ADD_INFERRED " [ boxed unboxed ]\n"
  assert_string_equal(
      test_state(op),
      "name: aten::add.Tensor\n"
      "schema: aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
      "debug: registered at step.c:1\n"
      "alias analysis kind: FROM_SCHEMA\n"
      LINE("MkldnnCPU", "registered at RegisterMkldnnCPU.cpp:492")
      "Named: registered at NamedRegistrations.cpp:11 :: (none) [ fallthrough boxed ]\n"
      LINE("FuncTorchBatched", "registered at BatchRulesBinaryOps.cpp:322")
      LINE("CPU", "registered at RegisterCPU.cpp:30798")
      "Meta: registered at /dev/null:488 :: (none) [ boxed ]\n"
      LINE("Meta (inactive)", "registered at RegisterMeta.cpp:27006")
      LINE("SparseCPU", "registered at RegisterSparseCPU.cpp:1261")
      LINE("NestedTensorCPU", "registered at RegisterNestedTensorCPU.cpp:457")
      LINE("Autograd[alias]", "registered at VariableType_2.cpp:16915")
      LINE("CompositeExplicitAutogradNonFunctional[alias]",
           "registered at NonFunctional.cpp:21389"));
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// The whole table, cell by cell in the order of the full key set.
// clang-format off
static void OBS_02_dump_table(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  const oy_op* op = register_add(registry, &libraries);
#define NF ": registered at NonFunctional.cpp:21389 [default backend kernel]\n"
#define VT ": registered at VariableType_2.cpp:16915 [autograd kernel]\n"
#define ROW(key, text) key ": registered at " text " [kernel]\n"
  static const char* const parts[] = {
      "Undefined" NF ROW("CPU", "RegisterCPU.cpp:30798") "CUDA" NF "HIP" NF "MPS" NF
      "IPU" NF "XPU" NF "HPU" NF "VE" NF "MTIA" NF "PrivateUse1" NF "PrivateUse2" NF
      "PrivateUse3" NF "Meta: registered at /dev/null:488 [kernel]\n"
      "FPGA" NF "MAIA" NF "Vulkan" NF "Metal" NF,
      "QuantizedCPU" NF "QuantizedCUDA" NF "QuantizedHIP" NF "QuantizedMPS" NF
      "QuantizedIPU" NF "QuantizedXPU" NF "QuantizedHPU" NF "QuantizedVE" NF
      "QuantizedMTIA" NF "QuantizedPrivateUse1" NF "QuantizedPrivateUse2" NF
      "QuantizedPrivateUse3" NF "QuantizedMeta" NF "CustomRNGKeyId" NF
      ROW("MkldnnCPU", "RegisterMkldnnCPU.cpp:492")
      ROW("SparseCPU", "RegisterSparseCPU.cpp:1261"),
      "SparseCsrCPU" NF "SparseCsrCUDA" NF "SparseCsrHIP" NF "SparseCsrMPS" NF
      "SparseCsrIPU" NF "SparseCsrXPU" NF "SparseCsrHPU" NF "SparseCsrVE" NF
      "SparseCsrMTIA" NF "SparseCsrPrivateUse1" NF "SparseCsrPrivateUse2" NF
      "SparseCsrPrivateUse3" NF "SparseCsrMeta" NF
      ROW("NestedTensorCPU", "RegisterNestedTensorCPU.cpp:457")
      "Named: fallthrough registered at NamedRegistrations.cpp:11 [kernel]\n"
      "Conjugate: registered at ConjugateFallback.cpp:18 [backend fallback]\n",
      "AutogradOther" VT "AutogradCPU" VT "AutogradCUDA" VT "AutogradHIP" VT
      "AutogradXLA" VT "AutogradMPS" VT "AutogradIPU" VT "AutogradXPU" VT "AutogradHPU" VT
      "AutogradVE" VT "AutogradLazy" VT "AutogradMTIA" VT "AutogradPrivateUse1" VT
      "AutogradPrivateUse2" VT "AutogradPrivateUse3" VT "AutogradMeta" VT
      "AutogradNestedTensor" VT
      "AutocastCPU: fallthrough registered at autocast_mode.cpp:482 [backend fallback]\n"
      ROW("FuncTorchBatched", "BatchRulesBinaryOps.cpp:322")};
  assert_string_equal(test_table(op),
                      test_printf("%s%s%s%s", parts[0], parts[1], parts[2], parts[3]));
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// clang-format on
// Each cell by itself is the table's line without its key.
static void OBS_02_cells_make_the_table(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  const oy_op* op = register_add(registry, &libraries);
  char* joined = strdup("");
  oy_key key;
  for (size_t pass = 0; pass < 2; pass++) {
    // Undefined first, then the full set in the order in which it is gone through.
    uint32_t cursor = 0;
    while (pass ? oy_keyset_next(oy_keyset_full(), &cursor, &key) : cursor++ == 0) {
      if (!pass) key = OY_KEY_Undefined;
      const char* cell = test_cell(op, key);
      if (!*cell) continue;
      char* longer;
      assert_true(asprintf(&longer, "%s%s: %s\n", joined, oy_key_name(key), cell) > 0);
      free(joined);
      joined = longer;
    }
  }
  assert_string_equal(joined, test_table(op));
  free(joined);
  test_close(&libraries);
  oy_registry_destroy(registry);
}

static void OBS_03_registrations_per_key(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step steps[] = {
      STEP_DEF("b(Tensor x) -> Tensor"), STEP_DEF("a.o(Tensor x) -> Tensor"),
      STEP_DEF("a(Tensor x) -> Tensor"), STEP_IMPL("b", CPU, "k"),
      STEP_IMPL("b", CPU, "k again"),    STEP_IMPL("a.o", CPU, "k"),
      STEP_IMPL("a", Autograd, "k"),     STEP_IMPL("dangling", CPU, "k"),
      STEP_FALLBACK(CPU, "fallback")};
  test_libraries libraries;
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  static const struct {
    oy_key key;
    const char* names;
  } rows[] = {
      {OY_KEY_CPU, "test::a.o\ntest::b\ntest::dangling\n"},
      {OY_KEY_Autograd, "test::a\n"},
      {OY_KEY_AutogradCPU, ""},  // computed, but not registered
      {OY_KEY_CUDA, ""},
      {OY_KEY_Undefined, "test::a\ntest::a.o\ntest::b\ntest::dangling\n"},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    char* text = NULL;
    assert_ok(oy_registry_dump_key(registry, rows[i].key, &text));
    assert_string_equal(test_keep(text), rows[i].names);
  }
  const oy_op** list = NULL;
  size_t count = 0;
  assert_ok(oy_registry_list(registry, &list, &count));
  assert_int_equal(count, 4);
  static const char* const sorted[] = {"test::a", "test::a.o", "test::b",
                                       "test::dangling"};
  for (size_t i = 0; i < count; i++)
    assert_true(oy_str_equal(oy_op_name_of(list[i]), oy_str_of(sorted[i])));
  oy_ops_free(list);
  const oy_op *a = test_find(registry, "test::a"), *b = test_find(registry, "test::b");
  assert_true(oy_op_has_kernel(b, OY_KEY_CPU) && !oy_op_has_kernel(b, OY_KEY_CUDA));
  assert_true(oy_op_has_kernel(a, OY_KEY_Autograd));
  assert_false(oy_op_has_kernel(a, OY_KEY_AutogradCPU));
  assert_true(oy_op_has_kernel_in(b, TEST_KEYS(OY_KEY_CUDA, OY_KEY_CPU)));
  assert_false(oy_op_has_kernel_in(b, TEST_KEYS(OY_KEY_CUDA)));
  bool has = false;
  assert_ok(oy_op_has_computed_kernel(a, OY_KEY_AutogradCPU, &has));
  assert_true(has);
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// ----------------------------------------------------------------- invariants

static const oy_kernel** slot_of(const oy_op* op, oy_key functionality, oy_backend b) {
  size_t at = oy_tables.offset[functionality];
  at += oy_tables.block[b] & oy_tables.within[functionality];
  if (b == OY_BACKEND_CPU) at = 8 * (size_t)functionality;
  return (const oy_kernel**)(uintptr_t)(op->table + at);
}

// Slots and masks are broken by hand: the check must see it, and say what is.
static void OBS_04_invariants_can_fail(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_libraries libraries;
  const oy_op* op = register_add(registry, &libraries);
  assert_ok(oy_op_check_invariants(op));
  assert_ok(oy_registry_check_invariants(registry));
  static const struct {
    oy_key functionality;
    oy_backend backend;
  } rows[] = {{OY_KEY_Dense, OY_BACKEND_CPU},
              {OY_KEY_AutogradFunctionality, OY_BACKEND_CPU},
              {OY_KEY_Tracer, OY_BACKEND_CPU},
              {OY_KEY_Undefined, OY_BACKEND_CPU}};
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    const oy_kernel** slot = slot_of(op, rows[i].functionality, rows[i].backend);
    const oy_kernel* right = *slot;
    *slot = *slot_of(op, OY_KEY_Conjugate, OY_BACKEND_CPU);
    assert_error_part(oy_op_check_invariants(op), OY_INTERNAL, "");
    assert_contains(oy_error_get()->detail, "Canonical state\n~~~~~~~~~~~\nname: aten::");
    assert_contains(oy_error_get()->detail, "Computed table:\n~~~~~~~~~~~\nUndefined: ");
    assert_error_part(oy_registry_check_invariants(registry), OY_INTERNAL, "");
    *slot = right;
    assert_ok(oy_op_check_invariants(op));
  }
  uint64_t* mask = (uint64_t*)(uintptr_t)(op->table + OY_TABLE_MASK);
  *mask ^= 1ull << OY_KEY_Named;
  assert_error_part(oy_op_check_invariants(op), OY_INTERNAL, "");
  *mask ^= 1ull << OY_KEY_Named;
  assert_ok(oy_op_check_invariants(op));
  test_close(&libraries);
  oy_registry_destroy(registry);
}

// -------------------------------------------------------------------- flags

static void OBS_08_unobserved(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
  for (int unobserved = 0; unobserved < 3; unobserved++) {
    oy_def_params def = {.schema = "f(Tensor x) -> Tensor",
                         .unobserved = unobserved == 1,
                         .place = {"step.c", 1, NULL}};
    oy_registration* registration;
    assert_ok(oy_library_def(library, &def, &registration));
    const oy_op* op = test_find(registry, "test::f");
    assert_int_equal((op->flags & OY_OP_OBSERVED) != 0, unobserved != 1);
    assert_true((op->flags & OY_OP_RETURNS_OBJECT) != 0);
    assert_int_equal(op->argument_count, 1);
    assert_int_equal(op->return_count, 1);
    oy_registration_remove(registration);  // the flag goes with the definition
  }
  oy_library_close(library);
  oy_registry_destroy(registry);
}

static void OBS_04_memory_and_generation(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                    STEP_IMPL("f", CPU, "k"),
                                    STEP_FALLBACK(CPU, "fallback")};
  oy_library* library[3];
  uint64_t generation = oy_registry_generation(registry);
  size_t memory = 0;
  for (size_t i = 0; i < 6; i++) {
    if (i < 3)
      assert_ok(test_apply_alone(registry, "test", &steps[i], &library[i]));
    else
      oy_library_close(library[5 - i]);
    assert_true(oy_registry_generation(registry) > generation);
    generation = oy_registry_generation(registry);
    if (i == 0) memory = oy_op_memory(test_find(registry, "test::f"));
    if (i == 1) assert_true(oy_op_memory(test_find(registry, "test::f")) > memory);
  }
  assert_true(memory > 0);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(OBS_02_dump_state),
      TEST(OBS_02_dump_table),
      TEST(OBS_02_cells_make_the_table),
      TEST(OBS_03_registrations_per_key),
      TEST(OBS_04_invariants_can_fail),
      TEST(OBS_08_unobserved),
      TEST(OBS_04_memory_and_generation),
  };
  return cmocka_run_group_tests_name("observe", tests, NULL, NULL);
}
