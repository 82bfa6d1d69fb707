// SPDX-License-Identifier: Apache-2.0
// Equations with small triangles of real numbers (F32, F64). A BLAS is made for large ones:
// what it checks, and the blocks that it copies, cost more than a few rows do.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_SMALL_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_SMALL_H_

#include "backends/cpu/linalg/linalg.h"

enum { OYI_LINALG_SMALL = 16 };

static inline bool oyi_linalg_is_small(oy_dtype dtype, int64_t n) {
  return (dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64) && n <= OYI_LINALG_SMALL;
}
// What |solve_triangle| of oyi_lapack does, for such |n| and any number of columns.
void oyi_small_solve_triangle(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                              int64_t columns, const void* a, void* b);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_SMALL_H_
