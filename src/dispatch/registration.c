// SPDX-License-Identifier: Apache-2.0
#include "dispatch/registration.h"

#include "base/memory.h"
#include "base/probe.h"
#include "base/strbuf.h"
#include "dispatch/call.h"
#include "dispatch/op.h"
#include "dispatch/op_schema.h"
#include "dispatch/owner.h"
#include "dispatch/place.h"
#include "dispatch/table.h"
#include "dispatch/thunks.h"
#include "dispatch/trace.h"

// The lock is held, so nobody else adds.
static void changed(oy_registry* registry) {
  __atomic_store_n(&registry->generation, registry->generation + 1, __ATOMIC_RELEASE);
}

static void count(oyi_op* op, int by) {
  __atomic_store_n(&op->registrations, op->registrations + (uint32_t)by,
                   __ATOMIC_RELAXED);
}

// ---------------------------------------------------------------------- links

static void free_retired(oyi_retired* retired) {
  oy_registration* r = (oy_registration*)retired;
  if (r->kind != OYI_DEF && r->destroy_state) r->destroy_state(r->kernel.user_data);
  oyi_registration_discard(r);
}

static void enlist(oy_registration* r) {
  oy_library* library = r->library;
  r->previous = library->last;
  r->next = NULL;
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

void oyi_registration_move(oy_registration* r, oy_library* library) {
  delist(r);
  r->library = library;
  enlist(r);
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

static void adopt_schema(oyi_op* op, oy_registration* r, const oy_schema* schema) {
  const oyi_signature* signature = r->signature;
  // Calls read these without a lock. An operator that is defined again as it
  // was is not written to, so that only a change of its schema can race.
  uint64_t bits = dispatch_bits(schema);
  uint32_t flags = (r->unobserved ? 0u : OY_OP_OBSERVED) |
                   (signature->returns_object ? OY_OP_RETURNS_OBJECT : 0u);
  if (op->hot.dispatch_arguments != bits)
    __atomic_store_n(&op->hot.dispatch_arguments, bits, __ATOMIC_RELAXED);
  if (op->hot.argument_count != schema->argument_count)
    __atomic_store_n(&op->hot.argument_count, (uint16_t)schema->argument_count,
                     __ATOMIC_RELAXED);
  if (op->hot.return_count != schema->return_count)
    __atomic_store_n(&op->hot.return_count, (uint16_t)schema->return_count,
                     __ATOMIC_RELAXED);
  if (op->hot.flags != flags) __atomic_store_n(&op->hot.flags, flags, __ATOMIC_RELAXED);
  oy_typed_fn fail = signature->returns_object ? (oy_typed_fn)oyi_fail_object
                                               : (oy_typed_fn)oyi_fail_status;
  if (op->hot.fail != fail) __atomic_store_n(&op->hot.fail, fail, __ATOMIC_RELEASE);
  oyi_definition_begin(op, r);
  __atomic_store_n(&op->signature, signature, __ATOMIC_RELEASE);
  __atomic_store_n(&op->unbox, signature->unbox, __ATOMIC_RELEASE);
  __atomic_store_n(&op->hot.box, signature->box, __ATOMIC_RELEASE);
  __atomic_store_n(&op->hot.variant, signature->variant, __ATOMIC_RELEASE);
}

// The way results are returned is kept, so that a stale handle still fails in
// the way that its callers test for.
static void drop_schema(oyi_op* op) {
  __atomic_store_n(&op->hot.box, oyi_thunk_fail, __ATOMIC_RELEASE);
  __atomic_store_n(&op->hot.variant, oyi_thunk_fail, __ATOMIC_RELEASE);
  __atomic_store_n(&op->unbox, oyi_unbox_undefined, __ATOMIC_RELEASE);
  __atomic_store_n(&op->signature, NULL, __ATOMIC_RELEASE);
  oyi_definition_end(op);
}

static void tell_listeners(oy_registry* registry, const oyi_op* op, bool defined) {
  for (oyi_listener_node* n = registry->listeners; n; n = n->next) {
    void (*told)(void*, const oy_op*) =
        defined ? n->listener.defined : n->listener.undefined;
    if (told) told(n->listener.user_data, &op->hot);
  }
}

oy_status oyi_link_def(oy_registration* r, oyi_op* op, const oy_schema* schema) {
  for (const oy_registration* newest = op->kernels; newest; newest = newest->other)
    for (const oy_registration* k = newest; k; k = k->older)
      OY_TRY(oyi_check_schema(op, schema, r, k));
  OY_TRY(oyi_signature_acquire(schema, &r->signature));
  r->op = op;
  adopt_schema(op, r, schema);
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

OYI_COLD static void warn_override(const oyi_op* op, const oy_registration* previous,
                                   const oy_registration* r) {
  oy_registry* registry = op->registry;
  if (!registry->warning_sink) return;
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_strbuf_puts(&text,
                  "Overriding a previously registered kernel for the same "
                  "operator and the same dispatch key\n  operator: ");
  char* schema = NULL;
  const oy_schema* defined = op->def ? oyi_definition_schema(op->def) : NULL;
  if (defined && oy_schema_print(defined, &schema) == OY_OK)
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
static const oy_registration* overridden(const oy_registration* newest,
                                         const oy_registration* r) {
  for (const oy_registration* k = newest; k; k = k->older)
    if (k->dtype_filter == r->dtype_filter && k->cpu_level == r->cpu_level &&
        k->priority == r->priority)
      return k;
  return NULL;
}

// Where the newest kernel at |key| hangs, or would.
static oy_registration** stack_at(oyi_op* op, oy_key key) {
  oy_registration** at = &op->kernels;
  while (*at && (*at)->key != key) at = &(*at)->other;
  return at;
}

// Kernels for the same dtype, capability and priority stand together, newest
// first; only among them does the order of registering matter.
static int compare_groups(const oy_registration* a, const oy_registration* b) {
  if (a->dtype_filter != b->dtype_filter)
    return a->dtype_filter < b->dtype_filter ? -1 : 1;
  if (a->cpu_level != b->cpu_level) return a->cpu_level < b->cpu_level ? -1 : 1;
  return (a->priority > b->priority) - (a->priority < b->priority);
}

static void mark_alias(oyi_op* op, oy_key key, bool present) {
  if (!oy_key_is_alias(key)) return;
  unsigned bit = 1u << (key & ~(unsigned)OY_KEY_ALIAS_BIT);
  op->aliases = (uint8_t)(present ? op->aliases | bit : op->aliases & ~bit);
}

static void push_kernel(oyi_op* op, oy_registration** stack, oy_registration* r) {
  oy_registration* newest = *stack;
  if (!newest) {
    *stack = r;
    mark_alias(op, r->key, true);
  } else if (compare_groups(newest, r) >= 0) {
    r->older = newest;
    r->other = newest->other;
    *stack = r;
  } else {
    oy_registration** at = &newest->older;
    while (*at && compare_groups(*at, r) < 0) at = &(*at)->older;
    r->older = *at;
    *at = r;
  }
}

static void pop_kernel(oyi_op* op, oy_registration* r) {
  oy_registration** stack = stack_at(op, r->key);
  if (*stack != r) {
    oy_registration** at = &(*stack)->older;
    // NOLINT: below the top of a stack that is not empty stands |r|
    while (*at != r) at = &(*at)->older;
    *at = r->older;
  } else if (r->older) {
    r->older->other = r->other;
    *stack = r->older;
  } else {
    *stack = r->other;
    mark_alias(op, r->key, false);
  }
}

OYI_COLD static oy_status check_signature(const oyi_op* op, const oy_registration* r) {
  OY_TRY(oyi_check_other_kernels(op, r));
  if (!op->def) return OY_OK;
  const oy_schema* schema = oyi_definition_schema(op->def);
  return schema ? oyi_check_schema(op, schema, op->def, r) : OY_OUT_OF_MEMORY;
}

oy_status oyi_link_impl(oy_registration* r, oyi_op* op, bool allow_override) {
  if (r->schema) OY_TRY(check_signature(op, r));
  if (r->dtype_filter) OY_TRY(oyi_variants_ensure(op, r->key));
  oy_registration** stack = stack_at(op, r->key);
  const oy_registration* previous = overridden(*stack, r);
  if (previous && !allow_override && r->key != OY_KEY_Meta)
    warn_override(op, previous, r);
  if (previous && r->key == OY_KEY_CPU)
    __atomic_fetch_or(&oyi_backward_watch, OYI_WATCH_REPLACED, __ATOMIC_RELAXED);
  r->op = op;
  push_kernel(op, stack, r);
  op->dtype_kernels += r->dtype_filter != 0;
  count(op, 1);
  enlist(r);
  oyi_table_refresh(op, r->key);
  changed(op->registry);
  OYI_PROBE2(kernel__register, &op->name[0], r->key);
  return OY_OK;
}

static void unlink_impl(oy_registration* r) {
  oyi_op* op = r->op;
  pop_kernel(op, r);
  op->dtype_kernels -= r->dtype_filter != 0;
  oyi_table_refresh(op, r->key);
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

// Whether both can stand at one key. Those of one key may have others of another priority
// below them, and those of code that they replace; one of an alias key has many places, and
// so nothing below it.
static bool fits(const oy_registration* r, const oy_registration* other) {
  if (r->priority == other->priority && !oyi_owner_is_replaced(other->library))
    return false;
  const oy_registration* upper = r->priority >= other->priority ? r : other;
  return !oy_key_is_alias(upper->key);
}

static oy_status check_free(oy_registry* registry, const oy_registration* r, oy_key key) {
  const oy_registration* other = oyi_fallback_at(registry, key);
  while (other && fits(r, other)) other = other->older;
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

static void push_fallback(oy_registry* registry, oy_registration* r, oy_key key) {
  oy_registration** at = oyi_fallback_slot(registry, key);
  while (*at && (*at)->priority > r->priority) at = &(*at)->older;
  if (!oy_key_is_alias(r->key)) r->older = *at;
  *at = r;
}

static void pop_fallback(oy_registry* registry, const oy_registration* r, oy_key key) {
  oy_registration** at = oyi_fallback_slot(registry, key);
  while (*at && *at != r) at = &(*at)->older;
  if (*at) *at = r->older;
}

oy_status oyi_link_fallback(oy_registration* r) {
  oy_registry* registry = r->library->registry;
  oy_keyset set = oy_key_expand(r->key);
  uint32_t cursor = 0;
  oy_key key;
  while (oy_keyset_next(set, &cursor, &key)) OY_TRY(check_free(registry, r, key));
  cursor = 0;
  while (oy_keyset_next(set, &cursor, &key)) push_fallback(registry, r, key);
  enlist(r);
  oyi_prototype_drop(registry);
  refresh_fallback(registry, r->key);
  changed(registry);
  return OY_OK;
}

static void unlink_fallback(oy_registration* r) {
  oy_registry* registry = r->library->registry;
  oy_keyset set = oy_key_expand(r->key);
  uint32_t cursor = 0;
  oy_key key;
  while (oy_keyset_next(set, &cursor, &key)) pop_fallback(registry, r, key);
  oyi_prototype_drop(registry);
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
