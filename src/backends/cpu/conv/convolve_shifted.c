// SPDX-License-Identifier: Apache-2.0
// Convolutions and their adjoints without columns, as conv_plan.h says: tiles of sums,
// some channels by some neighbouring windows of a plane, whose operands are read where the
// copy has them. Windows that begin in the padding between two lines are computed too, and
// left out.
#include "backends/cpu/conv/conv_plan.h"
#include "backends/cpu/conv/conv_tiles.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

enum {
  COPY_BYTES = 768 << 10,    // of samples that are copied together, if they are several
  PART_WORK = 48 * 48 * 48,  // multiply-adds that are worth a thread
  BLOCKS = 8,                // tiles that are computed together
  NEAR_BYTES = 20 << 10,     // of the copy that they read at a time
  LEAST_DEPTH = 16,
  LEAST_MAPS = 4,
  LEAST_PLACES = 32  // that are worth the copies
};

typedef struct shifted {
  oyi_conv_plan plan;
  const oyi_conv_tiles* tiles;
  int64_t plane_tiles;            // of the windows of a plane
  int64_t channels;               // that tiles read at a time
  int64_t samples, first, chunk;  // that are copied together, from |first| on
  int64_t units;
  char* copy;
} shifted;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static oy_status copy_channel(int64_t index, void* context) {
  const shifted* s = context;
  const oyi_conv* c = &s->plan.conv;
  const int64_t item = s->plan.v->item, volume = oyi_volume(c->image);
  oyi_conv_phases_copy(
      &s->plan.phases,
      s->plan.from + (s->first * c->image_channels + index) * volume * item,
      s->copy + index * s->plan.phases.channel * item);
  return OY_OK;
}

// Windows |at| to |at| + |count| of a plane.
typedef struct tile {
  int64_t sample, group, plane, at, count;
} tile;

// Where the sums of a tile go: a stretch of each line, or fewer that are longer.
static int find_stretches(const shifted* s, const tile* t, const oyi_conv_pass* pass,
                          oyi_conv_stretch* out) {
  const oyi_conv_plan* p = &s->plan;
  const int64_t width = p->conv.map[2], pitch = p->phases.size[2];
  int64_t place[3] = {t->plane, t->at / pitch, t->at % pitch};
  int found = 0;
  for (int64_t done = 0; done < t->count; place[1]++) {
    const int64_t real = least(width - place[2], t->count - done);
    oyi_conv_stretch now = {0};
    if (real > 0) now = oyi_conv_plan_stretch(p, pass, place, real);
    now.from += done * p->together;
    oyi_conv_stretch* last = found > 0 ? &out[found - 1] : NULL;
    if (last && now.step == 1 && now.from == last->from + last->count &&
        now.out == last->out + last->count)
      last->count += now.count;
    else if (now.count > 0)
      out[found++] = now;
    done += pitch - place[2];
    place[2] = 0;
  }
  return found;
}

// |sums|: a tile of each of the passes that are together.
static void store_tile(const shifted* s, const tile* t, int64_t block, const char* sums,
                       const oyi_conv_stretch* stretches, int count) {
  const oyi_conv_plan* p = &s->plan;
  const int64_t item = p->v->item, columns = s->tiles->columns;
  const int64_t first = t->group * p->out + block * p->rows;
  _Alignas(64) char mixed[OYI_CONV_TOGETHER * OYI_CONV_COLUMNS_MAX * sizeof(float)];
  for (int64_t i = 0; i < least(p->rows, p->out - block * p->rows); i++) {
    const int64_t channel = (s->first + t->sample) * p->conv.map_channels + first + i;
    const char* row = sums + i * columns * item;
    if (p->together > 1) {
      oyi_conv_plan_mix(p, row, p->rows * columns, t->count, mixed);
      row = mixed;
    }
    for (int k = 0; k < count; k++)
      oyi_conv_plan_store(p, &stretches[k], row,
                          p->v->bias ? p->v->bias + (first + i) * item : NULL,
                          p->to + channel * oyi_volume(p->size) * item);
  }
}

// Tiles of |count| blocks of rows, from |first| on. Each goes over the same elements of
// the copy: some channels of these at a time, which stay in the nearest cache.
static void add_up(const shifted* s, const tile* t, const oyi_conv_pass* pass,
                   int64_t first, int64_t count, char* sums) {
  const oyi_conv_plan* p = &s->plan;
  const int64_t item = p->v->item, area = p->phases.size[1] * p->phases.size[2];
  const int64_t channel = t->sample * p->conv.image_channels + t->group * p->in;
  const int64_t vectors = oyi_divide_up(t->count, s->tiles->lanes);
  const int64_t size = s->tiles->rows * s->tiles->columns * item;
  const int64_t step = s->channels * pass->taps;
  const char* image =
      s->copy + (channel * p->phases.channel + t->plane * area + t->at) * item;
  for (int64_t b = 0; b < count && pass->depth == 0; b++)
    memset(sums + b * s->plan.together * size, 0, (size_t)size);
  for (int64_t k = 0; k < pass->depth; k += step)
    for (int64_t b = 0; b < count; b++) {
      const int64_t block = t->group * p->blocks + first + b;
      s->tiles->tile(least(step, pass->depth - k),
                     pass->weights + (block * pass->depth + k) * p->rows * item, image,
                     pass->offsets + k, vectors, k > 0, sums + b * p->together * size);
    }
}

