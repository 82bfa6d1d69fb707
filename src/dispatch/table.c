// SPDX-License-Identifier: Apache-2.0
// Stored tables. A slot is one pointer, stored with release; a table is only
// replaced as a whole when a backend comes into use or the operator dies.
//
// A slot is stored before the mask bit that depends on it. So a call may find
// the record of a fallthrough although its mask has just been cleared or not yet
// set; that record then passes the call on, and nothing is lost.
#include "dispatch/table.h"

#include "base/memory.h"
#include "dispatch/call.h"
#include "dispatch/trace.h"

typedef struct table_owner {
  oyi_retired retired;
  oyi_slab* slab;
} table_owner;

enum {
  CPU_MASK = OY_TABLE_MASK,
  // The end of the base has no slots; it holds what giving up a table needs.
  OWNER_AT = OY_TABLE_MASK + 8,
  INACTIVE_BLOCK = OY_TABLE_BASE,
  FIRST_FREE_BLOCK = INACTIVE_BLOCK + OY_TABLE_BLOCK
};
_Static_assert(OWNER_AT + sizeof(table_owner) <= OY_TABLE_BASE, "room for the owner");

#define REST  INACTIVE_BLOCK
#define REST9 REST, REST, REST, REST, REST, REST, REST, REST, REST
#define BLOCKS \
  { CPU_MASK, REST9, REST9, REST9, REST9, REST9, REST9, REST9 }
// Of backends other than the CPU, whose slots are all in the base.
#define WITHIN(f) [f] = ~0ull
#define AT(f, w)  [f] = 8 * (w)
#define BASE(f)   AT(f, f)
#define BASE4(f)  BASE(f), BASE((f) + 1), BASE((f) + 2), BASE((f) + 3)
oy_table_map oy_tables = {
    BLOCKS,
    {WITHIN(1), WITHIN(6), WITHIN(9), WITHIN(10), WITHIN(11), WITHIN(23)},
    {BASE(0),   AT(1, 1),  BASE4(2),  AT(6, 2),  BASE(7),   BASE(8),
     AT(9, 3),  AT(10, 4), AT(11, 5), BASE4(12), BASE4(16), BASE(20),
     BASE(21),  BASE(22),  AT(23, 6), BASE4(24), BASE4(28), BASE4(32),
     BASE4(36), BASE4(40), BASE4(44), BASE(48)}};
// Calls read the offsets there; writers use these, which are ahead while the block
// of a backend that comes into use is being filled.
static uint64_t g_blocks[64] = BLOCKS;

uint64_t oyi_table_backends = 1ull << OY_BACKEND_CPU;
static uint64_t g_active = 1ull << OY_BACKEND_CPU;  // atomic
static size_t g_table_bytes = FIRST_FREE_BLOCK;

// What an operator without registrations points to: every slot is "missing".
// Covers the blocks of all backends that can ever be in use.
static unsigned char g_dead_table[FIRST_FREE_BLOCK + 62 * OY_TABLE_BLOCK]
    __attribute__((aligned(64)));
static pthread_once_t g_dead_once = PTHREAD_ONCE_INIT;

static const oy_kernel** slot_at(const unsigned char* table, size_t at) {
  return (const oy_kernel**)(uintptr_t)(table + at);
}
static uint64_t* mask_at(const unsigned char* table, size_t block) {
  return (uint64_t*)(uintptr_t)(table + block);
}

static void fill(unsigned char* table, size_t begin, size_t end,
                 const oy_kernel* kernel) {
  for (size_t at = begin; at < end; at += sizeof(void*)) *slot_at(table, at) = kernel;
}

// Only bits that have a slot: what is left of a key set selects one of them. Every
// thread includes the mark; it gets through while all threads are observed.
#define MARK     (1ull << OY_KEY_TraceRedispatch)
#define ALL_KEYS (((1ull << OY_FUNCTIONALITY_COUNT) - 1) & (~MARK | mark()))
static uint64_t g_mark;  // MARK or 0; atomic, written with every registry's lock held
static uint64_t mark(void) {
  return __atomic_load_n(&g_mark, __ATOMIC_RELAXED);
}

static void fill_block(unsigned char* table, size_t block, const oy_kernel* kernel) {
  fill(table, block, block + OY_TABLE_BLOCK, kernel);
  *mask_at(table, block) = ALL_KEYS;
}

