// SPDX-License-Identifier: Apache-2.0
// Size classes are four to each power of two, so a block is at most a quarter larger
// than what was asked for. A thread's lists keep up to KEPT_BYTES; they are made at
// its first block and go back when it ends.
#include "tensor/block_cache.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/thread_end.h"
#include "tensor/memory_watch.h"
#include "tensor/pool.h"
#include "tensor/slab.h"

enum {
  POOL_MOST = OYI_POOL_UNIT * OYI_POOL_CLASSES,  // 512, below the first class
  POOL_SHIFT = 9,
  CLASSES = 28,  // the last one is 64 KiB
  UNCACHED = CLASSES,
  ALIGNMENT = 64,
  KEPT_BYTES = 1 << 20,
  REPORT_BYTES = 64 << 10,
  // Behind each block, so that AddressSanitizer sees who runs over its end.
  GUARD = OYI_UNDER_ASAN ? ALIGNMENT : 0
};
_Static_assert(POOL_MOST == 1 << POOL_SHIFT, "the classes begin where the pool ends");

typedef struct thread_lists {
  oyi_block* head[CLASSES];
  size_t bytes;  // that are kept
  // Not reported yet.
  int64_t in_use, blocks;
  uint64_t allocations;
} thread_lists;

static __thread thread_lists* t_lists __attribute__((tls_model("initial-exec")));
static __thread bool t_ending __attribute__((tls_model("initial-exec")));
// Of a thread that is watched, and so has no lists for the time.
static __thread bool t_watched __attribute__((tls_model("initial-exec")));
static __thread thread_lists* t_parked __attribute__((tls_model("initial-exec")));

// ------------------------------------------------------------------ statistics

static int64_t g_in_use, g_peak, g_blocks;
static uint64_t g_allocations;

