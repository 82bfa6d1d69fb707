// SPDX-License-Identifier: Apache-2.0
// Convolutions of each channel for itself, their adjoints, and the gradients of their weights:
// neighbouring channels fill vectors, so that narrow lines do not leave most of them empty.
#include "backends/cpu/conv/conv_plan.h"
#include "backends/cpu/conv/conv_tiles.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

enum {
  STRIP_BYTES = 256 << 10,   // of lines that are put side by side at a time
  PART_WORK = 48 * 48 * 48,  // multiply-adds that are worth a thread
  NARROW = 2,                // vectors of a line; those of more are mostly full
  FEW_PHASES = 4             // that always take less than element by element
};

typedef struct channels {
  oyi_conv dense;  // as is given, with a window at every place
  oyi_convolve v;
  oyi_conv_plan plan;  // of these
  const oyi_conv_tiles* tiles;
  int64_t map[2], step, apart;  // lines of a map, and their width; strides
  int64_t blocks, chunk;        // of a sample; blocks that are done in one room
  int64_t lines, rows;          // of sums in a strip, and of the image that they see
} channels;

// Where a part of the channels' room is, in bytes. |mixed|: a line of three passes or more.
typedef struct room {
  char *weights, *image, *sums, *mixed;
} room;

static int64_t line_bytes(const channels* c) {
  return c->plan.phases.size[2] * c->tiles->lanes * c->plan.v->item;
}

// Lines of the image that the sums from line |y| on see, channels side by side. What is left
// and right of them is zeros already; lines above and below, if |all| are read.
static void pack_lines(const channels* c, const room* r, const char* image, int64_t count,
                       int64_t y, bool all) {
  const oyi_conv* v = &c->plan.conv;
  const int64_t item = c->plan.v->item, width = v->image[2];
  const int64_t left = v->padding[2] * c->tiles->lanes * item;
  // What no window sees is left out.
  const int64_t seen = oyi_at_most(width, c->plan.phases.size[2] - v->padding[2]);
  for (int64_t i = 0; i < c->rows; i++) {
    const int64_t line = y * c->step + i - v->padding[1];
    char* to = r->image + i * line_bytes(c);
    if (line >= 0 && line < v->image[1])
      c->tiles->pack_lanes(image + line * width * item, count, v->image[1] * width, seen,
                           to + left);
    else if (all)
      memset(to, 0, (size_t)line_bytes(c));
  }
}

// Sums of a pass. |weights|: of these channels.
static void one_strip(const channels* c, const room* r, const oyi_conv_pass* pass,
                      const char* weights, int64_t y, int64_t lines, char* sums) {
  const oyi_conv_plan* p = &c->plan;
  const int64_t lane = c->tiles->lanes * p->v->item, width = c->map[1];
  for (int64_t i = 0; i < lines; i++) {
    const oyi_conv_part k = oyi_conv_plan_inside(p, pass, 1, (y + i) * c->step);
    // A phase of planes that the kernel does not see has nothing in any line of it.
    const int64_t line = pass->reach[0].count > 0 ? pass->reach[2].count : 0;
    const int64_t first = k.from * line;
    c->tiles->channels(c->apart, (k.to - k.from) * line, weights + first * lane,
                       r->image + i * c->step * line_bytes(c), pass->offsets + first,
                       width, sums + i * width * lane);
  }
}

// Elements from the sums of one pass to those of the next that is together with it: lines, and
// room for whole vectors behind them.
static int64_t other_sums(const channels* c) {
  return (c->lines * c->map[1] + c->tiles->lanes) * c->tiles->lanes;
}

// A line of sums of passes in turns: |sums| is that of the first. Whole vectors of channels are
// put in order before they are turned.
static const char* mix_line(const channels* c, const room* r, const char* sums) {
  const int64_t lane = c->tiles->lanes * c->plan.v->item, width = c->map[1];
  const int64_t together = c->plan.together, other = other_sums(c) * c->plan.v->item;
  char* to = r->mixed;
  for (int64_t x = 0; x < width; x++)
    for (int64_t k = 0; k < together; k++, to += lane)
      memcpy(to, sums + k * other + x * lane, (size_t)lane);
  return r->mixed;
}

