// SPDX-License-Identifier: Apache-2.0
// The walk itself, by one thread or by several.
#include "base/threads.h"
#include "tensor/iterator_packed.h"
#include "tensor/iterator_planes.h"
#include "tensor/iterator_stream.h"
#include "tensor/iterator_walk.h"
#include "tensor/move.h"

int64_t oyi_walk_steps(const oyi_iter* it, size_t first, size_t last) {
  int64_t steps = 1;
  for (size_t d = first; d < last; d++) steps *= it->sizes[d];
  return steps;
}

// Where a walk over some dimensions is.
typedef struct position {
  int64_t at[OY_TENSOR_MAX_DIMS];
  char* data[OYI_ITER_MAX];
} position;

static void position_set(position* p, const oyi_iter* it, size_t first, size_t last,
                         char* const* data, int64_t step) {
  memcpy(p->data, data, sizeof(p->data[0]) * (size_t)it->count);
  for (size_t d = first; d < last && step > 0; d++) {
    p->at[d] = step % it->sizes[d];
    step /= it->sizes[d];
    for (int k = 0; k < it->count; k++) p->data[k] += p->at[d] * it->strides[d][k];
    first = d + 1;
  }
  for (size_t d = first; d < last; d++) p->at[d] = 0;
}

// To the beginning of the row that is |rows| further.
static void next_row(position* p, const oyi_iter* it, size_t first, size_t last,
                     int64_t rows) {
  for (int k = 0; k < it->count; k++) p->data[k] -= p->at[first] * it->strides[first][k];
  p->at[first] = 0;
  for (size_t d = first + 1; d < last; d++, rows = 1) {
    for (int k = 0; k < it->count; k++) p->data[k] += it->strides[d][k] * rows;
    p->at[d] += rows;
    if (p->at[d] < it->sizes[d]) return;
    for (int k = 0; k < it->count; k++) p->data[k] -= it->strides[d][k] * it->sizes[d];
    p->at[d] = 0;
  }
}

// Whole rows of one dimension at a time, but for those that the range begins or ends in.
static void walk_blocks(const oyi_iter* it, size_t first, size_t last, char* const* data,
                        int64_t begin, int64_t end, oyi_block block, const void* args) {
  static const int64_t none[OYI_ITER_MAX];
  if (first == last) {
    if (begin < end) block(1, 1, data, none, none, args);
    return;
  }
  const int64_t* down = last - first > 1 ? it->strides[first + 1] : none;
  position p;
  position_set(&p, it, first, last, data, begin);
  while (begin < end) {
    int64_t n = it->sizes[first] - p.at[first], rows = 1;
    if (n > end - begin) {
      n = end - begin;
    } else if (p.at[first] == 0 && last - first > 1) {
      rows = it->sizes[first + 1] - p.at[first + 1];
      if (rows * n > end - begin) rows = (end - begin) / n;
    }
    block(n, rows, p.data, it->strides[first], down, args);
    begin += n * rows;
    if (begin < end) next_row(&p, it, first, last, rows);
  }
}

// Several of them are whole ones.
static void run_rows(int64_t n, int64_t rows, char* const* data, const int64_t* along,
                     const int64_t* down, const void* args) {
  const oyi_by_rows* by = args;
  if (rows == 1) {
    by->loop(n, data, along, by->args);
    return;
  }
  if (by->apart != 0 && rows >= OYI_PACKED_MANY) {
    const oyi_packed_row one = {1, &n, (const int64_t(*)[OYI_ITER_MAX])(const void*)along,
                                false};
    oyi_packed_run(by, &one, rows, data, down, by->apart);
    return;
  }
  char* at[OYI_ITER_MAX];
  memcpy(at, data, sizeof(at[0]) * (size_t)by->count);
  // What most have: steps of short rows count.
  for (int64_t row = 0; by->count == 3 && row < rows; row++) {
    by->loop(n, at, along, by->args);
    at[0] += down[0], at[1] += down[1], at[2] += down[2];
  }
  if (by->count == 3) return;
  for (int64_t row = 0; row < rows; row++) {
    by->loop(n, at, along, by->args);
    for (int k = 0; k < by->count; k++) at[k] += down[k];
  }
}

