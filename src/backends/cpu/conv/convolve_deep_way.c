// SPDX-License-Identifier: Apache-2.0
// Which way to windows that are planes apart takes least: each element of an image is in few of
// them, so that to copy phases of it may take longer than columns, or rows, and all of these as
// long as what is computed. Times are fitted to those of random convolutions.
#include "backends/cpu/conv/conv_strips.h"

// What ways have in common, as numbers that may be multiplied without end. |words|: an element in
// units of four bytes, which those that only move things go by.
typedef struct work {
  const oyi_conv_plan* plan;
  const oyi_conv_tiles* tiles;
  double batch, in, out, depth, places, words;  // channels, products of a sum, windows
} work;

// Up to whole tiles of a product.
static double in_fours(double n) {
  return (double)(oyi_divide_up((int64_t)n, 4) * 4);
}

// About how long each takes, in nanoseconds.
static double time_of_columns(const work* w) {
  const double lanes = (double)w->tiles->lanes, planes = (double)w->plan->conv.map[0];
  const double products = in_fours(w->out) * in_fours(w->places) * w->depth / lanes;
  const double moved = w->depth * (0.3 * w->words * w->places + 7 * planes);
  return 1400 + w->batch * (50 + moved + 0.2 * products);
}
static double time_of_rows(const work* w) {
  const double lanes = (double)w->tiles->lanes, windows = w->batch * w->places;
  const double products = in_fours(w->out) * w->depth / lanes;
  const double moved = w->words * (0.44 * w->depth + 0.4 * w->out) + 3 * w->in;
  return 1400 + windows * (moved + 0.16 * products) + 0.09 * w->words * w->out * w->depth;
}
static double time_of_maps(const work* w, bool reads_image) {
  enum { LEAST = 8, LEAST_OF_TWO = 5 };  // windows that a tile takes as long as
  const oyi_conv_phases* f = &w->plan->phases;
  const int64_t* map = w->plan->conv.map;
  const bool are_two = oyi_conv_blocks_together(w->plan, w->tiles) > 1;
  const int64_t least = are_two ? LEAST_OF_TWO : LEAST;
  const double lines = w->batch * (double)(map[0] * map[1]);
  const double blocks = (double)oyi_divide_up((int64_t)w->out, w->tiles->lanes);
  const double tiles =
      lines * (double)oyi_divide_up(map[2], oyi_conv_tile_places(w->plan, w->tiles));
  const double products =
      lines * (double)(map[2] > least ? map[2] : least) * blocks * w->depth;
  const double copied =
      w->batch * w->in *
      (0.25 * w->words * (double)f->channel + 5.5 * (double)(f->count * f->size[0]));
  return 1900 + (reads_image ? 0 : copied) + tiles * (36 + 43 * blocks) +
         0.107 * products + 0.04 * w->words * w->batch * w->places * w->out;
}
static double time_of_windows(const work* w) {
  const oyi_conv_phases* f = &w->plan->phases;
  const int64_t* map = w->plan->conv.map;
  const int64_t out = (int64_t)w->out, rows = oyi_conv_tile_rows(w->tiles, out);
  const double planes = w->batch * (double)map[0];
  const double vectors = planes * (double)oyi_divide_up(f->plane, w->tiles->lanes);
  const double sums = vectors * (double)(oyi_divide_up(out, rows) * rows);
  const double copied =
      w->batch * w->in *
      (0.17 * w->words * (double)f->channel + 1.4 * (double)(f->count * f->size[0]));
  return 2400 + copied + 0.137 * sums * w->depth +
         planes * (double)map[1] * (1.36 * w->out + 8) +
         0.09 * w->words * w->out * w->depth;
}

bool oyi_conv_plan_is_deep(const oyi_conv_plan* p) {
  return !p->back && !p->v->pairs && p->conv.groups == 1 && p->conv.stride[0] > 1;
}

// Rows of a sample that the cache holds: those of more would not be shared by threads.
static bool has_room_for_rows(const work* w) {
  const double most = 256 << 10;
  return w->places * w->depth * w->words * (double)sizeof(float) <= most;
}

oyi_conv_deep_way oyi_conv_plan_deep_way(const oyi_conv_plan* p,
                                         const oyi_conv_tiles* tiles, bool reads_image,
                                         oyi_conv_deep_way usual) {
  const double clearly = 1.15;
  const oyi_conv* c = &p->conv;
  const work w = {.plan = p,
                  .tiles = tiles,
                  .batch = (double)c->batch,
                  .in = (double)p->in,
                  .out = (double)p->out,
                  .depth = (double)p->in * (double)oyi_volume(c->kernel),
                  .places = (double)oyi_volume(c->map),
                  .words = (double)p->v->item / sizeof(float)};
  const double times[] = {[OYI_CONV_DEEP_COLUMNS] = time_of_columns(&w),
                          [OYI_CONV_DEEP_ROWS] = time_of_rows(&w),
                          [OYI_CONV_DEEP_MAPS] = time_of_maps(&w, reads_image),
                          [OYI_CONV_DEEP_WINDOWS] = time_of_windows(&w)};
  oyi_conv_deep_way best = usual;
  for (int way = 0; way < (int)(sizeof(times) / sizeof(*times)); way++)
    if (times[way] < times[best] && (way != OYI_CONV_DEEP_ROWS || has_room_for_rows(&w)))
      best = (oyi_conv_deep_way)way;
  return times[usual] > clearly * times[best] ? best : usual;
}