static void fill_base(unsigned char* table) {
  fill(table, 0, CPU_MASK, &oyi_missing_kernel);
  *mask_at(table, CPU_MASK) = ALL_KEYS;
  *slot_at(table, 8 * OY_KEY_Trace) = &oyi_trace_kernel;
  *slot_at(table, 8 * OY_KEY_TraceRedispatch) = &oyi_trace_redispatch_kernel;
}

static void fill_dead_table(void) {
  fill_base(g_dead_table);
  for (size_t b = OY_TABLE_BASE; b < sizeof(g_dead_table); b += OY_TABLE_BLOCK)
    fill_block(g_dead_table, b, &oyi_missing_kernel);
}

size_t oyi_table_bytes(void) {
  return g_table_bytes;
}

bool oyi_backend_is_active(oy_backend backend) {
  uint64_t active = __atomic_load_n(&g_active, __ATOMIC_ACQUIRE);
  return backend >= 0 && (active >> backend & 1);
}

bool oyi_key_is_ready(oy_key key) {
  if (oy_key_is_alias(key)) return key < OY_KEY_ALIAS_BIT + OY_ALIAS_KEY_COUNT;
  const uint64_t singles = ((1ull << OY_FUNCTIONALITY_COUNT) - 1) &
                           ~(OY_PER_BACKEND_MASK | 1ull << OY_KEY_Undefined |
                             1ull << OY_KEY_Trace | 1ull << OY_KEY_TraceRedispatch);
  unsigned f = oy_key_functionality(key);
  oy_backend backend = oy_key_backend(key);
  if (f >= 64) return false;
  if (backend < 0) return singles >> f & 1;
  return (OY_PER_BACKEND_MASK >> f & 1) && backend < 64 && oyi_backend_is_active(backend);
}

static bool has_block(oy_backend backend) {
  return backend < 0 || (oyi_table_backends >> backend & 1);
}

static unsigned char* table_of(const oyi_op* op) {
  return (unsigned char*)(uintptr_t)op->hot.table;
}

static size_t slot_offset(oy_key key) {
  oy_key f = oy_key_functionality(key);
  oy_backend backend = oy_key_backend(key);
  if (backend <= OY_BACKEND_CPU) return 8 * (size_t)f;
  return oy_tables.offset[f] + (oy_tables.within[f] & g_blocks[backend]);
}

const oy_kernel* oyi_table_stored(const oyi_op* op, oy_key key) {
  if (!has_block(oy_key_backend(key))) return NULL;
  return __atomic_load_n(slot_at(table_of(op), slot_offset(key)), __ATOMIC_ACQUIRE);
}

uint64_t oyi_table_mask(const oyi_op* op, oy_backend backend) {
  return *mask_at(table_of(op), g_blocks[backend < 0 ? 0 : backend]);
}

// ------------------------------------------------------------------- refresh

static void set_mask_bit(unsigned char* table, size_t block, oy_key f, bool on) {
  uint64_t* mask = mask_at(table, block);
  uint64_t bit = 1ull << f;
  uint64_t value = on ? *mask | bit : *mask & ~bit;
  if (value != *mask) __atomic_store_n(mask, value, __ATOMIC_RELEASE);
}

static void update_masks(unsigned char* table, oy_key key, bool on) {
  oy_key f = oy_key_functionality(key);
  if (f == OY_KEY_Undefined) return;
  if (oy_tables.within[f]) {
    set_mask_bit(table, g_blocks[oy_key_backend(key)], f, on);
    return;
  }
  set_mask_bit(table, CPU_MASK, f, on);
  for (size_t b = OY_TABLE_BASE; b < g_table_bytes; b += OY_TABLE_BLOCK)
    set_mask_bit(table, b, f, on);
}

// The record to store: the plain kernel, or the variant record if the kernel
// depends on the dtype of the call.
static const oy_kernel* resolve(const oyi_rule* rule, oy_key key) {
  oyi_variants* variants = rule->op->variants ? oyi_variants_at(rule->op, key) : NULL;
  if (variants && oyi_variants_fill(rule->op, variants)) return &variants->open.kernel;
  return oyi_rule_cell(rule, key).kernel;
}

static void store(unsigned char* table, oy_key key, const oy_kernel* kernel) {
  const oy_kernel** slot = slot_at(table, slot_offset(key));
  const oy_kernel* before = *slot;
  if (before == kernel) return;
  __atomic_store_n(slot, kernel, __ATOMIC_RELEASE);
  // What stood there is not freed yet.
  bool skipped = kernel->boxed == oyi_boxed_fallthrough;
  if (skipped != (before->boxed == oyi_boxed_fallthrough))
    update_masks(table, key, !skipped);
}

