// SPDX-License-Identifier: Apache-2.0
// A hash table with open addressing; nothing leaves it until all do. It is the thread's
// own, so that calls take no lock (PyTorch's is one for all threads).
#include "layers/autocast/cast_cache.h"

#include "base/memory.h"
#include "base/thread_end.h"

typedef struct entry {
  oy_weak* source;  // NULL: empty
  oy_tensor* cast;
  uint32_t version;  // of the source when it was cast
} entry;

typedef struct table {
  size_t count;
  size_t capacity;  // a power of two, at least twice the count
  entry entries[];
} table;

enum { FIRST_CAPACITY = 32 };

static __thread table* t_table __attribute__((tls_model("initial-exec")));

// The entry of |source|, or the empty one that is its place.
static entry* place_of(table* in, const oy_weak* source) {
  size_t hash = (size_t)(uintptr_t)source * 0x9E3779B97F4A7C15u;
  for (size_t i = hash >> 32;; i++) {
    entry* e = &in->entries[i & (in->capacity - 1)];
    if (!e->source || e->source == source) return e;
  }
}

oy_tensor* oyi_cast_find(const oyi_tensor* source, oy_dtype dtype) {
  if (!t_table) return NULL;
  const oyi_side* side = __atomic_load_n(&source->side, __ATOMIC_ACQUIRE);
  const oy_weak* weak = side ? __atomic_load_n(&side->weak, __ATOMIC_ACQUIRE) : NULL;
  if (!weak) return NULL;
  const entry* e = place_of(t_table, weak);
  if (!e->source || e->cast->dtype != dtype || e->version != oyi_version(source))
    return NULL;
  return oy_tensor_retain(e->cast);
}

// ------------------------------------------------------------------------ growing

static void thread_ends(void* unused) {
  (void)unused;
  oyi_cast_clear();
}
static oyi_thread_end g_end = {.run = thread_ends};

static table* table_new(size_t capacity) {
  table* made = oyi_zalloc(sizeof(*made) + capacity * sizeof(entry));
  if (made) made->capacity = capacity;
  return made;
}

static oy_status make_room(void) {
  table* old = t_table;
  if (old && 2 * (old->count + 1) <= old->capacity) return OY_OK;
  table* made = table_new(old ? 2 * old->capacity : FIRST_CAPACITY);
  if (!made) return OY_OUT_OF_MEMORY;
  for (size_t i = 0; old && i < old->capacity; i++)
    if (old->entries[i].source) *place_of(made, old->entries[i].source) = old->entries[i];
  made->count = old ? old->count : 0;
  t_table = made;
  oyi_free(old);
  // A thread that ends inside a region gives back what it holds.
  if (!old) (void)oyi_thread_end_set(&g_end, &g_end);
  return OY_OK;
}

oy_status oyi_cast_keep(oyi_tensor* source, oy_tensor* cast) {
  OY_TRY(make_room());
  oy_weak* weak = oy_tensor_weak(oyi_tensor_object(source));
  if (!weak) return OY_OUT_OF_MEMORY;
  entry* e = place_of(t_table, weak);
  const entry before = *e;
  *e = (entry){weak, oy_tensor_retain(cast), oyi_version(source)};
  if (!before.source) t_table->count++;
  oy_weak_release(before.source);
  oy_tensor_release(before.cast);
  return OY_OK;
}

void oyi_cast_clear(void) {
  // Taken away first: what goes with a history may call operators.
  table* old = t_table;
  t_table = NULL;
  for (size_t i = 0; old && i < old->capacity; i++) {
    oy_weak_release(old->entries[i].source);
    oy_tensor_release(old->entries[i].cast);
  }
  oyi_free(old);
}
