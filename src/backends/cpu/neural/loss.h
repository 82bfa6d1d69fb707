// SPDX-License-Identifier: Apache-2.0
// What the kernels of losses share.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_LOSS_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_LOSS_H_

#include "tensor/half.h"
#include "tensor/impl.h"

// The argument |reduction|; other numbers reduce nothing, or as a sum.
enum { OYI_REDUCE_NONE, OYI_REDUCE_MEAN, OYI_REDUCE_SUM };

// One element of a tensor of floats.
static inline double oyi_float_load(oy_dtype dtype, const void* at) {
  switch (dtype) {
    case OY_DTYPE_F64: return *(const double*)at;
    case OY_DTYPE_F32: return (double)*(const float*)at;
    case OY_DTYPE_F16: return (double)oyi_f16_to_float(*(const uint16_t*)at);
    default: return (double)oyi_bf16_to_float(*(const uint16_t*)at);
  }
}
static inline void oyi_float_store(oy_dtype dtype, void* at, double number) {
  switch (dtype) {
    case OY_DTYPE_F64: *(double*)at = number; break;
    case OY_DTYPE_F32: *(float*)at = (float)number; break;
    case OY_DTYPE_F16: *(uint16_t*)at = oyi_f16_from_float((float)number); break;
    default: *(uint16_t*)at = oyi_bf16_from_float((float)number);
  }
}

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_LOSS_H_
