// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels/rows.cl: what their source depends on, and their arguments.
#ifndef OPYARD_SRC_BACKENDS_GPU_ROW_KERNEL_H_
#define OPYARD_SRC_BACKENDS_GPU_ROW_KERNEL_H_

#include "call.h"

typedef struct gpu_row_form {
  const char* name;  // static storage; its address is part of the key
  oy_dtype work, dtype, in, param, stat, running;
  int width;
} gpu_row_form;

// Statistics in the widest type, of rows of |dtype|.
gpu_row_form gpu_row_form_of(const char* name, const gpu_device* device, oy_dtype dtype,
                             oy_dtype param, oy_dtype stat);
oy_status gpu_row_kernel(gpu_device* device, const gpu_row_form* form,
                         gpu_kernel** out_kernel);
// Adds the arguments of team.h and runs it for |rows| of |length| elements.
oy_status gpu_row_launch(gpu_launch* l, const gpu_row_form* form, int64_t rows,
                         int64_t length, bool along);
// A tensor, or nothing where it is NULL or None.
oy_status gpu_arg_optional(gpu_launch* l, const oy_tensor* tensor);
void gpu_arg_real(gpu_launch* l, oy_dtype work, double value);
// What sums of floats run in.
static inline oy_dtype gpu_wide(const gpu_device* d) {
  return d->has_f64 ? OY_DTYPE_F64 : OY_DTYPE_F32;
}
static inline oy_dtype gpu_dtype_or(const oy_tensor* t, oy_dtype other) {
  return t && !oy_object_is_none(t) ? t->dtype : other;
}

#endif  // OPYARD_SRC_BACKENDS_GPU_ROW_KERNEL_H_