// Lines of sums of passes that are together, where they go: |to| is the first of |count| channels.
static void put_lines(const channels* c, const room* r, const oyi_conv_pass* pass,
                      int64_t count, int64_t y, int64_t lines, const char* bias,
                      char* to) {
  const oyi_conv_plan* p = &c->plan;
  const int64_t item = p->v->item, width = c->map[1], area = oyi_volume(p->size);
  const char* sums = r->sums;
  if (p->count == 1) {
    c->tiles->put_maps(sums, count, 0, lines * width, bias, c->map[0] * width,
                       to + y * width * item);
    return;
  }
  for (int64_t i = 0; i < lines; i++, sums += width * c->tiles->lanes * item) {
    const int64_t at[] = {0, y + i, 0};
    const oyi_conv_stretch s = oyi_conv_plan_stretch(p, pass, at, width);
    char* out = to + s.out * item;
    if (s.count == 0) continue;
    if (p->together == 2)
      c->tiles->put_pairs(sums, other_sums(c), count, s.from, s.count, bias, area, out);
    else
      c->tiles->put_maps(p->together > 2 ? mix_line(c, r, sums) : sums, count, s.from,
                         s.count, bias, area, out);
  }
}

// A block of channels of one sample.
static void one_block(const channels* c, const room* r, int64_t unit) {
  const oyi_conv_plan* p = &c->plan;
  const oyi_conv* v = &p->conv;
  const int64_t item = p->v->item, lanes = c->tiles->lanes;
  const int64_t first = unit % c->blocks * lanes;
  const int64_t count = oyi_at_most(lanes, v->groups - first);
  const int64_t channel = unit / c->blocks * v->groups + first;
  const int64_t map = p->count > 1 ? oyi_volume(p->size) : c->map[0] * c->map[1];
  const char* image = p->from + channel * v->image[1] * v->image[2] * item;
  char* weights = r->weights;
  for (int64_t i = 0; i < p->count; i++) {
    const int64_t taps = p->passes[i].taps;
    c->tiles->pack_lanes(p->passes[i].weights + first * taps * item, count, taps, taps,
                         weights);
    weights += taps * lanes * item;
  }
  for (int64_t y = 0; y < c->map[0]; y += c->lines) {
    const int64_t lines = oyi_at_most(c->lines, c->map[0] - y);
    pack_lines(c, r, image, count, y, false);
    weights = r->weights;
    for (int64_t i = 0; i < p->count; i++) {
      const int64_t k = i % p->together;
      one_strip(c, r, &p->passes[i], weights, y, lines,
                r->sums + k * other_sums(c) * item);
      weights += p->passes[i].taps * lanes * item;
      if (k + 1 == p->together)
        put_lines(c, r, &p->passes[i - k], count, y, lines,
                  p->v->bias ? p->v->bias + first * item : NULL,
                  p->to + channel * map * item);
    }
  }
}

// |r->weights| is what |block| is to be freed with; NULL: no memory.
static void make_room(const channels* c, int64_t weights, room* r, void** block) {
  const int64_t image = c->rows * line_bytes(c);
  const int64_t lanes = c->tiles->lanes, item = c->plan.v->item;
  const int64_t sums = c->plan.together * other_sums(c) * item;
  const int64_t mixed = (c->map[1] * c->plan.together + lanes) * lanes * item;
  char* data = oyi_data_alloc((size_t)(weights + image + sums + mixed), block);
  *r = (room){.weights = data};
  if (!data) return;
  r->image = data + weights, r->sums = r->image + image, r->mixed = r->sums + sums;
  memset(r->image, 0, (size_t)image);
  memset(r->sums, 0, (size_t)(sums + mixed));  // whole vectors of them are read
}

static oy_status run_blocks(int64_t index, void* context) {
  const channels* c = context;
  const oyi_conv_plan* p = &c->plan;
  void* block = NULL;
  room r;
  make_room(c, oyi_volume(p->v->conv->kernel) * c->tiles->lanes * p->v->item, &r, &block);
  if (!r.weights) return OY_OUT_OF_MEMORY;
  const int64_t end = oyi_at_most((index + 1) * c->chunk, p->conv.batch * c->blocks);
  for (int64_t i = index * c->chunk; i < end; i++) one_block(c, &r, i);
  oyi_data_free(block, r.weights);
  return OY_OK;
}

