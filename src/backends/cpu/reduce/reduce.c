// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/reduce/reduce.h"

#include "opyard/threads.h"
#include "tensor/block_cache.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

typedef struct dim {
  int64_t size, in, out[2];  // steps in bytes
} dim;

typedef struct walk {
  const oyi_fold* reducer;
  const void* args;
  oy_dtype in_dtype, out_dtype[2];
  bool converts;  // rows are read as another dtype than they have, or brought together
  bool across;    // along the results of a block
  bool is_empty;  // there is nothing to reduce
  const char* x;
  char* out[2];
  int64_t block, per_line,
      blocks;             // results of a block, blocks of a line, of all
  int64_t times;          // that each element comes, expanded
  int64_t pieces, piece;  // of the slowest reduced dimension, for few results
  int64_t row, rows;      // elements, and rows, that a reducer sees at most in one call
  size_t kept_count, reduced_count;
  dim kept[OY_TENSOR_MAX_DIMS], reduced[OY_TENSOR_MAX_DIMS];
} walk;

// ---------------------------------------------------------------- dimensions

// Whether |a| is the faster dimension: by its step, and of equal steps the longer one. What
// is expanded, and so read again, comes last.
static bool is_faster(const dim* a, const dim* b) {
  if (a->in == 0 || b->in == 0) return b->in == 0 && a->in != 0;
  return a->in < b->in || (a->in == b->in && a->size > b->size);
}

// Sorts the dimensions; those that continue each other become one.
static size_t arrange(dim* dims, size_t count) {
  for (size_t i = 1; i < count; i++) {
    dim moved = dims[i];
    size_t at = i;
    for (; at > 0 && is_faster(&moved, &dims[at - 1]); at--) dims[at] = dims[at - 1];
    dims[at] = moved;
  }
  size_t last = 0;
  for (size_t i = 1; i < count; i++) {
    dim *a = &dims[last], *b = &dims[i];
    if (a->size * a->in == b->in && a->size * a->out[0] == b->out[0] &&
        a->size * a->out[1] == b->out[1])
      a->size *= b->size;
    else
      dims[++last] = *b;
  }
  return count ? last + 1 : 0;
}

static void find_dims(walk* w, const oyi_reduction* r) {
  const oyi_tensor* in = r->in;
  w->kept_count = w->reduced_count = 0;
  w->times = 1;
  bool keepdim = r->ndim == in->ndim;
  for (size_t i = in->ndim, o = r->ndim; i-- > 0;) {
    bool reduced = r->mask >> i & 1;
    if (!reduced || keepdim) o--;
    if (in->sizes[i] == 1) continue;
    dim d = {in->sizes[i], oyi_strides(in)[i] * oyi_item(in), {0, 0}};
    for (int k = 0; k < r->outs && !reduced; k++)
      if (r->out[k]) d.out[k] = oyi_strides(r->out[k])[o] * oyi_item(r->out[k]);
    if (reduced && d.in == 0 && w->reducer->repeat)
      w->times *= d.size;
    else if (reduced)
      w->reduced[w->reduced_count++] = d;
    else
      w->kept[w->kept_count++] = d;
  }
  w->kept_count = arrange(w->kept, w->kept_count);
  w->reduced_count = arrange(w->reduced, w->reduced_count);
  if (w->kept_count == 0) w->kept[w->kept_count++] = (dim){1, 0, {0, 0}};
  if (w->reduced_count == 0) w->reduced[w->reduced_count++] = (dim){1, 0, {0, 0}};
}

// ------------------------------------------------------------------- one block

typedef struct block {
  const walk* w;
  void* state;
  int64_t n;
  int64_t low, high;                  // the piece of the slowest reduced dimension
  int64_t index[OY_TENSOR_MAX_DIMS];  // of the outer reduced dimensions
} block;

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

static void reduce_piece(const block* b, int64_t at, const char* x, int64_t n,
                         int64_t first) {
  const walk* w = b->w;
  int64_t step = w->reduced[0].in;
  if (!w->converts) {
    w->reducer->row(b->state, at, x, n, step, first, w->args);
    return;
  }
  _Alignas(64) char read[OYI_REDUCE_ROW * 16];
  int64_t item = oyi_dtype_bytes[w->reducer->in];
  oyi_convert_row(w->reducer->in, read, item, w->in_dtype, x, step, n);
  w->reducer->row(b->state, at, read, n, item, first, w->args);
}

