// SPDX-License-Identifier: Apache-2.0
#include "dispatch/registration.h"

#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/call.h"
#include "dispatch/op.h"
#include "dispatch/place.h"
#include "dispatch/table.h"
#include "dispatch/thunks.h"

static void changed(oy_registry* registry) {
  __atomic_add_fetch(&registry->generation, 1, __ATOMIC_RELEASE);
}

static void count(oyi_op* op, int by) {
  __atomic_store_n(&op->registrations, op->registrations + (uint32_t)by,
                   __ATOMIC_RELAXED);
}

// -------------------------------------------------------------------- records

static void set_kernel(oy_registration* r, const oy_kernel_params* kernel) {
  r->fallthrough = kernel->fallthrough;
  r->typed = kernel->typed != NULL;
  r->kernel.typed = kernel->typed ? kernel->typed : oyi_thunk_box;
  r->kernel.boxed = kernel->fallthrough ? oyi_boxed_fallthrough
                    : kernel->boxed     ? kernel->boxed
                                        : oyi_boxed_typed;
  r->kernel.user_data = kernel->state;
  r->destroy_state = kernel->destroy_state;
  r->dtype_filter = kernel->dtype_filter;
  r->cpu_level = kernel->cpu_level;
  r->priority = kernel->priority;
}

static oy_status check_kernel(const oy_kernel_params* kernel) {
  bool has_entry = kernel->typed || kernel->boxed;
  OY_CHECK(has_entry || kernel->fallthrough, INVALID_ARGUMENT,
           "expected a kernel with a typed entry, a boxed entry, or the mark "
           "for a fallthrough, got none of them");
  OY_CHECK(!(has_entry && kernel->fallthrough), INVALID_ARGUMENT,
           "expected a kernel or a fallthrough, got both in one registration");
  OY_CHECK(kernel->dtype_filter <= OY_DTYPE_LIMIT, INVALID_ARGUMENT,
           "expected a dtype below %d, got %d", OY_DTYPE_LIMIT, kernel->dtype_filter - 1);
  OY_CHECK(kernel->cpu_level <= OY_CPU_V4, INVALID_ARGUMENT,
           "expected a CPU level from %d to %d, got %d", OY_CPU_BASELINE, OY_CPU_V4,
           kernel->cpu_level);
  OY_CHECK(!kernel->fallthrough || !kernel->signature, INVALID_ARGUMENT,
           "expected a fallthrough without a signature, got \"%s\"", kernel->signature);
  return OY_OK;
}

oy_status oyi_registration_create(oy_library* library, oyi_registration_kind kind,
                                  oy_place place, const oy_kernel_params* kernel,
                                  oy_registration** out_registration) {
  *out_registration = NULL;
  if (kernel) OY_TRY(check_kernel(kernel));
  oy_registration* r = oyi_zalloc(sizeof(*r));
  if (!r) return OY_OUT_OF_MEMORY;
  r->library = library;
  r->kind = (uint8_t)kind;
  oy_status status = oyi_place_set(r, library, place);
  if (status == OY_OK && kernel && kernel->signature)
    status =
        oy_schema_parse(oy_str_of(kernel->signature),
                        OY_SCHEMA_SIGNATURE | OY_SCHEMA_ALLOW_TYPE_VARIABLES, &r->schema);
  if (status != OY_OK) {
    oyi_registration_discard(r);
    return status;
  }
  if (kernel) set_kernel(r, kernel);
  *out_registration = r;
  return OY_OK;
}

void oyi_registration_discard(oy_registration* r) {
  oyi_signature_release(r->signature);
  oy_schema_free(r->schema);
  oyi_free(r->tags);
  oyi_free(r->text);
  oyi_free(r);
}

static void free_retired(oyi_retired* retired) {
  oy_registration* r = (oy_registration*)retired;
  if (r->destroy_state) r->destroy_state(r->kernel.user_data);
  oyi_registration_discard(r);
}

