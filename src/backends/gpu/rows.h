// SPDX-License-Identifier: Apache-2.0
// The rows of each family, for registration.
#ifndef OPYARD_SRC_BACKENDS_GPU_ROWS_H_
#define OPYARD_SRC_BACKENDS_GPU_ROWS_H_

#include "call.h"

typedef struct gpu_rows {
  const gpu_row* rows;
  size_t count;
} gpu_rows;

gpu_rows gpu_rows_pointwise(void);
gpu_rows gpu_rows_copy(void);
gpu_rows gpu_rows_reduce(void);
gpu_rows gpu_rows_matrix(void);
gpu_rows gpu_rows_softmax(void);
gpu_rows gpu_rows_layer_norm(void);
gpu_rows gpu_rows_batch_norm(void);
gpu_rows gpu_rows_index(void);
gpu_rows gpu_rows_index_lists(void);
gpu_rows gpu_rows_image(void);

#endif  // OPYARD_SRC_BACKENDS_GPU_ROWS_H_
