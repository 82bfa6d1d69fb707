// SPDX-License-Identifier: Apache-2.0
// Calling while registering (REG-17): two threads call, typed and boxed; one
// registers and removes kernels, fallbacks, whole libraries and the definitions
// of the operators that are called; one looks up by name and asks. Each call
// gives one of the results that are allowed, no kernel runs after its state is
// gone, nothing is lost at the end. Meant for ThreadSanitizer as well.
//
// OPYARD_TEST_SECONDS says for how long (2 by default).
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "support.h"

enum { ALIVE = 0x5ca1ab1e, DEAD = 0x0ddba11 };

// What a kernel is registered with. A call that sees it dead is a bug.
typedef struct kernel_state {
  int magic;  // atomic
} kernel_state;

static int64_t g_made, g_destroyed;  // atomic
static int64_t g_dead_seen;          // atomic

static kernel_state* state_new(void) {
  kernel_state* s = malloc(sizeof(*s));
  __atomic_store_n(&s->magic, ALIVE, __ATOMIC_RELAXED);
  __atomic_fetch_add(&g_made, 1, __ATOMIC_RELAXED);
  return s;
}

static void state_destroy(void* state) {
  kernel_state* s = state;
  __atomic_store_n(&s->magic, DEAD, __ATOMIC_RELAXED);
  __atomic_fetch_add(&g_destroyed, 1, __ATOMIC_RELAXED);
  free(s);
}

// A typed kernel asks the slot for its state, which another kernel may have taken
// meanwhile: so all kernels here have the same kind of state, and NULL is allowed.
static void look_at(const kernel_state* s) {
  if (s && __atomic_load_n(&s->magic, __ATOMIC_RELAXED) != ALIVE)
    __atomic_fetch_add(&g_dead_seen, 1, __ATOMIC_RELAXED);
}

static oy_object* typed(const oy_op* op, oy_keyset keys, oy_object* self) {
  look_at(oy_kernel_state(op, keys));
  oy_object_retain(self);
  return self;
}

// A layer: does its part and goes on below.
static oy_object* typed_layer(const oy_op* op, oy_keyset keys, oy_object* self) {
  look_at(oy_kernel_state(op, keys));
  oy_key key = oy_keyset_highest(keys);
  keys = oy_keyset_and(keys, oy_keyset_full_after(key));
  return test_redispatch_t_t(op, keys, self);
}

static oy_status boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  (void)op;
  (void)keys;
  (void)stack;  // the argument becomes the result
  look_at(kernel->user_data);
  return OY_OK;
}

// -------------------------------------------------------------------- callers

typedef struct shared {
  oy_registry* registry;
  const oy_op *f, *steady, *fleeting, *shifting;
  int stop;             // atomic
  int64_t calls, good;  // atomic
  int64_t wrong;        // atomic
} shared;

static bool stopped(shared* s) {
  return __atomic_load_n(&s->stop, __ATOMIC_RELAXED) != 0;
}

static void wrong(shared* s, const char* what) {
  if (__atomic_fetch_add(&s->wrong, 1, __ATOMIC_RELAXED) < 5)
    fprintf(stderr, "%s: %s\n", what, oy_error_get()->message);
}

// An error is allowed where the operator, or its kernel, may be away.
static bool allowed_error(void) {
  oy_status code = oy_error_get()->code;
  return code == OY_NOT_IMPLEMENTED || code == OY_NOT_FOUND ||
         code == OY_FAILED_PRECONDITION;
}

static oy_status call_boxed(const oy_op* op, oy_object* x, oy_object** out) {
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  (void)oy_stack_push(&stack, oy_value_tensor(x));
  oy_status status = oy_op_call_boxed(op, &stack);
  *out = status == OY_OK && stack.size == 1 ? stack.data[0].as.object : NULL;
  if (*out && stack.data[0].owned) oy_object_release(*out);  // still the caller's
  if (stack.size == 1) stack.data[0].owned = 0;
  oy_stack_reset(&stack);
  return status;
}

static void one_call(shared* s, const oy_op* op, oy_object* x, bool boxed_call,
                     bool must_work) {
  oy_object* result = NULL;
  oy_status status = OY_OK;
  oy_error_clear();
  if (boxed_call) {
    status = call_boxed(op, x, &result);
  } else {
    result = test_call_t_t(op, x);
    if (result)
      oy_object_release(result);
    else
      status = oy_error_get()->code;
  }
  __atomic_fetch_add(&s->calls, 1, __ATOMIC_RELAXED);
  if (status == OY_OK) {
    if (result != x) wrong(s, "a result that is none");
    __atomic_fetch_add(&s->good, 1, __ATOMIC_RELAXED);
  } else if (must_work || !allowed_error()) {
    wrong(s, must_work ? "a call that must work failed" : "an error of another kind");
  }
}

