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

tile oyi_tile_find(const tiling* g, int64_t index);

// Rows of a copy of which parts of lines come to what is next.
int64_t oyi_tile_rows_beside(const tiling* g);

// A chunk of a copy, |context| being its tiling.
oy_status oyi_tiles_copy(int64_t index, void* context);

#endif  // OPYARD_SRC_TENSOR_ITERATOR_TILE_H_
