// SPDX-License-Identifier: Apache-2.0
// Regions whose chunks the caller numbers: for work whose result must not depend
// on how many threads there are.
#ifndef OPYARD_SRC_BASE_THREADS_H_
#define OPYARD_SRC_BASE_THREADS_H_

#include "opyard/threads.h"

typedef oy_status (*oyi_chunk_fn)(int64_t index, void* context);

// Calls |fn| with 0 to |count| - 1, each once. A single chunk, or a single thread,
// is run by the caller in order, without a lock or a shared write. On failure as
// oy_parallel_for.
oy_status oyi_parallel_chunks(int64_t count, oyi_chunk_fn fn, void* context);

#endif  // OPYARD_SRC_BASE_THREADS_H_
