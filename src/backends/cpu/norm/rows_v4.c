// SPDX-License-Identifier: Apache-2.0
// The functions of rows.h for AVX-512.
#define ROW_BYTES 64
#define ROW_TABLE oyi_row_math_v4
#include "backends/cpu/norm/rows_body.h"
