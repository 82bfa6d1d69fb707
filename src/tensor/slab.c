// SPDX-License-Identifier: Apache-2.0
// Free blocks hang in bins, four to each power of two, with a bit for each bin that
// has any. A search takes the best of the first bin that has one.
#include "tensor/slab.h"

#include <pthread.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/probe.h"
#include "tensor/pool.h"
#include "tensor/pool_chunk.h"

enum {
  PAGE = 4096,
  SMALL_MOST = (1 << 20) - 2 * PAGE,  // blocks up to this lie in slabs of one huge page
  SHARED_MOST = 16 << 20,             // those up to this in slabs of LARGE_SLAB,
  LARGE_SLAB = 32 << 20,              // and larger ones in slabs of their own
  SPLIT_SMALL = 512,                  // a remainder below this stays with the block
  SPLIT_LARGE = 64 << 10,
  BIN_SHIFT = 9,
  BINS = 4 * (48 - BIN_SHIFT),
  SCAN = 64,  // blocks that a search looks at in one bin
  // Blocks that follow each other should not begin at the same place of a page, nor the first
  // ones of slabs: what is read at an address that ends as that of something just written waits
  // until that is done, and lines at such addresses share few sets of a cache. Each begins a
  // little below the place of the one before, so that results, which are made last, are written
  // behind what is read on.
  APART_LEAST = 64 << 10,  // bytes of blocks that are worth it
  APART = PAGE - 320,
  FIRST_APART = PAGE - 704
};

// Large blocks are kept apart from small ones, which would pin their slabs.
typedef struct arena {
  oyi_block* bins[BINS];
  uint64_t used[(BINS + 63) / 64];
} arena;

struct oyi_slab {
  oyi_slab *next, *previous;
  char* base;
  size_t size;
  void* own;  // see oyi_slab_map
  oyi_block* first;
  arena* home;
};

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static arena g_small, g_large;
static oyi_slab* g_slabs;
static size_t g_slab_count, g_reserved, g_free, g_limit;
static size_t g_started;  // slabs, for where their first blocks begin

// Records and slabs are described in blocks of the pool.
#define UNITS(type) ((unsigned)((sizeof(type) + OYI_POOL_UNIT - 1) / OYI_POOL_UNIT))

// ------------------------------------------------------------------------ bins

static unsigned bin_of(size_t size) {
  unsigned top = 63 - (unsigned)__builtin_clzll(size | 1ull << BIN_SHIFT);
  unsigned bin = (top - BIN_SHIFT) * 4 + (unsigned)(size >> (top - 2) & 3);
  return bin < BINS ? bin : BINS - 1;
}

static void bin_add(oyi_block* b) {
  arena* a = b->slab->home;
  unsigned bin = bin_of(b->size);
  b->previous = NULL;
  b->next = a->bins[bin];
  if (b->next) b->next->previous = b;
  a->bins[bin] = b;
  a->used[bin / 64] |= 1ull << bin % 64;
  b->is_free = true;
  g_free += b->size;
}

static void bin_remove(oyi_block* b) {
  arena* a = b->slab->home;
  unsigned bin = bin_of(b->size);
  if (b->next) b->next->previous = b->previous;
  if (b->previous)
    b->previous->next = b->next;
  else
    a->bins[bin] = b->next;
  if (!a->bins[bin]) a->used[bin / 64] &= ~(1ull << bin % 64);
  b->is_free = false;
  g_free -= b->size;
}

static oyi_block* best_of_bin(const arena* a, unsigned bin, size_t size) {
  oyi_block* best = NULL;
  int left = SCAN;
  for (oyi_block* b = a->bins[bin]; b && left-- > 0; b = b->next) {
    if (b->size < size || (best && b->size >= best->size)) continue;
    best = b;
    if (b->size == size) break;
  }
  return best;
}

static oyi_block* find_free(const arena* a, size_t size) {
  unsigned bin = bin_of(size);
  oyi_block* found = best_of_bin(a, bin, size);
  while (!found && ++bin < BINS) {
    uint64_t rest = a->used[bin / 64] >> bin % 64;
    if (!rest) {
      bin |= 63;  // the next word
      continue;
    }
    bin += (unsigned)__builtin_ctzll(rest);
    found = best_of_bin(a, bin, size);
  }
  return found;
}

// ----------------------------------------------------------------------- slabs

static void slab_free(oyi_slab* slab) {
  bin_remove(slab->first);
  *(slab->previous ? &slab->previous->next : &g_slabs) = slab->next;
  if (slab->next) slab->next->previous = slab->previous;
  g_reserved -= slab->size;
  g_slab_count--;
  oyi_slab_unmap(slab->base, slab->size, slab->own);
  oyi_pool_give(slab->first, UNITS(oyi_block));
  oyi_pool_give(slab, UNITS(oyi_slab));
}

static bool is_whole(const oyi_slab* slab) {
  return slab->first->is_free && !slab->first->after;
}

// Frees what is whole until no more than |kept| bytes are free.
static void trim_to(size_t kept) {
  for (oyi_slab *slab = g_slabs, *next; slab && g_free > kept; slab = next) {
    next = slab->next;
    if (is_whole(slab)) slab_free(slab);
  }
}

// Memory for |size| bytes or for more, rounded up in *size. Where the system is
// short of it, what is kept has to go first.
static void* map_slab(size_t* size, void** own) {
  size_t exact = (*size + OYI_HUGE_PAGE - 1) & ~(size_t)(OYI_HUGE_PAGE - 1);
  bool shares = *size > SMALL_MOST && *size <= SHARED_MOST;
  if (!oyi_allocator_is_default()) {
    // As little as will do; and a refusal of the program's own is final.
    if (*size <= SMALL_MOST) *size = exact;
    return oyi_slab_map(*size, own);
  }
  *size = shares ? LARGE_SLAB : exact;
  void* base = oyi_slab_map(*size, own);
  if (base) return base;
  trim_to(0);
  *size = exact;
  return oyi_slab_map(*size, own);
}

