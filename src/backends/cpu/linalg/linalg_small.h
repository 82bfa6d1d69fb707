// SPDX-License-Identifier: Apache-2.0
// Factors of small matrices of real numbers (F32, F64), and equations with small triangles, of
// complex ones too. A BLAS is made for large ones: what it checks, and the blocks that it
// copies, cost more than a few rows do.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_SMALL_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_SMALL_H_

#include "backends/cpu/linalg/linalg.h"

enum { OYI_LINALG_SMALL = 16 };

static inline bool oyi_linalg_is_small(oy_dtype dtype, int64_t n) {
  return (dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64) && n <= OYI_LINALG_SMALL;
}
// What |solve_triangle| of oyi_lapack does, for F32, F64, C64 and C128, |n| up to
// OYI_LINALG_SMALL and any number of columns.
void oyi_small_solve_triangle(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                              int64_t columns, const void* a, void* b);
// This by capability level.
void oyi_small_solve_triangle_base(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                                   int64_t columns, const void* a, void* b);
void oyi_small_solve_triangle_v3(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                                 int64_t columns, const void* a, void* b);
// LU of |count| matrices, one behind the other, of such |m| and |n|, as |lu| of oyi_lapack. The
// |info| of a matrix is -1, and the matrix as it was, where a number is none or a pivot next
// to nothing: those are the library's.
void oyi_small_lu(oy_dtype dtype, int64_t m, int64_t n, int64_t count, void* a,
                  int32_t* pivots, int32_t* info);

// This by capability level.
typedef struct oyi_small_lu_table {
  void (*f32)(int64_t m, int64_t n, int64_t count, float* a, int32_t* pivots,
              int32_t* info);
  void (*f64)(int64_t m, int64_t n, int64_t count, double* a, int32_t* pivots,
              int32_t* info);
} oyi_small_lu_table;
extern const oyi_small_lu_table oyi_small_lu_base, oyi_small_lu_v3;

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_SMALL_H_