// Of the dimensions |first| to |last| - 1.
static oyi_by_rows by_rows(const oyi_iter* it, size_t first, size_t last, oyi_loop loop,
                           const void* args) {
  oyi_by_rows by = {loop, args, it, it->count, 0};
  if (last - first < 2 || it->sizes[first + 1] < OYI_PACKED_MANY) return by;
  const oyi_packed_row row = {1, it->sizes + first, it->strides + first, false};
  by.apart = oyi_packed_inputs(&by, &row, it->strides[first + 1]);
  return by;
}

void oyi_walk_range(const oyi_iter* it, size_t first, size_t last, char* const* data,
                    int64_t begin, int64_t end, oyi_loop loop, const void* args) {
  const oyi_by_rows by = by_rows(it, first, last, loop, args);
  walk_blocks(it, first, last, data, begin, end, run_rows, &by);
}

typedef struct job {
  const oyi_iter* it;
  oyi_block block;
  const void* args;
  int64_t steps, piece;
} job;

static oy_status run_piece(int64_t index, void* context) {
  const job* j = context;
  int64_t begin = index * j->piece;
  int64_t end = begin + j->piece < j->steps ? begin + j->piece : j->steps;
  walk_blocks(j->it, 0, j->it->ndim, j->it->data, begin, end, j->block, j->args);
  return OY_OK;
}

static void run_pieces(job* j, int64_t grain) {
  enum { WHOLE = 64 };
  j->piece = (oyi_even_piece(j->steps, grain) + WHOLE - 1) / WHOLE * WHOLE;
  (void)oyi_parallel_chunks((j->steps - 1) / j->piece + 1, run_piece, j);
}

// An output that stays in place, as in a fill of an expanded tensor, is written by
// one thread.
static bool stays_in_place(const oyi_iter* it) {
  for (size_t d = 0; d < it->ndim; d++)
    if (it->strides[d][0] == 0 && it->sizes[d] > 1) return true;
  return false;
}

// Rows of few elements below long ones: a loop is called for each row, and what it costs to
// begin is more than what it costs to step further.
static bool has_short_rows(const oyi_iter* it) {
  enum { SHORT = 8, LONGER = 4 };
  return it->ndim > 1 && it->sizes[0] < SHORT && it->sizes[1] >= LONGER * it->sizes[0];
}

// Whether they are copied as they lie, which reads each line of memory once; |in_order|: but for
// what lies across.
static bool packs_short_rows(const oyi_by_rows* by, bool in_order) {
  const oyi_iter* it = by->it;
  const oyi_packed_row row = {1, it->sizes, it->strides, in_order};
  return oyi_packed_inputs(by, &row, it->strides[1]) != 0;
}

// Dimensions |a| and |b| change places.
static oyi_iter exchanged(const oyi_iter* it, size_t a, size_t b) {
  oyi_iter turned = *it;
  turned.sizes[a] = it->sizes[b];
  turned.sizes[b] = it->sizes[a];
  memcpy(turned.strides[a], it->strides[b], sizeof(turned.strides[a]));
  memcpy(turned.strides[b], it->strides[a], sizeof(turned.strides[b]));
  return turned;
}

void oyi_iter_run_blocks(const oyi_iter* it, oyi_block block, const void* args) {
  job j = {it, block, args, oyi_walk_steps(it, 0, it->ndim), 0};
  if (stays_in_place(it) || oy_get_num_threads() == 1)
    walk_blocks(it, 0, it->ndim, it->data, 0, j.steps, block, args);
  else
    run_pieces(&j, OYI_ITER_GRAIN);
}

// In tiles by |loop|, NULL for copies, where that helps, else by |block|.
static void run(const oyi_iter* it, oyi_loop loop, const void* loop_args, oyi_block block,
                const void* args) {
  const bool packs = loop && ((const oyi_by_rows*)args)->apart != 0;
  if (it->ndim < 2 || packs || stays_in_place(it) || !oyi_walk_tiled(it, loop, loop_args))
    oyi_iter_run_blocks(it, block, args);
}

