// SPDX-License-Identifier: Apache-2.0
// The table of windows, and the loops of the first level.
#define LEVEL(id) id
#include "backends/cpu/neural/pool_ways_body.h"
#include "base/memory.h"

enum {
  LANES = 8,         // that a vector has at most
  ROUNDS = 4,        // that a table is worth
  TOGETHER = 16,     // places that go together
  MOST_COUNT = 128,  // elements of a window
  MOST = 1 << 13     // elements of all of them
};

static int64_t count_of(const windows* w, size_t d, int64_t i) {
  const range r = w->ranges[d][i];
  return r.to > r.from ? (r.to - r.from + w->step[d] - 1) / w->step[d] : 0;
}

// The elements of the windows along one dimension, and of the greatest; 0 if one has none.
static int64_t sum_of(const windows* w, size_t d, int64_t* most) {
  int64_t sum = 0;
  for (int64_t i = 0; i < w->out[d]; i++) {
    const int64_t count = count_of(w, d, i);
    if (count == 0) return 0;
    if (count > *most) *most = count;
    sum += count;
  }
  return sum;
}

// Whether vectors of neighbouring windows leave most of a line to one place at a time, and a
// table is not great, nor for |rounds| alone.
static bool is_worth(const windows* w, int64_t rounds, int64_t lanes) {
  const int64_t alike = w->last - w->first;
  if (!w->is_small || rounds < ROUNDS) return false;
  if (alike >= lanes / 2 && w->out[2] - alike < alike &&
      (w->advance == 1 || w->advance == 2))
    return false;
  int64_t all = 1, window = 1;
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    int64_t most = 0;
    if (__builtin_mul_overflow(all, sum_of(w, d, &most), &all)) return false;
    window *= most;
    if (window > MOST_COUNT || all == 0 || all > MOST) return false;
  }
  return true;
}

// What the walk over all places of a group has come to.
typedef struct cursor {
  const windows* w;
  int64_t place[OYI_SPATIAL], base;
  int64_t counts[OYI_SPATIAL];
} cursor;

// At place |i| of a group.
static cursor cursor_at(const windows* w, int64_t i) {
  const int64_t line = i / w->out[2], plane = line / w->out[1];
  cursor c = {w,
              {plane % w->out[0], line % w->out[1], i % w->out[2]},
              plane / w->out[0] * w->in[0] * w->in[1] * w->in[2],
              {0}};
  for (size_t d = 0; d < OYI_SPATIAL; d++) c.counts[d] = count_of(w, d, c.place[d]);
  return c;
}

static void next(cursor* c) {
  const windows* w = c->w;
  size_t d = OYI_SPATIAL - 1;
  for (; ++c->place[d] == w->out[d]; d--) {
    c->place[d] = 0;
    c->counts[d] = count_of(w, d, 0);
    if (d > 0) continue;
    c->base += w->in[0] * w->in[1] * w->in[2];
    return;
  }
  c->counts[d] = count_of(w, d, c->place[d]);
}

#define T   float
#define INT int32_t
#define ID  f32
#include "backends/cpu/neural/pool_places_tmpl.h"
#undef T
#undef INT
#undef ID
#define T   double
#define INT int64_t
#define ID  f64
#include "backends/cpu/neural/pool_places_tmpl.h"

oyi_pool_places* oyi_pool_places_new(const oyi_pool_windows* w, int64_t planes,
                                     const oyi_pool_ways* ways) {
  const int64_t lanes = ways->lanes, plane = w->out[0] * w->out[1] * w->out[2];
  oyi_pool_places p = {.planes = (TOGETHER + plane - 1) / plane};
  if (!is_worth(w, planes / p.planes, lanes)) return NULL;
  if (w->in[0] * w->in[1] * w->in[2] > INT32_MAX / p.planes) return NULL;
  int64_t window = 1;
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    int64_t most = 0;
    sum_of(w, d, &most);
    window *= most;
  }
  p.count = p.planes * plane;
  if (p.count < lanes) return NULL;
  p.vectors = (p.count + lanes - 1) / lanes;
  const size_t row = (size_t)(p.vectors * lanes * ways->item),
               begins = ((size_t)p.vectors + 1) * sizeof(int64_t);
  char* made = oyi_malloc(sizeof(p) + (3 + (size_t)window) * row + begins);
  if (!made) return NULL;
  p.counts = made + sizeof(p);
  p.bases = (char*)p.counts + row;
  p.divisors = (char*)p.bases + row;
  p.offsets = (char*)p.divisors + row;
  p.begin = (int64_t*)((char*)p.offsets + (size_t)window * row);
  (ways->item == sizeof(float) ? fill_f32 : fill_f64)(w, &p, lanes);
  memcpy(made, &p, sizeof(p));
  return (oyi_pool_places*)made;
}
