// SPDX-License-Identifier: Apache-2.0
// An allocator for tests: it counts live blocks, and can fail the n-th
// allocation from now. It passes on to the C heap, as the library's own does.
// Failing is for one thread at a time; counting is for any.
//
//   for (long n = 0;; n++) {
//     fail_allocation(n);
//     status = what_is_tested();
//     bool failed = allocation_failed();
//     ...
//     if (!failed) break;
//   }
#ifndef OPYARD_TESTS_DISPATCH_FAILING_ALLOCATOR_H_
#define OPYARD_TESTS_DISPATCH_FAILING_ALLOCATOR_H_

#include <stdlib.h>

#include "opyard/allocator.h"

static struct {
  long left;  // allocations until one fails; negative: none will
  bool failed;
  long live;  // blocks
} g_failing = {-1, false, 0};

static void* failing_reallocate(void* user_data, void* ptr, size_t old_size,
                                size_t size) {
  (void)user_data;
  (void)old_size;
  if (size == 0) {
    __atomic_fetch_sub(&g_failing.live, ptr != NULL, __ATOMIC_RELAXED);
    free(ptr);
    return NULL;
  }
  if (g_failing.left == 0) {
    g_failing.left = -1;
    g_failing.failed = true;
    return NULL;
  }
  if (g_failing.left > 0) g_failing.left--;
  void* block = realloc(ptr, size);
  __atomic_fetch_add(&g_failing.live, block && !ptr, __ATOMIC_RELAXED);
  return block;
}

// From now on, the allocation number |n| (0 is the next) fails, once.
static inline void fail_allocation(long n) {
  oy_allocator_set((oy_allocator){failing_reallocate, NULL});
  g_failing.left = n;
  g_failing.failed = false;
}

// Whether it did; no more will fail. Blocks are still counted.
static inline bool allocation_failed(void) {
  g_failing.left = -1;
  return g_failing.failed;
}

static inline long live_blocks(void) {
  return __atomic_load_n(&g_failing.live, __ATOMIC_RELAXED);
}

static inline void count_blocks(void) {
  fail_allocation(-1);
}

#endif  // OPYARD_TESTS_DISPATCH_FAILING_ALLOCATOR_H_
