// SPDX-License-Identifier: Apache-2.0
// The ways over the rows of a block of results: down each row, or across all of them.
#include <string.h>

#include "backends/cpu/reduce/reduce_block.h"
#include "tensor/element.h"
#include "tensor/move.h"

// |SHORT_ROW| elements are sooner copied than reduced by a call of their own, and so many as
// |READ_BYTES| has are converted at once, as are rows of 16-bit floats below |HALF_ROW|.
// Rows of |FEW_OF_ROW| are brought together wherever they lie, of |FEW_RESULTS|, or where each
// call ends with quotients.
enum { FEW_RESULTS = 8, FEW_OF_ROW = 32 };
enum { FEW_COLUMNS = 32 };
enum { SHORT_ROW = 128, HALF_ROW = 64, READ_BYTES = OYI_REDUCE_ROW * 16 };

// Brings |n| elements together as the reducer reads them.
static inline void bring(const walk* w, char* to, const char* x, int64_t step,
                         int64_t n) {
  const int64_t item = oyi_dtype_bytes[w->reducer->in];
  if (!w->converts && step == item)
    memcpy(to, x, (size_t)(n * item));
  else if (w->one_step && step == oyi_dtype_bytes[w->in_dtype])
    w->one_step(to, x, n);
  else
    oyi_convert_row(w->reducer->in, to, item, w->in_dtype, x, step, n);
}

static void reduce_some(const block* b, int64_t at, const char* x, int64_t n,
                        int64_t first) {
  const walk* w = b->w;
  int64_t step = w->reduced[0].in;
  if (!w->converts) {
    w->reducer->row(b->state, at, x, n, step, first, w->args);
    return;
  }
  if (w->half) {
    w->half->row(b->state, at, x, n, w->args);
    return;
  }
  _Alignas(64) char read[READ_BYTES];
  int64_t item = oyi_dtype_bytes[w->reducer->in];
  bring(w, read, x, step, n);
  w->reducer->row(b->state, at, read, n, item, first, w->args);
}

// Rows that one call takes each, as most are: nothing else is done for one.
static void reduce_each(const block* b, const char* x, int64_t n) {
  const walk* w = b->w;
  const oyi_reduce_row_fn row = w->reducer->row;
  for (int64_t at = 0; at < b->n; at++, x += w->step)
    row(b->state, at, x, n, w->reduced[0].in, 0, w->args);
}

// The same of rows of 16-bit floats that are read as they lie.
static void reduce_each_half(const block* b, const char* x, int64_t n) {
  const walk* w = b->w;
  for (int64_t at = 0; at < b->n; at++, x += w->step)
    w->half->row(b->state, at, x, n, w->args);
}

// The same of rows that follow each other and are read as another dtype: several are
// converted at once.
static void reduce_each_converted(const block* b, const char* x, int64_t n) {
  const walk* w = b->w;
  _Alignas(64) char read[READ_BYTES];
  const int64_t item = oyi_dtype_bytes[w->reducer->in], most = READ_BYTES / (n * item);
  for (int64_t at = 0, some; at < b->n; at += some, x += some * w->step) {
    some = b->n - at < most ? b->n - at : most;
    bring(w, read, x, w->reduced[0].in, some * n);
    for (int64_t k = 0; k < some; k++)
      w->reducer->row(b->state, at + k, read + k * n * item, n, item, 0, w->args);
  }
}

// How each row of the block is reduced, if one call takes it; NULL: otherwise.
typedef void (*each_fn)(const block* b, const char* x, int64_t n);
static each_fn each_row(const block* b, int64_t n) {
  const walk* w = b->w;
  if (first_of(b, 0) > 0 || n > w->row || n == 0) return NULL;
  if (!w->converts) return reduce_each;
  if (w->half && n >= HALF_ROW) return reduce_each_half;
  const bool follow = w->step == n * w->reduced[0].in && n <= OYI_REDUCE_ROW;
  return follow ? reduce_each_converted : NULL;
}

