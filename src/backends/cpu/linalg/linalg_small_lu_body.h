// SPDX-License-Identifier: Apache-2.0
// Factors of small matrices for one capability level: LU_BYTES, the width of a vector, and
// LU_TABLE, what they are called by, are given.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <float.h>

#include "backends/cpu/linalg/linalg_small.h"

#define T        float
#define I        int32_t
#define MOST     INT32_MAX
#define LEAST    FLT_MIN
#define ROUNDING FLT_EPSILON
#define NAME(x)  x##_f32
#include "backends/cpu/linalg/linalg_small_lu_tmpl.h"
#undef T
#undef I
#undef MOST
#undef LEAST
#undef ROUNDING
#undef NAME
#define T        double
#define I        int64_t
#define MOST     INT64_MAX
#define LEAST    DBL_MIN
#define ROUNDING DBL_EPSILON
#define NAME(x)  x##_f64
#include "backends/cpu/linalg/linalg_small_lu_tmpl.h"

const oyi_small_lu_table LU_TABLE = {lu_f32, lu_f64};
