// SPDX-License-Identifier: Apache-2.0
// Who observes, as a thread sees it: a list of its own, made anew after something changed.
// Records in flight hold the list that they began with, so that they end with the
// observers that saw them begin.
#ifndef OPYARD_SRC_OBSERVE_OBSERVERS_H_
#define OPYARD_SRC_OBSERVE_OBSERVERS_H_

#include "opyard/observe.h"

enum { OYI_OBSERVERS = 32 };  // that one thread has at most

// One observer that was added. Counted; the last reference calls |destroy|.
typedef struct oyi_observer_entry {
  oy_observer observer;
  uint64_t id;
  int32_t references;  // atomic
  bool enabled;
  struct oyi_observer_entry* next;
} oyi_observer_entry;

// What one thread has of an observer.
typedef struct oyi_observer_slot {
  oyi_observer_entry* entry;
  int32_t countdown[OY_RECORD_SCOPES];  // records until the next that is sampled
} oyi_observer_slot;

typedef struct oyi_observer_list {
  uint32_t references;  // of the thread's own
  uint32_t count;
  uint64_t version, own_version;
  oyi_observer_slot slots[];
} oyi_observer_list;

// The list of the calling thread, borrowed; NULL if it observes nothing.
oyi_observer_list* oyi_observers_of_thread(void);
void oyi_observer_list_release(oyi_observer_list* list);
// Which of |list| see a record of |scope| that begins now, as bits.
uint32_t oyi_observers_pick(oyi_observer_list* list, oy_record_scope scope);

// Nests: no records in this thread while it is more than 0.
extern __thread int oyi_observing_off __attribute__((tls_model("initial-exec")));

// The door's part (record.c): one call of an operator.
oy_status oyi_observe_call(const oy_op* op, oy_keyset keys, oy_stack* stack,
                           const oy_kernel* kernel);

#endif  // OPYARD_SRC_OBSERVE_OBSERVERS_H_