static bool is_worth(const channels* c) {
  const oyi_conv* v = &c->plan.conv;
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    if (v->padding[d] < 0) return false;
  if (c->plan.in != 1 || c->plan.out != 1 || v->groups < c->tiles->lanes) return false;
  return v->map[0] == 1 && v->kernel[0] == 1 && v->image[0] == 1 &&
         c->map[1] * (c->apart > 2 ? 1 : c->apart) <= NARROW * c->tiles->lanes;
}

// Whether an adjoint takes longer so than element by element (convolve_far.c), where so many phases
// have few elements of the kernel each. In nanoseconds, fitted to those of random ones.
static bool is_far(const channels* c) {
  const oyi_conv* v = c->v.conv;
  const double lines = (double)c->map[0], image = (double)oyi_volume(v->image);
  const double taps = (double)oyi_volume(v->kernel), phases = (double)c->plan.count;
  const double line = 13 * phases + (double)c->map[1] * (0.36 * taps + 0.55 * phases);
  const double block = lines * line + 2.6 * image + 8 * taps;
  const double blocks = (double)(v->batch * oyi_divide_up(v->groups, c->tiles->lanes));
  return 900 + blocks * block > oyi_convolve_time_of_far_images(v);
}

static void cut(channels* c) {
  const oyi_conv* v = &c->plan.conv;
  const int64_t below = (v->kernel[1] - 1) * v->dilation[1];
  const int64_t lines = (STRIP_BYTES / line_bytes(c) - below - 1) / c->step + 1;
  c->lines = oyi_at_most(lines < 1 ? 1 : lines, c->map[0]);
  c->rows = (c->lines - 1) * c->step + below + 1;
  c->blocks = oyi_divide_up(v->groups, c->tiles->lanes);
  const double work = (double)c->tiles->lanes * (double)(c->map[0] * c->map[1]) *
                      (double)oyi_volume(v->kernel);
  c->chunk = work < PART_WORK ? (int64_t)(PART_WORK / work) + 1 : 1;
}

// Strides as windows that are left out: an adjoint has passes instead.
static bool begin(channels* c, const oyi_convolve* v, bool back) {
  const oyi_conv* given = v->conv;
  *c = (channels){.dense = *given, .v = *v};
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    if (back && given->stride[d] > OYI_CONV_TOGETHER) return false;
    c->dense.map[d] = (given->map[d] - 1) * given->stride[d] + 1;
    c->dense.stride[d] = 1;
  }
  if (!back) c->v.conv = &c->dense;
  c->tiles = oyi_conv_tiles_for(v->dtype);
  c->step = back ? 1 : given->stride[1], c->apart = back ? 1 : given->stride[2];
  if (!oyi_conv_plan_begin(&c->plan, &c->v, back)) return false;
  const int64_t* map = back ? c->plan.conv.map : given->map;
  c->map[0] = map[1], c->map[1] = map[2];
  return is_worth(c) && !(back && oyi_volume(given->stride) > FEW_PHASES && is_far(c));
}

oy_status oyi_convolve_channels(const oyi_convolve* v, bool back, bool* out_done) {
  channels c;
  *out_done = v->conv->groups > 1 && begin(&c, v, back);
  if (!*out_done) return OY_OK;
  cut(&c);
  const int64_t units = c.plan.conv.batch * c.blocks;
  oy_status status = oyi_conv_plan_fill(&c.plan, 1, NULL);
  if (status == OY_OK)
    status = oyi_parallel_chunks(oyi_divide_up(units, c.chunk), run_blocks, &c);
  oyi_conv_plan_end(&c.plan);
  return status;
}

// ------------------------------------------------------------- the gradient of weights

enum { STRETCH = 512 };  // windows that are added up in the type itself

typedef struct weights {
  const channels* c;
  int64_t depth, chunk;  // weights of a channel; blocks
  int64_t* offsets;
} weights;

