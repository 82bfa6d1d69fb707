// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/reduce.h"

#include "tensor/element.h"

typedef struct dim {
  int64_t size, in, out[2];  // steps in bytes
} dim;

typedef struct walk {
  const oyi_fold* reducer;
  const void* args;
  oy_dtype in_dtype, out_dtype[2];
  bool converts;  // rows are read as another dtype than they have
  bool across;    // along the results of a block
  size_t kept_count, reduced_count;
  dim kept[OY_TENSOR_MAX_DIMS], reduced[OY_TENSOR_MAX_DIMS];
} walk;

// ---------------------------------------------------------------- dimensions

// Sorts by step, the smallest first; dimensions that continue each other become one.
static size_t arrange(dim* dims, size_t count) {
  for (size_t i = 1; i < count; i++) {
    dim moved = dims[i];
    size_t at = i;
    for (; at > 0 && dims[at - 1].in > moved.in; at--) dims[at] = dims[at - 1];
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
  bool keepdim = r->ndim == in->ndim;
  for (size_t i = in->ndim, o = r->ndim; i-- > 0;) {
    bool reduced = r->mask >> i & 1;
    if (!reduced || keepdim) o--;
    if (in->sizes[i] == 1) continue;
    dim d = {in->sizes[i], oyi_strides(in)[i] * oyi_item(in), {0, 0}};
    for (int k = 0; k < r->outs && !reduced; k++)
      if (r->out[k]) d.out[k] = oyi_strides(r->out[k])[o] * oyi_item(r->out[k]);
    if (reduced)
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
  int64_t index[OY_TENSOR_MAX_DIMS];  // of the outer reduced dimensions
} block;

// Steps to the next row of the outer reduced dimensions; false after the last.
static bool next_row(block* b, const char** x) {
  const walk* w = b->w;
  for (size_t d = 1; d < w->reduced_count; d++) {
    const dim* r = &w->reduced[d];
    *x += r->in;
    if (++b->index[d] < r->size) return true;
    *x -= r->in * r->size;
    b->index[d] = 0;
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

static void reduce_down(block* b, const char* x) {
  const dim* r = &b->w->reduced[0];
  for (int64_t at = 0; at < b->n; at++, x += b->w->kept[0].in) {
    const char* row = x;
    do {
      for (int64_t i = 0; i < r->size; i += OYI_REDUCE_ROW) {
        int64_t n = r->size - i < OYI_REDUCE_ROW ? r->size - i : OYI_REDUCE_ROW;
        reduce_piece(b, at, row + i * r->in, n, i);
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
  const dim* r = &b->w->reduced[0];
  do {
    for (int64_t i = 0; i < r->size; i += OYI_REDUCE_ROWS) {
      int64_t rows = r->size - i < OYI_REDUCE_ROWS ? r->size - i : OYI_REDUCE_ROWS;
      reduce_rows(b, x + i * r->in, rows, i);
    }
  } while (next_row(b, &x));
}

static void write_results(const block* b, char* const* out) {
  const walk* w = b->w;
  _Alignas(64) char results[2][OYI_REDUCE_BLOCK * 16];
  void* const made[] = {results[0], results[1]};
  w->reducer->finish(b->state, b->n, made, w->args);
  for (int k = 0; k < 2; k++) {
    if (!out[k]) continue;
    oy_dtype from = w->reducer->out[k];
    oyi_convert_row(w->out_dtype[k], out[k], w->kept[0].out[k], from, results[k],
                    oyi_dtype_bytes[from], b->n);
  }
}

static void run_block(const walk* w, const char* x, char* const* out, int64_t n,
                      bool is_empty) {
  _Alignas(64) char state[OYI_REDUCE_BLOCK * OYI_REDUCE_STATE];
  block b;
  b.w = w;
  b.state = state;
  b.n = n;
  for (size_t d = 0; d < w->reduced_count; d++) b.index[d] = 0;
  w->reducer->start(state, n, w->args);
  if (!is_empty) {
    if (w->across)
      reduce_across(&b, x);
    else
      reduce_down(&b, x);
  }
  write_results(&b, out);
}

// ------------------------------------------------------------------ all blocks

static void run_line(const walk* w, const char* x, char* const* out, bool is_empty) {
  const dim* k = &w->kept[0];
  for (int64_t i = 0; i < k->size; i += OYI_REDUCE_BLOCK) {
    int64_t n = k->size - i < OYI_REDUCE_BLOCK ? k->size - i : OYI_REDUCE_BLOCK;
    char* const to[2] = {out[0] ? out[0] + i * k->out[0] : NULL,
                         out[1] ? out[1] + i * k->out[1] : NULL};
    run_block(w, x ? x + i * k->in : NULL, to, n, is_empty);
  }
}

static void run_all(const walk* w, const char* x, char** out, bool is_empty) {
  int64_t index[OY_TENSOR_MAX_DIMS] = {0};
  for (;;) {
    run_line(w, x, out, is_empty);
    size_t d = 1;
    for (; d < w->kept_count; d++) {
      const dim* k = &w->kept[d];
      int64_t back = ++index[d] < k->size ? 0 : k->size;
      if (x) x += k->in * (1 - back);
      for (int o = 0; o < 2; o++)
        if (out[o]) out[o] += k->out[o] * (1 - back);
      if (!back) break;
      index[d] = 0;
    }
    if (d >= w->kept_count) return;
  }
}

// A bool is read as the byte that it is.
static bool reads_as(oy_dtype have, oy_dtype want) {
  return have == want || (have == OY_DTYPE_BOOL && want == OY_DTYPE_U8);
}

void oyi_reduce(const oyi_reduction* r, const oyi_fold* reducer, const void* args) {
  if (oyi_reduction_first(r)->numel == 0) return;
  walk w;
  char* out[2] = {NULL, NULL};
  w.reducer = reducer;
  w.args = args;
  w.in_dtype = r->in->header.dtype;
  w.converts = !reads_as(w.in_dtype, reducer->in);
  for (int k = 0; k < r->outs; k++) {
    if (!r->out[k]) continue;
    out[k] = oyi_data(r->out[k]);
    w.out_dtype[k] = r->out[k]->header.dtype;
  }
  find_dims(&w, r);
  // Rows that lie together pay from a few elements on.
  const dim *k = &w.kept[0], *d = &w.reduced[0];
  w.across = k->in == oyi_item(r->in) && k->size >= 4 && d->in != k->in;
  run_all(&w, oyi_data(r->in), out, r->in->numel == 0);
}

const oyi_fold* oyi_fold_for(const oyi_fold* table, oy_dtype dtype,
                                   const char* name) {
  for (; table->row; table++)
    if (reads_as(dtype, table->in)) return table;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
          oy_dtype_pytorch_name(dtype));
  return NULL;
}
