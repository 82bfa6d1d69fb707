// SPDX-License-Identifier: Apache-2.0
// Convolutions with small maps: what each window sees is a row, and windows of several samples
// are multiplied at once, where those of one would leave a product, or tiles, mostly empty.
#include "backends/cpu/conv/conv_phases.h"
#include "backends/cpu/conv/conv_tiles.h"
#include "backends/cpu/conv/convolve.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

enum {
  MOST_PLACES = 16,         // of maps
  ROWS_BYTES = 256 << 10,   // of rows that are multiplied at once, if they are several
  PART_WORK = 48 * 48 * 48  // multiply-adds that are worth a thread
};

// Units of work are some samples of a group, or a group.
typedef struct rows {
  const oyi_convolve* v;
  const oyi_conv_tiles* tiles;
  int64_t in, out, places, volume, depth;  // of a group; of a map and an image; of a row
  int64_t taps, blocks;                    // of a kernel; of channels of a group
  char* packed;                            // weights in blocks
  int64_t room;                            // elements of it, but for maps
  int64_t samples, parts, chunk;  // of a unit; units of a group; done in one room
  oy_status (*unit)(const struct rows* r, int64_t group, int64_t first, int64_t count,
                    char* room, char* maps);
} rows;

static bool is_float(const oyi_convolve* v) {
  return v->dtype == OY_DTYPE_F32 || v->dtype == OY_DTYPE_F64;
}

// Whether channels side by side are at least half of a vector.
static bool fills_vectors(const oyi_convolve* v) {
  const oyi_conv* c = v->conv;
  return is_float(v) &&
         2 * c->image_channels >= oyi_conv_tiles_for(v->dtype)->lanes * c->groups;
}

static oyi_number number(int64_t i) {
  return oyi_number_of_scalar(oy_int(i));
}

static char* image_of(const rows* r, int64_t sample, int64_t group) {
  const oyi_convolve* v = r->v;
  return v->images +
         (sample * v->conv->image_channels + group * r->in) * r->volume * v->item;
}

static char* map_of(const rows* r, int64_t sample, int64_t group) {
  const oyi_convolve* v = r->v;
  return v->maps +
         (sample * v->conv->map_channels + group * r->out) * r->places * v->item;
}

static char* weights_of(const rows* r, int64_t group) {
  return r->v->weights + group * r->out * r->depth * r->v->item;
}

// |n| elements, each of one of the sizes that the compiler should see.
static inline void copy_few(char* to, const char* from, int64_t n, int64_t item) {
  if (item == sizeof(float))
    for (int64_t i = 0; i < n; i++) memcpy(to + i * 4, from + i * 4, 4);
  else
    memcpy(to, from, (size_t)(n * item));
}

// Maps of |count| samples from |first| on, with those of all samples of a channel together.
static void take_maps(const rows* r, int64_t group, int64_t first, int64_t count,
                      char* maps) {
  const int64_t item = r->v->item, map = r->places * item;
  for (int64_t i = 0; i < count; i++) {
    const char* from = map_of(r, first + i, group);
    for (int64_t o = 0; o < r->out; o++)
      copy_few(maps + (o * count + i) * map, from + o * map, r->places, item);
  }
}

static void put_maps(const rows* r, int64_t group, int64_t first, int64_t count,
                     const char* maps) {
  const int64_t item = r->v->item, map = r->places * item;
  for (int64_t i = 0; i < count; i++) {
    char* to = map_of(r, first + i, group);
    for (int64_t o = 0; o < r->out; o++)
      copy_few(to + o * map, maps + (o * count + i) * map, r->places, item);
  }
}

static void take_rows(const rows* r, int64_t group, int64_t first, int64_t count,
                      char* room) {
  const int64_t size = r->places * r->depth * r->v->item;
  for (int64_t i = 0; i < count; i++)
    r->v->columns->im2row(r->v->conv, image_of(r, first + i, group), r->in,
                          room + i * size);
}

