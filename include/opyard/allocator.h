// SPDX-License-Identifier: Apache-2.0
// Where the library's own memory comes from (registry, schemas, boxed lists,
// error texts). Tensor data has an allocator of its own, per device.
#ifndef OPYARD_ALLOCATOR_H_
#define OPYARD_ALLOCATOR_H_

#include "opyard/status.h"

OY_BEGIN_DECLS

// |reallocate| is the only entry: ptr NULL allocates, size 0 frees and returns
// NULL, otherwise resizes. Blocks are aligned for any scalar type. NULL for a
// size above 0 means out of memory. Must be thread-safe.
typedef struct oy_allocator {
  void* (*reallocate)(void* user_data, void* ptr, size_t old_size, size_t size);
  void* user_data;
} oy_allocator;

// Replaces the allocator (the C heap by default) and returns the one before.
// Blocks must be freed by the allocator that made them, so switch only while
// the library holds none, or to one that passes on to the same heap (a counting
// or failing one, for tests). Not thread-safe.
OY_API oy_allocator oy_allocator_set(oy_allocator allocator);

OY_END_DECLS

#endif  // OPYARD_ALLOCATOR_H_
