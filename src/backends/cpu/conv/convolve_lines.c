// SPDX-License-Identifier: Apache-2.0
// Convolutions of groups of few channels, and their adjoints, as conv_plan.h says: there
// is nothing that a tile could share, so each line of sums is computed for itself, from
// the copy of the channels of one group, which stays in the cache.
#include "backends/cpu/conv/conv_plan.h"
#include "backends/cpu/conv/conv_tiles.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

enum {
  MOST_CHANNELS = 4,         // of a group
  MOST_OF_POINTS = 8,        // maps of a group, of kernels of one element
  LEAST_WIDTH = 10,          // of maps of one group alone, for vectors to be worth it
  PART_WORK = 48 * 48 * 48,  // multiply-adds that are worth a thread
  LINES = 4,                 // of sums that are put into place together
  CHUNKS = 8,                // for each thread, if they are worth it
  TALL_KERNEL = 5,           // lines of a kernel that are enough for narrow images
  COPY_WORK = 32             // of those that take as long as one copied element
};

// How many of |units| are done in one room, each of so many multiply-adds and copied
// elements: what is worth a thread, or more where each thread gets some all the same.
static int64_t chunk_of(int64_t units, double work, int64_t copied) {
  work += COPY_WORK * (double)copied;
  const int64_t share = units / (CHUNKS * oy_get_num_threads());
  const int64_t worth =
      work < PART_WORK ? (int64_t)(PART_WORK / (work > 1 ? work : 1)) + 1 : 1;
  return share > worth ? share : worth;
}

// ------------------------------------------------------------------- sums of a pass

typedef struct lines {
  oyi_conv_plan plan;
  const oyi_conv_tiles* tiles;
  oyi_conv_window window;  // of passes that are tall
  bool is_tall;
  int64_t chunk, units;  // groups of all samples
} lines;

// Then the sums of the adjoint are one pass as well, which misses no line.
static bool has_unit_strides(const oyi_conv* c) {
  return c->stride[0] == 1 && c->stride[1] == 1 && c->stride[2] == 1;
}

// All lines of a plane: as many as there are together, and what is left one by one.
static void tall_lines(const lines* l, const oyi_conv_pass* pass, int64_t channel,
                       const char* from, const char* bias, char* out) {
  const oyi_conv_plan* p = &l->plan;
  const int64_t item = p->v->item, width = p->conv.map[2], pitch = p->phases.size[2];
  const char* weights = pass->weights + channel * pass->depth * item;
  int64_t left = p->conv.map[1];
  for (; left >= l->tiles->tall; left -= l->tiles->tall) {
    l->tiles->tall_lines(&l->window, weights, from, pass->offsets, pitch, width, bias,
                         out);
    from += l->tiles->tall * pitch * item, out += l->tiles->tall * width * item;
  }
  l->tiles->lines(pass->depth, weights, from, pass->offsets, left, pitch, width, bias,
                  out);
}

// Which of |count| lines from |y| on are lines of |to|.
static oyi_conv_part lines_inside(const oyi_conv_plan* p, const oyi_conv_pass* pass,
                                  int64_t y, int64_t count) {
  oyi_conv_part part = {0, count};
  const int64_t first = y * pass->step[1] + pass->first[1], step = pass->step[1];
  while (part.from < part.to && first + part.from * step < 0) part.from++;
  while (part.to > part.from && first + (part.to - 1) * step >= p->size[1]) part.to--;
  return part;
}

// |some| lines of sums, of the windows at |at|, of each of the passes in |room|.
static void put_lines(const lines* l, const oyi_conv_pass* passes, const int64_t at[3],
                      int64_t some, char* room, char* to) {
  const oyi_conv_plan* p = &l->plan;
  const int64_t item = p->v->item, width = p->conv.map[2];
  const oyi_conv_part part = lines_inside(p, passes, at[1], some);
  const int64_t step = passes->step[1] * p->size[2], count = part.to - part.from;
  const char* sums = room + part.from * width * item;
  const int64_t first[] = {at[0], at[1] + part.from, at[2]};
  const oyi_conv_stretch s = oyi_conv_plan_stretch(p, passes, first, width);
  if (count == 0 || s.count == 0) return;
  to += s.out * item;
  if (p->together == 2) {
    l->tiles->zip(sums, sums + LINES * width * item, width, count, s.from, s.count, to,
                  step);
    return;
  }
  char* mixed = room + p->together * LINES * width * item;
  for (int64_t i = 0; i < count; i++, sums += width * item, to += step * item) {
    if (p->together > 1) oyi_conv_plan_mix(p, sums, LINES * width, width, mixed);
    oyi_conv_plan_store(p, &s, p->together > 1 ? mixed : sums, NULL, to - s.out * item);
  }
}