static void report(int64_t bytes, int64_t blocks, uint64_t allocations) {
  int64_t now = __atomic_add_fetch(&g_in_use, bytes, __ATOMIC_RELAXED);
  __atomic_fetch_add(&g_blocks, blocks, __ATOMIC_RELAXED);
  __atomic_fetch_add(&g_allocations, allocations, __ATOMIC_RELAXED);
  int64_t peak = __atomic_load_n(&g_peak, __ATOMIC_RELAXED);
  while (now > peak && !__atomic_compare_exchange_n(&g_peak, &peak, now, true,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

static void report_thread(thread_lists* t) {
  report(t->in_use, t->blocks, t->allocations);
  t->in_use = t->blocks = 0;
  t->allocations = 0;
}

// In a thread that has no lists.
static OYI_COLD void count_apart(const oyi_block* b, int64_t bytes, int64_t blocks) {
  report(bytes, blocks, blocks > 0);
  if (t_watched) oyi_memory_seen(b->data, bytes);
}

// |b| was taken, or is given back.
static inline void count(thread_lists* t, const oyi_block* b, bool taken) {
  int64_t bytes = taken ? (int64_t)b->size : -(int64_t)b->size;
  if (!t) {
    count_apart(b, bytes, taken ? 1 : -1);
    return;
  }
  t->in_use += bytes;
  t->blocks += taken ? 1 : -1;
  t->allocations += taken;
  if (t->in_use >= REPORT_BYTES || t->in_use <= -REPORT_BYTES) report_thread(t);
}

// What other threads have not reported may make it negative.
static size_t counted(const int64_t* counter) {
  int64_t value = __atomic_load_n(counter, __ATOMIC_RELAXED);
  return value > 0 ? (size_t)value : 0;
}

oy_memory_stats oy_memory_stats_get(void) {
  oy_memory_stats stats;
  if (t_lists) report_thread(t_lists);
  stats.bytes_in_use = counted(&g_in_use);
  stats.bytes_peak = counted(&g_peak);
  stats.blocks_in_use = counted(&g_blocks);
  stats.allocations = __atomic_load_n(&g_allocations, __ATOMIC_RELAXED);
  oyi_slab_totals(&stats.bytes_reserved, &stats.slabs);
  return stats;
}

void oy_memory_reset_peak(void) {
  if (t_lists) report_thread(t_lists);
  __atomic_store_n(&g_peak, __atomic_load_n(&g_in_use, __ATOMIC_RELAXED),
                   __ATOMIC_RELAXED);
}

size_t oy_memory_set_limit(size_t bytes) {
  return oyi_slab_set_limit(bytes);
}

// ----------------------------------------------------------- lists of a thread

void oyi_data_trim(void) {
  thread_lists* t = t_lists;
  if (!t) return;
  report_thread(t);
  for (int i = 0; i < CLASSES; i++) {
    while (t->head[i]) {
      oyi_block* b = t->head[i];
      t->head[i] = b->next;
      oyi_slab_give(b);
    }
  }
  t->bytes = 0;
}

void oyi_data_watch(bool on) {
  if (on) {
    oyi_data_trim();
    t_parked = t_lists;
  }
  t_lists = on ? NULL : t_parked;
  t_watched = on;
}

static void thread_ends(void* lists) {
  oyi_data_trim();
  free(lists);
  t_lists = NULL;
  t_ending = true;
}

static oyi_thread_end g_end = {.run = thread_ends};

// NULL: this thread keeps nothing, because it ends or because memory is short. The
// lists are no allocation of the library's: without them everything works as well.
static thread_lists* lists_of_thread(void) {
  if (OY_LIKELY(t_lists != NULL)) return t_lists;
  if (t_ending || t_watched) return NULL;
  thread_lists* t = calloc(1, sizeof(*t));
  if (t && oyi_thread_end_set(&g_end, t)) return t_lists = t;
  free(t);
  return NULL;
}

// ---------------------------------------------------------------------- blocks

// The class of |size|, above POOL_MOST, and its size.
static inline unsigned class_of(size_t size, size_t* out_size) {
  unsigned top = 63 - (unsigned)__builtin_clzll(size - 1);
  unsigned quarter = (unsigned)((size - 1) >> (top - 2) & 3);
  unsigned size_class = (top - POOL_SHIFT) * 4 + quarter;
  *out_size = (size_t)(5 + quarter) << (top - 2);
  return size_class;
}

static oyi_block* take_block(size_t nbytes) {
  thread_lists* t = lists_of_thread();
  size_t size = nbytes + GUARD;
  unsigned size_class = UNCACHED;
  oyi_block* b = NULL;
  if (size <= 64 << 10) {
    size_class = class_of(size, &size);
    b = t ? t->head[size_class] : NULL;
  } else {
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  }
  if (b) {
    t->head[size_class] = b->next;
    t->bytes -= b->size;
  } else {
    b = oyi_slab_take(size, nbytes);
    if (!b) return NULL;
    b->size_class = (uint8_t)size_class;
  }
  count(t, b, true);
  return b;
}

static void give_block(oyi_block* b) {
  thread_lists* t = lists_of_thread();
  count(t, b, false);
  if (!t || b->size_class == UNCACHED || t->bytes + b->size > KEPT_BYTES) {
    oyi_slab_give(b);
    return;
  }
  oyi_memory_forbid(b->data, b->size);
  b->next = t->head[b->size_class];
  t->head[b->size_class] = b;
  t->bytes += b->size;
}

void* oyi_data_alloc(size_t nbytes, void** out_context) {
  *out_context = NULL;
  if (nbytes > SIZE_MAX / 4) {
    (void)oyi_slab_take(nbytes, nbytes);  // for its message
    return NULL;
  }
  if (nbytes <= POOL_MOST) {
    unsigned units = oyi_pool_units_aligned(nbytes);
    *out_context = (void*)(uintptr_t)units;
    return oyi_pool_take(units);
  }
  oyi_block* b = take_block(nbytes);
  if (!b) return NULL;
  oyi_memory_allow(b->data, nbytes);
  *out_context = b;
  return b->data;
}

// The context of a block of the pool is its number of units.
void oyi_data_free(void* context, void* data) {
  if (!data) return;
  if ((uintptr_t)context <= OYI_POOL_CLASSES)
    oyi_pool_give(data, (unsigned)(uintptr_t)context);
  else
    give_block(context);
}

void oy_tensor_trim(void) {
  oyi_data_trim();
  oyi_slab_trim();
  oyi_pool_trim();
}
