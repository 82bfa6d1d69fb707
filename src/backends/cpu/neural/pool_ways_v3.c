// SPDX-License-Identifier: Apache-2.0
// Pools by vectors of places and of channels for x86-64-v3 (AVX2).
#define LEVEL(id) id##_v3
#include "backends/cpu/neural/pool_ways_body.h"
