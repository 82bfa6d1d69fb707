// SPDX-License-Identifier: Apache-2.0
#include "base/slab.h"

#include "base/memory.h"

#ifdef __SANITIZE_ADDRESS__
enum { LEAST = 1, MOST = 1 };  // so that a record's use after its end is seen
#else
enum { LEAST = 16, MOST = 32 };  // records in a slab
#endif
enum { HEADER = 64, SLAB_BYTES = 4096 };

typedef struct node {
  struct node* next;
  oyi_slab* slab;  // of a returned record
} node;

struct oyi_slab {
  oyi_slabs* owner;
  oyi_slab *previous, *next;  // among those with room
  node* vacant;
  size_t size;
  uint32_t capacity;
  uint32_t fresh;  // records from here on were never taken
  uint32_t live;
  bool is_open;  // in the owner's list
};
_Static_assert(sizeof(oyi_slab) <= HEADER, "records are aligned as the slab is");

static void open_slab(oyi_slab* slab) {
  oyi_slabs* slabs = slab->owner;
  slab->previous = NULL;
  slab->next = slabs->open;
  if (slab->next) slab->next->previous = slab;
  slabs->open = slab;
  slab->is_open = true;
}

static void close_slab(oyi_slab* slab) {
  slab->is_open = false;
  if (slab->previous)
    slab->previous->next = slab->next;
  else
    slab->owner->open = slab->next;
  if (slab->next) slab->next->previous = slab->previous;
}

static bool is_aligned(size_t size) {
  return size % HEADER == 0;
}

static void free_slab(oyi_slab* slab) {
  if (is_aligned(slab->size))
    oyi_aligned_free(slab);
  else
    oyi_free(slab);
}

static oyi_slab* make_slab(oyi_slabs* slabs) {
  size_t capacity = SLAB_BYTES / slabs->size;
  if (capacity > MOST) capacity = MOST;
  if (capacity < LEAST) capacity = LEAST;
  size_t bytes = HEADER + capacity * slabs->size;
  oyi_slab* slab =
      is_aligned(slabs->size) ? oyi_aligned_malloc(bytes) : oyi_malloc(bytes);
  if (!slab) return NULL;
  *slab = (oyi_slab){.owner = slabs, .size = slabs->size, .capacity = (uint32_t)capacity};
  open_slab(slab);
  return slab;
}

// Slabs of another size are left to their records: the last one frees its slab.
OYI_COLD static oyi_slab* find_slab(oyi_slabs* slabs, size_t size) {
  while (slabs->open && slabs->size != size) close_slab(slabs->open);
  slabs->size = size;
  oyi_returned_drain(slabs->returned);
  return slabs->open ? slabs->open : make_slab(slabs);
}

void* oyi_slabs_take(oyi_slabs* slabs, size_t size, oyi_slab** out_slab) {
  oyi_slab* slab = slabs->open;
  if (OY_UNLIKELY(!slab || slab->size != size)) {
    slab = find_slab(slabs, size);
    if (!slab) return NULL;
  }
  node* record = slab->vacant;
  if (record)
    slab->vacant = record->next;
  else
    record = (node*)(void*)((char*)slab + HEADER + slab->fresh++ * size);
  if (OY_UNLIKELY(++slab->live == slab->capacity)) close_slab(slab);
  *out_slab = slab;
  return record;
}

static void put_back(oyi_slab* slab, node* record) {
  record->next = slab->vacant;
  slab->vacant = record;
  slab->live--;
  if (slab->live == 0) {
    if (slab->is_open) close_slab(slab);
    free_slab(slab);
  } else if (!slab->is_open && slab->size == slab->owner->size) {
    open_slab(slab);
  }
}

void oyi_slab_return(oyi_slab* slab, void* record) {
  node* n = record;
  void** head = &slab->owner->returned->first;
  n->slab = slab;
  void* first = __atomic_load_n(head, __ATOMIC_RELAXED);
  do {
    n->next = first;
  } while (!__atomic_compare_exchange_n(head, &first, n, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

void oyi_returned_drain(oyi_returned* returned) {
  node* list = __atomic_exchange_n(&returned->first, NULL, __ATOMIC_ACQUIRE);
  while (list) {
    node* next = list->next;
    put_back(list->slab, list);
    list = next;
  }
}