// -------------------------------------------------------------------------- the units

static oy_status maps_unit(const rows* r, int64_t group, int64_t first, int64_t count,
                           char* room, char* maps) {
  const oyi_convolve* v = r->v;
  const int64_t windows = count * r->places;
  take_rows(r, group, first, count, room);
  oyi_gemm g = {.n = r->out,
                .m = windows,
                .k = r->depth,
                .a = weights_of(r, group),
                .b = room,
                .c = maps,
                .a_row = r->depth,
                .a_column = 1,
                .b_row = 1,
                .b_column = r->depth,
                .c_row = windows,
                .c_column = 1,
                .alpha = number(1),
                .beta = number(v->bias != NULL)};
  for (int64_t o = 0; o < r->out && v->bias; o++)
    v->columns->fill(maps + o * windows * v->item,
                     v->bias + (group * r->out + o) * v->item, windows);
  OY_TRY(v->gemm(&g));
  put_maps(r, group, first, count, maps);
  return OY_OK;
}

// Blocks of channels of one sample, from rows |pitch| elements apart, side by side, to images.
static void put_image(const rows* r, const char* all, int64_t pitch, int64_t sample,
                      int64_t group, char* image) {
  const oyi_convolve* v = r->v;
  const int64_t item = v->item, lanes = r->tiles->lanes;
  char* to = image_of(r, sample, group);
  for (int64_t i = 0; i < r->in; i += lanes) {
    memset(image, 0, (size_t)(r->volume * lanes * item));
    r->tiles->spread(v->conv, all + i * r->taps * item, pitch, image);
    r->tiles->put_maps(image, oyi_at_most(lanes, r->in - i), 0, r->volume,
                       v->bias ? v->bias + (group * r->in + i) * item : NULL, r->volume,
                       to + i * r->volume * item);
  }
}

// |room|: rows, and a block of channels of an image.
static oy_status images_unit(const rows* r, int64_t group, int64_t first, int64_t count,
                             char* room, char* maps) {
  const int64_t windows = count * r->places, item = r->v->item;
  const int64_t wide = r->blocks * r->tiles->lanes * r->taps;
  char* image = room + r->samples * r->places * wide * item;
  take_maps(r, group, first, count, maps);
  oyi_gemm g = {.n = windows,
                .m = wide,
                .k = r->out,
                .a = maps,
                .b = r->packed + group * r->out * wide * item,
                .c = room,
                .a_row = 1,
                .a_column = windows,
                .b_row = wide,
                .b_column = 1,
                .c_row = wide,
                .c_column = 1,
                .alpha = number(1),
                .beta = number(0)};
  OY_TRY(r->v->gemm(&g));
  for (int64_t i = 0; i < count; i++)
    put_image(r, room + i * r->places * wide * item, wide, first + i, group, image);
  return OY_OK;
}

// The kernels of all maps, with the channels of a block side by side.
static oy_status pack_kernels(int64_t map, void* context) {
  const rows* r = context;
  const int64_t item = r->v->item, lanes = r->tiles->lanes;
  const int64_t wide = r->blocks * lanes * r->taps;
  const char* from = r->v->weights + map * r->in * r->taps * item;
  for (int64_t i = 0; i < r->in; i += lanes)
    r->tiles->pack_lanes(from + i * r->taps * item, oyi_at_most(lanes, r->in - i),
                         r->taps, r->taps, r->packed + (map * wide + i * r->taps) * item);
  return OY_OK;
}

// Rows of |count| samples, with the channels of a block side by side. |image| is for one.
static void take_blocks(const rows* r, int64_t group, int64_t first, int64_t count,
                        char* room, char* image) {
  const int64_t item = r->v->item, lanes = r->tiles->lanes;
  const int64_t wide = r->blocks * lanes * r->taps;
  for (int64_t i = 0; i < count; i++, room += r->places * wide * item)
    for (int64_t k = 0; k < r->in; k += lanes) {
      r->tiles->pack_lanes(image_of(r, first + i, group) + k * r->volume * item,
                           oyi_at_most(lanes, r->in - k), r->volume, r->volume, image);
      r->tiles->gather(r->v->conv, image, wide, room + k * r->taps * item);
    }
}

