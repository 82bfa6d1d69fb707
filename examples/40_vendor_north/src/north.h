// SPDX-License-Identifier: Apache-2.0
// What the files of the plugin share. North's devices work through queues: a kernel is a job
// on the current stream of the thread that asks for it, and runs later.
#ifndef NORTH_H_
#define NORTH_H_

#include <opyard/opyard.h>

enum { NORTH_DEVICES = 3 };

// A job and its argument, which is copied.
enum { NORTH_ARGUMENT_SIZE = 96 };
typedef void (*north_job)(void* argument);

oy_status north_check_index(int16_t index);
// Puts a job on the current stream for |index|.
oy_status north_launch(int16_t index, north_job job, const void* argument, size_t size);
// Waits for the current stream, for all of a device, and for everything, which ends the
// threads.
oy_status north_wait_current(int16_t index);
oy_status north_wait_device(int16_t index);
void north_stop(void);

void north_stream_hooks(oy_device_hooks* hooks);
void north_memory_hooks(oy_device_hooks* hooks);
oy_status north_kernels(oy_library* library, oy_key key);

// The first element of |tensor| as the device sees it.
float* north_memory(const oy_tensor* tensor);

#endif  // NORTH_H_
