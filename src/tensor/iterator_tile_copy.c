// SPDX-License-Identifier: Apache-2.0
// Copies by tiles, into their places as they are turned round.
#include "tensor/iterator_tile.h"
#include "tensor/move.h"

// A line of each column of the input, or more, but no more lines of the output than a few ways of
// the first cache have room for: parts of them are written again and again.
int64_t oyi_tile_rows_beside(const tiling* g) {
  enum { WAYS = 8, BESIDE = 16 };
  const int64_t down = g->it->strides[g->across][0], apart = down & (0 - down);
  const int64_t sets = PAGE / (apart < LINE ? LINE : oyi_tile_least(apart, PAGE));
  return oyi_tile_least(g->rows < BESIDE ? BESIDE : g->rows, sets * WAYS);
}

// The dimension in which the next tile is, where that is beside this one; 0: none.
static size_t next_beside(const tiling* g) {
  if (!g->others_first || g->it->ndim == 2) return 0;
  if (g->beside) return g->beside;
  return g->across == 1 ? 2 : 1;
}

// |count| tiles from |t| on in dimension |beside|.
static void copy_tiles(const tiling* g, const tile* t, size_t beside, int64_t count) {
  const int64_t item = oyi_tile_item(g, 0);
  oyi_move m = {.item = (size_t)item,
                .n = t->columns,
                .rows = t->rows,
                .to = t->data[0],
                .from = t->data[1],
                .to_along = t->strides[0],
                .to_down = t->down[0],
                .from_along = t->strides[1],
                .from_down = t->down[1],
                .ahead = t->rows * item};
  if (count == 1) {
    oyi_move_rows(&m);
    return;
  }
  m.more = count - 1;
  m.to_over = g->it->strides[beside][0];
  m.ahead = m.from_over = g->it->strides[beside][1];
  oyi_move_planes(&m);
}

// Tiles beside each other have few elements each, so that finding each of them would take longer
// than they do.
oy_status oyi_tiles_copy(int64_t index, void* context) {
  const tiling* g = context;
  const size_t beside = next_beside(g);
  const int64_t size = g->it->sizes[beside];
  const int64_t end = oyi_tile_least((index + 1) * g->tiles_at_a_time, g->tiles);
  for (int64_t i = index * g->tiles_at_a_time, count; i < end; i += count) {
    const tile t = oyi_tile_find(g, i);
    count = beside ? oyi_tile_least(size - i % size, end - i) : 1;
    copy_tiles(g, &t, beside, count);
  }
  return OY_OK;
}
