// SPDX-License-Identifier: Apache-2.0
// Tiles of some windows of a line by a vector of maps. Each tile goes over some elements
// of the kernel at a time, whose weights stay near while several tiles use them.
#include <string.h>

#include "backends/cpu/conv/conv_strips.h"

enum {
  TILES = 8,               // that are computed together
  WEIGHT_BYTES = 64 << 10  // that they read at a time
};

int64_t oyi_conv_blocks_together(const oyi_conv_plan* p, const oyi_conv_tiles* tiles) {
  return p->out > tiles->lanes ? 2 : 1;
}

int64_t oyi_conv_tile_places(const oyi_conv_plan* p, const oyi_conv_tiles* tiles) {
  const int64_t together = oyi_conv_blocks_together(p, tiles);
  int64_t most = tiles->places / together;
  if (p->phases.step[2] > 2) most = oyi_at_most(most, OYI_CONV_FAR_PLACES / together);
  if (!p->by_line) return most;
  return oyi_at_most(most, tiles->line_room / together - p->conv.kernel[2]);
}

// Windows of a line: |from| and |to| are the first in the copy and in the plane.
typedef struct tile {
  int64_t from, to[OYI_SPATIAL], count;
} tile;

typedef struct block {
  const oyi_conv_plan* plan;
  const oyi_conv_tiles* tiles;
  const oyi_conv_strip* strip;
  int64_t index;     // of the group: which
  int64_t together;  // blocks that are computed at once
  int64_t pitch;     // windows of a tile, filled up to vectors
  int64_t size;      // of its sums, in elements
  void (*add)(const oyi_conv_taps* taps, const void* weights, const void* image,
              const int64_t* offsets, int64_t places, void* sums);
} block;

// Of what the windows of a tile see of a line, what is padding.
static void find_padding(const oyi_conv_plan* p, const oyi_conv_pass* pass, const tile* t,
                         oyi_conv_taps* taps) {
  const oyi_conv_reach* r = &pass->reach[2];
  const int64_t low = r->step < 0 ? r->first + 1 - r->count : r->first;
  const int64_t at = t->to[2] - p->conv.padding[2] + low;
  taps->width = r->count;
  taps->tap_step = r->step < 0 ? -p->rows : p->rows;
  taps->before = -at;
  taps->after = p->conv.image[2] - at;
}

// What of the kernel falls on lines of the image, for a tile: |depth| elements from |from|
// on are all of some channels. The first of them is at |*out_first|.
static oyi_conv_taps taps_inside(const oyi_conv_plan* p, const oyi_conv_pass* pass,
                                 const tile* t, int64_t depth, int64_t* out_first) {
  const int64_t line = pass->reach[2].count, plane = pass->reach[1].count * line;
  const oyi_conv_part z = oyi_conv_plan_inside(p, pass, 0, t->to[0]);
  const oyi_conv_part y = oyi_conv_plan_inside(p, pass, 1, t->to[1]);
  const oyi_conv_part first = oyi_conv_plan_inside(p, pass, 2, t->to[2]);
  const oyi_conv_part last = oyi_conv_plan_inside(p, pass, 2, t->to[2] + t->count - 1);
  *out_first = z.from * plane + y.from * line;
  oyi_conv_taps taps = {.channels = 1,
                        .planes = 1,
                        .run = depth,
                        .apart = p->phases.step[2],
                        .line = line,
                        .first_from = first.from,
                        .first_count = first.to - first.from,
                        .last_from = last.from,
                        .last_count = last.to - last.from};
  // A phase of an image may have no such line, where another one has.
  if (oyi_conv_plan_stretch(p, pass, t->to, t->count).count == 0) taps.channels = 0;
  if (p->by_line) find_padding(p, pass, t, &taps);
  if (first.to - first.from == line && last.to - last.from == line)
    taps.line = taps.first_count = taps.last_count = depth;
  if ((z.to - z.from) * (y.to - y.from) * line == pass->taps || !taps.channels)
    return taps;
  taps.channels = depth / pass->taps;
  taps.channel_step = pass->taps;
  taps.planes = z.to - z.from;
  taps.plane_step = plane;
  taps.run = (y.to - y.from) * line;
  return taps;
}

