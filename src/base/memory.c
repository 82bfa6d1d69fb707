// SPDX-License-Identifier: Apache-2.0
// Every block carries its size in a 16-byte header, so that the allocator's one
// entry gets both sizes and alignment for any scalar type is kept.
#include "base/memory.h"

#include <stdlib.h>

enum { HEADER = 16, LINE = 64 };

static void* heap_reallocate(void* user_data, void* ptr, size_t old_size, size_t size) {
  (void)user_data;
  (void)old_size;
  if (size == 0) {
    free(ptr);
    return NULL;
  }
  return realloc(ptr, size);
}

static oy_allocator g_allocator = {heap_reallocate, NULL};

oy_allocator oy_allocator_set(oy_allocator allocator) {
  oy_allocator previous = g_allocator;
  if (allocator.reallocate)
    g_allocator = allocator;
  else
    g_allocator = (oy_allocator){heap_reallocate, NULL};
  return previous;
}

bool oyi_allocator_is_default(void) {
  return g_allocator.reallocate == heap_reallocate;
}

static void* out_of_memory(size_t size) {
  OY_FAIL(OUT_OF_MEMORY, "out of memory: could not allocate %zu bytes", size);
  return NULL;
}

static void* resize(void* ptr, size_t size) {
  char* block = ptr ? (char*)ptr - HEADER : NULL;
  size_t old = block ? *(size_t*)(void*)block : 0;
  if (size > SIZE_MAX / 2 - HEADER) return out_of_memory(size);
  block = g_allocator.reallocate(g_allocator.user_data, block, old, size + HEADER);
  if (!block) return out_of_memory(size);
  *(size_t*)(void*)block = size + HEADER;
  return block + HEADER;
}

void* oyi_malloc(size_t size) {
  return resize(NULL, size);
}

void* oyi_zalloc(size_t size) {
  void* ptr = resize(NULL, size);
  if (ptr) memset(ptr, 0, size);
  return ptr;
}

void* oyi_calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return out_of_memory(SIZE_MAX);
  return oyi_zalloc(bytes);
}

void* oyi_realloc(void* ptr, size_t size) {
  return resize(ptr, size);
}

void oyi_free(void* ptr) {
  if (!ptr) return;
  char* block = (char*)ptr - HEADER;
  g_allocator.reallocate(g_allocator.user_data, block, *(size_t*)(void*)block, 0);
}

char* oyi_strndup(const char* text, size_t size) {
  char* copy = oyi_malloc(size + 1);
  if (!copy) return NULL;
  if (size) memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

void* oyi_aligned_malloc(size_t size) {
  if (size > SIZE_MAX / 2 - 2 * LINE) return out_of_memory(size);
  char* block = oyi_malloc(size + LINE);
  if (!block) return NULL;
  // The byte before the result tells how far the block was moved up.
  size_t shift = LINE - ((uintptr_t)block & (LINE - 1));
  char* aligned = block + shift;
  aligned[-1] = (char)shift;
  return aligned;
}

void* oyi_aligned_zalloc(size_t size) {
  void* aligned = oyi_aligned_malloc(size);
  if (aligned) memset(aligned, 0, size);
  return aligned;
}

void oyi_aligned_free(void* ptr) {
  if (!ptr) return;
  char* aligned = ptr;
  oyi_free(aligned - (unsigned char)aligned[-1]);
}

bool oyi_grow(void* data, size_t* capacity, size_t needed, size_t element) {
  if (needed <= *capacity) return true;
  size_t larger = *capacity ? *capacity : 4;
  while (larger < needed) {
    if (larger > SIZE_MAX / 2) return out_of_memory(SIZE_MAX) != NULL;
    larger *= 2;
  }
  size_t bytes;
  if (__builtin_mul_overflow(larger, element, &bytes))
    return out_of_memory(SIZE_MAX) != NULL;
  void** array = data;
  void* moved = oyi_realloc(*array, bytes);
  if (!moved) return false;
  *array = moved;
  *capacity = larger;
  return true;
}
