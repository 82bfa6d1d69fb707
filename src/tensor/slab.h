// SPDX-License-Identifier: Apache-2.0
// Blocks of memory out of slabs that are kept when they are free: best fit, split
// and joined again. One lock guards all of it; block_cache.c keeps what is small and
// frequent away from that.
#ifndef OPYARD_SRC_TENSOR_SLAB_H_
#define OPYARD_SRC_TENSOR_SLAB_H_

#include "opyard/memory.h"

typedef struct oyi_slab oyi_slab;

// Describes a stretch of a slab, and lies outside of it: slabs hold data alone, and a
// stray write through a tensor does not reach the allocator.
typedef struct oyi_block {
  char* data;
  size_t size;
  oyi_slab* slab;
  struct oyi_block *before, *after;   // neighbours in the slab
  struct oyi_block *next, *previous;  // in a list: of a bin, or of a thread
  bool is_free;
  uint8_t size_class;  // of block_cache.c
} oyi_block;

// A block of |size| bytes, a multiple of 64, or somewhat more. NULL with an error set
// that speaks of |asked| bytes.
oyi_block* oyi_slab_take(size_t size, size_t asked);
void oyi_slab_give(oyi_block* block);
// Slabs that are free go back.
void oyi_slab_trim(void);
size_t oyi_slab_set_limit(size_t bytes);
void oyi_slab_totals(size_t* out_reserved, size_t* out_slabs);

// Memory for a slab, 64-byte aligned. By default a mapping, aligned to huge pages and
// advised to have them; where the program replaced the library's allocator, a block
// of that one, whose address is then in *out_own. NULL without a message.
enum { OYI_HUGE_PAGE = 2 << 20 };
void* oyi_slab_map(size_t size, void** out_own);
void oyi_slab_unmap(void* base, size_t size, void* own);

// Whether the program may touch these bytes, for AddressSanitizer.
#if defined(__SANITIZE_ADDRESS__)
#define OYI_UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OYI_UNDER_ASAN 1
#endif
#endif
#ifdef OYI_UNDER_ASAN
void __asan_poison_memory_region(const volatile void* data, size_t size);
void __asan_unpoison_memory_region(const volatile void* data, size_t size);
#define oyi_memory_forbid(data, size) __asan_poison_memory_region(data, size)
#define oyi_memory_allow(data, size)  __asan_unpoison_memory_region(data, size)
#else
#define OYI_UNDER_ASAN                0
#define oyi_memory_forbid(data, size) ((void)(data), (void)(size))
#define oyi_memory_allow(data, size)  ((void)(data), (void)(size))
#endif

#endif  // OPYARD_SRC_TENSOR_SLAB_H_