// Rows that one call takes each, as most are: nothing else is done for one.
static void reduce_each(const block* b, const char* x, int64_t n) {
  const walk* w = b->w;
  const oyi_reduce_row_fn row = w->reducer->row;
  for (int64_t at = 0; at < b->n; at++, x += w->kept[0].in)
    row(b->state, at, x, n, w->reduced[0].in, 0, w->args);
}

static void reduce_down(block* b, const char* x) {
  const int64_t step = b->w->reduced[0].in, first = first_of(b, 0), end = end_of(b, 0);
  const int64_t most = b->w->row;
  if (b->w->reduced_count == 1 && !b->w->converts && first == 0 && end <= most) {
    reduce_each(b, x, end);
    return;
  }
  first_row(b, &x);
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

static void reduce_rows(const block* b, const char* x, int64_t rows, int64_t first) {
  const walk* w = b->w;
  int64_t row_step = w->reduced[0].in;
  if (!w->converts) {
    w->reducer->columns(b->state, b->n, x, rows, row_step, first, w->args);
    return;
  }
  _Alignas(64) char read[OYI_REDUCE_BLOCK * 16];
  int64_t item = oyi_dtype_bytes[w->reducer->in];
  for (int64_t i = 0; i < rows; i++) {
    oyi_convert_row(w->reducer->in, read, item, w->in_dtype, x + i * row_step,
                    w->kept[0].in, b->n);
    w->reducer->columns(b->state, b->n, read, 1, 0, first + i, w->args);
  }
}

static void reduce_across(block* b, const char* x) {
  const int64_t step = b->w->reduced[0].in, first = first_of(b, 0), end = end_of(b, 0);
  const int64_t most = b->w->rows;
  first_row(b, &x);
  do {
    for (int64_t i = first; i < end; i += most) {
      int64_t rows = end - i < most ? end - i : most;
      reduce_rows(b, x + i * step, rows, i);
    }
  } while (next_row(b, &x));
}

static void write_results(const walk* w, const void* state, int64_t count,
                          char* const* out) {
  // Of wide blocks there is one kind of results, half as large.
  _Alignas(64) char results[2 * OYI_REDUCE_BLOCK * 16];
  _Static_assert(OYI_REDUCE_WIDE * 8 <= sizeof(results), "results of wide blocks fit");
  void* const made[] = {results, results + OYI_REDUCE_BLOCK * 16};
  w->reducer->finish(state, count, made, w->args);
  for (int k = 0; k < 2; k++) {
    if (!out[k]) continue;
    oy_dtype from = w->reducer->out[k];
    oyi_convert_row(w->out_dtype[k], out[k], w->kept[0].out[k], from, made[k],
                    oyi_dtype_bytes[from], count);
  }
}

enum { STATE_BYTES = OYI_REDUCE_BLOCK * OYI_REDUCE_STATE };

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
  if (p.states)
    // Nothing in a piece can fail.
    (void)!oy_parallel_for(1, w->pieces, 1, run_pieces, &p);
  else if (shared)
    oy_error_clear();
  run_piece(w, x, n, 0, state);
  for (int64_t i = 1; i < w->pieces; i++) {
    if (!p.states) run_piece(w, x, n, i, later);
    w->reducer->merge(state, p.states ? p.states + i * STATE_BYTES : later, n, w->args);
  }
  if (p.states) oyi_data_free(context, p.states);
}

