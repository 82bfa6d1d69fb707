// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/reduce/reduce_plan.h"

#include <string.h>

#include "opyard/threads.h"
#include "tensor/block_cache.h"
#include "tensor/element.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

typedef oyi_reduce_walk walk;

// Of wide blocks there is one kind of results, half as large.
typedef struct block_results {
  _Alignas(64) char first[OYI_REDUCE_BLOCK * 16], second[OYI_REDUCE_BLOCK * 16];
} block_results;

static void convert_results(const walk* w, char* to, const char* from, int64_t n) {
  _Alignas(64) char between[2][OYI_REDUCE_WIDE * sizeof(double)];
  const int last = w->write.count - 1;
  for (int k = 0; k < last; from = between[k % 2], k++)
    w->write.loops[k](between[k % 2], from, n);
  w->write.loops[last](to, from, n);
}

static void write_results(const walk* w, const block_results* r, int64_t lines,
                          char* const* out) {
  const char* results[] = {r->first, r->second};
  const int64_t n = oyi_reduce_width(w, lines);
  const bool one = w->inner.size == 1 && !w->cells;
  _Alignas(64) char converted[sizeof(r->first)];
  for (int k = 0; k < 2; k++) {
    if (!out[k] || w->direct[k]) continue;
    const oy_dtype from = w->reducer->out[k], to = w->out_dtype[k];
    const int64_t item = oyi_dtype_bytes[to], along = w->along[k];
    const int64_t step = one ? along : item;
    char* target = one ? out[k] : converted;
    if (k == 0 && w->write.count && step == item)
      convert_results(w, target, results[k], n * w->write_numbers);
    else if (one || to != from)
      oyi_convert_row(to, target, step, from, results[k], oyi_dtype_bytes[from], n);
    if (one) continue;
    oyi_move_rows(&(oyi_move){.item = (size_t)item,
                              .n = w->inner.size,
                              .rows = lines,
                              .to = out[k],
                              .from = to == from ? results[k] : converted,
                              .to_along = w->inner.out[k],
                              .to_down = along,
                              .from_along = item * (w->cells ? w->apart : lines),
                              .from_down = item * (w->cells ? w->cells : 1)});
  }
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
    oyi_reduce_piece(p->w, p->x, p->n, i, p->states + i * OYI_REDUCE_STATE_BYTES);
  return OY_OK;
}

static void merge_pieces(const walk* w, const char* x, int64_t n, void* state) {
  _Alignas(64) char later[OYI_REDUCE_STATE_BYTES];
  pieces p = {w, x, n, NULL};
  bool shared = oy_get_num_threads() > 1;
  void* context = NULL;
  if (shared)
    p.states = oyi_data_alloc((size_t)w->pieces * OYI_REDUCE_STATE_BYTES, &context);
  if (p.states) {
    // Nothing in a piece can fail.
    (void)!oy_parallel_for(0, w->pieces, 1, run_pieces, &p);
    memcpy(state, p.states, OYI_REDUCE_STATE_BYTES);
  } else {
    if (shared) oy_error_clear();
    oyi_reduce_piece(w, x, n, 0, state);
  }
  for (int64_t i = 1; i < w->pieces; i++) {
    if (!p.states) oyi_reduce_piece(w, x, n, i, later);
    w->reducer->merge(state, p.states ? p.states + i * OYI_REDUCE_STATE_BYTES : later, n,
                      w->args);
  }
  if (p.states) oyi_data_free(context, p.states);
}

enum { BROUGHT_BYTES = OYI_REDUCE_ROW * 8 };

// Whether a block of |n| results is one call of |all_columns|: of what is read as another dtype,
// where its rows follow each other and are few.
static bool is_one_call(const walk* w, int64_t n) {
  const int64_t rows = w->reduced[0].size, item = oyi_dtype_bytes[w->reducer->in];
  const bool brought =
      w->one_step && !w->half && !w->turns && w->step == oyi_dtype_bytes[w->in_dtype] &&
      w->reduced[0].in == n * w->step && rows * n * item <= BROUGHT_BYTES;
  return w->reducer->all_columns && w->across && (!w->converts || brought) &&
         !w->is_empty && w->spread == 1 && w->fold == 1 && w->reduced_count == 1 &&
         rows <= w->rows && w->pieces == 1 && w->times == 1;
}

static void run_columns(const walk* w, void* to, int64_t n, const char* x) {
  const oyi_fold* r = w->reducer;
  const int64_t rows = w->reduced[0].size;
  if (!w->converts) {
    r->all_columns(to, n, x, rows, w->reduced[0].in, w->args);
    return;
  }
  _Alignas(64) char read[BROUGHT_BYTES];
  w->one_step(read, x, rows * n);
  r->all_columns(to, n, read, rows, n * oyi_dtype_bytes[r->in], w->args);
}

// The same of |all_rows|.
static bool is_one_call_of_rows(const walk* w) {
  return w->all_rows && !w->across && !w->is_empty && w->pieces == 1;
}

