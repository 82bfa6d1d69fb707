// SPDX-License-Identifier: Apache-2.0
// The moves of move_body.h for x86-64-v3 (AVX2).
#define LEVELED(name) name##_v3
#include "tensor/move_body.h"
