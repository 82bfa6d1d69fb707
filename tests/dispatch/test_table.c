// SPDX-License-Identifier: Apache-2.0
// Computed tables as tables of expectations: the worked examples of the
// reference (sections 4.1, 4.3 and 10.1), cell by cell.
#include <stdio.h>

#include "support.h"

enum { STEPS = 6, CELLS = 16 };

typedef struct cell {
  oy_key key;
  const char* text;
} cell;

typedef struct example {
  const char* name;
  test_step steps[STEPS];
  cell cells[CELLS];  // up to a text of NULL
} example;

#define IMPL(key, debug) STEP_IMPL("f", key, debug)
#define MATH             IMPL(CompositeImplicitAutograd, "math")
#define DEFAULT          IMPL(CompositeExplicitAutograd, "default")
#define NONFUNC          IMPL(CompositeExplicitAutogradNonFunctional, "nonfunc")
#define NESTED           IMPL(CompositeImplicitAutogradNestedTensor, "nested")
#define AUTOGRAD         IMPL(Autograd, "autograd")
#define CPU              IMPL(CPU, "cpu")

#define K(key, text) \
  { OY_KEY_##key, text }
#define M    "math [math kernel]"
#define D    "default [default backend kernel]"
#define N    "nonfunc [default backend kernel]"
#define A    "autograd [autograd kernel]"
#define FB   "fallthrough fb [backend fallback]"
#define NONE ""
// The eight cells that test_dispatch.py looks at.
#define EIGHT(u, cpu, cuda, xla, other, acpu, acuda, axla)                           \
  K(Undefined, u), K(CPU, cpu), K(CUDA, cuda), K(XLA, xla), K(AutogradOther, other), \
      K(AutogradCPU, acpu), K(AutogradCUDA, acuda), K(AutogradXLA, axla)

// clang-format off
static const example g_examples[] = {
  {"TAB_11 implicit, CPU, XLA, Autograd, AutogradCPU",
   {MATH, CPU, IMPL(XLA, "xla"), AUTOGRAD, IMPL(AutogradCPU, "autogradcpu")},
   {EIGHT(M, "cpu [kernel]", M, "xla [kernel]", M, "autogradcpu [kernel]", M, A)}},
  {"TAB_11 implicit, CPU", {MATH, CPU}, {EIGHT(M, "cpu [kernel]", M, M, M, FB, M, M)}},
  {"TAB_11 implicit", {MATH},
   {EIGHT(M, M, M, M, M, M, M, M), K(FPGA, M), K(Functionalize, M), K(NestedTensorCPU, M),
    K(AutogradNestedTensor, M), K(SparseCsrMeta, M), K(BackendSelect, FB)}},
  {"TAB_07 Autograd only", {AUTOGRAD},
   {EIGHT(NONE, NONE, NONE, NONE, A, A, A, A), K(AutogradNestedTensor, A),
   K(AutogradHIP, A)}},
  {"TAB_11 CPU, Autograd, implicit", {CPU, AUTOGRAD, MATH},
   {EIGHT(M, "cpu [kernel]", M, M, M, A, M, M)}},
  {"TAB_06 implicit, FPGA", {MATH, IMPL(FPGA, "fpga")},
   {EIGHT(M, M, M, M, "ambiguous_autogradother [ambiguous autogradother]", M, M, M),
    K(FPGA, "fpga [kernel]"), K(MAIA, M)}},
  {"TAB_11 CPU, explicit", {CPU, DEFAULT},
   {EIGHT(D, "cpu [kernel]", D, D, FB, FB, FB, FB), K(FPGA, D)}},
  {"TAB_11 CPU, Autograd, explicit", {CPU, AUTOGRAD, DEFAULT},
   {EIGHT(D, "cpu [kernel]", D, D, A, A, A, A), K(FPGA, D)}},
  {"TAB_11 CPU, Autograd, implicit, explicit", {CPU, AUTOGRAD, MATH, DEFAULT},
   {EIGHT(D, "cpu [kernel]", D, D, A, A, A, A), K(FPGA, D)}},
  {"TAB_01 a direct kernel beats all",
   {CPU, MATH, DEFAULT, NONFUNC, AUTOGRAD, IMPL(AutogradCPU, "acpu")},
   {K(CPU, "cpu [kernel]"), K(AutogradCPU, "acpu [kernel]"), K(CUDA, N)}},
  {"TAB_02 explicit and non-functional", {DEFAULT, NONFUNC},
   {K(CPU, N), K(Meta, N), K(FPGA, N), K(QuantizedCPU, N), K(QuantizedXLA, D),
   K(MkldnnCPU, N),
    K(SparseCsrCPU, N), K(Undefined, N), K(XLA, D), K(Lazy, D), K(SparseCPU, D),
    K(SparseXLA, D),
    K(Functionalize, NONE), K(NestedTensorCPU, NONE), K(AutogradCPU, FB)}},
  {"TAB_03 explicit fills neither Functionalize nor nested", {DEFAULT},
   {K(Functionalize, NONE), K(NestedTensorCPU, NONE), K(AutogradNestedTensor, NONE),
    K(SparseCPU, D), K(SparseCsrCUDA, D), K(QuantizedMeta, D), K(CustomRNGKeyId, D),
    K(Undefined, D)}},
  {"TAB_04 implicit is blocked where explicit exists", {MATH, DEFAULT},
   {EIGHT(D, D, D, D, FB, FB, FB, FB), K(Functionalize, NONE), K(NestedTensorCPU, NONE)}},
  {"TAB_04 non-functional does not block", {MATH, NONFUNC},
   {EIGHT(N, N, N, M, M, M, M, M), K(SparseCPU, M), K(Functionalize, M), K(Lazy, M)}},
  {"TAB_04 the dense key alone counts", {MATH, IMPL(SparseCPU, "sparse")},
   {K(SparseCPU, "sparse [kernel]"), K(AutogradCPU, M), K(CPU, M),
    K(AutogradOther, "ambiguous_autogradother [ambiguous autogradother]")}},
  {"TAB_04 quantized as well", {MATH, IMPL(QuantizedCPU, "q")},
   {K(AutogradCPU, M),
   K(AutogradOther, "ambiguous_autogradother [ambiguous autogradother]")}},
  {"TAB_04 no fallback at AutogradPrivateUse1", {MATH, IMPL(PrivateUse1, "pu1")},
   {K(PrivateUse1, "pu1 [kernel]"), K(AutogradPrivateUse1, NONE),
   K(AutogradPrivateUse2, M),
    K(AutogradCPU, M), K(AutogradOther, M)}},
  // Tensors of HIP, VE and MTIA use AutogradOther, so no kernel of theirs
  // blocks AutogradHIP, which no tensor has; as in PyTorch, cell for cell.
  {"TAB_04 AutogradHIP guards nothing", {MATH, IMPL(HIP, "hip")},
   {K(HIP, "hip [kernel]"), K(AutogradHIP, M), K(AutogradVE, M), K(AutogradOther, M)}},
  {"TAB_05 nested before implicit", {MATH, NESTED},
   {K(NestedTensorCPU, "nested [nested kernel]"),
   K(NestedTensorMeta, "nested [nested kernel]"),
    K(AutogradNestedTensor, "nested [nested kernel]"), K(CPU, M), K(Undefined, M),
    K(Functionalize, M)}},
  {"TAB_05 nested alone", {NESTED},
   {K(NestedTensorCUDA, "nested [nested kernel]"), K(CPU, NONE), K(Undefined, NONE),
   K(AutogradCPU, FB)}},
  {"TAB_06 ambiguous with explicit as well", {MATH, DEFAULT, IMPL(FPGA, "fpga")},
   {K(AutogradOther, "ambiguous_autogradother [ambiguous autogradother]"),
   K(FPGA, "fpga [kernel]"),
    K(MAIA, D)}},
  {"TAB_06 a kernel at AutogradOther settles it",
   {MATH, IMPL(FPGA, "fpga"), IMPL(AutogradOther, "other")},
   {K(AutogradOther, "other [kernel]")}},
  {"TAB_06 Autograd does not", {MATH, IMPL(FPGA, "fpga"), AUTOGRAD},
   {K(AutogradOther, "ambiguous_autogradother [ambiguous autogradother]"),
   K(AutogradCPU, M)}},
  {"TAB_06 Autograd without implicit", {IMPL(FPGA, "fpga"), AUTOGRAD},
   {K(AutogradOther, A)}},
  {"TAB_07 Autograd is dead under implicit", {MATH, AUTOGRAD},
   {K(AutogradCPU, M), K(AutogradOther, M), K(AutogradNestedTensor, M)}},
  {"TAB_08 decomposition before fallback",
   {IMPL(FuncTorchBatchedDecomposition, "dec"),
   STEP_FALLBACK(FuncTorchBatched, "batch fb")},
   {K(FuncTorchBatched, "dec [batched kernel]"), K(Batched, NONE), K(CPU, NONE)}},
  {"TAB_08 direct before decomposition",
   {IMPL(FuncTorchBatchedDecomposition, "dec"), IMPL(FuncTorchBatched, "batched")},
   {K(FuncTorchBatched, "batched [kernel]")}},
  {"TAB_09 fallback, then missing",
   {STEP_FALLBACK(CPU, "cpu fb"), STEP_FALLBACK(Tracer, "tracer fb"), IMPL(CUDA, "cuda")},
   {K(CPU, "cpu fb [backend fallback]"), K(Tracer, "tracer fb [backend fallback]"),
    K(CUDA, "cuda [kernel]"), K(XLA, NONE), K(QuantizedCPU, NONE), K(Undefined, NONE)}},
  {"TAB_09 composites beat a fallback", {STEP_FALLBACK(CPU, "cpu fb"), MATH},
   {K(CPU, M), K(Undefined, M)}},
  {"TAB_10 no fallback fills Undefined",
   {STEP_FALLBACK(CompositeExplicitAutograd, "all fb"), IMPL(Tracer, "t")},
   {K(Undefined, NONE), K(CPU, "all fb [backend fallback]"),
   K(SparseMeta, "all fb [backend fallback]"),
    K(Functionalize, NONE), K(AutogradCPU, FB)}},
  {"TAB_01 a fallthrough is a kernel", {STEP_FALLTHROUGH("f", CPU, "off"), MATH, DEFAULT},
   {K(CPU, "fallthrough off [kernel]"), K(CUDA, D), K(AutogradCPU, FB)}},
  {"TAB_01 a fallthrough blocks implicit", {STEP_FALLTHROUGH("f", CPU, "off"), MATH},
   {K(CPU, "fallthrough off [kernel]"), K(AutogradCPU, FB), K(AutogradCUDA, M)}},
  {"TAB_16 a fallthrough composite",
   {STEP_FALLTHROUGH("f", CompositeExplicitAutograd, "off")},
   {K(CPU, "fallthrough off [default backend kernel]"),
   K(Undefined, "fallthrough off [default backend kernel]")}},
  {"10.1 test_basic", {CPU, IMPL(XLA, "xla"), IMPL(Lazy, "lazy"), MATH},
   {K(FPGA, M), K(AutogradOther, M), K(AutogradCPU, FB), K(AutogradXLA, FB),
   K(AutogradLazy, FB)}},
  {"10.1 test_defaultbackend_autogradcpu",
   {CPU, IMPL(XLA, "xla"), IMPL(Lazy, "lazy"), DEFAULT, IMPL(AutogradCPU, "acpu")},
   {K(FPGA, D), K(AutogradOther, FB), K(AutogradCPU, "acpu [kernel]"),
   K(AutogradXLA, FB)}},
  {"10.1 test_autogradother", {CPU, IMPL(FPGA, "fpga"), MATH},
   {K(FPGA, "fpga [kernel]"),
   K(AutogradOther, "ambiguous_autogradother [ambiguous autogradother]"),
    K(AutogradXLA, M), K(AutogradLazy, M), K(AutogradCPU, FB)}},
};
// clang-format on

// An operator with a definition and one without have the same table.
static void check_example(const example* row, bool defined) {
  static const test_step def = STEP_DEF("f(Tensor x) -> Tensor");
  oy_library *fallbacks, *definition = NULL;
  oy_registry* registry = test_registry_with_fallbacks(&fallbacks);
  if (defined) assert_ok(test_apply_alone(registry, "test", &def, &definition));
  test_libraries libraries = {{NULL}, 0};
  for (size_t i = 0; i < STEPS && row->steps[i].debug; i++) {
    oy_library** place = &libraries.library[libraries.count++];
    assert_ok(test_apply_alone(registry, "test", &row->steps[i], place));
  }
  const oy_op* op = oy_op_lookup(registry, oy_str_of("test::f"));
  for (size_t i = 0; op && i < CELLS && row->cells[i].text; i++) {
    oy_key key = row->cells[i].key;
    const char *expected = row->cells[i].text, *got = test_cell(op, key);
    if (strcmp(got, expected) != 0)
      fail_msg("%s: %s should be \"%s\" and is \"%s\"", row->name, oy_key_name(key),
               expected, got);
    // The table has the same line, or none.
    const char* line = test_printf("\n%s: %s\n", oy_key_name(key), expected);
    const char* table = test_printf("\n%s", test_table(op));
    const char* head = test_printf("\n%s: ", oy_key_name(key));
    if (strstr(table, *expected ? line : head) ? !*expected : *expected)
      fail_msg("%s: %s differs in the table:%s", row->name, oy_key_name(key), table);
  }
  assert_ok(oy_registry_check_invariants(registry));
  test_close(&libraries);
  oy_library_close(definition);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

static void TAB_01_to_TAB_11_and_TAB_16_worked_examples(void** state) {
  (void)state;
  for (size_t i = 0; i < TEST_COUNT(g_examples); i++) {
    check_example(&g_examples[i], true);
    check_example(&g_examples[i], false);
  }
}

// The eight provenances, all in one operator's reach.
static void TAB_16_provenance_strings(void** state) {
  (void)state;
  static const char* const names[] = {
      "[kernel]",         "[default backend kernel]",  "[nested kernel]",
      "[math kernel]",    "[ambiguous autogradother]", "[autograd kernel]",
      "[batched kernel]", "[backend fallback]"};
  bool seen[TEST_COUNT(names)] = {false};
  for (size_t i = 0; i < TEST_COUNT(g_examples); i++)
    for (size_t c = 0; c < CELLS && g_examples[i].cells[c].text; c++)
      for (size_t n = 0; n < TEST_COUNT(names); n++)
        if (strstr(g_examples[i].cells[c].text, names[n])) seen[n] = true;
  for (size_t n = 0; n < TEST_COUNT(names); n++)
    if (!seen[n]) fail_msg("no example shows %s", names[n]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(TAB_01_to_TAB_11_and_TAB_16_worked_examples),
      TEST(TAB_16_provenance_strings),
  };
  return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
