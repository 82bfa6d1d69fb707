// SPDX-License-Identifier: Apache-2.0
// Where the windows of a pool lie.
#include "backends/cpu/neural/pool_windows.h"

#include "base/memory.h"

typedef oyi_pool_range range;
typedef oyi_pool_windows windows;

static range adaptive_range(int64_t i, int64_t in, int64_t out) {
  int64_t from = i / out * in + i % out * in / out;
  int64_t to = ((i + 1) * in + out - 1) / out;
  return (range){from, to, to - from};
}

static range fixed_range(const oyi_pool* p, size_t d, int64_t i) {
  const int64_t dilation = p->dilation[d], reach = (p->kernel[d] - 1) * dilation + 1;
  int64_t from = i * p->stride[d] - p->padding[d], to = from + reach;
  int64_t padded = to < p->in[d] + p->padding[d] ? to : p->in[d] + p->padding[d];
  range r = {from, to < p->in[d] ? to : p->in[d], padded - from};
  if (from < 0) r.from = from + (-from + dilation - 1) / dilation * dilation;
  return r;
}

static bool is_next(range a, range b, int64_t advance) {
  return b.from - a.from == advance && b.to - a.to == advance;
}
// Around the middle one; none where the indices do not fit.
static void find_alike(windows* w) {
  const range* r = w->ranges[2];
  const int64_t middle = w->out[2] / 2;
  w->first = w->last = 0;
  w->is_small = w->in[0] * w->in[1] * w->in[2] <= INT32_MAX;
  if (middle < 1 || !w->is_small) return;
  w->advance = r[middle].from - r[middle - 1].from;
  w->first = w->last = middle;
  while (w->first > 0 && is_next(r[w->first - 1], r[w->first], w->advance)) w->first--;
  while (w->last + 1 < w->out[2] && is_next(r[w->last], r[w->last + 1], w->advance))
    w->last++;
  w->last++;
}

static bool find_tiles(const windows* w) {
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    int64_t end = 0;
    for (int64_t i = 0; i < w->out[d]; i++) {
      if (w->step[d] != 1 || w->ranges[d][i].from != end) return false;
      end = w->ranges[d][i].to;
    }
    if (end != w->in[d]) return false;
  }
  return w->last - w->first <= w->advance;
}

// Makes one dimension of |d| and the next one, of which the only window sees all; where
// sums of elements of |item| bytes stay as they are, if that is not 0.
static void merge(windows* w, size_t d, int64_t item) {
  range *r = w->ranges[d], *all = w->ranges[d + 1];
  const int64_t wide = w->in[d + 1];
  if (w->out[d + 1] != 1 || all->from != 0 || all->to != wide) return;
  if (wide != 1 && (w->step[d] != 1 || w->step[d + 1] != 1)) return;
  for (int64_t i = 0; i < w->out[d] && item; i++)
    if (!oyi_pool_is_narrow((r[i].to - r[i].from) * wide, item)) return;
  for (int64_t i = 0; i < w->out[d]; i++)
    r[i] = (range){r[i].from * wide, r[i].to * wide, r[i].extent * all->extent};
  *all = (range){0, 1, 1};
  w->ranges[d] = all, w->ranges[d + 1] = r;
  w->in[d + 1] *= w->in[d], w->in[d] = 1;
  w->out[d + 1] = w->out[d], w->out[d] = 1;
  w->step[d + 1] = w->step[d], w->step[d] = 1;
}

static oy_status make(const oyi_pool* p, const oyi_pool_how* how, windows* w) {
  size_t count = 0;
  for (size_t d = 0; d < OYI_SPATIAL; d++) count += (size_t)p->out[d];
  range* r = oyi_calloc(count + 1, sizeof(range));
  if (!r) return OY_OUT_OF_MEMORY;
  *w = (windows){.block = r,
                 .count_padding = how->count_padding,
                 .divisor = how->divisor,
                 .channels = 1};
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    w->in[d] = p->in[d], w->out[d] = p->out[d];
    w->step[d] = how->adaptive ? 1 : p->dilation[d];
    w->ranges[d] = r;
    for (int64_t i = 0; i < p->out[d]; i++)
      *r++ =
          how->adaptive ? adaptive_range(i, p->in[d], p->out[d]) : fixed_range(p, d, i);
  }
  return OY_OK;
}

static oy_status look_at(windows* w) {
  find_alike(w);
  w->are_tiles = find_tiles(w);
  return OY_OK;
}

oy_status oyi_pool_windows_of(const oyi_pool* p, const oyi_pool_how* how, int64_t item,
                              windows* w) {
  OY_TRY(make(p, how, w));
  merge(w, 1, item);
  merge(w, 0, item);
  merge(w, 1, item);
  return look_at(w);
}
oy_status oyi_pool_windows_apart(const oyi_pool* p, const oyi_pool_how* how, windows* w) {
  OY_TRY(make(p, how, w));
  return look_at(w);
}
