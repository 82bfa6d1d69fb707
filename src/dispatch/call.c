// SPDX-License-Identifier: Apache-2.0
// Boxed calls, and the boxed entries that stand for special records: a typed
// kernel, a fallthrough, a backend that is not in use yet.
#include "dispatch/call.h"

#include "dispatch/table.h"
#include "dispatch/thunks.h"

// Which arguments give keys; |n| bounds what a definition that changes meanwhile says.
static inline uint64_t key_arguments(const oy_op* op, size_t n) {
  uint64_t m = __atomic_load_n(&op->dispatch_arguments, __ATOMIC_RELAXED);
  return OY_LIKELY(n < 64) ? m & ~(~0ull << n) : m;
}

// Keys of boxed arguments. Generators count too; PyTorch forgets them here.
static oy_keyset keys_of(const oy_op* op, const oy_value* v, size_t n) {
  oy_keyset keys = {0, 0};
  for (uint64_t m = key_arguments(op, n); m; m >>= 1, v++) {
    if (!(m & 1)) continue;
    if (v->tag == OY_TAG_TENSOR || v->tag == OY_TAG_GENERATOR) {
      keys = oy_keyset_or(keys, v->as.object->keys);
    } else if (v->tag == OY_TAG_TENSOR_LIST) {
      for (size_t i = 0; i < v->count; i++)
        keys = oy_keyset_or(keys, v->as.tensors[i]->keys);
    } else if (v->tag == OY_TAG_LIST) {
      for (size_t i = 0; i < v->count; i++)
        if (v->as.values[i].tag == OY_TAG_TENSOR)
          keys = oy_keyset_or(keys, v->as.values[i].as.object->keys);
    }
  }
  return keys;
}

// The same of arguments that are tensors or None; false if there are others. Most
// operators have their tensors first: few bits are passed by.
static inline bool keys_of_tensors(const oy_op* op, const oy_value* v, size_t n,
                                   oy_keyset* keys) {
  for (uint64_t m = key_arguments(op, n); m; m >>= 1, v++) {
    if (!(m & 1)) continue;
    if (OY_LIKELY(v->tag == OY_TAG_TENSOR)) {
      keys->functionality |= v->as.object->keys.functionality;
      keys->backends |= v->as.object->keys.backends;
    } else if (v->tag != OY_TAG_NONE) {
      return false;
    }
  }
  return true;
}

static oy_status too_few(const oy_op* op, oy_stack* stack) {
  oy_str name = oy_op_name_of(op);
  OY_FAIL(INVALID_ARGUMENT,
          "%.*s: expected %u arguments on the stack, got %zu; push all of "
          "them, or call oy_op_push_defaults first",
          OY_STR_ARG(name), (unsigned)oyi_argument_count(op), stack->size);
  oy_error_set_op(name);
  return OY_INVALID_ARGUMENT;
}

// A kernel that fails may leave arguments or half of its results; the caller finds
// the stack without either.
static __attribute__((noinline, cold)) oy_status failed(oy_stack* stack, size_t base,
                                                        oy_status status) {
  if (stack->size > base) oy_stack_drop(stack, stack->size - base);
  return status;
}

static inline oy_status run(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel, size_t base) {
  oy_status status = kernel->boxed(op, keys, stack, kernel);
  return OY_LIKELY(status == OY_OK) ? status : failed(stack, base, status);
}

static inline oy_status call(const oy_op* op, oy_keyset keys, oy_stack* stack,
                             size_t base) {
  const oy_kernel* kernel = oy_select_masked(op, &keys);
  stack->from_typed = 0;
  return run(op, keys, stack, kernel, base);
}

// With lists of tensors, in a thread that has a scope open, or for the first time.
static __attribute__((noinline)) oy_status call_any(const oy_op* op, oy_stack* stack,
                                                    size_t n) {
  uint64_t before = oy_call_enter();
  size_t base = stack->size - n;
  oy_keyset keys = oy_call_keys(keys_of(op, stack->data + base, n));
  oy_status status = call(op, keys, stack, base);
  oy_call_leave(before);
  return status;
}

oy_status oy_op_call_boxed(const oy_op* op, oy_stack* stack) {
  size_t n = oyi_argument_count(op);
  if (OY_UNLIKELY(stack->size < n)) return too_few(op, stack);
  size_t base = stack->size - n;
  oy_keyset keys = {0, 0};
  if (OY_UNLIKELY(!keys_of_tensors(op, stack->data + base, n, &keys)))
    return call_any(op, stack, n);
  keys = oy_call_keys(keys);
  if (OY_UNLIKELY(oy_call_before() != OY_IDLE)) {
    if (OY_UNLIKELY(!oy_call_nested())) return call_any(op, stack, n);
    return call(op, keys, stack, base);
  }
  oy_call_begin();
  oy_status status = call(op, keys, stack, base);
  oy_call_end();
  return status;
}

oy_status oy_op_redispatch_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack) {
  size_t n = oyi_argument_count(op);
  if (OY_UNLIKELY(stack->size < n)) return too_few(op, stack);
  size_t base = stack->size - n;
  uint64_t before = oy_call_enter();
  oy_status status = run(op, keys, stack, oy_select_exact(op, keys), base);
  oy_call_leave(before);
  return status;
}

