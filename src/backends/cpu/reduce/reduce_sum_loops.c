// SPDX-License-Identifier: Apache-2.0
#define LEVEL base
#include "backends/cpu/reduce/reduce_sum_loops_tmpl.h"