// A slab that is one free block, not in its bin yet.
static oyi_block* slab_new(size_t asked) {
  size_t size = asked;
  arena* home = size <= SMALL_MOST ? &g_small : &g_large;
  oyi_slab* slab = oyi_pool_take(UNITS(oyi_slab));
  oyi_block* block = slab ? oyi_pool_take(UNITS(oyi_block)) : NULL;
  void* own = NULL;
  char* base = block ? map_slab(&size, &own) : NULL;
  if (!base) {
    if (block) oyi_pool_give(block, UNITS(oyi_block));
    if (slab) oyi_pool_give(slab, UNITS(oyi_slab));
    return NULL;
  }
  *slab = (oyi_slab){g_slabs, NULL, base, size, own, block, home};
  const size_t start = size - asked >= PAGE ? g_started++ * FIRST_APART % PAGE : 0;
  *block = (oyi_block){.data = base + start, .size = size - start, .slab = slab};
  if (g_slabs) g_slabs->previous = slab;
  g_slabs = slab;
  g_slab_count++;
  g_reserved += size;
  oyi_memory_forbid(base, size);
  OYI_PROBE2(slab__map, base, size);
  return block;
}

// ---------------------------------------------------------------------- blocks

// Cuts |b|, which is in no bin, down to |size| bytes if enough is left over.
static bool split(oyi_block* b, size_t size) {
  size_t least = b->slab->home == &g_small ? SPLIT_SMALL : SPLIT_LARGE;
  if (b->size - size < least) return true;
  oyi_block* rest = oyi_pool_take(UNITS(oyi_block));
  if (!rest) return false;
  *rest = (oyi_block){.data = b->data + size,
                      .size = b->size - size,
                      .slab = b->slab,
                      .before = b,
                      .after = b->after};
  if (rest->after) rest->after->before = rest;
  b->after = rest;
  b->size = size;
  bin_add(rest);
  return true;
}

// |b| takes the block behind it in.
static void absorb_next(oyi_block* b) {
  oyi_block* next = b->after;
  b->size += next->size;
  b->after = next->after;
  if (b->after) b->after->before = b;
  oyi_pool_give(next, UNITS(oyi_block));
}

static void free_block(oyi_block* b) {
  if (b->after && b->after->is_free) {
    bin_remove(b->after);
    absorb_next(b);
  }
  if (b->before && b->before->is_free) {
    b = b->before;
    bin_remove(b);
    absorb_next(b);
  }
  bin_add(b);
  if (OY_UNLIKELY(g_free > g_limit) && is_whole(b->slab)) slab_free(b->slab);
}

static oyi_block* take(size_t size) {
  oyi_block* b = find_free(size <= SMALL_MOST ? &g_small : &g_large, size);
  if (b)
    bin_remove(b);
  else if (!(b = slab_new(size)))
    return NULL;
  if (split(b, size)) return b;
  free_block(b);
  return NULL;
}

// ------------------------------------------------------------------- the lock

static void lock(void) {
  pthread_mutex_lock(&g_lock);
}
static void unlock(void) {
  pthread_mutex_unlock(&g_lock);
}

static void first_use(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  size_t bytes = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
  g_limit = bytes / 4;
  oyi_chunk_prepare_fork();  // that lock is taken under this one
  // The child of a fork must not find the lock held by a thread that it has not.
  (void)pthread_atfork(lock, unlock, unlock);
}

static size_t whole_pages(size_t size) {
  return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

// Of blocks that share slabs, whole pages and what they lie apart; the least that |size| fits
// into.
static size_t size_in_slab(size_t size) {
  const size_t apart = size >= APART_LEAST ? whole_pages(size - APART) + APART : SIZE_MAX;
  if (apart <= SHARED_MOST) return apart;
  return size > SMALL_MOST ? whole_pages(size) : size;
}

oyi_block* oyi_slab_take(size_t size, size_t asked) {
  pthread_once(&g_once, first_use);
  oyi_block* b = NULL;
  if (size <= SIZE_MAX / 4) {
    size = size_in_slab(size);
    lock();
    b = take(size);
    unlock();
  }
  if (OY_UNLIKELY(!b))
    OY_FAIL(OUT_OF_MEMORY,
            "DefaultCPUAllocator: can't allocate memory: you tried to allocate %zu "
            "bytes.",
            asked);
  else
    OYI_PROBE2(block__take, b->data, b->size);
  return b;
}

void oyi_slab_give(oyi_block* block) {
  oyi_memory_forbid(block->data, block->size);
  OYI_PROBE2(block__give, block->data, block->size);
  lock();
  free_block(block);
  unlock();
}

void oyi_slab_trim(void) {
  lock();
  trim_to(0);
  unlock();
}

size_t oyi_slab_set_limit(size_t bytes) {
  pthread_once(&g_once, first_use);
  lock();
  size_t before = g_limit;
  g_limit = bytes;
  trim_to(bytes);
  unlock();
  return before;
}

void oyi_slab_totals(size_t* out_reserved, size_t* out_slabs) {
  lock();
  *out_reserved = g_reserved;
  *out_slabs = g_slab_count;
  unlock();
}

// When the library is unloaded its slabs go with it. After the destructors that have
// no number: workers that end give theirs back.
static __attribute__((destructor(200))) void give_back(void) {
  oyi_slab_trim();
}
