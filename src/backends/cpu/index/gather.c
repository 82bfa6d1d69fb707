// SPDX-License-Identifier: Apache-2.0
// gather: elements of each line along a dimension, by number.
#include <string.h>

#include "backends/cpu/index/gather_block.h"
#include "backends/cpu/index/gather_rows.h"
#include "backends/cpu/index/index_check.h"
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/lines.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/cpu.h"
#include "base/threads.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/iterator.h"

static oy_status check(const oyi_tensor* t, int64_t dim, const oyi_tensor* index) {
  OY_CHECK(index->numel == 0 || index->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "gather(): Expected dtype int64 for index");
  OY_TRY(oyi_check_same_device(t, index));
  OY_TRY(oyi_check_memory(t));
  OY_TRY(oyi_check_memory(index));
  if (index->numel == 0) return OY_OK;
  unsigned rank = t->ndim ? t->ndim : 1;
  OY_CHECK(rank == (index->ndim ? index->ndim : 1u), INVALID_ARGUMENT,
           "Index tensor must have the same number of dimensions as input tensor");
  for (int64_t d = 0; d < t->ndim && d < index->ndim; d++)
    OY_CHECK(d == dim || index->sizes[d] <= t->sizes[d], INVALID_ARGUMENT,
             "Size does not match at dimension %lld expected index %s to be smaller than "
             "self %s apart from dimension %lld",
             (long long)d, oyi_dims_print(oyi_sizes_view(index)).text,
             oyi_dims_print(oyi_sizes_view(t)).text, (long long)dim);
  return OY_OK;
}

// What the indices say is looked at when the output is settled.
static oy_status check_values(const oyi_tensor* t, int64_t dim, const oyi_tensor* index) {
  if (index->numel == 0) return OY_OK;
  return oyi_check_line_indices(index, dim, t->ndim ? t->sizes[dim] : 1);
}

static oyi_tensor* make_output(const oyi_tensor* t, const oyi_tensor* index,
                               oy_object* out) {
  oy_ints sizes = oyi_sizes_view(index);
  oy_device device = oyi_tensor_device(t);
  if (!out) return oyi_tensor_new(sizes, t->header.dtype, device);
  oyi_tensor* o = oyi_tensor_of(out);
  const oyi_tensor *from[] = {t}, *by[] = {index};
  // The index itself may become the output; with a new size it may come to overlap.
  bool good = o && oyi_check_apart(o, from, 1) == 0 &&
              oyi_output_check_overlap(o, by, 1) == 0 &&
              oyi_output_exact(o, sizes, t->header.dtype, device) == 0 &&
              oyi_check_apart(o, from, 1) == 0 && oyi_output_check_overlap(o, by, 1) == 0;
  return good ? o : NULL;
}

// Blocks of the three fastest dimensions of a walk over all of them; along the dimension whose
// places the indices say, only they say where to read.
typedef struct taking {
  oyi_gather_fn take;
  int64_t down;  // bytes from place to place
  oyi_late late;
} taking;

// How much of dimension |d| fits into |most| elements, |size| of each of its places.
static int64_t fits(const oyi_lines* w, size_t d, int64_t size, int64_t most) {
  const int64_t rest = w->sizes[d] - w->at[d], fit = most / size;
  return rest < fit ? rest : fit;
}

// A block of up to |most| elements from here on; whole rows and planes, but for one.
static oyi_gather_block block_of(const oyi_lines* w, const taking* t, int64_t most) {
  const int64_t *along = w->steps[0], *down = w->steps[1], *next = w->steps[2];
  oyi_gather_block b = {.planes = 1,
                        .rows = 1,
                        .n = w->ndim ? fits(w, 0, 1, most) : 1,
                        .to = w->data[0],
                        .index = w->data[1],
                        .from = w->data[2],
                        .to_along = along[0],
                        .index_along = along[1],
                        .from_along = along[2],
                        .scale = t->down,
                        .size = t->late.size ? (uint64_t)t->late.size : UINT64_MAX};
  if (w->ndim < 2 || b.n < w->sizes[0]) return b;
  b.rows = fits(w, 1, b.n, most);
  b.to_down = down[0], b.index_down = down[1], b.from_down = down[2];
  if (w->ndim < 3 || b.rows < w->sizes[1]) return b;
  b.planes = fits(w, 2, b.n * b.rows, most);
  b.to_next = next[0], b.index_next = next[1], b.from_next = next[2];
  return b;
}

// To the last element of a block, and on from there.
static void pass(oyi_lines* w, const oyi_gather_block* b) {
  enum { DIMS = 3 };
  const int64_t counts[DIMS] = {b->n, b->rows, b->planes};
  for (size_t d = 0; d < w->ndim && d < DIMS; d++) {
    w->at[d] += counts[d] - 1;
    for (int k = 0; k < w->count; k++) w->data[k] += w->steps[d][k] * (counts[d] - 1);
  }
  oyi_lines_next(w);
}

