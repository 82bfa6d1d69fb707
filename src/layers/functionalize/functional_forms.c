// SPDX-License-Identifier: Apache-2.0
// Which operator gives what another one writes: "add.Tensor" for "add_.Tensor" and
// "add.out". It is one of the same name that takes the same arguments, but for those that
// are out=, and any others only if they may be left out. Found by looking at all operators,
// once for each.
#include "base/memory.h"
#include "layers/functionalize/functional.h"

// Found so far. A slot is taken once and then stays: |form| is set before |op|.
enum { SLOTS = 4096 };
typedef struct slot {
  const oy_op* op;    // atomic
  const oy_op* form;  // |op| itself: there is none
  int taken;          // atomic
} slot;
static slot g_slots[SLOTS];

static size_t slot_of(const oy_op* op) {
  return (size_t)(((uintptr_t)op >> 6) * 0x9E3779B97F4A7C15ull >> 52) % SLOTS;
}

static const oy_op* recall(const oy_op* op) {
  for (size_t i = slot_of(op), n = 0; n < 64; i = (i + 1) % SLOTS, n++) {
    const oy_op* found = __atomic_load_n(&g_slots[i].op, __ATOMIC_ACQUIRE);
    if (found == op) return g_slots[i].form;
    if (!found) return NULL;
  }
  return NULL;
}

// Two threads may find the same; the second one's slot is not read.
static void remember(const oy_op* op, const oy_op* form) {
  for (size_t i = slot_of(op), n = 0; n < 64; i = (i + 1) % SLOTS, n++) {
    if (__atomic_exchange_n(&g_slots[i].taken, 1, __ATOMIC_ACQ_REL)) continue;
    g_slots[i].form = form;
    __atomic_store_n(&g_slots[i].op, op, __ATOMIC_RELEASE);
    return;
  }
}

// ------------------------------------------------------------------------- the search

// "add" for "add_" and "add"; "__lshift__" for "__ilshift__".
static bool is_base(oy_str base, const oy_schema* schema) {
  oy_str own = schema->name.base;
  if (oy_str_equal(base, own)) return true;
  if (own.size > 4 && memcmp(own.data, "__i", 3) == 0)
    return base.size + 1 == own.size && memcmp(base.data, "__", 2) == 0 &&
           memcmp(base.data + 2, own.data + 3, base.size - 2) == 0;
  if (own.size == 0 || own.data[own.size - 1] != '_') return false;
  oy_str bare = {own.data, own.size - 1};
  const oy_str suffix = oy_str_of("_functional");
  if (oy_str_equal(base, bare)) return true;
  return base.size == bare.size + suffix.size &&
         memcmp(base.data, bare.data, bare.size) == 0 &&
         memcmp(base.data + bare.size, suffix.data, suffix.size) == 0;
}

static const oy_argument* argument_named(const oy_schema* schema, oy_str name) {
  for (size_t i = 0; i < schema->argument_count; i++)
    if (oy_str_equal(schema->arguments[i].name, name)) return &schema->arguments[i];
  return NULL;
}

// How many arguments |form| has besides those of |schema|; -1 if it is not its form.
static int besides(const oy_schema* schema, const oy_schema* form) {
  size_t used = 0;
  for (size_t i = 0; i < schema->argument_count; i++) {
    const oy_argument* a = &schema->arguments[i];
    if (a->is_out) continue;
    const oy_argument* b = argument_named(form, a->name);
    if (!b || !oy_type_equal(a->type, b->type)) return -1;
    used++;
  }
  for (size_t i = 0; i < form->argument_count; i++)
    if (!argument_named(schema, form->arguments[i].name) &&
        form->arguments[i].default_value.kind == OY_DEFAULT_ABSENT)
      return -1;
  return (int)(form->argument_count - used);
}

static const oy_op* search(const oy_op* op, const oy_schema* schema) {
  const oy_op** all;
  size_t count;
  if (oy_registry_list(oy_op_registry(op), &all, &count) != OY_OK) return NULL;
  const oy_op* best = NULL;
  int best_besides = 0;
  for (size_t i = 0; i < count; i++) {
    const oy_schema* s = all[i] == op ? NULL : oy_op_schema(all[i]);
    if (!s || !oy_str_equal(s->name.ns, schema->name.ns) ||
        !is_base(s->name.base, schema) || !oy_schema_is_functional(s))
      continue;
    int more = besides(schema, s);
    if (more < 0 || (best && more >= best_besides)) continue;
    best = all[i];
    best_besides = more;
  }
  oy_ops_free(all);
  return best ? best : op;
}

const oy_op* oyi_functional_form(const oy_op* op, const oy_schema* schema) {
  const oy_op* form = recall(op);
  if (!form && (form = search(op, schema))) remember(op, form);
  return form == op ? NULL : form;
}
