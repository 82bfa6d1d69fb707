// SPDX-License-Identifier: Apache-2.0
// The gradient of weights without columns. Blocks of channels are put side by side, as blocks
// of maps are: what a block of maps and a block of channels have under some elements of the
// kernel is a tile that stays in registers while windows go by. Stretches of windows are added
// up in double, and do not depend on threads. Images are copied as conv_phases.h says, but
// not by phases unless the kernel sees only few of them: channels side by side are whole
// vectors, whatever is between two windows.
#include "backends/cpu/conv/conv_plan.h"
#include "backends/cpu/conv/conv_tiles.h"
#include "backends/cpu/conv/convolve.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum {
  COPY_BYTES = 1 << 20,  // of samples that are copied together, if they are several
  STRETCH = 512,         // windows that are added up in the type itself
  LEAST_PLACES = 128,  // that are worth the copies; fewer for few maps, or of small ones,
  LEAST_OF_FEW = 32,
  FEW = 8,
  SMALL = 32,
  UNIT_BLOCKS = 5,  // of kernel elements, at most, of a unit
  UNITS = 4         // at least, for each thread, if there are as many blocks
};

typedef struct gradient {
  const oyi_convolve* v;
  const oyi_conv_tiles* tiles;
  oyi_conv whole;  // a window at each place of the image, where it is not by phases
  oyi_conv_phases phases;
  int64_t step[OYI_SPATIAL];                  // from a window to the next, in the copy
  int64_t in, out, taps, places;              // of a group; of a kernel; of a map
  int64_t rows, wide;                         // of a tile; its kernel elements
  int64_t in_blocks, out_blocks, tap_blocks;  // of a group
  int64_t unit_blocks, tap_units;             // of a unit; units of |tap_blocks|
  int64_t samples, first, count;              // are copied together, from |first| on
  int64_t image_block, map_block, tile;       // elements of a block; of a tile of sums
  char *images, *maps;                        // sample, group, block
  int64_t* offsets;                           // filled up to whole blocks
  double* sums;  // group, out block, in block, tap unit; NULL: all samples are copied
} gradient;

// ---------------------------------------------------------------------------- packing

static oy_status pack_images(const gradient* g, int64_t index) {
  const oyi_conv* c = g->v->conv;
  const int64_t item = g->v->item, lanes = g->tiles->lanes, size = g->phases.channel;
  const int64_t first = index % g->in_blocks * lanes, at = index / g->in_blocks;
  const int64_t count = oyi_at_most(lanes, g->in - first);
  const int64_t volume = oyi_volume(c->image);
  const char* image =
      g->v->images + (g->first * c->image_channels + at * g->in + first) * volume * item;
  char* to = g->images + index * g->image_block * item;
  if (g->phases.is_image) {
    g->tiles->pack_lanes(image, count, size, size, to);
    return OY_OK;
  }
  void* block = NULL;
  char* copies = oyi_data_alloc((size_t)(count * size * item), &block);
  if (!copies) return OY_OUT_OF_MEMORY;
  oyi_conv_phases_copy(&g->phases, image, count, copies);
  g->tiles->pack_lanes(copies, count, size, size, to);
  oyi_data_free(block, copies);
  return OY_OK;
}

static oy_status pack_maps(const gradient* g, int64_t index) {
  const oyi_conv* c = g->v->conv;
  const int64_t item = g->v->item, rows = g->rows;
  const int64_t first = index % g->out_blocks * rows, at = index / g->out_blocks;
  const char* maps =
      g->v->maps + (g->first * c->map_channels + at * g->out + first) * g->places * item;
  const int64_t count = oyi_at_most(rows, g->out - first);
  char* to = g->maps + index * g->map_block * item;
  if (rows < g->tiles->rows)
    oyi_conv_pack_few(item, rows, maps, count, g->places, g->places, to);
  else
    g->tiles->pack_rows(maps, count, g->places, g->places, to);
  return OY_OK;
}

static oy_status pack(int64_t index, void* context) {
  const gradient* g = context;
  const int64_t images = g->count * g->v->conv->groups * g->in_blocks;
  return index < images ? pack_images(g, index) : pack_maps(g, index - images);
}

// -------------------------------------------------------------------------- the tiles

