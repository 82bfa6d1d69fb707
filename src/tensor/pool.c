// SPDX-License-Identifier: Apache-2.0
// The slow ends of the block pool. |room| is 0 until a thread frees its first
// block; that is when its destructor is armed, so a thread that only takes costs
// nothing at its end.
#include "tensor/pool.h"

#include "base/memory.h"
#include "base/thread_end.h"
#include "tensor/impl.h"
#include "tensor/memory_watch.h"

__thread oyi_pool_lists oyi_pool = {.tensor_keys = OYI_TENSOR_KEYS};
// 0: not armed, 1: lists in use, 2: the thread is ending, 3: watched.
enum { NOT_ARMED, IN_USE, ENDING, WATCHED };
static __thread uint8_t t_state __attribute__((tls_model("initial-exec")));

// AddressSanitizer is to see every block come and go.
#if defined(__SANITIZE_ADDRESS__)
enum { KEEPS_BLOCKS = 0 };
#else
enum { KEEPS_BLOCKS = 1 };
#endif

void oyi_pool_trim(void) {
  for (unsigned i = 0; i < OYI_POOL_CLASSES; i++) {
    while (oyi_pool.head[i]) {
      void* block = oyi_pool.head[i];
      oyi_pool.head[i] = *(void**)block;
      oyi_pool.room[i]++;
      oyi_aligned_free(block);
    }
  }
}

static void thread_ends(void* unused) {
  (void)unused;
  oyi_pool_trim();
  memset(oyi_pool.room, 0, sizeof(oyi_pool.room));
  t_state = ENDING;
}

static oyi_thread_end g_end = {.run = thread_ends};

// Whether this thread may keep blocks from now on.
static bool arm(void) {
  if (!KEEPS_BLOCKS || t_state != NOT_ARMED) return false;
  if (!oyi_thread_end_set(&g_end, &oyi_pool)) return false;
  t_state = IN_USE;
  for (unsigned i = 0; i < OYI_POOL_CLASSES; i++) oyi_pool.room[i] = OYI_POOL_KEEP;
  return true;
}

// Lists in use are armed again by the next block that is freed.
void oyi_pool_watch(bool on) {
  if (t_state == ENDING || (t_state == WATCHED) == on) return;
  oyi_pool_trim();
  memset(oyi_pool.room, 0, sizeof(oyi_pool.room));
  t_state = on ? WATCHED : NOT_ARMED;
}

void* oyi_pool_refill(unsigned units) {
  void* block = oyi_aligned_zalloc((size_t)units * OYI_POOL_UNIT);
  if (OY_UNLIKELY(t_state == WATCHED) && block)
    oyi_memory_seen(block, (int64_t)units * OYI_POOL_UNIT);
  return block;
}

// Blocks that were taken while the list was empty are not counted in |room|, so
// a list can be full.
void oyi_pool_return(void* block, unsigned units) {
  if (OY_UNLIKELY(t_state == WATCHED))
    oyi_memory_seen(block, -(int64_t)units * OYI_POOL_UNIT);
  if (arm())
    oyi_pool_give(block, units);
  else
    oyi_aligned_free(block);
}
