// SPDX-License-Identifier: Apache-2.0
// The table of hooks: one record for each backend that has devices. Readers are inside a
// call (dispatch/epoch.h); a record that was taken out of the table is retired, and freed
// when no reader can see it and no memory came from it.
#include "tensor/hooks.h"

#include <pthread.h>

#include "base/memory.h"
#include "dispatch/owner.h"

static oyi_hooks* g_table[OY_BACKEND_COUNT_MAX];  // atomic; written under g_mutex
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static oyi_limbo g_limbo;
static const oyi_hooks_listener* g_listener;
// What storages hold, under all hooks that a backend had.
static oy_device_memory g_held[OY_BACKEND_COUNT_MAX];  // atomic
static oyi_device_wanted_fn g_wanted;                  // atomic

// -------------------------------------------------------------------- records

void oyi_hooks_release(oyi_hooks* hooks) {
  if (hooks && __atomic_sub_fetch(&hooks->references, 1, __ATOMIC_ACQ_REL) == 0)
    oyi_free(hooks);
}

static void free_retired(oyi_retired* self) {
  oyi_hooks_release((oyi_hooks*)(void*)self);
}

void oyi_hooks_collect(void) {
  pthread_mutex_lock(&g_mutex);
  oyi_retired* done = oyi_collect(&g_limbo);
  pthread_mutex_unlock(&g_mutex);
  oyi_free_list(done);
}

static oy_status check_shape(const oy_device_hooks* h) {
  const size_t least = offsetof(oy_device_hooks, exchange);
  const size_t most = 64 * 1024;
  OY_CHECK(h->struct_size >= least && h->struct_size <= most &&
               h->struct_size % sizeof(void*) == 0,
           INVALID_ARGUMENT,
           "expected hooks of a device with a struct_size of %zu to %zu, got %zu", least,
           most, h->struct_size);
  return OY_OK;
}

// Copies what the struct has; what an older header lacks stays NULL.
static oy_status copy_hooks(const oy_device_hooks* from, oy_device_hooks* out) {
  OY_TRY(check_shape(from));
  size_t size = from->struct_size < sizeof(*out) ? from->struct_size : sizeof(*out);
  memset(out, 0, sizeof(*out));
  memcpy(out, from, size);
  OY_CHECK(out->count, INVALID_ARGUMENT, "hooks of a device lack |count|");
  OY_CHECK(
      !out->allocate == !out->release && !out->allocate == !out->copy, INVALID_ARGUMENT,
      "expected hooks of a device to have all of |allocate|, |release| and |copy|, or "
      "none, got %s%s%s",
      out->allocate ? "allocate " : "", out->release ? "release " : "",
      out->copy ? "copy" : "");
  OY_CHECK(!out->host_allocate == !out->host_release, INVALID_ARGUMENT,
           "expected |host_allocate| and |host_release| together");
  return OY_OK;
}

static oyi_hooks* make_record(oy_backend backend, const oy_device_hooks* hooks,
                              const void* owner) {
  oyi_hooks* record = oyi_zalloc(sizeof(*record));
  if (!record) return NULL;
  if (copy_hooks(hooks, &record->hooks) != OY_OK) {
    oyi_free(record);
    return NULL;
  }
  record->backend = backend;
  record->owner = owner;
  record->references = 1;
  return record;
}

// -------------------------------------------------------------------- setting

// Under the lock: puts |record|, which may be NULL, in the place of what is there.
static void exchange_record(oy_backend backend, oyi_hooks* record) {
  oyi_hooks* before = g_table[backend];
  __atomic_store_n(&g_table[backend], record, __ATOMIC_RELEASE);
  if (before) oyi_retire(&g_limbo, &before->retired, free_retired);
}

static oy_status set_record(oy_backend backend, oyi_hooks* record) {
  // Kernels come before the devices: a device that is seen has them.
  if (record && !g_table[backend] && g_listener) OY_TRY(g_listener->added(backend));
  bool goes = !record && g_table[backend];
  exchange_record(backend, record);
  if (goes && g_listener) g_listener->removed(backend);
  return OY_OK;
}

