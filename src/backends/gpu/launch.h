// SPDX-License-Identifier: Apache-2.0
// Giving a kernel its arguments and putting it on the current stream.
//
//   gpu_launch l;
//   gpu_launch_begin(&l, device);
//   OY_TRY(gpu_arg_tensor(&l, x));  // two arguments: the buffer, the offset in bytes
//   gpu_arg_long(&l, n);
//   OY_TRY(gpu_launch_run(&l, kernel, items, group));
#ifndef OPYARD_SRC_BACKENDS_GPU_LAUNCH_H_
#define OPYARD_SRC_BACKENDS_GPU_LAUNCH_H_

#include "opyard/device.h"
#include "runtime.h"

enum { GPU_ARGS = 32, GPU_ARG_BYTES = 2048, GPU_ARG_BLOCKS = 16 };

typedef struct gpu_launch {
  gpu_device* device;
  int count, blocks;
  size_t used;
  bool overflow;
  uint16_t sizes[GPU_ARGS];
  gpu_block* block[GPU_ARG_BLOCKS];
  char bytes[GPU_ARG_BYTES] __attribute__((aligned(16)));
} gpu_launch;

void gpu_launch_begin(gpu_launch* l, gpu_device* device);
void gpu_arg(gpu_launch* l, const void* value, size_t size);
void gpu_arg_block(gpu_launch* l, gpu_block* block);
// INVALID_ARGUMENT if it is not this plugin's memory, on the device of the launch.
oy_status gpu_arg_tensor(gpu_launch* l, const oy_tensor* tensor);
static inline void gpu_arg_long(gpu_launch* l, int64_t value) {
  gpu_arg(l, &value, sizeof(value));
}
static inline void gpu_arg_int(gpu_launch* l, int32_t value) {
  gpu_arg(l, &value, sizeof(value));
}
// |items| work-items in groups of |group|; |items| is rounded up, so kernels compare with
// their own count. Nothing for 0 items.
oy_status gpu_launch_run(gpu_launch* l, gpu_kernel* kernel, size_t items, size_t group);

// A kernel that finds an index out of range writes it into the report of the device.
// |gpu_report_begin| takes the report for the thread, clears it and makes it an argument;
// |gpu_report_end| waits for the kernel, gives it back and tells what was found.
typedef struct gpu_report {
  int64_t is_bad;  // 0 at first
  int64_t index;
  int64_t which;  // of several indices
} gpu_report;
oy_status gpu_report_begin(gpu_launch* l);
oy_status gpu_report_end(gpu_device* device, gpu_report* out_report);

#endif  // OPYARD_SRC_BACKENDS_GPU_LAUNCH_H_
