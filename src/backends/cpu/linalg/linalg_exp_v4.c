// SPDX-License-Identifier: Apache-2.0
// The loops of linalg_exp.h for AVX-512.
#define EXP_TABLE oyi_exp_loops_v4
#define LANES     8
#define ROWS      4
#include "backends/cpu/linalg/linalg_exp_body.h"
