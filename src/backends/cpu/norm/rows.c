// SPDX-License-Identifier: Apache-2.0
// The functions of rows.h at the baseline, and the choice by capability level.
#define ROW_BYTES 16
#define ROW_TABLE oyi_row_math_base
#include "backends/cpu/norm/rows_body.h"

#include "base/cpu.h"

const oyi_row_math* oyi_row_math_for(oy_dtype dtype) {
#if defined(__x86_64__)
  static const oyi_row_math* const levels[] = {oyi_row_math_base, oyi_row_math_v3,
                                               oyi_row_math_v4};
  return &levels[oyi_cpu_level()][dtype == OY_DTYPE_F64];
#else
  return &oyi_row_math_base[dtype == OY_DTYPE_F64];
#endif
}