static void refresh_cell(const oyi_rule* rule, unsigned char* table, oy_key key) {
  store(table, key, resolve(rule, key));
}

OYI_COLD static void refresh_by_rule(oyi_op* op, oy_key key) {
  oyi_rule rule;
  oyi_rule_begin(&rule, op, OY_DTYPE_ANY);
  refresh_cell(&rule, table_of(op), key);
}

void oyi_table_refresh_slot(oyi_op* op, oy_key key) {
  if (!has_block(oy_key_backend(key))) return;
  unsigned char* table = table_of(op);
  if (table == g_dead_table) return;
  // The rule's first step, which most slots need no more of.
  const oy_registration* direct =
      op->variants ? NULL : oyi_active_kernel(oyi_kernels_at(op, key), OY_DTYPE_ANY);
  if (direct)
    store(table, key, &direct->kernel);
  else
    refresh_by_rule(op, key);
}

// The trace's own keys have the same kernels always.
static void refresh_set(oyi_op* op, oy_keyset set) {
  const uint64_t fixed =
      1ull << OY_KEY_Undefined | 1ull << OY_KEY_Trace | 1ull << OY_KEY_TraceRedispatch;
  unsigned char* table = table_of(op);
  if (table == g_dead_table) return;
  oyi_rule rule;
  oyi_rule_begin(&rule, op, OY_DTYPE_ANY);
  for (uint64_t rest = set.functionality & ~fixed; rest; rest &= rest - 1) {
    oy_key f = (oy_key)__builtin_ctzll(rest);
    if (!oy_tables.within[f]) {
      refresh_cell(&rule, table, f);
      continue;
    }
    for (uint64_t b = set.backends & oyi_table_backends; b; b &= b - 1)
      refresh_cell(&rule, table, (oy_key)OY_KEY_OF(f, __builtin_ctzll(b)));
  }
}

// The autograd key whose use of composites depends on there being a kernel at
// |key|: the inverse of oy_key_backends_of_autograd, and AutogradOther, which a
// sparse or opaque backend may make ambiguous. Undefined if there is none.
static oy_key guarding_autograd(oy_key key) {
  oy_key f = oy_key_functionality(key);
  if (f == OY_KEY_NestedTensor) return OY_KEY_AutogradNestedTensor;
  if (!oy_key_is_backend(key)) return OY_KEY_Undefined;
  if (f != OY_KEY_Dense) return OY_KEY_AutogradOther;
  return oy_backend_has_autograd(oy_key_backend(key))
             ? oy_key_autograd_of_backend(oy_key_backend(key))
             : (oy_key)OY_KEY_Undefined;
}

#define IMPLICIT_BIT \
  (1u << (OY_KEY_CompositeImplicitAutograd & ~(unsigned)OY_KEY_ALIAS_BIT))

// Slots besides that of |key|.
OYI_COLD static void refresh_others(oyi_op* op, oy_key key) {
  if (!oy_key_is_alias(key)) {
    oy_key guard = guarding_autograd(key);
    if (guard != OY_KEY_Undefined) oyi_table_refresh_slot(op, guard);
    return;
  }
  refresh_set(op, oy_key_expand(key));
  if (key == OY_KEY_CompositeExplicitAutograd && op->aliases & IMPLICIT_BIT)
    refresh_set(op, oy_key_expand(OY_KEY_CompositeImplicitAutograd));
  oyi_table_refresh_slot(op, OY_KEY_Undefined);
}

void oyi_table_refresh(oyi_op* op, oy_key key) {
  bool alias = oy_key_is_alias(key);
  if (alias || op->aliases & IMPLICIT_BIT) refresh_others(op, key);
  if (!alias) oyi_table_refresh_slot(op, key);
}

void oyi_table_refresh_all(oyi_op* op) {
  oyi_table_refresh_slot(op, OY_KEY_Undefined);
  refresh_set(op, oy_keyset_full());
}

static void observe_table(unsigned char* table, size_t bytes, bool on) {
  set_mask_bit(table, CPU_MASK, OY_KEY_TraceRedispatch, on);
  for (size_t b = OY_TABLE_BASE; b < bytes; b += OY_TABLE_BLOCK)
    set_mask_bit(table, b, OY_KEY_TraceRedispatch, on);
}

