// SPDX-License-Identifier: Apache-2.0
// Calls inside calls: errors on their way up, recursion, registering and closing
// from a kernel, and when the state of a kernel goes (reference, sections 5.3,
// 5.5; rows CALL-11, CALL-12, BOX-09).
#include <stdio.h>

#include "support.h"

static int g_destroyed;
static void destroy_state(void* state) {
  (void)state;
  g_destroyed++;
}

static oy_registry* make(const test_step* steps, size_t count, test_libraries* libraries,
                         oy_library** fallbacks) {
  oy_registry* registry = test_registry_with_fallbacks(fallbacks);
  test_register(registry, "test", steps, count, libraries);
  return registry;
}

#define TYPED(key_name, fn, state_ptr)                                          \
  {                                                                             \
    .kind = TEST_IMPL, .text = "f", .key = OY_KEY_##key_name, .debug = "typed", \
    .kernel = {                                                                 \
      .typed = (oy_typed_fn)(fn),                                               \
      .signature = "(Tensor) -> Tensor",                                        \
      .state = (state_ptr)                                                      \
    }                                                                           \
  }

// ---------------------------------------------------------------- errors go up

static oy_object* fails(const oy_op* op, oy_keyset keys, oy_object* self) {
  (void)op;
  (void)keys;
  (void)self;
  (void)OY_FAIL(OUT_OF_RANGE, "index 7 is out of range");
  oy_error_note("while testing");
  return NULL;
}

static oy_status fails_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                             const oy_kernel* kernel) {
  (void)op;
  (void)keys;
  (void)kernel;
  (void)stack;  // leaves its argument, as a careless kernel would
  return OY_FAIL(OUT_OF_RANGE, "index 7 is out of range");
}

// Guards are ended on the way out of a failed call.
static oy_object* guarded(const oy_op* op, oy_keyset keys, oy_object* self) {
  oy_guard guard = oy_guard_below_autograd();
  (void)keys;
  oy_object* result = test_call_t_t(op, self);
  oy_guard_end(&guard);
  return result;
}

static oy_status guarded_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                               const oy_kernel* kernel) {
  (void)keys;
  (void)kernel;
  oy_guard guard = oy_guard_below_autograd();
  oy_status status = oy_op_call_boxed(op, stack);
  oy_guard_end(&guard);
  return status;
}

static void CALL_11_errors_propagate(void** state) {
  (void)state;
  const test_step typed_out = TYPED(Autograd, guarded, NULL),
                  typed_in = TYPED(CPU, fails, NULL);
  const test_step boxed_out = {
      TEST_IMPL, "f", OY_KEY_Autograd, "boxed", {.boxed = guarded_boxed}, 0, 0, 0,
      NULL,      0};
  const test_step boxed_in = {TEST_IMPL, "f", OY_KEY_CPU, "boxed", {.boxed = fails_boxed},
                              0,         0,   0,          NULL,    0};
  for (int mix = 0; mix < 8; mix++) {
    const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                               mix & 1 ? boxed_out : typed_out,
                               mix & 2 ? boxed_in : typed_in};
    test_libraries libraries;
    oy_library* fallbacks;
    oy_registry* registry = make(steps, 3, &libraries, &fallbacks);
    const oy_op* op = test_find(registry, "test::f");
    oy_object* x = test_tensor_new(TEST_GRAD(CPU), 1);
    oy_keyset included = oy_included_get(), excluded = oy_excluded_get();
    uint64_t active = oy_call_enter();
    oy_call_leave(active);
    if (mix & 4)
      assert_int_equal(test_call_boxed(op, x), OY_OUT_OF_RANGE);
    else
      assert_null(test_call_t_t(op, x));
    assert_int_equal(oy_error_get()->code, OY_OUT_OF_RANGE);
    assert_string_equal(oy_error_get()->message, "index 7 is out of range");
    if (!(mix & 2)) assert_contains(oy_error_get()->notes, "while testing");
    assert_true(oy_keyset_equal(included, oy_included_get()));
    assert_true(oy_keyset_equal(excluded, oy_excluded_get()));
    assert_int_equal(oy_call_enter(), active);  // the thread is outside calls again
    oy_call_leave(active);
    assert_int_equal(x->references, 1);
    oy_object_release(x);
    test_close(&libraries);
    oy_library_close(fallbacks);
    oy_registry_destroy(registry);
  }
  assert_int_equal(test_tensors_alive(), 0);
}

