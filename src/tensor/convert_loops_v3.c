// SPDX-License-Identifier: Apache-2.0
// The loops of convert_loops_body.h for x86-64-v3 (AVX2 and F16C).
#define LEVELED(name) name##_v3
#include "tensor/convert_loops_body.h"
