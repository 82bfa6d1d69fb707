// SPDX-License-Identifier: Apache-2.0
#define LEVEL v3
#include "backends/cpu/reduce/reduce_minmax_loops_tmpl.h"
