// SPDX-License-Identifier: Apache-2.0
// Convolutions of each channel for itself, and their adjoints: neighbouring channels fill
// vectors, so that narrow lines do not leave most of them empty.
#include "backends/cpu/conv/conv_plan.h"
#include "backends/cpu/conv/conv_tiles.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

enum {
  STRIP_BYTES = 256 << 10,   // of lines that are put side by side at a time
  PART_WORK = 48 * 48 * 48,  // multiply-adds that are worth a thread
  NARROW = 2                 // vectors of a line; those of more are mostly full
};

typedef struct channels {
  oyi_conv_plan plan;
  const oyi_conv_tiles* tiles;
  int64_t blocks, chunk;  // of a sample; blocks that are done in one room
  int64_t lines, rows;    // of sums in a strip, and of the image that they see
} channels;

// Where a part of the channels' room is, in bytes.
typedef struct room {
  char *weights, *image, *sums;
} room;

static int64_t line_bytes(const channels* c) {
  return c->plan.phases.size[2] * c->tiles->lanes * c->plan.v->item;
}

// Lines of the image that the sums from line |y| on see, channels side by side. What is left
// and right of them is zeros already; lines above and below are not read.
static void pack_lines(const channels* c, const room* r, const char* image, int64_t count,
                       int64_t y) {
  const oyi_conv* v = &c->plan.conv;
  const int64_t item = c->plan.v->item, width = v->image[2];
  const int64_t left = v->padding[2] * c->tiles->lanes * item;
  for (int64_t i = 0; i < c->rows; i++) {
    const int64_t line = y + i - v->padding[1];
    if (line < 0 || line >= v->image[1]) continue;
    c->tiles->pack_lanes(image + line * width * item, count, v->image[1] * width, width,
                         r->image + i * line_bytes(c) + left);
  }
}

static void one_strip(const channels* c, const room* r, int64_t y, int64_t lines) {
  const oyi_conv_plan* p = &c->plan;
  const oyi_conv_pass* pass = &p->passes[0];
  const int64_t lane = c->tiles->lanes * p->v->item, width = p->conv.map[2];
  for (int64_t i = 0; i < lines; i++) {
    const oyi_conv_part k = oyi_conv_plan_inside(p, pass, 1, y + i);
    const int64_t first = k.from * pass->reach[2].count;
    c->tiles->channels((k.to - k.from) * pass->reach[2].count, r->weights + first * lane,
                       r->image + i * line_bytes(c), pass->offsets + first, width,
                       r->sums + i * width * lane);
  }
}

// A block of channels of one sample.
static void one_block(const channels* c, const room* r, int64_t unit) {
  const oyi_conv_plan* p = &c->plan;
  const oyi_conv* v = &p->conv;
  const int64_t item = p->v->item, lanes = c->tiles->lanes;
  const int64_t first = unit % c->blocks * lanes, taps = p->passes[0].taps;
  const int64_t count = oyi_at_most(lanes, v->groups - first);
  const int64_t channel = unit / c->blocks * v->groups + first;
  const int64_t map = v->map[1] * v->map[2];
  const char* image = p->from + channel * v->image[1] * v->image[2] * item;
  c->tiles->pack_lanes(p->passes[0].weights + first * taps * item, count, taps, taps,
                       r->weights);
  for (int64_t y = 0; y < v->map[1]; y += c->lines) {
    const int64_t lines = oyi_at_most(c->lines, v->map[1] - y);
    pack_lines(c, r, image, count, y);
    one_strip(c, r, y, lines);
    c->tiles->put_maps(r->sums, count, 0, lines * v->map[2],
                       p->v->bias ? p->v->bias + first * item : NULL, map,
                       p->to + (channel * map + y * v->map[2]) * item);
  }
}

static oy_status run_blocks(int64_t index, void* context) {
  const channels* c = context;
  const oyi_conv_plan* p = &c->plan;
  const int64_t lane = c->tiles->lanes * p->v->item;
  const int64_t weights = p->passes[0].taps * lane, image = c->rows * line_bytes(c);
  // Whole vectors of sums are read.
  const int64_t sums = (c->lines * p->conv.map[2] + c->tiles->lanes) * lane;
  void* block = NULL;
  char* data = oyi_data_alloc((size_t)(weights + image + sums), &block);
  if (!data) return OY_OUT_OF_MEMORY;
  const room r = {data, data + weights, data + weights + image};
  memset(r.image, 0, (size_t)image);
  memset(r.sums + sums - c->tiles->lanes * lane, 0, (size_t)(c->tiles->lanes * lane));
  const int64_t end = oyi_at_most((index + 1) * c->chunk, p->conv.batch * c->blocks);
  for (int64_t i = index * c->chunk; i < end; i++) one_block(c, &r, i);
  oyi_data_free(block, data);
  return OY_OK;
}

static bool is_worth(const channels* c) {
  const oyi_conv* v = &c->plan.conv;
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    if (c->plan.v->conv->stride[d] != 1 || v->padding[d] < 0) return false;
  if (c->plan.in != 1 || c->plan.out != 1 || v->groups < c->tiles->lanes) return false;
  return v->map[0] == 1 && v->kernel[0] == 1 && v->image[0] == 1 &&
         v->map[2] <= NARROW * c->tiles->lanes;
}

static void cut(channels* c) {
  const oyi_conv* v = &c->plan.conv;
  const int64_t below = (v->kernel[1] - 1) * v->dilation[1];
  const int64_t lines = STRIP_BYTES / line_bytes(c) - below;
  c->lines = oyi_at_most(lines < 1 ? 1 : lines, v->map[1]);
  c->rows = c->lines + below;
  c->blocks = oyi_divide_up(v->groups, c->tiles->lanes);
  const double work = (double)c->tiles->lanes * (double)oyi_volume(v->map) *
                      (double)oyi_volume(v->kernel);
  c->chunk = work < PART_WORK ? (int64_t)(PART_WORK / work) + 1 : 1;
}

oy_status oyi_convolve_channels(const oyi_convolve* v, bool back, bool* out_done) {
  channels c;
  *out_done = false;
  if (v->conv->groups == 1 || !oyi_conv_plan_begin(&c.plan, v, back)) return OY_OK;
  c.tiles = oyi_conv_tiles_for(v->dtype);
  if (!is_worth(&c)) return OY_OK;
  *out_done = true;
  cut(&c);
  const int64_t units = c.plan.conv.batch * c.blocks;
  oy_status status = oyi_conv_plan_fill(&c.plan, 1, NULL);
  if (status == OY_OK)
    status = oyi_parallel_chunks(oyi_divide_up(units, c.chunk), run_blocks, &c);
  oyi_conv_plan_end(&c.plan);
  return status;
}
