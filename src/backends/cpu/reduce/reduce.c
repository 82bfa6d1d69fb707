// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/reduce/reduce_plan.h"

#include <string.h>

#include "opyard/threads.h"
#include "tensor/block_cache.h"
#include "tensor/element.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

typedef oyi_reduce_walk walk;

// ------------------------------------------------------------------- one block

typedef struct block {
  const walk* w;
  void* state;
  int64_t n;
  int64_t low, high;                  // the piece of the slowest reduced dimension
  int64_t index[OY_TENSOR_MAX_DIMS];  // of the outer reduced dimensions
} block;

// |SHORT_ROW| elements are sooner copied than reduced by a call of their own, and so many as
// |READ_BYTES| has are converted at once, as are rows of 16-bit floats below |HALF_ROW|.
enum { SHORT_ROW = 128, HALF_ROW = 64, READ_BYTES = OYI_REDUCE_ROW * 16 };

static int64_t first_of(const block* b, size_t d) {
  return d + 1 == b->w->reduced_count ? b->low : 0;
}
static int64_t end_of(const block* b, size_t d) {
  return d + 1 == b->w->reduced_count ? b->high : b->w->reduced[d].size;
}

// Goes to the first row of the piece.
static void first_row(block* b, const char** x) {
  for (size_t d = 1; d < b->w->reduced_count; d++) {
    b->index[d] = first_of(b, d);
    *x += b->index[d] * b->w->reduced[d].in;
  }
}

// Steps to the next row of the outer reduced dimensions; false after the last.
static bool next_row(block* b, const char** x) {
  for (size_t d = 1; d < b->w->reduced_count; d++) {
    int64_t step = b->w->reduced[d].in, first = first_of(b, d), end = end_of(b, d);
    *x += step;
    // NOLINT: first_row() set all of them
    if (++b->index[d] < end) return true;
    *x -= step * (end - first);
    b->index[d] = first;
  }
  return false;
}

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

static void reduce_piece(const block* b, int64_t at, const char* x, int64_t n,
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
  for (int64_t at = 0; at < b->n; at++, x += w->kept[0].in)
    row(b->state, at, x, n, w->reduced[0].in, 0, w->args);
}

// The same of rows of 16-bit floats that are read as they lie.
static void reduce_each_half(const block* b, const char* x, int64_t n) {
  const walk* w = b->w;
  for (int64_t at = 0; at < b->n; at++, x += w->kept[0].in)
    w->half->row(b->state, at, x, n, w->args);
}

