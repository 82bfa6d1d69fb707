// SPDX-License-Identifier: Apache-2.0
// Equations with small triangles for AVX2.
#define SMALL_BYTES 32
#define SMALL_SOLVE oyi_small_solve_triangle_v3
#include "backends/cpu/linalg/linalg_small_body.h"
