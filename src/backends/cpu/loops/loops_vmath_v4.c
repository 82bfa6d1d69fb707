// SPDX-License-Identifier: Apache-2.0
// The loops of loops_vmath_body.h for x86-64-v4 (AVX-512).
#define LEVELED(name) name##_v4
#include "backends/cpu/loops/loops_vmath_body.h"
