// SPDX-License-Identifier: Apache-2.0
// Loops of integers and of truth values that gain little from wide vectors: division,
// shifts and powers, remainders, and logic.
#include <math.h>

#include "backends/cpu/loops/integer_math.h"
#include "backends/cpu/loops/loops.h"

#pragma GCC diagnostic ignored "-Wtype-limits"

#define OYI_SMALL_LOOPS
#include "backends/cpu/loops/loop_define.h"
#include "backends/cpu/loops/loops_plain_types.h"

#include "backends/cpu/loops/loop_list.h"
const oyi_loop_entry oyi_loops_plain[] = {
#include "backends/cpu/loops/loops_plain_types.h"
    {0, 0, NULL}};