// |rows| rows of |n| elements, one after the other along the second reduced dimension.
static void bring_rows(const walk* w, char* to, const char* x, int64_t rows, int64_t n) {
  _Alignas(64) char moved[READ_BYTES];
  const int64_t own = oyi_dtype_bytes[w->in_dtype];
  oyi_move m = {.item = (size_t)own,
                .n = n,
                .rows = rows,
                .to = w->converts ? moved : to,
                .from = x,
                .to_along = own,
                .to_down = n * own,
                .from_along = w->reduced[0].in,
                .from_down = w->reduced[1].in};
  // The longer side along: what a row takes besides is for more of them.
  if (rows > n) {
    m.n = rows, m.rows = n;
    m.to_along = n * own, m.to_down = own;
    m.from_along = w->reduced[1].in, m.from_down = w->reduced[0].in;
  }
  oyi_move_rows(&m);
  if (w->converts) bring(w, to, moved, own, rows * n);
}

// Rows that are so short that bringing them together costs less than a call for each.
static void reduce_short_rows(block* b, const char* x, int64_t n) {
  const walk* w = b->w;
  _Alignas(64) char read[READ_BYTES];
  const int64_t item = oyi_dtype_bytes[w->reducer->in], most = OYI_REDUCE_ROW / n * n;
  for (int64_t at = 0; at < b->n; at++, x += w->step) {
    const char* row = x;
    int64_t have = 0;
    do {
      if (have == most) {
        w->reducer->row(b->state, at, read, have, item, 0, w->args);
        have = 0;
      }
      // NOLINT: a block of several rows has a second dimension that is reduced
      const int64_t left = end_of(b, 1) - b->index[1], room = (most - have) / n;
      const int64_t some = left < room ? left : room;
      bring_rows(w, read + have * item, row, some, n);
      have += some * n;
      // On to the last of them, from which the next one is found.
      b->index[1] += some - 1;
      row += (some - 1) * w->reduced[1].in;
    } while (next_row(b, &row));
    w->reducer->row(b->state, at, read, have, item, 0, w->args);
  }
}

// Of one result rows along the second reduced dimension, some at a time; else a row for each.
static bool add_rows(block* b, const char* x, int64_t n) {
  enum { SOME = 64, LEAST_RESULTS = 8 };
  const walk* w = b->w;
  const oyi_fold* r = w->reducer;
  const bool one = b->n == 1;
  if (!w->part_rows || first_of(b, 0) > 0 ||
      !(one || (b->n >= LEAST_RESULTS && w->reduced[1].in > w->step)))
    return false;
  _Alignas(64) char sums[OYI_REDUCE_WIDE * sizeof(double)];
  do {
    // NOLINT: first_row() set it
    const int64_t left = end_of(b, 1) - b->index[1], some = left < SOME ? left : SOME;
    w->part_rows(sums, one ? some : b->n, x, n, one ? w->reduced[1].in : w->step, NULL);
    if (one) merge_groups(w, sums, 1, some);
    r->merge(b->state, sums, b->n, w->args);
    if (one) b->index[1] += some - 1, x += (some - 1) * w->reduced[1].in;
  } while (next_row(b, &x));
  return true;
}

static void reduce_down(block* b, const char* x) {
  const int64_t step = b->w->reduced[0].in, first = first_of(b, 0), end = end_of(b, 0);
  const int64_t most = b->w->row;
  const bool one = b->w->reduced_count == 1;
  const each_fn each = each_row(b, end);
  first_row(b, &x);
  if (add_rows(b, x, end)) return;
  // As it lies in memory: what is kept within what is reduced, unless rows are soon brought
  // together.
  const bool few = end <= FEW_OF_ROW && (b->n <= FEW_RESULTS || !b->w->reducer->running);
  if (each && (one || (!few && b->w->reduced[1].in > b->w->step))) {
    do each(b, x, end);
    while (next_row(b, &x));
    return;
  }
  if (!one && end <= SHORT_ROW) {
    reduce_short_rows(b, x, end);
    return;
  }
  for (int64_t at = 0; at < b->n; at++, x += b->w->step) {
    const char* row = x;
    do {
      for (int64_t i = first; i < end; i += most) {
        int64_t n = end - i < most ? end - i : most;
        reduce_some(b, at, row + i * step, n, i);
      }
    } while (next_row(b, &row));
  }
}

