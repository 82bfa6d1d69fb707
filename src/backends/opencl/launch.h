// SPDX-License-Identifier: Apache-2.0
// Giving a kernel its arguments and putting it on the current stream.
//
//   ocl_launch l;
//   ocl_launch_begin(&l, device);
//   OY_TRY(ocl_arg_tensor(&l, x));  // two arguments: the buffer, the offset in bytes
//   ocl_arg_long(&l, n);
//   OY_TRY(ocl_launch_run(&l, kernel, items, group));
#ifndef OPYARD_SRC_BACKENDS_OPENCL_LAUNCH_H_
#define OPYARD_SRC_BACKENDS_OPENCL_LAUNCH_H_

#include "opyard/device.h"
#include "runtime.h"

enum { OCL_ARGS = 32, OCL_ARG_BYTES = 2048, OCL_ARG_BLOCKS = 16 };

typedef struct ocl_launch {
  ocl_device* device;
  int count, blocks;
  size_t used;
  bool overflow;
  uint16_t sizes[OCL_ARGS];
  ocl_block* block[OCL_ARG_BLOCKS];
  char bytes[OCL_ARG_BYTES] __attribute__((aligned(16)));
} ocl_launch;

void ocl_launch_begin(ocl_launch* l, ocl_device* device);
void ocl_arg(ocl_launch* l, const void* value, size_t size);
void ocl_arg_block(ocl_launch* l, ocl_block* block);
// INVALID_ARGUMENT if it is not this plugin's memory, on the device of the launch.
oy_status ocl_arg_tensor(ocl_launch* l, const oy_tensor* tensor);
static inline void ocl_arg_long(ocl_launch* l, int64_t value) {
  ocl_arg(l, &value, sizeof(value));
}
static inline void ocl_arg_int(ocl_launch* l, int32_t value) {
  ocl_arg(l, &value, sizeof(value));
}
// |items| work-items in groups of |group|; |items| is rounded up, so kernels compare with
// their own count. Nothing for 0 items.
oy_status ocl_launch_run(ocl_launch* l, ocl_kernel* kernel, size_t items, size_t group);

// A kernel that finds an index out of range writes it into the report of the device.
// |ocl_report_begin| takes the report for the thread, clears it and makes it an argument;
// |ocl_report_end| waits for the kernel, gives it back and tells what was found.
typedef struct ocl_report {
  int64_t is_bad;  // 0 at first
  int64_t index;
  int64_t which;  // of several indices
} ocl_report;
oy_status ocl_report_begin(ocl_launch* l);
oy_status ocl_report_end(ocl_device* device, ocl_report* out_report);

#endif  // OPYARD_SRC_BACKENDS_OPENCL_LAUNCH_H_
