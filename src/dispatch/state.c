// SPDX-License-Identifier: Apache-2.0
// Thread-local include and exclude sets, guards, and scopes for temporaries.
// Here the inline functions of the header are those that the library exports.
#define OY_GUARD_INLINE
#include "opyard/state.h"

#include "base/memory.h"
#include "dispatch/thread.h"

#define EXCLUDED_BY_DEFAULT                                  \
  (1ull << OY_KEY_AutocastCPU | 1ull << OY_KEY_AutocastXPU | \
   1ull << OY_KEY_AutocastIPU | 1ull << OY_KEY_AutocastHPU | \
   1ull << OY_KEY_AutocastXLA | 1ull << OY_KEY_AutocastMPS | \
   1ull << OY_KEY_AutocastCUDA | 1ull << OY_KEY_AutocastPrivateUse1)

__thread oy_tls_block oy_tls
    __attribute__((tls_model("initial-exec"), visibility("default"))) = {
        {OYI_INCLUDED_AT_FIRST, 0}, ~EXCLUDED_BY_DEFAULT, OY_NEW, 0, 0, NULL, 0};

// The two trace keys are ours, not the user's: they are kept out of every set
// that is shown, and guards leave them as they are.
#define HIDDEN (1ull << OY_KEY_Trace | 1ull << OY_KEY_TraceRedispatch)

oy_keyset oy_included_get(void) {
  return oy_keyset_make(oy_tls.included.functionality & ~HIDDEN,
                        oy_tls.included.backends);
}

oy_keyset oy_excluded_get(void) {
  return oy_keyset_make(~oy_tls.keep & ~HIDDEN, oy_tls.excluded_backends);
}

static void set_included(oy_keyset keys) {
  uint64_t hidden = oy_tls.included.functionality & HIDDEN;
  oy_tls.included.functionality = (keys.functionality & ~HIDDEN) | hidden;
  oy_tls.included.backends = keys.backends;
}

static void set_excluded(oy_keyset keys) {
  oy_tls.keep = ~(keys.functionality & ~HIDDEN);
  oy_tls.excluded_backends = keys.backends;
}

bool oy_included_has(oy_key key) {
  return oy_keyset_has(oy_included_get(), key);
}
bool oy_excluded_has(oy_key key) {
  return oy_keyset_has(oy_excluded_get(), key);
}

static oy_status check_settable(oy_key key) {
  OY_CHECK(!oy_key_is_alias(key), INVALID_ARGUMENT,
           "expected a key that can be in a key set, got the alias key %s",
           oy_key_name(key));
  return OY_OK;
}

oy_status oy_included_set(oy_key key, bool on) {
  OY_TRY(check_settable(key));
  oy_keyset set = oy_included_get();
  set_included(on ? oy_keyset_add(set, key) : oy_keyset_remove(set, key));
  return OY_OK;
}

oy_status oy_excluded_set(oy_key key, bool on) {
  OY_TRY(check_settable(key));
  oy_keyset set = oy_excluded_get();
  set_excluded(on ? oy_keyset_add(set, key) : oy_keyset_remove(set, key));
  return OY_OK;
}

oy_dispatch_state oy_dispatch_state_get(void) {
  oy_keyset included = {OYI_INCLUDED_BY_DEFAULT, 0};
  oy_keyset excluded = {EXCLUDED_BY_DEFAULT, 0};
  oy_dispatch_state state = {oy_keyset_xor(oy_included_get(), included),
                             oy_keyset_xor(oy_excluded_get(), excluded)};
  return state;
}

void oy_dispatch_state_set(oy_dispatch_state state) {
  oy_keyset included = {OYI_INCLUDED_BY_DEFAULT, 0};
  oy_keyset excluded = {EXCLUDED_BY_DEFAULT, 0};
  set_included(oy_keyset_xor(state.included_xor, included));
  set_excluded(oy_keyset_xor(state.excluded_xor, excluded));
}

// -------------------------------------------------------------------- guards

static oy_keyset without(oy_keyset a, oy_keyset b) {
  return oy_keyset_make(a.functionality & ~b.functionality, a.backends & ~b.backends);
}

