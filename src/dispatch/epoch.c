// SPDX-License-Identifier: Apache-2.0
// The writer's side of deferred freeing, and the list of threads that call.
// A reader only stores to its own cache line; the fence between that store and
// its loads is bought here, with membarrier(2), once for each collection.
#include "dispatch/epoch.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/thread_end.h"
#include "dispatch/thread.h"

typedef struct thread_node {
  struct thread_node* next;
  oy_tls_block* tls;
} thread_node;

// Even. Threads have late copies of it: a call that starts from an old one holds up
// freeing a little longer, and nothing else.
static uint64_t g_epoch = 2;
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static thread_node* g_threads;
static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static bool g_have_barrier;

static void thread_end(void* argument) {
  thread_node* node = argument;
  pthread_mutex_lock(&g_mutex);
  for (thread_node** at = &g_threads; *at; at = &(*at)->next) {
    if (*at != node) continue;
    *at = node->next;
    break;
  }
  pthread_mutex_unlock(&g_mutex);
  __atomic_store_n(&oy_tls.active, OY_NEW, __ATOMIC_RELEASE);
  free(node);
}

static oyi_thread_end g_end = {.run = thread_end};

static void start_up(void) {
  g_have_barrier =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

// Without memory for the node the thread stays unknown and its mark says "in a
// call since the beginning" to nobody; so it is counted here, and nothing is
// freed any more. A leak instead of a crash.
static uint64_t g_unknown_threads;

// Release: a call that begins with this epoch sees what was unlinked before.
static void publish(thread_node* node, uint64_t epoch) {
  __atomic_store_n(&node->tls->epoch, epoch, __ATOMIC_RELEASE);
}

uint64_t oy_thread_start(void) {
  pthread_once(&g_once, start_up);
  thread_node* node = malloc(sizeof(*node));
  if (node && oyi_thread_end_set(&g_end, node)) {
    node->tls = &oy_tls;
    pthread_mutex_lock(&g_mutex);
    publish(node, __atomic_load_n(&g_epoch, __ATOMIC_ACQUIRE));
    node->next = g_threads;
    g_threads = node;
    pthread_mutex_unlock(&g_mutex);
  } else {
    free(node);
    __atomic_fetch_add(&g_unknown_threads, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&oy_tls.epoch, 2, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&oy_tls.active, OY_IDLE, __ATOMIC_RELEASE);
  oyi_thread_state_init();
  return __atomic_load_n(&oy_tls.active, __ATOMIC_RELAXED);
}

bool oyi_barrier(void) {
  pthread_once(&g_once, start_up);
#ifdef __SANITIZE_THREAD__
  return true;  // marks are exchanged, not stored
#else
  return g_have_barrier &&
         syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

// The oldest epoch in which some thread is still inside a call; 0 if that
// cannot be told.
static uint64_t oldest_reader(void) {
  if (__atomic_load_n(&g_unknown_threads, __ATOMIC_SEQ_CST)) return 0;
  uint64_t oldest = UINT64_MAX;
  pthread_mutex_lock(&g_mutex);
  uint64_t now = __atomic_load_n(&g_epoch, __ATOMIC_ACQUIRE);
  for (thread_node* n = g_threads; n; n = n->next) publish(n, now);
  if (!oyi_barrier()) oldest = 0;
  for (thread_node* n = g_threads; n; n = n->next) {
#ifdef __SANITIZE_THREAD__
    uint64_t active = __atomic_fetch_add(&n->tls->active, 0, __ATOMIC_SEQ_CST);
#else
    uint64_t active = __atomic_load_n(&n->tls->active, __ATOMIC_ACQUIRE);
#endif
    if (!(active & 1) && active < oldest) oldest = active;
  }
  pthread_mutex_unlock(&g_mutex);
  return oldest;
}

void oyi_retire(oyi_limbo* limbo, oyi_retired* object,
                void (*free_object)(oyi_retired* self)) {
  object->free = free_object;
  // A call that begins from now on has a later epoch, and cannot find it.
  object->epoch = __atomic_add_fetch(&g_epoch, 2, __ATOMIC_SEQ_CST);
  object->next = limbo->head;
  limbo->head = object;
}

// Lists that were taken off a limbo and are not freed yet.
static uint64_t g_pending;  // atomic

uint64_t oyi_grace_begin(void) {
  return __atomic_add_fetch(&g_epoch, 2, __ATOMIC_SEQ_CST);
}

bool oyi_grace_over(uint64_t grace) {
  return oldest_reader() >= grace;
}

bool oyi_free_pending(void) {
  return __atomic_load_n(&g_pending, __ATOMIC_SEQ_CST) != 0;
}

oyi_retired* oyi_collect(oyi_limbo* limbo) {
  if (!limbo->head) return NULL;
  uint64_t oldest = oldest_reader();
  oyi_retired* done = NULL;
  for (oyi_retired** at = &limbo->head; *at;) {
    oyi_retired* object = *at;
    if (object->epoch > oldest) {
      at = &object->next;
      continue;
    }
    *at = object->next;
    object->next = done;
    done = object;
  }
  if (done) __atomic_fetch_add(&g_pending, 1, __ATOMIC_SEQ_CST);
  return done;
}

void oyi_free_list(oyi_retired* list) {
  if (!list) return;
  while (list) {
    oyi_retired* next = list->next;
    list->free(list);
    list = next;
  }
  __atomic_fetch_sub(&g_pending, 1, __ATOMIC_SEQ_CST);
}