// An operator given NULL returns NULL and leaves the first error in place.
static void CALL_11_null_argument(void** state) {
  (void)state;
  const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"), TYPED(CPU, fails, NULL)};
  test_libraries libraries;
  oy_library* fallbacks;
  oy_registry* registry = make(steps, 2, &libraries, &fallbacks);
  const oy_op* op = test_find(registry, "test::f");
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  assert_null(test_call_t_t(op, test_call_t_t(op, &x.object)));
  assert_string_equal(oy_error_get()->message, "index 7 is out of range");
  oy_error_clear();
  assert_null(test_call_t_t(op, NULL));
  assert_int_equal(oy_error_get()->code, OY_INVALID_ARGUMENT);
  assert_contains(test_message(), "self");
  assert_string_equal(oy_error_get()->argument, "self");
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

// ------------------------------------------------------------------- recursion

static int g_depth;

static oy_object* recurse(const oy_op* op, oy_keyset keys, oy_object* self) {
  (void)keys;
  if (g_depth == 0) {
    oy_object_retain(self);
    return self;
  }
  g_depth--;
  if (g_depth % 2) return test_call_t_t(op, self);
  return test_call_boxed(op, self) == OY_OK ? (oy_object_retain(self), self) : NULL;
}

static void CALL_12_recursion(void** state) {
  (void)state;
  const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"),
                             TYPED(CPU, recurse, NULL)};
  test_libraries libraries;
  oy_library* fallbacks;
  oy_registry* registry = make(steps, 2, &libraries, &fallbacks);
  const oy_op* op = test_find(registry, "test::f");
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  g_depth = 100;
  assert_ptr_equal(test_call_t_t(op, &x.object), &x.object);
  assert_int_equal(g_depth, 0);
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

// No lock is held during a call: a kernel may register, ask, and take back.
static oy_object* busy(const oy_op* op, oy_keyset keys, oy_object* self) {
  (void)keys;
  oy_registry* registry = oy_op_registry(op);
  static const test_step more[] = {STEP_DEF("g(Tensor x) -> Tensor"),
                                   STEP_IMPL("g", CPU, "g"),
                                   STEP_FALLBACK(Tracer, "tracer")};
  test_libraries libraries;
  test_register(registry, "test", more, TEST_COUNT(more), &libraries);
  oy_object* result = test_call_t_t(test_find(registry, "test::g"), self);
  if (oy_registry_check_invariants(registry) != OY_OK || !*test_state(op)) result = NULL;
  oy_registry_collect(registry);
  test_close(&libraries);
  return result;
}

static void CALL_12_register_inside_a_call(void** state) {
  (void)state;
  const test_step steps[] = {STEP_DEF("f(Tensor x) -> Tensor"), TYPED(CPU, busy, NULL)};
  test_libraries libraries;
  oy_library* fallbacks;
  oy_registry* registry = make(steps, 2, &libraries, &fallbacks);
  const oy_op* op = test_find(registry, "test::f");
  test_tensor x = test_tensor_of(TEST_PLAIN(CPU));
  test_log_clear();
  assert_ptr_equal(test_call_t_t(op, &x.object), &x.object);
  assert_string_equal(test_log(), "g");
  assert_int_equal(oy_registry_op_count(registry), 1);
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(registry);
}

// ------------------------------------------------------- closing what is running

typedef struct suicide {
  oy_library* library;
  int destroyed_inside;
} suicide;

// Closes the library that it belongs to, and goes on using its state.
static oy_object* close_myself(const oy_op* op, oy_keyset keys, oy_object* self) {
  suicide* me = oy_kernel_state(op, keys);
  oy_library_close(me->library);
  oy_registry_collect(oy_op_registry(op));
  me->destroyed_inside = g_destroyed;
  oy_object_retain(self);
  return self;
}

static oy_status close_myself_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                    const oy_kernel* kernel) {
  (void)keys;
  suicide* me = kernel->user_data;
  oy_library_close(me->library);
  oy_registry_collect(oy_op_registry(op));
  me->destroyed_inside = g_destroyed + (kernel->user_data != me);
  (void)stack;  // the argument becomes the result
  return OY_OK;
}

