// SPDX-License-Identifier: Apache-2.0
// Whether indices are good, for x86-64-v3 (AVX2).
#define LEVELED(name) name##_v3
#include "backends/cpu/index/index_below_body.h"
