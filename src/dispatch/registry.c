// SPDX-License-Identifier: Apache-2.0
// Registries and their operators: making, finding, listing.
#include "dispatch/registry.h"

#include <stdlib.h>

#include "base/memory.h"
#include "dispatch/call.h"
#include "dispatch/copy.h"
#include "dispatch/name_map.h"
#include "dispatch/op.h"
#include "dispatch/table.h"
#include "dispatch/thunks.h"

const char* oy_version(void) {
  return "0.1.0";
}

static void link_registry(oy_registry* registry) {
  pthread_mutex_lock(&oyi_registries_mutex);
  registry->next = oyi_registries;
  oyi_registries = registry;
  pthread_mutex_unlock(&oyi_registries_mutex);
}

oy_status oy_registry_create(oy_registry** out_registry) {
  *out_registry = NULL;
  oy_registry* registry = oyi_zalloc(sizeof(*registry));
  if (!registry) return OY_OUT_OF_MEMORY;
  registry->tables.returned = &registry->returned;
  registry->kernels.returned = &registry->returned;
  for (size_t i = 0; i < OYI_DEFINITION_SIZES; i++)
    registry->definitions[i].returned = &registry->returned;
  pthread_mutex_init(&registry->mutex, NULL);
  link_registry(registry);
  *out_registry = registry;
  return OY_OK;
}

static oy_registry* g_default;

