// SPDX-License-Identifier: Apache-2.0
// Questions about one operator, the invariants, listeners.
#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/op.h"
#include "dispatch/op_schema.h"
#include "dispatch/table.h"

bool oy_op_has_kernel(const oy_op* op, oy_key key) {
  oyi_op* o = oyi_op_of(op);
  pthread_mutex_lock(&o->registry->mutex);
  bool has = oyi_kernels_at(o, key) != NULL;
  pthread_mutex_unlock(&o->registry->mutex);
  return has;
}

bool oy_op_has_kernel_in(const oy_op* op, oy_keyset keys) {
  uint32_t cursor = 0;
  oy_key key;
  while (oy_keyset_next(keys, &cursor, &key))
    if (oy_op_has_kernel(op, key)) return true;
  return false;
}

oy_status oy_op_has_computed_kernel(const oy_op* op, oy_key key, bool* out_has) {
  *out_has = false;
  OY_CHECK(!oy_key_is_alias(key), INVALID_ARGUMENT,
           "Alias keys do not have runtime kernel registrations.");
  if (!oy_key_is_runtime(key)) return OY_OK;  // no slot, so no kernel
  oyi_op* o = oyi_op_of(op);
  pthread_mutex_lock(&o->registry->mutex);
  *out_has = oyi_compute_cell(o, key, OY_DTYPE_ANY).provenance != OYI_MISSING;
  pthread_mutex_unlock(&o->registry->mutex);
  return OY_OK;
}

bool oy_op_is_fallthrough(const oy_op* op, oy_key key) {
  oyi_op* o = oyi_op_of(op);
  if (!oy_key_is_runtime(key)) return false;
  pthread_mutex_lock(&o->registry->mutex);
  const oy_kernel* kernel = oyi_compute_cell(o, key, OY_DTYPE_ANY).kernel;
  pthread_mutex_unlock(&o->registry->mutex);
  return oyi_kernel_is_fallthrough(kernel);
}

bool oy_registry_has_fallback(oy_registry* registry, oy_key key) {
  if (!oy_key_is_runtime(key)) return false;
  pthread_mutex_lock(&registry->mutex);
  bool has = oyi_fallback_at(registry, key) != NULL;
  pthread_mutex_unlock(&registry->mutex);
  return has;
}

static size_t registration_bytes(const oy_registration* r) {
  if (r->kind != OYI_DEF) return sizeof(*r);
  return offsetof(oy_registration, text) + strlen(r->text) + 1 +
         (r->tags ? strlen(r->tags) + 1 : 0);
}

size_t oy_op_memory(const oy_op* op) {
  oyi_op* o = oyi_op_of(op);
  pthread_mutex_lock(&o->registry->mutex);
  size_t bytes = offsetof(oyi_op, name) + o->name_size + 1;
  if (o->registrations) bytes += oyi_table_bytes();
  if (o->def) bytes += registration_bytes(o->def);
  for (const oy_registration* newest = o->kernels; newest; newest = newest->other)
    for (const oy_registration* r = newest; r; r = r->older)
      bytes += registration_bytes(r);
  for (oyi_variants* v = o->variants; v; v = v->next) bytes += sizeof(*v);
  pthread_mutex_unlock(&o->registry->mutex);
  return bytes;
}

// ---------------------------------------------------------------- invariants

static const char* broken_slot(const oyi_op* op, oy_key key) {
  const oy_kernel* stored = oyi_table_stored(op, key);
  if (!stored) return NULL;  // backend not in use
  oyi_cell any = oyi_compute_cell(op, key, OY_DTYPE_ANY);
  bool differs = false;
  oyi_variants* v = oyi_variants_at(op, key);
  for (unsigned d = 0; op->dtype_kernels && d < OY_DTYPE_LIMIT; d++) {
    const oy_kernel* kernel = oyi_compute_cell(op, key, (oy_dtype)d).kernel;
    differs |= kernel != any.kernel;
    if (v && oyi_variant_stored(v, (oy_dtype)d) != kernel)
      return "a variant is not what the rule gives";
  }
  if (differs ? (!v || stored != &v->open.kernel) : stored != any.kernel)
    return "a slot is not what the rule gives";
  if (key == OY_KEY_Undefined) return NULL;
  bool masked =
      !(oyi_table_mask(op, oy_key_backend(key)) >> oy_key_functionality(key) & 1);
  if (masked != oyi_kernel_is_fallthrough(stored))
    return "a mask bit does not fit its slot";
  return NULL;
}

