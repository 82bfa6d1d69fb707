// SPDX-License-Identifier: Apache-2.0
// Memory under CPU tensors. Data of up to 96 bytes lies in the tensor's own block,
// up to 512 bytes in blocks of a pool; neither is counted here. What is larger comes
// from slabs that are kept when their tensors are gone: a result of the size of an
// earlier one finds memory whose pages exist already, which for large results costs
// a fraction of what new pages do.
#ifndef OPYARD_MEMORY_H_
#define OPYARD_MEMORY_H_

#include "opyard/base.h"

OY_BEGIN_DECLS

// Of the whole process. Each thread reports what it did in steps of 64 KiB, the one
// that asks reports first: so the figures for bytes and blocks are exact while one
// thread works, and else off by at most that for each other thread.
typedef struct oy_memory_stats {
  size_t bytes_in_use;    // in blocks that tensors hold, as large as they were made
  size_t bytes_peak;      // the most there was of that since the last reset
  size_t bytes_reserved;  // in slabs: in use, or kept for reuse
  size_t blocks_in_use;   // that tensors hold
  size_t slabs;
  uint64_t allocations;  // of blocks, since the process began
} oy_memory_stats;
// Thread-safe.
OY_API oy_memory_stats oy_memory_stats_get(void);
// The peak becomes what is in use now. Thread-safe.
OY_API void oy_memory_reset_peak(void);

// How many bytes may be kept for reuse; a quarter of the machine's memory at first.
// Above that, a slab goes back to the system when its last tensor goes; slabs that
// are free now do so at once. Gives the limit before. Thread-safe.
OY_API size_t oy_memory_set_limit(size_t bytes);

// Everything that is kept for reuse and that no tensor lies beside goes back to the
// allocator: slabs that are free, of the whole process, and the blocks of this
// thread's own lists. Thread-safe.
OY_API void oy_tensor_trim(void);

OY_END_DECLS

#endif  // OPYARD_MEMORY_H_
