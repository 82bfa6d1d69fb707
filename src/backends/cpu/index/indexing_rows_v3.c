// SPDX-License-Identifier: Apache-2.0
// Short rows by number, for x86-64-v3 (AVX2): half as many moves.
#define LEVELED(name) name##_v3
#include "backends/cpu/index/indexing_rows_body.h"
