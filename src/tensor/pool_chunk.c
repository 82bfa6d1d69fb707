// SPDX-License-Identifier: Apache-2.0
// Chunks are found again by address: a table of lists by the 8 KiB page that a chunk
// begins in, which is the block's page or the one before. Memory is taken and freed
// outside of the lock.
#include "tensor/pool_chunk.h"

#include <pthread.h>

#include "base/memory.h"
#include "tensor/pool.h"

enum {
  PAGE_SHIFT = 13,
  FIRST = 4096 - 128,  // bytes of the first chunk of a size: the allocator adds some,
  LATER = 8192 - 128,  // and of those that follow
  HEADER = 64,
  BUCKETS = 4096
};

typedef struct chunk {
  struct chunk *next, *previous;  // of those of its size that have free blocks
  struct chunk* next_in_bucket;
  void* free;
  char* fresh;  // from here on no block was taken yet
  uint32_t used, capacity;
  uint32_t units;
} chunk;
_Static_assert(sizeof(chunk) <= HEADER, "blocks follow");
_Static_assert(LATER <= 1 << PAGE_SHIFT, "a block is looked for in two pages");

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static chunk* g_partial[OYI_POOL_CLASSES];
static uint32_t g_count[OYI_POOL_CLASSES];
static chunk* g_buckets[BUCKETS];

static void lock(void) {
  pthread_mutex_lock(&g_lock);
}
static void unlock(void) {
  pthread_mutex_unlock(&g_lock);
}
// The child of a fork must not find the lock held by a thread that it has not.
static void first_use(void) {
  (void)pthread_atfork(lock, unlock, unlock);
}
void oyi_chunk_prepare_fork(void) {
  pthread_once(&g_once, first_use);
}

static size_t size_of(const chunk* c) {
  return HEADER + (size_t)c->capacity * c->units * OYI_POOL_UNIT;
}

// --------------------------------------------------------- lists, under the lock

static void partial_add(chunk* c) {
  chunk** head = &g_partial[c->units - 1];
  c->previous = NULL;
  c->next = *head;
  if (c->next) c->next->previous = c;
  *head = c;
}

static void partial_remove(chunk* c) {
  if (c->next) c->next->previous = c->previous;
  if (c->previous)
    c->previous->next = c->next;
  else
    g_partial[c->units - 1] = c->next;
}

static chunk** bucket_of(uintptr_t page) {
  return &g_buckets[page & (BUCKETS - 1)];
}

static void enter(chunk* c) {
  chunk** bucket = bucket_of((uintptr_t)c >> PAGE_SHIFT);
  c->next_in_bucket = *bucket;
  *bucket = c;
  g_count[c->units - 1]++;
  partial_add(c);
}

static void leave(chunk* c) {
  chunk** at = bucket_of((uintptr_t)c >> PAGE_SHIFT);
  while (*at != c) at = &(*at)->next_in_bucket;
  *at = c->next_in_bucket;
  g_count[c->units - 1]--;
  partial_remove(c);
}

static chunk* chunk_of(const void* block) {
  uintptr_t page = (uintptr_t)block >> PAGE_SHIFT;
  for (int i = 0; i < 2; i++)
    for (chunk* c = *bucket_of(page - (uintptr_t)i); c; c = c->next_in_bucket)
      if ((uintptr_t)block - (uintptr_t)c < size_of(c)) return c;
  return NULL;  // not one of ours
}

// ------------------------------------------------------------------------ taking

static chunk* chunk_new(unsigned units, bool is_first) {
  const size_t block = (size_t)units * OYI_POOL_UNIT;
  const size_t capacity = ((size_t)(is_first ? FIRST : LATER) - HEADER) / block;
  chunk* c = oyi_aligned_malloc(HEADER + capacity * block);
  if (!c) return NULL;
  *c =
      (chunk){.fresh = (char*)c + HEADER, .capacity = (uint32_t)capacity, .units = units};
  return c;
}

static void* take_one(chunk* c) {
  void* block = c->free;
  if (block) {
    c->free = *(void**)block;
  } else {
    block = c->fresh;
    c->fresh += (size_t)c->units * OYI_POOL_UNIT;
  }
  c->used++;
  return block;
}

// In the order in which they lie.
static void* take_from(chunk* c, unsigned most, unsigned* out_count) {
  void* list = NULL;
  void** end = &list;
  unsigned count = 0;
  for (; count < most && c->used < c->capacity; count++) {
    *end = take_one(c);
    end = (void**)*end;
  }
  *end = NULL;
  if (c->used == c->capacity) partial_remove(c);
  *out_count = count;
  return list;
}

void* oyi_chunk_take(unsigned units, unsigned most, unsigned* out_count) {
  oyi_chunk_prepare_fork();
  lock();
  chunk* c = g_partial[units - 1];
  if (!c) {
    const bool is_first = g_count[units - 1] == 0;
    unlock();
    c = chunk_new(units, is_first);
    if (!c) return NULL;
    lock();
    enter(c);
  }
  void* list = take_from(c, most, out_count);
  unlock();
  return list;
}

// ------------------------------------------------------------------------ giving

// Gives |c| if it is whole again, and is on no list any more.
static chunk* give_one(void* block) {
  chunk* c = chunk_of(block);
  if (c->used == c->capacity) partial_add(c);
  *(void**)block = c->free;
  c->free = block;
  if (--c->used > 0) return NULL;
  leave(c);
  return c;
}

void oyi_chunk_give(void* list) {
  chunk* whole = NULL;
  lock();
  while (list) {
    void* block = list;
    list = *(void**)block;
    chunk* c = give_one(block);
    if (!c) continue;
    c->next = whole;
    whole = c;
  }
  unlock();
  while (whole) {
    chunk* c = whole;
    whole = c->next;
    oyi_aligned_free(c);
  }
}