// Few rows, which lie together in all operands that have them: one thread takes them as they
// come.
static bool is_small(const oyi_iter* it) {
  enum { FEW = 4096 };
  if (it->ndim != 2 || it->sizes[0] * it->sizes[1] > FEW) return false;
  for (int k = 0; k < it->count; k++)
    if (it->strides[0][k] != 0 && it->strides[0][k] != oyi_item(it->tensors[k]))
      return false;
  return true;
}

void oyi_iter_run_dims(const oyi_iter* it, oyi_loop loop, const void* args) {
  if (!it->runs) return;
  if (it->ndim > 2 && !stays_in_place(it) && oyi_packed_walk(it, loop, args)) return;
  const oyi_by_rows by = by_rows(it, 0, it->ndim, loop, args);
  // Loops that step past what lies across two columns are as fast as copies, but of narrow
  // elements, of which vectors have many.
  const bool turns =
      has_short_rows(it) && !stays_in_place(it) &&
      !packs_short_rows(&by, oyi_item(it->tensors[0]) > 2 && it->sizes[0] < 3);
  if (is_small(it)) {
    const int along = turns ? 1 : 0, down = 1 - along;
    run_rows(it->sizes[along], it->sizes[down], it->data, it->strides[along],
             it->strides[down], &by);
    return;
  }
  if (OY_LIKELY(!turns)) {
    run(it, loop, args, run_rows, &by);
    return;
  }
  const oyi_iter turned = exchanged(it, 0, 1);
  const oyi_by_rows others = by_rows(&turned, 0, it->ndim, loop, args);
  run(&turned, loop, args, run_rows, &others);
}

void oyi_iter_run_heavy(const oyi_iter* it, oyi_loop loop, const void* args) {
  enum { GRAIN = 2048 };
  const int64_t steps = it->runs ? oyi_walk_steps(it, 0, it->ndim) : 0;
  if (steps <= GRAIN || oy_get_num_threads() == 1 || stays_in_place(it)) {
    oyi_iter_run(it, loop, args);
    return;
  }
  const oyi_by_rows by = by_rows(it, 0, it->ndim, loop, args);
  job j = {it, run_rows, &by, steps, 0};
  run_pieces(&j, GRAIN);
}

// ----------------------------------------------------------------------- copies

// args: the size of an element.
static void move_block(int64_t n, int64_t rows, char* const* data, const int64_t* along,
                       const int64_t* down, const void* args) {
  const oyi_move m = {.item = *(const size_t*)args,
                      .n = n,
                      .rows = rows,
                      .to = data[0],
                      .from = data[1],
                      .to_along = along[0],
                      .to_down = down[0],
                      .from_along = along[1],
                      .from_down = down[1]};
  oyi_move_rows(&m);
}

// Planes of a few rows that a move turns round by vectors, where each is worth its beginning.
static bool turns_planes(const oyi_iter* it, int64_t item) {
  enum { VECTOR = 32, FEW = 3, ENOUGH = 256 };
  return it->strides[0][0] == item && it->strides[1][1] == item && it->sizes[1] >= FEW &&
         it->sizes[0] * item >= VECTOR && it->sizes[0] * it->sizes[1] * item >= ENOUGH;
}

// The dimension that a block of rows goes down: the next one, unless that is so short that
// finding blocks would cost more than moving them. Of long rows it does not, and memory is
// written as it lies; nor of planes that are turned round.
static size_t longest(const oyi_iter* it, int64_t item) {
  enum { SHORT = 16, LONG = 1024 };
  size_t found = 1;
  if (it->ndim > 2 && it->sizes[1] < SHORT && !turns_planes(it, item) &&
      it->sizes[0] * item < LONG)
    for (size_t d = 2; d < it->ndim; d++)
      if (it->sizes[d] > it->sizes[found]) found = d;
  return found;
}

