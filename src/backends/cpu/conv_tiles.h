// SPDX-License-Identifier: Apache-2.0
// The inner loop of convolutions without columns: |rows| maps times |columns| neighbouring
// places, each element of a kernel reading the image where its offset says.
#ifndef OPYARD_SRC_BACKENDS_CPU_CONV_TILES_H_
#define OPYARD_SRC_BACKENDS_CPU_CONV_TILES_H_

#include "opyard/value.h"

enum { OYI_CONV_TILE_MAX = 8 * 48 };  // elements of a tile

// Places of windows: |width| of each of |lines| of each of |planes|, and how far apart, in
// the image, lines and planes are.
typedef struct oyi_conv_area {
  int64_t planes, lines, width, line_step, plane_step;
} oyi_conv_area;

typedef struct oyi_conv_tiles {
  int64_t rows, columns;
  int64_t lanes, taps;  // of |gradient|: channels and kernel elements
  // |weights|: |rows| of them for each of |depth| kernel elements. |offsets| in elements.
  // |sums|: a tile, row by row.
  void (*tile)(int64_t depth, const void* weights, const void* image,
               const int64_t* offsets, void* sums);
  // Adds to |sums|, which are |rows| x |taps| x |lanes|, what windows in |area| give the
  // gradient of weights. |maps|: |rows| of them for each place. |image|: |lanes| channels
  // for each place; |offsets|, of the kernel elements, and steps are in places.
  void (*gradient)(const oyi_conv_area* area, const void* maps, const void* image,
                   const int64_t* offsets, double* sums);
} oyi_conv_tiles;

// For F32 or F64, at the level of this machine.
const oyi_conv_tiles* oyi_conv_tiles_for(oy_dtype dtype);

// By level: float, then double.
extern const oyi_conv_tiles oyi_conv_tiles_base[2];
extern const oyi_conv_tiles oyi_conv_tiles_v3[2];
extern const oyi_conv_tiles oyi_conv_tiles_v4[2];

#endif  // OPYARD_SRC_BACKENDS_CPU_CONV_TILES_H_