// One channel of what |passes| that are together write. |room|: lines of sums of each, and
// of all together; |copy|: what the group reads.
static void one_channel(const lines* l, const oyi_conv_pass* passes, int64_t channel,
                        const char* copy, const char* bias, char* room, char* to) {
  const oyi_conv_plan* p = &l->plan;
  const oyi_conv* c = &p->conv;
  const int64_t item = p->v->item, width = c->map[2], pitch = p->phases.size[2];
  const bool is_contiguous = !p->back || has_unit_strides(p->v->conv);
  int64_t at[3] = {0, 0, 0};
  for (at[0] = 0; at[0] < c->map[0]; at[0]++)
    for (int64_t y = 0, some = 0; y < c->map[1]; y += some) {
      const char* from = copy + (at[0] * p->phases.size[1] + y) * pitch * item;
      at[1] = y;
      const oyi_conv_stretch first = oyi_conv_plan_stretch(p, passes, at, width);
      const bool whole = is_contiguous && first.count == width;
      some = whole ? c->map[1] : oyi_at_most(LINES, c->map[1] - y);
      char* out = whole ? to + first.out * item : room;
      if (whole && l->is_tall) {
        tall_lines(l, passes, channel, from, bias, out);
        continue;
      }
      for (int64_t i = 0; i < p->together; i++)
        l->tiles->lines(
            passes[i].depth, passes[i].weights + channel * passes[i].depth * item, from,
            passes[i].offsets, some, pitch, width, bias, out + i * LINES * width * item);
      if (!whole) put_lines(l, passes, at, some, room, to);
    }
}

// A group of one sample. |scratch|: the copies, and lines behind them.
static void one_group(const lines* l, int64_t unit, char* scratch) {
  const oyi_conv_plan* p = &l->plan;
  const oyi_conv* c = &p->conv;
  const int64_t item = p->v->item, first = unit % c->groups * p->out;
  const int64_t read = oyi_volume(c->image) * item, written = oyi_volume(p->size) * item;
  char* room = scratch + (p->in * p->phases.channel + l->tiles->lanes) * item;
  oyi_conv_phases_copy(&p->phases, p->from + unit * p->in * read, p->in, scratch);
  for (int64_t o = 0; o < p->out; o++)
    for (int64_t i = 0; i < p->count; i += p->together)
      one_channel(l, &p->passes[i], first + o, scratch,
                  p->v->bias ? p->v->bias + (first + o) * item : NULL, room,
                  p->to + (unit * p->out + o) * written);
}

static oy_status run_groups(int64_t index, void* context) {
  const lines* l = context;
  const oyi_conv_plan* p = &l->plan;
  const int64_t end = oyi_at_most((index + 1) * l->chunk, l->units);
  // A line may read behind the last element.
  const int64_t size = p->in * p->phases.channel + l->tiles->lanes +
                       (LINES + 1) * p->together * p->conv.map[2];
  void* block = NULL;
  char* scratch = oyi_data_alloc((size_t)(size * p->v->item), &block);
  if (!scratch) return OY_OUT_OF_MEMORY;
  memset(scratch, 0,
         (size_t)((p->in * p->phases.channel + l->tiles->lanes) * p->v->item));
  for (int64_t i = index * l->chunk; i < end; i++) one_group(l, i, scratch);
  oyi_data_free(block, scratch);
  return OY_OK;
}

