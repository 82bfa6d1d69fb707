// SPDX-License-Identifier: Apache-2.0
// The tiles of conv_tiles.h for the level that the including file is built for: TILE_BYTES,
// TILE_ROWS, TILE_WIDE, TILE_PLACES, and TILE_TABLE, the name of the table.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(32)
#if TILE_BYTES == 64
#include <immintrin.h>
#endif
#include <string.h>

#include "backends/cpu/conv/conv_tiles.h"
#include "base/template.h"

// Room for |maps| of half of the places, in whole vectors, since they are read so.
#define OTHER_SUMS(type)                                                     \
  ((TILE_PLACES / 2 * (int64_t)sizeof(type) + TILE_BYTES - 1) / TILE_BYTES * \
   (TILE_BYTES / (int64_t)sizeof(type)) * (TILE_BYTES / (int64_t)sizeof(type)))

// Elements of a line of the kernel, at most, whose weights stay in registers; vectors that do,
// besides one of an element of the image.
#define LINE_TAPS 5
#if TILE_BYTES == 64
#define LINE_ROOM        31
#define MAPS_BY_LINE(id) maps_by_line_##id
#else
#define LINE_ROOM        0
#define MAPS_BY_LINE(id) NULL
#endif

// Rows of tiles of few maps, and their vectors.
#if TILE_BYTES == 64
#define FEW_ROWS 4
#define FEW_WIDE 6
#else
#define FEW_ROWS 2
#define FEW_WIDE 4
#endif

// Lines that are computed together, by up to four vectors.
#define TALL (TILE_BYTES == 64 ? 4 : 2)

// Neighbouring places of a vector of channels that are computed together.
#if TILE_BYTES == 64
#define CHANNEL_PLACES 14
#else
#define CHANNEL_PLACES 7
#endif

// Weights of a vector of channels that are computed together: those of 3 x 3.
#define CHANNEL_DOTS 9

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define T           float
#define ID          f32
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
    .dots = dots_##id, .sum = sum_##id, .copy = copy_##id, .halve = halve_##id,         \
    .split = split_##id, .zip = zip_lines_##id                                          \
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
