// SPDX-License-Identifier: Apache-2.0
// The current device of a backend, and changing it for a while.
//
// A backend that has several devices says how its current one is asked for and set;
// this may be per thread, as CUDA has it. The CPU and Meta have one each, and need not.
#ifndef OPYARD_DEVICE_H_
#define OPYARD_DEVICE_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

typedef struct oy_device_switch {
  // Makes |index| current and gives the one before. Errors are left in the record.
  oy_status (*exchange)(void* user_data, int16_t index, int16_t* out_before);
  void* user_data;
} oy_device_switch;

// |device_switch| stays the caller's and has to live until NULL takes it back, which a
// backend does before its code goes; no guard of it may be open then.
// INVALID_ARGUMENT if there is no such backend. Thread-safe.
OY_API OY_MUST_USE oy_status oy_device_switch_set(oy_backend backend,
                                                  const oy_device_switch* device_switch);

// Lives on the stack between enter and leave, on one thread.
typedef struct oy_device_guard {
  int16_t backend;
  int16_t before;
  bool entered;  // there is something to put back
} oy_device_guard;

// Makes |device| current; an index of -1 leaves the current one, and the CPU and Meta
// need nothing. FAILED_PRECONDITION for a backend without a switch; *out_guard can be
// left all the same.
OY_API OY_MUST_USE oy_status oy_device_guard_enter(oy_device device,
                                                   oy_device_guard* out_guard);
// Puts back what was current. A second time it does nothing.
OY_API oy_status oy_device_guard_leave(oy_device_guard* guard);

OY_END_DECLS

#endif  // OPYARD_DEVICE_H_
