// SPDX-License-Identifier: Apache-2.0
// The loops of loops_random_body.h for x86-64-v3.
#define LEVELED(name) name##_v3
#include "backends/cpu/loops/loops_random_body.h"