// ------------------------------------------------------------ create, retire

static table_owner* owner_of(unsigned char* table) {
  return (table_owner*)(void*)(table + OWNER_AT);
}

static void free_table(oyi_retired* retired) {
  oyi_slab_return(((table_owner*)retired)->slab, (unsigned char*)retired - OWNER_AT);
}

static void init_table(unsigned char* table) {
  fill_base(table);
  for (size_t b = OY_TABLE_BASE; b < g_table_bytes; b += OY_TABLE_BLOCK)
    fill_block(table, b, &oyi_missing_kernel);
  fill_block(table, INACTIVE_BLOCK, &oyi_inactive_kernel);
}

static void publish(oyi_op* op, unsigned char* table) {
  __atomic_store_n(&op->hot.table, table, __ATOMIC_RELEASE);
}

// What an operator without kernels has: fallbacks.
static void init_prototype(oy_registry* registry) {
  init_table(registry->prototype);
  oyi_op model = {.registry = registry};
  model.hot.table = registry->prototype;
  for (oy_key f = 1; f < OY_FUNCTIONALITY_COUNT; f++)
    if (registry->fallback_single[f]) oyi_table_refresh_slot(&model, f);
  oy_keyset rows = {OY_PER_BACKEND_MASK, oyi_table_backends};
  uint32_t cursor = 0;
  oy_key key;
  while (oy_keyset_next(rows, &cursor, &key))
    if (oyi_fallback_at(registry, key)) oyi_table_refresh_slot(&model, key);
}

static oy_status make_prototype(oy_registry* registry) {
  oyi_free(registry->prototype);
  registry->prototype = oyi_zalloc(g_table_bytes);
  if (!registry->prototype) return OY_OUT_OF_MEMORY;
  init_prototype(registry);
  registry->prototype_bytes = g_table_bytes;
  return OY_OK;
}

void oyi_prototype_drop(oy_registry* registry) {
  registry->prototype_bytes = 0;
}

oy_status oyi_table_create(oyi_op* op) {
  oy_registry* registry = op->registry;
  pthread_once(&g_dead_once, fill_dead_table);
  if (!op->hot.table) publish(op, g_dead_table);
  if (registry->prototype_bytes != g_table_bytes) OY_TRY(make_prototype(registry));
  oyi_slab* slab;
  unsigned char* table = oyi_slabs_take(&registry->tables, g_table_bytes, &slab);
  if (!table) return OY_OUT_OF_MEMORY;
  memcpy(table, registry->prototype, g_table_bytes);
  owner_of(table)->slab = slab;
  publish(op, table);
  return OY_OK;
}

void oyi_table_retire(oyi_op* op) {
  unsigned char* table = table_of(op);
  if (table == g_dead_table || !table) return;
  publish(op, g_dead_table);
  oyi_retire(&op->registry->limbo, &owner_of(table)->retired, free_table);
}

// ---------------------------------------------------------- a further backend

pthread_mutex_t oyi_registries_mutex = PTHREAD_MUTEX_INITIALIZER;
oy_registry* oyi_registries;

static void lock_all(void) {
  pthread_mutex_lock(&oyi_registries_mutex);
  for (oy_registry* r = oyi_registries; r; r = r->next) pthread_mutex_lock(&r->mutex);
}

static void unlock_all(void) {
  for (oy_registry* r = oyi_registries; r; r = r->next) pthread_mutex_unlock(&r->mutex);
  pthread_mutex_unlock(&oyi_registries_mutex);
}

static size_t count_tables(void) {
  size_t count = 0;
  for (oy_registry* r = oyi_registries; r; r = r->next)
    for (size_t i = 0; i < r->op_count; i++) count += table_of(r->ops[i]) != g_dead_table;
  return count;
}

static unsigned char* grown_copy(oy_registry* registry, const unsigned char* table) {
  oyi_slab* slab;
  unsigned char* copy =
      oyi_slabs_take(&registry->tables, g_table_bytes + OY_TABLE_BLOCK, &slab);
  if (!copy) return NULL;
  memcpy(copy, table, g_table_bytes);
  owner_of(copy)->slab = slab;
  fill_block(copy, g_table_bytes, &oyi_missing_kernel);
  // Masks of single functionalities hold for every backend alike.
  *mask_at(copy, g_table_bytes) = *mask_at(copy, INACTIVE_BLOCK);
  return copy;
}

