// SPDX-License-Identifier: Apache-2.0
// The loops of loops_arith_body.h for the baseline.
#define LEVELED(name) name
#include "backends/cpu/loops/loops_arith_body.h"