static oy_status take_some(oyi_lines* w, int64_t count, void* context) {
  taking* t = context;
  for (int64_t done; count > 0; count -= done) {
    const oyi_gather_block b = block_of(w, t, count);
    if (!t->take(&b)) {
      oyi_late_fail(&t->late);
      return OY_OK;
    }
    done = b.planes * b.rows * b.n;
    pass(w, &b);
  }
  return OY_OK;
}

// Dimension |d| of the walk becomes number |to|; those between go on by one.
static void bring(oyi_lines* w, size_t d, size_t to) {
  const oyi_lines before = *w;
  w->sizes[to] = before.sizes[d];
  memcpy(w->steps[to], before.steps[d], sizeof(before.steps[d]));
  for (size_t i = to; i < d; i++) {
    w->sizes[i + 1] = before.sizes[i];
    memcpy(w->steps[i + 1], before.steps[i], sizeof(before.steps[i]));
  }
}

// Where blocks of the fastest dimensions are small, the longest is one of them.
static void choose_blocks(oyi_lines* w) {
  enum { LEAST = 64, DIMS = 3 };
  if (w->ndim <= DIMS || w->sizes[0] * w->sizes[1] * w->sizes[2] >= LEAST) return;
  size_t longest = DIMS - 1;
  for (size_t d = longest; d < w->ndim; d++)
    if (w->sizes[d] > w->sizes[longest]) longest = d;
  bring(w, longest, DIMS - 1);
}

// How memory is read and written: as the output and the indices lie, unless elements that lie
// there side by side are of lines which are apart, and more than the cache holds: the next cache
// where the indices of a line are apart too, of which memory would be read again for each line.
static void arrange(oyi_lines* w, const oyi_tensor* t, int64_t dim) {
  enum { NEAR = 1 << 18, NEXT = 1 << 22, LINE = 64 };
  const int64_t item = oyi_item(t);
  oyi_lines_arrange(w, 0);
  size_t along = 0;
  while (along < w->ndim && w->steps[along][2] != 0) along++;
  if (along > 0 && along < w->ndim && w->steps[0][2] >= LINE &&
      t->sizes[dim] * w->sizes[0] * item > (w->steps[along][1] < LINE ? NEAR : NEXT))
    bring(w, along, 0);
  choose_blocks(w);
}

// Short lines that fit into registers, whose elements lie together.
typedef bool (*short_fn)(int64_t lines, int64_t n, char* o, const char* x, int64_t down,
                         int64_t length, const int64_t* index);
// Lines |down| bytes from each other, as far as |run| of them go; those of the dimensions before
// |outer| are elsewhere.
typedef struct lines_apart {
  int64_t down, run, outer;
} lines_apart;
typedef struct short_lines {
  short_fn take;
  char* o;
  const char* x;
  const int64_t* index;
  int64_t lines, n, item, length;
  lines_apart apart;  // of |x|
  const oyi_tensor *from, *by;
  oyi_late* late;
} short_lines;

// Where that takes enough of each to be faster, or several at once; NULL: it does not.
static short_fn rows_for(int64_t item, int64_t down, int64_t length, int64_t n) {
#if defined(__x86_64__)
  enum { LEAST = 3, LEAST_BYTES = 10 };
  const bool several =
      length == n && down == n * item && 2 * n * item <= OYI_GATHER_REGISTER;
  const bool enough = several || (n >= LEAST && n * item >= LEAST_BYTES);
  if (length * item <= OYI_GATHER_BYTES && enough && oyi_cpu_level() > 1) {
    if (item == 2) return oyi_gather_rows_2_v4;
    if (item == 4) return oyi_gather_rows_4_v4;
    if (item == 8) return oyi_gather_rows_8_v4;
  }
#else
  (void)item, (void)down, (void)length, (void)n;
#endif
  return NULL;
}

// Where line |line| is.
static const char* line_of(const short_lines* s, int64_t line) {
  const int64_t* strides = oyi_strides(s->from);
  int64_t run = line / s->apart.run, elements = 0;
  for (int64_t d = s->apart.outer; d-- > 0; run /= s->by->sizes[d])
    elements += run % s->by->sizes[d] * strides[d];
  return s->x + elements * s->item + line % s->apart.run * s->apart.down;
}

static oy_status take_short(int64_t chunk, void* context) {
  const short_lines* s = context;
  const int64_t stretch = OYI_ITER_GRAIN / s->n, first = chunk * stretch;
  const int64_t end = s->lines - first < stretch ? s->lines : first + stretch;
  for (int64_t at = first, some; at < end; at += some) {
    some = s->apart.run - at % s->apart.run;
    if (some > end - at) some = end - at;
    if (!s->take(some, s->n, s->o + at * s->n * s->item, line_of(s, at), s->apart.down,
                 s->length, s->index + at * s->n)) {
      oyi_late_fail(s->late);
      return OY_OK;
    }
  }
  return OY_OK;
}

