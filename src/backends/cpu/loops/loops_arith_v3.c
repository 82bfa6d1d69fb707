// SPDX-License-Identifier: Apache-2.0
// The loops of loops_arith_body.h for x86-64-v3 (AVX2 and FMA).
#define LEVELED(name) name##_v3
#include "backends/cpu/loops/loops_arith_body.h"
