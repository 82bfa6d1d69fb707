// SPDX-License-Identifier: Apache-2.0
// A strip of a convolution, some planes of windows, some lines of one or a part of one, and
// the two ways to compute it: tiles of neighbouring windows, or of neighbouring maps, fill vectors.
#ifndef OPYARD_SRC_BACKENDS_CPU_CONV_CONV_STRIPS_H_
#define OPYARD_SRC_BACKENDS_CPU_CONV_CONV_STRIPS_H_

#include "backends/cpu/conv/conv_plan.h"
#include "backends/cpu/conv/conv_tiles.h"

enum { OYI_CONV_STRIP_BYTES = 1024 << 10 };  // of the copy of one

typedef struct oyi_conv_strip {
  int64_t sample, group;
  int64_t from[OYI_SPATIAL];  // the first window
  int64_t planes, lines, width;
  const char* copy;  // what they read: all channels of the group
} oyi_conv_strip;

// Windows of one line follow those of the one before, some of the padding between them:
// these are computed too, and left out.
void oyi_conv_strip_windows(const oyi_conv_plan* p, const oyi_conv_tiles* tiles,
                            const oyi_conv_strip* s);
// A tile has windows of one line. For plans that put no more than two passes together,
// filled with blocks of a vector.
void oyi_conv_strip_maps(const oyi_conv_plan* p, const oyi_conv_tiles* tiles,
                         const oyi_conv_strip* s);
// Of these: blocks that are computed at once, and windows of a tile, at most.
int64_t oyi_conv_blocks_together(const oyi_conv_plan* p, const oyi_conv_tiles* tiles);
int64_t oyi_conv_tile_places(const oyi_conv_plan* p, const oyi_conv_tiles* tiles);

// Whether a plan goes over several planes, and which way to its windows then takes least, if it
// takes clearly less than the |usual| one; tiles of maps may read the image itself.
typedef enum oyi_conv_deep_way {
  OYI_CONV_DEEP_COLUMNS,
  OYI_CONV_DEEP_ROWS,
  OYI_CONV_DEEP_MAPS,
  OYI_CONV_DEEP_WINDOWS
} oyi_conv_deep_way;

bool oyi_conv_plan_is_deep(const oyi_conv_plan* p);
oyi_conv_deep_way oyi_conv_plan_deep_way(const oyi_conv_plan* p,
                                         const oyi_conv_tiles* tiles, bool reads_image,
                                         oyi_conv_deep_way usual);

#endif  // OPYARD_SRC_BACKENDS_CPU_CONV_CONV_STRIPS_H_
