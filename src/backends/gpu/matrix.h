// SPDX-License-Identifier: Apache-2.0
// Products of matrices, as other families use them.
#ifndef OPYARD_SRC_BACKENDS_GPU_MATRIX_H_
#define OPYARD_SRC_BACKENDS_GPU_MATRIX_H_

#include "call.h"

// n x k times k x m, |batch| times; strides in elements. As in kernels/matrix.cl.
typedef struct gpu_product {
  int64_t n, m, k;
  int64_t a_row, a_column, a_batch, b_row, b_column, b_batch, c_row, c_column, c_batch;
  int64_t batch;
} gpu_product;

// By a library of the vendor's; *out_done stays false where there is none, or where it does
// not take such matrices, and the kernel of our own is run.
oy_status gpu_driver_matmul(gpu_call* call, const gpu_product* p, oy_tensor* c,
                            oy_tensor* a, oy_tensor* b, double alpha, double beta,
                            bool* out_done);

// c = alpha * a b + beta * c, all of one dtype, of 2 dimensions or 3 with a batch.
oy_status gpu_matmul(gpu_call* call, oy_tensor* c, oy_tensor* a, oy_tensor* b,
                     oy_scalar alpha, oy_scalar beta);

#endif  // OPYARD_SRC_BACKENDS_GPU_MATRIX_H_
