// SPDX-License-Identifier: Apache-2.0
// Who wants to see every block that the allocator of CPU tensors gives and takes back:
// headers of tensors with their inline data, storages, nodes of graphs, and data. A thread
// that is watched keeps no blocks of its own, so that all of them take the slow paths; the
// fast ones know nothing of it.
#ifndef OPYARD_SRC_TENSOR_MEMORY_WATCH_H_
#define OPYARD_SRC_TENSOR_MEMORY_WATCH_H_

#include "opyard/base.h"

// |bytes| above 0: given, below: taken back. Called in the thread that does it, inside of
// the allocator; it must not come back to it.
typedef void (*oyi_memory_watcher)(const void* address, int64_t bytes);
void oyi_memory_watcher_set(oyi_memory_watcher watcher);

// Whether this thread is watched. Nests.
void oyi_memory_watch_thread(bool on);

// For the allocator.
void oyi_memory_seen(const void* address, int64_t bytes);
void oyi_data_watch(bool on);

#endif  // OPYARD_SRC_TENSOR_MEMORY_WATCH_H_