oy_guard oy_guard_include(oy_keyset keys) {
  oy_guard guard = {without(keys, oy_included_get()), {0, 0}, false};
  set_included(oy_keyset_or(oy_included_get(), guard.include));
  return guard;
}

oy_guard oy_guard_exclude(oy_keyset keys) {
  oy_guard guard = {{0, 0}, without(keys, oy_excluded_get()), false};
  set_excluded(oy_keyset_or(oy_excluded_get(), guard.exclude));
  return guard;
}

oy_guard oy_guard_preserve(void) {
  oy_guard guard = {oy_included_get(), oy_excluded_get(), true};
  return guard;
}

void oy_guard_restore(oy_keyset included, oy_keyset excluded) {
  set_included(included);
  set_excluded(excluded);
}

oy_guard oy_guard_force(oy_keyset included, oy_keyset excluded) {
  oy_guard guard = oy_guard_preserve();
  oy_guard_restore(included, excluded);
  return guard;
}

// A piece of a region that has the sets of the thread that opened it.
typedef struct carried {
  oy_dispatch_state state;
  oy_range_fn fn;
  void* context;
} carried;

static oy_status run_carried(int64_t begin, int64_t end, void* context) {
  const carried* c = context;
  oy_guard guard = oy_guard_preserve();
  oy_dispatch_state_set(c->state);
  oy_status status = c->fn(begin, end, c->context);
  oy_guard_end(&guard);
  return status;
}

oy_status oy_parallel_for_with_state(int64_t begin, int64_t end, int64_t grain,
                                     oy_range_fn fn, void* context) {
  carried c = {oy_dispatch_state_get(), fn, context};
  return oy_parallel_for(begin, end, grain, run_carried, &c);
}

// -------------------------------------------------------------------- scopes

static uint64_t idle_mark(void) {
  uint64_t active = __atomic_load_n(&oy_tls.active, __ATOMIC_RELAXED);
  return active == OY_NEW ? oy_thread_start() : active;
}

void oy_scope_open(oy_scope* scope) {
  scope->outer = oy_tls.scope;
  scope->objects = scope->storage;
  scope->size = 0;
  scope->capacity = OY_SCOPE_INLINE;
  scope->idle = idle_mark();
  oy_tls.scope = scope;
  // Inside a kernel the mark is an epoch and stays: results of nested calls
  // belong to the kernel.
  if (scope->idle == OY_IDLE)
    __atomic_store_n(&oy_tls.active, OY_IDLE_SCOPE, __ATOMIC_RELEASE);
}

void oy_scope_close(oy_scope* scope) {
  oy_tls.scope = scope->outer;
  if (scope->idle & 1) __atomic_store_n(&oy_tls.active, scope->idle, __ATOMIC_RELEASE);
  for (size_t i = scope->size; i-- > 0;) oy_object_release(scope->objects[i]);
  if (scope->objects != scope->storage) oyi_free(scope->objects);
  scope->objects = scope->storage;
  scope->size = 0;
}

// Apart: what is called here would make oy_scope_take keep registers for it.
static __attribute__((noinline)) oy_object* take_and_grow(oy_scope* scope,
                                                          oy_object* object) {
  oy_object** larger = oyi_malloc(2 * scope->capacity * sizeof(*larger));
  if (!larger) {
    oy_object_release(object);
    return NULL;
  }
  memcpy(larger, scope->objects, scope->size * sizeof(*larger));
  if (scope->objects != scope->storage) oyi_free(scope->objects);
  scope->objects = larger;
  scope->capacity *= 2;
  scope->objects[scope->size++] = object;
  return object;
}

oy_object* oy_scope_take(oy_object* object) {
  oy_scope* scope = oy_tls.scope;
  if (!object || !scope) return object;
  if (OY_UNLIKELY(scope->size == scope->capacity)) return take_and_grow(scope, object);
  scope->objects[scope->size++] = object;
  return object;
}

oy_object* oy_keep(oy_object* object) {
  oy_object_retain(object);
  return object;
}
