// SPDX-License-Identifier: Apache-2.0
// The tiles of conv_tiles.h at the baseline, and the choice by capability level.
#define TILE_BYTES  16
#define TILE_ROWS   4
#define TILE_WIDE   2
#define TILE_PLACES 12
#define TILE_TABLE  oyi_conv_tiles_base
#include "backends/cpu/conv/conv_tiles_body.h"

#include "base/cpu.h"

const oyi_conv_tiles* oyi_conv_tiles_for(oy_dtype dtype) {
#if defined(__x86_64__)
  static const oyi_conv_tiles* const levels[] = {oyi_conv_tiles_base, oyi_conv_tiles_v3,
                                                 oyi_conv_tiles_v4};
  return &levels[oyi_cpu_level()][dtype == OY_DTYPE_F64];
#else
  return &oyi_conv_tiles_base[dtype == OY_DTYPE_F64];
#endif
}
