// SPDX-License-Identifier: Apache-2.0
// The loops of distance_squares.h for AVX2.
#define SQUARES_TABLE oyi_distance_squares_v3
#include "backends/cpu/linalg/distance_squares_body.h"
