// SPDX-License-Identifier: Apache-2.0
// Who owns what is registered while code is loaded that will be taken out again: an owner
// collects the libraries that its thread makes, by a call or by a macro's constructor, and
// closes them all.
//
// One owner is entered at a time; who enters it holds a lock of its own for that.
#ifndef OPYARD_SRC_DISPATCH_OWNER_H_
#define OPYARD_SRC_DISPATCH_OWNER_H_

#include "dispatch/registry.h"

typedef struct oyi_taken {
  oy_registration* definition;
  oy_library* before;
} oyi_taken;

typedef struct oyi_owner {
  oy_library** libraries;
  size_t library_count, library_capacity;
  oy_library_block** blocks;
  size_t block_count, block_capacity;
  // Entered to replace this one: its definitions, if they are made again as they were,
  // are taken over, so that no call finds the operator undefined.
  struct oyi_owner* replaces;
  oyi_taken* taken;
  size_t taken_count, taken_capacity;
  const void* tag;  // what it is the owner for
  struct oyi_owner* next;
} oyi_owner;

// From now on the owner collects what this thread makes, until the second call.
void oyi_owner_enter(oyi_owner* owner);
void oyi_owner_leave(oyi_owner* owner);
// The tag of the owner that this thread is entered in, NULL if there is none.
const void* oyi_owner_current(void);
// Gives back what was taken over; for an owner that failed.
void oyi_owner_return_taken(oyi_owner* owner);
// Closes all that it has, newest first, and frees its lists. Cannot fail.
void oyi_owner_close(oyi_owner* owner);
// Registrations of the default registry that run code between |begin| and |end|.
size_t oyi_registrations_in(const void* begin, const void* end);

// Registrations of its libraries that run code.
size_t oyi_owner_registrations(const oyi_owner* owner);
// Frees what registries have retired and nobody can see any more. Whether all is freed, or
// being freed, that was retired before |grace| began: a call may be seen with an epoch
// that is older than its beginning, and hold it up.
bool oyi_registries_collect(uint64_t grace);

// For library.c and block.c. OUT_OF_MEMORY if a library cannot be noted.
oy_status oyi_owner_adopt(oy_library* library);
void oyi_owner_forget(const oy_library* library);
oy_status oyi_owner_adopt_block(oy_library_block* block);
// Whether |library| is of an owner that is being replaced by this thread.
bool oyi_owner_is_replaced(const oy_library* library);
// For library_def.c, with the registry's lock held: moves |old|, the definition of an
// operator, to |library| if that replaces its owner. False if it may not.
bool oyi_owner_take_definition(oy_registration* old, oy_library* library);

#endif  // OPYARD_SRC_DISPATCH_OWNER_H_
