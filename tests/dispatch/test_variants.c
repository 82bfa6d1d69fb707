// SPDX-License-Identifier: Apache-2.0
// Kernels for one dtype: which one a call gets, typed and boxed, by the dtypes of
// its tensors; mixed with kernels for any dtype, fallthroughs, fallbacks and
// redispatch (TAB-01, CALL-03; opyard's own).
#include <stdio.h>

#include "opyard/state.h"
#include "support.h"

typedef struct world {
  oy_registry* registry;
  oy_library* fallbacks;
  test_libraries libraries;
  const oy_op *f, *two;
} world;

static void begin(world* w, const test_step* steps, size_t count) {
  static const test_step defs[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                                   STEP_DEF("two(Tensor? x, Tensor[] y) -> Tensor[]")};
  test_step all[16];
  memcpy(all, defs, sizeof(defs));
  memcpy(all + 2, steps, count * sizeof(*steps));
  w->registry = test_registry_with_fallbacks(&w->fallbacks);
  test_register(w->registry, "test", all, count + 2, &w->libraries);
  w->f = test_find(w->registry, "test::f");
  w->two = test_find(w->registry, "test::two");
}

static void end(world* w) {
  assert_ok(oy_registry_check_invariants(w->registry));
  test_close(&w->libraries);
  oy_library_close(w->fallbacks);
  oy_registry_destroy(w->registry);
}

static test_step with_dtype(oy_dtype dtype, test_step step) {
  step.kernel.dtype_filter = OY_FOR_DTYPE(dtype);
  return step;
}

// The kernel that a call of f runs, the same by both ways; "error" for none.
static const char* ran(const world* w, oy_keyset keys, oy_dtype dtype) {
  test_tensor x = test_tensor_of(keys);
  x.object.dtype = dtype;
  test_log_clear();
  bool typed = test_call_t_t(w->f, &x.object) == &x.object;
  const char* first = typed ? test_printf("%s", test_log()) : "error";
  test_log_clear();
  bool boxed = test_call_boxed(w->f, &x.object) == OY_OK;
  const char* second = boxed ? test_log() : "error";
  if (strcmp(first, second) != 0) fail_msg("typed %s, boxed %s", first, second);
  return first;
}

static void TAB_01_dtype_of_one_tensor(void** state) {
  (void)state;
  const test_step steps[] = {
      with_dtype(OY_DTYPE_F32, (test_step)STEP_BOXED("f", CPU, "f32")),
      with_dtype(OY_DTYPE_BOOL, (test_step)STEP_BOXED("f", CPU, "bool")),
      with_dtype(OY_DTYPE_U8, (test_step)STEP_BOXED("f", CPU, "byte")),
      STEP_BOXED("f", CUDA, "cuda")};
  world w;
  begin(&w, steps, TEST_COUNT(steps));
  static const struct {
    oy_key key;
    oy_dtype dtype;
    const char* ran;
  } rows[] = {
      {OY_KEY_CPU, OY_DTYPE_F32, "f32"},   {OY_KEY_CPU, OY_DTYPE_BOOL, "bool"},
      {OY_KEY_CPU, OY_DTYPE_U8, "byte"},   {OY_KEY_CPU, OY_DTYPE_F64, "error"},
      {OY_KEY_CPU, OY_DTYPE_ANY, "error"}, {OY_KEY_CPU, 45, "error"},
      {OY_KEY_CPU, 46, "error"},           {OY_KEY_CPU, 200, "error"},
      {OY_KEY_CUDA, OY_DTYPE_F32, "cuda"}, {OY_KEY_CUDA, OY_DTYPE_F64, "cuda"},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++)
    assert_string_equal(ran(&w, oy_keyset_of(rows[i].key), rows[i].dtype), rows[i].ran);
  // One more for any dtype takes the rest.
  static const test_step any = STEP_BOXED("f", CPU, "any");
  oy_library* library;
  assert_ok(test_apply_alone(w.registry, "test", &any, &library));
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    bool rest = strcmp(rows[i].ran, "error") == 0;
    assert_string_equal(ran(&w, oy_keyset_of(rows[i].key), rows[i].dtype),
                        rest ? "any" : rows[i].ran);
  }
  oy_library_close(library);
  assert_string_equal(ran(&w, TEST_PLAIN(CPU), OY_DTYPE_F64), "error");
  assert_string_equal(ran(&w, TEST_PLAIN(CPU), OY_DTYPE_F32), "f32");
  end(&w);
}