// How lines of |t| along the last dimension lie, in the order of the indices.
static lines_apart apart_of(const oyi_tensor* t, const oyi_tensor* index) {
  const int64_t* strides = oyi_strides(t);
  int64_t down = 0, next = 0, run = 1, d = t->ndim - 2;
  bool found = false;
  for (; d >= 0; d--) {
    if (index->sizes[d] == 1) continue;
    if (found && strides[d] != next) break;
    if (!found) down = strides[d];
    found = true;
    next = strides[d] * index->sizes[d];
    run *= index->sizes[d];
  }
  if (!found) down = t->sizes[t->ndim - 1];
  return (lines_apart){down * oyi_item(t), run, d + 1};
}

// NULL: they are not such lines, or too few of them lie as the one before.
static short_fn short_for(const oyi_tensor* o, const oyi_tensor* t, int64_t dim,
                          const oyi_tensor* index, lines_apart* apart) {
  enum { MOST = 128, FEW = 8 };
  if (t->ndim == 0 || t->ndim != index->ndim || dim != t->ndim - 1 ||
      index->sizes[dim] > MOST || oyi_strides(t)[dim] != 1)
    return NULL;
  if (!(o->flags & index->flags & OYI_CONTIGUOUS)) return NULL;
  *apart = apart_of(t, index);
  if (apart->down <= 0 || (apart->outer > 0 && apart->run < FEW)) return NULL;
  return rows_for(oyi_item(t), apart->down, t->sizes[dim], index->sizes[dim]);
}

static void take_short_lines(short_fn take, oyi_tensor* o, const oyi_tensor* t,
                             const oyi_tensor* index, lines_apart apart, oyi_late* late) {
  const int64_t dim = t->ndim - 1;
  short_lines s = {.take = take,
                   .o = oyi_data(o),
                   .x = oyi_data(t),
                   .index = oyi_data(index),
                   .n = index->sizes[dim],
                   .item = oyi_item(t),
                   .length = t->sizes[dim],
                   .apart = apart,
                   .from = t,
                   .by = index,
                   .late = late};
  s.lines = index->numel / s.n;
  (void)!oyi_parallel_chunks(oyi_stretches(s.lines, OYI_ITER_GRAIN / s.n), take_short,
                             &s);
}

static void take_blocks(oyi_tensor* o, const oyi_tensor* t, int64_t dim,
                        const oyi_tensor* index, taking* how) {
  oyi_lines w;
  const oyi_tensor* tensors[] = {o, index, t};
  if (!oyi_lines_begin(&w, oyi_sizes_view(index), OYI_LINES_NONE, tensors, 3)) return;
  size_t place = 0;
  for (int64_t d = dim + 1; d < index->ndim; d++) place += index->sizes[d] != 1;
  if (index->ndim && index->sizes[dim] != 1) w.steps[place][2] = 0;
  how->down = t->ndim ? oyi_strides(t)[dim] * oyi_item(t) : oyi_item(t);
  if (w.ndim > 1) arrange(&w, t, dim);
  (void)!oyi_lines_run(&w, 1, take_some, how);
}

// |late|: indices are checked here.
static oy_status take_lines(oyi_tensor* o, const oyi_tensor* t, int64_t dim,
                            const oyi_tensor* index, bool late) {
  if (index->numel == 0) return OY_OK;  // and may be of any rank
  const int64_t size = t->ndim ? t->sizes[dim] : 1;
  taking how = {.take = oyi_gather_for(oyi_item(t)), .late = {late ? size : 0, false}};
  lines_apart apart;
  const short_fn take = short_for(o, t, dim, index, &apart);
  if (take)
    take_short_lines(take, o, t, index, apart, &how.late);
  else
    take_blocks(o, t, dim, index, &how);
  return how.late.failed ? oyi_bad_line_index(index, dim, size) : OY_OK;
}

// Whether all indices, which are good, are 0: there is nothing else to take.
static bool takes_all(const oyi_tensor* t, int64_t dim, const oyi_tensor* index) {
  return t->ndim > 0 && t->ndim == index->ndim && t->sizes[dim] == 1;
}

static oy_object* gather(oy_object* self, int64_t dim, oy_object* index, oy_object* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* i = t ? oyi_tensor_of(index) : NULL;
  if (!i || (dim = oyi_dim_wrap(dim, t->ndim)) < 0 || check(t, dim, i) != 0) return NULL;
  oyi_tensor* o = make_output(t, i, out);
  if (!o || oyi_is_meta(t)) return oyi_tensor_object(o);
  // Nothing may be taken from a dimension of size 0, which late checks have no number for.
  const bool all = takes_all(t, dim, i);
  const bool late = !out && !all && t->numel > 0 && (i->flags & OYI_CONTIGUOUS);
  oyi_tensor* apart = late || check_values(t, dim, i) == 0 ? oyi_index_apart(i, o) : NULL;
  oy_status status = oy_failure();
  if (apart)
    status = all ? oyi_index_copy(o, 0, t, 0, dim, oyi_sizes_view(o))
                 : take_lines(o, t, dim, apart, late);
  if (apart) oy_tensor_release(&apart->header);
  return oyi_index_result(o, out, status);
}

OYI_CPU(gather) {
  return gather(self, dim, index, NULL);
}
OYI_CPU(gather_out) {
  return gather(self, dim, index, out);
}
