// SPDX-License-Identifier: Apache-2.0
// The rows of op_registration_test.cpp that concern dispatching (reference,
// section 10.2), as one table: registrations, then calls and the kernel that ran.
// Every call is made typed and boxed. The autograd fallbacks fall through.
#include <stdio.h>

#include "support.h"

enum { STEPS = 6, CALLS = 9 };

typedef struct test_call {
  oy_key keys[4];
  const char* ran;  // names of kernels; or the key of "Could not run ..."
  bool fails;
} test_call;

typedef struct scenario {
  const char* name;
  test_step steps[STEPS];
  test_call calls[CALLS];
} scenario;

#define DEF               STEP_DEF("f(Tensor x) -> Tensor")
#define IMPL(key, debug)  STEP_IMPL("f", key, debug)
#define BOXED(key, debug) STEP_BOXED("f", key, debug)
#define P(key, ran) \
  { {OY_KEY_##key}, ran, false }
#define G(key, ran) \
  { {OY_KEY_##key, OY_KEY_ADInplaceOrView, OY_KEY_Autograd##key}, ran, false }
#define G_OTHER(key, ran) \
  { {OY_KEY_##key, OY_KEY_ADInplaceOrView, OY_KEY_AutogradOther}, ran, false }
#define P_FAILS(key, name) \
  { {OY_KEY_##key}, name, true }
#define G_FAILS(key, name) \
  { {OY_KEY_##key, OY_KEY_ADInplaceOrView, OY_KEY_Autograd##key}, name, true }

// clang-format off
static const scenario g_scenarios[] = {
  {"whenCallingOpWithWrongDispatchKey_thenFails", {DEF, IMPL(CPU, "cpu")},
   {P(CPU, "cpu"), P_FAILS(CUDA, "CUDA")}},
  {"givenOpWithCatchallKernel_whenCallingOp_thenCallsCatchallKernel", {DEF,
   IMPL(CatchAll, "all")},
   {P(CPU, "all"), P(CUDA, "all"), P(Vulkan, "all")}},
  {"givenOpWithoutKernels_whenRegisteringWithSchema_thenOnlyRegistersSchema", {DEF},
   {P_FAILS(CPU, "CPU")}},
  {"whenRegisteringMultipleKernelsInSameOpCallAndCalling_thenCallsCorrectKernel",
   {DEF, IMPL(CPU, "cpu"), IMPL(CUDA, "cuda")},
   {P(CPU, "cpu"), P(CUDA, "cuda"), P_FAILS(XLA, "XLA")}},
  {"whenRegisteringMultipleKernelsBySchemaAndNoneCanInferSchema_thenSucceeds",
   {DEF, BOXED(CPU, "cpu"), BOXED(CUDA, "cuda"), BOXED(XLA, "xla"), BOXED(Lazy, "lazy")},
   {P(CPU, "cpu"), P(CUDA, "cuda"), P(XLA, "xla"), P(Lazy, "lazy")}},
  {"whenRegisteringMultipleKernelsBySchemaAndOnlyOneCanInferSchema_thenSucceeds",
   {DEF, BOXED(CPU, "cpu"), IMPL(CUDA, "cuda"), BOXED(XLA, "xla")},
   {P(CPU, "cpu"), P(CUDA, "cuda"), P(XLA, "xla")}},
  {"whenRegisteringBackendFallbackKernel_thenCanBeCalled", {DEF,
   STEP_FALLBACK(CPU, "fallback")},
   {P(CPU, "fallback")}},
  {"whenRegisteringBackendFallbackKernelForWrongBackend_thenCannotBeCalled",
   {DEF, STEP_FALLBACK(CUDA, "fallback")}, {P_FAILS(CPU, "CPU"), P(CUDA, "fallback")}},
  {"whenRegisteringBackendFallbackKernelAndRegularKernelForDifferentBackend",
   {DEF, STEP_FALLBACK(CPU, "fallback"), IMPL(CUDA, "cuda")}, {P(CUDA, "cuda"),
   P(CPU, "fallback")}},
  {"...FallbackKernelAndRegularKernelForSameBackend_thenCallsRegularKernel",
   {DEF, STEP_FALLBACK(CPU, "fallback"), IMPL(CPU, "cpu")}, {P(CPU, "cpu")}},
  {"whenRegisteringBackendFallbackKernelAndCatchallKernelForSameBackend",
   {DEF, STEP_FALLBACK(CPU, "fallback"), IMPL(CatchAll, "all")}, {P(CPU, "all")}},
  {"whenRegisteringAutogradKernel_thenCanCallAutogradKernel", {DEF,
   IMPL(Autograd, "autograd")},
   {P_FAILS(CPU, "CPU"), G(CPU, "autograd")}},
  {"whenRegisteringAutogradKernelWithRegularKernel",
   {DEF, IMPL(CPU, "cpu"), IMPL(Autograd, "autograd")}, {G(CPU, "autograd"),
   P(CPU, "cpu")}},
  {"whenRegisteringAutogradKernelWithCatchAllKernel_thenCanCallCatchallKernel",
   {DEF, IMPL(CatchAll, "all"), IMPL(Autograd, "autograd")}, {P(CPU, "all"),
   G(CPU, "all")}},
  {"AutogradBackendOverridesAutogradKernel",
   {DEF, IMPL(Autograd, "autograd"), IMPL(AutogradCPU, "acpu")},
   {G(CPU, "acpu"), G(CUDA, "autograd"), P_FAILS(CPU, "CPU"), P_FAILS(CUDA, "CUDA")}},
  {"AutogradXLAOverridesAutogradKernel",
   {DEF, IMPL(Autograd, "autograd"), IMPL(AutogradXLA, "axla")}, {G(XLA, "axla"),
   G(CPU, "autograd")}},
  {"whenRegisterWithXLAKernelAndCatchAll_AutogradXLAIsNotFilled 1", {DEF,
   IMPL(CatchAll, "all")},
   {G(XLA, "all"), P(XLA, "all"), G(CPU, "all")}},
  {"whenRegisterWithXLAKernelAndCatchAll_AutogradXLAIsNotFilled 2",
   {DEF, IMPL(CatchAll, "all"), IMPL(XLA, "xla")}, {G(XLA, "xla"), P(XLA, "xla"),
   G(CPU, "all")}},
  {"whenRegisterWithLazyKernelAndCatchAll_AutogradLazyIsNotFilled",
   {DEF, IMPL(CatchAll, "all"), IMPL(Lazy, "lazy")}, {G(Lazy, "lazy"), P(Lazy, "lazy"),
   G(CPU, "all")}},
  {"dispatchWithCompositeImplicitAutogradKernel", {DEF,
   IMPL(CompositeImplicitAutograd, "math")},
   {P(CPU, "math"), G(CPU, "math"), P(XLA, "math"), G(XLA, "math"), P(Lazy, "math"),
   G(Lazy, "math"),
    P(SparseCPU, "math"), {{OY_KEY_SparseCPU, OY_KEY_AutogradCPU}, "math", false}}},
  {"dispatchWithCompositeImplicitAutogradAndAutogradKernel",
   {DEF, IMPL(CompositeImplicitAutograd, "math"), IMPL(Autograd, "autograd")},
   {P(CPU, "math"), G(CPU, "math"), G(Meta, "math")}},
  {"dispatchWithCompositeImplicitAutogradAndCatchAllKernel",
   {DEF, IMPL(CompositeImplicitAutograd, "math"), IMPL(CatchAll, "all")}, {P(CPU, "all"),
   G(CPU, "all")}},
  {"AutogradBackendOverridesCompositeImplicitAutogradKernel",
   {DEF, IMPL(CompositeImplicitAutograd, "math"), IMPL(AutogradCPU, "acpu")},
   {P(CPU, "math"), G(CPU, "acpu"), P(CUDA, "math"), G(CUDA, "math")}},
  {"BackendOverridesCompositeImplicitAutogradKernel",
   {DEF, IMPL(CompositeImplicitAutograd, "math"), IMPL(CPU, "cpu")},
   {P(CPU, "cpu"), G(CPU, "cpu"), P(CUDA, "math"), G(CUDA, "math")}},
  {"dispatchWithCompositeExplicitAutogradKernel", {DEF,
   IMPL(CompositeExplicitAutograd, "default")},
   {P(CPU, "default"), G(CPU, "default"), P(XLA, "default"), G(XLA, "default"),
   P(Lazy, "default"),
    P(SparseCPU, "default"), {{OY_KEY_SparseCPU, OY_KEY_AutogradCPU}, "default", false}}},
  {"dispatchWithCompositeExplicitAutogradAndCompositeImplicitAutogradKernel",
   {DEF, IMPL(CompositeExplicitAutograd, "default"),
   IMPL(CompositeImplicitAutograd, "math")},
   {P(CPU, "default"), G(CPU, "default"), P(SparseCPU, "default"),
    {{OY_KEY_SparseCPU, OY_KEY_AutogradCPU}, "default", false}}},
  {"BackendOverridesCompositeExplicitAutogradKernel",
   {DEF, IMPL(CompositeExplicitAutograd, "default"), IMPL(CPU, "cpu")},
   {P(CPU, "cpu"), G(CPU, "cpu"), P(CUDA, "default"), G(CUDA, "default")}},
  {"dispatchAutogradPrecedence 1", {DEF, IMPL(CPU, "cpu")}, {P(CPU, "cpu"),
   G(CPU, "cpu")}},
  {"dispatchAutogradPrecedence 2", {DEF, IMPL(CPU, "cpu"), IMPL(Autograd, "autograd")},
   {G(CPU, "autograd")}},
  {"dispatchAutogradPrecedence 3",
   {DEF, IMPL(CPU, "cpu"), IMPL(Autograd, "autograd"), IMPL(AutogradCPU, "acpu")},
   {P(CPU, "cpu"), G(CPU, "acpu")}},
  {"dispatchMultipleTensors 1",
   {DEF, IMPL(PrivateUse1, "pu1"), IMPL(CatchAll, "all"),
    STEP_FALLBACK_FALLTHROUGH(AutogradPrivateUse1, "off")},
   {{{OY_KEY_PrivateUse1, OY_KEY_CPU}, "pu1", false}, P(CPU, "all"), G(CPU, "all"),
    {{OY_KEY_PrivateUse1, OY_KEY_CPU, OY_KEY_AutogradPrivateUse1, OY_KEY_AutogradCPU},
    "pu1", false}}},
  {"dispatchMultipleTensors 2",
   {DEF, IMPL(PrivateUse1, "pu1"), IMPL(AutogradPrivateUse1, "apu1"),
    STEP_FALLBACK_FALLTHROUGH(AutogradPrivateUse1, "off")},
   {{{OY_KEY_PrivateUse1, OY_KEY_CPU, OY_KEY_AutogradPrivateUse1, OY_KEY_AutogradCPU},
   "apu1", false}}},
  {"PrivateUse1 without a fallback (4.1)", {DEF, IMPL(PrivateUse1, "pu1"),
   IMPL(CatchAll, "all")},
   {P(PrivateUse1, "pu1"), G_FAILS(PrivateUse1, "AutogradPrivateUse1")}},
  {"...CPUKernel_andCallAutogradOtherKernel_callsComposite",
   {DEF, IMPL(CPU, "cpu"), IMPL(CompositeImplicitAutograd, "math")},
   {G(Meta, "math"), G_OTHER(FPGA, "math"), G_OTHER(HIP, "math")}},
  {"dispatchMultiple", {DEF, IMPL(CPU, "cpu"), IMPL(CUDA, "cuda"),
   IMPL(Autograd, "autograd")},
   {P(CPU, "cpu"), P(CUDA, "cuda"), G(CPU, "autograd"), G(CUDA, "autograd")}},
  {"the later backend wins (1.2)", {DEF, IMPL(CPU, "cpu"), IMPL(CUDA, "cuda"),
   IMPL(Meta, "meta")},
   {{{OY_KEY_CPU, OY_KEY_CUDA}, "cuda", false}, {{OY_KEY_CUDA, OY_KEY_CPU}, "cuda",
   false},
    {{OY_KEY_CUDA, OY_KEY_Meta}, "meta", false}, {{OY_KEY_CPU, OY_KEY_XLA}, "XLA",
    true}}},
};
// clang-format on

static void make_call(const scenario* s, const test_call* call, const oy_op* op,
                      bool boxed) {
  test_tensor x = test_tensor_of(test_keyset(call->keys, 4));
  test_log_clear();
  oy_error_clear();
  bool ok = boxed ? test_call_boxed(op, &x.object) == OY_OK
                  : test_call_t_t(op, &x.object) == &x.object;
  const char* way = boxed ? "boxed" : "typed";
  if (!call->fails) {
    if (!ok || strcmp(test_log(), call->ran) != 0)
      fail_msg("%s, %s: ran \"%s\" and not \"%s\" (%s)", s->name, way, test_log(),
               call->ran, test_message());
    return;
  }
  const char* text = test_printf(
      "Could not run 'test::f' with arguments from the '%s' backend.", call->ran);
  if (ok || strncmp(test_message(), text, strlen(text)) != 0)
    fail_msg("%s, %s: should be %s; ran \"%s\": %s", s->name, way, text, test_log(),
             test_message());
}

static void CALL_03_scenarios(void** state) {
  (void)state;
  for (size_t i = 0; i < TEST_COUNT(g_scenarios); i++) {
    const scenario* s = &g_scenarios[i];
    size_t steps = 0;
    while (steps < STEPS && s->steps[steps].debug) steps++;
    oy_library* fallbacks;
    oy_registry* registry = test_registry_with_fallbacks(&fallbacks);
    test_libraries libraries;
    test_register(registry, "test", s->steps, steps, &libraries);
    const oy_op* op = test_find(registry, "test::f");
    for (size_t c = 0; c < CALLS && s->calls[c].ran; c++) {
      make_call(s, &s->calls[c], op, false);
      make_call(s, &s->calls[c], op, true);
    }
    test_close(&libraries);
    oy_library_close(fallbacks);
    oy_registry_destroy(registry);
  }
}

// givenOpWithDispatchedKernelOutOfScope and its reverse: what is gone is gone.
static void REG_12_kernel_out_of_scope(void** state) {
  (void)state;
  static const test_step def = DEF, cpu = IMPL(CPU, "cpu"), all = IMPL(CatchAll, "all");
  const test_step* orders[][2] = {{&cpu, &all}, {&all, &cpu}};
  for (size_t i = 0; i < TEST_COUNT(orders); i++) {
    oy_library *fallbacks, *definition, *library;
    oy_registry* registry = test_registry_with_fallbacks(&fallbacks);
    test_tensor x = test_tensor_of(TEST_GRAD(CPU));
    for (int s = 0; s < 2; s++) {
      assert_ok(test_apply_alone(registry, "test", &def, &definition));
      assert_ok(test_apply_alone(registry, "test", orders[i][s], &library));
      test_log_clear();
      assert_ok(test_call_boxed(test_find(registry, "test::f"), &x.object));
      assert_string_equal(test_log(), orders[i][s]->debug);
      oy_library_close(library);
      assert_error_part(test_call_boxed(test_find(registry, "test::f"), &x.object),
                        OY_NOT_IMPLEMENTED, "Could not run");
      oy_library_close(definition);
      assert_null(oy_op_lookup(registry, oy_str_of("test::f")));
    }
    oy_library_close(fallbacks);
    oy_registry_destroy(registry);
  }
}

// Overloads are operators of their own.
static void REG_05_overloads(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step steps[] = {
      STEP_DEF("fn(Tensor x) -> Tensor"), STEP_DEF("fn.a(Tensor x) -> Tensor"),
      STEP_DEF("fn.b(Tensor x, Tensor y) -> Tensor"), STEP_IMPL("fn.a", CPU, "a")};
  test_libraries libraries;
  test_register(registry, "test", steps, TEST_COUNT(steps), &libraries);
  const oy_op *none = test_find(registry, "test::fn"),
              *a = test_find(registry, "test::fn.a"),
              *b = test_find(registry, "test::fn.b");
  assert_true(none != a && a != b && none != b);
  assert_string_equal(test_cell(a, OY_KEY_CPU), "a [kernel]");
  assert_string_equal(test_cell(none, OY_KEY_CPU), "");
  assert_string_equal(test_cell(b, OY_KEY_CPU), "");
  assert_int_equal(oy_registry_op_count(registry), 3);
  test_close(&libraries);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(CALL_03_scenarios),
      TEST(REG_12_kernel_out_of_scope),
      TEST(REG_05_overloads),
  };
  return cmocka_run_group_tests_name("call_scenarios", tests, NULL, NULL);
}
