// SPDX-License-Identifier: Apache-2.0
// The tiles of conv_tiles.h for AVX-512: 8 x 3 accumulators of 32 registers.
#define TILE_BYTES  64
#define TILE_ROWS   8
#define TILE_WIDE   3
#define TILE_PLACES 28
#define TILE_TABLE  oyi_conv_tiles_v4
#include "backends/cpu/conv/conv_tiles_body.h"