// Kernels from |sums|, where the channels of a block are side by side, which they are in kernels of
// one element, too.
static void put_kernels(const rows* r, int64_t group, const char* sums) {
  const int64_t item = r->v->item, lanes = r->tiles->lanes;
  if (r->taps == 1) {
    for (int64_t o = 0; o < r->out; o++)
      memcpy(weights_of(r, group) + o * r->in * item, sums + o * r->blocks * lanes * item,
             (size_t)(r->in * item));
    return;
  }
  for (int64_t i = 0; i < r->out * r->blocks; i++) {
    const int64_t k = i % r->blocks * lanes;
    r->tiles->put_maps(
        sums + i * lanes * r->taps * item, oyi_at_most(lanes, r->in - k), 0, r->taps,
        NULL, r->taps,
        weights_of(r, group) + (i / r->blocks * r->depth + k * r->taps) * item);
  }
}

// Of all samples, some at a time. |room|: rows, a block of an image or the sums of kernels.
static oy_status weights_unit(const rows* r, int64_t group, int64_t none, int64_t all,
                              char* room, char* maps) {
  (void)none, (void)all;
  const oyi_convolve* v = r->v;
  const int64_t lanes = r->tiles ? r->tiles->lanes : 1;
  const int64_t wide = r->tiles ? r->blocks * lanes * r->taps : r->depth;
  char* image = room + r->samples * r->places * wide * v->item;
  char* sums = image + r->volume * lanes * v->item;
  const bool in_place = !r->tiles || (r->taps == 1 && wide == r->in);
  for (int64_t i = 0; i < v->conv->batch; i += r->samples) {
    const int64_t count = oyi_at_most(r->samples, v->conv->batch - i);
    const int64_t windows = count * r->places;
    if (r->tiles)
      take_blocks(r, group, i, count, room, image);
    else
      take_rows(r, group, i, count, room);
    take_maps(r, group, i, count, maps);
    oyi_gemm g = {.n = r->out,
                  .m = wide,
                  .k = windows,
                  .a = maps,
                  .b = room,
                  .c = in_place ? weights_of(r, group) : sums,
                  .a_row = windows,
                  .a_column = 1,
                  .b_row = wide,
                  .b_column = 1,
                  .c_row = wide,
                  .c_column = 1,
                  .alpha = number(1),
                  .beta = number(i > 0)};
    OY_TRY(v->gemm(&g));
  }
  if (!in_place) put_kernels(r, group, sums);
  return OY_OK;
}

// -------------------------------------------------------------------------- the whole

static oy_status run_units(int64_t index, void* context) {
  const rows* r = context;
  const oyi_conv* c = r->v->conv;
  const int64_t maps = r->samples * r->places * r->out, item = r->v->item;
  void* block = NULL;
  char* room = oyi_data_alloc((size_t)((r->room + maps) * item), &block);
  if (!room) return OY_OUT_OF_MEMORY;
  const int64_t end = oyi_at_most((index + 1) * r->chunk, c->groups * r->parts);
  oy_status status = OY_OK;
  for (int64_t i = index * r->chunk; i < end && status == OY_OK; i++) {
    const int64_t first = i % r->parts * r->samples;
    status = r->unit(r, i / r->parts, first, oyi_at_most(r->samples, c->batch - first),
                     room, room + r->room * item);
  }
  oyi_data_free(block, room);
  return status;
}

static rows rows_of(const oyi_convolve* v) {
  const oyi_conv* c = v->conv;
  rows r = {.v = v,
            .in = c->image_channels / c->groups,
            .out = c->map_channels / c->groups,
            .places = oyi_volume(c->map),
            .volume = oyi_volume(c->image)};
  r.taps = oyi_volume(c->kernel), r.depth = r.in * r.taps;
  r.samples = oyi_at_most(ROWS_BYTES / (r.places * r.depth * v->item) + 1, c->batch);
  r.parts = oyi_divide_up(c->batch, r.samples);
  r.room = r.samples * r.places * r.depth;
  return r;
}