static void enlist(oy_registration* r) {
  oy_library* library = r->library;
  r->previous = library->last;
  if (library->last)
    library->last->next = r;
  else
    library->first = r;
  library->last = r;
}

static void delist(oy_registration* r) {
  oy_library* library = r->library;
  if (r->previous)
    r->previous->next = r->next;
  else
    library->first = r->next;
  if (r->next)
    r->next->previous = r->previous;
  else
    library->last = r->previous;
}

// ------------------------------------------------------------------------ def

static uint64_t dispatch_bits(const oy_schema* schema) {
  uint64_t bits = 0;
  for (size_t i = 0; i < schema->argument_count; i++) {
    const oy_argument* a = &schema->arguments[i];
    const oy_type* type = a->type;
    if (type->kind == OY_TYPE_OPTIONAL) type = type->element;
    if (a->is_dispatch || type->kind == OY_TYPE_GENERATOR) bits |= 1ull << i;
  }
  return bits;
}

static void adopt_schema(oyi_op* op, oy_registration* r) {
  const oyi_signature* signature = r->signature;
  // Calls read these without a lock. An operator that is defined again as it
  // was is not written to, so that only a change of its schema can race.
  uint64_t bits = dispatch_bits(r->schema);
  uint32_t flags = (r->unobserved ? 0u : OY_OP_OBSERVED) |
                   (signature->returns_object ? OY_OP_RETURNS_OBJECT : 0u);
  if (op->hot.dispatch_arguments != bits)
    __atomic_store_n(&op->hot.dispatch_arguments, bits, __ATOMIC_RELAXED);
  if (op->hot.argument_count != r->schema->argument_count)
    __atomic_store_n(&op->hot.argument_count, (uint16_t)r->schema->argument_count,
                     __ATOMIC_RELAXED);
  if (op->hot.return_count != r->schema->return_count)
    __atomic_store_n(&op->hot.return_count, (uint16_t)r->schema->return_count,
                     __ATOMIC_RELAXED);
  if (op->hot.flags != flags) __atomic_store_n(&op->hot.flags, flags, __ATOMIC_RELAXED);
  oy_typed_fn fail = signature->returns_object ? (oy_typed_fn)oyi_fail_object
                                               : (oy_typed_fn)oyi_fail_status;
  if (op->hot.fail != fail) __atomic_store_n(&op->hot.fail, fail, __ATOMIC_RELEASE);
  __atomic_store_n(&op->signature, signature, __ATOMIC_RELEASE);
  __atomic_store_n(&op->unbox, signature->unbox, __ATOMIC_RELEASE);
  __atomic_store_n(&op->hot.box, signature->box, __ATOMIC_RELEASE);
  __atomic_store_n(&op->hot.variant, signature->variant, __ATOMIC_RELEASE);
  op->def = r;
  __atomic_store_n(&op->schema, r->schema, __ATOMIC_RELEASE);
}

// The way results are returned is kept, so that a stale handle still fails in
// the way that its callers test for.
static void drop_schema(oyi_op* op) {
  __atomic_store_n(&op->schema, NULL, __ATOMIC_RELEASE);
  __atomic_store_n(&op->hot.box, oyi_thunk_fail, __ATOMIC_RELEASE);
  __atomic_store_n(&op->hot.variant, oyi_thunk_fail, __ATOMIC_RELEASE);
  __atomic_store_n(&op->unbox, oyi_unbox_undefined, __ATOMIC_RELEASE);
  __atomic_store_n(&op->signature, NULL, __ATOMIC_RELEASE);
  op->def = NULL;
}

static void tell_listeners(oy_registry* registry, const oyi_op* op, bool defined) {
  for (oyi_listener_node* n = registry->listeners; n; n = n->next) {
    void (*told)(void*, const oy_op*) =
        defined ? n->listener.defined : n->listener.undefined;
    if (told) told(n->listener.user_data, &op->hot);
  }
}

