// SPDX-License-Identifier: Apache-2.0
// Products of matrices, as other families use them.
#ifndef OPYARD_SRC_BACKENDS_GPU_MATRIX_H_
#define OPYARD_SRC_BACKENDS_GPU_MATRIX_H_

#include "call.h"

// c = alpha * a b + beta * c, all of one dtype, of 2 dimensions or 3 with a batch.
oy_status gpu_matmul(gpu_call* call, oy_tensor* c, oy_tensor* a, oy_tensor* b,
                     oy_scalar alpha, oy_scalar beta);

#endif  // OPYARD_SRC_BACKENDS_GPU_MATRIX_H_
