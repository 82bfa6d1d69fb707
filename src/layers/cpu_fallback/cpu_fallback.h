// SPDX-License-Identifier: Apache-2.0
// One call that falls back: its arguments on the device, and what stands for them below.
#ifndef OPYARD_SRC_LAYERS_CPU_FALLBACK_CPU_FALLBACK_H_
#define OPYARD_SRC_LAYERS_CPU_FALLBACK_CPU_FALLBACK_H_

#include "opyard/fallback.h"
#include "opyard/generator.h"
#include "tensor/impl.h"

// Part of one storage, in elements of one type: arguments that share memory on the device
// share it below, so that overlap and strides are what the CPU's kernels expect.
typedef struct oyi_window {
  oyi_tensor* given;  // one of those that lie in it
  int64_t low, high;
  int64_t elements;   // of all of them, those that they share more than once
  oyi_tensor* plain;  // one-dimensional, on the CPU; NULL: each is copied by itself
} oyi_window;

enum { OYI_NO_WINDOW = -1 };

// A tensor that is given twice has one mirror.
typedef struct oyi_mirror {
  oyi_tensor* given;
  oyi_tensor* plain;  // on the CPU, owned
  int32_t window;
  bool is_written;
} oyi_mirror;

typedef struct oyi_fallback_call {
  const oy_op* op;
  const oy_schema* schema;
  const oy_value* arguments;
  oy_cpu_fallback_options options;
  oy_backend from;
  // Where results go: the Device argument, else where the first tensor of a device is, else
  // the CPU.
  oy_device target;
  bool has_device, has_target;
  oyi_mirror* mirrors;
  size_t mirror_count, mirror_capacity;
  oyi_window* windows;
  size_t window_count, window_capacity;
  oy_generator* generator;  // of a device, among the arguments
  oy_generator* stand_in;   // for it
  oy_fallback_count count;
} oyi_fallback_call;

// Finds the tensors among the arguments, and where results go. INVALID_ARGUMENT if they are
// on several devices.
oy_status oyi_fallback_collect(oyi_fallback_call* c);
// Copies them to the CPU.
oy_status oyi_fallback_mirror(oyi_fallback_call* c);
// The arguments as they are below, pushed on |below|.
oy_status oyi_fallback_push(oyi_fallback_call* c, oy_stack* below);
// Copies back what was written.
oy_status oyi_fallback_write_back(oyi_fallback_call* c);
// Puts results in the place of those on |below|.
oy_status oyi_fallback_return(oyi_fallback_call* c, oy_stack* below);
// Gives up what the call holds.
void oyi_fallback_end(oyi_fallback_call* c);

// A copy between the CPU and a device, counted, below the layers. |to| is written.
oy_status oyi_fallback_copy(oyi_fallback_call* c, oyi_tensor* to, oyi_tensor* from);

#endif  // OPYARD_SRC_LAYERS_CPU_FALLBACK_CPU_FALLBACK_H_
