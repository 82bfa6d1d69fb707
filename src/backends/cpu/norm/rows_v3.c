// SPDX-License-Identifier: Apache-2.0
// The functions of rows.h for AVX2 and FMA.
#define ROW_BYTES 32
#define ROW_TABLE oyi_row_math_v3
#include "backends/cpu/norm/rows_body.h"