// Weights as vectors of channels, rounded, go to |rows|, which is filled up to whole vectors.
static void round_sums(const weights* w, const double* sums, char* rows) {
  const int64_t count = w->depth * w->c->tiles->lanes;
  if (w->c->v.dtype == OY_DTYPE_F64)
    memcpy(rows, sums, (size_t)count * sizeof(double));
  else
    for (int64_t i = 0; i < count; i++) ((float*)(void*)rows)[i] = (float)sums[i];
}

// What a sample adds to the |sums| of the channels from |first| on.
static void add_sample(const weights* w, const room* r, int64_t sample, int64_t first,
                       int64_t count, double* sums) {
  const channels* c = w->c;
  const oyi_conv* v = &c->plan.conv;
  const int64_t item = c->v.item, channel = sample * v->groups + first;
  const int64_t map = c->map[0] * c->map[1];
  oyi_conv_area area = {.width = c->map[1],
                        .line_step = c->step * c->plan.phases.size[2]};
  for (int64_t y = 0; y < c->map[0]; y += c->lines) {
    area.lines = oyi_at_most(c->lines, c->map[0] - y);
    pack_lines(c, r, c->v.images + channel * v->image[1] * v->image[2] * item, count, y,
               true);
    c->tiles->pack_lanes(c->v.maps + (channel * map + y * c->map[1]) * item, count, map,
                         area.lines * c->map[1], r->sums);
    c->tiles->channel_dots(&area, c->apart, r->sums, r->image, w->depth, w->offsets,
                           sums);
  }
}

// Of the block |index|. |r->weights|: sums, and as many vectors as they become.
static void one_weights(const weights* w, const room* r, int64_t index, int64_t sums,
                        int64_t rows) {
  const channels* c = w->c;
  const int64_t lanes = c->tiles->lanes, first = index * lanes;
  const int64_t count = oyi_at_most(lanes, c->dense.groups - first);
  memset(r->weights, 0, (size_t)(sums + rows));
  for (int64_t i = 0; i < c->dense.batch; i++)
    add_sample(w, r, i, first, count, (double*)(void*)r->weights);
  round_sums(w, (const double*)(const void*)r->weights, r->weights + sums);
  c->tiles->put_maps(r->weights + sums, count, 0, w->depth, NULL, w->depth,
                     c->v.weights + first * w->depth * c->v.item);
}

static oy_status run_weights(int64_t index, void* context) {
  const weights* w = context;
  const int64_t lanes = w->c->tiles->lanes;
  const int64_t sums = w->depth * lanes * (int64_t)sizeof(double);
  const int64_t rows = oyi_divide_up(w->depth, lanes) * lanes * lanes * w->c->v.item;
  const int64_t end = oyi_at_most((index + 1) * w->chunk, w->c->blocks);
  void* block = NULL;
  room r;
  make_room(w->c, sums + rows, &r, &block);
  if (!r.weights) return OY_OUT_OF_MEMORY;
  for (int64_t i = index * w->chunk; i < end; i++) one_weights(w, &r, i, sums, rows);
  oyi_data_free(block, r.weights);
  return OY_OK;
}

oy_status oyi_convolve_weights_channels(const oyi_convolve* v, bool* out_done) {
  channels c;
  *out_done = v->conv->groups > 1 && begin(&c, v, false);
  if (!*out_done) return OY_OK;
  cut(&c);
  const int64_t most = STRETCH / c.map[1];  // a line is no longer than a few vectors
  if (c.lines > most) c.rows -= (c.lines - most) * c.step, c.lines = most;
  weights w = {.c = &c, .depth = oyi_volume(c.dense.kernel)};
  w.offsets = oyi_calloc((size_t)w.depth, sizeof(int64_t));
  if (!w.offsets) return OY_OUT_OF_MEMORY;
  oyi_conv_phases_offsets(&c.plan.phases, 1, w.offsets);
  w.chunk = oyi_divide_up(c.chunk, c.dense.batch);
  const oy_status status =
      oyi_parallel_chunks(oyi_divide_up(c.blocks, w.chunk), run_weights, &w);
  oyi_free(w.offsets);
  return status;
}
