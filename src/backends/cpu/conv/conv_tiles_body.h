// SPDX-License-Identifier: Apache-2.0
// The tiles of conv_tiles.h for the level that the including file is built for: TILE_BYTES,
// TILE_ROWS, TILE_WIDE, TILE_PLACES, and TILE_TABLE, the name of the table.
#include "backends/cpu/conv/conv_tiles_define.h"

#define SPREAD(one)             ((one) - (JOIN(vec, ID)){0})
#define MULTIPLY_ADD(sum, a, b) ((sum) += (a) * (b))
#define T                       float
#define ID                      f32
#include "backends/cpu/conv/conv_tiles_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/conv/conv_tiles_tmpl.h"

#define TILES(id, type)                                                                 \
  {                                                                                     \
    .rows = TILE_ROWS, .columns = TILE_WIDE * TILE_BYTES / (int64_t)sizeof(type),       \
    .few_rows = FEW_ROWS, .few_columns = FEW_WIDE * TILE_BYTES / (int64_t)sizeof(type), \
    .lanes = TILE_BYTES / (int64_t)sizeof(type), .taps = TILE_WIDE,                     \
    .places = TILE_PLACES, .other_sums = OTHER_SUMS(type), .tile = tile_##id,           \
    .maps = maps_##id, .maps_by_line = MAPS_BY_LINE(id), .line_room = LINE_ROOM,        \
    .put_maps = put_maps_##id, .put_pairs = put_pairs_##id,                             \
    .pack_lanes = pack_lanes_##id, .pack_rows = pack_rows_##id, .lines = lines_##id,    \
    .channels = channels_##id, .channel_dots = channel_dots_##id, .tall = TALL,         \
    .tall_lines = tall_##id, .gradient = gradient_##id, .few = few_##id,                \
    .dots = dots_##id, .spread = spread_##id, .gather = gather_##id, .sum = sum_##id,   \
    .copy = copy_##id, .halve = halve_##id, .pick = pick_##id, .split = split_##id,     \
    .zip = zip_lines_##id, .mix = mix_##id, .column = COLUMN(id),                       \
    .column_stride = COLUMN_STRIDE                                                      \
  }
const oyi_conv_tiles TILE_TABLE[2] = {TILES(f32, float), TILES(f64, double)};
_Static_assert(TILE_WIDE <= FEW_WIDE &&
                   FEW_WIDE * TILE_BYTES / sizeof(float) <= OYI_CONV_COLUMNS_MAX,
               "callers have that much room");
_Static_assert(TILE_ROWS* TILE_WIDE* TILE_BYTES / sizeof(float) <= OYI_CONV_TILE_MAX &&
                   FEW_ROWS * FEW_WIDE * TILE_BYTES / sizeof(float) <= OYI_CONV_TILE_MAX,
               "callers have that much room");
_Static_assert(TILE_ROWS * sizeof(double) <= OYI_CONV_ROW_MAX &&
                   TILE_BYTES <= OYI_CONV_ROW_MAX,
               "callers have that much room");