// Everything that can fail: larger copies of all tables, and variant records
// for alias kernels with a dtype.
static oy_status prepare(unsigned char** copies, oy_backend backend) {
  oyi_table_backends |= 1ull << backend;
  size_t n = 0;
  for (oy_registry* r = oyi_registries; r; r = r->next) {
    for (size_t i = 0; i < r->op_count; i++) {
      oyi_op* op = r->ops[i];
      if (table_of(op) == g_dead_table) continue;
      copies[n] = grown_copy(r, table_of(op));
      if (!copies[n++]) return OY_OUT_OF_MEMORY;
      for (const oy_registration* k = op->kernels; op->dtype_kernels && k; k = k->other)
        if (oy_key_is_alias(k->key)) OY_TRY(oyi_variants_ensure(op, k->key));
    }
  }
  return OY_OK;
}

static void swap_tables(unsigned char** copies) {
  size_t n = 0;
  for (oy_registry* r = oyi_registries; r; r = r->next) {
    for (size_t i = 0; i < r->op_count; i++) {
      oyi_op* op = r->ops[i];
      unsigned char* old = table_of(op);
      if (old == g_dead_table) continue;
      publish(op, copies[n++]);
      oyi_retire(&r->limbo, &owner_of(old)->retired, free_table);
    }
  }
}

// A fallback that was registered for an alias key covers backends to come.
static void extend_fallbacks(oy_registry* registry, oy_key key) {
  oy_registration** slot = oyi_fallback_slot(registry, key);
  for (oy_backend b = 0; !*slot && b < OY_BACKEND_COUNT_MAX; b++) {
    oy_registration* r =
        oyi_fallback_at(registry, (oy_key)OY_KEY_OF(oy_key_functionality(key), b));
    while (r && !oy_key_is_alias(r->key)) r = r->older;
    if (r && oy_key_in_alias(key, r->key)) *slot = r;
  }
}

static void refresh_backend(oy_backend backend) {
  oy_keyset rows = {OY_PER_BACKEND_MASK, 1ull << backend};
  uint32_t cursor = 0;
  oy_key key;
  while (oy_keyset_next(rows, &cursor, &key))
    for (oy_registry* r = oyi_registries; r; r = r->next) extend_fallbacks(r, key);
  for (oy_registry* r = oyi_registries; r; r = r->next) {
    oyi_prototype_drop(r);
    for (size_t i = 0; i < r->op_count; i++) refresh_set(r->ops[i], rows);
  }
}

static oy_status activate_locked(oy_backend backend) {
  if (oyi_backend_is_active(backend)) return OY_OK;
  pthread_once(&g_dead_once, fill_dead_table);
  size_t count = count_tables();
  unsigned char** copies = oyi_calloc(count + 1, sizeof(*copies));
  if (!copies) return OY_OUT_OF_MEMORY;
  oy_status status = prepare(copies, backend);
  if (status != OY_OK) {
    oyi_table_backends &= ~(1ull << backend);
    for (size_t i = 0; i < count && copies[i]; i++)
      oyi_slab_return(owner_of(copies[i])->slab, copies[i]);
  } else {
    swap_tables(copies);
    g_blocks[backend] = g_table_bytes;
    g_table_bytes += OY_TABLE_BLOCK;
    refresh_backend(backend);
    // A call reads the offset before the table: who sees this sees the above.
    __atomic_store_n(&oy_tables.block[backend], g_blocks[backend], __ATOMIC_RELEASE);
    __atomic_store_n(&g_active, oyi_table_backends, __ATOMIC_RELEASE);
  }
  oyi_free(copies);
  return status;
}

oy_status oyi_backend_activate(oy_backend backend) {
  if (oyi_backend_is_active(backend)) return OY_OK;
  lock_all();
  oy_status status = activate_locked(backend);
  unlock_all();
  return status;
}

void oyi_observe_all(bool on) {
  lock_all();
  __atomic_store_n(&g_mark, on ? MARK : 0, __ATOMIC_RELAXED);
  for (oy_registry* r = oyi_registries; r; r = r->next) {
    oyi_prototype_drop(r);
    for (size_t i = 0; i < r->op_count; i++)
      if (table_of(r->ops[i]) != g_dead_table)
        observe_table(table_of(r->ops[i]), g_table_bytes, on);
  }
  unlock_all();
}