// Sums of |count| tiles, of |blocks| blocks.
static void add_up(const block* b, const oyi_conv_pass* pass, const tile* tiles,
                   int64_t count, int64_t blocks, char* sums) {
  const oyi_conv_plan* p = b->plan;
  const int64_t item = p->v->item, row = p->rows * item;
  const char* weights =
      pass->weights + (b->strip->group * p->blocks + b->index) * pass->depth * row;
  if (pass->depth == 0) memset(sums, 0, (size_t)(count * b->size * item));
  const int64_t step =
      (WEIGHT_BYTES / (row * blocks) / (pass->taps + 1) + 1) * pass->taps;
  for (int64_t k = 0; k < pass->depth; k += step)
    for (int64_t i = 0; i < count; i++) {
      int64_t first;
      oyi_conv_taps taps =
          taps_inside(p, pass, &tiles[i], oyi_at_most(step, pass->depth - k), &first);
      first += k;
      taps.other = blocks > 1 ? pass->depth * p->rows : 0;
      taps.more = k > 0;
      b->add(&taps, weights + first * row, b->strip->copy + tiles[i].from * item,
             pass->offsets + first, tiles[i].count, sums + i * b->size * item);
    }
}

// Block |index| from this one on. |sums|: of one pass, or of two that are together, half of
// all tiles apart.
static void store(const block* b, const oyi_conv_pass* pass, const tile* t, int64_t index,
                  const char* sums) {
  const oyi_conv_plan* p = b->plan;
  const int64_t first = (b->index + index) * p->rows;
  const int64_t maps = oyi_at_most(p->rows, p->out - first);
  const int64_t item = p->v->item, map = oyi_volume(p->size);
  const int64_t channel = b->strip->group * p->out + first;
  const char* bias = p->v->bias ? p->v->bias + channel * item : NULL;
  char* to = p->to + (b->strip->sample * p->conv.map_channels + channel) * map * item;
  const oyi_conv_stretch s = oyi_conv_plan_stretch(p, pass, t->to, t->count);
  if (p->together == 2) {
    b->tiles->put_pairs(sums, TILES / 2 * b->size, maps, s.from, s.count, bias, map,
                        to + s.out * item);
  } else if (s.step == 1) {
    b->tiles->put_maps(sums, maps, s.from, s.count, bias, map, to + s.out * item);
  } else {
    _Alignas(64) char rows[OYI_CONV_MAPS_MAX * sizeof(float)];
    b->tiles->put_maps(sums, maps, 0, t->count, NULL, b->pitch, rows);
    for (int64_t i = 0; i < maps; i++)
      oyi_conv_plan_store(p, &s, rows + i * b->pitch * item,
                          bias ? bias + i * item : NULL, to + i * map * item);
  }
}

// Asks for the lines that |count| tiles of |blocks| blocks are going to be stored in.
static void ask(const block* b, const oyi_conv_pass* pass, const tile* tiles,
                int64_t count, int64_t blocks) {
  const oyi_conv_plan* p = b->plan;
  const int64_t item = p->v->item, map = oyi_volume(p->size), first = b->index * p->rows;
  const int64_t channel = b->strip->group * p->out + first;
  char* to = p->to + (b->strip->sample * p->conv.map_channels + channel) * map * item;
  oyi_conv_stretch all[TILES];
  int64_t found = 0;
  for (int64_t k = 0; k < count; k++) {
    const oyi_conv_stretch s =
        oyi_conv_plan_stretch(p, pass, tiles[k].to, tiles[k].count);
    oyi_conv_stretch* last = found > 0 ? &all[found - 1] : NULL;
    if (last && s.out == last->out + last->count)
      last->count += s.count;
    else
      all[found++] = s;
  }
  const int64_t maps = oyi_at_most(blocks * p->rows, p->out - first);
  for (int64_t i = 0; i < maps; i++, to += map * item)
    for (int64_t k = 0; k < found; k++)
      for (int64_t x = 0; x < all[k].count * item; x += 64)
        __builtin_prefetch(to + all[k].out * item + x, 1, 2);
}

