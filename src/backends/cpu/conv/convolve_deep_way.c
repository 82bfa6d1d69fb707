// SPDX-License-Identifier: Apache-2.0
// Which way to windows in three dimensions takes least: each element of an image is in few of them
// where they are planes apart, so that to copy phases of it may take longer than columns, or rows,
// and all of these as long as what is computed; where they are not, narrow planes leave much of
// tiles empty. Times are fitted to those of random convolutions.
#include "backends/cpu/conv/conv_strips.h"

// What ways have in common, as numbers that may be multiplied without end. |words|: an element in
// units of four bytes, which those that only move things go by.
typedef struct work {
  const oyi_conv_plan* plan;
  const oyi_conv_tiles* tiles;
  double parts, groups;                  // groups of all samples, and of one
  double in, out, depth, places, words;  // channels, products of a sum, windows
} work;

// Up to whole tiles of a product.
static double in_fours(double n) {
  return (double)(oyi_divide_up((int64_t)n, 4) * 4);
}

// To put kernels in order.
static double time_of_weights(const work* w, double each) {
  return each * w->words * w->groups * w->out * w->depth;
}

// How often each plane of the copies is made, of which strips that the cache holds share some.
static double times_copied(const work* w) {
  const oyi_conv_phases* f = &w->plan->phases;
  const int64_t planes = w->plan->conv.map[0], beside = f->size[0] - planes;
  const double plane = w->in * (double)(f->count * f->size[1] * f->size[2] * f->item);
  if (plane * (double)f->size[0] <= OYI_CONV_STRIP_BYTES || beside < 0) return 1;
  const int64_t room = (int64_t)(OYI_CONV_STRIP_BYTES / plane) - beside;
  const int64_t strips = room > 1 ? oyi_divide_up(planes, room) : planes;
  return (double)(planes + strips * beside) / (double)f->size[0];
}

// About how long each takes, in nanoseconds. Of columns few rows are short of what a product has
// tiles for, and doubles take longer than their width.
static double time_of_columns(const work* w) {
  enum { FEW = 4, FEW_WIDE = 8 };
  const oyi_conv* c = &w->plan->conv;
  const bool is_wide = w->words > 1;
  const bool are_few = w->out > 1 && w->out < (is_wide ? FEW_WIDE : FEW);
  const double planes = (double)c->map[0], lines = planes * (double)c->map[1];
  const double vectors =
      (double)(oyi_divide_up(c->map[2], w->tiles->lanes) * c->stride[2]);
  const bool by_vectors = c->stride[2] <= w->tiles->column_stride;
  const double line = by_vectors ? 0.48 * vectors : 4.5;
  const double few = are_few ? (is_wide ? 0.17 : 0.12) : 0;
  const double moved = 1.45 * planes + line * lines + (0.04 * w->words + few) * w->places;
  const double products =
      in_fours(w->out) * in_fours(w->places) * w->depth / (double)w->tiles->lanes;
  return 1500 + w->parts * (74 + w->depth * moved + (is_wide ? 0.32 : 0.13) * products +
                            0.025 * w->words * w->out * w->places);
}
static double time_of_rows(const work* w) {
  const oyi_conv* c = &w->plan->conv;
  const double lanes = (double)w->tiles->lanes, windows = w->parts * w->places;
  const double products = in_fours(w->out) * w->depth / lanes;
  const double moved = w->words * (0.2 * w->depth + 0.23 * w->out) +
                       1.15 * w->in * (double)(c->kernel[0] * c->kernel[1]);
  return 1500 + windows * (11 + moved + 0.16 * products) + 16 * w->parts * w->in;
}
static double time_of_maps(const work* w, bool reads_image) {
  enum { LEAST = 8, LEAST_OF_TWO = 5 };  // windows that a tile takes as long as
  const oyi_conv_phases* f = &w->plan->phases;
  const int64_t* map = w->plan->conv.map;
  const bool are_two = oyi_conv_blocks_together(w->plan, w->tiles) > 1;
  const int64_t least = are_two ? LEAST_OF_TWO : LEAST;
  const double lines = w->parts * (double)(map[0] * map[1]);
  const double blocks = (double)oyi_divide_up((int64_t)w->out, w->tiles->lanes);
  const double tiles =
      lines * (double)oyi_divide_up(map[2], oyi_conv_tile_places(w->plan, w->tiles));
  const double products =
      lines * (double)(map[2] > least ? map[2] : least) * blocks * w->depth;
  const double copied =
      w->parts * w->in *
      (times_copied(w) * 0.044 * w->words * (double)f->channel +
       (double)(f->count * f->size[0]) * (0.2 + 0.7 * (double)f->size[1]));
  return 1860 + (reads_image ? 0 : copied) + tiles * (40 + 30 * blocks) +
         0.125 * products + 0.085 * w->words * w->parts * w->places * w->out +
         time_of_weights(w, 0.049);
}
static double time_of_windows(const work* w) {
  const oyi_conv_phases* f = &w->plan->phases;
  const int64_t* map = w->plan->conv.map;
  const int64_t out = (int64_t)w->out, rows = oyi_conv_tile_rows(w->tiles, out);
  const double planes = w->parts * (double)map[0];
  const double vectors = planes * (double)oyi_divide_up(f->plane, w->tiles->lanes);
  const double sums = vectors * (double)(oyi_divide_up(out, rows) * rows);
  const double copied =
      w->parts * w->in *
      (times_copied(w) * 0.093 * w->words * (double)f->channel +
       (double)(f->count * f->size[0]) * (2.5 + 0.45 * (double)f->size[1]));
  return 2100 + copied + sums * (1.8 + 0.133 * w->depth) +
         planes * (double)map[1] * (0.08 * w->out + 7) + time_of_weights(w, 0.147);
}

bool oyi_conv_plan_is_deep(const oyi_conv_plan* p) {
  const oyi_conv* c = &p->conv;
  return !p->back && !p->v->pairs && !oyi_convolve_is_by_lines(p->v->conv) &&
         (c->stride[0] > 1 || c->map[0] > 1 || c->kernel[0] > 1);
}

// Rows of a sample that the cache holds: those of more would not be shared by threads.
static bool has_room_for_rows(const work* w) {
  const double most = 256 << 10;
  return w->places * w->depth * w->words * (double)sizeof(float) <= most;
}

oyi_conv_deep_way oyi_conv_plan_deep_way(const oyi_conv_plan* p,
                                         const oyi_conv_tiles* tiles, bool reads_image,
                                         oyi_conv_deep_way usual) {
  const double clearly = 1.2;
  const oyi_conv* c = &p->conv;
  const work w = {.plan = p,
                  .tiles = tiles,
                  .parts = (double)c->batch * (double)c->groups,
                  .groups = (double)c->groups,
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
