// SPDX-License-Identifier: Apache-2.0
// Loops of special functions, one element after the other.
#include <math.h>

#include "backends/cpu/loops/loops.h"
#include "backends/cpu/pointwise/special_math.h"

#define OYI_SMALL_LOOPS
#include "backends/cpu/loops/loop_define.h"
#define T    float
#define ID   f32
#define KIND F32
#include "backends/cpu/loops/loops_special.def"
#undef T
#undef ID
#undef KIND
#define T    double
#define ID   f64
#define KIND F64
#include "backends/cpu/loops/loops_special.def"
#undef ID
#undef KIND

#include "backends/cpu/loops/loop_list.h"
const oyi_loop_entry oyi_loops_special[] = {
#define ID   f32
#define KIND F32
#include "backends/cpu/loops/loops_special.def"
#undef ID
#undef KIND
#define ID   f64
#define KIND F64
#include "backends/cpu/loops/loops_special.def"
    {0, 0, NULL}};