oy_registry* oy_registry_default(void) {
  oy_registry* registry = __atomic_load_n(&g_default, __ATOMIC_ACQUIRE);
  if (registry) return registry;
  oy_registry* made = NULL;
  if (oyi_check_only_copy() != OY_OK || oy_registry_create(&made) != OY_OK) return NULL;
  if (oy_registry_add_default_fallbacks(made, NULL) != OY_OK) {
    oy_registry_destroy(made);
    return NULL;
  }
  if (__atomic_compare_exchange_n(&g_default, &registry, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return made;
  oy_registry_destroy(made);
  return registry;
}

static void unlink_registry(oy_registry* registry) {
  pthread_mutex_lock(&oyi_registries_mutex);
  for (oy_registry** at = &oyi_registries; *at; at = &(*at)->next) {
    if (*at != registry) continue;
    *at = registry->next;
    break;
  }
  pthread_mutex_unlock(&oyi_registries_mutex);
}

void oy_registry_destroy(oy_registry* registry) {
  if (!registry || registry == __atomic_load_n(&g_default, __ATOMIC_ACQUIRE)) return;
  while (registry->libraries) oy_library_close(registry->libraries);
  unlink_registry(registry);
  // No call is in flight, so there is nothing to wait for.
  oyi_free_list(registry->limbo.head);
  registry->limbo.head = NULL;
  for (oyi_listener_node* n = registry->listeners; n;) {
    oyi_listener_node* next = n->next;
    oyi_free(n);
    n = next;
  }
  for (size_t i = 0; i < registry->op_count; i++) oyi_free(registry->ops[i]->on_error);
  oyi_returned_drain(&registry->returned);
  oyi_arena_free(&registry->memory);
  oyi_free(registry->prototype);
  oyi_free(registry->ops);
  oyi_name_map_free(registry->names);
  pthread_mutex_destroy(&registry->mutex);
  oyi_free(registry);
}

uint64_t oy_registry_generation(oy_registry* registry) {
  return __atomic_load_n(&registry->generation, __ATOMIC_ACQUIRE);
}

// Kernel state is destroyed without the lock; the records are then put back with it.
static void collect(oy_registry* registry) {
  oyi_retired* done = oyi_collect(&registry->limbo);
  if (done) {
    pthread_mutex_unlock(&registry->mutex);
    oyi_free_list(done);
    pthread_mutex_lock(&registry->mutex);
  }
  oyi_returned_drain(&registry->returned);
}

void oyi_registry_unlock(oy_registry* registry) {
  if (OY_UNLIKELY(registry->limbo.head || oyi_returned_any(&registry->returned)))
    collect(registry);
  pthread_mutex_unlock(&registry->mutex);
}

void oy_registry_collect(oy_registry* registry) {
  pthread_mutex_lock(&registry->mutex);
  oyi_registry_unlock(registry);
}

// ----------------------------------------------------------------- operators

static oyi_op* op_create(oy_registry* registry, oy_str name, uint32_t hash) {
  size_t size = offsetof(oyi_op, name) + name.size + 1;
  oyi_op* op = oyi_arena_alloc(&registry->memory, size);
  if (!op) return NULL;
  memset(op, 0, offsetof(oyi_op, name));
  op->registry = registry;
  op->name_size = (uint16_t)name.size;
  op->hash = hash;
  memcpy(op->name, name.data, name.size);
  op->name[name.size] = '\0';
  op->hot.box = oyi_thunk_fail;
  op->hot.variant = oyi_thunk_fail;
  op->hot.fail = (oy_typed_fn)oyi_fail_object;
  op->hot.flags = OY_OP_RETURNS_OBJECT;
  op->unbox = oyi_unbox_undefined;
  return op;
}

oy_status oyi_op_intern(oy_registry* registry, oy_str name, oyi_op** out_op) {
  uint32_t hash = oyi_name_hash(name);
  oyi_op* op = oyi_name_map_find(registry->names, name, hash);
  *out_op = op;
  if (op) {
    if (op->registrations) return OY_OK;
    return oyi_table_create(op);
  }
  OY_TRY(oyi_name_map_reserve(registry));
  if (!oyi_grow(&registry->ops, &registry->op_capacity, registry->op_count + 1,
                sizeof(*registry->ops)))
    return OY_OUT_OF_MEMORY;
  op = op_create(registry, name, hash);
  if (!op) return OY_OUT_OF_MEMORY;
  if (oyi_table_create(op) != OY_OK) {
    registry->memory.next = (char*)op;  // as if it had not been asked for
    return OY_OUT_OF_MEMORY;
  }
  oyi_name_map_add(registry, op);
  registry->ops[registry->op_count++] = op;
  *out_op = op;
  return OY_OK;
}

void oyi_op_settle(oyi_op* op) {
  if (op->registrations) return;
  oyi_variants_retire(op);
  oyi_table_retire(op);
}

// ------------------------------------------------------------------- finding

const oy_op* oy_op_lookup(oy_registry* registry, oy_str name) {
  uint64_t before = oy_call_enter();
  const oyi_name_map* map = __atomic_load_n(&registry->names, __ATOMIC_ACQUIRE);
  oyi_op* op = oyi_name_map_find(map, name, oyi_name_hash(name));
  if (op && __atomic_load_n(&op->registrations, __ATOMIC_RELAXED) == 0) op = NULL;
  oy_call_leave(before);
  return op ? &op->hot : NULL;
}

oy_status oy_op_find(oy_registry* registry, oy_str name, const oy_op** out_op) {
  *out_op = oy_op_lookup(registry, name);
  if (*out_op && oyi_op_signature(*out_op)) return OY_OK;
  bool has_kernels = *out_op != NULL;
  *out_op = NULL;
  oy_op_name parsed;
  OY_TRY(oy_op_name_parse(name, &parsed));
  size_t base = name.size - (parsed.overload.size ? parsed.overload.size + 1 : 0);
  // PyTorch prints the dot also when there is no overload.
  OY_FAIL(NOT_FOUND, "Could not find schema for %.*s.%.*s%s", (int)base, name.data,
          OY_STR_ARG(parsed.overload),
          has_kernels ? " but we found an implementation; did you forget to "
                        "def() the operator?"
                      : "");
  oy_error_set_op(name);
  return OY_NOT_FOUND;
}

static int by_name(const void* a, const void* b) {
  const oyi_op* x = *(oyi_op* const*)a;
  const oyi_op* y = *(oyi_op* const*)b;
  return strcmp(x->name, y->name);
}

oy_status oy_registry_list(oy_registry* registry, const oy_op*** out_ops,
                           size_t* out_count) {
  *out_ops = NULL;
  *out_count = 0;
  pthread_mutex_lock(&registry->mutex);
  const oy_op** ops = oyi_calloc(registry->op_count + 1, sizeof(*ops));
  size_t count = 0;
  for (size_t i = 0; ops && i < registry->op_count; i++)
    if (registry->ops[i]->registrations) ops[count++] = &registry->ops[i]->hot;
  pthread_mutex_unlock(&registry->mutex);
  if (!ops) return OY_OUT_OF_MEMORY;
  qsort(ops, count, sizeof(*ops), by_name);
  *out_ops = ops;
  *out_count = count;
  return OY_OK;
}

void oy_ops_free(const oy_op** ops) {
  oyi_free(ops);
}

size_t oy_registry_op_count(oy_registry* registry) {
  size_t count = 0;
  pthread_mutex_lock(&registry->mutex);
  for (size_t i = 0; i < registry->op_count; i++)
    count += registry->ops[i]->registrations != 0;
  pthread_mutex_unlock(&registry->mutex);
  return count;
}

oy_str oy_op_name_of(const oy_op* op) {
  oy_str name = {oyi_op_of(op)->name, oyi_op_of(op)->name_size};
  return name;
}

oy_registry* oy_op_registry(const oy_op* op) {
  return oyi_op_of(op)->registry;
}

const char* oy_op_tags(const oy_op* op) {
  const oy_registration* def = oyi_op_of(op)->def;
  return def && def->tags ? def->tags : "";
}

bool oy_op_has_tag(const oy_op* op, const char* tag) {
  size_t size = strlen(tag);
  for (const char* at = oy_op_tags(op); size && (at = strstr(at, tag)); at += size)
    if ((at == oy_op_tags(op) || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
      return true;
  return false;
}

oy_status oy_op_set_error_callback(const oy_op* op,
                                   void (*callback)(const oy_op*, oy_key, void*),
                                   void* user_data) {
  oyi_op* o = oyi_op_of(op);
  oy_status status = OY_OK;
  pthread_mutex_lock(&o->registry->mutex);
  if (!callback) {
    oyi_free(o->on_error);
    o->on_error = NULL;
  } else {
    if (!o->on_error) o->on_error = oyi_malloc(sizeof(*o->on_error));
    if (o->on_error)
      *o->on_error = (oyi_error_callback){callback, user_data};
    else
      status = OY_OUT_OF_MEMORY;
  }
  pthread_mutex_unlock(&o->registry->mutex);
  return status;
}

void oy_registry_set_dtype_rule(oy_registry* registry, oy_dtype_rule rule) {
  __atomic_store_n(&registry->dtype_rule, rule, __ATOMIC_RELEASE);
}

void oy_registry_set_warning_sink(oy_registry* registry, oy_warning_sink sink,
                                  void* user_data) {
  pthread_mutex_lock(&registry->mutex);
  registry->warning_sink = sink;
  registry->warning_user_data = user_data;
  pthread_mutex_unlock(&registry->mutex);
}
