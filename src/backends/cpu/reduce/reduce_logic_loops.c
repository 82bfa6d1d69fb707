// SPDX-License-Identifier: Apache-2.0
#define LEVEL base
#include "backends/cpu/reduce/reduce_logic_loops_tmpl.h"