oy_status oyi_boxed_typed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                          const oy_kernel* kernel) {
  oy_boxed_fn unbox = __atomic_load_n(&oyi_op_of(op)->unbox, __ATOMIC_ACQUIRE);
  return unbox(op, keys, stack, kernel);
}

// Goes on with exactly |keys|. The mark of a traced call stays in the set for
// layers to pass down, but is no key to select by: this step was traced.
static oy_status pass_on(const oy_op* op, oy_keyset keys, oy_stack* stack) {
  const oy_kernel* next = oy_op_select_exact(op, oy_keyset_unmarked(keys));
  return next->boxed(op, keys, stack, next);
}

oy_status oyi_boxed_fallthrough(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                const oy_kernel* kernel) {
  (void)kernel;
  oy_key highest = oy_keyset_highest_functionality(oy_keyset_unmarked(keys));
  // Undefined has no bit to take away: nothing is left to fall through to.
  if (highest == OY_KEY_Undefined) {
    oy_str name = oy_op_name_of(op);
    OY_FAIL(NOT_IMPLEMENTED,
            "%.*s: expected a kernel at Undefined, got a fallthrough, which "
            "has nothing below it; register a composite kernel instead",
            OY_STR_ARG(name));
    oy_stack_drop(stack, oyi_arguments_on(op, stack));
    return OY_NOT_IMPLEMENTED;
  }
  keys.functionality &= ~(1ull << highest);
  return pass_on(op, keys, stack);
}

// A backend whose bit a tensor carries before anybody registered for it gets
// its block now; then the call goes on where it was headed.
static oy_status boxed_inactive(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                const oy_kernel* kernel) {
  (void)kernel;
  oy_backend backend = oy_keyset_highest_backend(keys);
  oy_status status = oyi_backend_activate(backend);
  if (status != OY_OK) {
    oy_stack_drop(stack, oyi_arguments_on(op, stack));
    return status;
  }
  keys.functionality &= oyi_table_mask(oyi_op_of(op), backend);
  return pass_on(op, keys, stack);
}

const oy_kernel oyi_inactive_kernel = {oyi_thunk_box, boxed_inactive, NULL};

// What a kernel at |key| would be given: nothing above it, its own key highest.
static oy_keyset keys_at(oy_keyset keys, oy_key key) {
  if (oy_key_is_alias(key)) return keys;
  oy_keyset own = oy_keyset_of(key);
  keys.functionality &= own.functionality ? own.functionality - 1 : 0;
  if (own.backends) keys.backends = 0;
  return oy_keyset_or(keys, own);
}

static const oy_kernel* kernel_at(oyi_op* op, oy_key key) {
  pthread_mutex_lock(&op->registry->mutex);
  oy_registration* r = oyi_active_kernel(oyi_kernels_at(op, key), OY_DTYPE_ANY);
  if (!r && !oy_key_is_alias(key)) r = oyi_fallback_at(op->registry, key);
  pthread_mutex_unlock(&op->registry->mutex);
  return r ? &r->kernel : NULL;
}

oy_status oy_op_call_boxed_for_key(const oy_op* op, oy_key key, oy_stack* stack) {
  size_t n = oyi_argument_count(op);
  if (OY_UNLIKELY(stack->size < n)) return too_few(op, stack);
  uint64_t before = oy_call_enter();
  oy_keyset keys = keys_of(op, oy_stack_last(stack, n), n);
  (void)oy_op_select_call(op, &keys);
  const oy_kernel* kernel = kernel_at(oyi_op_of(op), key);
  oy_status status;
  if (kernel) {
    status = run(op, keys_at(keys, key), stack, kernel, stack->size - n);
  } else {
    oy_str name = oy_op_name_of(op);
    status = OY_FAIL(NOT_IMPLEMENTED,
                     "%.*s: expected a kernel or a backend fallback at %s, "
                     "found none",
                     OY_STR_ARG(name), oy_key_name(key));
    oy_stack_drop(stack, oyi_arguments_on(op, stack));
  }
  oy_call_leave(before);
  return status;
}

const oy_kernel* oy_op_select_call(const oy_op* op, oy_keyset* keys) {
  return oy_select_call(op, keys);
}
const oy_kernel* oy_op_select_exact(const oy_op* op, oy_keyset keys) {
  return oy_select_exact(op, keys);
}
uint64_t oy_op_call_enter(void) {
  return oy_call_enter();
}
void oy_op_call_leave(uint64_t before) {
  oy_call_leave(before);
}

oy_status oy_call_null_argument(const oy_op* op, const char* argument) {
  oy_str name = oy_op_name_of(op);
  oy_status pending = oy_error_get()->code;
  if (pending != OY_OK) {
    oy_error_note("as argument '%s' of %.*s", argument, OY_STR_ARG(name));
    return pending;
  }
  OY_FAIL(INVALID_ARGUMENT,
          "%.*s: expected a tensor for argument '%s', got NULL; pass "
          "&oy_none_object where the schema allows None",
          OY_STR_ARG(name), argument);
  oy_error_set_op(name);
  oy_error_set_argument(oy_str_of(argument));
  return OY_INVALID_ARGUMENT;
}