// No kernel for this dtype: the message names it.
static void CALL_08_no_kernel_for_dtype(void** state) {
  (void)state;
  const test_step steps[] = {
      with_dtype(OY_DTYPE_F32, (test_step)STEP_BOXED("f", CPU, "f32"))};
  world w;
  begin(&w, steps, TEST_COUNT(steps));
  assert_string_equal(ran(&w, TEST_PLAIN(CPU), OY_DTYPE_F64), "error");
  assert_int_equal(oy_error_get()->code, OY_NOT_IMPLEMENTED);
  assert_contains(test_message(),
                  "Could not run 'test::f' with arguments from the 'CPU' "
                  "backend");
  assert_contains(test_message(), "float64");
  assert_string_equal(oy_error_get()->op, "test::f");
  end(&w);
}

// A variant of a composite is a kernel where the key has nothing better for that
// dtype; another dtype goes on down the rule.
static void TAB_03_variants_of_composites(void** state) {
  (void)state;
  const test_step steps[] = {
      with_dtype(OY_DTYPE_F32, (test_step)STEP_BOXED("f", CPU, "cpu f32")),
      with_dtype(OY_DTYPE_F64,
                 (test_step)STEP_BOXED("f", CompositeExplicitAutograd, "default f64")),
      STEP_BOXED("f", CompositeImplicitAutograd, "math")};
  world w;
  begin(&w, steps, TEST_COUNT(steps));
  static const struct {
    oy_key key;
    oy_dtype dtype;
    const char* ran;
  } rows[] = {
      {OY_KEY_CPU, OY_DTYPE_F32, "cpu f32"},
      {OY_KEY_CPU, OY_DTYPE_F64, "default f64"},
      {OY_KEY_CPU, OY_DTYPE_I64, "math"},
      {OY_KEY_CUDA, OY_DTYPE_F32, "math"},
      {OY_KEY_CUDA, OY_DTYPE_F64, "default f64"},
      {OY_KEY_CUDA, OY_DTYPE_I64, "math"},
      {OY_KEY_SparseXLA, OY_DTYPE_F64, "default f64"},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++)
    assert_string_equal(ran(&w, oy_keyset_of(rows[i].key), rows[i].dtype), rows[i].ran);
  end(&w);
}

// The variant may stand in a layer, and the redispatch below picks again.
static void CALL_06_variants_in_layers(void** state) {
  (void)state;
  test_step layer = STEP_BOXED("f", AutogradCPU, "layer f32");
  layer.kernel.boxed = test_kernel_boxed_next;
  const test_step steps[] = {
      with_dtype(OY_DTYPE_F32, layer),
      with_dtype(OY_DTYPE_F32, (test_step)STEP_BOXED("f", CPU, "cpu f32")),
      STEP_BOXED("f", CPU, "cpu"), STEP_BOXED("f", AutogradCPU, "layer")};
  world w;
  begin(&w, steps, TEST_COUNT(steps));
  assert_string_equal(ran(&w, TEST_GRAD(CPU), OY_DTYPE_F32), "layer f32 cpu f32");
  assert_string_equal(ran(&w, TEST_GRAD(CPU), OY_DTYPE_F64), "layer");
  end(&w);
}

// ------------------------------------------------------------ several tensors

