// SPDX-License-Identifier: Apache-2.0
// What walks by tiles, and copies by them, share.
#ifndef OPYARD_SRC_TENSOR_ITERATOR_TILE_H_
#define OPYARD_SRC_TENSOR_ITERATOR_TILE_H_

#include "tensor/iterator_walk.h"

enum {
  LINE = 64,
  COLUMNS = 256,
  PAGE = 4096,
  PACKED_MOST = 2,  // inputs that are turned round, or brought together
};

typedef struct tiling {
  const oyi_iter* it;
  oyi_loop loop;
  const void* args;
  size_t across;  // the dimension in which the inputs are contiguous
  size_t beside;  // that which has the next elements of a line; 0: none
  int packed[PACKED_MOST], packed_count;
  int64_t rows, columns;  // of a tile
  int64_t joined;         // columns of one of several stretches that are a row; 0: one
  int64_t over[PACKED_MOST];  // from stretch to stretch of what is turned round
  bool others_first;          // what is beside a tile goes before what is below it
  int64_t tiles_down, tiles;  // along |across|; in all
  int64_t tiles_at_a_time;
} tiling;

// What is copied may be several elements at a time.
static inline int64_t oyi_tile_item(const tiling* g, int k) {
  return g->loop ? oyi_item(g->it->tensors[k]) : (int64_t) * (const size_t*)g->args;
}

typedef struct tile {
  char* data[OYI_ITER_MAX];
  int64_t down[OYI_ITER_MAX];     // from row to row
  int64_t strides[OYI_ITER_MAX];  // within a row
  int64_t rows, columns;
} tile;

static inline int64_t oyi_tile_least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline void oyi_tile_move(tile* t, const oyi_iter* it, size_t dim, int64_t steps) {
  for (int k = 0; k < it->count; k++) t->data[k] += steps * it->strides[dim][k];
}

// To the place of |index| in dimension |d|; what is left of it.
static inline int64_t oyi_tile_other(tile* t, const oyi_iter* it, size_t d,
                                     int64_t index) {
  oyi_tile_move(t, it, d, index % it->sizes[d]);
  return index / it->sizes[d];
}

// In all other dimensions.
static inline int64_t oyi_tile_others(tile* t, const tiling* g, int64_t index) {
  const oyi_iter* it = g->it;
  if (g->beside) index = oyi_tile_other(t, it, g->beside, index);
  for (size_t d = 1; d < it->ndim; d++)
    if (d != g->across && d != g->beside) index = oyi_tile_other(t, it, d, index);
  return index;
}

// Tiles are counted down first: the next one has the neighbouring lines of the input,
// in the same pages.
static inline tile oyi_tile_find(const tiling* g, int64_t index) {
  const oyi_iter* it = g->it;
  tile t;
  memcpy(t.data, it->data, sizeof(t.data[0]) * (size_t)it->count);
  if (g->others_first) index = oyi_tile_others(&t, g, index);
  const int64_t row = index % g->tiles_down * g->rows;
  index /= g->tiles_down;
  const int64_t across = (it->sizes[0] - 1) / g->columns + 1;
  const int64_t column = index % across * g->columns;
  if (!g->others_first) oyi_tile_others(&t, g, index / across);
  oyi_tile_move(&t, it, 0, column);
  oyi_tile_move(&t, it, g->across, row);
  for (int p = 0; g->joined && p < g->packed_count; p++)
    t.data[g->packed[p]] +=
        column / g->joined * g->over[p] - column * it->strides[0][g->packed[p]];
  t.rows = oyi_tile_least(g->rows, it->sizes[g->across] - row);
  t.columns = oyi_tile_least(g->columns, it->sizes[0] - column);
  memcpy(t.down, it->strides[g->across], sizeof(t.down));
  memcpy(t.strides, it->strides[0], sizeof(t.strides));
  return t;
}

// Rows of a copy of which parts of lines come to what is next.
int64_t oyi_tile_rows_beside(const tiling* g);

// A chunk of a copy, |context| being its tiling.
oy_status oyi_tiles_copy(int64_t index, void* context);

#endif  // OPYARD_SRC_TENSOR_ITERATOR_TILE_H_
