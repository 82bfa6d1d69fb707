// SPDX-License-Identifier: Apache-2.0
// The loops of linalg_exp.h for AVX2.
#define EXP_TABLE oyi_exp_loops_v3
#define LANES     4
#define ROWS      2
#include "backends/cpu/linalg/linalg_exp_body.h"