static const char* ran_two(const world* w, const oy_dtype* dtypes, size_t count) {
  test_tensor tensors[4];
  oy_object* list[4] = {NULL};
  for (size_t i = 0; i < count; i++) {
    tensors[i] = test_tensor_of(TEST_PLAIN(CPU));
    tensors[i].object.dtype = dtypes[i];
    list[i] = &tensors[i].object;
  }
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  assert_ok(oy_stack_push(&stack, count ? oy_value_tensor(list[0]) : oy_none()));
  size_t rest = count ? count - 1 : 0;
  assert_ok(oy_stack_push(&stack, oy_value_list(OY_TAG_TENSOR_LIST, list + 1, rest)));
  test_log_clear();
  oy_status status = oy_op_call_boxed(w->two, &stack);
  oy_stack_reset(&stack);
  return status == OY_OK ? test_log() : "error";
}

static oy_dtype least(const oy_op* op, oy_object* const* tensors, size_t count) {
  (void)op;
  oy_dtype dtype = OY_DTYPE_ANY;
  for (size_t i = 0; i < count; i++)
    if (tensors[i]->dtype < dtype) dtype = tensors[i]->dtype;
  return dtype;
}

// The greatest number by default; a tensor library sets its own rule.
static void CALL_03_dtype_rule(void** state) {
  (void)state;
  const test_step steps[] = {
      with_dtype(OY_DTYPE_F32, (test_step)STEP_BOXED("two", CPU, "f32")),
      with_dtype(OY_DTYPE_F64, (test_step)STEP_BOXED("two", CPU, "f64")),
      with_dtype(OY_DTYPE_I64, (test_step)STEP_BOXED("two", CPU, "i64"))};
  static const struct {
    oy_dtype dtypes[3];
    const char *greatest, *least;
  } rows[] = {
      {{OY_DTYPE_F32, OY_DTYPE_F32, OY_DTYPE_F32}, "f32", "f32"},
      {{OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_I64}, "f64", "i64"},
      {{OY_DTYPE_I64, OY_DTYPE_F32, OY_DTYPE_I64}, "f32", "i64"},
      {{OY_DTYPE_I64, OY_DTYPE_BOOL, OY_DTYPE_I64}, "error", "i64"},
  };
  world w;
  begin(&w, steps, TEST_COUNT(steps));
  for (int rule = 0; rule < 3; rule++) {
    oy_registry_set_dtype_rule(w.registry, rule == 1 ? least : NULL);
    for (size_t i = 0; i < TEST_COUNT(rows); i++)
      assert_string_equal(ran_two(&w, rows[i].dtypes, 3),
                          rule == 1 ? rows[i].least : rows[i].greatest);
  }
  end(&w);
}

// A typed kernel for one dtype has a state like any other; if it cannot have
// one, registering it must say so.
static void BOX_09_state_of_a_typed_variant(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  const test_step steps[] = {
      STEP_DEF("f(Tensor x) -> Tensor"),
      with_dtype(OY_DTYPE_F32, (test_step)STEP_IMPL("f", CPU, "f32"))};
  oy_library *definition, *library;
  assert_ok(test_apply_alone(registry, "test", &steps[0], &definition));
  if (test_apply_alone(registry, "test", &steps[1], &library) == OY_OK) {
    test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
    oy_guard guard = oy_guard_force(oy_keyset_empty(), oy_keyset_empty());
    test_log_clear();
    assert_ptr_equal(test_call_t_t(test_find(registry, "test::f"), &x.object), &x.object);
    assert_string_equal(test_log(), "f32");
    oy_guard_end(&guard);
  }
  oy_library_close(library);
  oy_library_close(definition);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(TAB_01_dtype_of_one_tensor),
      TEST(CALL_08_no_kernel_for_dtype),
      TEST(TAB_03_variants_of_composites),
      TEST(CALL_06_variants_in_layers),
      TEST(CALL_03_dtype_rule),
      TEST(BOX_09_state_of_a_typed_variant),
  };
  return cmocka_run_group_tests_name("variants", tests, NULL, NULL);
}