// Whether lines of the kernel are below each other as the image's are, and are enough to
// read what they share once.
static void find_window(lines* l) {
  const oyi_conv_plan* p = &l->plan;
  const oyi_conv* c = p->v->conv;
  l->is_tall = has_unit_strides(c) && c->dilation[1] == 1 &&
               (c->kernel[1] >= TALL_KERNEL ||
                (c->kernel[1] > 1 && p->conv.map[2] > 2 * l->tiles->lanes));
  l->window = (oyi_conv_window){.blocks = p->in * c->kernel[0],
                                .height = c->kernel[1],
                                .width = c->kernel[2],
                                .dilation = c->dilation[2],
                                .step = p->back ? -1 : 1};
}

bool oyi_convolve_is_by_lines(const oyi_conv* c) {
  return c->groups > 1 && c->image_channels <= MOST_CHANNELS * c->groups &&
         c->map_channels <= MOST_CHANNELS * c->groups;
}

// Whether tiles of windows take less, which read an element of the image once for several maps,
// and have no lines that end within a vector, which those of planes that are apart mostly do. An
// adjoint with strides is made of many passes, each of them short.
bool oyi_convolve_few_take_tiles(const oyi_conv* c, bool back) {
  enum {
    WEIGHTS = 64,
    WEIGHTS_APART = 24,
    DEPTH = 24,
    NARROW = 4,
    PLACES = 16,
    TAPS = 27
  };
  const int64_t in = (back ? c->map_channels : c->image_channels) / c->groups;
  const int64_t out = (back ? c->image_channels : c->map_channels) / c->groups;
  const int64_t depth = in * oyi_volume(c->kernel);
  if (back && oyi_volume(c->stride) > 1) return false;
  if (!back && c->stride[0] > 1 && out > 1)
    return out * depth >= WEIGHTS_APART &&
           (oyi_volume(c->kernel) < TAPS || oyi_volume(c->map) > PLACES);
  return (out > 1 && out * depth >= WEIGHTS) ||
         ((back ? c->image : c->map)[2] <= NARROW && depth >= DEPTH);
}

oy_status oyi_convolve_lines(const oyi_convolve* v, bool back, bool* out_done) {
  lines l;
  *out_done = false;
  if (!oyi_convolve_is_by_lines(v->conv) || oyi_convolve_few_take_tiles(v->conv, back) ||
      !oyi_conv_plan_begin(&l.plan, v, back))
    return OY_OK;
  *out_done = true;
  l.plan.phases.is_clear = true;
  l.tiles = oyi_conv_tiles_for(v->dtype);
  find_window(&l);
  const oyi_conv* c = &l.plan.conv;
  const double work = (double)(l.plan.in * l.plan.out) * (double)oyi_volume(c->map) *
                      (double)oyi_volume(v->conv->kernel);
  l.units = c->batch * c->groups;
  l.chunk = chunk_of(l.units, work, l.plan.in * l.plan.phases.channel);
  oy_status status = oyi_conv_plan_fill(&l.plan, 1, NULL);
  if (status == OY_OK)
    status = oyi_parallel_chunks(oyi_divide_up(l.units, l.chunk), run_groups, &l);
  oyi_conv_plan_end(&l.plan);
  return status;
}

// ------------------------------------------------------------- the gradient of weights

typedef struct weights {
  const oyi_convolve* v;
  const oyi_conv_tiles* tiles;
  oyi_conv_phases phases;
  int64_t in, out, depth;  // channels of a unit, and maps of a group; weights of both
  int64_t units, chunk;    // groups, or the channels of one
  int64_t* offsets;
} weights;

// What sample |i| adds to the |out| x |depth| |sums| of a unit. |copy|: its channels, and
// |maps|, one map with some room behind.
static void add_sample(const weights* w, int64_t i, int64_t unit, char* copy, char* maps,
                       double* sums) {
  const oyi_conv* c = w->v->conv;
  const int64_t item = w->v->item, read = oyi_volume(c->image) * item;
  const int64_t map = oyi_volume(c->map) * item, pitch = w->phases.size[2];
  const int64_t all = c->batch * c->map_channels * map;
  const oyi_conv_area area = {.planes = c->map[0],
                              .lines = c->map[1],
                              .width = c->map[2],
                              .line_step = pitch,
                              .plane_step = pitch * w->phases.size[1]};
  oyi_conv_phases_copy(&w->phases, w->v->images + (i * w->units + unit) * w->in * read,
                       w->in, copy);
  const int64_t group = unit * c->groups / w->units;
  for (int64_t o = 0; o < w->out; o++) {
    const int64_t index = (i * c->groups + group) * w->out + o,
                  behind = all - (index + 1) * map;
    const char* from = w->v->maps + index * map;
    // A vector may be read behind a map: those near the end are copied.
    if (behind < w->tiles->lanes * item) from = memcpy(maps, from, (size_t)map);
    w->tiles->dots(&area, from, copy, w->depth, w->offsets, sums + o * w->depth);
  }
}

