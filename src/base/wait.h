// SPDX-License-Identifier: Apache-2.0
// Sleeping until a 32-bit word changes: futex(2) on Linux, one mutex and one
// condition variable elsewhere. The word is changed atomically, before the wake.
#ifndef OPYARD_SRC_BASE_WAIT_H_
#define OPYARD_SRC_BASE_WAIT_H_

#include "opyard/base.h"

// Sleeps if *word is |expected|; may come back early.
void oyi_wait(const uint32_t* word, uint32_t expected);
// Wakes up to |count| of those that sleep on |word|, or more.
void oyi_wake(uint32_t* word, int count);
// In the child of a fork, before any other: nobody sleeps there.
void oyi_wait_after_fork(void);

// Says that the thread spins.
static inline void oyi_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif  // OPYARD_SRC_BASE_WAIT_H_