// Windows along dimension |d| that see the image with one of the block of kernel elements
// from |tap| on: the others see padding.
static oyi_conv_part windows_inside(const gradient* g, size_t d, int64_t tap) {
  const oyi_conv* c = g->v->conv;
  const int64_t last = oyi_at_most(tap + g->wide, g->taps) - 1;
  int64_t below = c->kernel[2];  // elements of the kernel in a line, or in a plane
  if (d == 0) below *= c->kernel[1];
  int64_t first = tap / below % c->kernel[d], end = last / below % c->kernel[d];
  if (tap / below / c->kernel[d] != last / below / c->kernel[d])
    first = 0, end = c->kernel[d] - 1;
  const int64_t low = c->padding[d] - end * c->dilation[d];
  const int64_t high = c->image[d] + c->padding[d] - first * c->dilation[d];
  oyi_conv_part part = {low > 0 ? oyi_divide_up(low, c->stride[d]) : 0,
                        high > 0 ? oyi_divide_up(high, c->stride[d]) : 0};
  part.to = oyi_at_most(part.to, c->map[d]);
  return part;
}

// How many samples are one stretch: places of the next one follow as a plane would.
static int64_t samples_together(const gradient* g, int64_t windows, int64_t left) {
  if (g->v->conv->map[0] > 1 || windows > STRETCH) return 1;
  return oyi_at_most(STRETCH / windows, left);
}

// All windows of samples from |maps| and |image| on, |left| of them, for the block of kernel
// elements from |tap| on, a stretch at a time. Returns how many samples were added.
static int64_t add_samples(const gradient* g, const char* maps, const char* image,
                           int64_t left, int64_t tap, double* sums) {
  const oyi_conv* c = g->v->conv;
  const int64_t item = g->v->item, *offsets = g->offsets + tap;
  const oyi_conv_part inside[] = {windows_inside(g, 0, tap), windows_inside(g, 1, tap)};
  const int64_t height = inside[1].to - inside[1].from;
  if (height <= 0) return left;
  const int64_t width = oyi_at_most(c->map[2], STRETCH);
  const int64_t lines = oyi_at_most(height, STRETCH / width);
  const int64_t planes =
      lines < height ? 1 : oyi_at_most(c->map[0], STRETCH / (width * lines));
  const int64_t line = g->phases.size[2], plane = g->phases.size[1] * line;
  oyi_conv_area area = {.line_step = line * g->step[1], .plane_step = plane * g->step[0]};
  area.rest = (c->map[1] - lines) * c->map[2];  // where there are several planes
  const int64_t together = samples_together(g, c->map[2] * height, left);
  if (together > 1) {
    area.plane_step = c->groups * g->in_blocks * g->phases.channel;
    area.rest = c->groups * g->out_blocks * g->places - height * c->map[2];
  }
  for (int64_t z = inside[0].from; z < inside[0].to; z += planes)
    for (int64_t y = inside[1].from; y < inside[1].to; y += lines)
      for (int64_t x = 0; x < c->map[2]; x += width) {
        area.planes = together > 1 ? together : oyi_at_most(planes, inside[0].to - z);
        area.lines = oyi_at_most(lines, inside[1].to - y);
        area.width = oyi_at_most(width, c->map[2] - x);
        const int64_t place =
            z * plane * g->step[0] + y * area.line_step + x * g->step[2];
        const int64_t done = (z * c->map[1] + y) * c->map[2] + x;
        g->tiles->gradient(g->rows, &area, g->step[2], maps + done * g->rows * item,
                           image + place * g->tiles->lanes * item, offsets, sums);
      }
  return together;
}

// ------------------------------------------------------------------------- the weights

// What some tiles are the sums of: maps and channels from |out| and |in| on, and |blocks|
// of kernel elements.
typedef struct unit {
  int64_t group, out, in, block, blocks;
} unit;

// A vector of sums, rounded, as an element of the kernel for each channel.
static void round_sums(const gradient* g, const double* sums, char* to) {
  if (g->v->dtype == OY_DTYPE_F64)
    memcpy(to, sums, (size_t)g->tiles->lanes * sizeof(double));
  else
    for (int64_t i = 0; i < g->tiles->lanes; i++) ((float*)to)[i] = (float)sums[i];
}

static void put_weights(const gradient* g, const unit* u, const double* sums) {
  const oyi_conv_tiles* t = g->tiles;
  const int64_t item = g->v->item, lanes = t->lanes, first = u->block * g->wide;
  const int64_t taps = oyi_at_most(u->blocks * g->wide, g->taps - first);
  _Alignas(64) char rows[OYI_CONV_ROW_MAX * OYI_CONV_ROW_MAX / sizeof(float)] = {0};
  for (int64_t r = 0; r < oyi_at_most(g->rows, g->out - u->out); r++)
    for (int64_t k = 0; k < taps; k += lanes) {
      const int64_t some = oyi_at_most(lanes, taps - k);
      for (int64_t i = 0; i < some; i++) {
        const int64_t block = (k + i) / g->wide, tap = (k + i) % g->wide;
        round_sums(g, sums + block * g->tile + (r * g->wide + tap) * lanes,
                   rows + i * lanes * item);
      }
      const int64_t at =
          ((u->group * g->out + u->out + r) * g->in + u->in) * g->taps + first + k;
      t->put_maps(rows, oyi_at_most(lanes, g->in - u->in), 0, some, NULL, g->taps,
                  g->v->weights + at * item);
    }
}

