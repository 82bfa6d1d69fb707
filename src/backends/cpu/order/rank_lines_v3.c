// SPDX-License-Identifier: Apache-2.0
// Ranks of rank_lines_body.h for x86-64-v3 (AVX2).
#define LEVELED(name) name##_v3
#include "backends/cpu/order/rank_lines_body.h"
