// SPDX-License-Identifier: Apache-2.0
#include "dispatch/name_map.h"

#include "base/memory.h"

typedef struct cell {
  uint32_t hash;
  oyi_op* op;  // atomic; NULL: free
} cell;

struct oyi_name_map {
  oyi_retired retired;
  size_t mask;
  size_t count;
  cell cells[];
};

// Eight bytes a step; the last step takes the last eight bytes again, so that
// there is no tail. Names are short and this is not a defence against anyone.
uint32_t oyi_name_hash(oy_str name) {
  const uint64_t k = 0x9e3779b97f4a7c15ull;
  uint64_t h = name.size * k, w;
  if (name.size < 8) {
    w = 0;
    if (name.size) memcpy(&w, name.data, name.size);
    h = (h ^ w) * k;
  } else {
    for (size_t i = 0; i + 8 < name.size; i += 8) {
      memcpy(&w, name.data + i, 8);
      h = (h ^ w) * k;
      h ^= h >> 32;
    }
    memcpy(&w, name.data + name.size - 8, 8);
    h = (h ^ w) * k;
  }
  // Differences in the last letters are high in |w|: they are brought down before
  // they are spread, or names that end in numbers would meet in few cells.
  h = (h ^ h >> 32) * k;
  return (uint32_t)(h >> 32);
}

oyi_op* oyi_name_map_find(const oyi_name_map* map, oy_str name, uint32_t hash) {
  if (!map) return NULL;
  for (size_t i = hash & map->mask;; i = (i + 1) & map->mask) {
    const cell* c = &map->cells[i];
    oyi_op* op = __atomic_load_n(&c->op, __ATOMIC_ACQUIRE);
    if (!op) return NULL;
    if (c->hash == hash && op->name_size == name.size &&
        memcmp(op->name, name.data, name.size) == 0)
      return op;
  }
}

static void put(oyi_name_map* map, oyi_op* op) {
  size_t i = op->hash & map->mask;
  while (map->cells[i].op) i = (i + 1) & map->mask;
  map->cells[i].hash = op->hash;
  __atomic_store_n(&map->cells[i].op, op, __ATOMIC_RELEASE);
  map->count++;
}

static void free_retired(oyi_retired* retired) {
  oyi_free(retired);
}

oy_status oyi_name_map_reserve(oy_registry* registry) {
  oyi_name_map* old = registry->names;
  if (old && 2 * (old->count + 1) <= old->mask + 1) return OY_OK;
  size_t capacity = old ? 2 * (old->mask + 1) : 64;
  oyi_name_map* map = oyi_zalloc(sizeof(*map) + capacity * sizeof(map->cells[0]));
  if (!map) return OY_OUT_OF_MEMORY;
  map->mask = capacity - 1;
  for (size_t i = 0; i < registry->op_count; i++) put(map, registry->ops[i]);
  __atomic_store_n(&registry->names, map, __ATOMIC_RELEASE);
  if (old) oyi_retire(&registry->limbo, &old->retired, free_retired);
  return OY_OK;
}

void oyi_name_map_add(oy_registry* registry, oyi_op* op) {
  put(registry->names, op);
}

void oyi_name_map_free(oyi_name_map* map) {
  oyi_free(map);
}