// Asks for the lines that put_weights is going to write.
static void ask(const gradient* g, const unit* u) {
  const int64_t item = g->v->item, row = g->in * g->taps * item;
  const int64_t some = oyi_at_most(g->tiles->lanes, g->in - u->in) * g->taps * item;
  char* to =
      g->v->weights + ((u->group * g->out + u->out) * g->in + u->in) * g->taps * item;
  for (int64_t r = 0; r < oyi_at_most(g->rows, g->out - u->out); r++)
    for (int64_t b = 0; b < some; b += 64) __builtin_prefetch(to + r * row + b, 1, 2);
}

static oy_status run_unit(int64_t index, void* context) {
  const gradient* g = context;
  const oyi_conv* c = g->v->conv;
  const int64_t item = g->v->item, block = index % g->tap_units * g->unit_blocks;
  const int64_t in = index / g->tap_units % g->in_blocks;
  const int64_t out = index / g->tap_units / g->in_blocks % g->out_blocks;
  const unit u = {.group = index / g->tap_units / g->in_blocks / g->out_blocks,
                  .out = out * g->rows,
                  .in = in * g->tiles->lanes,
                  .block = block,
                  .blocks = oyi_at_most(g->unit_blocks, g->tap_blocks - block)};
  _Alignas(64) double own[UNIT_BLOCKS * OYI_CONV_TILE_MAX];
  double* sums = g->sums ? g->sums + index * g->unit_blocks * g->tile : own;
  if (!g->sums) memset(own, 0, (size_t)(u.blocks * g->tile) * sizeof(double));
  const bool is_last = g->first + g->count == c->batch;
  if (is_last) ask(g, &u);
  for (int64_t i = 0; i < u.blocks; i++)
    for (int64_t done = 0; done < g->count;) {
      const int64_t at = done * c->groups + u.group;
      done += add_samples(g, g->maps + (at * g->out_blocks + out) * g->map_block * item,
                          g->images + (at * g->in_blocks + in) * g->image_block * item,
                          g->count - done, (block + i) * g->wide, sums + i * g->tile);
    }
  if (is_last) put_weights(g, &u, sums);
  return OY_OK;
}

// -------------------------------------------------------------------------- the whole

// As many as a vector has elements, or fewer, so that all threads get some.
static int64_t unit_blocks(const gradient* g) {
  const int64_t tiles = g->v->conv->groups * g->out_blocks * g->in_blocks;
  const int64_t vector = oyi_at_most(g->tiles->lanes / g->wide, UNIT_BLOCKS);
  const int64_t most = oyi_at_most(vector > 1 ? vector : 1, g->tap_blocks);
  const int64_t threads = oy_get_num_threads();
  return tiles >= threads * UNITS ? most : 1;
}

// Whether vectors of maps (convolve_few.c) would leave less of them empty than |done|, of channels.
static bool are_maps_better(const gradient* g, double done) {
  const oyi_conv_tiles* t = g->tiles;
  const int64_t rows = oyi_divide_up(g->in * g->taps, t->rows) * t->rows;
  const int64_t maps = oyi_divide_up(g->out, t->lanes) * t->lanes;
  return g->v->conv->groups == 1 && (double)rows * (double)maps < done;
}

// The copies of images. False where there are none.
static bool begin_copies(gradient* g) {
  enum {
    MUCH = 4
  };  // phases for each that the kernel sees, if these are packed with the others
  const oyi_conv* c = g->v->conv;
  const int64_t phases = oyi_volume(c->stride);
  if (!oyi_conv_phases_begin(&g->phases, c, g->v->dtype)) return false;
  memcpy(g->step, g->phases.step, sizeof(g->step));
  if (phases > 1 && phases <= MUCH * g->phases.count) {
    g->whole = *c;
    for (size_t d = 0; d < OYI_SPATIAL; d++) {
      g->whole.map[d] = (c->map[d] - 1) * c->stride[d] + 1;
      g->whole.stride[d] = 1;
    }
    memcpy(g->step, c->stride, sizeof(g->step));
    if (!oyi_conv_phases_begin(&g->phases, &g->whole, g->v->dtype)) return false;
  }
  if (oyi_conv_phases_are_image(g->phases.conv)) oyi_conv_phases_use_image(&g->phases);
  return true;
}