// |some| elements of each row, to as many rows of |to|, where results of the inner kept
// elements lie behind each other.
static void turn_rows(const block* b, char* to, const char* x, int64_t some) {
  const walk* w = b->w;
  const oyi_reduce_dim *inner = &w->inner, *d = &w->reduced[0];
  const int64_t own = oyi_dtype_bytes[w->in_dtype];
  const bool evenly = inner->size == 1 || w->cells;
  const int64_t lines = evenly ? b->n : b->n / inner->size;
  oyi_move m = {.item = (size_t)own,
                .n = lines,
                .rows = inner->size,
                .to = to,
                .from = x,
                .to_along = own,
                .to_down = lines * own,
                .from_along = w->step,
                .from_down = inner->in};
  if (evenly || d->in == inner->size * inner->in) {
    m.rows = evenly ? some : some * inner->size;
    if (evenly) m.from_down = d->in;
    oyi_move_rows(&m);
    return;
  }
  for (int64_t i = 0; i < some; i++, m.to += b->n * own, m.from += d->in)
    oyi_move_rows(&m);
}

// Short rows as columns: a call for each of them would take longer than what it does.
static void reduce_turned(const block* b, const char* x, int64_t rows, int64_t first) {
  const walk* w = b->w;
  _Alignas(64) char turned[READ_BYTES / 2], read[READ_BYTES / 2];
  const int64_t own = oyi_dtype_bytes[w->in_dtype];
  const int64_t item = oyi_dtype_bytes[w->reducer->in], size = b->n * item;
  // As many of any block: what a result comes to does not depend on others.
  const int64_t most = READ_BYTES / 2 / (OYI_REDUCE_BLOCK * (item > own ? item : own));
  for (int64_t i = 0, some; i < rows; i += some) {
    some = rows - i < most ? rows - i : most;
    turn_rows(b, turned, x + i * w->reduced[0].in, some);
    if (w->one_step) w->one_step(read, turned, some * b->n);
    w->reducer->columns(b->state, b->n, w->one_step ? read : turned, some, size,
                        first + i, w->args);
  }
}

static void columns_as_they_lie(const walk* w, void* state, int64_t n, const char* x,
                                int64_t rows, int64_t row_step, int64_t first) {
  if (w->half)
    w->half->columns(state, n, x, rows, row_step, w->args);
  else
    w->reducer->columns(state, n, x, rows, row_step, first, w->args);
}

// Rows that are so short that moving them before they are converted costs less than a call for
// each.
static void bring_few_columns(const block* b, char* to, const char* x, int64_t rows) {
  const walk* w = b->w;
  _Alignas(64) char moved[READ_BYTES / 2];
  const int64_t own = oyi_dtype_bytes[w->in_dtype];
  oyi_move_rows(&(oyi_move){.item = (size_t)own,
                            .n = b->n,
                            .rows = rows,
                            .to = moved,
                            .from = x,
                            .to_along = own,
                            .to_down = b->n * own,
                            .from_along = w->step,
                            .from_down = w->reduced[0].in});
  bring(w, to, moved, own, rows * b->n);
}

static void reduce_rows(const block* b, const char* x, int64_t rows, int64_t first) {
  const walk* w = b->w;
  int64_t row_step = w->reduced[0].in;
  if (w->turns) {
    reduce_turned(b, x, rows, first);
    return;
  }
  if (!w->converts || w->half) {
    columns_as_they_lie(w, b->state, b->n, x, rows, row_step, first);
    return;
  }
  _Alignas(64) char read[READ_BYTES / 2];
  const int64_t item = oyi_dtype_bytes[w->reducer->in], size = b->n * item;
  const int64_t own = oyi_dtype_bytes[w->in_dtype], step = w->step;
  const int64_t most = READ_BYTES / 2 / (b->n * (item > own ? item : own));
  const bool follow = row_step == b->n * step;
  for (int64_t i = 0, some; i < rows; i += some) {
    some = rows - i < most ? rows - i : most;
    const char* from = x + i * row_step;
    if (follow)
      bring(w, read, from, step, some * b->n);
    else if (b->n <= FEW_COLUMNS)
      bring_few_columns(b, read, from, some);
    for (int64_t k = 0; k < some && !follow && b->n > FEW_COLUMNS; k++)
      bring(w, read + k * size, from + k * row_step, step, b->n);
    w->reducer->columns(b->state, b->n, read, some, size, first + i, w->args);
  }
}

