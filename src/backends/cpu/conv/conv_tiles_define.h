// SPDX-License-Identifier: Apache-2.0
// What tiles are made with, for the level that the including file is built for: TILE_BYTES,
// TILE_ROWS, TILE_WIDE and TILE_PLACES.
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
#define COLUMN(id)       column_##id
#define COLUMN_STRIDE    4
#else
#define LINE_ROOM        0
#define MAPS_BY_LINE(id) NULL
#define COLUMN(id)       NULL
#define COLUMN_STRIDE    0
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