static oy_status run(rows* r) {
  const double work = (double)(r->out * r->depth) * (double)(r->samples * r->places);
  const int64_t units = r->v->conv->groups * r->parts;
  r->chunk = work < PART_WORK ? (int64_t)(PART_WORK / work) + 1 : 1;
  return oyi_parallel_chunks(oyi_divide_up(units, r->chunk), run_units, r);
}

bool oyi_convolve_has_rows(const oyi_convolve* v) {
  const int64_t places = oyi_volume(v->conv->map);
  return places > 0 && places <= MOST_PLACES && v->conv->batch > 0 &&
         !oyi_convolve_is_by_lines(v->conv);
}

bool oyi_convolve_has_wide_rows(const oyi_convolve* v, bool grown) {
  const oyi_conv* c = v->conv;
  return fills_vectors(v) &&
         (oyi_convolve_has_rows(v) || (grown && !oyi_convolve_is_by_lines(c)));
}

bool oyi_convolve_has_few_images(const oyi_convolve* v) {
  enum { LEAST = 4, MOST = 8, MAPS = 32 };
  const oyi_conv* c = v->conv;
  return is_float(v) && !v->pairs && oyi_convolve_has_rows(v) &&
         c->image_channels >= LEAST * c->groups &&
         c->image_channels <= MOST * c->groups && c->map_channels >= MAPS * c->groups;
}

bool oyi_convolve_has_few_rows(const oyi_convolve* v) {
  enum { PLACES = 16, WINDOWS = 128, MAPS = 24 };
  const oyi_conv* c = v->conv;
  const int64_t places = oyi_volume(c->map);
  return places > 0 && c->batch > 0 && !oyi_convolve_is_by_lines(c) &&
         (places <= PLACES ||
          (places <= WINDOWS / c->batch && c->map_channels >= MAPS * c->groups));
}

oy_status oyi_convolve_maps_rows(const oyi_convolve* v) {
  rows r = rows_of(v);
  r.unit = maps_unit;
  return run(&r);
}

oy_status oyi_convolve_images_rows(const oyi_convolve* v) {
  rows r = rows_of(v);
  r.unit = images_unit, r.tiles = oyi_conv_tiles_for(v->dtype);
  const int64_t lanes = r.tiles->lanes;
  r.blocks = oyi_divide_up(r.in, lanes);
  // A block of an image is read as whole vectors of places.
  r.room = r.samples * r.places * r.blocks * lanes * r.taps +
           oyi_divide_up(r.volume, lanes) * lanes * lanes;
  const int64_t maps = v->conv->map_channels;
  void* block = NULL;
  r.packed = oyi_data_alloc((size_t)(maps * r.blocks * lanes * r.taps * v->item), &block);
  if (!r.packed) return OY_OUT_OF_MEMORY;
  oy_status status = oyi_parallel_chunks(maps, pack_kernels, &r);
  if (status == OY_OK) status = run(&r);
  oyi_data_free(block, r.packed);
  return status;
}

oy_status oyi_convolve_weights_rows(const oyi_convolve* v) {
  rows r = rows_of(v);
  r.unit = weights_unit, r.parts = 1;
  if (fills_vectors(v)) {
    r.tiles = oyi_conv_tiles_for(v->dtype);
    const int64_t lanes = r.tiles->lanes, wide = lanes * r.taps;
    r.blocks = oyi_divide_up(r.in, lanes);
    // Whole vectors of the kernel's elements are read behind the last.
    r.room = r.samples * r.places * r.blocks * wide + r.volume * lanes +
             r.out * r.blocks * wide + lanes * lanes;
  }
  return run(&r);
}