static oy_status check_backend(oy_backend backend) {
  OY_CHECK(backend >= 0 && backend < OY_BACKEND_COUNT_MAX && oy_backend_name(backend),
           INVALID_ARGUMENT, "there is no backend with number %d", backend);
  OY_CHECK(backend != OY_BACKEND_CPU && backend != OY_BACKEND_Meta, INVALID_ARGUMENT,
           "%s is built in and takes no hooks", oy_backend_name(backend));
  return OY_OK;
}

oy_status oyi_hooks_check(oy_backend backend, const oy_device_hooks* hooks,
                          oy_device_hooks* out) {
  OY_TRY(check_backend(backend));
  return copy_hooks(hooks, out);
}

oy_status oyi_hooks_set(oy_backend backend, const oy_device_hooks* hooks,
                        const void* owner, oyi_hooks** out_hooks) {
  if (out_hooks) *out_hooks = NULL;
  OY_TRY(check_backend(backend));
  oyi_hooks* record = hooks ? make_record(backend, hooks, owner) : NULL;
  if (hooks && !record) return oy_failure();
  if (record && out_hooks) record->references++;
  pthread_mutex_lock(&g_mutex);
  oy_status status = set_record(backend, record);
  oyi_retired* done = oyi_collect(&g_limbo);
  pthread_mutex_unlock(&g_mutex);
  oyi_free_list(done);
  if (status != OY_OK)
    oyi_free(record);
  else if (out_hooks)
    *out_hooks = record;
  return status;
}

oy_status oy_device_hooks_set(oy_backend backend, const oy_device_hooks* hooks) {
  return oyi_hooks_set(backend, hooks, oyi_owner_current(), NULL);
}

oy_status oyi_hooks_prepare(oy_backend backend, const oy_device_hooks* hooks,
                            const void* owner, oyi_hooks** out_hooks) {
  *out_hooks = NULL;
  OY_TRY(check_backend(backend));
  oyi_hooks* record = make_record(backend, hooks, owner);
  if (!record) return oy_failure();
  pthread_mutex_lock(&g_mutex);
  oy_status status = OY_OK;
  if (!g_table[backend] && g_listener) status = g_listener->added(backend);
  pthread_mutex_unlock(&g_mutex);
  if (status == OY_OK)
    *out_hooks = record;
  else
    oyi_free(record);
  return status;
}

void oyi_hooks_publish(oyi_hooks* hooks) {
  pthread_mutex_lock(&g_mutex);
  __atomic_fetch_add(&hooks->references, 1, __ATOMIC_RELAXED);
  exchange_record(hooks->backend, hooks);
  oyi_retired* done = oyi_collect(&g_limbo);
  pthread_mutex_unlock(&g_mutex);
  oyi_free_list(done);
}

void oyi_hooks_discard(oyi_hooks* hooks) {
  pthread_mutex_lock(&g_mutex);
  if (!g_table[hooks->backend] && g_listener) g_listener->removed(hooks->backend);
  pthread_mutex_unlock(&g_mutex);
  oyi_hooks_release(hooks);
}

void oyi_hooks_withdraw(oyi_hooks* hooks) {
  pthread_mutex_lock(&g_mutex);
  if (g_table[hooks->backend] == hooks) (void)!set_record(hooks->backend, NULL);
  oyi_retired* done = oyi_collect(&g_limbo);
  pthread_mutex_unlock(&g_mutex);
  oyi_free_list(done);
}

oyi_hooks* oyi_hooks_of_owner(oy_backend backend, const void* owner) {
  pthread_mutex_lock(&g_mutex);
  oyi_hooks* hooks = g_table[backend];
  if (hooks && hooks->owner != owner) hooks = NULL;
  if (hooks) __atomic_fetch_add(&hooks->references, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&g_mutex);
  return hooks;
}