static void one_weights(const weights* w, int64_t unit, char* copy, char* maps,
                        double* sums) {
  const oyi_conv* c = w->v->conv;
  const int64_t count = w->out * w->depth, parts = w->units / c->groups;
  memset(sums, 0, (size_t)count * sizeof(double));
  for (int64_t i = 0; i < c->batch; i++) add_sample(w, i, unit, copy, maps, sums);
  for (int64_t i = 0; i < count; i++) {
    const int64_t map = unit / parts * w->out + i / w->depth;
    const int64_t to = (map * parts + unit % parts) * w->depth + i % w->depth;
    if (w->v->dtype == OY_DTYPE_F32)
      ((float*)w->v->weights)[to] = (float)sums[i];
    else
      ((double*)w->v->weights)[to] = sums[i];
  }
}

static oy_status run_weights(int64_t index, void* context) {
  const weights* w = context;
  const int64_t item = w->v->item, tail = w->tiles->lanes * item;
  const int64_t sums = w->out * w->depth * (int64_t)sizeof(double);
  const int64_t copy = w->in * w->phases.channel * item + tail;
  const int64_t map = oyi_volume(w->v->conv->map) * item;
  void* block = NULL;
  char* scratch = oyi_data_alloc((size_t)(sums + copy + map + tail), &block);
  if (!scratch) return OY_OUT_OF_MEMORY;
  memset(scratch + sums, 0, (size_t)copy);
  memset(scratch + sums + copy + map, 0, (size_t)tail);
  const int64_t end = oyi_at_most((index + 1) * w->chunk, w->units);
  for (int64_t i = index * w->chunk; i < end; i++)
    one_weights(w, i, scratch + sums, scratch + sums + copy, (double*)(void*)scratch);
  oyi_data_free(block, scratch);
  return OY_OK;
}

oy_status oyi_convolve_weights_lines(const oyi_convolve* v, bool* out_done) {
  const oyi_conv* c = v->conv;
  weights w = {
      .v = v, .in = c->image_channels / c->groups, .out = c->map_channels / c->groups};
  const int64_t most = oyi_volume(c->kernel) == 1 ? MOST_OF_POINTS : MOST_CHANNELS;
  *out_done = false;
  if ((c->groups == 1 && c->map[2] < LEAST_WIDTH) ||
      (v->dtype != OY_DTYPE_F32 && v->dtype != OY_DTYPE_F64) || w.in > MOST_CHANNELS ||
      w.out > most || !oyi_conv_phases_begin(&w.phases, c, v->dtype))
    return OY_OK;
  *out_done = true;
  w.phases.is_clear = true;
  w.tiles = oyi_conv_tiles_for(v->dtype);
  w.units = c->groups;
  if (c->groups == 1) w.units = w.in, w.in = 1;  // so that threads get some
  w.depth = w.in * oyi_volume(c->kernel);
  w.offsets = oyi_calloc((size_t)w.depth, sizeof(int64_t));
  if (!w.offsets) return OY_OUT_OF_MEMORY;
  oyi_conv_phases_offsets(&w.phases, w.in, w.offsets);
  w.chunk =
      chunk_of(w.units, (double)(w.out * w.depth * c->batch) * (double)oyi_volume(c->map),
               c->batch * w.in * w.phases.channel);
  oy_status status =
      oyi_parallel_chunks(oyi_divide_up(w.units, w.chunk), run_weights, &w);
  oyi_free(w.offsets);
  return status;
}
