// SPDX-License-Identifier: Apache-2.0
// Arguments that are made up may ask for results of any size: what is large is refused, on
// every machine alike.
#include <dlfcn.h>

#include "certify.h"

enum { LIMIT = 64 << 20 };  // bytes in one allocation
static oy_allocator g_below;

static void* reallocate(void* user_data, void* ptr, size_t old_size, size_t size) {
  (void)user_data;
  if (size > LIMIT) return NULL;
  return g_below.reallocate(g_below.user_data, ptr, old_size, size);
}

// The library's, and not that of the parts of it that the command has itself.
void certify_limit(void) {
  oy_allocator (*set)(oy_allocator) = NULL;
  void* symbol = dlsym(RTLD_NEXT, "oy_allocator_set");
  memcpy(&set, &symbol, sizeof(set));
  if (set) g_below = set((oy_allocator){reallocate, NULL});
}