// The state is destroyed when the last call that can see it has left.
static void CALL_12_BOX_09_close_inside_a_call(void** state) {
  (void)state;
  for (int mix = 0; mix < 4; mix++) {
    suicide me = {NULL, -1};
    test_step step = TYPED(CPU, close_myself, &me);
    if (mix & 1)
      step.kernel = (oy_kernel_params){.boxed = close_myself_boxed, .state = &me};
    step.kernel.destroy_state = destroy_state;
    static const test_step def = STEP_DEF("f(Tensor x) -> Tensor");
    test_libraries libraries;
    oy_library* fallbacks;
    oy_registry* registry = make(&def, 1, &libraries, &fallbacks);
    const oy_op* op = test_find(registry, "test::f");
    assert_ok(test_apply_alone(registry, "test", &step, &me.library));
    oy_object* x = test_tensor_new(TEST_PLAIN(CPU), 1);
    g_destroyed = 0;
    if (mix & 2) {
      assert_ok(test_call_boxed(op, x));
    } else {
      assert_ptr_equal(test_call_t_t(op, x), x);
      oy_object_release(x);
    }
    assert_int_equal(me.destroyed_inside, 0);
    oy_registry_collect(registry);
    assert_int_equal(g_destroyed, 1);
    assert_string_equal(test_cell(op, OY_KEY_CPU), "");
    assert_int_equal(x->references, 1);
    oy_object_release(x);
    test_close(&libraries);
    oy_library_close(fallbacks);
    oy_registry_destroy(registry);
    assert_int_equal(g_destroyed, 1);
  }
}

// State is one per registration, kept between calls, destroyed once: at once if
// no call can see it; also when the registration fails? No: then it stays the
// caller's.
static void BOX_09_state_per_registration(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_step step = STEP_BOXED("f", CPU, "k");
  step.kernel.destroy_state = destroy_state;
  test_step wrong = STEP_IMPL("f", CUDA, "k");
  wrong.kernel.signature = "(Tensor, Tensor) -> Tensor";
  wrong.kernel.destroy_state = destroy_state;
  static const test_step def = STEP_DEF("f(Tensor x) -> Tensor");
  oy_library *definition, *one, *two, *none;
  g_destroyed = 0;
  assert_ok(test_apply_alone(registry, "test", &def, &definition));
  assert_int_not_equal(test_apply_alone(registry, "test", &wrong, &none), OY_OK);
  assert_int_equal(g_destroyed, 0);
  assert_ok(test_apply_alone(registry, "test", &step, &one));
  assert_ok(test_apply_alone(registry, "test", &step, &two));
  oy_library_close(one);
  assert_int_equal(g_destroyed, 1);
  oy_library_close(two);
  assert_int_equal(g_destroyed, 2);
  oy_library_close(definition);
  test_step fallback = STEP_FALLBACK(Autograd, "alias");
  fallback.kernel.destroy_state = destroy_state;
  assert_ok(test_apply_alone(registry, "_", &fallback, &one));
  oy_library_close(one);
  assert_int_equal(g_destroyed, 3);  // once, though it stood at many keys
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(CALL_11_errors_propagate),
      TEST(CALL_11_null_argument),
      TEST(CALL_12_recursion),
      TEST(CALL_12_register_inside_a_call),
      TEST(CALL_12_BOX_09_close_inside_a_call),
      TEST(BOX_09_state_per_registration),
  };
  return cmocka_run_group_tests_name("call_nested", tests, NULL, NULL);
}
