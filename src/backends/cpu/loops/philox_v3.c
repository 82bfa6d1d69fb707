// SPDX-License-Identifier: Apache-2.0
// The steps of philox_body.h for x86-64-v3 (AVX2).
#define LEVELED(name) name##_v3
#include "backends/cpu/loops/philox_body.h"
