// SPDX-License-Identifier: Apache-2.0
// What key.c and backend.c tell each other: the names of a backend's keys, and
// the search of a key by name that does not raise.
//
// Records of backends are immutable and never freed once another thread can see
// them, so that names are read without a lock and live for the process.
#ifndef OPYARD_SRC_DISPATCH_BACKEND_H_
#define OPYARD_SRC_DISPATCH_BACKEND_H_

#include "opyard/key.h"

enum { OYI_PER_BACKEND_COUNT = 6, OYI_BACKEND_NAME_MAX = 40 };

typedef struct oyi_backend {
  // By oyi_per_backend_index; the first, of Dense, is the backend's own name.
  const char* key_names[OYI_PER_BACKEND_COUNT];
  bool autograd;
  // The record that had the bit before: its activation had failed, or the backend was
  // renamed. Keeps it reachable: a reader may still hold its names.
  const struct oyi_backend* replaced;
} oyi_backend;

// NULL if there is no such backend.
const oyi_backend* oyi_backend_get(oy_backend backend);

// Called for every backend that is or was added at run time, whenever one is registered: it
// may come more than once. The backends' lock is held. NULL takes it back.
typedef oy_status (*oyi_backend_hook)(void* context, oy_backend backend);
oy_status oyi_backend_set_hook(oyi_backend_hook hook, void* context);

// By its exact name only; false if there is none.
bool oyi_backend_find_exact(oy_str name, oy_backend* out_backend);

// How devices of the backend |name| are spelled, in lower case: at most
// OYI_BACKEND_NAME_MAX characters and a NUL go to |buffer|. Returns their number.
size_t oyi_device_spelling(oy_str name, char* buffer);

static inline bool oyi_is_per_backend(oy_key functionality) {
  return functionality < 64 && (OY_PER_BACKEND_MASK >> functionality & 1) != 0;
}

// Position of a per-backend functionality among those: 0 for Dense.
static inline int oyi_per_backend_index(oy_key functionality) {
  return __builtin_popcountll(OY_PER_BACKEND_MASK & ((1ull << functionality) - 1));
}

// "Autograd" for AutogradFunctionality; NULL if it is not per-backend.
const char* oyi_per_backend_prefix(oy_key functionality);

// oy_key_parse without an error record: false if there is no such key.
bool oyi_key_find(oy_str name, oy_key* out_key);

#endif  // OPYARD_SRC_DISPATCH_BACKEND_H_
