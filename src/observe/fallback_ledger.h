// SPDX-License-Identifier: Apache-2.0
// The rows of the fallback ledger.
#ifndef OPYARD_SRC_OBSERVE_FALLBACK_LEDGER_H_
#define OPYARD_SRC_OBSERVE_FALLBACK_LEDGER_H_

#include "opyard/fallback.h"

// One row for each operator and pair of backends. Rows are added and never taken out, so
// readers and counters follow the links without a lock. Rows go by name: the ledger
// outlives the registries that it heard of.
typedef struct oyi_fallback_row {
  struct oyi_fallback_row* next;
  int16_t from, to;  // OY_BACKEND_NONE: what is said of the operator as such
  uint8_t warned;    // atomic, as all below
  uint8_t forbidden;
  uint64_t calls, bytes_to, bytes_from, nanoseconds;
  size_t name_size;
  char name[];
} oyi_fallback_row;

// Calls |visit| with each row until it returns false.
void oyi_fallback_each(bool (*visit)(void* context, oyi_fallback_row* row),
                       void* context);
// Frees the rows: no call may be in flight.
void oyi_fallback_free(void);

#endif  // OPYARD_SRC_OBSERVE_FALLBACK_LEDGER_H_
