// SPDX-License-Identifier: Apache-2.0
#include "base/wait.h"

#if defined(__linux__) && !defined(OYI_WAIT_WITH_CONDITION)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void oyi_wait(const uint32_t* word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

void oyi_wake(uint32_t* word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

void oyi_wait_after_fork(void) {}

#else
#include <pthread.h>

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;

// The word is read with the lock held, so a wake cannot fall between that and the
// sleep.
void oyi_wait(const uint32_t* word, uint32_t expected) {
  pthread_mutex_lock(&g_lock);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == expected)
    pthread_cond_wait(&g_changed, &g_lock);
  pthread_mutex_unlock(&g_lock);
}

void oyi_wake(uint32_t* word, int count) {
  (void)word;
  (void)count;
  pthread_mutex_lock(&g_lock);
  pthread_cond_broadcast(&g_changed);
  pthread_mutex_unlock(&g_lock);
}

// The condition still counts the sleepers of the parent, and would wait for them.
void oyi_wait_after_fork(void) {
  g_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  g_changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
#endif