// An operator whose definition comes back with another number of arguments, and
// which has no kernel: a boxed call of it fails cleanly, or a fallback takes it.
static void call_shifting(shared* s, oy_object* x) {
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  for (int i = 0; i < 3; i++) (void)oy_stack_push(&stack, oy_value_tensor(x));
  oy_error_clear();
  if (oy_op_call_boxed(s->shifting, &stack) != OY_OK && !allowed_error())
    wrong(s, "a call that must fail cleanly");
  oy_stack_reset(&stack);
}

static void* caller(void* user_data) {
  shared* s = user_data;
  oy_object *plain = test_tensor_new(TEST_PLAIN(CPU), 1),
            *grad = test_tensor_new(TEST_GRAD(CPU), 2);
  for (unsigned i = 0; !stopped(s); i++) {
    oy_object* x = i & 1 ? plain : grad;
    one_call(s, s->f, x, i & 2, false);
    one_call(s, s->steady, x, i & 4, true);
    one_call(s, s->fleeting, x, i & 8, false);
    if (i % 8 == 0) call_shifting(s, x);
  }
  if (plain->references != 1 || grad->references != 1) wrong(s, "references are lost");
  oy_object_release(plain);
  oy_object_release(grad);
  return NULL;
}

// --------------------------------------------------------------------- writer

static test_step with_state(test_step step, bool layer) {
  if (step.kind != TEST_FALLBACK && step.kernel.typed)
    step.kernel.typed = (oy_typed_fn)(layer ? typed_layer : typed);
  if (step.kernel.boxed) step.kernel.boxed = boxed;
  if (step.kernel.typed || step.kernel.boxed) {
    step.kernel.state = state_new();
    step.kernel.destroy_state = state_destroy;
  }
  return step;
}

// What comes and goes, all of it in any order.
static const test_step g_changes[] = {
    STEP_IMPL("f", CPU, "cpu"),
    STEP_BOXED("f", CPU, "cpu boxed"),
    STEP_IMPL("f", AutogradCPU, "autograd"),
    STEP_FALLTHROUGH("f", AutogradCPU, "through"),
    STEP_IMPL("f", Autograd, "alias"),
    STEP_DEF("f(Tensor x) -> Tensor"),
    STEP_DEF("fleeting(Tensor x) -> Tensor"),
    STEP_BOXED("fleeting", CompositeImplicitAutograd, "math"),
    STEP_IMPL("fleeting", CompositeExplicitAutograd, "default"),
    STEP_FALLBACK(CPU, "cpu fallback"),
    STEP_FALLBACK_FALLTHROUGH(AutogradCPU, "autograd fallback"),
    STEP_IMPL("steady", CPU, "steady cpu"),
    STEP_BOXED("steady", CPU, "steady cpu boxed"),
    STEP_IMPL("steady", AutogradCPU, "steady autograd"),
    STEP_IMPL("another", CPU, "of no use"),
    STEP_DEF("shifting(Tensor x) -> Tensor"),
    STEP_DEF("shifting(Tensor x, Tensor[] y, Tensor z) -> ()"),
    STEP_DEF("shifting() -> (Tensor, Tensor)"),
};

static unsigned next_random(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

// A whole library that holds many of them, sometimes with a dtype variant.
static oy_library* whole_library(shared* s, unsigned* seed) {
  oy_library* library = NULL;
  oy_library_params params = {s->registry, OY_LIBRARY_FRAGMENT, "test", 0, "whole.c", 1};
  if (oy_library_create(&params, &library) != OY_OK) return NULL;
  for (size_t i = 0; i < TEST_COUNT(g_changes); i++) {
    if (g_changes[i].kind == TEST_FALLBACK || next_random(seed) % 3) continue;
    test_step step = with_state(g_changes[i], i == 2 || i == 4 || i == 13);
    if (step.kind == TEST_IMPL && next_random(seed) % 2)
      step.kernel.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F32);
    if (test_apply(library, &step, NULL) != OY_OK && step.kernel.destroy_state)
      state_destroy(step.kernel.state);  // it stayed ours
  }
  return library;
}

