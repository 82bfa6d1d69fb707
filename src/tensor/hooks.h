// SPDX-License-Identifier: Apache-2.0
// Hooks of devices as the library keeps them, and memory that they gave.
//
// A record is what one oy_device_hooks_set gave. The table holds a reference to it, and so
// does every block that it allocated: memory is released by who allocated it. Who looks a
// record up is inside a call, or enters one (oyi_hooks_enter), for as long as it uses it.
#ifndef OPYARD_SRC_TENSOR_HOOKS_H_
#define OPYARD_SRC_TENSOR_HOOKS_H_

#include "dispatch/epoch.h"
#include "opyard/device.h"
#include "tensor/impl.h"

typedef struct oyi_hooks {
  oyi_retired retired;
  oy_device_hooks hooks;  // what an older header lacks is NULL
  oy_backend backend;
  int64_t references;  // atomic
  uint64_t blocks;     // atomic; what storages hold of it
  uint64_t bytes;      // atomic
  const void* owner;   // the plugin that it came with, or NULL
} oyi_hooks;

// Between the two, the hooks of |backend| stay; NULL, and nothing to leave but the mark,
// if there are none.
typedef struct oyi_hooks_use {
  const oyi_hooks* hooks;
  uint64_t before;
} oyi_hooks_use;
oyi_hooks_use oyi_hooks_enter(int16_t backend);
static inline void oyi_hooks_leave(oyi_hooks_use use) {
  oy_call_leave(use.before);
}
// FAILED_PRECONDITION: what a device without hooks is answered.
oy_status oyi_hooks_missing(int16_t backend);
// Frees records that nobody can see any more.
void oyi_hooks_collect(void);
// |blocks| more, or less, of |bytes| are held.
void oyi_hooks_count(oyi_hooks* hooks, int64_t blocks, int64_t bytes);

// Asked when devices of |name| are not there: whether they are now. Loads the plugin that
// announces them. Set by the layer that loads plugins.
typedef bool (*oyi_device_wanted_fn)(oy_str name);
void oyi_device_wanted_set(oyi_device_wanted_fn wanted);
bool oyi_device_wanted(oy_str name);
// Adds to the pending error where plugins for |name| were looked for.
void oyi_device_explain(oy_str name);
void oyi_device_explain_set(void (*explain)(oy_str name));

// As oy_device_hooks_set, for |owner|. The record, retained for the caller, goes to
// |out_hooks| if that is not NULL.
oy_status oyi_hooks_set(oy_backend backend, const oy_device_hooks* hooks,
                        const void* owner, oyi_hooks** out_hooks);
// Whether they are sound; what an older header lacks is NULL in *out.
oy_status oyi_hooks_check(oy_backend backend, const oy_device_hooks* hooks,
                          oy_device_hooks* out);
// Setting in two steps: all that can fail, then the change. The record is the caller's, who
// discards one that is not published; the table has a reference of its own.
oy_status oyi_hooks_prepare(oy_backend backend, const oy_device_hooks* hooks,
                            const void* owner, oyi_hooks** out_hooks);
void oyi_hooks_publish(oyi_hooks* hooks);
void oyi_hooks_discard(oyi_hooks* hooks);
// Takes |hooks| back if they are still the backend's.
void oyi_hooks_withdraw(oyi_hooks* hooks);
void oyi_hooks_release(oyi_hooks* hooks);
// The record of |backend|, retained, if it is |owner|'s.
oyi_hooks* oyi_hooks_of_owner(oy_backend backend, const void* owner);
// The owner of the hooks of |backend|, which may be NULL; false if it has none.
bool oyi_hooks_owner(oy_backend backend, const void** out_owner);

// Called in a thread that makes another stream than the default one current.
void oyi_stream_listen(void (*chosen)(void));
// The current stream of this thread for |device|, without asking its hooks.
uint64_t oyi_stream_chosen(oy_device device);

// Told of every backend that gets its first hooks, or loses them. |added| may fail: the
// hooks are not set then; it may be called again. Set by oy_init, which is told of all that
// are there; NULL takes it back.
typedef struct oyi_hooks_listener {
  oy_status (*added)(oy_backend backend);
  void (*removed)(oy_backend backend);
} oyi_hooks_listener;
oy_status oyi_hooks_listen(const oyi_hooks_listener* listener);

// ------------------------------------------------------------------------ memory

// What storage->context is for memory that came through hooks.
typedef struct oyi_device_block {
  oyi_hooks* hooks;
  void* context;
  size_t nbytes;
  int16_t index;
} oyi_device_block;

// Memory for |s|, which has its device and |nbytes|, is not the CPU's and has none yet. A
// backend without hooks, or without memory, leaves it as it is.
oy_status oyi_device_storage_fill(oyi_storage* s);
// The same for a storage that grows; what it had is copied.
oy_status oyi_device_storage_grow(oyi_storage* s, size_t nbytes);
// |made|, which may be NULL; released, with FAILED_PRECONDITION, if it is to have memory on
// a device and has none: the hooks went while it was made.
oy_tensor* oyi_with_memory(oyi_tensor* made);
// The block of a storage; NULL if its memory is the CPU's, or somebody else's.
const oyi_device_block* oyi_device_block_of(const oyi_storage* s);
// A storage of the CPU, pinned for |backend|, and whether one is pinned by |hooks|.
oyi_storage* oyi_pinned_storage_new(size_t nbytes, oy_backend backend);
bool oyi_is_pinned_by(const oyi_storage* s, const oyi_hooks* hooks);

// Whether the data of |t| is where only hooks can reach it.
static inline bool oyi_is_remote(const oyi_tensor* t) {
  return t->backend != OY_BACKEND_CPU && t->backend != OY_BACKEND_Meta;
}

// -------------------------------------------------------------------------- bytes

// Bytes between two storages, each on the host or on a device. Goes through the host where
// no hook copies directly.
oy_status oyi_storage_copy(oyi_storage* to, size_t to_offset, const oyi_storage* from,
                           size_t from_offset, size_t nbytes, bool non_blocking);
oy_status oyi_storage_read(const oyi_storage* from, size_t offset, size_t nbytes,
                           void* out);
oy_status oyi_storage_write(oyi_storage* to, size_t offset, size_t nbytes,
                            const void* data);
// A CPU tensor of the same sizes and strides, with the elements of |t|; new.
oyi_tensor* oyi_host_mirror(const oyi_tensor* t);
// Elements of |from|, broadcast and converted, into |to|; see oy_tensor_copy_from.
oy_status oyi_device_copy(oyi_tensor* to, const oyi_tensor* from, bool non_blocking);
// Sets all elements to |value|.
oy_status oyi_device_fill(oyi_tensor* t, oy_scalar value);
// NOT_IMPLEMENTED: there are no elements to copy.
oy_status oyi_hooks_no_data(const oyi_tensor* t);

#endif  // OPYARD_SRC_TENSOR_HOOKS_H_
