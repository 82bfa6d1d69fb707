// SPDX-License-Identifier: Apache-2.0
// The gradient of weights of few channels, as the first layer of a network has them: too few
// to lie side by side in vectors, as convolve_gradient.c has them. Here vectors are of maps,
// turned a stretch of windows at a time, and each element of the kernel multiplies them by
// one element of a copy of the image (conv_phases.h). Stretches are added up in double, in
// parts that do not depend on threads.
#include "backends/cpu/conv/conv_phases.h"
#include "backends/cpu/conv/conv_tiles.h"
#include "backends/cpu/conv/convolve.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum {
  COPY_BYTES = 4 << 20,  // of images that are copied together, if they are several
  COPIED = 8,            // channels that a thread copies at a time
  STRETCH = 512,         // windows that are added up in the type itself
  LONGEST = 4096,        // of a line, which is never cut
  LEAST_PLACES = 128,    // that are worth the copies
  PARTS = 16,            // at most, of
  FEW = 1 << 14,         // sums of a part; up to twice as many, of fewer parts
  PART_WORK = 1 << 20    // multiply-adds, at least
};

typedef struct few {
  const oyi_convolve* v;
  const oyi_conv_tiles* tiles;
  oyi_conv_phases phases;
  int64_t depth, blocks, vectors;  // weights of a map; blocks of them; vectors of maps
  int64_t lines, in_plane, in_sample;    // of a stretch; stretches
  int64_t samples, first, count, parts;  // are copied together, from |first| on
  int64_t image, size;                   // elements of a copy, and of the sums of a part
  int64_t* offsets;                      // filled up to whole blocks
  char* images;
  double* sums;  // part, block, vector of maps, element of the block, map
} few;

static oy_status copy_channels(int64_t index, void* context) {
  const few* f = context;
  const oyi_conv* c = f->v->conv;
  const int64_t item = f->v->item, first = index * COPIED;
  const int64_t at = f->first * c->image_channels + first;
  oyi_conv_phases_copy(&f->phases, f->v->images + at * oyi_volume(c->image) * item,
                       oyi_at_most(COPIED, f->count * c->image_channels - first),
                       f->images + first * f->phases.channel * item);
  return OY_OK;
}

// A stretch of windows of one sample, of all maps, for all elements of the kernel. |room| is
// for the maps.
static void add_stretch(const few* f, int64_t index, char* room, double* sums) {
  const oyi_conv* c = f->v->conv;
  const oyi_conv_tiles* t = f->tiles;
  const int64_t item = f->v->item, places = oyi_volume(c->map), width = c->map[2];
  const int64_t sample = index / f->in_sample, z = index % f->in_sample / f->in_plane;
  const int64_t y = index % f->in_plane * f->lines;
  const oyi_conv_area area = {.planes = 1,
                              .lines = oyi_at_most(f->lines, c->map[1] - y),
                              .width = width,
                              .line_step = f->phases.size[2]};
  const int64_t windows = area.lines * width, block = f->lines * width * t->lanes;
  const char* maps = f->v->maps + ((f->first + sample) * c->map_channels * places +
                                   (z * c->map[1] + y) * width) *
                                      item;
  for (int64_t i = 0; i < f->vectors; i++)
    t->pack_lanes(maps + i * t->lanes * places * item,
                  oyi_at_most(t->lanes, c->map_channels - i * t->lanes), places, windows,
                  room + i * block * item);
  const char* image =
      f->images +
      (sample * f->image + (z * f->phases.size[1] + y) * f->phases.size[2]) * item;
  for (int64_t k = 0; k < f->blocks; k++)
    for (int64_t i = 0; i < f->vectors; i += t->taps) {
      t->few(&area, oyi_at_most(t->taps, f->vectors - i), room + i * block * item, block,
             image, f->offsets + k * t->rows, sums);
      sums += oyi_at_most(t->taps, f->vectors - i) * t->rows * t->lanes;
    }
}

static oy_status run_part(int64_t index, void* context) {
  const few* f = context;
  const int64_t all = f->count * f->in_sample;
  const int64_t end = all * (index + 1) / f->parts;
  const int64_t size = f->vectors * f->lines * f->v->conv->map[2] * f->tiles->lanes;
  void* block = NULL;
  char* room = oyi_data_alloc((size_t)(size * f->v->item), &block);
  if (!room) return OY_OUT_OF_MEMORY;
  for (int64_t i = all * index / f->parts; i < end; i++)
    add_stretch(f, i, room, f->sums + index * f->size);
  oyi_data_free(block, room);
  return OY_OK;
}

