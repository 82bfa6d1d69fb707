// SPDX-License-Identifier: Apache-2.0
// The three tests of backend_fallback_test.cpp (reference, section 10.5): a mode
// in the thread's include set, a wrapper tensor, and a mode that falls through
// but for one operator. And BackendSelect, which picks a backend by redispatch.
#include <stdio.h>

#include "support.h"

static int g_count;  // what the mode or the wrapper saw

typedef oy_object* (*fn_t_t)(const oy_op*, oy_keyset, oy_object*);

// ones() makes a tensor; batch_norm(x) calls mul on it twice.
static oy_status ones(const oy_op* op, oy_keyset keys, oy_stack* stack,
                      const oy_kernel* kernel) {
  (void)op;
  (void)keys;
  (void)kernel;
  oy_value value = oy_value_tensor(test_tensor_new(TEST_PLAIN(CPU), 1));
  value.owned = 1;
  return oy_stack_push(stack, value);
}

static oy_object* mul(const oy_op* op, oy_keyset keys, oy_object* a, oy_object* b) {
  (void)op;
  (void)keys;
  return test_tensor_new(TEST_PLAIN(CPU), test_value(a) * test_value(b));
}

static oy_object* batch_norm(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)keys;
  const oy_op* multiply = oy_op_lookup(oy_op_registry(op), oy_str_of("t::mul.Tensor"));
  oy_object* y = test_call_tt_t(multiply, x, x);
  if (!y) return NULL;
  oy_object* z = test_call_tt_t(multiply, y, x);
  oy_object_release(y);
  return z;
}

static const test_step g_ops[] = {
    STEP_DEF("ones() -> Tensor"),
    {.kind = TEST_IMPL,
     .text = "ones",
     .key = OY_KEY_CompositeExplicitAutograd,
     .debug = "ones",
     .kernel = {.boxed = ones}},
    STEP_DEF("batch_norm(Tensor x) -> Tensor"),
    {.kind = TEST_IMPL,
     .text = "batch_norm",
     .key = OY_KEY_CPU,
     .debug = "batch_norm",
     .kernel = {.typed = (oy_typed_fn)batch_norm, .signature = "(Tensor) -> Tensor"}},
    STEP_DEF("mul.Tensor(Tensor a, Tensor b) -> Tensor"),
    {.kind = TEST_IMPL,
     .text = "mul.Tensor",
     .key = OY_KEY_CPU,
     .debug = "mul",
     .kernel = {.typed = (oy_typed_fn)mul, .signature = "(Tensor, Tensor) -> Tensor"}},
};

static oy_object* call_ones(const oy_op* op) {
  uint64_t before = oy_call_enter();
  oy_keyset keys = oy_keyset_empty();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  return oy_call_result(
      before, ((oy_object * (*)(const oy_op*, oy_keyset)) kernel->typed)(op, keys));
}

// Counts the call, and does it again with itself excluded.
static oy_status mode_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                               const oy_kernel* kernel) {
  (void)keys;
  (void)kernel;
  g_count++;
  oy_guard guard = oy_guard_exclude(TEST_KEYS(OY_KEY_TESTING_ONLY_GenericMode));
  oy_status status = oy_op_call_boxed(op, stack);
  oy_guard_end(&guard);
  return status;
}

static void check_two_calls(oy_registry* registry, oy_keyset include, int wanted) {
  oy_guard guard = oy_guard_include(include);
  oy_object* x = call_ones(test_find(registry, "t::ones"));
  assert_non_null(x);
  oy_object* y = test_call_t_t(test_find(registry, "t::batch_norm"), x);
  assert_non_null(y);
  assert_true(test_value(y) == 1);
  oy_object_release(y);
  oy_object_release(x);
  oy_guard_end(&guard);
  assert_int_equal(g_count, wanted);
  assert_int_equal(test_tensors_alive(), 0);
}

static void CALL_05_fallback_with_mode(void** state) {
  (void)state;
  oy_library *fallbacks, *mode;
  oy_registry* registry = test_registry_with_fallbacks(&fallbacks);
  test_libraries libraries;
  test_register(registry, "t", g_ops, TEST_COUNT(g_ops), &libraries);
  static const test_step step = {.kind = TEST_FALLBACK,
                                 .key = OY_KEY_TESTING_ONLY_GenericMode,
                                 .debug = "mode",
                                 .kernel = {.boxed = mode_fallback}};
  assert_ok(test_apply_alone(registry, "_", &step, &mode));
  g_count = 0;
  // ones and batch_norm; the inner calls do not count, the mode is excluded.
  check_two_calls(registry, TEST_KEYS(OY_KEY_TESTING_ONLY_GenericMode), 2);
  g_count = 0;
  check_two_calls(registry, oy_keyset_empty(), 0);
  oy_library_close(mode);
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

// ------------------------------------------------------------------- a wrapper

typedef struct wrapper {
  oy_object object;
  oy_object* inside;
} wrapper;

static void wrapper_destroy(oy_object* object) {
  oy_object_release(((wrapper*)(void*)object)->inside);
  free(object);
}
static const oy_object_class g_wrapper_class = {"Tensor", wrapper_destroy};

static oy_object* wrap(oy_object* inside) {  // takes the reference
  wrapper* w = calloc(1, sizeof(*w));
  w->object = (oy_object){TEST_KEYS(OY_KEY_TESTING_ONLY_GenericWrapper),
                          &g_wrapper_class,
                          1,
                          OY_DTYPE_F32,
                          0,
                          0};
  w->inside = inside;
  return &w->object;
}

// Unwraps all tensors, calls, wraps the results.
static oy_status wrapper_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                  const oy_kernel* kernel) {
  (void)keys;
  (void)kernel;
  g_count++;
  oy_value* arguments = oy_stack_last(stack, op->argument_count);
  for (size_t i = 0; i < op->argument_count; i++) {
    oy_value* v = &arguments[i];
    if (v->tag != OY_TAG_TENSOR || v->as.object->klass != &g_wrapper_class) continue;
    oy_object* inside = ((wrapper*)(void*)v->as.object)->inside;
    oy_object_retain(inside);
    oy_value_release(v);
    *v = oy_value_tensor(inside);
    v->owned = 1;
  }
  OY_TRY(oy_op_call_boxed(op, stack));
  oy_value* results = oy_stack_last(stack, op->return_count);
  for (size_t i = 0; i < op->return_count; i++) {
    OY_TRY(oy_value_own(&results[i]));
    results[i].as.object = wrap(results[i].as.object);
  }
  return OY_OK;
}

