// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <stdio.h>

#include "opyard/state.h"

int test_setup(void** state) {
  (void)state;
  oy_dispatch_state_set((oy_dispatch_state){{0, 0}, {0, 0}});
  oy_error_clear();
  test_log_clear();
  return 0;
}

// ------------------------------------------------------------------- tensors

static int g_alive;

static void tensor_destroy(oy_object* object) {
  __atomic_fetch_sub(&g_alive, 1, __ATOMIC_RELAXED);
  free(object);
}

static const oy_object_class g_tensor_class = {"Tensor", tensor_destroy};

oy_object* test_tensor_new(oy_keyset keys, double value) {
  test_tensor* tensor = calloc(1, sizeof(*tensor));
  assert_non_null(tensor);
  tensor->object = (oy_object){keys, &g_tensor_class, 1, OY_DTYPE_F32, 0, 0};
  tensor->value = value;
  __atomic_fetch_add(&g_alive, 1, __ATOMIC_RELAXED);
  return &tensor->object;
}

int test_tensors_alive(void) {
  return __atomic_load_n(&g_alive, __ATOMIC_RELAXED);
}

test_tensor test_tensor_of(oy_keyset keys) {
  test_tensor tensor = {{keys, &g_tensor_class, 1, OY_DTYPE_F32, OY_OBJECT_STATIC, 0}, 0};
  return tensor;
}

double test_value(const oy_object* tensor) {
  return ((const test_tensor*)(const void*)tensor)->value;
}

oy_keyset test_keyset(const oy_key* keys, size_t count) {
  oy_keyset set = oy_keyset_empty();
  for (size_t i = 0; i < count; i++) set = oy_keyset_or(set, oy_keyset_of(keys[i]));
  return set;
}

// -------------------------------------------------------------- registering

oy_registry* test_registry(void) {
  oy_registry* registry = NULL;
  assert_ok(oy_registry_create(&registry));
  assert_non_null(registry);
  return registry;
}

oy_registry* test_registry_with_fallbacks(oy_library** out_fallbacks) {
  static const test_step fb[] = {
      STEP_FALLBACK_FALLTHROUGH(BackendSelect, "fb"),
      STEP_FALLBACK_FALLTHROUGH(ADInplaceOrView, "fb"),
      STEP_FALLBACK_FALLTHROUGH(AutogradOther, "fb"),
      STEP_FALLBACK_FALLTHROUGH(AutogradCPU, "fb"),
      STEP_FALLBACK_FALLTHROUGH(AutogradCUDA, "fb"),
      STEP_FALLBACK_FALLTHROUGH(AutogradXLA, "fb"),
      STEP_FALLBACK_FALLTHROUGH(AutogradLazy, "fb"),
      STEP_FALLBACK_FALLTHROUGH(AutogradMeta, "fb"),
  };
  oy_registry* registry = test_registry();
  *out_fallbacks = test_library(registry, OY_LIBRARY_IMPL, "_", OY_KEY_Undefined);
  for (size_t i = 0; i < TEST_COUNT(fb); i++)
    assert_ok(test_apply(*out_fallbacks, &fb[i], NULL));
  return registry;
}

oy_library* test_library(oy_registry* registry, oy_library_kind kind, const char* ns,
                         oy_key key) {
  oy_library* library = NULL;
  assert_ok(oy_library_create(&(oy_library_params){registry, kind, ns, key, "lib.c", 7},
                              &library));
  assert_non_null(library);
  return library;
}

oy_status test_apply(oy_library* library, const test_step* step,
                     oy_registration** out_registration) {
  oy_place place = {"step.c", 1, step->debug};
  if (step->kind == TEST_FALLBACK)
    return oy_library_fallback(library, step->key, &step->kernel, place,
                               out_registration);
  if (step->kind == TEST_IMPL)
    return oy_library_impl(library,
                           &(oy_impl_params){step->text, step->key, step->kernel,
                                             step->allow_override, place},
                           out_registration);
  oy_def_params def = {.schema = step->text,
                       .alias_kind = step->alias_kind,
                       .has_alias_kind = step->has_alias_kind,
                       .tags = step->tags,
                       .kernel = step->has_kernel ? &step->kernel : NULL,
                       .key = step->key,
                       .place = place};
  return oy_library_def(library, &def, out_registration);
}

oy_status test_apply_alone(oy_registry* registry, const char* ns, const test_step* step,
                           oy_library** out_library) {
  bool fallback = step->kind == TEST_FALLBACK;
  *out_library = test_library(registry, fallback ? OY_LIBRARY_IMPL : OY_LIBRARY_FRAGMENT,
                              fallback ? "_" : ns, OY_KEY_Undefined);
  oy_status status = test_apply(*out_library, step, NULL);
  if (status != OY_OK) {
    oy_library_close(*out_library);
    *out_library = NULL;
  }
  return status;
}

void test_register(oy_registry* registry, const char* ns, const test_step* steps,
                   size_t count, test_libraries* out_libraries) {
  assert_true(count <= TEST_COUNT(out_libraries->library));
  out_libraries->count = count;
  for (size_t i = 0; i < count; i++)
    assert_ok(test_apply_alone(registry, ns, &steps[i], &out_libraries->library[i]));
}

void test_close(test_libraries* libraries) {
  while (libraries->count > 0) oy_library_close(libraries->library[--libraries->count]);
}

// ------------------------------------------------------------------- kernels

enum { LOG_MAX = 64 };
static __thread struct {
  const char* name;
  oy_keyset keys;
} t_log[LOG_MAX];
static __thread size_t t_log_count;
static __thread char t_log_text[1024];

