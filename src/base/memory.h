// SPDX-License-Identifier: Apache-2.0
// Allocation for the library's own use. Every function that allocates reports
// OUT_OF_MEMORY in the error record when it returns NULL.
#ifndef OPYARD_SRC_BASE_MEMORY_H_
#define OPYARD_SRC_BASE_MEMORY_H_

#include "opyard/allocator.h"

// Keeps what is seldom needed out of a function that is needed often.
#define OYI_COLD __attribute__((cold, noinline))

#define OY_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

// Uninitialised, zeroed, and |count| elements with an overflow check.
void* oyi_malloc(size_t size);
void* oyi_zalloc(size_t size);
void* oyi_calloc(size_t count, size_t size);
void* oyi_realloc(void* ptr, size_t size);
void oyi_free(void* ptr);
// Whether it comes from the C heap, and not from what a program put in its place.
bool oyi_allocator_is_default(void);
// A NUL-terminated copy.
char* oyi_strndup(const char* text, size_t size);

// 64-byte-aligned blocks, freed with oyi_aligned_free.
void* oyi_aligned_malloc(size_t size);
void* oyi_aligned_zalloc(size_t size);
void oyi_aligned_free(void* ptr);

// Grows *data, an array of elements of |element| bytes, so that |needed| fit;
// doubles. False, with the error set and the array untouched, if that fails.
bool oyi_grow(void* data, size_t* capacity, size_t needed, size_t element);

#endif  // OPYARD_SRC_BASE_MEMORY_H_
