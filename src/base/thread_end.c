// SPDX-License-Identifier: Apache-2.0
// The pthread keys of this library, so that they can be deleted with it.
#include "base/thread_end.h"

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static oyi_thread_end* g_armed;
static bool g_unloading;

static bool arm(oyi_thread_end* end) {
  pthread_mutex_lock(&g_mutex);
  if (!end->armed && !g_unloading && pthread_key_create(&end->key, end->run) == 0) {
    end->next = g_armed;
    g_armed = end;
    __atomic_store_n(&end->armed, true, __ATOMIC_RELEASE);
  }
  bool armed = end->armed;
  pthread_mutex_unlock(&g_mutex);
  return armed;
}

bool oyi_thread_end_set(oyi_thread_end* end, void* data) {
  if (!__atomic_load_n(&end->armed, __ATOMIC_ACQUIRE) && !arm(end)) return false;
  return pthread_setspecific(end->key, data) == 0;
}

// Later than the destructors without a number, which may still call the library, and
// earlier than those that give its memory back.
static __attribute__((destructor(300))) void forget_keys(void) {
  pthread_mutex_lock(&g_mutex);
  g_unloading = true;
  oyi_thread_end* end = g_armed;
  g_armed = NULL;
  pthread_mutex_unlock(&g_mutex);
  for (; end; end = end->next) {
    void* data = pthread_getspecific(end->key);
    __atomic_store_n(&end->armed, false, __ATOMIC_RELEASE);
    (void)pthread_key_delete(end->key);
    if (data) end->run(data);
  }
}