oy_status oyi_link_def(oy_registration* r, oyi_op* op) {
  for (size_t i = 0; i < op->key_count; i++)
    for (oy_registration* k = op->keys[i].newest; k; k = k->older)
      OY_TRY(oyi_check_schema(op, r->schema, r, k));
  OY_TRY(oyi_signature_acquire(r->schema, &r->signature));
  r->op = op;
  adopt_schema(op, r);
  count(op, 1);
  enlist(r);
  changed(op->registry);
  tell_listeners(op->registry, op, true);
  return OY_OK;
}

static void unlink_def(oy_registration* r) {
  tell_listeners(r->op->registry, r->op, false);
  drop_schema(r->op);
}

// ----------------------------------------------------------------------- impl

static void warn_override(const oyi_op* op, const oy_registration* previous,
                          const oy_registration* r) {
  oy_registry* registry = op->registry;
  if (!registry->warning_sink) return;
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_strbuf_puts(&text,
                  "Overriding a previously registered kernel for the same "
                  "operator and the same dispatch key\n  operator: ");
  char* schema = NULL;
  if (op->def && oy_schema_print(op->def->schema, &schema) == OY_OK)
    oyi_strbuf_puts(&text, schema);
  else
    oyi_strbuf_append(&text, op->name, op->name_size);
  oy_text_free(schema);
  oyi_strbuf_puts(&text, "\n    ");
  if (op->def)
    oyi_place_print(op->def, &text);
  else
    oyi_strbuf_puts(&text, "no debug info");
  oyi_strbuf_printf(&text,
                    "\n  dispatch key: %s\n  previous kernel: ", oy_key_name(r->key));
  oyi_place_print(previous, &text);
  oyi_strbuf_puts(&text, "\n       new kernel: ");
  oyi_place_print(r, &text);
  if (!text.failed) registry->warning_sink(registry->warning_user_data, text.data);
  oyi_strbuf_reset(&text);
}

// The newest registration that |r| takes the place of: same dtype and machine.
static const oy_registration* overridden(const oyi_key_kernels* kernels,
                                         const oy_registration* r) {
  for (const oy_registration* k = kernels ? kernels->newest : NULL; k; k = k->older)
    if (k->dtype_filter == r->dtype_filter && k->cpu_level == r->cpu_level &&
        k->priority == r->priority)
      return k;
  return NULL;
}

static oyi_key_kernels* kernels_for(oyi_op* op, oy_key key) {
  oyi_key_kernels* kernels = oyi_kernels_at(op, key);
  if (kernels) return kernels;
  if (!oyi_grow(&op->keys, &op->key_capacity, op->key_count + 1, sizeof(*op->keys)))
    return NULL;
  // Counted only when it gets its first kernel: a list is never empty.
  op->keys[op->key_count] = (oyi_key_kernels){key, NULL};
  return &op->keys[op->key_count];
}

// Kernels for the same dtype, capability and priority stand together, newest
// first; only among them does the order of registering matter.
static int compare_groups(const oy_registration* a, const oy_registration* b) {
  if (a->dtype_filter != b->dtype_filter)
    return a->dtype_filter < b->dtype_filter ? -1 : 1;
  if (a->cpu_level != b->cpu_level) return a->cpu_level < b->cpu_level ? -1 : 1;
  return (a->priority > b->priority) - (a->priority < b->priority);
}

static void push_kernel(oyi_key_kernels* kernels, oy_registration* r) {
  oy_registration** at = &kernels->newest;
  while (*at && compare_groups(*at, r) < 0) at = &(*at)->older;
  r->older = *at;
  *at = r;
}

