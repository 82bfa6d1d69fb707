// SPDX-License-Identifier: Apache-2.0
// The tiles of conv_tiles.h for AVX2: 4 x 3 accumulators of 16 registers.
#define TILE_BYTES  32
#define TILE_ROWS   4
#define TILE_WIDE   3
#define TILE_PLACES 12
#define TILE_TABLE  oyi_conv_tiles_v3
#include "backends/cpu/conv/conv_tiles_body.h"
