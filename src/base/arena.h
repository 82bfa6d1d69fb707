// SPDX-License-Identifier: Apache-2.0
// Memory that is given back all at once: a list of blocks, filled from the
// front. Nothing in it can be freed or resized alone. A caller that guesses the
// total well pays one allocation.
#ifndef OPYARD_SRC_BASE_ARENA_H_
#define OPYARD_SRC_BASE_ARENA_H_

#include "opyard/base.h"

typedef struct oyi_arena {
  void* blocks;  // newest first; each begins with a pointer to the one before
  char* next;    // always aligned to 8
  char* end;
  size_t total;  // bytes in all blocks
} oyi_arena;

// Makes the first block, with room for |size| bytes. False with the error set.
bool oyi_arena_init(oyi_arena* arena, size_t size);
// Begins in |memory|, which is the caller's and aligned to 8.
void oyi_arena_init_at(oyi_arena* arena, void* memory, size_t size);
void oyi_arena_free(oyi_arena* arena);

// The path for a full block; use oyi_arena_alloc.
void* oyi_arena_alloc_slow(oyi_arena* arena, size_t size);

// Uninitialised, aligned to 8. NULL with the error set.
static inline void* oyi_arena_alloc(oyi_arena* arena, size_t size) {
  if (OY_UNLIKELY(size > (size_t)(arena->end - arena->next)))
    return oyi_arena_alloc_slow(arena, size);
  char* ptr = arena->next;
  // A block's size is a multiple of 8, so rounding up never passes its end.
  arena->next += (size + 7) & ~(size_t)7;
  return ptr;
}

// Makes room for one more element behind |count| in the array *data, which was
// made here (or is NULL, with *capacity 0). The old copy stays in the arena:
// doubling bounds the waste by the final size. False with the error set.
bool oyi_arena_grow(oyi_arena* arena, void* data, size_t* capacity, size_t count,
                    size_t element);

#endif  // OPYARD_SRC_BASE_ARENA_H_