// Several rows as one of as many results, with what lies between rows, which are merged; the rest
// as they are: behind the last row there may be nothing.
static void reduce_spread(const block* b, const char* x, int64_t first, int64_t rows) {
  const walk* w = b->w;
  const oyi_fold* r = w->reducer;
  const int64_t step = w->reduced[0].in, long_step = step * w->spread;
  const int64_t row = step / oyi_dtype_bytes[w->in_dtype], n = row * w->spread;
  const int64_t whole = (rows - (row > b->n)) / w->spread;
  _Alignas(64) char state[OYI_REDUCE_STATE_BYTES];
  r->start(state, n, w->args);
  x += first * step;
  for (int64_t i = 0, some; i < whole; i += some, x += some * long_step) {
    some = whole - i < w->rows ? whole - i : w->rows;
    columns_as_they_lie(w, state, n, x, some, long_step, 0);
  }
  const int64_t rest = rows - whole * w->spread;
  if (rest > 0)
    columns_as_they_lie(w, state, (rest - 1) * row + b->n, x, 1, long_step, 0);
  merge_groups(w, state, row, w->spread);
  r->merge(b->state, state, b->n, w->args);
}

// A few columns as rows, a part of each at a time: what finds places is made for rows.
static void reduce_columns(const block* b, const char* x, int64_t first, int64_t end) {
  enum { STEP = 64 };
  const walk* w = b->w;
  _Alignas(64) char turned[READ_BYTES / 2], read[READ_BYTES / 2];
  const int64_t own = oyi_dtype_bytes[w->in_dtype],
                item = oyi_dtype_bytes[w->reducer->in];
  const int64_t widest = own > item ? own : item, step = w->reduced[0].in;
  const int64_t most = READ_BYTES / 2 / (b->n * widest) / STEP * STEP;
  for (int64_t i = first, some; i < end; i += some) {
    some = end - i < most ? end - i : most;
    oyi_move_rows(&(oyi_move){.item = (size_t)own,
                              .n = some,
                              .rows = b->n,
                              .to = turned,
                              .from = x + i * step,
                              .to_along = own,
                              .to_down = some * own,
                              .from_along = step,
                              .from_down = own});
    if (w->one_step) w->one_step(read, turned, some * b->n);
    const char* columns = w->one_step ? read : turned;
    for (int64_t k = 0; k < b->n; k++)
      w->reducer->row(b->state, k, columns + k * some * item, some, item, i, w->args);
  }
}

static void reduce_across(block* b, const char* x) {
  const int64_t step = b->w->reduced[0].in, first = first_of(b, 0), end = end_of(b, 0);
  const int64_t most = b->w->rows;
  if (b->w->turns_columns) {
    reduce_columns(b, x, first, end);
    return;
  }
  if (b->w->spread > 1) {
    reduce_spread(b, x, first, end - first);
    return;
  }
  first_row(b, &x);
  do {
    for (int64_t i = first; i < end; i += most) {
      int64_t rows = end - i < most ? end - i : most;
      reduce_rows(b, x + i * step, rows, i);
    }
  } while (next_row(b, &x));
}

// As |fold| times as many results, of which those of one are merged.
static void reduce_folded(const block* b, const char* x) {
  const walk* w = b->w;
  const oyi_fold* r = w->reducer;
  _Alignas(64) char state[OYI_REDUCE_STATE_BYTES];
  block wide = *b;
  const int64_t n = w->fold_block ? b->n : 1, step = n * r->running;
  wide.n = (b->n / n - 1) * w->fold_step + n * w->fold;
  wide.state = state;
  r->start(state, wide.n, w->args);
  reduce_across(&wide, x);
  char *one = state, *to = b->state;
  for (int64_t at = 0; at < b->n; at += n, one += step * w->fold_step, to += step) {
    merge_groups(w, one, n, w->fold);
    r->merge(to, one, n, w->args);
  }
}

void oyi_reduce_piece(const walk* w, const char* x, int64_t n, int64_t number,
                      void* state) {
  block b;
  b.w = w;
  b.state = state;
  b.n = n;
  const int64_t size = w->reduced[w->reduced_count - 1].size;
  b.low = number * w->piece;
  b.high = b.low + w->piece < size ? b.low + w->piece : size;
  w->reducer->start(state, n, w->args);
  if (w->is_empty) return;
  if (w->fold > 1)
    reduce_folded(&b, x);
  else if (w->across)
    reduce_across(&b, x);
  else
    reduce_down(&b, x);
}