// Where the sum of map |m| and element |k| of the kernel is, in those of a part.
static int64_t place_of(const few* f, int64_t m, int64_t k) {
  const oyi_conv_tiles* t = f->tiles;
  const int64_t vector = m / t->lanes, first = vector / t->taps * t->taps;
  const int64_t wide = oyi_at_most(t->taps, f->vectors - first);
  return ((k / t->rows * f->vectors + first) * t->rows +
          (k % t->rows * wide + vector - first)) *
             t->lanes +
         m % t->lanes;
}

static void put_weights(const few* f) {
  for (int64_t p = 1; p < f->parts; p++)
    for (int64_t i = 0; i < f->size; i++) f->sums[i] += f->sums[p * f->size + i];
  for (int64_t m = 0; m < f->v->conv->map_channels; m++)
    for (int64_t k = 0; k < f->depth; k++) {
      const double sum = f->sums[place_of(f, m, k)];
      if (f->v->dtype == OY_DTYPE_F64)
        ((double*)(void*)f->v->weights)[m * f->depth + k] = sum;
      else
        ((float*)(void*)f->v->weights)[m * f->depth + k] = (float)sum;
    }
}

static oy_status compute(few* f) {
  const oyi_conv* c = f->v->conv;
  oyi_conv_phases_offsets(&f->phases, c->image_channels, f->offsets);
  for (int64_t i = f->depth; i < f->blocks * f->tiles->rows; i++)
    f->offsets[i] = f->offsets[f->depth - 1];
  for (f->first = 0; f->first < c->batch; f->first += f->samples) {
    f->count = oyi_at_most(f->samples, c->batch - f->first);
    OY_TRY(oyi_parallel_chunks(oyi_divide_up(f->count * c->image_channels, COPIED),
                               copy_channels, f));
    OY_TRY(oyi_parallel_chunks(f->parts, run_part, f));
  }
  put_weights(f);
  return OY_OK;
}

// False where vectors and blocks that are not full would be most of the work.
static bool measure(few* f) {
  enum { TIMES = 4, TIMES_APART = 8 };  // of columns with strides, which take longer
  const oyi_conv* c = f->v->conv;
  const oyi_conv_tiles* t = f->tiles;
  if (!oyi_conv_phases_begin(&f->phases, c, f->v->dtype)) return false;
  f->depth = c->image_channels * oyi_volume(c->kernel);
  f->blocks = oyi_divide_up(f->depth, t->rows);
  f->vectors = oyi_divide_up(c->map_channels, t->lanes);
  f->lines = oyi_at_most(c->map[1], c->map[2] < STRETCH ? STRETCH / c->map[2] : 1);
  f->in_plane = oyi_divide_up(c->map[1], f->lines);
  f->in_sample = c->map[0] * f->in_plane;
  f->image = c->image_channels * f->phases.channel;
  f->size = f->blocks * t->rows * f->vectors * t->lanes;
  f->samples = oyi_at_most(COPY_BYTES / (f->image * f->v->item) + 1, c->batch);
  const double all = (double)f->size * (double)c->batch * (double)oyi_volume(c->map);
  f->parts = all < PART_WORK * (double)PARTS ? (int64_t)(all / PART_WORK) + 1 : PARTS;
  f->parts = oyi_at_most(f->parts, f->samples * f->in_sample);
  f->parts = oyi_at_most(f->parts, PARTS * FEW / f->size + 1);
  const double work = (double)f->depth * (double)c->map_channels;
  const double times = c->stride[2] > 1 ? TIMES_APART : TIMES;
  return f->size <= 2 * FEW && (double)f->size <= times * work && c->map[2] <= LONGEST &&
         (double)c->batch * (double)oyi_volume(c->map) >= LEAST_PLACES;
}

oy_status oyi_convolve_weights_few(const oyi_convolve* v, bool* out_done) {
  *out_done = false;
  if (v->conv->groups != 1 || (v->dtype != OY_DTYPE_F32 && v->dtype != OY_DTYPE_F64))
    return OY_OK;
  few f = {.v = v, .tiles = oyi_conv_tiles_for(v->dtype)};
  if (!measure(&f)) return OY_OK;
  void* block = NULL;
  f.images = oyi_data_alloc((size_t)(f.samples * f.image * v->item), &block);
  if (f.images)
    f.offsets = oyi_calloc((size_t)(f.blocks * f.tiles->rows), sizeof(int64_t));
  if (f.offsets) f.sums = oyi_calloc((size_t)(f.parts * f.size), sizeof(double));
  oy_status status = f.offsets && f.sums ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == OY_OK)
    status = oyi_conv_phases_list(&f.phases, v->conv->image_channels * v->conv->batch);
  if (status == OY_OK) status = compute(&f);
  oyi_free(f.phases.moves);
  oyi_free(f.sums);
  oyi_free(f.offsets);
  if (f.images) oyi_data_free(block, f.images);
  *out_done = true;
  return status;
}
