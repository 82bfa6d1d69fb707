// SPDX-License-Identifier: Apache-2.0
// What files of the plugin share.
#ifndef OPYARD_SRC_BACKENDS_CUDA_CUDA_RUNTIME_H_
#define OPYARD_SRC_BACKENDS_CUDA_CUDA_RUNTIME_H_

#include "cuda_api.h"
#include "gpu/driver.h"

// Makes the context of |device| that of the thread, as most calls of the driver need.
oy_status cuda_enter(const gpu_device* device);

// Notes that work on stream |slot| of |device| uses the host's memory at |data|, if it is
// pinned by the plugin.
void cuda_pinned_used(gpu_device* device, int slot, const void* data);
// Gives up what is kept of it; called for every device that is closed.
void cuda_pinned_close(gpu_device* device);
void cuda_pinned_hooks(oy_device_hooks* hooks);
// Gives up the handle of cuBLASLt.
void cuda_cublas_close(gpu_device* device);
void cuda_event_hooks(oy_device_hooks* hooks);

#endif  // OPYARD_SRC_BACKENDS_CUDA_CUDA_RUNTIME_H_
