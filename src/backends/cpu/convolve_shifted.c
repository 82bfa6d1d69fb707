// SPDX-License-Identifier: Apache-2.0
// Maps of a convolution without columns. Images are copied once, as conv_phases.h says, so
// that a tile of maps is a product whose rows are read where they lie. Windows that begin
// in the padding between two lines are computed too, and left out.
#include "backends/cpu/conv_phases.h"
#include "backends/cpu/conv_tiles.h"
#include "backends/cpu/convolve.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum {
  COPY_BYTES = 4 << 20,      // of samples that are copied together, if they are several
  PART_WORK = 48 * 48 * 48,  // multiply-adds that are worth a thread
  LEAST_DEPTH = 16,
  LEAST_MAPS = 4,
  LEAST_PLACES = 128  // that are worth the copies
};

typedef struct shifted {
  const oyi_convolve* v;
  const oyi_conv_tiles* tiles;
  int64_t in, out, depth;  // channels and maps of a group; kernel elements
  oyi_conv_phases phases;
  int64_t plane_tiles;            // of the windows of a plane
  int64_t blocks;                 // of rows
  int64_t samples, first, chunk;  // that are copied, from |first| on
  int64_t units;
  char *copy, *weights;
  int64_t* offsets;
} shifted;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static oy_status copy_channel(int64_t index, void* context) {
  const shifted* s = context;
  const oyi_conv* c = s->v->conv;
  const int64_t item = s->v->item, volume = oyi_volume(c->image);
  oyi_conv_phases_copy(
      &s->phases, s->v->images + (s->first * c->image_channels + index) * volume * item,
      s->copy + index * s->phases.channel * item);
  return OY_OK;
}

// --------------------------------------------------------------------------- weights

// Blocks of rows, an element of each side by side; zeros behind the last row.
static void put_block(const shifted* s, const char* from, int64_t real, char* to) {
  const int64_t rows = s->tiles->rows;
  for (int64_t k = 0; k < s->depth; k++)
    for (int64_t i = 0; i < rows; i++)
      if (s->v->item == sizeof(float))
        ((float*)to)[k * rows + i] =
            i < real ? ((const float*)from)[i * s->depth + k] : 0;
      else
        ((double*)to)[k * rows + i] =
            i < real ? ((const double*)from)[i * s->depth + k] : 0;
}
static oy_status put_weights(int64_t index, void* context) {
  const shifted* s = context;
  const int64_t rows = s->tiles->rows, size = s->depth * s->v->item;
  const int64_t first = index % s->blocks * rows;
  put_block(s, s->v->weights + (index / s->blocks * s->out + first) * size,
            least(rows, s->out - first), s->weights + index * rows * size);
  return OY_OK;
}

// ------------------------------------------------------------------------ the tiles

// Stores |count| sums of position |at| on, of a plane, in |plane|; what lies between two
// lines is left out.
static void put_row(const shifted* s, const char* sums, int64_t at, int64_t count,
                    const char* bias, char* plane) {
  const int64_t width = s->v->conv->map[2], item = s->v->item;
  while (count > 0) {
    const int64_t line = at / s->phases.size[2], x = at % s->phases.size[2];
    const int64_t stretch = least(count, s->phases.size[2] - x),
                  real = least(width - x, stretch);
    char* to = plane + (line * width + x) * item;
    if (real > 0) {
      if (!bias)
        memcpy(to, sums, (size_t)(real * item));
      else if (item == sizeof(float))
        for (int64_t i = 0; i < real; i++)
          ((float*)to)[i] = ((const float*)sums)[i] + *(const float*)bias;
      else
        for (int64_t i = 0; i < real; i++)
          ((double*)to)[i] = ((const double*)sums)[i] + *(const double*)bias;
    }
    at += stretch, count -= stretch, sums += stretch * item;
  }
}

// One tile of a plane, of all maps of a group. Numbered through sample, group, plane.
static void one_tile(const shifted* s, int64_t unit) {
  const oyi_convolve* v = s->v;
  const oyi_conv* c = v->conv;
  const int64_t at = unit % s->plane_tiles * s->tiles->columns, planes = c->map[0];
  const int64_t plane = unit / s->plane_tiles % planes;
  const int64_t group = unit / s->plane_tiles / planes % c->groups;
  const int64_t sample = unit / s->plane_tiles / planes / c->groups;
  const int64_t places = oyi_volume(c->map), area = c->map[1] * c->map[2];
  const char* image =
      s->copy + ((sample * c->image_channels + group * s->in) * s->phases.channel +
                 plane * s->phases.size[1] * s->phases.size[2] + at) *
                    v->item;
  _Alignas(64) char sums[OYI_CONV_TILE_MAX * sizeof(float)];
  for (int64_t b = 0; b < s->blocks; b++) {
    const int64_t rows = s->tiles->rows, first = group * s->out + b * rows;
    s->tiles->tile(s->depth,
                   s->weights + (group * s->blocks + b) * s->depth * rows * v->item,
                   image, s->offsets, sums);
    for (int64_t i = 0; i < least(rows, s->out - b * rows); i++)
      put_row(s, sums + i * s->tiles->columns * v->item, at,
              least(s->tiles->columns, s->phases.plane - at),
              v->bias ? v->bias + (first + i) * v->item : NULL,
              v->maps + (((s->first + sample) * c->map_channels + first + i) * places +
                         plane * area) *
                            v->item);
  }
}

static oy_status run_tiles(int64_t index, void* context) {
  const shifted* s = context;
  const int64_t end = least((index + 1) * s->chunk, s->units);
  for (int64_t i = index * s->chunk; i < end; i++) one_tile(s, i);
  return OY_OK;
}

