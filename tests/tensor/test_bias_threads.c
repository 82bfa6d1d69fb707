// SPDX-License-Identifier: Apache-2.0
// Biased locking: whatever thread comes when, what is counted is counted once, and two are
// never inside. Each round is a process of its own, since the bias changes hands few times.
#include "tensor/bias.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tensors.h"

enum { THREADS = 4, TIMES = 20000, ROUNDS = 60 };

static uint32_t g_words[2];   // counted by all
static int32_t g_references;  // taken and given up by all
static uint8_t g_lock;
static uint64_t g_guarded[2];  // under the lock, and no atomics
static int g_begun;            // atomic

static void work(int times) {
  for (int i = 0; i < times; i++) {
    oyi_bias_count(&g_words[i % 2]);
    oyi_bias_retain(&g_references);
    if (i % 3)
      oyi_biased_lock(&g_lock);
    else
      while (!oyi_biased_try(&g_lock)) {
        oyi_biased_lock(&g_lock);  // who has to ask does it so
        oyi_biased_unlock(&g_lock);
      }
    g_guarded[0]++;
    g_guarded[1] = g_guarded[0];
    oyi_biased_unlock(&g_lock);
    if (oyi_bias_drop(&g_references)) _exit(3);
  }
}

static void* come(void* after) {
  while (__atomic_load_n(&g_begun, __ATOMIC_ACQUIRE) < (int)(intptr_t)after) {}
  for (int part = 0; part < 10; part++) {
    work(TIMES / 10);
    __atomic_fetch_add(&g_begun, 1, __ATOMIC_RELEASE);
  }
  return NULL;
}

// The main thread has the bias when the others come, all at once or one by one; some end
// while others go on, and one that comes afterwards finds everything as it was left.
static int round_of(int number) {
  pthread_t threads[THREADS];
  g_references = 1;
  work(TIMES);
  for (intptr_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, come, (void*)(i * (number % 11)))) return 4;
  work(TIMES);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  work(TIMES);
  const uint32_t all = (THREADS + 3) * TIMES;
  if (g_words[0] != all / 2 || g_words[1] != all / 2) return 5;
  if (g_guarded[0] != all || g_guarded[1] != all) return 6;
  return g_references == 1 ? 0 : 7;
}

static void run_apart(int (*run)(int), int number) {
  const pid_t child = fork();
  if (child == 0) _exit(run(number));
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (status != 0) fail_msg("round %d: status %x", number, (unsigned)status);
}

static void every_count_is_kept(void** state) {
  (void)state;
  for (int i = 0; i < ROUNDS; i++) run_apart(round_of, i);
}

// Threads that come and go one after the other: each takes the bias from one that has ended.
static void* come_once(void* unused) {
  (void)unused;
  work(100);
  return NULL;
}
static int one_by_one(int count) {
  g_references = 1;
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, come_once, NULL)) return 4;
    pthread_join(thread, NULL);
  }
  return g_guarded[0] == 100u * (unsigned)count ? 0 : 6;
}
static void of_threads_that_have_ended(void** state) {
  (void)state;
  for (int i = 1; i < 30; i++) run_apart(one_by_one, i);
}

// A child of a fork goes on, whichever thread had the bias in its parent.
static void* hold(void* unused) {
  (void)unused;
  work(100);
  __atomic_store_n(&g_begun, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&g_begun, __ATOMIC_ACQUIRE) == 1) usleep(100);
  return NULL;
}
static int after_fork(int of_other) {
  pthread_t thread;
  g_references = 1;
  g_begun = 0;
  if (!of_other) work(100);
  if (of_other && pthread_create(&thread, NULL, hold, NULL)) return 4;
  while (of_other && !__atomic_load_n(&g_begun, __ATOMIC_ACQUIRE)) usleep(100);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    work(TIMES);
    _exit(g_guarded[0] == TIMES + 100 ? 0 : 6);
  }
  int status = 0;
  waitpid(child, &status, 0);
  __atomic_store_n(&g_begun, 2, __ATOMIC_RELEASE);
  if (of_other) pthread_join(thread, NULL);
  return status;
}
static int after_fork_as_exit(int of_other) {
  return after_fork(of_other) == 0 ? 0 : 8;
}
static void after_a_fork(void** state) {
  (void)state;
  run_apart(after_fork_as_exit, 0);
  run_apart(after_fork_as_exit, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_count_is_kept),
      cmocka_unit_test(of_threads_that_have_ended),
      cmocka_unit_test(after_a_fork),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