oy_status oyi_link_impl(oy_registration* r, oyi_op* op, bool allow_override) {
  OY_TRY(oyi_check_other_kernels(op, r));
  if (op->def) OY_TRY(oyi_check_schema(op, op->def->schema, op->def, r));
  oyi_key_kernels* kernels = kernels_for(op, r->key);
  if (!kernels) return OY_OUT_OF_MEMORY;
  if (r->dtype_filter) OY_TRY(oyi_variants_ensure(op, r->key));
  const oy_registration* previous = overridden(kernels, r);
  if (previous && !allow_override && r->key != OY_KEY_Meta)
    warn_override(op, previous, r);
  r->op = op;
  if (!kernels->newest) op->key_count++;
  push_kernel(kernels, r);
  op->dtype_kernels += r->dtype_filter != 0;
  count(op, 1);
  enlist(r);
  oyi_table_refresh(op, r->key);
  changed(op->registry);
  return OY_OK;
}

static void unlink_impl(oy_registration* r) {
  oyi_op* op = r->op;
  oyi_key_kernels* kernels = oyi_kernels_at(op, r->key);
  oy_registration** at = &kernels->newest;
  while (*at != r) at = &(*at)->older;
  *at = r->older;
  oy_key key = r->key;
  if (!kernels->newest) *kernels = op->keys[--op->key_count];
  op->dtype_kernels -= r->dtype_filter != 0;
  oyi_table_refresh(op, key);
  if (op->dtype_kernels == 0) oyi_variants_retire(op);
}

// ------------------------------------------------------------------- fallback

static void refresh_fallback(oy_registry* registry, oy_key key) {
  oy_keyset set = oy_key_expand(key);
  uint32_t cursor = 0;
  oy_key slot;
  while (oy_keyset_next(set, &cursor, &slot))
    for (size_t i = 0; i < registry->op_count; i++)
      oyi_table_refresh_slot(registry->ops[i], slot);
}

static oy_status check_free(oy_registry* registry, const oy_registration* r, oy_key key) {
  oy_registration* other = oyi_fallback_at(registry, key);
  if (!other) return OY_OK;
  oyi_strbuf was = OYI_STRBUF_INIT, now = OYI_STRBUF_INIT;
  oyi_place_print(other, &was);
  oyi_place_print(r, &now);
  OY_FAIL(ALREADY_EXISTS,
          "Tried to register multiple backend fallbacks for the same dispatch "
          "key %s; previous registration %s, new registration %s",
          oy_key_name(key), was.data ? was.data : "", now.data ? now.data : "");
  oyi_strbuf_reset(&was);
  oyi_strbuf_reset(&now);
  return OY_ALREADY_EXISTS;
}

oy_status oyi_link_fallback(oy_registration* r) {
  oy_registry* registry = r->library->registry;
  oy_keyset set = oy_key_expand(r->key);
  uint32_t cursor = 0;
  oy_key key;
  while (oy_keyset_next(set, &cursor, &key)) OY_TRY(check_free(registry, r, key));
  cursor = 0;
  while (oy_keyset_next(set, &cursor, &key)) *oyi_fallback_slot(registry, key) = r;
  enlist(r);
  refresh_fallback(registry, r->key);
  changed(registry);
  return OY_OK;
}

static void unlink_fallback(oy_registration* r) {
  oy_registry* registry = r->library->registry;
  oy_keyset set = oy_key_expand(r->key);
  uint32_t cursor = 0;
  oy_key key;
  while (oy_keyset_next(set, &cursor, &key))
    if (oyi_fallback_at(registry, key) == r) *oyi_fallback_slot(registry, key) = NULL;
  refresh_fallback(registry, r->key);
}

void oyi_unlink(oy_registration* r) {
  oy_registry* registry = r->library->registry;
  delist(r);
  if (r->kind == OYI_DEF) unlink_def(r);
  if (r->kind == OYI_IMPL) unlink_impl(r);
  if (r->kind == OYI_FALLBACK) unlink_fallback(r);
  if (r->op) {
    count(r->op, -1);
    oyi_op_settle(r->op);
  }
  changed(registry);
  oyi_retire(&registry->limbo, &r->retired, free_retired);
}
