// SPDX-License-Identifier: Apache-2.0
// Where slabs come from. The first touch of a small page costs the system about as
// much as that of a huge one, which is 512 times as large.
#include <sys/mman.h>

#include "base/memory.h"
#include "tensor/slab.h"

// What stays readable behind a slab, and is never touched by what is right: OpenBLAS 0.3.21's
// products of a complex matrix by a row of another one read an element past its last column
// (zgemv_n), which is behind a page that nobody has where the matrix is the last of a slab.
enum { ALIGNMENT = 64, BEHIND = 1 << 16 };

static void* map_pages(size_t size) {
  size_t more;
  if (__builtin_add_overflow(size, (size_t)OYI_HUGE_PAGE + BEHIND, &more)) return NULL;
  char* raw =
      mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return NULL;
  size_t head = -(uintptr_t)raw & (OYI_HUGE_PAGE - 1);
  if (head) munmap(raw, head);
  munmap(raw + head + size + BEHIND, OYI_HUGE_PAGE - head);
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
    munmap(base, size + BEHIND);
}
