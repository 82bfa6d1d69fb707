// SPDX-License-Identifier: Apache-2.0
// Some of one tensor's dimensions, as kernels take them by value (struct walk there).
#ifndef OPYARD_SRC_BACKENDS_GPU_WALK_H_
#define OPYARD_SRC_BACKENDS_GPU_WALK_H_

#include "geometry.h"

typedef struct gpu_walk {
  int32_t ndim, pad;
  int64_t size[GPU_DIMS];  // fastest first
  int64_t stride[GPU_DIMS];
} gpu_walk;

// The dimensions d of |t| with mask[d] == want, in order.
oy_status gpu_walk_of(gpu_walk* w, oy_tensor* t, const bool* mask, bool want);

#endif  // OPYARD_SRC_BACKENDS_GPU_WALK_H_