static void run_passes(const shifted* s, const tile* t, const oyi_conv_pass* passes) {
  const oyi_conv_plan* p = &s->plan;
  const int64_t size = s->tiles->rows * s->tiles->columns * p->v->item;
  _Alignas(64) char sums[BLOCKS * OYI_CONV_TILE_MAX * sizeof(float)];
  oyi_conv_stretch stretches[OYI_CONV_COLUMNS_MAX];
  const int count = find_stretches(s, t, passes, stretches);
  const int64_t most = BLOCKS / p->together;
  for (int64_t first = 0; first < p->blocks; first += most) {
    const int64_t blocks = least(most, p->blocks - first);
    for (int64_t i = 0; i < p->together; i++)
      add_up(s, t, &passes[i], first, blocks, sums + i * size);
    for (int64_t b = 0; b < blocks; b++)
      store_tile(s, t, first + b, sums + b * p->together * size, stretches, count);
  }
}

// One tile of a plane, of all channels of a group. Numbered through sample, group, plane.
static void one_tile(const shifted* s, int64_t unit) {
  const oyi_conv* c = &s->plan.conv;
  const int64_t at = unit % s->plane_tiles * s->tiles->columns;
  const int64_t plane = unit / s->plane_tiles, group = plane / c->map[0];
  const tile t = {.sample = group / c->groups,
                  .group = group % c->groups,
                  .plane = plane % c->map[0],
                  .at = at,
                  .count = least(s->tiles->columns, s->plan.phases.plane - at)};
  for (int64_t i = 0; i < s->plan.count; i += s->plan.together)
    run_passes(s, &t, &s->plan.passes[i]);
}

static oy_status run_tiles(int64_t index, void* context) {
  const shifted* s = context;
  const int64_t end = least((index + 1) * s->chunk, s->units);
  for (int64_t i = index * s->chunk; i < end; i++) one_tile(s, i);
  return OY_OK;
}

// False where padding, holes or tiles that are not full would be most of the work.
static bool measure(shifted* s) {
  const oyi_conv_plan* p = &s->plan;
  const oyi_conv* c = &p->conv;
  const int64_t area = c->map[1] * c->map[2];
  const int64_t vectors = oyi_divide_up(p->phases.plane, s->tiles->lanes);
  const int64_t depth = p->in * oyi_volume(p->v->conv->kernel) / p->count;
  s->plane_tiles = oyi_divide_up(p->phases.plane, s->tiles->columns);
  return depth >= LEAST_DEPTH && p->out >= LEAST_MAPS &&
         vectors * s->tiles->lanes <= 2 * area &&
         (double)c->batch * (double)c->map[0] * (double)area >= LEAST_PLACES;
}

// As many as are near, of what one tile reads of each.
static int64_t channels_near(const shifted* s) {
  const oyi_conv* c = &s->plan.conv;
  const int64_t columns = s->tiles->columns + s->tiles->lanes;
  const int64_t below = (c->kernel[1] - 1) * c->dilation[1] * s->plan.phases.size[2];
  const int64_t plane = least(c->kernel[1] * columns, below + columns);
  const int64_t planes = c->kernel[0] * plane;
  return NEAR_BYTES / (planes * s->plan.v->item) + 1;
}

static oy_status compute(shifted* s) {
  const oyi_conv* c = &s->plan.conv;
  const double work = (double)s->plan.in * (double)oyi_volume(s->plan.v->conv->kernel) *
                      (double)s->plan.out * (double)s->tiles->columns;
  s->chunk = work < PART_WORK ? (int64_t)(PART_WORK / work) + 1 : 1;
  s->channels = channels_near(s);
  for (s->first = 0; s->first < c->batch; s->first += s->samples) {
    const int64_t samples = least(s->samples, c->batch - s->first);
    s->units = samples * c->groups * c->map[0] * s->plane_tiles;
    OY_TRY(oyi_parallel_chunks(samples * c->image_channels, copy_channel, s));
    OY_TRY(oyi_parallel_chunks(oyi_divide_up(s->units, s->chunk), run_tiles, s));
  }
  return OY_OK;
}

oy_status oyi_convolve_shifted(const oyi_convolve* v, bool back, bool* out_done) {
  shifted s;
  *out_done = false;
  if (!oyi_conv_plan_begin(&s.plan, v, back)) return OY_OK;
  s.tiles = oyi_conv_tiles_for(v->dtype);
  if (!measure(&s)) return OY_OK;
  *out_done = true;
  const oyi_conv* c = &s.plan.conv;
  const int64_t sample = c->image_channels * s.plan.phases.channel * v->item;
  s.samples = least(COPY_BYTES / (sample + 1) + 1, c->batch);
  // A tile may read behind the last element.
  const int64_t tail = s.tiles->columns * v->item;
  void* block = NULL;
  s.copy = oyi_data_alloc((size_t)(s.samples * sample + tail), &block);
  if (!s.copy) return OY_OUT_OF_MEMORY;
  memset(s.copy + s.samples * sample, 0, (size_t)tail);
  oy_status status = oyi_conv_plan_fill(&s.plan, s.tiles->rows);
  if (status == OY_OK) status = compute(&s);
  oyi_conv_plan_end(&s.plan);
  oyi_data_free(block, s.copy);
  return status;
}
