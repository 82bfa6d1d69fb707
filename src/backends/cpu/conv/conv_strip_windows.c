// SPDX-License-Identifier: Apache-2.0
// Tiles of some maps by neighbouring windows, whose operands are read where the copy has
// them.
#include <string.h>

#include "backends/cpu/conv/conv_strips.h"

enum {
  BLOCKS = 8,            // tiles that are computed together
  NEAR_BYTES = 20 << 10  // of the copy that they read at a time
};

// Windows |at| to |at| + |count| of a plane.
typedef struct tile {
  const oyi_conv_plan* plan;
  const oyi_conv_tiles* tiles;
  const oyi_conv_strip* strip;
  int64_t plane, at, count;  // the plane, of the strip
  int64_t columns;           // windows, at most
  int64_t channels;          // that are read at a time
} tile;

// Where the sums of a tile go: a stretch of each line, or fewer that are longer.
static int find_stretches(const tile* t, const oyi_conv_pass* pass,
                          oyi_conv_stretch* out) {
  const oyi_conv_plan* p = t->plan;
  const int64_t pitch = p->phases.size[2];
  int64_t line = t->strip->from[1] + t->at / pitch, column = t->at % pitch;
  int found = 0;
  for (int64_t done = 0; done < t->count; line++) {
    const int64_t place[] = {t->strip->from[0] + t->plane, line,
                             t->strip->from[2] + column};
    const int64_t real = oyi_at_most(t->strip->width - column, t->count - done);
    oyi_conv_stretch now = {0};
    if (real > 0) now = oyi_conv_plan_stretch(p, pass, place, real);
    now.from += done * p->together;
    oyi_conv_stretch* last = found > 0 ? &out[found - 1] : NULL;
    if (last && now.step == 1 && now.from == last->from + last->count &&
        now.out == last->out + last->count)
      last->count += now.count;
    else if (now.count > 0)
      out[found++] = now;
    done += pitch - column;
    column = 0;
  }
  return found;
}

// |sums|: a tile of each of the passes that are together.
static void store_tile(const tile* t, int64_t block, const char* sums,
                       const oyi_conv_stretch* stretches, int count) {
  const oyi_conv_plan* p = t->plan;
  const int64_t item = p->v->item, columns = t->columns;
  const int64_t first = t->strip->group * p->out + block * p->rows;
  const int64_t rows = oyi_at_most(p->rows, p->out - block * p->rows);
  const int64_t map = oyi_volume(p->size);
  char* to = p->to + (t->strip->sample * p->conv.map_channels + first) * map * item;
  if (p->together == 2 && !p->v->bias) {
    for (int k = 0; k < count; k++)
      t->tiles->zip(sums, sums + p->rows * columns * item, columns, rows,
                    stretches[k].from, stretches[k].count, to + stretches[k].out * item,
                    map);
    return;
  }
  _Alignas(64) char mixed[OYI_CONV_TOGETHER * OYI_CONV_COLUMNS_MAX * sizeof(float)];
  for (int64_t i = 0; i < rows; i++) {
    const char* row = sums + i * columns * item;
    if (p->together > 1) {
      oyi_conv_plan_mix(p, row, p->rows * columns, t->count, mixed);
      row = mixed;
    }
    for (int k = 0; k < count; k++)
      oyi_conv_plan_store(p, &stretches[k], row,
                          p->v->bias ? p->v->bias + (first + i) * item : NULL,
                          to + i * map * item);
  }
}

// Where tiles of some blocks are summed up: |next| bytes from one block to the next, rows
// |pitch| elements apart. |bias| of the first of them, where sums are the maps themselves.
typedef struct place {
  char* sums;
  int64_t next, pitch;
  const char* bias;
} place;

// Tiles of |count| blocks of rows, from |first| on. Each goes over the same elements of
// the copy: some channels of these at a time, which stay in the nearest cache.
static void add_up(const tile* t, const oyi_conv_pass* pass, int64_t first, int64_t count,
                   const place* to) {
  const oyi_conv_plan* p = t->plan;
  const int64_t item = p->v->item;
  const int64_t vectors = oyi_divide_up(t->count, t->tiles->lanes);
  const int64_t step = t->channels * pass->taps;
  const int64_t area = p->phases.size[1] * p->phases.size[2];
  const char* image = t->strip->copy + (t->plane * area + t->at) * item;
  for (int64_t b = 0; b < count && pass->depth == 0; b++)
    memset(to->sums + b * to->next, 0, (size_t)(p->rows * to->pitch * item));
  for (int64_t k = 0; k < pass->depth; k += step)
    for (int64_t b = 0; b < count; b++) {
      const int64_t block = t->strip->group * p->blocks + first + b;
      const bool ends = k + step >= pass->depth;
      t->tiles->tile(p->rows, oyi_at_most(step, pass->depth - k),
                     pass->weights + (block * pass->depth + k) * p->rows * item, image,
                     pass->offsets + k, vectors, k > 0,
                     ends && to->bias ? to->bias + b * p->rows * item : NULL, to->pitch,
                     to->sums + b * to->next);
    }
}

