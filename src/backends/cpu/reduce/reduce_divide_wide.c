// SPDX-License-Identifier: Apache-2.0
// The loops of reduce_divide_body.h for counts that f32 has not all of.
#define C     double
#define TABLE oyi_divide_wide
#include "backends/cpu/reduce/reduce_divide_body.h"