static const char* broken_records(const oyi_op* op) {
  size_t count = op->def != NULL;
  const oy_schema* schema = op->def ? oyi_definition_schema(op->def) : NULL;
  if ((op->def != NULL) != (schema != NULL) || schema != op->schema ||
      (op->def ? op->def->signature : NULL) != op->signature)
    return "the definition and the schema disagree";
  if (schema && !oy_str_equal(schema->full_name, (oy_str){op->name, op->name_size}))
    return "the schema has another name";
  if (schema && op->hot.argument_count != schema->argument_count)
    return "the argument count is not the schema's";
  unsigned aliases = 0;
  for (const oy_registration* newest = op->kernels; newest; newest = newest->other) {
    if (newest->key == OY_KEY_Undefined) return "a kernel is at Undefined";
    if (oyi_kernels_at(op, newest->key) != newest) return "a key has two lists";
    if (oy_key_is_alias(newest->key))
      aliases |= 1u << (newest->key & ~(unsigned)OY_KEY_ALIAS_BIT);
    for (const oy_registration* r = newest; r; r = r->older) {
      if (r->op != op || r->key != newest->key)
        return "a kernel is in a list of another key";
      count++;
    }
  }
  if (aliases != op->aliases) return "the alias keys are not those of the kernels";
  if (count != op->registrations) return "the number of registrations is wrong";
  return NULL;
}

static const char* broken(const oyi_op* op) {
  const char* what = broken_records(op);
  if (what || op->registrations == 0) return what;
  oy_keyset full = oy_keyset_full();
  uint32_t cursor = 0;
  oy_key key = OY_KEY_Undefined;
  do {
    what = broken_slot(op, key);
  } while (!what && oy_keyset_next(full, &cursor, &key));
  return what;
}

oy_status oy_op_check_invariants(const oy_op* op) {
  oyi_op* o = oyi_op_of(op);
  pthread_mutex_lock(&o->registry->mutex);
  const char* what = broken(o);
  pthread_mutex_unlock(&o->registry->mutex);
  if (!what) return OY_OK;
  char *state = NULL, *table = NULL;
  OY_TRY(oy_op_dump_state(op, &state));
  oy_status status = oy_op_dump_table(op, &table);
  if (status == OY_OK) {
    oyi_strbuf text = OYI_STRBUF_INIT;
    oyi_strbuf_printf(&text,
                      "Canonical state\n~~~~~~~~~~~\n%s\n\nComputed "
                      "table:\n~~~~~~~~~~~\n%s",
                      state, table);
    oy_str name = oy_op_name_of(op);
    status = OY_FAIL(INTERNAL, "%.*s: %s", OY_STR_ARG(name), what);
    oy_error_set_detail(oyi_strbuf_view(&text));
    oyi_strbuf_reset(&text);
  }
  oy_text_free(state);
  oy_text_free(table);
  return status;
}

oy_status oy_registry_check_invariants(oy_registry* registry) {
  const oy_op** ops;
  size_t count;
  OY_TRY(oy_registry_list(registry, &ops, &count));
  oy_status status = OY_OK;
  for (size_t i = 0; i < count && status == OY_OK; i++)
    status = oy_op_check_invariants(ops[i]);
  oy_ops_free(ops);
  return status;
}

// ----------------------------------------------------------------- listeners

oy_status oy_registry_add_listener(oy_registry* registry, oy_listener listener,
                                   int* out_id) {
  *out_id = -1;
  oyi_listener_node* node = oyi_zalloc(sizeof(*node));
  if (!node) return OY_OUT_OF_MEMORY;
  node->listener = listener;
  pthread_mutex_lock(&registry->mutex);
  *out_id = node->id = registry->next_listener++;
  oyi_listener_node** at = &registry->listeners;
  while (*at) at = &(*at)->next;
  *at = node;
  for (size_t i = 0; listener.defined && i < registry->op_count; i++)
    if (registry->ops[i]->def)
      listener.defined(listener.user_data, &registry->ops[i]->hot);
  pthread_mutex_unlock(&registry->mutex);
  return OY_OK;
}

void oy_registry_remove_listener(oy_registry* registry, int id) {
  pthread_mutex_lock(&registry->mutex);
  for (oyi_listener_node** at = &registry->listeners; *at; at = &(*at)->next) {
    if ((*at)->id != id) continue;
    oyi_listener_node* node = *at;
    *at = node->next;
    oyi_free(node);
    break;
  }
  pthread_mutex_unlock(&registry->mutex);
}