// New names make the map of names grow while others look through it.
static void one_more_name(shared* s, unsigned number) {
  char schema[64];
  snprintf(schema, sizeof(schema), "name%u(Tensor x) -> Tensor", number % 2000);
  oy_library* library = NULL;
  oy_library_params params = {s->registry, OY_LIBRARY_FRAGMENT, "test", 0, "name.c", 1};
  oy_def_params def = {.schema = schema};
  if (oy_library_create(&params, &library) != OY_OK ||
      oy_library_def(library, &def, NULL) != OY_OK)
    wrong(s, "no new name");
  oy_library_close(library);
}

static void* writer(void* user_data) {
  shared* s = user_data;
  oy_library *library[TEST_COUNT(g_changes)] = {NULL}, *whole = NULL;
  unsigned seed = 12345, names = 0;
  while (!stopped(s)) {
    one_more_name(s, names++);
    size_t i = next_random(&seed) % (TEST_COUNT(g_changes) + 1);
    if (i == TEST_COUNT(g_changes)) {
      oy_library_close(whole);
      whole = next_random(&seed) % 2 ? whole_library(s, &seed) : NULL;
    } else if (library[i]) {
      oy_library_close(library[i]);
      library[i] = NULL;
    } else {
      test_step step = with_state(g_changes[i], i == 2 || i == 4 || i == 13);
      bool fallback = step.kind == TEST_FALLBACK;
      oy_library_params params = {s->registry,
                                  fallback ? OY_LIBRARY_IMPL : OY_LIBRARY_FRAGMENT,
                                  fallback ? "_" : "test",
                                  0,
                                  "one.c",
                                  1};
      if (oy_library_create(&params, &library[i]) != OY_OK) wrong(s, "no library");
      if (test_apply(library[i], &step, NULL) != OY_OK) {
        // A second definition, while the whole library has one.
        if (oy_error_get()->code != OY_ALREADY_EXISTS) wrong(s, "not registered");
        if (step.kernel.destroy_state) state_destroy(step.kernel.state);
      }
    }
  }
  oy_library_close(whole);
  for (size_t i = 0; i < TEST_COUNT(library); i++) oy_library_close(library[i]);
  return NULL;
}

// --------------------------------------------------------------------- finder

static void* finder(void* user_data) {
  shared* s = user_data;
  for (unsigned i = 0; !stopped(s); i++) {
    const oy_op* op = NULL;
    if (oy_op_find(s->registry, oy_str_of("test::steady"), &op) != OY_OK ||
        op != s->steady)
      wrong(s, "test::steady was not found");
    if (oy_op_find(s->registry, oy_str_of("test::f"), &op) == OY_OK && op != s->f)
      wrong(s, "test::f has two addresses");
    if (oy_op_lookup(s->registry, oy_str_of("test::nowhere"))) wrong(s, "found nothing");
    if (i % 16 == 0) {
      char *state = NULL, *table = NULL;
      if (oy_op_dump_state(s->f, &state) != OY_OK ||
          oy_op_dump_table(s->f, &table) != OY_OK ||
          oy_registry_check_invariants(s->registry) != OY_OK)
        wrong(s, "asking failed");
      oy_text_free(state);
      oy_text_free(table);
      oy_registry_collect(s->registry);
    }
  }
  return NULL;
}

// ------------------------------------------------------------------------ test

