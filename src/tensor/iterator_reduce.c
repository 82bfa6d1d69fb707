// SPDX-License-Identifier: Apache-2.0
// Reductions. The reduced dimensions come first in the order of a walk; |reduced| is
// the number of their steps, |kept| that of the others.
#include "base/threads.h"
#include "tensor/iterator_walk.h"

enum {
  FEW = 16,       // up to this many results come from partial ones
  PARTIALS = 64,  // of each
  ITEM_MOST = 16,
  COLUMNS = 512  // results that are summed side by side
};

typedef struct reduction {
  const oyi_iter* it;
  const oyi_reducer* by;
  size_t split;  // dimensions below are reduced
  int64_t reduced, kept;
  int64_t stretch;  // steps of a partial result, or results of a piece
  char* partials;   // [stretches][kept]
} reduction;

// ----------------------------------------------------------------- many results

// A loop over results, |args| being the reduction: all steps of each, one by one.
static void reduce_each(int64_t n, char* const* data, const int64_t* strides,
                        const void* args) {
  const reduction* r = args;
  char* at[2] = {data[0], data[1]};
  for (int64_t i = 0; i < n; i++, at[0] += strides[0], at[1] += strides[1])
    oyi_walk_range(r->it, 0, r->split, at, 0, r->reduced, r->by->loop, r->by->args);
}

// Columns of results, where the input is contiguous along those: step by step.
typedef struct columns {
  const reduction* r;
  int64_t n;
  const int64_t* strides;
} columns;

static void reduce_step(int64_t n, char* const* data, const int64_t* strides,
                        const void* args) {
  const columns* c = args;
  char* at[2] = {data[0], data[1]};
  for (int64_t i = 0; i < n; i++, at[1] += strides[1])
    c->r->by->loop(c->n, at, c->strides, c->r->by->args);
}

static void reduce_columns(int64_t n, char* const* data, const int64_t* strides,
                           const void* args) {
  const reduction* r = args;
  for (int64_t i = 0; i < n; i += COLUMNS) {
    columns c = {r, n - i < COLUMNS ? n - i : COLUMNS, strides};
    char* at[2] = {data[0] + i * strides[0], data[1] + i * strides[1]};
    oyi_walk_range(r->it, 0, r->split, at, 0, r->reduced, reduce_step, &c);
  }
}

static int64_t distance(int64_t stride) {
  return stride < 0 ? -stride : stride;
}

static oy_status reduce_piece(int64_t index, void* context) {
  const reduction* r = context;
  const oyi_iter* it = r->it;
  int64_t begin = index * r->stretch;
  int64_t end = r->kept - begin > r->stretch ? begin + r->stretch : r->kept;
  bool by_columns = r->split > 0 && r->split < it->ndim &&
                    distance(it->strides[r->split][1]) < distance(it->strides[0][1]);
  oyi_walk_range(it, r->split, it->ndim, it->data, begin, end,
                 by_columns ? reduce_columns : reduce_each, r);
  return OY_OK;
}

// ------------------------------------------------------------------ few results

// A loop over results: one stretch of each, into the partial results of it.
typedef struct stretch {
  const reduction* r;
  int64_t begin, end;
  char** partial;
} stretch;

static void reduce_stretch(int64_t n, char* const* data, const int64_t* strides,
                           const void* args) {
  const stretch* s = args;
  const reduction* r = s->r;
  for (int64_t i = 0; i < n; i++, *s->partial += r->by->item) {
    char* at[2] = {*s->partial, data[1] + i * strides[1]};
    memcpy(at[0], r->by->identity, r->by->item);
    oyi_walk_range(r->it, 0, r->split, at, s->begin, s->end, r->by->loop, r->by->args);
  }
}

static oy_status reduce_partly(int64_t index, void* context) {
  const reduction* r = context;
  int64_t begin = index * r->stretch;
  int64_t end = r->reduced - begin > r->stretch ? begin + r->stretch : r->reduced;
  char* partial = r->partials + (size_t)(index * r->kept) * r->by->item;
  stretch s = {r, begin, end, &partial};
  oyi_walk_range(r->it, r->split, r->it->ndim, r->it->data, 0, r->kept, reduce_stretch,
                 &s);
  return OY_OK;
}

// A loop over results: each takes in its partial ones, first to last.
typedef struct gathering {
  const reduction* r;
  int64_t stretches;
  char** partial;
} gathering;

static void gather(int64_t n, char* const* data, const int64_t* strides,
                   const void* args) {
  const gathering* g = args;
  const oyi_reducer* by = g->r->by;
  const int64_t steps[2] = {0, g->r->kept * (int64_t)by->item};
  for (int64_t i = 0; i < n; i++, *g->partial += by->item) {
    char* at[2] = {data[0] + i * strides[0], *g->partial};
    by->combine(g->stretches, at, steps, by->args);
  }
}

static void reduce_few(reduction* r) {
  _Alignas(ITEM_MOST) char partials[FEW * PARTIALS * ITEM_MOST];
  r->partials = partials;
  int64_t stretches = (r->reduced - 1) / OYI_ITER_GRAIN + 1;
  if (stretches > PARTIALS) stretches = PARTIALS;
  r->stretch = (r->reduced - 1) / stretches + 1;
  stretches = (r->reduced - 1) / r->stretch + 1;
  (void)oyi_parallel_chunks(stretches, reduce_partly, r);
  char* first = partials;
  gathering g = {r, stretches, &first};
  oyi_walk_range(r->it, r->split, r->it->ndim, r->it->data, 0, r->kept, gather, &g);
}

static void reduce_many(reduction* r) {
  r->stretch = OYI_ITER_GRAIN / r->reduced;
  r->stretch = r->stretch < 1 ? 1 : oyi_even_piece(r->kept, r->stretch);
  (void)oyi_parallel_chunks((r->kept - 1) / r->stretch + 1, reduce_piece, r);
}

void oyi_iter_reduce(const oyi_iter* it, const oyi_reducer* reducer) {
  if (!it->runs) return;
  // One result of one short row is what the loop makes of it.
  if (it->ndim == 1 && it->strides[0][0] == 0 && it->sizes[0] < 2 * OYI_ITER_GRAIN) {
    reducer->loop(it->sizes[0], it->data, it->strides[0], reducer->args);
    return;
  }
  reduction r = {.it = it, .by = reducer};
  while (r.split < it->ndim && it->strides[r.split][0] == 0) r.split++;
  r.reduced = oyi_walk_steps(it, 0, r.split);
  r.kept = oyi_walk_steps(it, r.split, it->ndim);
  if (r.kept <= FEW && r.reduced >= 2 * OYI_ITER_GRAIN)
    reduce_few(&r);
  else
    reduce_many(&r);
}
