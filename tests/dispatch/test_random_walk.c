// SPDX-License-Identifier: Apache-2.0
// The oracle of test_permutations, further out: a long walk in which any of
// thirty registrations comes or goes. Now and then the registry is compared with
// one that is made afresh from what is in effect, in the same order.
#include <stdio.h>

#include "support.h"

#define VARIANT(op, key_name, debug_text, dtype, level, rank)                         \
  {                                                                                   \
    .kind = TEST_IMPL, .text = (op), .key = OY_KEY_##key_name, .debug = (debug_text), \
    .kernel = {                                                                       \
      .typed = (oy_typed_fn)test_kernel_t_t,                                          \
      .signature = "(Tensor) -> Tensor",                                              \
      .dtype_filter = (dtype),                                                        \
      .cpu_level = (level),                                                           \
      .priority = (rank)                                                              \
    }                                                                                 \
  }
#define F32 OY_FOR_DTYPE(OY_DTYPE_F32)
#define F64 OY_FOR_DTYPE(OY_DTYPE_F64)

static const test_step g_steps[] = {
    STEP_DEF("f(Tensor x) -> Tensor"),
    STEP_DEF("f(Tensor y) -> Tensor"),
    STEP_DEF("f(Tensor x, Tensor y) -> Tensor"),
    STEP_DEF("g(Tensor x) -> Tensor"),
    STEP_IMPL("f", CPU, "cpu"),
    STEP_BOXED("f", CPU, "cpu boxed"),
    VARIANT("f", CPU, "cpu f32", F32, 0, 0),
    VARIANT("f", CPU, "cpu f32 again", F32, 0, 0),
    VARIANT("f", CPU, "cpu f64 v3", F64, OY_CPU_V3, 0),
    VARIANT("f", CPU, "cpu p3", 0, 0, 3),
    VARIANT("f", CPU, "cpu f32 p5", F32, 0, 5),
    STEP_FALLTHROUGH("f", CPU, "cpu off"),
    STEP_IMPL("f", CUDA, "cuda"),
    STEP_IMPL("f", FPGA, "fpga"),
    STEP_IMPL("f", SparseCPU, "sparse"),
    STEP_IMPL("f", Autograd, "autograd"),
    VARIANT("f", Autograd, "autograd f32", F32, 0, 0),
    STEP_IMPL("f", AutogradCPU, "autogradcpu"),
    STEP_FALLTHROUGH("f", AutogradCPU, "autogradcpu off"),
    STEP_IMPL("f", CompositeImplicitAutograd, "math"),
    STEP_IMPL("f", CompositeExplicitAutograd, "default"),
    VARIANT("f", CompositeExplicitAutograd, "default f64", F64, 0, 0),
    STEP_IMPL("f", CompositeExplicitAutogradNonFunctional, "non-functional"),
    STEP_IMPL("f", CompositeImplicitAutogradNestedTensor, "nested"),
    STEP_IMPL("f", FuncTorchBatchedDecomposition, "decomposed"),
    STEP_FALLTHROUGH("f", Conjugate, "conj off"),
    STEP_FALLBACK(CPU, "cpu fallback"),
    STEP_FALLBACK(Conjugate, "conj fallback"),
    STEP_FALLBACK_FALLTHROUGH(Autograd, "autograd fallback"),
    STEP_FALLBACK(AutogradCPU, "autogradcpu fallback"),
    STEP_IMPL("g", CPU, "g cpu"),
    STEP_IMPL("g", CompositeImplicitAutograd, "g math"),
};
enum { STEPS = TEST_COUNT(g_steps) };

typedef struct walk {
  oy_registry* registry;
  oy_library* library[STEPS];
  size_t order[STEPS];  // in effect, oldest first
  size_t count;
  unsigned seed;
} walk;

static size_t next_random(walk* w, size_t limit) {
  w->seed = w->seed * 1664525u + 1013904223u;
  return (w->seed >> 10) % limit;
}

static char* observe(oy_registry* registry) {
  char* text = NULL;
  const oy_op *f = oy_op_lookup(registry, oy_str_of("test::f")),
              *g = oy_op_lookup(registry, oy_str_of("test::g"));
  assert_true(asprintf(&text, "%s%s%s%s%s%s", test_state(f), test_table(f),
                       test_extractor(f), test_state(g), test_table(g),
                       test_extractor(g)) >= 0);
  return text;
}

static void print_path(const walk* w) {
  print_error("in effect, oldest first:");
  for (size_t i = 0; i < w->count; i++)
    print_error(" \"%s\"", g_steps[w->order[i]].debug);
  print_error("\n");
}

static void compare_with_fresh(const walk* w) {
  walk fresh = {.registry = test_registry()};
  for (size_t i = 0; i < w->count; i++)
    assert_ok(test_apply_alone(fresh.registry, "test", &g_steps[w->order[i]],
                               &fresh.library[i]));
  char *now = observe(w->registry), *afresh = observe(fresh.registry);
  if (strcmp(now, afresh) != 0) {
    print_path(w);
    fail_msg("walked:\n%s\nmade afresh:\n%s", now, afresh);
  }
  free(now);
  free(afresh);
  for (size_t i = w->count; i-- > 0;) oy_library_close(fresh.library[i]);
  oy_registry_destroy(fresh.registry);
}

static void remove_from_order(walk* w, size_t step) {
  size_t at = 0;
  while (w->order[at] != step) at++;
  memmove(&w->order[at], &w->order[at + 1], (--w->count - at) * sizeof(w->order[0]));
}

static void one_step(walk* w) {
  size_t i = next_random(w, STEPS);
  if (w->library[i]) {
    oy_library_close(w->library[i]);
    w->library[i] = NULL;
    remove_from_order(w, i);
  } else {
    char* before = observe(w->registry);
    if (test_apply_alone(w->registry, "test", &g_steps[i], &w->library[i]) == OY_OK) {
      w->order[w->count++] = i;
    } else {
      char* after = observe(w->registry);
      assert_string_equal(before, after);
      free(after);
    }
    free(before);
  }
  if (oy_registry_check_invariants(w->registry) != OY_OK) {
    print_path(w);
    fail_msg("after step \"%s\": %s", g_steps[i].debug, test_message());
  }
}

static void REG_15_random_walk(void** state) {
  (void)state;
  for (unsigned seed = 1; seed <= 4; seed++) {
    walk w = {.registry = test_registry(), .seed = seed};
    for (int i = 0; i < 800; i++) {
      one_step(&w);
      if (i % 20 == 0) compare_with_fresh(&w);
    }
    for (size_t i = 0; i < STEPS; i++) oy_library_close(w.library[i]);
    assert_int_equal(oy_registry_op_count(w.registry), 0);
    oy_registry_destroy(w.registry);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(REG_15_random_walk)};
  return cmocka_run_group_tests_name("random_walk", tests, NULL, NULL);
}
