// SPDX-License-Identifier: Apache-2.0
// Deferred freeing. Calls read tables and kernel records without a lock; what a
// writer has unlinked is retired, and freed when no thread is inside an
// outermost call that began before (see oy_call_enter).
//
// Invariant: a retired object is reachable from no table that a new call reads.
#ifndef OPYARD_SRC_DISPATCH_EPOCH_H_
#define OPYARD_SRC_DISPATCH_EPOCH_H_

#include "opyard/inline.h"

// Part of every object that can be retired, so that retiring cannot fail.
typedef struct oyi_retired {
  struct oyi_retired* next;
  uint64_t epoch;
  void (*free)(struct oyi_retired* self);
} oyi_retired;

typedef struct oyi_limbo {
  oyi_retired* head;
} oyi_limbo;

// Retires |object|. The caller holds the lock that guards |limbo|.
void oyi_retire(oyi_limbo* limbo, oyi_retired* object,
                void (*free_object)(oyi_retired* self));
// Unlinks from |limbo| what nobody can see any more and returns it as a list;
// the caller frees it with oyi_free_list after it dropped its lock, since a
// destructor may call back.
oyi_retired* oyi_collect(oyi_limbo* limbo);
void oyi_free_list(oyi_retired* list);

// A full fence in every thread of the process that runs now. False: the system has none. Under
// ThreadSanitizer, which does not know of it, readers use atomic operations instead.
bool oyi_barrier(void);

// Waiting for calls instead of freeing something: every call that began before
// oyi_grace_begin has left when oyi_grace_over says so. What was retired before it, and
// unlinked from its limbo since, is freed when oyi_free_pending is false, too.
uint64_t oyi_grace_begin(void);
bool oyi_grace_over(uint64_t grace);
bool oyi_free_pending(void);

#endif  // OPYARD_SRC_DISPATCH_EPOCH_H_
