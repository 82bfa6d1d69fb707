// SPDX-License-Identifier: Apache-2.0
// Factors of small matrices for AVX2.
#define LU_BYTES 32
#define LU_TABLE oyi_small_lu_v3
#include "backends/cpu/linalg/linalg_small_lu_body.h"
