// SPDX-License-Identifier: Apache-2.0
// The inner loops of sums.
#include "backends/cpu/loops.h"

#define OYI_JOIN__(a, b) a##_##b
#define OYI_JOIN_(a, b)  OYI_JOIN__(a, b)
#define OYI_JOIN(a, b)   OYI_JOIN_(a, b)

#define T   float
#define ID  f32
#define ACC double
#include "backends/cpu/sum_loop_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/sum_loop_tmpl.h"
#undef T
#undef ID
#undef ACC
#define T   int64_t
#define ID  i64
#define ACC uint64_t
#include "backends/cpu/sum_loop_tmpl.h"

const oyi_loop oyi_cpu_sum_loops[OYI_LOOP_DTYPES] = {
    [OY_DTYPE_F32] = sum_f32, [OY_DTYPE_F64] = sum_f64, [OY_DTYPE_I64] = sum_i64};
