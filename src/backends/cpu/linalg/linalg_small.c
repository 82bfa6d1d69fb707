// SPDX-License-Identifier: Apache-2.0
// Equations with small triangles at the baseline, and the choice by capability level. Four floats
// or two doubles are a vector of any processor.
#define SMALL_BYTES 16
#define SMALL_SOLVE oyi_small_solve_triangle_base
#include "backends/cpu/linalg/linalg_small_body.h"

#include "base/cpu.h"

#if defined(__x86_64__)
// Right sides that fill at least the second half of a wide vector.
static int64_t wide_columns(oy_dtype dtype, int64_t columns) {
  const int64_t item = oyi_dtype_bytes[dtype] / (oy_dtype_is_complex(dtype) ? 2 : 1);
  const int64_t lanes = 32 / item, rest = columns % lanes;
  return rest > lanes / 2 ? columns : columns - rest;
}
#endif

void oyi_small_solve_triangle(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                              int64_t columns, const void* a, void* b) {
  int64_t done = 0;
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) done = wide_columns(dtype, columns);
  if (done > 0) oyi_small_solve_triangle_v3(dtype, how, n, done, a, b);
#endif
  char* rest = (char*)b + done * n * oyi_dtype_bytes[dtype];
  if (done < columns)
    oyi_small_solve_triangle_base(dtype, how, n, columns - done, a, rest);
}
