// SPDX-License-Identifier: Apache-2.0
// The operands of a call as kernels take them: contiguous, and given up together.
//
//   gpu_held h = {.status = OY_OK};
//   oy_tensor *x = gpu_hold(&h, call, call->args[0]), *out = gpu_hold_result(&h, call, 0);
//   oy_status status = h.status == OY_OK ? compute(x, out) : h.status;
//   gpu_let_go(&h);
//   return gpu_result_done(call, 0, out, status);
#ifndef OPYARD_SRC_BACKENDS_GPU_HELD_H_
#define OPYARD_SRC_BACKENDS_GPU_HELD_H_

#include "call.h"

typedef struct gpu_held {
  oy_tensor* t[10];
  int count;
  oy_status status;  // the first failure; nothing is made after one
} gpu_held;

// The tensor of |v|, or a contiguous copy; NULL where it is none, or on failure.
oy_tensor* gpu_hold(gpu_held* h, const gpu_call* c, oy_value v);
// Two that a kernel has one dtype for: both in the widest if theirs are not the same.
void gpu_hold_pair(gpu_held* h, const gpu_call* c, oy_value a, oy_value b,
                   oy_tensor* out_pair[2]);
// A new contiguous one.
oy_tensor* gpu_hold_new(gpu_held* h, const gpu_call* c, oy_ints sizes, oy_dtype dtype);
// Result |i|, for gpu_result_done; NULL if it is not wanted.
oy_tensor* gpu_hold_result(gpu_held* h, const gpu_call* c, size_t i);
void gpu_let_go(gpu_held* h);

#endif  // OPYARD_SRC_BACKENDS_GPU_HELD_H_
