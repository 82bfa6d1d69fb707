// SPDX-License-Identifier: Apache-2.0
#include "tensor/iterator_packed.h"

#include "base/threads.h"
#include "tensor/iterator_walk.h"
#include "tensor/move.h"

// Rows as short as this are worth a copy, or two, and bytes of those that are taken at once. What
// is copied once for all rows may be longer, where a row has many stretches.
enum {
  PACKED_ROW = 128,
  TWICE_PACKED_ROW = 64,
  PACKED_ONCE = 8192,
  PACKED = 8192,
  PACKED_INPUTS = 3,
  // Elements of a row, of which two copies are worth more than its beginning.
  TWICE_PACKED = 8,
  // Of what lies across, or apart in other ways: elements of a row, and bytes at once.
  ACROSS_ROW = 32,
  ACROSS = 4096
};

typedef enum way { TOGETHER, APART, ACROSS_OTHERS, NEITHER } way;

// Whether the rows of operand |k| continue each other. One number for all is as good.
static way way_of(const oyi_packed_row* row, const int64_t* down, int k, int64_t item) {
  const int64_t along = row->along[k], between = row->inner > 1 ? row->between[k] : 0;
  if (k > 0 && along == 0 && between == 0 && down[k] == 0) return TOGETHER;
  if (along == item && (row->inner == 1 || between == row->n * item) &&
      down[k] == row->n * row->inner * item)
    return TOGETHER;
  if (k == 0) return NEITHER;
  return along == item || along == 0 ? APART : ACROSS_OTHERS;
}

unsigned oyi_packed_inputs(const oyi_by_rows* by, const oyi_packed_row* row,
                           const int64_t* down) {
  unsigned found = 0;
  int64_t longest = 0, longest_copy = 0;
  bool once = row->inner > 1, across = false;
  for (int k = 0; k < by->count; k++) {
    const int64_t item = (int64_t)oyi_item(by->it->tensors[k]);
    const int64_t bytes = row->n * row->inner * item;
    const way is = way_of(row, down, k, item);
    if (is == NEITHER || bytes > PACKED_ONCE) return 0;
    if (is == ACROSS_OTHERS && (row->in_order || row->n > ACROSS_ROW)) return 0;
    across = across || is == ACROSS_OTHERS;
    if (bytes > longest) longest = bytes;
    if (is == TOGETHER) continue;
    found |= 1u << k;
    once = once && down[k] == 0;
    if (bytes > longest_copy) longest_copy = bytes;
  }
  const int copies = __builtin_popcount(found);
  if (across) return copies <= PACKED_INPUTS && longest <= ACROSS ? found : 0;
  if (copies > PACKED_INPUTS || (longest > PACKED_ROW && !once)) return 0;
  return copies <= 1 || once || longest_copy <= TWICE_PACKED_ROW || row->n <= TWICE_PACKED
             ? found
             : 0;
}

// |rows| rows of operand |k| from |from| on, one behind the other: those of one place of the
// second dimension at a time, or both dimensions of one row, where that turns them round.
static void copy_rows(const oyi_packed_row* row, int k, int64_t item, int64_t rows,
                      char* to, const char* from, int64_t down) {
  const int64_t between = row->inner > 1 ? row->between[k] : 0, whole = row->n * item;
  oyi_move m = {
      .item = (size_t)item, .n = row->n, .to_along = item, .from_along = row->along[k]};
  const bool turns = row->inner > 1 && m.from_along != item && m.from_along != 0 &&
                     (between == item || rows < row->inner);
  const int64_t steps = turns ? rows : row->inner;
  m.rows = turns ? row->inner : rows;
  m.to_down = turns ? whole : whole * row->inner;
  m.from_down = turns ? between : down;
  for (int64_t i = 0; i < steps; i++) {
    m.to = to + i * (turns ? whole * row->inner : whole);
    m.from = from + i * (turns ? down : between);
    oyi_move_rows(&m);
  }
}

void oyi_packed_run(const oyi_by_rows* by, const oyi_packed_row* row, int64_t rows,
                    char* const* data, const int64_t* down, unsigned apart) {
  _Alignas(64) char copies[PACKED_INPUTS][PACKED];
  const int64_t n = row->n * row->inner;
  int64_t most = PACKED, steps[OYI_ITER_MAX];
  char* at[OYI_ITER_MAX];
  memcpy(steps, row->along, sizeof(steps[0]) * (size_t)by->count);
  for (unsigned left = apart; left; left &= left - 1) {
    const int k = __builtin_ctz(left);
    steps[k] = oyi_item(by->it->tensors[k]);
    const int64_t fit = PACKED / (n * steps[k]);
    if (fit < most) most = fit;
  }
  for (int64_t done = 0, some; done < rows; done += some) {
    some = rows - done < most ? rows - done : most;
    for (int k = 0; k < by->count; k++) at[k] = data[k] + done * down[k];
    char* copy = copies[0];
    for (unsigned left = apart; left; left &= left - 1, copy += PACKED) {
      const int k = __builtin_ctz(left);
      // A row for all of them is there already.
      if (done == 0 || down[k] != 0)
        copy_rows(row, k, steps[k], some, copy, at[k], down[k]);
      at[k] = copy;
    }
    by->loop(n * some, at, steps, by->args);
  }
}

// ------------------------------------------------------------ rows of two dimensions

typedef struct packed_walk {
  oyi_by_rows by;
  oyi_packed_row row;
  unsigned apart;
  int64_t rows, chunk;
} packed_walk;

// The rows of a chunk, along the third dimension and those that follow it.
static oy_status walk_chunk(int64_t index, void* context) {
  const packed_walk* w = context;
  const oyi_iter* it = w->by.it;
  const int64_t last = (index + 1) * w->chunk, end = last < w->rows ? last : w->rows;
  for (int64_t at = index * w->chunk, count; at < end; at += count) {
    char* data[OYI_ITER_MAX];
    memcpy(data, it->data, sizeof(data[0]) * (size_t)it->count);
    int64_t step = at;
    for (size_t d = 2; d < it->ndim; step /= it->sizes[d++])
      for (int k = 0; k < it->count; k++)
        data[k] += step % it->sizes[d] * it->strides[d][k];
    count = it->sizes[2] - at % it->sizes[2];
    if (count > end - at) count = end - at;
    oyi_packed_run(&w->by, &w->row, count, data, it->strides[2], w->apart);
  }
  return OY_OK;
}

bool oyi_packed_walk(const oyi_iter* it, oyi_loop loop, const void* args) {
  if (it->ndim < 3 || it->sizes[2] < OYI_PACKED_MANY ||
      it->sizes[0] * it->sizes[1] > PACKED_ONCE)
    return false;
  packed_walk w = {
      .by = {loop, args, it, it->count},
      .row = {it->sizes[0], it->sizes[1], it->strides[0], it->strides[1], false}};
  w.apart = oyi_packed_inputs(&w.by, &w.row, it->strides[2]);
  if (w.apart == 0) return false;
  const int64_t n = it->sizes[0] * it->sizes[1];
  w.rows = oyi_walk_steps(it, 2, it->ndim);
  w.chunk = OYI_ITER_GRAIN / n;
  (void)oyi_parallel_chunks((w.rows - 1) / w.chunk + 1, walk_chunk, &w);
  return true;
}
