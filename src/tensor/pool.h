// SPDX-License-Identifier: Apache-2.0
// Small blocks (up to 512 bytes, in steps of 16) from free lists of the calling
// thread: tensor headers with their inline data, storages, graph nodes. They are cut from
// chunks (pool_chunk.h), so that a block costs what it holds.
//
// A block may be freed by another thread than the one that took it; it joins
// the list of the thread that frees it. Lists are bounded, and go back to the
// chunks when the thread ends. Under AddressSanitizer nothing is kept, so
// that use after free is seen.
#ifndef OPYARD_SRC_TENSOR_POOL_H_
#define OPYARD_SRC_TENSOR_POOL_H_

#include "opyard/base.h"

enum {
  OYI_POOL_UNIT = 16,
  OYI_POOL_CLASSES = 32,
  OYI_POOL_KEEP = 127,
  OYI_POOL_RANKS = 6,  // of views with a block that stays filled, from 0 on
  OYI_POOL_KEEP_VIEWS = 32
};

typedef struct oyi_pool_lists {
  // Of blocks of views, by rank, with what is alike in all of them (view_block.h). First, so
  // that a rank is an index.
  void* view_head[OYI_POOL_RANKS];
  void* head[OYI_POOL_CLASSES];
  // Free places left in each list; 0 before the thread's first free. Signed, so that one
  // instruction counts and tells whether there was one.
  int8_t room[OYI_POOL_CLASSES];
  int8_t view_room[OYI_POOL_RANKS];
  // The keys of new CPU tensors of this thread: here, since who makes one has this
  // address at hand (tensor.c, inference_tensor.c).
  uint64_t tensor_keys;
  // The grad mode (layers/autograd/record.h), of which 1 is the usual one: here, since who
  // makes a view has this address at hand.
  uint8_t grad_mode;
} oyi_pool_lists;

extern __thread oyi_pool_lists oyi_pool __attribute__((tls_model("initial-exec")));

// Number of units of a block of |size| bytes, 1 to OYI_POOL_CLASSES.
static inline unsigned oyi_pool_units(size_t size) {
  return (unsigned)((size + OYI_POOL_UNIT - 1) / OYI_POOL_UNIT);
}
// The same for a block that begins at a cache line, as all of a multiple of 64 bytes do.
static inline unsigned oyi_pool_units_aligned(size_t size) {
  return (unsigned)((size + 63) / 64 * (64 / OYI_POOL_UNIT));
}

// Slow ends of the two below.
void* oyi_pool_refill(unsigned units);
void oyi_pool_return(void* block, unsigned units);

// Takes |block|, which is the first of its list.
static inline void oyi_pool_drop_head(size_t units, void* block) {
  oyi_pool.head[units - 1] = *(void**)block;
  oyi_pool.room[units - 1]++;
}
// A block of a list that has one.
static inline void* oyi_pool_pop(size_t units) {
  void* block = oyi_pool.head[units - 1];
  oyi_pool_drop_head(units, block);
  return block;
}

// Uninitialised; NULL with OUT_OF_MEMORY set.
static inline void* oyi_pool_take(unsigned units) {
  void* block = oyi_pool.head[units - 1];
  return OY_LIKELY(block != NULL) ? oyi_pool_pop(units) : oyi_pool_refill(units);
}

static inline void oyi_pool_give(void* block, unsigned units) {
  if (OY_UNLIKELY(--oyi_pool.room[units - 1] < 0)) {
    oyi_pool.room[units - 1] = 0;
    oyi_pool_return(block, units);
    return;
  }
  *(void**)block = oyi_pool.head[units - 1];
  oyi_pool.head[units - 1] = block;
}

// Empties the lists of this thread.
void oyi_pool_trim(void);
// While it is on, the thread keeps no blocks, so that each that comes and goes takes one
// of the slow ends, which report it (memory_watch.h).
void oyi_pool_watch(bool on);

#endif  // OPYARD_SRC_TENSOR_POOL_H_
