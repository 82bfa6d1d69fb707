// SPDX-License-Identifier: Apache-2.0
// Convolutions and their adjoints without columns, as conv_plan.h says. A strip of windows
// is copied and computed at once, so that its copy stays in the cache.
#include <string.h>

#include "backends/cpu/conv/conv_pairs.h"
#include "backends/cpu/conv/conv_strips.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

enum {
  STRIPS = 4,                // at least, for each thread, if
  STRIP_PLACES = 96,         // they have that many windows
  PART_WORK = 48 * 48 * 48,  // multiply-adds that are worth a thread
  LEAST_MAPS = 4,            // of an adjoint: columns of fewer are cheap
  LEAST_PLACES = 16,         // that are worth the copies
  TURN_DEPTH = 12,           // that takes as long as to turn a tile of maps, to store it
  COPY_LINE = 320,           // products that take as long as to copy a line,
  COPY_ELEMENT = 4           // and each of its elements
};

typedef struct shifted {
  oyi_conv_plan plan;
  const oyi_conv_tiles* tiles;
  void (*compute)(const oyi_conv_plan* p, const oyi_conv_tiles* tiles,
                  const oyi_conv_strip* s);
  bool copies;                  // or strips are read in the image
  oyi_conv strip;               // which has fewer windows
  int64_t strips[OYI_SPATIAL];  // in each dimension
  int64_t units, chunk;         // strips: through sample, group, plane
} shifted;

// What the windows of a strip read, of all channels of its group.
static void copy_strip(const shifted* s, const oyi_conv_strip* t, char* copy) {
  const oyi_conv_plan* p = &s->plan;
  const oyi_conv* c = &p->conv;
  const int64_t item = p->v->item, volume = oyi_volume(c->image);
  const int64_t channel = t->sample * c->image_channels + t->group * p->in;
  oyi_conv strip = s->strip;
  oyi_conv_phases phases = p->phases;
  phases.conv = &strip;
  for (size_t d = 0; d < OYI_SPATIAL; d++) strip.padding[d] -= t->from[d] * c->stride[d];
  oyi_conv_phases_copy(&phases, p->from + channel * volume * item, p->in, copy);
}

// Where the first window is, which may be in the padding: that is not read.
static const char* strip_of_image(const shifted* s, const oyi_conv_strip* t) {
  const oyi_conv_plan* p = &s->plan;
  const oyi_conv* c = &p->conv;
  const int64_t channel = t->sample * c->image_channels + t->group * p->in;
  int64_t at = channel;
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    at = at * c->image[d] + t->from[d] * c->stride[d] - c->padding[d];
  return p->from + at * p->v->item;
}

static void one_strip(const shifted* s, int64_t unit, char* copy) {
  const oyi_conv* c = &s->plan.conv;
  oyi_conv_strip strip = {.copy = copy};
  int64_t size[OYI_SPATIAL];
  for (size_t d = OYI_SPATIAL; d-- > 0; unit /= s->strips[d]) {
    strip.from[d] = unit % s->strips[d] * s->strip.map[d];
    size[d] = oyi_at_most(s->strip.map[d], c->map[d] - strip.from[d]);
  }
  strip.planes = size[0], strip.lines = size[1], strip.width = size[2];
  strip.sample = unit / c->groups, strip.group = unit % c->groups;
  if (s->copies)
    copy_strip(s, &strip, copy);
  else
    strip.copy = strip_of_image(s, &strip);
  s->compute(&s->plan, s->tiles, &strip);
}

static oy_status run_strips(int64_t index, void* context) {
  const shifted* s = context;
  const oyi_conv_plan* p = &s->plan;
  const int64_t size = p->in * p->phases.channel * p->v->item;
  // A tile may read behind the last element.
  const int64_t tail = OYI_CONV_COLUMNS_MAX * p->v->item;
  void* block = NULL;
  char* copy = s->copies ? oyi_data_alloc((size_t)(size + tail), &block) : NULL;
  if (s->copies && !copy) return OY_OUT_OF_MEMORY;
  if (copy) memset(copy + size, 0, (size_t)tail);
  const int64_t end = oyi_at_most((index + 1) * s->chunk, s->units);
  for (int64_t i = index * s->chunk; i < end; i++) one_strip(s, i, copy);
  if (copy) oyi_data_free(block, copy);
  return OY_OK;
}

// ------------------------------------------------------------------------ the strips

