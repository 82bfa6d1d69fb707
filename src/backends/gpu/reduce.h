// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_BACKENDS_GPU_REDUCE_H_
#define OPYARD_SRC_BACKENDS_GPU_REDUCE_H_

#include "call.h"

// Means of |in| over the dimensions that |mask| has, and means of squared differences from
// them. Both results are contiguous, of one floating dtype, and have an element for each of
// the other dimensions' places.
oy_status gpu_var_mean(gpu_device* device, oy_tensor* in, const bool* mask,
                       oy_tensor* out_var, oy_tensor* out_mean);

#endif  // OPYARD_SRC_BACKENDS_GPU_REDUCE_H_