// Whether the elements along the fastest dimension are one of a greater size, by which moves have
// more of them at once.
static bool is_one_element(const oyi_iter* it, int64_t item) {
  enum { GREATEST = 16 };
  if (it->ndim < 2 || it->strides[0][0] != item || it->strides[0][1] != item)
    return false;
  const int64_t size = it->sizes[0] * item;
  return size <= GREATEST && (size & (size - 1)) == 0;
}

// What is left of a walk without a short dimension, whose steps come for each block of rows.
typedef struct strips {
  size_t item;
  int64_t count, to, from;  // of the short dimension
} strips;

// As many rows as stay in the nearest cache until those between them are written too.
static void move_strips(int64_t n, int64_t rows, char* const* data, const int64_t* along,
                        const int64_t* down, const void* args) {
  enum { NEAR = 16 << 10 };
  const strips* s = args;
  const int64_t fit = NEAR / (n * s->count * (int64_t)s->item), most = fit > 0 ? fit : 1;
  for (int64_t row = 0; row < rows; row += most) {
    const int64_t some = rows - row < most ? rows - row : most;
    for (int64_t k = 0; k < s->count; k++) {
      char* const at[] = {data[0] + row * down[0] + k * s->to,
                          data[1] + row * down[1] + k * s->from};
      move_block(n, some, at, along, down, &s->item);
    }
  }
}

// Whether rows of the second dimension, which is short, are written by passes of the |down|th one
// of which each would come to the same lines again.
static bool goes_in_strips(const oyi_iter* it, size_t down, int64_t item) {
  enum { FAR = 256 << 10 };
  const int64_t plane = it->sizes[0] * it->sizes[1] * item;
  return it->strides[0][0] == item && it->strides[0][1] == item &&
         it->strides[1][0] == it->sizes[0] * item && it->strides[down][0] == plane &&
         plane * it->sizes[down] >= FAR && !stays_in_place(it);
}

static void run_strips(const oyi_iter* it, size_t down, size_t item) {
  const strips s = {item, it->sizes[1], it->strides[1][0], it->strides[1][1]};
  oyi_iter rest = exchanged(it, 1, down);
  rest.ndim--;
  for (size_t d = down; d < rest.ndim; d++) {
    rest.sizes[d] = it->sizes[d + 1];
    memcpy(rest.strides[d], it->strides[d + 1], sizeof(rest.strides[d]));
  }
  oyi_iter_run_blocks(&rest, move_strips, &s);
}

static void move_dims(const oyi_iter* it, size_t item) {
  if (!stays_in_place(it) && oyi_iter_move_planes(it, item)) return;
  const size_t down = longest(it, (int64_t)item);
  if (down == 1) {
    run(it, NULL, &item, move_block, &item);
    return;
  }
  if (goes_in_strips(it, down, (int64_t)item)) {
    run_strips(it, down, item);
    return;
  }
  const oyi_iter turned = exchanged(it, 1, down);
  run(&turned, NULL, &item, move_block, &item);
}

void oyi_iter_move(const oyi_iter* it) {
  if (!it->runs) return;
  static const int64_t none[2];
  const size_t item = (size_t)oyi_item(it->tensors[0]);
  if (it->ndim == 1 && it->sizes[0] <= OYI_ITER_GRAIN) {
    move_block(it->sizes[0], 1, it->data, it->strides[0], none, &item);
    return;
  }
  if (oyi_iter_stream_move(it)) return;
  if (!is_one_element(it, (int64_t)item)) {
    move_dims(it, item);
    return;
  }
  oyi_iter whole;
  whole.count = it->count;
  whole.ndim = it->ndim - 1;
  memcpy(whole.tensors, it->tensors, sizeof(whole.tensors));
  memcpy(whole.data, it->data, sizeof(whole.data));
  memcpy(whole.sizes, it->sizes + 1, whole.ndim * sizeof(*whole.sizes));
  memcpy(whole.strides, it->strides + 1, whole.ndim * sizeof(*whole.strides));
  move_dims(&whole, item * (size_t)it->sizes[0]);
}
