// SPDX-License-Identifier: Apache-2.0
// Built for AVX2.
#define LEVELED(name) name##_v3
#include "backends/cpu/index/take_offsets_body.h"
