// SPDX-License-Identifier: Apache-2.0
// Factors of small matrices at the baseline, and the choice by capability level.
#define LU_BYTES 16
#define LU_TABLE oyi_small_lu_base
#include "backends/cpu/linalg/linalg_small_lu_body.h"

#include "base/cpu.h"

void oyi_small_lu(oy_dtype dtype, int64_t m, int64_t n, int64_t count, void* a,
                  int32_t* pivots, int32_t* info) {
  const oyi_small_lu_table* table = &oyi_small_lu_base;
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) table = &oyi_small_lu_v3;
#endif
  if (dtype == OY_DTYPE_F32)
    table->f32(m, n, count, a, pivots, info);
  else
    table->f64(m, n, count, a, pivots, info);
}
