// SPDX-License-Identifier: Apache-2.0
// The threads that kernels share: one pool for the whole process, whose workers
// start with the first region that needs them, spin for a moment after each, and
// then sleep. They block all signals, and are joined at exit or when the library
// is unloaded.
//
// A region never waits for a worker that has not come: what nobody took, the
// caller runs itself. So a machine that others keep busy costs speed and no more.
// When several threads open regions at once, one has the workers and the others
// run theirs alone.
//
// A child of fork() has no workers and starts its own. It must not go on with a
// region that was open in the thread that forked.
#ifndef OPYARD_THREADS_H_
#define OPYARD_THREADS_H_

#include "opyard/status.h"

OY_BEGIN_DECLS

enum { OY_THREADS_MAX = 256 };

// How many threads a region may use, the caller's included; for all threads of the
// process, from the next region on. Numbers above OY_THREADS_MAX, or above the
// environment variable OPYARD_NUM_THREADS, come down to that. INVALID_ARGUMENT
// below 1. Results do not depend on it.
OY_API OY_MUST_USE oy_status oy_set_num_threads(int count);
// As set; at first the number of CPUs that the process may run on, or
// OPYARD_NUM_THREADS where that is lower.
OY_API int oy_get_num_threads(void);
// Whether the caller runs inside a region; regions that it opens run inline.
OY_API bool oy_in_parallel_region(void);

// Work on the steps |begin| to |end|, the latter excluded.
typedef oy_status (*oy_range_fn)(int64_t begin, int64_t end, void* context);

// Calls |fn| on pieces of |begin| to |end|, each step in exactly one, on several
// threads at once if there are more than |grain| steps; otherwise, and inside
// another region, with all of it by the calling thread. Where pieces end depends on
// the number of threads. Returns once all are done. When pieces fail, no further
// ones are begun, and the caller has the status and the error of the first of them
// in the range, as if it had run them in order.
//
// Thread-local state is each worker's own; oy_parallel_for_with_state (state.h)
// brings the caller's include and exclude sets along.
OY_API OY_MUST_USE oy_status oy_parallel_for(int64_t begin, int64_t end, int64_t grain,
                                             oy_range_fn fn, void* context);

OY_END_DECLS

#endif  // OPYARD_THREADS_H_