void test_log_add(const char* name, oy_keyset keys) {
  if (t_log_count == LOG_MAX) return;
  t_log[t_log_count].name = name ? name : "?";
  t_log[t_log_count++].keys = keys;
}

void test_log_clear(void) {
  t_log_count = 0;
}

const char* test_log(void) {
  size_t at = 0;
  t_log_text[0] = '\0';
  for (size_t i = 0; i < t_log_count && at < sizeof(t_log_text); i++)
    at += (size_t)snprintf(t_log_text + at, sizeof(t_log_text) - at, "%s%s", i ? " " : "",
                           t_log[i].name);
  return t_log_text;
}

size_t test_log_count(void) {
  return t_log_count;
}

oy_keyset test_log_keys(size_t i) {
  assert_true(i < t_log_count);
  return t_log[i].keys;
}

oy_object* test_kernel_t_t(const oy_op* op, oy_keyset keys, oy_object* self) {
  test_log_add(oy_kernel_state(op, keys), keys);
  oy_object_retain(self);
  return self;
}

// A traced call's mark stays in the set, and is no level of its own.
static oy_keyset below(oy_keyset keys) {
  oy_key highest = oy_keyset_highest(oy_keyset_unmarked(keys));
  return oy_keyset_and(keys, oy_keyset_full_after(highest));
}

oy_object* test_kernel_t_t_next(const oy_op* op, oy_keyset keys, oy_object* self) {
  test_log_add(oy_kernel_state(op, keys), keys);
  return test_redispatch_t_t(op, below(keys), self);
}

oy_status test_kernel_void(const oy_op* op, oy_keyset keys) {
  test_log_add(oy_kernel_state(op, keys), keys);
  return OY_OK;
}

oy_status test_kernel_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  test_log_add(kernel->user_data, keys);
  size_t arguments = op->argument_count, results = op->return_count;
  oy_value out[4];
  if (results > arguments || results > TEST_COUNT(out))
    return OY_FAIL(INTERNAL, "the test kernel cannot make %zu results", results);
  for (size_t i = 0; i < results; i++) {
    out[i] = oy_none();
    oy_status status = oy_value_copy(oy_stack_last(stack, arguments)[i], &out[i]);
    if (status != OY_OK) {
      while (i-- > 0) oy_value_release(&out[i]);
      return status;
    }
  }
  oy_stack_drop(stack, arguments);
  for (size_t i = 0; i < results; i++) {
    oy_status status = oy_stack_push(stack, out[i]);
    if (status == OY_OK) continue;
    while (++i < results) oy_value_release(&out[i]);
    return status;
  }
  return OY_OK;
}

oy_status test_kernel_boxed_next(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                 const oy_kernel* kernel) {
  test_log_add(kernel->user_data, keys);
  return oy_op_redispatch_boxed(op, below(keys), stack);
}

// --------------------------------------------------------------------- calls

typedef oy_object* (*fn_t_t)(const oy_op*, oy_keyset, oy_object*);
typedef oy_object* (*fn_tt_t)(const oy_op*, oy_keyset, oy_object*, oy_object*);
typedef oy_status (*fn_void)(const oy_op*, oy_keyset);

oy_object* test_call_t_t(const oy_op* op, oy_object* self) {
  if (!self) {
    (void)oy_call_null_argument(op, "self");
    return NULL;
  }
  uint64_t before = oy_call_enter();
  oy_keyset keys = self->keys;
  const oy_kernel* kernel = oy_select_call(op, &keys);
  return oy_call_result(before, ((fn_t_t)kernel->typed)(op, keys, self));
}

oy_object* test_call_tt_t(const oy_op* op, oy_object* a, oy_object* b) {
  uint64_t before = oy_call_enter();
  oy_keyset keys = oy_keyset_or(a->keys, b->keys);
  const oy_kernel* kernel = oy_select_call(op, &keys);
  return oy_call_result(before, ((fn_tt_t)kernel->typed)(op, keys, a, b));
}

oy_status test_call_void(const oy_op* op) {
  uint64_t before = oy_call_enter();
  oy_keyset keys = oy_keyset_empty();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  oy_status status = ((fn_void)kernel->typed)(op, keys);
  oy_call_leave(before);
  return status;
}

oy_object* test_redispatch_t_t(const oy_op* op, oy_keyset keys, oy_object* self) {
  uint64_t before = oy_call_enter();
  const oy_kernel* kernel = oy_select_exact(op, keys);
  return oy_call_result(before, ((fn_t_t)kernel->typed)(op, keys, self));
}

static oy_status boxed(const oy_op* op, const oy_keyset* keys, oy_object* self) {
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, TEST_COUNT(storage));
  assert_ok(oy_stack_push(&stack, oy_value_tensor(self)));
  oy_status status =
      keys ? oy_op_redispatch_boxed(op, *keys, &stack) : oy_op_call_boxed(op, &stack);
  if (status == OY_OK)
    assert_int_equal(stack.size, op->return_count);
  else
    assert_int_equal(stack.size, 0);  // the arguments are gone, no results
  oy_stack_reset(&stack);
  return status;
}

oy_status test_call_boxed(const oy_op* op, oy_object* self) {
  return boxed(op, NULL, self);
}

oy_status test_redispatch_boxed(const oy_op* op, oy_keyset keys, oy_object* self) {
  return boxed(op, &keys, self);
}

const oy_op* test_find(oy_registry* registry, const char* name) {
  const oy_op* op = NULL;
  assert_ok(oy_op_find(registry, oy_str_of(name), &op));
  assert_non_null(op);
  return op;
}
