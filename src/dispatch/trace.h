// SPDX-License-Identifier: Apache-2.0
// Records in the slots of the two trace keys of every table, and the switches of who
// observes calls through them.
#ifndef OPYARD_SRC_DISPATCH_TRACE_H_
#define OPYARD_SRC_DISPATCH_TRACE_H_

#include "opyard/inline.h"

extern const oy_kernel oyi_trace_kernel;
extern const oy_kernel oyi_trace_redispatch_kernel;

// Runs a call of an operator that is about to run |kernel|, in its place. The thread is
// inside the call; |keys| are what the kernel is to get.
typedef oy_status (*oyi_observe_fn)(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                    const oy_kernel* kernel);
// Once, before the first of the two below.
void oyi_observe_set(oyi_observe_fn observe);
// Whether calls of this thread are observed; of all threads (table.c).
void oyi_observe_thread(bool on);
void oyi_observe_all(bool on);

// What is watched of backward walks anywhere in the process, and what short ways must not
// pass by; atomic. Tested once a walk and once a node, for all of it.
enum {
  OYI_WATCH_ANOMALY = 1,  // some thread has been in anomaly mode
  OYI_WATCH_RECORD = 2,   // there are observers
  OYI_WATCH_STREAM = 4,   // some thread has used another stream than the default
  OYI_WATCH_REPLACED = 8  // a kernel of the CPU has been replaced by another
};
extern uint8_t oyi_backward_watch;

#endif  // OPYARD_SRC_DISPATCH_TRACE_H_