bool oyi_hooks_owner(oy_backend backend, const void** out_owner) {
  pthread_mutex_lock(&g_mutex);
  const oyi_hooks* hooks =
      backend >= 0 && backend < OY_BACKEND_COUNT_MAX ? g_table[backend] : NULL;
  *out_owner = hooks ? hooks->owner : NULL;
  pthread_mutex_unlock(&g_mutex);
  return hooks != NULL;
}

static oy_status add_all(const oyi_hooks_listener* listener) {
  for (int b = 0; b < OY_BACKEND_COUNT_MAX; b++) {
    if (!g_table[b]) continue;
    oy_status status = listener->added(b);
    if (status == OY_OK) continue;
    while (b-- > 0)
      if (g_table[b]) listener->removed(b);
    return status;
  }
  return OY_OK;
}

oy_status oyi_hooks_listen(const oyi_hooks_listener* listener) {
  pthread_mutex_lock(&g_mutex);
  oy_status status = OY_OK;
  for (int b = 0; b < OY_BACKEND_COUNT_MAX && !listener && g_listener; b++)
    if (g_table[b]) g_listener->removed(b);
  if (listener) status = add_all(listener);
  if (status == OY_OK) g_listener = listener;
  pthread_mutex_unlock(&g_mutex);
  return status;
}

// -------------------------------------------------------------------- reading

oyi_hooks_use oyi_hooks_enter(int16_t backend) {
  oyi_hooks_use use = {NULL, oy_call_enter()};
  if (backend >= 0 && backend < OY_BACKEND_COUNT_MAX)
    use.hooks = __atomic_load_n(&g_table[backend], __ATOMIC_ACQUIRE);
  return use;
}

bool oy_device_is_available(oy_backend backend) {
  if (backend == OY_BACKEND_CPU || backend == OY_BACKEND_Meta) return true;
  return backend >= 0 && backend < OY_BACKEND_COUNT_MAX &&
         __atomic_load_n(&g_table[backend], __ATOMIC_ACQUIRE) != NULL;
}

void oyi_device_wanted_set(oyi_device_wanted_fn wanted) {
  __atomic_store_n(&g_wanted, wanted, __ATOMIC_RELEASE);
}

bool oyi_device_wanted(oy_str name) {
  oyi_device_wanted_fn wanted = __atomic_load_n(&g_wanted, __ATOMIC_ACQUIRE);
  return wanted && wanted(name);
}

static void (*g_explain)(oy_str name);  // atomic

void oyi_device_explain_set(void (*explain)(oy_str name)) {
  __atomic_store_n(&g_explain, explain, __ATOMIC_RELEASE);
}

void oyi_device_explain(oy_str name) {
  void (*explain)(oy_str name) = __atomic_load_n(&g_explain, __ATOMIC_ACQUIRE);
  if (explain) explain(name);
}

oy_status oyi_hooks_missing(int16_t backend) {
  char text[64];
  oy_device_print(oy_device_make(backend, -1), text, sizeof(text));
  oy_status status = OY_FAIL(FAILED_PRECONDITION,
                             "PyTorch is not linked with support for %s devices", text);
  oyi_device_explain(oy_str_of(text));
  return status;
}

// --------------------------------------------------------------------- counts

void oyi_hooks_count(oyi_hooks* hooks, int64_t blocks, int64_t bytes) {
  oy_device_memory* all = &g_held[hooks->backend];
  __atomic_fetch_add(&all->blocks, (uint64_t)blocks, __ATOMIC_RELAXED);
  __atomic_fetch_add(&all->bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
  __atomic_fetch_add(&hooks->bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
  // Release: who finds no block finds the plugin's code left, too.
  __atomic_fetch_add(&hooks->blocks, (uint64_t)blocks, __ATOMIC_RELEASE);
}

oy_device_memory oy_device_memory_count(oy_backend backend) {
  oy_device_memory count = {0, 0};
  if (backend < 0 || backend >= OY_BACKEND_COUNT_MAX) return count;
  count.blocks = __atomic_load_n(&g_held[backend].blocks, __ATOMIC_RELAXED);
  count.bytes = __atomic_load_n(&g_held[backend].bytes, __ATOMIC_RELAXED);
  return count;
}
