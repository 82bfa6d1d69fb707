// SPDX-License-Identifier: Apache-2.0
// The three products that convolutions and their gradients come down to, on contiguous
// tensors of one type: images (batch, image_channels, ...), maps (batch, map_channels,
// ...), weights (map_channels, image_channels / groups, ...).
#ifndef OPYARD_SRC_BACKENDS_CPU_CONV_CONVOLVE_H_
#define OPYARD_SRC_BACKENDS_CPU_CONV_CONVOLVE_H_

#include "backends/cpu/conv/columns.h"
#include "backends/cpu/linalg/gemm.h"

typedef struct oyi_convolve {
  const oyi_conv* conv;
  const oyi_columns* columns;
  oyi_gemm_fn gemm;
  oy_dtype dtype;
  int64_t item;
  char *images, *maps, *weights;
  const char* bias;  // of what is written; NULL: none
  bool pairs;        // what is read is pairs of bfloat16 (conv_pairs.h), not floats
} oyi_convolve;

// Writes |maps|: windows slide over the images.
oy_status oyi_convolve_maps(const oyi_convolve* v);
// Writes |images|: each map element spreads its window.
oy_status oyi_convolve_images(const oyi_convolve* v);
// Writes |weights|: their gradient, if one of the other two is that of the output.
oy_status oyi_convolve_weights(const oyi_convolve* v);

// The same of images and maps as they lie (convolve.c); the others may turn narrow ones first.
oy_status oyi_convolve_maps_as_given(const oyi_convolve* v);
oy_status oyi_convolve_images_as_given(const oyi_convolve* v);

// The first, or with |back| the second, without columns, if that is faster; |out_done|
// tells. By tiles (convolve_shifted.c); for groups of few channels (convolve_lines.c), or of
// one (convolve_channels.c).
oy_status oyi_convolve_shifted(const oyi_convolve* v, bool back, bool* out_done);
oy_status oyi_convolve_lines(const oyi_convolve* v, bool back, bool* out_done);
oy_status oyi_convolve_channels(const oyi_convolve* v, bool back, bool* out_done);
// All three of small maps (convolve_rows.c).
bool oyi_convolve_has_rows(const oyi_convolve* v);
// For images: of channels that fill vectors, and maps that are small or |grown|; of so few channels
// and so many maps that tiles take longer.
bool oyi_convolve_has_wide_rows(const oyi_convolve* v, bool grown);
bool oyi_convolve_has_few_images(const oyi_convolve* v);
// Of so small maps, or so few windows, that tiles take longer for the gradient of weights.
bool oyi_convolve_has_few_rows(const oyi_convolve* v);
// Whether maps that come to no tiles take rows (convolve_shifted.c), small or not.
bool oyi_convolve_takes_rows(const oyi_convolve* v);
oy_status oyi_convolve_maps_rows(const oyi_convolve* v);
oy_status oyi_convolve_images_rows(const oyi_convolve* v);
oy_status oyi_convolve_weights_rows(const oyi_convolve* v);

// The second and third of groups of few channels element by element (convolve_far.c), if windows
// are so far apart that it takes less than columns or lines, or than |instead| nanoseconds for a
// group.
bool oyi_convolve_has_far_images(const oyi_convolve* v, bool by_columns);
bool oyi_convolve_has_far_weights(const oyi_convolve* v, double instead);
// About how long the first of them take, in nanoseconds.
double oyi_convolve_time_of_far_images(const oyi_conv* c);
oy_status oyi_convolve_images_far(const oyi_convolve* v);
oy_status oyi_convolve_weights_far(const oyi_convolve* v);

// Whether the first, or the second, come to tiles; sizes tell, nothing is read. As turned, as they
// are given, or if columns or lines are not asked first.
bool oyi_convolve_is_turned_tiled(const oyi_convolve* v, bool back);
bool oyi_convolve_is_tiled(const oyi_convolve* v, bool back);
bool oyi_convolve_is_shifted(const oyi_convolve* v, bool back);
// Whether groups are of so few channels that they come to lines.
bool oyi_convolve_is_by_lines(const oyi_conv* c);
// Of those, whether they go on to tiles.
bool oyi_convolve_few_take_tiles(const oyi_conv* c, bool back);
// Which of four ways to the gradient of weights takes least for such groups; of no groups rows,
// where they take less than what comes later, else lines, which leave those alone.
typedef enum oyi_conv_way {
  OYI_CONV_LINES,
  OYI_CONV_TILES,
  OYI_CONV_ROWS,
  OYI_CONV_FAR
} oyi_conv_way;
oyi_conv_way oyi_convolve_weights_way(const oyi_convolve* v);
// Whether tiles take clearly less than columns, even if most of them are empty.
bool oyi_convolve_weights_prefer_tiles(const oyi_convolve* v);
// And the third (convolve_gradient.c, even where tiles are mostly empty if |asked|; convolve_few.c;
// convolve_channels.c, convolve_lines.c).
oy_status oyi_convolve_weights_few(const oyi_convolve* v, bool* out_done);
oy_status oyi_convolve_weights_tiled(const oyi_convolve* v, bool asked, bool* out_done);
oy_status oyi_convolve_weights_channels(const oyi_convolve* v, bool* out_done);
oy_status oyi_convolve_weights_lines(const oyi_convolve* v, bool* out_done);

#endif  // OPYARD_SRC_BACKENDS_CPU_CONV_CONVOLVE_H_