// ---------------------------------------------------------------------- the whole

// False where padding, holes or tiles that are not full would be most of the work.
static bool measure(shifted* s) {
  const oyi_conv* c = s->v->conv;
  if (!oyi_conv_phases_begin(&s->phases, c, s->v->item)) return false;
  s->in = c->image_channels / c->groups, s->out = c->map_channels / c->groups;
  s->depth = s->in * oyi_volume(c->kernel);
  s->plane_tiles = oyi_divide_up(s->phases.plane, s->tiles->columns);
  s->blocks = oyi_divide_up(s->out, s->tiles->rows);
  const int64_t area = c->map[1] * c->map[2], tiled = s->plane_tiles * s->tiles->columns;
  return s->depth >= LEAST_DEPTH && s->out >= LEAST_MAPS && tiled <= 2 * area &&
         (double)c->batch * (double)c->map[0] * (double)area >= LEAST_PLACES;
}

static oy_status compute(shifted* s) {
  const oyi_conv* c = s->v->conv;
  const double tile = (double)s->depth * (double)s->out * (double)s->tiles->columns;
  oyi_conv_phases_offsets(&s->phases, s->in, s->offsets);
  OY_TRY(oyi_parallel_chunks(c->groups * s->blocks, put_weights, s));
  s->chunk = tile < PART_WORK ? (int64_t)(PART_WORK / tile) + 1 : 1;
  for (s->first = 0; s->first < c->batch; s->first += s->samples) {
    const int64_t samples = least(s->samples, c->batch - s->first);
    s->units = samples * c->groups * c->map[0] * s->plane_tiles;
    OY_TRY(oyi_parallel_chunks(samples * c->image_channels, copy_channel, s));
    OY_TRY(oyi_parallel_chunks(oyi_divide_up(s->units, s->chunk), run_tiles, s));
  }
  return OY_OK;
}

oy_status oyi_convolve_shifted(const oyi_convolve* v, bool* out_done) {
  const oyi_conv* c = v->conv;
  *out_done = false;
  if ((v->dtype != OY_DTYPE_F32 && v->dtype != OY_DTYPE_F64) || c->batch == 0)
    return OY_OK;
  shifted s = {.v = v, .tiles = oyi_conv_tiles_for(v->dtype)};
  if (!measure(&s)) return OY_OK;
  const int64_t sample = c->image_channels * s.phases.channel * v->item;
  s.samples = least(sample < COPY_BYTES ? COPY_BYTES / (sample + 1) + 1 : 1, c->batch);
  // A tile may read behind the last element.
  const size_t copy = (size_t)(s.samples * sample + s.tiles->columns * v->item);
  const size_t weights =
      (size_t)(c->groups * s.blocks * s.tiles->rows * s.depth * v->item);
  void* blocks[2] = {NULL, NULL};
  s.copy = oyi_data_alloc(copy, &blocks[0]);
  s.weights = s.copy ? oyi_data_alloc(weights, &blocks[1]) : NULL;
  s.offsets = s.weights ? oyi_calloc((size_t)s.depth, sizeof(int64_t)) : NULL;
  oy_status status = OY_OUT_OF_MEMORY;
  if (s.offsets) {
    memset(s.copy + copy - s.tiles->columns * v->item, 0,
           (size_t)(s.tiles->columns * v->item));
    status = compute(&s);
  }
  oyi_free(s.offsets);
  if (s.weights) oyi_data_free(blocks[1], s.weights);
  if (s.copy) oyi_data_free(blocks[0], s.copy);
  *out_done = true;
  return status;
}

// ------------------------------------------------------------------------ the adjoint

// Weights of the convolution of maps that gives images: channels change places, and the
// kernel is turned round.
static void turn(const oyi_convolve* v, char* to) {
  const oyi_conv* c = v->conv;
  const int64_t in = c->image_channels / c->groups, out = c->map_channels / c->groups;
  const int64_t taps = oyi_volume(c->kernel);
  for (int64_t g = 0; g < c->groups; g++)
    for (int64_t i = 0; i < in; i++)
      for (int64_t o = 0; o < out; o++, to += taps * v->item) {
        const char* from = v->weights + ((g * out + o) * in + i) * taps * v->item;
        for (int64_t k = 0; k < taps; k++)
          memcpy(to + k * v->item, from + (taps - 1 - k) * v->item, (size_t)v->item);
      }
}

oy_status oyi_convolve_shifted_back(const oyi_convolve* v, bool* out_done) {
  const oyi_conv* c = v->conv;
  oyi_conv back = *c;
  oyi_convolve w = *v;
  *out_done = false;
  if (v->dtype != OY_DTYPE_F32 && v->dtype != OY_DTYPE_F64) return OY_OK;
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    if (c->stride[d] != 1) return OY_OK;
    back.image[d] = c->map[d], back.map[d] = c->image[d];
    back.padding[d] = (c->kernel[d] - 1) * c->dilation[d] - c->padding[d];
  }
  back.image_channels = c->map_channels, back.map_channels = c->image_channels;
  w.conv = &back, w.images = v->maps, w.maps = v->images;
  shifted s = {.v = &w, .tiles = oyi_conv_tiles_for(v->dtype)};
  if (!measure(&s)) return OY_OK;
  void* block = NULL;
  w.weights = oyi_data_alloc(
      (size_t)(c->map_channels * s.out * oyi_volume(c->kernel) * v->item), &block);
  *out_done = true;
  if (!w.weights) return OY_OUT_OF_MEMORY;
  turn(v, w.weights);
  oy_status status = oyi_convolve_shifted(&w, out_done);
  oyi_data_free(block, w.weights);
  return status;
}
