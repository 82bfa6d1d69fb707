// SPDX-License-Identifier: Apache-2.0
// Streams and events of devices: work on one stream runs in order, several run beside each
// other. Every thread has a current stream for each device, on which kernels and copies
// put their work.
//
//   oy_stream s;
//   OY_TRY(oy_stream_create(device, 0, &s));
//   oy_stream_guard guard;
//   OY_TRY(oy_stream_guard_enter(s, &guard));
//   y = oy_tensor_copy_to(...);
//   (void)oy_stream_guard_leave(&guard);
//   OY_TRY(oy_stream_wait(oy_stream_default(device), s));  // later work sees it
//
// A backward walk runs each node on the stream that was current for its results when they
// were made, lets streams wait for each other where gradients cross them, and at its end the
// current streams of its thread for those that gradients were left on. So gradients may be
// used as if the walk were one operator on the current stream. A stream that is given back
// before is replaced by the current one.
//
// NOT_IMPLEMENTED where the devices of a backend have none; the CPU and Meta have the
// default one alone, which is always done. Streams go with the plugin that they came from.
#ifndef OPYARD_STREAM_H_
#define OPYARD_STREAM_H_

#include "opyard/device.h"

OY_BEGIN_DECLS

typedef struct oy_stream {
  oy_device device;
  uint64_t id;  // OY_STREAM_DEFAULT, or what the plugin gave out
} oy_stream;

static inline oy_stream oy_stream_default(oy_device device) {
  oy_stream s;
  s.device = device;
  s.id = OY_STREAM_DEFAULT;
  return s;
}

// Lower numbers of |priority| go first where the device knows priorities. Given back with
// oy_stream_destroy, which waits for its work.
OY_API OY_MUST_USE oy_status oy_stream_create(oy_device device, int32_t priority,
                                              oy_stream* out_stream);
OY_API void oy_stream_destroy(oy_stream stream);
// The current one of this thread for |device|.
OY_API OY_MUST_USE oy_status oy_stream_current(oy_device device, oy_stream* out_stream);
OY_API OY_MUST_USE oy_status oy_stream_query(oy_stream stream, bool* out_done);
OY_API OY_MUST_USE oy_status oy_stream_synchronize(oy_stream stream);
// What comes on |stream| waits for what is on |other| now; the host does not wait.
OY_API OY_MUST_USE oy_status oy_stream_wait(oy_stream stream, oy_stream other);
// What the vendor's library calls it; NULL if there is nothing of the kind.
OY_API void* oy_stream_native(oy_stream stream);

// Makes |stream| current for this thread until leave, which puts back what was; as
// oy_device_guard, on the stack of one thread.
typedef struct oy_stream_guard {
  oy_device device;
  uint64_t before;
  bool entered;
} oy_stream_guard;
OY_API OY_MUST_USE oy_status oy_stream_guard_enter(oy_stream stream,
                                                   oy_stream_guard* out_guard);
OY_API oy_status oy_stream_guard_leave(oy_stream_guard* guard);

typedef struct oy_event {
  oy_device device;
  uint64_t id;
} oy_event;

// |flags|: OY_EVENT_TIMING or 0. Given back with oy_event_destroy.
OY_API OY_MUST_USE oy_status oy_event_create(oy_device device, uint64_t flags,
                                             oy_event* out_event);
OY_API void oy_event_destroy(oy_event event);
// Happens when what is on |stream| now is done; recording again forgets the time before.
OY_API OY_MUST_USE oy_status oy_event_record(oy_event event, oy_stream stream);
// What comes on |stream| waits for the event.
OY_API OY_MUST_USE oy_status oy_event_wait(oy_event event, oy_stream stream);
OY_API OY_MUST_USE oy_status oy_event_query(oy_event event, bool* out_happened);
OY_API OY_MUST_USE oy_status oy_event_synchronize(oy_event event);
OY_API OY_MUST_USE oy_status oy_event_elapsed(oy_event start, oy_event end,
                                              double* out_milliseconds);

// Tells the memory of |tensor| that work on |stream| uses it, so that it is not given to
// somebody else before that is done. Needed where a tensor is used on another stream than
// the one that was current when it was made.
OY_API OY_MUST_USE oy_status oy_tensor_record_stream(const oy_tensor* tensor,
                                                     oy_stream stream);
// An uninitialised, contiguous CPU tensor in memory that |backend| copies without blocking.
OY_API oy_tensor* oy_tensor_empty_pinned(oy_ints sizes, oy_dtype dtype,
                                         oy_backend backend);
// Whether its memory is pinned, by whatever backend.
OY_API bool oy_tensor_is_pinned(const oy_tensor* tensor);

OY_END_DECLS

#endif  // OPYARD_STREAM_H_
