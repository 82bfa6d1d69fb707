// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of kernels that compute on contiguous elements of few types: a
// tensor that is so already is used as it is, others are converted.
#ifndef OPYARD_SRC_BACKENDS_CPU_STAGING_H_
#define OPYARD_SRC_BACKENDS_CPU_STAGING_H_

#include "tensor/element.h"

// What elements of |dtype| are computed in: float32 for the 16-bit floats.
static inline oy_dtype oyi_compute_dtype(oy_dtype dtype) {
  return dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16 ? OY_DTYPE_F32 : dtype;
}
// |t|, contiguous and as |dtype|. The caller's to release; NULL with the error set.
oyi_tensor* oyi_stage_in(oyi_tensor* t, oy_dtype dtype);
// What is to be computed into: |out| itself, or a tensor to be converted into it.
oyi_tensor* oyi_stage_out(oyi_tensor* out, oy_dtype dtype);
// Stores what was |staged| for |out| if |status| is OK, and releases it; takes NULL.
oy_status oyi_unstage(oyi_tensor* out, oyi_tensor* staged, oy_status status);
// "a CPU kernel was given a tensor without data"
oy_status oyi_check_data(const oyi_tensor* t);
// "\"name\" not implemented for 'Half'"
oy_status oyi_not_for(const char* name, oy_dtype dtype);

#endif  // OPYARD_SRC_BACKENDS_CPU_STAGING_H_