static void run_block(const walk* w, const char* x, char* const* out, int64_t n) {
  _Alignas(64) char state[STATE_BYTES];
  if (w->pieces > 1)
    merge_pieces(w, x, n, state);
  else
    run_piece(w, x, n, 0, state);
  if (w->times > 1) w->reducer->repeat(state, n, w->times);
  write_results(w, state, n, out);
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
      const dim* k = &w->kept[d];
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

// Enough blocks for several threads, where there are enough results; a result
// does not depend on which block it is in. A few results of many elements are
// computed by pieces.
static void find_blocks(walk* w, int64_t numel, int64_t results) {
  enum { SHARES = 16, LEAST = 32, FEW = 8, PIECES = 64 };
  const int64_t size = w->kept[0].size, most = w->reducer->block;
  w->block = most;
  if (numel > OYI_ITER_GRAIN && oy_get_num_threads() > 1 && results / most < SHARES) {
    // Rows that are read in wide blocks are worth more than even shares.
    const bool wide = w->across && most == OYI_REDUCE_WIDE;
    const int64_t part = size / (wide ? oy_get_num_threads() : SHARES);
    const int64_t least = wide ? 4 * LEAST : w->across ? LEAST : 1;
    w->block = part < least ? least : part < most ? part : most;
    if (wide) w->block = (w->block + LEAST - 1) / LEAST * LEAST;
  }
  w->per_line = (size + w->block - 1) / w->block;
  w->blocks = results / size * w->per_line;
  const int64_t slow = w->reduced[w->reduced_count - 1].size;
  w->pieces = 1;
  if (results <= FEW && numel / OYI_ITER_GRAIN > results) {
    w->pieces = numel / OYI_ITER_GRAIN / results;
    if (w->pieces > PIECES) w->pieces = PIECES;
    if (w->pieces > slow) w->pieces = slow;
  }
  w->piece = (slow + w->pieces - 1) / w->pieces;
  if (w->pieces > 1) w->pieces = (slow + w->piece - 1) / w->piece;
}

// A bool is read as the byte that it is.
static bool reads_as(oy_dtype have, oy_dtype want) {
  return have == want || (have == OY_DTYPE_BOOL && want == OY_DTYPE_U8);
}

// ------------------------------------------------------------------ one short row

// Whether one call of a reducer does it all.
static bool is_short(const oyi_tensor* in, const oyi_fold* reducer) {
  return in->numel <= OYI_REDUCE_ROW && in->numel > 0 && (in->flags & OYI_CONTIGUOUS) &&
         reads_as(in->header.dtype, reducer->in);
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
  const int64_t results = oyi_reduction_first(r)->numel, numel = r->in->numel;
  if (results == 0) return;
  if (results == 1 && is_short(r->in, reducer)) {
    reduce_short(r, reducer, args);
    return;
  }
  walk w;
  w.reducer = reducer;
  w.args = args;
  w.in_dtype = r->in->header.dtype;
  w.converts = !reads_as(w.in_dtype, reducer->in);
  // What runs in more than its own precision may run for longer before it is added up.
  const bool long_runs = !w.converts && reducer->in == OY_DTYPE_F32;
  w.row = long_runs ? 8 * OYI_REDUCE_ROW : OYI_REDUCE_ROW;
  w.rows = long_runs ? 4 * OYI_REDUCE_ROWS : OYI_REDUCE_ROWS;
  w.is_empty = numel == 0;
  w.x = oyi_data(r->in);
  for (int k = 0; k < 2; k++) {
    w.out[k] = k < r->outs && r->out[k] ? oyi_data(r->out[k]) : NULL;
    if (w.out[k]) w.out_dtype[k] = r->out[k]->header.dtype;
  }
  find_dims(&w, r);
  // Rows that lie together, or nearly, pay from a few elements on.
  enum { NEAR = 4 };
  const dim *k = &w.kept[0], *d = &w.reduced[0];
  const int64_t item = oyi_item(r->in);
  const bool near = k->in > item && k->in <= NEAR * item && d->in > NEAR * item;
  w.across = k->size >= 4 && (near || (k->in == item && d->in != k->in));
  if (w.across && near) w.converts = true;
  const int64_t read = w.is_empty ? 0 : numel / w.times;
  find_blocks(&w, read, results);
  int64_t each = read / w.blocks;
  // Nothing in a block can fail.
  (void)!oy_parallel_for(0, w.blocks,
                         each < OYI_ITER_GRAIN ? OYI_ITER_GRAIN / (each + 1) + 1 : 1,
                         run_blocks, &w);
}

const oyi_fold* oyi_fold_for(const oyi_fold* table, oy_dtype dtype, const char* name) {
  for (; table->row; table++)
    if (reads_as(dtype, table->in)) return table;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
          oy_dtype_pytorch_name(dtype));
  return NULL;
}