// Products of a sum.
static int64_t depth_of(const oyi_conv_plan* p) {
  return p->in * oyi_volume(p->v->conv->kernel) / p->count;
}

// Columns of a few products of each sum take less than tiles, and much less than those of an
// adjoint, which are added up.
static int64_t least_depth(const oyi_conv_plan* p) {
  enum { LEAST = 16, LEAST_BACK = 2, ENOUGH_PLACES = 16, LEAST_OF_MANY = 32, MANY = 32 };
  if (p->back && p->conv.map[1] * p->conv.map[2] >= ENOUGH_PLACES) return LEAST_BACK;
  return p->out >= MANY && !p->back ? LEAST_OF_MANY : LEAST;
}

// Points that are some planes, lines and columns apart: columns of a few channels, or of short
// lines, take less than to find each line, if they are not of doubles.
static bool are_points(const oyi_conv_plan* p) {
  enum { CHANNELS = 24, SHORT = 3 };
  const oyi_conv* c = &p->conv;
  return !p->back && !p->v->pairs && p->v->dtype == OY_DTYPE_F32 && c->map[0] > 1 &&
         oyi_volume(c->kernel) == 1 && (p->in <= CHANNELS || c->map[2] <= SHORT);
}

// False where holes or vectors that are not full would be most of the work. Columns take much
// longer for few maps, or of narrow planes, and those of a few windows each for all.
static bool is_worth(const shifted* s, bool by_maps) {
  enum { TIMES = 2, TIMES_OF_FEW = 8, FEW_PLACES = 48, NARROW = 2 };
  const oyi_conv_plan* p = &s->plan;
  const oyi_conv* c = &p->conv;
  const int64_t area = c->map[1] * c->map[2], lanes = s->tiles->lanes;
  const int64_t windows = oyi_divide_up(p->phases.plane, lanes) * lanes;
  const bool is_narrow = c->map[2] <= NARROW && c->map[0] > 1;
  const bool take_columns_long = !p->back && (p->out <= s->tiles->few_rows || is_narrow);
  const int64_t times = take_columns_long ? TIMES_OF_FEW : TIMES;
  if (by_maps && are_points(p)) return false;
  return depth_of(p) * (p->v->pairs ? 2 : 1) >= least_depth(p) &&
         (!p->back || p->out >= LEAST_MAPS) &&
         (windows <= times * area || (by_maps && area <= FEW_PLACES)) &&
         (double)c->batch * (double)c->map[0] * (double)area >= LEAST_PLACES;
}

// Whether tiles of maps can go over lines of the kernel.
static bool has_lines(const shifted* s) {
  const oyi_conv* c = &s->plan.conv;
  const int64_t width = c->kernel[2];
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    if (c->stride[d] != 1 || s->plan.v->conv->stride[d] != 1) return false;
  return s->tiles->line_room > 0 && (width == 3 || width == 5) && c->dilation[2] == 1 &&
         c->padding[2] >= 0 && c->padding[2] < width &&
         c->map[2] - c->padding[2] <= c->image[2];
}

// They read less then, and no padding, but have less room: longer tiles of two blocks have
// enough to compute, and what padding their windows see is hardly any.
static bool is_by_line(const shifted* s) {
  oyi_conv_plan p = s->plan;
  const int64_t width = p.conv.map[2];
  if (!has_lines(s)) return false;
  const int64_t parts = oyi_divide_up(width, oyi_conv_tile_places(&p, s->tiles));
  p.by_line = true;
  return oyi_divide_up(width, oyi_conv_tile_places(&p, s->tiles)) <= parts ||
         oyi_conv_blocks_together(&p, s->tiles) == 1 ||
         !oyi_conv_has_thin_padding(&p.conv);
}

// Of what all windows see along dimension |d|, the part that is not padding.
static double part_inside(const oyi_conv* c, size_t d) {
  double inside = 0;
  for (int64_t k = 0; k < c->kernel[d]; k++) {
    const int64_t shift = c->padding[d] - k * c->dilation[d];
    const int64_t from = shift > 0 ? oyi_divide_up(shift, c->stride[d]) : 0;
    const int64_t to = c->image[d] + shift;
    const int64_t end =
        oyi_at_most(to > 0 ? oyi_divide_up(to, c->stride[d]) : 0, c->map[d]);
    if (end > from) inside += (double)(end - from);
  }
  return inside / (double)(c->kernel[d] * c->map[d]);
}

