// SPDX-License-Identifier: Apache-2.0
// Which way to the gradient of weights takes least: line by line (convolve_lines.c), tiles
// (convolve_gradient.c), rows (convolve_rows.c) or columns (convolve.c). Times are fitted to those
// of random gradients.
#include "backends/cpu/conv/conv_phases.h"
#include "backends/cpu/conv/conv_tiles.h"
#include "backends/cpu/conv/convolve.h"

// About how long lines, tiles and rows take for a group, in nanoseconds: a sum across a vector
// for each weight of each sample, and lines of windows between them; vectors of so few
// channels that most of them is empty; windows as rows.
static double time_of_lines(const oyi_conv* c, double weights, int64_t lanes) {
  const double lines = (double)c->batch * (double)(c->map[0] * c->map[1]);
  const double vectors = (double)oyi_divide_up(c->map[2], lanes);
  const double copied =
      (double)(c->batch * (c->image_channels / c->groups)) * (double)oyi_volume(c->image);
  return weights * (8 * (double)c->batch + lines * 0.25 * (1 + vectors)) + 0.06 * copied;
}
static double time_of_tiles(const oyi_conv* c, const oyi_conv_tiles* t, double windows) {
  const int64_t out = c->map_channels / c->groups, in = c->image_channels / c->groups;
  const int64_t rows = oyi_conv_tile_rows(t, out), taps = oyi_conv_tile_taps(t, rows);
  const int64_t blocks = oyi_divide_up(out, rows), kernel = oyi_volume(c->kernel);
  const int64_t sums = blocks * rows * oyi_divide_up(kernel, taps) * taps;
  double copied = (double)c->batch;
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    copied *= (double)(c->image[d] + 2 * c->padding[d]);
  return (double)oyi_divide_up(in, t->lanes) *
             ((double)sums * (8 + 0.14 * windows) + 0.6 * copied) +
         0.6 * windows * (double)blocks + 85;
}
static double time_of_rows(const oyi_conv* c, double windows) {
  const double depth =
      (double)(c->image_channels / c->groups) * (double)oyi_volume(c->kernel);
  return windows * (0.65 * depth + 1.85 * (double)c->map_channels / (double)c->groups) +
         250;
}

// To find the phases of each sample, of which a kernel sees some.
static double time_of_phases(const oyi_conv* c) {
  double seen = 1;
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    seen *= (double)oyi_at_most(c->kernel[d], c->stride[d]);
  return oyi_volume(c->stride) > 1 ? (double)c->batch * (100 + 40 * seen) : 0;
}

// The same of columns, which are put together and read again for each sample.
static double time_of_columns(const oyi_conv* c, double windows) {
  const double out = (double)(c->map_channels / c->groups), batch = (double)c->batch;
  const double depth =
      (double)(c->image_channels / c->groups) * (double)oyi_volume(c->kernel);
  return windows * depth * (0.4 + 0.005 * out) + batch * (300 + out * depth);
}

// And of vectors of maps (convolve_few.c), which are added up plane by plane.
static double time_of_few(const oyi_conv* c, const oyi_conv_tiles* t, double windows) {
  enum { STRETCH = 512 };
  const double depth = (double)c->image_channels * (double)oyi_volume(c->kernel);
  const double planes = (double)(c->batch * c->map[0]) *
                        (double)oyi_divide_up(c->map[1] * c->map[2], STRETCH);
  return depth * (double)oyi_divide_up(c->map_channels, t->lanes) *
         (0.14 * windows + 8 * planes);
}

bool oyi_convolve_weights_prefer_tiles(const oyi_convolve* v) {
  enum {
    BEGINNING = 800,
    LEAST_OF_FEW = 128
  };  // of tiles, once; windows that these need
  const double clearly = 0.7, hardly = 0.9;
  const oyi_conv* c = v->conv;
  const oyi_conv_tiles* t = oyi_conv_tiles_for(v->dtype);
  const double windows = (double)c->batch * (double)oyi_volume(c->map);
  const double tiles = time_of_tiles(c, t, windows) + BEGINNING / (double)c->groups;
  const bool could_be_few = c->groups == 1 && windows >= LEAST_OF_FEW;
  return oyi_volume(c->kernel) > 1 && tiles < clearly * time_of_columns(c, windows) &&
         (!could_be_few || tiles < hardly * time_of_few(c, t, windows));
}

// Floats that the next cache does not hold, of few windows: tiles of sums for all of them come and
// go for as little as that, where a product with windows as rows goes through them once. Of tiny
// maps rows are mostly padding.
static bool are_many_for_few(const oyi_conv* c, oy_dtype dtype) {
  enum { WEIGHTS = 1 << 20, LEAST = 256, MOST = 1024, WIDTH = 5, TAPS = 9 };
  const int64_t taps = oyi_volume(c->kernel);
  const int64_t least = taps > TAPS ? LEAST * 3 / 4 : LEAST;
  const int64_t windows = c->batch * oyi_volume(c->map);
  return dtype == OY_DTYPE_F32 && c->groups == 1 &&
         c->map_channels * c->image_channels * taps >= WEIGHTS && windows >= least &&
         windows <= MOST && c->map[2] >= WIDTH;
}

oyi_conv_way oyi_convolve_weights_way(const oyi_convolve* v) {
  enum { MOST_WINDOWS = 256 };  // that a product adds up
  const double clearly = 0.9;
  const oyi_conv* c = v->conv;
  if (are_many_for_few(c, v->dtype)) return OYI_CONV_ROWS;
  if ((v->dtype != OY_DTYPE_F32 && v->dtype != OY_DTYPE_F64) || c->batch == 0 ||
      !oyi_convolve_is_by_lines(c))
    return OYI_CONV_LINES;
  const oyi_conv_tiles* t = oyi_conv_tiles_for(v->dtype);
  const double weights = (double)(c->map_channels / c->groups) *
                         (double)(c->image_channels / c->groups) *
                         (double)oyi_volume(c->kernel);
  const double windows = (double)c->batch * (double)oyi_volume(c->map);
  const double lines = clearly * time_of_lines(c, weights, t->lanes);
  const double tiles = time_of_tiles(c, t, windows), rows = time_of_rows(c, windows);
  if (windows > 0 && windows <= MOST_WINDOWS && rows < tiles && rows < lines)
    return oyi_convolve_has_far_weights(v, rows) ? OYI_CONV_FAR : OYI_CONV_ROWS;
  const double least = (tiles < lines ? tiles : lines) + time_of_phases(c);
  if (oyi_convolve_has_far_weights(v, least)) return OYI_CONV_FAR;
  return tiles < lines ? OYI_CONV_TILES : OYI_CONV_LINES;
}
