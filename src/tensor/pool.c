// SPDX-License-Identifier: Apache-2.0
// The slow ends of the block pool. |room| is 0 until a thread comes here first; that is
// when its destructor is armed.
#include "tensor/pool.h"

#include "base/memory.h"
#include "base/thread_end.h"
#include "tensor/impl.h"
#include "tensor/memory_watch.h"
#include "tensor/pool_chunk.h"
#include "tensor/slab.h"

__thread oyi_pool_lists oyi_pool = {.tensor_keys = OYI_TENSOR_KEYS, .grad_mode = 1};
// 0: not armed, 1: lists in use, 2: the thread is ending, 3: watched.
enum { NOT_ARMED, IN_USE, ENDING, WATCHED };
enum { REFILL = 16 };  // blocks
static __thread uint8_t t_state __attribute__((tls_model("initial-exec")));

// AddressSanitizer is to see every block come and go.
enum { KEEPS_BLOCKS = !OYI_UNDER_ASAN };

static void trim(void** heads, int8_t* room, unsigned lists, int8_t keep) {
  for (unsigned i = 0; i < lists; i++) {
    if (!heads[i]) continue;
    oyi_chunk_give(heads[i]);
    heads[i] = NULL;
    room[i] = keep;
  }
}

void oyi_pool_trim(void) {
  if (!KEEPS_BLOCKS) return;
  trim(oyi_pool.view_head, oyi_pool.view_room, OYI_POOL_RANKS, OYI_POOL_KEEP_VIEWS);
  trim(oyi_pool.head, oyi_pool.room, OYI_POOL_CLASSES, OYI_POOL_KEEP);
}

// From here on the thread keeps none.
static void keep_nothing(void) {
  oyi_pool_trim();
  memset(oyi_pool.room, 0, sizeof(oyi_pool.room));
  memset(oyi_pool.view_room, 0, sizeof(oyi_pool.view_room));
}

static void thread_ends(void* unused) {
  (void)unused;
  keep_nothing();
  t_state = ENDING;
}

static oyi_thread_end g_end = {.run = thread_ends};

// Whether this thread may keep blocks from now on.
static bool arm(void) {
  if (!KEEPS_BLOCKS || t_state != NOT_ARMED) return false;
  if (!oyi_thread_end_set(&g_end, &oyi_pool)) return false;
  t_state = IN_USE;
  memset(oyi_pool.room, OYI_POOL_KEEP, sizeof(oyi_pool.room));
  memset(oyi_pool.view_room, OYI_POOL_KEEP_VIEWS, sizeof(oyi_pool.view_room));
  return true;
}

// Lists in use are armed again by the next block that is freed.
void oyi_pool_watch(bool on) {
  if (t_state == ENDING || (t_state == WATCHED) == on) return;
  keep_nothing();
  t_state = on ? WATCHED : NOT_ARMED;
}

static void* block_apart(unsigned units) {
  void* block = oyi_aligned_zalloc((size_t)units * OYI_POOL_UNIT);
  if (OY_UNLIKELY(t_state == WATCHED) && block)
    oyi_memory_seen(block, (int64_t)units * OYI_POOL_UNIT);
  return block;
}

// Several at once, which are neighbours mostly: threads do not come to share lines.
void* oyi_pool_refill(unsigned units) {
  if (!KEEPS_BLOCKS) return block_apart(units);
  if (t_state == NOT_ARMED) (void)arm();
  unsigned count = 1;
  void* list = oyi_chunk_take(units, t_state == IN_USE ? REFILL : 1, &count);
  if (OY_UNLIKELY(!list)) return NULL;
  if (OY_UNLIKELY(t_state == WATCHED))
    oyi_memory_seen(list, (int64_t)units * OYI_POOL_UNIT);
  oyi_pool.head[units - 1] = *(void**)list;
  oyi_pool.room[units - 1] = (int8_t)(oyi_pool.room[units - 1] - (int)(count - 1));
  return list;
}

// Half of a list that is full goes back.
static void spill(unsigned units) {
  void* last = oyi_pool.head[units - 1];
  void* first = last;
  for (int i = 1; i < OYI_POOL_KEEP / 2; i++) last = *(void**)last;
  oyi_pool.head[units - 1] = *(void**)last;
  *(void**)last = NULL;
  oyi_pool.room[units - 1] = OYI_POOL_KEEP / 2;
  oyi_chunk_give(first);
}

void oyi_pool_return(void* block, unsigned units) {
  if (OY_UNLIKELY(t_state == WATCHED))
    oyi_memory_seen(block, -(int64_t)units * OYI_POOL_UNIT);
  if (!KEEPS_BLOCKS) {
    oyi_aligned_free(block);
    return;
  }
  if (t_state == IN_USE) spill(units);
  if (t_state == IN_USE || arm()) {
    oyi_pool_give(block, units);
    return;
  }
  *(void**)block = NULL;
  oyi_chunk_give(block);
}
