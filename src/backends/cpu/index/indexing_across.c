// SPDX-License-Identifier: Apache-2.0
// Elements by index where what lies together is another dimension: each of them is in a line of
// its own, in which those of the next places are. Lines are read whole, and turned round.
#include <string.h>

#include "backends/cpu/index/indexing.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

// Of greater elements a line has too few.
enum { LINE = 64, AT_ONCE = 64, LEAST = 8, GREATEST = 8 };

typedef struct blocks {
  const oyi_across* x;
  int64_t places;      // of a line
  int64_t along, all;  // blocks of one line along the first dimension; in all
  int64_t piece;
} blocks;

// |places| elements from |self| on, for each index, into as many rows of the result.
static void take_block(const oyi_across* x, const char* self, char* to, int64_t places) {
  _Alignas(LINE) char lines[AT_ONCE * LINE];
  const int64_t item = x->item;
  for (int64_t first = 0, some; first < x->count; first += some) {
    const int64_t* offsets = x->offsets + first;
    some = x->count - first < AT_ONCE ? x->count - first : AT_ONCE;
    if (places * item == LINE)
      for (int64_t i = 0; i < some; i++)
        memcpy(lines + i * LINE, self + offsets[i] * x->scale, LINE);
    else
      for (int64_t i = 0; i < some; i++)
        memcpy(lines + i * LINE, self + offsets[i] * x->scale, (size_t)(places * item));
    oyi_move_rows(&(oyi_move){.item = (size_t)item,
                              .n = some,
                              .rows = places,
                              .to = to + first * item,
                              .from = lines,
                              .to_along = item,
                              .to_down = x->count * item,
                              .from_along = LINE,
                              .from_down = item});
  }
}

static oy_status take_piece(int64_t index, void* context) {
  const blocks* b = context;
  const oyi_across* x = b->x;
  const int64_t last = (index + 1) * b->piece, end = last < b->all ? last : b->all;
  for (int64_t block = index * b->piece; block < end; block++) {
    const int64_t first = block % b->along * b->places, left = x->sizes[0] - first;
    int64_t others = block / b->along;
    const int64_t place = others * x->sizes[0] + first;
    const char* self = x->self + first * x->item;
    for (size_t d = 1; d < x->ndim; others /= x->sizes[d++])
      self += others % x->sizes[d] * x->steps[d];
    take_block(x, self, x->other + place * x->count * x->item,
               left < b->places ? left : b->places);
  }
  return OY_OK;
}

bool oyi_indexing_take_across(const oyi_across* x) {
  if (x->ndim == 0 || x->item > GREATEST || x->steps[0] != x->item ||
      x->sizes[0] * x->item < LINE || x->scale < LINE || x->count < LEAST)
    return false;
  const int64_t places = LINE / x->item, along = (x->sizes[0] - 1) / places + 1;
  blocks b = {x, places, along, along, oyi_stretch(x->count * places)};
  for (size_t d = 1; d < x->ndim; d++) b.all *= x->sizes[d];
  // Nothing in a piece can fail.
  (void)!oyi_parallel_chunks((b.all - 1) / b.piece + 1, take_piece, &b);
  return true;
}
