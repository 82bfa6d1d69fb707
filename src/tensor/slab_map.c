// SPDX-License-Identifier: Apache-2.0
// Where slabs come from. The first touch of a small page costs the system about as
// much as that of a huge one, which is 512 times as large.
#include <sys/mman.h>

#include "base/memory.h"
#include "tensor/slab.h"

enum { ALIGNMENT = 64 };

static void* map_pages(size_t size) {
  size_t more;
  if (__builtin_add_overflow(size, (size_t)OYI_HUGE_PAGE, &more)) return NULL;
  char* raw =
      mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return NULL;
  size_t head = -(uintptr_t)raw & (OYI_HUGE_PAGE - 1);
  if (head) munmap(raw, head);
  munmap(raw + head + size, OYI_HUGE_PAGE - head);
#ifdef MADV_HUGEPAGE
  // Without huge pages it works as well, only slower.
  (void)madvise(raw + head, size, MADV_HUGEPAGE);
#endif
  return raw + head;
}

void* oyi_slab_map(size_t size, void** out_own) {
  *out_own = NULL;
  if (oyi_allocator_is_default()) return map_pages(size);
  char* own = size < SIZE_MAX / 4 ? oyi_malloc(size + ALIGNMENT) : NULL;
  if (!own) return NULL;
  *out_own = own;
  return own + (-(uintptr_t)own & (ALIGNMENT - 1));
}

void oyi_slab_unmap(void* base, size_t size, void* own) {
  oyi_memory_allow(base, size);
  if (own)
    oyi_free(own);
  else
    munmap(base, size);
}
