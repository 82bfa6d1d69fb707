// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/linalg/linalg_small.h"

// Four floats or two doubles are a vector of any processor.
#define T       float
#define LANES   4
#define NAME(x) x##_f32
#include "backends/cpu/linalg/linalg_small_tmpl.h"
#define T       double
#define LANES   2
#define NAME(x) x##_f64
#include "backends/cpu/linalg/linalg_small_tmpl.h"

#define T       float
#define LANES   4
#define NAME(x) x##_c64
#include "backends/cpu/linalg/linalg_small_complex_tmpl.h"
#define T       double
#define LANES   2
#define NAME(x) x##_c128
#include "backends/cpu/linalg/linalg_small_complex_tmpl.h"

void oyi_small_solve_triangle(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                              int64_t columns, const void* a, void* b) {
  switch (dtype) {
    case OY_DTYPE_F32: solve_triangle_f32(how, n, columns, a, b); break;
    case OY_DTYPE_F64: solve_triangle_f64(how, n, columns, a, b); break;
    case OY_DTYPE_C64: solve_triangle_c64(how, n, columns, a, b); break;
    default: solve_triangle_c128(how, n, columns, a, b);
  }
}
