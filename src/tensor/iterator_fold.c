// SPDX-License-Identifier: Apache-2.0
// A copy of few columns, each of lines in which short stretches follow each other, that come to
// lie apart: blocks of columns are turned round, and their rows go to where they belong.
#include "base/threads.h"
#include "tensor/iterator_walk.h"
#include "tensor/move.h"

typedef struct folding {
  const oyi_iter* it;
  size_t short_dim, long_dim;  // of a stretch; of which there are many
  int64_t item, rows, blocks;  // stretches of a block; blocks along the long dimension
} folding;

enum {
  LINE = 64,
  LEAST = 8,         // elements of a row that make tiles worth while
  FOLDED = 8 << 10,  // bytes of a block
};

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static oy_status copy_block(int64_t index, void* context) {
  const folding* f = context;
  const oyi_iter* it = f->it;
  const size_t s = f->short_dim, l = f->long_dim;
  const int64_t row = it->sizes[0] * f->item, first = index % f->blocks * f->rows;
  _Alignas(LINE) char buffer[FOLDED];
  char *to = it->data[0] + first * it->strides[l][0],
       *from = it->data[1] + first * it->strides[l][1];
  index /= f->blocks;
  for (size_t d = 1; d < it->ndim; d++) {
    if (d == s || d == l) continue;
    to += index % it->sizes[d] * it->strides[d][0];
    from += index % it->sizes[d] * it->strides[d][1];
    index /= it->sizes[d];
  }
  const int64_t rows = least(f->rows, it->sizes[l] - first);
  oyi_move_rows(&(oyi_move){.item = (size_t)f->item,
                            .n = it->sizes[0],
                            .rows = rows * it->sizes[s],
                            .to = buffer,
                            .from = from,
                            .to_along = f->item,
                            .to_down = row,
                            .from_along = it->strides[0][1],
                            .from_down = f->item});
  for (int64_t k = 0; k < it->sizes[s]; k++)
    oyi_move_rows(&(oyi_move){.item = (size_t)f->item,
                              .n = it->sizes[0],
                              .rows = rows,
                              .to = to + k * it->strides[s][0],
                              .from = buffer + k * row,
                              .to_along = f->item,
                              .to_down = it->strides[l][0],
                              .from_along = f->item,
                              .from_down = it->sizes[s] * row});
  return OY_OK;
}

// Stretches of more than a few elements are worth it for few columns, which tiles would have.
static int64_t longest_stretch(const oyi_iter* it) {
  enum { FEW_COLUMNS = 32, SHORT = 16 };
  return it->sizes[0] < FEW_COLUMNS ? SHORT : LEAST - 1;
}

static bool find_folding(folding* f) {
  enum { LEAST_ROW = 8, MOST_ROW = 512, LONG = 8, ENOUGH = 64 };
  const oyi_iter* it = f->it;
  const int64_t row = it->sizes[0] * f->item;
  if (it->ndim < 3 || row < LEAST_ROW || row > MOST_ROW || it->strides[0][0] != f->item ||
      it->strides[0][1] < LINE)
    return false;
  f->short_dim = f->long_dim = 0;
  for (size_t d = 1; d < it->ndim; d++)
    if (it->strides[d][1] == f->item && it->sizes[d] <= longest_stretch(it))
      f->short_dim = d;
  if (f->short_dim == 0) return false;
  const int64_t stretch = it->sizes[f->short_dim];
  for (size_t d = 1; d < it->ndim; d++)
    if (it->strides[d][1] == stretch * f->item && it->sizes[d] >= LONG &&
        it->sizes[d] * stretch >= ENOUGH)
      f->long_dim = d;
  f->rows = FOLDED / (row * stretch);
  if (f->long_dim == 0 || f->rows == 0) return false;
  f->blocks = (it->sizes[f->long_dim] - 1) / f->rows + 1;
  return true;
}

bool oyi_walk_folded(const oyi_iter* it, int64_t item, int64_t steps) {
  folding f = {.it = it, .item = item};
  if (!find_folding(&f)) return false;
  const int64_t plane = it->sizes[0] * it->sizes[f.short_dim] * it->sizes[f.long_dim];
  (void)oyi_parallel_chunks(f.blocks * (steps / plane), copy_block, &f);
  return true;
}