// Whether such passes write zeros.
static bool is_empty(const oyi_conv_plan* p, const oyi_conv_pass* passes) {
  return !p->v->bias && oyi_conv_plan_is_empty(p, passes);
}

// Zeros in all maps, where |count| tiles of such passes are.
static void clear_tiles(const block* b, const oyi_conv_pass* pass, const tile* tiles,
                        int64_t count) {
  const oyi_conv_plan* p = b->plan;
  const int64_t item = p->v->item, map = oyi_volume(p->size);
  const int64_t channel =
      b->strip->sample * p->conv.map_channels + b->strip->group * p->out;
  for (int64_t k = 0; k < count; k++) {
    const oyi_conv_stretch s =
        oyi_conv_plan_stretch(p, pass, tiles[k].to, tiles[k].count);
    char* to = p->to + (channel * map + s.out) * item;
    for (int64_t i = 0; i < p->out; i++, to += map * item) {
      if (s.step == 1) memset(to, 0, (size_t)(s.count * item));
      for (int64_t x = 0; x < s.count && s.step > 1; x++)
        memset(to + x * s.step * item, 0, (size_t)item);
    }
  }
}

// All maps of |count| tiles.
static void run_tiles(block* b, const tile* tiles, int64_t count) {
  const oyi_conv_plan* p = b->plan;
  const int64_t bytes = b->size * p->v->item, apart = TILES / p->together * bytes;
  const int64_t other = b->tiles->other_sums * p->v->item;
  _Alignas(64) char sums[TILES * OYI_CONV_MAPS_MAX * sizeof(float)];
  int64_t blocks = 1;
  for (int64_t pass = 0; pass < p->count; pass += p->together)
    if (is_empty(p, &p->passes[pass])) clear_tiles(b, &p->passes[pass], tiles, count);
  for (b->index = 0; b->index < p->blocks; b->index += blocks) {
    blocks = oyi_at_most(b->together, p->blocks - b->index);
    for (int64_t pass = 0; pass < p->count; pass += p->together) {
      if (is_empty(p, &p->passes[pass])) continue;
      ask(b, &p->passes[pass], tiles, count, blocks);
      for (int64_t i = 0; i < p->together; i++)
        add_up(b, &p->passes[pass + i], tiles, count, blocks, sums + i * apart);
      for (int64_t i = 0; i < count * blocks; i++)
        store(b, &p->passes[pass], &tiles[i % count], i / count,
              sums + i % count * bytes + i / count * other);
    }
  }
}

void oyi_conv_strip_maps(const oyi_conv_plan* p, const oyi_conv_tiles* tiles,
                         const oyi_conv_strip* s) {
  block b = {.plan = p,
             .tiles = tiles,
             .strip = s,
             // Two share what they read: half of the loads.
             .together = oyi_conv_blocks_together(p, tiles),
             .pitch = oyi_divide_up(tiles->places, tiles->lanes) * tiles->lanes,
             .add = p->by_line ? tiles->maps_by_line : tiles->maps};
  b.size = b.pitch * p->rows;
  if (b.size < 2 * tiles->other_sums) b.size = 2 * tiles->other_sums;
  const int64_t parts = oyi_divide_up(s->width, oyi_conv_tile_places(p, tiles));
  tile waiting[TILES];
  int64_t count = 0;
  const int64_t most = TILES / p->together, all = s->planes * s->lines * parts;
  for (int64_t i = 0; i < all; i++) {
    const int64_t plane = i / parts / s->lines, line = i / parts % s->lines;
    const int64_t from = i % parts * s->width / parts;
    const int64_t end = (i % parts + 1) * s->width / parts;
    const int64_t *size = p->phases.size, *step = p->phases.step;
    const int64_t place = plane * step[0] * size[1] + line * step[1];
    waiting[count++] =
        (tile){.from = place * size[2] + from * step[2],
               .to = {s->from[0] + plane, s->from[1] + line, s->from[2] + from},
               .count = end - from};
    if (count < most && i + 1 < all) continue;
    run_tiles(&b, waiting, count);
    count = 0;
  }
}
