// SPDX-License-Identifier: Apache-2.0
// The rows of each family, for registration.
#ifndef OPYARD_SRC_BACKENDS_OPENCL_ROWS_H_
#define OPYARD_SRC_BACKENDS_OPENCL_ROWS_H_

#include "call.h"

typedef struct ocl_rows {
  const ocl_row* rows;
  size_t count;
} ocl_rows;

ocl_rows ocl_rows_pointwise(void);
ocl_rows ocl_rows_copy(void);
ocl_rows ocl_rows_reduce(void);
ocl_rows ocl_rows_matrix(void);
ocl_rows ocl_rows_softmax(void);
ocl_rows ocl_rows_norm(void);
ocl_rows ocl_rows_index(void);
ocl_rows ocl_rows_image(void);

#endif  // OPYARD_SRC_BACKENDS_OPENCL_ROWS_H_