// Rows with gaps are brought together, some at a time.
static void run_rows(const walk* w, void* to, int64_t n, const char* x) {
  const int64_t item = oyi_dtype_bytes[w->in_dtype], size = w->reduced[0].size;
  if (w->reduced[0].in == item) {
    w->all_rows(to, n, x, size, w->step, w->args);
    return;
  }
  _Alignas(64) char read[BROUGHT_BYTES];
  const int64_t row = size * item, most = BROUGHT_BYTES / row;
  const int64_t result = oyi_dtype_bytes[w->reducer->out[0]];
  for (int64_t i = 0, some; i < n; i += some, x += some * w->step) {
    some = n - i < most ? n - i : most;
    oyi_move_rows(&(oyi_move){.item = (size_t)item,
                              .n = size,
                              .rows = some,
                              .to = read,
                              .from = x,
                              .to_along = item,
                              .to_down = row,
                              .from_along = w->reduced[0].in,
                              .from_down = w->step});
    w->all_rows((char*)to + i * result, some, read, size, row, w->args);
  }
}

static void run_block(const walk* w, const char* x, char* const* out, int64_t lines) {
  const int64_t n = oyi_reduce_width(w, lines);
  block_results r;
  _Static_assert(OYI_REDUCE_WIDE * 8 <= sizeof(r), "results of wide blocks fit");
  void* const to[] = {w->direct[0] ? out[0] : r.first, w->direct[1] ? out[1] : r.second};
  const bool columns = is_one_call(w, n);
  if (columns || is_one_call_of_rows(w)) {
    // Of wide blocks results go on to where there would be others.
    void* all = w->direct[0] ? to[0] : &r;
    if (columns)
      run_columns(w, all, n, x);
    else
      run_rows(w, all, n, x);
    if (!w->direct[0]) write_results(w, &r, lines, out);
    return;
  }
  _Alignas(64) char state[OYI_REDUCE_STATE_BYTES];
  if (w->pieces > 1)
    merge_pieces(w, x, n, state);
  else
    oyi_reduce_piece(w, x, n, 0, state);
  if (w->times > 1) w->reducer->repeat(state, n, w->times);
  w->reducer->finish(state, n, to, w->args);
  write_results(w, &r, lines, out);
}

// Blocks of |n| elements of the dimension along which results lie together.
static void run_tile(const walk* w, const char* x, char* const* out, int64_t lines,
                     int64_t n) {
  _Alignas(64) char made[2][OYI_REDUCE_BLOCK * OYI_REDUCE_TILE];
  for (int64_t i = 0; i < n; i++) {
    char* to[2];
    for (int k = 0; k < 2; k++) to[k] = out[k] ? made[k] + i * lines * w->along[k] : NULL;
    run_block(w, x + i * w->tile.in, to, lines);
  }
  for (int k = 0; k < 2; k++)
    if (out[k])
      oyi_move_rows(&(oyi_move){.item = (size_t)w->along[k],
                                .n = lines,
                                .rows = n,
                                .to = out[k],
                                .from = made[k],
                                .to_along = w->kept[0].out[k],
                                .to_down = w->tile.out[k],
                                .from_along = w->along[k],
                                .from_down = lines * w->along[k]});
}

// ------------------------------------------------------------------ all blocks

// Where a block is: its number among those of a line, and elements of the other kept dimensions.
typedef struct place {
  int64_t at, index[OY_TENSOR_MAX_DIMS];
} place;

static void find_place(place* p, const walk* w, int64_t number) {
  int64_t line = number / w->per_line;
  p->at = number % w->per_line;
  for (size_t d = 1; d < w->kept_count; d++) {
    p->index[d] = line % w->kept[d].size;
    line /= w->kept[d].size;
  }
}

// A quotient for each block takes as long as a few results of one.
static void go_on(place* p, const walk* w) {
  if (++p->at < w->per_line) return;
  p->at = 0;
  // NOLINT: find_place() set all of them
  for (size_t d = 1; d < w->kept_count && ++p->index[d] == w->kept[d].size; d++)
    p->index[d] = 0;
}

static oy_status run_blocks(int64_t begin, int64_t end, void* context) {
  const walk* w = context;
  place p;
  find_place(&p, w, begin);
  for (int64_t number = begin; number < end; number++, go_on(&p, w)) {
    const int64_t at = p.at * w->block;
    int64_t rest = w->kept[0].size - at;
    const char* x = w->x;
    char* out[2] = {w->out[0], w->out[1]};
    int64_t left = w->tile.size;
    for (size_t d = 0; d < w->kept_count; d++) {
      const oyi_reduce_dim* k = &w->kept[d];
      const int64_t i = d == 0 ? at : p.index[d];
      if (d == 1) left -= i * w->tile_lines;
      if (x) x += i * k->in;
      for (int o = 0; o < 2; o++)
        if (out[o]) out[o] += i * k->out[o];
    }
    if (rest > w->block) rest = w->block;
    if (w->tile.size > 1)
      run_tile(w, x, out, rest, left < w->tile_lines ? left : w->tile_lines);
    else
      run_block(w, x, out, rest);
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
  _Alignas(64) char state[OYI_REDUCE_STATE_BYTES];
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