// Whether tiles of maps read the image itself. Channels that are so far apart would fall on
// each other in the nearest cache. With strides, what is not near would be read again and
// again, more than its copy.
static bool can_read_image(const shifted* s) {
  enum { APART = 1024, NEAR_BYTES = 128 << 10, NEAR_POINTS = 512 << 10 };
  const oyi_conv_plan* p = &s->plan;
  const oyi_conv* c = &p->conv;
  const int64_t bytes = oyi_volume(c->image) * p->v->item;
  if (oyi_conv_phases_are_image(c)) return true;
  if (bytes % APART == 0) return false;
  if (p->by_line) return true;
  return c->stride[2] >= 2 && oyi_conv_has_thin_padding(c) &&
         p->in * bytes <=
             (oyi_volume(c->kernel) == 1 || c->stride[2] > 2 ? NEAR_POINTS : NEAR_BYTES);
}

// What it takes to copy the image, in products for each plane of windows and each kernel element.
// Passes over the same planes share it.
static double copying(const oyi_conv_plan* p) {
  const oyi_conv_phases* f = &p->phases;
  const int64_t planes = p->back ? p->v->conv->stride[0] : 1;
  const double lines = (double)(f->count * f->size[0] * f->size[1]);
  return (lines * COPY_LINE + (double)f->channel * COPY_ELEMENT) /
         (double)(p->conv.map[0] * oyi_volume(p->v->conv->kernel) * planes / p->count +
                  1);
}

// What windows of a line take: of few sums, each has to wait for itself.
static int64_t padded_width(const shifted* s) {
  enum { LEAST = 8, LEAST_OF_TWO = 5 };
  const int64_t width = s->plan.conv.map[2];
  const int64_t least =
      oyi_conv_blocks_together(&s->plan, s->tiles) > 1 ? LEAST_OF_TWO : LEAST;
  return width < least ? least : width;
}

// Whether tiles of maps compute less in vain than those of windows.
static bool is_by_maps(const shifted* s) {
  const oyi_conv_plan* p = &s->plan;
  const oyi_conv* c = &p->conv;
  const int64_t lanes = s->tiles->lanes, rows = oyi_conv_tile_rows(s->tiles, p->out);
  const double windows = (double)(oyi_divide_up(p->phases.plane, lanes) * lanes) *
                         (double)(oyi_divide_up(p->out, rows) * rows);
  const double maps = (double)(c->map[1] * padded_width(s)) *
                      (double)(oyi_divide_up(p->out, lanes) * lanes);
  const double turns = TURN_DEPTH / (double)depth_of(p);
  double inside = part_inside(c, 0) * part_inside(c, 1);
  if (p->by_line) inside *= part_inside(c, 2);
  return p->together <= 2 &&
         maps * (inside + turns) <= windows + (can_read_image(s) ? copying(p) : 0);
}

// |whole| in as equal parts as can be, of no more than |most|.
static int64_t part_of(int64_t whole, double most) {
  if (most >= (double)whole) return whole;
  return most < 2 ? 1 : oyi_divide_up(whole, oyi_divide_up(whole, (int64_t)most));
}

// How many windows strips should have, so that all threads get some.
static double places_of_strip(const oyi_conv* c) {
  const double threads = oy_get_num_threads();
  const double all = (double)c->batch * (double)c->groups * (double)oyi_volume(c->map);
  const double share = all / (threads * STRIPS);
  if (threads == 1) return all;
  return share > STRIP_PLACES ? share : STRIP_PLACES;
}

// As many planes as the cache has room for, or lines, or a part of one. No result depends
// on it.
static void cut(shifted* s) {
  oyi_conv_plan* p = &s->plan;
  const oyi_conv* c = &p->conv;
  const double most = OYI_CONV_STRIP_BYTES / ((double)p->v->item * (double)p->in);
  double places = places_of_strip(c);
  s->strip = *c;
  for (size_t d = 0; d < OYI_SPATIAL; d++) s->strip.map[d] = 1;
  for (size_t d = OYI_SPATIAL; d-- > 0;) {
    oyi_conv_phases_cut(&p->phases, &s->strip);
    const double each = (double)p->phases.channel / (double)p->phases.size[d];
    double room = most / each - (double)(p->phases.size[d] - 1);
    if (d == 2 && room < STRIP_PLACES) room = STRIP_PLACES;
    s->strip.map[d] = part_of(c->map[d], room < places ? room : places);
    if (s->strip.map[d] < c->map[d]) break;
    places /= (double)c->map[d];
  }
  oyi_conv_phases_cut(&p->phases, &s->strip);
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    s->strips[d] = oyi_divide_up(c->map[d], s->strip.map[d]);
}

