// SPDX-License-Identifier: Apache-2.0
// The loops of reduce_divide_body.h for x86-64-v3.
#define C     float
#define TABLE oyi_divide_v3
#include "backends/cpu/reduce/reduce_divide_body.h"