// False where tiles that are not full, or copies, would be too much of the work, unless |asked|.
static bool measure(gradient* g, bool asked) {
  enum { COLUMN = 8, COLUMN_APART = 24 };
  const double full = 1.6;
  const oyi_conv* c = g->v->conv;
  const oyi_conv_tiles* t = g->tiles;
  if (!begin_copies(g)) return false;
  g->in = c->image_channels / c->groups, g->out = c->map_channels / c->groups;
  g->taps = oyi_volume(c->kernel), g->places = oyi_volume(c->map);
  g->rows = oyi_conv_tile_rows(t, g->out), g->wide = oyi_conv_tile_taps(t, g->rows);
  g->in_blocks = oyi_divide_up(g->in, t->lanes);
  g->out_blocks = oyi_divide_up(g->out, g->rows);
  g->tap_blocks = oyi_divide_up(g->taps, g->wide);
  g->image_block = t->lanes * g->phases.channel;
  g->map_block = g->rows * g->places;
  g->tile = g->rows * g->wide * t->lanes;
  g->unit_blocks = unit_blocks(g);
  g->tap_units = oyi_divide_up(g->tap_blocks, g->unit_blocks);
  const double work = (double)g->in * (double)g->out * (double)g->taps;
  const double done = (double)g->in_blocks * (double)g->out_blocks *
                      (double)g->tap_blocks * (double)g->tile;
  const double least = g->out <= FEW || g->places < SMALL ? LEAST_OF_FEW : LEAST_PLACES;
  // Columns take as long as some products of each row, which are many of a few maps.
  // With strides they take longer, but so do vectors of few channels, of which all places
  // of the image are packed.
  const bool is_apart = c->stride[2] > 1 && g->in * g->taps * g->places >=
                                                2 * g->in_blocks * g->phases.channel;
  const double column = is_apart ? COLUMN_APART : COLUMN;
  if (asked || oyi_convolve_weights_prefer_tiles(g->v)) return true;
  const double most = full * work + column * work / (double)g->out;
  return (done <= full * work || (done <= most && !are_maps_better(g, done))) &&
         (double)c->batch * (double)g->places >= least;
}

static oy_status compute(gradient* g) {
  const oyi_conv* c = g->v->conv;
  const int64_t blocks = c->groups * g->out_blocks;
  oyi_conv_phases_offsets(&g->phases, 1, g->offsets);
  for (int64_t i = g->taps; i < g->tap_blocks * g->wide; i++)
    g->offsets[i] = g->offsets[g->taps - 1];
  for (g->first = 0; g->first < c->batch; g->first += g->samples) {
    g->count = oyi_at_most(g->samples, c->batch - g->first);
    const int64_t packs = g->count * c->groups * (g->in_blocks + g->out_blocks);
    OY_TRY(oyi_parallel_chunks(packs, pack, g));
    OY_TRY(oyi_parallel_chunks(blocks * g->in_blocks * g->tap_units, run_unit, g));
  }
  return OY_OK;
}

oy_status oyi_convolve_weights_tiled(const oyi_convolve* v, bool asked, bool* out_done) {
  const oyi_conv* c = v->conv;
  *out_done = false;
  if (v->dtype != OY_DTYPE_F32 && v->dtype != OY_DTYPE_F64) return OY_OK;
  gradient g = {.v = v, .tiles = oyi_conv_tiles_for(v->dtype)};
  if (!measure(&g, asked)) return OY_OK;
  const int64_t image = c->groups * g.in_blocks * g.image_block * v->item;
  const int64_t map = c->groups * g.out_blocks * g.map_block * v->item;
  const int64_t units = c->groups * g.out_blocks * g.in_blocks * g.tap_units;
  g.samples = oyi_at_most(COPY_BYTES / (image + map) + 1, c->batch);
  void* blocks[2] = {NULL, NULL};
  g.images = oyi_data_alloc((size_t)(g.samples * image), &blocks[0]);
  g.maps = g.images ? oyi_data_alloc((size_t)(g.samples * map), &blocks[1]) : NULL;
  if (g.maps) g.offsets = oyi_calloc((size_t)(g.tap_blocks * g.wide), sizeof(int64_t));
  if (g.offsets && g.samples < c->batch)
    g.sums = oyi_calloc((size_t)(units * g.unit_blocks * g.tile), sizeof(double));
  const bool ready = g.offsets && (g.sums || g.samples == c->batch);
  oy_status status = ready ? compute(&g) : OY_OUT_OF_MEMORY;
  oyi_free(g.sums);
  oyi_free(g.offsets);
  if (g.maps) oyi_data_free(blocks[1], g.maps);
  if (g.images) oyi_data_free(blocks[0], g.images);
  *out_done = true;
  return status;
}
