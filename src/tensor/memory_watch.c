// SPDX-License-Identifier: Apache-2.0
#include "tensor/memory_watch.h"

#include "tensor/pool.h"

static oyi_memory_watcher g_watcher;  // atomic
static __thread int t_depth __attribute__((tls_model("initial-exec")));

void oyi_memory_watcher_set(oyi_memory_watcher watcher) {
  __atomic_store_n(&g_watcher, watcher, __ATOMIC_RELEASE);
}

void oyi_memory_watch_thread(bool on) {
  int before = t_depth;
  t_depth += on ? 1 : -1;
  if ((before > 0) == (t_depth > 0)) return;
  oyi_pool_watch(on);
  oyi_data_watch(on);
}

void oyi_memory_seen(const void* address, int64_t bytes) {
  oyi_memory_watcher watcher = __atomic_load_n(&g_watcher, __ATOMIC_ACQUIRE);
  if (watcher) watcher(address, bytes);
}