static oy_status compute(shifted* s) {
  const oyi_conv* c = &s->plan.conv;
  const double work = (double)s->plan.in * (double)oyi_volume(s->plan.v->conv->kernel) *
                      (double)s->plan.out * (double)s->plan.phases.plane;
  s->chunk = work < PART_WORK ? (int64_t)(PART_WORK / work) + 1 : 1;
  s->units = c->batch * c->groups * oyi_volume(s->strips);
  return oyi_parallel_chunks(oyi_divide_up(s->units, s->chunk), run_strips, s);
}

// |worth|: whether tiles are thought to be.
static oyi_conv_deep_way deep_way(const shifted* s, bool worth, bool by_maps) {
  oyi_conv_deep_way usual = by_maps ? OYI_CONV_DEEP_MAPS : OYI_CONV_DEEP_WINDOWS;
  if (!worth)
    usual = oyi_convolve_has_rows(s->plan.v) ? OYI_CONV_DEEP_ROWS : OYI_CONV_DEEP_COLUMNS;
  return oyi_conv_plan_deep_way(&s->plan, s->tiles, can_read_image(s), usual);
}

// False where it is not worth it.
static bool begin(shifted* s, const oyi_convolve* v, bool back, bool* by_maps) {
  if (!oyi_conv_plan_begin(&s->plan, v, back)) return false;
  s->tiles = oyi_conv_tiles_for(v->dtype);
  // Of such groups come only those that lines take longer for.
  const bool are_few = oyi_convolve_is_by_lines(v->conv);
  *by_maps = false;
  if (are_few) return true;
  s->plan.by_line = is_by_line(s);
  *by_maps = is_by_maps(s);
  const bool worth = is_worth(s, *by_maps);
  if (!oyi_conv_plan_is_deep(&s->plan)) return worth;
  const oyi_conv_deep_way way = deep_way(s, worth, *by_maps);
  *by_maps = way == OYI_CONV_DEEP_MAPS;
  return *by_maps || way == OYI_CONV_DEEP_WINDOWS;
}

bool oyi_convolve_takes_rows(const oyi_convolve* v) {
  shifted s;
  if (oyi_conv_plan_begin(&s.plan, v, false) && oyi_conv_plan_is_deep(&s.plan)) {
    s.tiles = oyi_conv_tiles_for(v->dtype);
    s.plan.by_line = false;
    const bool by_maps = is_by_maps(&s);
    return deep_way(&s, is_worth(&s, by_maps), by_maps) == OYI_CONV_DEEP_ROWS;
  }
  return oyi_convolve_has_rows(v);
}

bool oyi_convolve_is_shifted(const oyi_convolve* v, bool back) {
  shifted s;
  bool by_maps;
  return begin(&s, v, back, &by_maps);
}

oy_status oyi_convolve_shifted(const oyi_convolve* v, bool back, bool* out_done) {
  shifted s;
  bool by_maps;
  *out_done = begin(&s, v, back, &by_maps);
  if (!*out_done) return OY_OK;
  oyi_conv_tiles tiles = *s.tiles;
  if (v->pairs) oyi_conv_tiles_take_pairs(&tiles);
  s.tiles = &tiles;
  const int64_t rows = oyi_conv_tile_rows(s.tiles, s.plan.out);
  s.compute = by_maps ? oyi_conv_strip_maps : oyi_conv_strip_windows;
  cut(&s);
  s.plan.by_line = by_maps && s.plan.by_line;
  // Tiles of windows read behind the last one.
  s.copies = !by_maps || !can_read_image(&s);
  if (!s.copies) oyi_conv_phases_use_image(&s.plan.phases);
  oy_status status =
      by_maps ? oyi_conv_plan_fill(&s.plan, s.tiles->lanes, s.tiles->pack_lanes)
              : oyi_conv_plan_fill(&s.plan, rows,
                                   rows < s.tiles->rows ? NULL : s.tiles->pack_rows);
  if (status == OY_OK && s.copies && oyi_volume(s.strips) == 1)
    status = oyi_conv_phases_list(&s.plan.phases,
                                  s.plan.conv.image_channels * s.plan.conv.batch);
  if (status == OY_OK) status = compute(&s);
  oyi_free(s.plan.phases.moves);
  oyi_conv_plan_end(&s.plan);
  return status;
}
