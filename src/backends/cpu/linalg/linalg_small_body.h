// SPDX-License-Identifier: Apache-2.0
// Equations with small triangles for one capability level: SMALL_BYTES, the width of a vector, and
// SMALL_SOLVE, what they are called by, are given. Products and sums are not fused, so that all
// levels give the same.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#else
#pragma STDC FP_CONTRACT OFF
#endif
#include "backends/cpu/linalg/linalg_small.h"
#include "base/template.h"

#define LANES (SMALL_BYTES / (int)sizeof(T))

#define T       float
#define NAME(x) x##_f32
#include "backends/cpu/linalg/linalg_small_tmpl.h"
#define T       double
#define NAME(x) x##_f64
#include "backends/cpu/linalg/linalg_small_tmpl.h"

#define T       float
#define NAME(x) x##_c64
#include "backends/cpu/linalg/linalg_small_complex_tmpl.h"
#define T       double
#define NAME(x) x##_c128
#include "backends/cpu/linalg/linalg_small_complex_tmpl.h"

void SMALL_SOLVE(oy_dtype dtype, const oyi_triangle* how, int64_t n, int64_t columns,
                 const void* a, void* b) {
  switch (dtype) {
    case OY_DTYPE_F32: solve_triangle_f32(how, n, columns, a, b); break;
    case OY_DTYPE_F64: solve_triangle_f64(how, n, columns, a, b); break;
    case OY_DTYPE_C64: solve_triangle_c64(how, n, columns, a, b); break;
    default: solve_triangle_c128(how, n, columns, a, b);
  }
}
