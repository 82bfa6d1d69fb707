// SPDX-License-Identifier: Apache-2.0
// Blocks double in size up to a limit, so that a small arena has few of them and a
// large one wastes little.
#include "base/arena.h"

#include "base/memory.h"

enum { HEADER = 8, FIRST_ELEMENTS = 4, LARGEST_BLOCK = 4096 };

_Static_assert(sizeof(void*) <= HEADER, "the link fits before the first byte");

static bool add_block(oyi_arena* arena, size_t size) {
  size = (size + 7) & ~(size_t)7;
  char* block = oyi_malloc(size + HEADER);
  if (!block) return false;
  *(void**)(void*)block = arena->blocks;
  arena->blocks = block;
  arena->next = block + HEADER;
  arena->end = arena->next + size;
  arena->total += size;
  return true;
}

bool oyi_arena_init(oyi_arena* arena, size_t size) {
  *arena = (oyi_arena){NULL, NULL, NULL, 0};
  return add_block(arena, size);
}

void oyi_arena_init_at(oyi_arena* arena, void* memory, size_t size) {
  char* from = memory;
  *arena = (oyi_arena){NULL, from, from + (size & ~(size_t)7), size};
}

void oyi_arena_free(oyi_arena* arena) {
  void* block = arena->blocks;
  while (block) {
    void* before = *(void**)block;
    oyi_free(block);
    block = before;
  }
  *arena = (oyi_arena){NULL, NULL, NULL, 0};
}

void* oyi_arena_alloc_slow(oyi_arena* arena, size_t size) {
  // The rest of the current block is lost: it is smaller than |size|.
  size_t wanted = arena->total < LARGEST_BLOCK ? arena->total : LARGEST_BLOCK;
  if (!add_block(arena, size > wanted ? size : wanted)) return NULL;
  return oyi_arena_alloc(arena, size);
}

bool oyi_arena_grow(oyi_arena* arena, void* data, size_t* capacity, size_t count,
                    size_t element) {
  void** array = data;
  if (count < *capacity) return true;
  size_t wanted = *capacity ? *capacity * 2 : FIRST_ELEMENTS;
  void* copy = oyi_arena_alloc(arena, wanted * element);
  if (!copy) return false;
  if (count) memcpy(copy, *array, count * element);
  *array = copy;
  *capacity = wanted;
  return true;
}