static void CALL_05_fallback_with_wrapper(void** state) {
  (void)state;
  oy_library *fallbacks, *library;
  oy_registry* registry = test_registry_with_fallbacks(&fallbacks);
  test_libraries libraries;
  test_register(registry, "t", g_ops, TEST_COUNT(g_ops), &libraries);
  static const test_step step = {.kind = TEST_FALLBACK,
                                 .key = OY_KEY_TESTING_ONLY_GenericWrapper,
                                 .debug = "wrapper",
                                 .kernel = {.boxed = wrapper_fallback}};
  assert_ok(test_apply_alone(registry, "_", &step, &library));
  g_count = 0;
  oy_object* x = wrap(test_tensor_new(TEST_PLAIN(CPU), 3));
  oy_object* y = test_call_t_t(test_find(registry, "t::batch_norm"), x);
  assert_non_null(y);
  assert_ptr_equal(y->klass, &g_wrapper_class);
  assert_true(test_value(((wrapper*)(void*)y)->inside) == 27);
  assert_int_equal(g_count, 1);
  oy_object_release(y);
  oy_object_release(x);
  assert_int_equal(test_tensors_alive(), 0);
  oy_library_close(library);
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

static void CALL_05_fallthrough_fallback(void** state) {
  (void)state;
  oy_library *fallbacks, *through, *kernel;
  oy_registry* registry = test_registry_with_fallbacks(&fallbacks);
  test_libraries libraries;
  test_register(registry, "t", g_ops, TEST_COUNT(g_ops), &libraries);
  static const test_step off = STEP_FALLBACK_FALLTHROUGH(TESTING_ONLY_GenericMode, "off"),
                         on = {.kind = TEST_IMPL,
                               .text = "mul.Tensor",
                               .key = OY_KEY_TESTING_ONLY_GenericMode,
                               .debug = "on",
                               .kernel = {.boxed = mode_fallback}};
  assert_ok(test_apply_alone(registry, "_", &off, &through));
  assert_ok(test_apply_alone(registry, "t", &on, &kernel));
  g_count = 0;
  check_two_calls(registry, TEST_KEYS(OY_KEY_TESTING_ONLY_GenericMode), 2);  // two muls
  oy_library_close(kernel);
  g_count = 0;
  check_two_calls(registry, TEST_KEYS(OY_KEY_TESTING_ONLY_GenericMode), 0);
  oy_library_close(through);
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

// --------------------------------------------------------------- BackendSelect

static oy_object* select_cpu(const oy_op* op, oy_keyset keys, oy_object* self) {
  test_log_add("select", keys);
  keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_BackendSelect));
  return test_redispatch_t_t(op, oy_keyset_or(keys, TEST_PLAIN(CPU)), self);
}

static void CALL_06_backend_select_redispatches(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  static const test_step steps[] = {
      STEP_DEF("f(Tensor x) -> Tensor"),
      STEP_IMPL("f", CPU, "cpu"),
      STEP_FALLBACK_FALLTHROUGH(ADInplaceOrView, "fb"),
      {.kind = TEST_IMPL,
       .text = "f",
       .key = OY_KEY_BackendSelect,
       .debug = "select",
       .kernel = {.typed = (oy_typed_fn)select_cpu, .signature = "(Tensor) -> Tensor"}}};
  test_libraries libraries;
  test_register(registry, "t", steps, TEST_COUNT(steps), &libraries);
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  test_log_clear();
  assert_ptr_equal(test_call_t_t(test_find(registry, "t::f"), &x.object), &x.object);
  assert_string_equal(test_log(), "select cpu");
  test_close(&libraries);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(CALL_05_fallback_with_mode),
      TEST(CALL_05_fallback_with_wrapper),
      TEST(CALL_05_fallthrough_fallback),
      TEST(CALL_06_backend_select_redispatches),
  };
  return cmocka_run_group_tests_name("backend_fallback", tests, NULL, NULL);
}