// Whether sums can be the maps themselves: whole vectors of all rows of all blocks.
static bool is_in_place(const tile* t, const oyi_conv_pass* pass,
                        const oyi_conv_stretch* stretches, int count) {
  const oyi_conv_plan* p = t->plan;
  return p->together == 1 && count == 1 && stretches[0].count == t->count &&
         stretches[0].step == 1 && t->count % t->tiles->lanes == 0 &&
         p->out % p->rows == 0 && pass->depth > 0;
}

static void run_in_place(const tile* t, const oyi_conv_pass* pass, int64_t out) {
  const oyi_conv_plan* p = t->plan;
  const int64_t item = p->v->item, map = oyi_volume(p->size);
  const int64_t first = t->strip->group * p->out;
  const int64_t channel = t->strip->sample * p->conv.map_channels + first;
  place to = {.next = p->rows * map * item, .pitch = map};
  for (int64_t b = 0; b < p->blocks; b += BLOCKS) {
    to.sums = p->to + ((channel + b * p->rows) * map + out) * item;
    to.bias = p->v->bias ? p->v->bias + (first + b * p->rows) * item : NULL;
    add_up(t, pass, b, oyi_at_most(BLOCKS, p->blocks - b), &to);
  }
}

// No element of the kernel falls there: zeros, or what is added to all.
static void store_nothing(const tile* t, const oyi_conv_stretch* stretches, int count) {
  const oyi_conv_plan* p = t->plan;
  const int64_t item = p->v->item, map = oyi_volume(p->size);
  const int64_t first = t->strip->group * p->out;
  char* to = p->to + (t->strip->sample * p->conv.map_channels + first) * map * item;
  for (int64_t i = 0; i < p->out; i++, to += map * item)
    for (int k = 0; k < count; k++) {
      char* out = to + stretches[k].out * item;
      if (p->v->bias)
        p->v->columns->fill(out, p->v->bias + (first + i) * item, stretches[k].count);
      else
        memset(out, 0, (size_t)(stretches[k].count * item));
    }
}

static void run_passes(const tile* t, const oyi_conv_pass* passes) {
  const oyi_conv_plan* p = t->plan;
  const int64_t size = p->rows * t->columns * p->v->item;
  _Alignas(64) char sums[BLOCKS * OYI_CONV_TILE_MAX * sizeof(float)];
  oyi_conv_stretch stretches[OYI_CONV_COLUMNS_MAX];
  const int count = find_stretches(t, passes, stretches);
  if (is_in_place(t, passes, stretches, count)) {
    run_in_place(t, passes, stretches[0].out);
    return;
  }
  if (p->together > 1 && oyi_conv_plan_is_empty(p, passes)) {
    store_nothing(t, stretches, count);
    return;
  }
  const int64_t most = BLOCKS / p->together;
  for (int64_t first = 0; first < p->blocks; first += most) {
    const int64_t blocks = oyi_at_most(most, p->blocks - first);
    for (int64_t i = 0; i < p->together; i++) {
      const place to = {
          .sums = sums + i * size, .next = p->together * size, .pitch = t->columns};
      add_up(t, &passes[i], first, blocks, &to);
    }
    for (int64_t b = 0; b < blocks; b++)
      store_tile(t, first + b, sums + b * p->together * size, stretches, count);
  }
}

// As many as are near, of what one tile reads of each.
static int64_t channels_near(const oyi_conv_plan* p, const oyi_conv_tiles* tiles) {
  const int64_t most = oyi_conv_tile_columns(tiles, p->rows);
  const oyi_conv* c = &p->conv;
  const int64_t columns = most + tiles->lanes;
  const int64_t below = (c->kernel[1] - 1) * c->dilation[1] * p->phases.size[2];
  const int64_t plane = oyi_at_most(c->kernel[1] * columns, below + columns);
  return NEAR_BYTES / (c->kernel[0] * plane * p->v->item) + 1;
}

void oyi_conv_strip_windows(const oyi_conv_plan* p, const oyi_conv_tiles* tiles,
                            const oyi_conv_strip* s) {
  const int64_t windows = (s->lines - 1) * p->phases.size[2] + s->width;
  tile t = {.plan = p,
            .tiles = tiles,
            .strip = s,
            .columns = oyi_conv_tile_columns(tiles, p->rows),
            .channels = channels_near(p, tiles)};
  for (; t.plane < s->planes; t.plane++)
    for (t.at = 0; t.at < windows; t.at += t.columns) {
      t.count = oyi_at_most(t.columns, windows - t.at);
      for (int64_t i = 0; i < p->count; i += p->together) run_passes(&t, &p->passes[i]);
    }
}
