// SPDX-License-Identifier: Apache-2.0
// Records of one size, many to an allocation. Taking and putting back is under the
// owner's lock; a record may also be returned without it, and is then put back by
// the next drain. A slab is freed with its last record, so that what is empty holds
// nothing. Records begin on a multiple of 64 bytes if their size is one.
#ifndef OPYARD_SRC_BASE_SLAB_H_
#define OPYARD_SRC_BASE_SLAB_H_

#include "opyard/base.h"

typedef struct oyi_slab oyi_slab;

// Records that were returned and not yet put back, of any number of sizes.
typedef struct oyi_returned {
  void* first;  // atomic
} oyi_returned;

typedef struct oyi_slabs {
  oyi_slab* open;  // slabs with room
  size_t size;     // of a record, at least 16
  oyi_returned* returned;
} oyi_slabs;

// A record of |size| bytes, uninitialised, and its slab, which the caller keeps for
// giving it back. A size other than the last one starts new slabs. NULL with the
// error set. Lock held.
void* oyi_slabs_take(oyi_slabs* slabs, size_t size, oyi_slab** out_slab);
// Needs no lock.
void oyi_slab_return(oyi_slab* slab, void* record);
// Puts back what was returned. Lock held.
void oyi_returned_drain(oyi_returned* returned);

static inline bool oyi_returned_any(const oyi_returned* returned) {
  return __atomic_load_n(&returned->first, __ATOMIC_RELAXED) != NULL;
}

#endif  // OPYARD_SRC_BASE_SLAB_H_