// The same of rows that follow each other and are read as another dtype: several are
// converted at once.
static void reduce_each_converted(const block* b, const char* x, int64_t n) {
  const walk* w = b->w;
  _Alignas(64) char read[READ_BYTES];
  const int64_t item = oyi_dtype_bytes[w->reducer->in], most = READ_BYTES / (n * item);
  for (int64_t at = 0, some; at < b->n; at += some, x += some * w->kept[0].in) {
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
  const bool follow = w->kept[0].in == n * w->reduced[0].in && n <= OYI_REDUCE_ROW;
  return follow ? reduce_each_converted : NULL;
}

// Rows that are so short that bringing them together costs less than a call for each.
static void reduce_short_rows(block* b, const char* x, int64_t n) {
  const walk* w = b->w;
  _Alignas(64) char read[READ_BYTES];
  const int64_t item = oyi_dtype_bytes[w->reducer->in], most = OYI_REDUCE_ROW / n * n;
  for (int64_t at = 0; at < b->n; at++, x += w->kept[0].in) {
    const char* row = x;
    int64_t have = 0;
    do {
      if (have == most) {
        w->reducer->row(b->state, at, read, have, item, 0, w->args);
        have = 0;
      }
      bring(w, read + have * item, row, w->reduced[0].in, n);
      have += n;
    } while (next_row(b, &row));
    w->reducer->row(b->state, at, read, have, item, 0, w->args);
  }
}

static void reduce_down(block* b, const char* x) {
  const int64_t step = b->w->reduced[0].in, first = first_of(b, 0), end = end_of(b, 0);
  const int64_t most = b->w->row;
  const bool one = b->w->reduced_count == 1;
  const each_fn each = each_row(b, end);
  first_row(b, &x);
  // As it lies in memory: what is kept within what is reduced.
  if (each && (one || b->w->reduced[1].in > b->w->kept[0].in)) {
    do each(b, x, end);
    while (next_row(b, &x));
    return;
  }
  if (!one && end <= SHORT_ROW) {
    reduce_short_rows(b, x, end);
    return;
  }
  for (int64_t at = 0; at < b->n; at++, x += b->w->kept[0].in) {
    const char* row = x;
    do {
      for (int64_t i = first; i < end; i += most) {
        int64_t n = end - i < most ? end - i : most;
        reduce_piece(b, at, row + i * step, n, i);
      }
    } while (next_row(b, &row));
  }
}

// Short rows as columns: a call for each of them would take longer than what it does.
static void reduce_turned(const block* b, const char* x, int64_t rows, int64_t first) {
  const walk* w = b->w;
  _Alignas(64) char turned[READ_BYTES / 2], read[READ_BYTES / 2];
  const int64_t own = oyi_dtype_bytes[w->in_dtype];
  const int64_t size = b->n * oyi_dtype_bytes[w->reducer->in];
  const int64_t most = READ_BYTES / 2 / (size > b->n * own ? size : b->n * own);
  for (int64_t i = 0, some; i < rows; i += some) {
    some = rows - i < most ? rows - i : most;
    oyi_move_rows(&(oyi_move){.item = (size_t)own,
                              .n = b->n,
                              .rows = some,
                              .to = turned,
                              .from = x + i * own,
                              .to_along = own,
                              .to_down = b->n * own,
                              .from_along = w->kept[0].in,
                              .from_down = own});
    if (w->one_step) w->one_step(read, turned, some * b->n);
    w->reducer->columns(b->state, b->n, w->one_step ? read : turned, some, size,
                        first + i, w->args);
  }
}

static void reduce_rows(const block* b, const char* x, int64_t rows, int64_t first) {
  const walk* w = b->w;
  int64_t row_step = w->reduced[0].in;
  if (w->turns) {
    reduce_turned(b, x, rows, first);
    return;
  }
  if (!w->converts) {
    w->reducer->columns(b->state, b->n, x, rows, row_step, first, w->args);
    return;
  }
  if (w->half) {
    w->half->columns(b->state, b->n, x, rows, row_step, w->args);
    return;
  }
  _Alignas(64) char read[READ_BYTES / 2];
  const int64_t item = oyi_dtype_bytes[w->reducer->in], size = b->n * item;
  const int64_t step = w->kept[0].in, most = READ_BYTES / 2 / size;
  const bool follow = row_step == b->n * step;
  for (int64_t i = 0, some; i < rows; i += some) {
    some = rows - i < most ? rows - i : most;
    const char* from = x + i * row_step;
    if (follow) bring(w, read, from, step, some * b->n);
    for (int64_t k = 0; k < some && !follow; k++)
      bring(w, read + k * size, from + k * row_step, step, b->n);
    w->reducer->columns(b->state, b->n, read, some, size, first + i, w->args);
  }
}

enum { STATE_BYTES = OYI_REDUCE_BLOCK * OYI_REDUCE_STATE };

static void columns_as_they_lie(const walk* w, void* state, int64_t n, const char* x,
                                int64_t rows, int64_t row_step) {
  if (w->half)
    w->half->columns(state, n, x, rows, row_step, w->args);
  else
    w->reducer->columns(state, n, x, rows, row_step, 0, w->args);
}

// Several rows as one of as many results, which are merged; the rest as they are.
static void reduce_spread(const block* b, const char* x, int64_t first, int64_t rows) {
  const walk* w = b->w;
  const oyi_fold* r = w->reducer;
  const int64_t n = b->n * w->spread, step = w->reduced[0].in,
                long_step = step * w->spread;
  const int64_t whole = rows / w->spread;
  _Alignas(64) char state[STATE_BYTES];
  r->start(state, n, w->args);
  x += first * step;
  for (int64_t i = 0, some; i < whole; i += some, x += some * long_step) {
    some = whole - i < w->rows ? whole - i : w->rows;
    columns_as_they_lie(w, state, n, x, some, long_step);
  }
  for (int64_t i = 0; i < w->spread; i++)
    r->merge(b->state, state + i * b->n * r->running, b->n, w->args);
  columns_as_they_lie(w, b->state, b->n, x, rows - whole * w->spread, step);
}

static void reduce_across(block* b, const char* x) {
  const int64_t step = b->w->reduced[0].in, first = first_of(b, 0), end = end_of(b, 0);
  const int64_t most = b->w->rows;
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

// Of wide blocks there is one kind of results, half as large.
typedef struct block_results {
  _Alignas(64) char first[OYI_REDUCE_BLOCK * 16], second[OYI_REDUCE_BLOCK * 16];
} block_results;

static void write_results(const walk* w, const block_results* r, int64_t count,
                          char* const* out) {
  const char* results[] = {r->first, r->second};
  for (int k = 0; k < 2; k++) {
    if (!out[k]) continue;
    oy_dtype from = w->reducer->out[k];
    oyi_convert_row(w->out_dtype[k], out[k], w->kept[0].out[k], from, results[k],
                    oyi_dtype_bytes[from], count);
  }
}

// Piece |number| of the rows of |n| results, from the start.
static void run_piece(const walk* w, const char* x, int64_t n, int64_t number,
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
  if (w->across)
    reduce_across(&b, x);
  else
    reduce_down(&b, x);
}

// Pieces are merged in their order, whoever computes them.
typedef struct pieces {
  const walk* w;
  const char* x;
  int64_t n;
  char* states;
} pieces;

static oy_status run_pieces(int64_t begin, int64_t end, void* context) {
  const pieces* p = context;
  for (int64_t i = begin; i < end; i++)
    run_piece(p->w, p->x, p->n, i, p->states + i * STATE_BYTES);
  return OY_OK;
}

static void merge_pieces(const walk* w, const char* x, int64_t n, void* state) {
  _Alignas(64) char later[STATE_BYTES];
  pieces p = {w, x, n, NULL};
  bool shared = oy_get_num_threads() > 1;
  void* context = NULL;
  if (shared) p.states = oyi_data_alloc((size_t)w->pieces * STATE_BYTES, &context);
  if (p.states) {
    // Nothing in a piece can fail.
    (void)!oy_parallel_for(0, w->pieces, 1, run_pieces, &p);
    memcpy(state, p.states, STATE_BYTES);
  } else {
    if (shared) oy_error_clear();
    run_piece(w, x, n, 0, state);
  }
  for (int64_t i = 1; i < w->pieces; i++) {
    if (!p.states) run_piece(w, x, n, i, later);
    w->reducer->merge(state, p.states ? p.states + i * STATE_BYTES : later, n, w->args);
  }
  if (p.states) oyi_data_free(context, p.states);
}

// Whether a block is one call of |all_columns|.
static bool is_one_call(const walk* w) {
  return w->reducer->all_columns && w->across && !w->converts && !w->is_empty &&
         w->spread == 1 && w->reduced_count == 1 && w->reduced[0].size <= w->rows &&
         w->pieces == 1 && w->times == 1;
}

static void run_block(const walk* w, const char* x, char* const* out, int64_t n) {
  block_results r;
  _Static_assert(OYI_REDUCE_WIDE * 8 <= sizeof(r), "results of wide blocks fit");
  if (is_one_call(w)) {
    w->reducer->all_columns(&r, n, x, w->reduced[0].size, w->reduced[0].in, w->args);
    write_results(w, &r, n, out);
    return;
  }
  _Alignas(64) char state[STATE_BYTES];
  if (w->pieces > 1)
    merge_pieces(w, x, n, state);
  else
    run_piece(w, x, n, 0, state);
  if (w->times > 1) w->reducer->repeat(state, n, w->times);
  w->reducer->finish(state, n, (void* const[]){r.first, r.second}, w->args);
  write_results(w, &r, n, out);
}

// ------------------------------------------------------------------ all blocks

static oy_status run_blocks(int64_t begin, int64_t end, void* context) {
  const walk* w = context;
  for (int64_t number = begin; number < end; number++) {
    int64_t line = number / w->per_line, at = number % w->per_line * w->block;
    int64_t rest = w->kept[0].size - at;
    const char* x = w->x;
    char* out[2] = {w->out[0], w->out[1]};
    for (size_t d = 0; d < w->kept_count; d++) {
      const oyi_reduce_dim* k = &w->kept[d];
      int64_t i = d == 0 ? at : line % k->size;
      if (d > 0) line /= k->size;
      if (x) x += i * k->in;
      for (int o = 0; o < 2; o++)
        if (out[o]) out[o] += i * k->out[o];
    }
    run_block(w, x, out, rest < w->block ? rest : w->block);
  }
  return OY_OK;
}

// ------------------------------------------------------------------ one short row

// Whether one call of a reducer does it all.
static bool is_short(const oyi_tensor* in, const oyi_fold* reducer) {
  return in->numel <= OYI_REDUCE_ROW && in->numel > 0 && (in->flags & OYI_CONTIGUOUS) &&
         oyi_reduce_reads_as(in->header.dtype, reducer->in);
}

// Nothing to plan and nothing to share: what small tensors cost is the way to the loop.
static void reduce_short(const oyi_reduction* r, const oyi_fold* reducer,
                         const void* args) {
  _Alignas(64) char state[STATE_BYTES];
  _Alignas(16) char results[2][16];
  void* const made[2] = {results[0], results[1]};
  const oyi_tensor* in = r->in;
  reducer->start(state, 1, args);
  reducer->row(state, 0, oyi_data(in), in->numel, oyi_item(in), 0, args);
  reducer->finish(state, 1, made, args);
  for (int k = 0; k < r->outs; k++)
    if (r->out[k])
      oyi_convert_row(r->out[k]->header.dtype, oyi_data(r->out[k]), 0, reducer->out[k],
                      results[k], 0, 1);
}

void oyi_reduce(const oyi_reduction* r, const oyi_fold* reducer, const void* args) {
  const int64_t results = oyi_reduction_first(r)->numel;
  if (results == 0) return;
  if (results == 1 && is_short(r->in, reducer)) {
    reduce_short(r, reducer, args);
    return;
  }
  walk w;
  oyi_reduce_plan(&w, r, reducer, args);
  const int64_t each = w.read / w.blocks;
  // Nothing in a block can fail.
  (void)!oy_parallel_for(0, w.blocks,
                         each < OYI_ITER_GRAIN ? OYI_ITER_GRAIN / (each + 1) + 1 : 1,
                         run_blocks, &w);
}

const oyi_fold* oyi_fold_for(const oyi_fold* table, oy_dtype dtype, const char* name) {
  for (; table->row; table++)
    if (oyi_reduce_reads_as(dtype, table->in)) return table;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
          oy_dtype_pytorch_name(dtype));
  return NULL;
}
