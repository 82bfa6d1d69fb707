// SPDX-License-Identifier: Apache-2.0
// Who has the bias, and how it is taken away (bias.h). Either one thread has it, or nobody
// ever did, or it is over: threads that use atomic operations never meet one that does not.
#include "tensor/bias.h"

#include <pthread.h>
#include <sched.h>

#include "base/thread_end.h"
#include "dispatch/epoch.h"

// A change costs microseconds, once; threads that take turns are to have few of them.
enum { CHANGES = 8 };

__thread oyi_bias_block oyi_bias;

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static oyi_bias_block* g_owner;
static unsigned g_changes;
static bool g_over;

void oyi_spin_lock_slow(uint8_t* lock) {
  for (int spins = 1; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); spins++)
    if (spins > 100) sched_yield();
}

static void thread_ends(void* block) {
  pthread_mutex_lock(&g_mutex);
  if (g_owner == block) g_owner = NULL;
  __atomic_store_n(&oyi_bias.state, g_over ? OYI_BIAS_OVER : OYI_BIAS_UNKNOWN,
                   __ATOMIC_RELAXED);
  pthread_mutex_unlock(&g_mutex);
}
static oyi_thread_end g_end = {.run = thread_ends};

// In the child of a fork there is one thread. What it had it has.
static void before_fork(void) {
  pthread_mutex_lock(&g_mutex);
}
static void after_fork(void) {
  pthread_mutex_unlock(&g_mutex);
}
static void after_fork_in_child(void) {
  if (g_owner != &oyi_bias) g_owner = NULL;
  pthread_mutex_unlock(&g_mutex);
}

#ifdef __SANITIZE_THREAD__
enum { SEES_BARRIERS = false };  // readers would have to fence as well
#else
enum { SEES_BARRIERS = true };
#endif
static bool g_can_take_away;
static void start_up(void) {
  g_can_take_away = SEES_BARRIERS && oyi_barrier() &&
                    pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

// From here on the thread that had it is not inside, and sees that it has lost it.
static void take_away(void) {
  if (!g_owner) return;
  __atomic_store_n(&g_owner->state, OYI_BIAS_UNKNOWN, __ATOMIC_SEQ_CST);
  (void)oyi_barrier();  // it did its work when the bias was given away
  while (__atomic_load_n(&g_owner->inside, __ATOMIC_ACQUIRE)) sched_yield();
  g_owner = NULL;
}

static bool may_have(void) {
  return g_can_take_away && !g_over && g_changes < CHANGES &&
         oyi_thread_end_set(&g_end, &oyi_bias);
}

bool oyi_bias_ask(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_up);
  pthread_mutex_lock(&g_mutex);
  take_away();
  const bool own = may_have();
  if (own) {
    g_changes++;
    g_owner = &oyi_bias;
    __atomic_store_n(&oyi_bias.inside, 1, __ATOMIC_RELAXED);
  } else {
    g_over = true;
  }
  __atomic_store_n(&oyi_bias.state, own ? OYI_BIAS_OWN : OYI_BIAS_OVER, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&g_mutex);
  return own;
}

void oyi_bias_count_slow(uint32_t* word) {
  const bool own = oyi_bias_enter();
  __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
  if (own) oyi_bias_leave();
}

bool oyi_bias_drop_slow(int32_t* references) {
  const bool own = oyi_bias_enter();
  const int32_t left = __atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL);
  if (own) oyi_bias_leave();
  return left == 0;
}