static void run_for(double seconds, int64_t* out_calls) {
  static const test_step lasting[] = {
      STEP_DEF("steady(Tensor x) -> Tensor"),
      STEP_IMPL("steady", CompositeExplicitAutograd, "steady"),
      STEP_DEF("f(Tensor x) -> Tensor"), STEP_DEF("fleeting(Tensor x) -> Tensor"),
      STEP_DEF("shifting(Tensor x) -> Tensor")};
  shared s = {0};
  oy_library *fallbacks = NULL, *first[3];
  test_libraries libraries;
  s.registry = test_registry();
  assert_ok(oy_registry_add_default_fallbacks(s.registry, &fallbacks));
  const test_step steady[] = {lasting[0], with_state(lasting[1], false)};
  test_register(s.registry, "test", steady, 2, &libraries);
  // Handles of operators that are away when the threads begin.
  for (int i = 0; i < 3; i++)
    assert_ok(test_apply_alone(s.registry, "test", &lasting[2 + i], &first[i]));
  s.steady = test_find(s.registry, "test::steady");
  s.f = test_find(s.registry, "test::f");
  s.fleeting = test_find(s.registry, "test::fleeting");
  s.shifting = test_find(s.registry, "test::shifting");
  for (int i = 0; i < 3; i++) oy_library_close(first[i]);
  // steady must work with a gradient, too: a kernel for it, not a fallback.
  test_step through = STEP_FALLTHROUGH("steady", Autograd, "through");
  oy_library* steady_through;
  assert_ok(test_apply_alone(s.registry, "test", &through, &steady_through));

  pthread_t threads[4];
  void* (*const bodies[])(void*) = {caller, caller, writer, finder};
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, bodies[i], &s), 0);
  struct timespec pause = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
  nanosleep(&pause, NULL);
  __atomic_store_n(&s.stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);

  oy_registry_collect(s.registry);
  assert_int_equal(s.wrong, 0);
  assert_int_equal(g_dead_seen, 0);
  assert_int_equal(g_made, g_destroyed + 1);  // all but that of steady
  assert_int_equal(oy_registry_op_count(s.registry), 1);
  assert_ok(oy_registry_check_invariants(s.registry));
  oy_library_close(steady_through);
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(s.registry);
  assert_int_equal(g_made, g_destroyed);  // none is lost, none went twice
  assert_int_equal(test_tensors_alive(), 0);
  assert_true(s.good > 0);
  *out_calls = s.calls;
}

// Backends come into use while others call: every table grows under them.
static void REG_17_backends_while_calling(void** state) {
  (void)state;
  static const test_step steps[] = {
      STEP_DEF("steady(Tensor x) -> Tensor"),
      STEP_IMPL("steady", CompositeExplicitAutograd, "default"),
      STEP_IMPL("steady", CPU, "cpu"),
      STEP_FALLTHROUGH("steady", Autograd, "through"),
      STEP_DEF("f(Tensor x) -> Tensor"),
      STEP_DEF("fleeting(Tensor x) -> Tensor"),
      STEP_DEF("shifting(Tensor x) -> Tensor")};
  shared s = {0};
  test_step own[TEST_COUNT(steps)];
  for (size_t i = 0; i < TEST_COUNT(steps); i++) own[i] = with_state(steps[i], false);
  oy_library* fallbacks = NULL;
  test_libraries libraries;
  s.registry = test_registry();
  assert_ok(oy_registry_add_default_fallbacks(s.registry, &fallbacks));
  test_register(s.registry, "test", own, TEST_COUNT(own), &libraries);
  s.steady = test_find(s.registry, "test::steady");
  s.f = test_find(s.registry, "test::f");
  s.fleeting = test_find(s.registry, "test::fleeting");
  s.shifting = test_find(s.registry, "test::shifting");
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, caller, &s), 0);
  for (int i = 0; i < 25; i++) {
    char name[32];
    oy_backend backend;
    snprintf(name, sizeof(name), "Grown%d", i);
    assert_ok(oy_backend_register(oy_str_of(name), &backend));
    oy_keyset keys = oy_keyset_of((oy_key)OY_KEY_OF(OY_KEY_Dense, backend));
    oy_object* x = test_tensor_new(keys, 1);
    one_call(&s, s.steady, x, i & 1, true);
    oy_object_release(x);
    struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
  }
  __atomic_store_n(&s.stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert_int_equal(s.wrong, 0);
  assert_int_equal(g_dead_seen, 0);
  assert_ok(oy_registry_check_invariants(s.registry));
  test_close(&libraries);
  oy_library_close(fallbacks);
  oy_registry_destroy(s.registry);
  assert_int_equal(g_made, g_destroyed);
}

static void REG_17_calls_and_registrations_at_once(void** state) {
  (void)state;
  static test_heap heap;
  const char* text = getenv("OPYARD_TEST_SECONDS");
  double seconds = text ? atof(text) : 2;
  int64_t calls = 0;
  test_heap_install(&heap);
  run_for(0.02, &calls);  // what is made once, is made
  int64_t bytes = heap.bytes, blocks = heap.blocks;
  run_for(seconds, &calls);
  assert_int_equal(heap.bytes, bytes);
  assert_int_equal(heap.blocks, blocks);
  test_heap_remove(&heap);
  print_message("%lld calls, %lld kernels came and went\n", (long long)calls,
                (long long)g_made);
  assert_true(g_made > 0 && calls > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(REG_17_calls_and_registrations_at_once),
                                     TEST(REG_17_backends_while_calling)};
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
