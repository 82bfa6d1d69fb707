// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/index/scatter_lines.h"

#include <string.h>

#include "backends/cpu/index/index_check.h"
#include "backends/cpu/index/lines.h"
#include "backends/cpu/work.h"
#include "opyard/threads.h"
#include "tensor/move.h"

typedef struct scattering {
  oyi_updater updater;
  const char* one;  // what is written; NULL: the third operand
  int64_t n, item, size;
  oyi_late late;
  size_t copied;  // bytes of each line of the last operand, which come first
} scattering;

enum { LEAST_LINES = 8, SHORT_LINE = 16, LEAST_ARRAY = 3, COPIED = 1 << 14 };

// Whether lines are arrays, whose indices are checked as they are used.
static bool are_arrays(const oyi_lines* w, const scattering* s) {
  return !s->one && w->step[1] == (int64_t)sizeof(int64_t) && w->step[0] == s->item &&
         w->step[2] == s->item && s->n >= LEAST_ARRAY;
}

// Only lines of a target that lies together are copied.
static void copy_lines(const oyi_lines* w, const scattering* s, int64_t lines) {
  if (s->copied)
    oyi_move_copy(w->data[0], w->data[w->count - 1], s->copied * (size_t)lines);
}

// False after a bad index.
static bool run_arrays(const oyi_lines* w, scattering* s, int64_t lines) {
  const int64_t* down = w->steps[0];
  const oyi_update_lines all = {.lines = lines,
                                .n = s->n,
                                .to = w->data[0],
                                .index = w->data[1],
                                .from = w->data[2],
                                .to_down = down[0],
                                .index_down = down[1],
                                .from_down = down[2],
                                .size = (uint64_t)s->size};
  copy_lines(w, s, lines);
  if (s->updater.lines(&all)) return true;
  oyi_late_fail(&s->late);
  return false;
}

static bool run_line(const oyi_lines* w, scattering* s) {
  copy_lines(w, s, 1);
  const int64_t most = oyi_late_most(&s->late, s->n);
  for (int64_t i = 0; i < s->n; i += most) {
    const int64_t n = s->n - i < most ? s->n - i : most;
    const char* index = w->data[1] + i * w->step[1];
    if (!oyi_late_passes(&s->late, index, w->step[1], n)) return false;
    s->updater.at(n, w->data[0], 0, w->step[0], index, w->step[1],
                  s->one ? s->one : w->data[2] + i * w->step[2], s->one ? 0 : w->step[2]);
  }
  return true;
}

// Columns side by side, of which rows are taken: memory is read as it lies.
static bool are_columns(const oyi_lines* w, const scattering* s) {
  enum { SIDE = 8, INDEX = sizeof(int64_t) };
  return !s->copied && w->steps[0][1] == INDEX && w->step[1] >= SIDE * INDEX;
}

// How many of |count| lines from here on are in the fastest dimension of the walk.
static int64_t side_by_side(const oyi_lines* w, int64_t count) {
  const int64_t rest = w->ndim ? w->sizes[0] - w->at[0] : 1;
  return count < rest ? count : rest;
}

// How many of |count| lines from here on are updated one after the other.
static int64_t arrays_at_once(const oyi_lines* w, const scattering* s, int64_t count) {
  const int64_t most = s->copied ? COPIED / (int64_t)s->copied + 1 : count;
  count = side_by_side(w, count);
  return count < most ? count : most;
}

// How many of |count| lines from here on are updated an element of each at a time: columns,
// and short lines, where a call for each takes longer than its elements, and one element
// more often waits for another that went to the same place.
static int64_t at_once(const oyi_lines* w, const scattering* s, int64_t count) {
  enum { MOST = OYI_CHECKED_AT_ONCE, NEAR = 1 << 14 };
  if (w->ndim == 0 || (s->n > SHORT_LINE && !are_columns(w, s))) return 1;
  int64_t most = MOST;
  if (!are_columns(w, s)) {
    // Until all of their elements are updated they should be near.
    const int64_t bytes = s->n * (int64_t)(sizeof(int64_t) + 2 * (size_t)s->item);
    most = NEAR / (bytes > (int64_t)s->copied ? bytes : (int64_t)s->copied);
    most = most < MOST ? most : MOST;
  }
  count = side_by_side(w, count);
  return count < LEAST_LINES || most < LEAST_LINES ? 1 : count < most ? count : most;
}

// Whether lines that follow each other are of indices that do.
static bool index_follows(const oyi_lines* w, const scattering* s) {
  enum { INDEX = sizeof(int64_t) };
  return w->step[1] == INDEX && w->steps[0][1] == s->n * INDEX;
}

static bool run_across(const oyi_lines* w, scattering* s, int64_t lines) {
  const bool all = index_follows(w, s);
  if (all && !oyi_late_passes(&s->late, w->data[1], w->step[1], lines * s->n))
    return false;
  copy_lines(w, s, lines);
  for (int64_t i = 0; i < s->n; i++) {
    const char* index = w->data[1] + i * w->step[1];
    if (!all && !oyi_late_passes(&s->late, index, w->steps[0][1], lines)) return false;
    s->updater.at(lines, w->data[0], w->steps[0][0], w->step[0], index, w->steps[0][1],
                  s->one ? s->one : w->data[2] + i * w->step[2],
                  s->one ? 0 : w->steps[0][2]);
  }
  return true;
}

// As far as the next of a row of |lines| lines, and to the one after it.
static void pass(oyi_lines* w, int64_t lines) {
  w->at[0] += lines - 1;
  for (int k = 0; k < w->count; k++) w->data[k] += w->steps[0][k] * (lines - 1);
  oyi_lines_next(w);
}

static oy_status run_some(oyi_lines* w, int64_t count, void* context) {
  scattering* s = context;
  while (count > 0) {
    const bool arrays = are_arrays(w, s);
    const int64_t lines = arrays ? arrays_at_once(w, s, count) : at_once(w, s, count);
    if (arrays      ? !run_arrays(w, s, lines)
        : lines > 1 ? !run_across(w, s, lines)
                    : !run_line(w, s))
      return OY_OK;
    count -= lines;
    if (lines > 1)
      pass(w, lines);
    else
      oyi_lines_next(w);
  }
  return OY_OK;
}

// Lines of one element, which all indices say, are no lines to walk along: each number of the
// index is one update of all, as they lie.
typedef struct whole {
  oyi_update_row_fn row;
  const char* one;
} whole;

static oy_status run_whole(oyi_lines* w, int64_t count, void* context) {
  const whole* all = context;
  while (count > 0) {
    const int64_t n = side_by_side(w, count), *steps = w->steps[0];
    all->row(n, w->data[0], steps[0], all->one ? all->one : w->data[1],
             all->one ? 0 : steps[1]);
    count -= n;
    pass(w, n);
  }
  return OY_OK;
}

static void update_whole(const oyi_scatter* q, const oyi_tensor* to,
                         const oyi_tensor* src, const char* one, oyi_updater updater) {
  const oyi_tensor *i = q->index, *tensors[] = {to, src};
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, i->sizes, i->ndim * sizeof(*sizes));
  sizes[q->dim] = 1;
  const whole all = {updater.row, one};
  // Where elements are only set the last of them stay.
  const int64_t n = i->sizes[q->dim], first = q->how.update == OYI_UPDATE_SET ? n - 1 : 0;
  oyi_lines w;
  for (int64_t k = first; k < n; k++) {
    if (!oyi_lines_begin(&w, (oy_ints){sizes, i->ndim}, q->dim, tensors, src ? 2 : 1))
      return;
    if (src) w.data[1] += k * oyi_strides(src)[q->dim] * oyi_item(src);
    oyi_lines_arrange(&w, LEAST_LINES);
    (void)!oyi_lines_run(&w, 1, run_whole, (void*)(uintptr_t)&all);
  }
}

// Lines across a few columns, all of the memory that they lie in: elements as they follow each
// other, whose places are those of the whole target. A call for a line has few of them, or reads
// memory again for each column.
typedef struct flat {
  oyi_updater updater;
  char* to;
  const int64_t* index;
  const char* from;  // elements |step| bytes apart, or one for all
  int64_t step, item, inner;
  int64_t block,
      target;  // elements of a block of columns, of the index and of the target
  oyi_late* late;
} flat;

static oy_status run_flat(int64_t begin, int64_t end, void* context) {
  enum { SOME = 512 };
  const flat* f = context;
  int64_t first[SOME] = {0}, at[SOME];
  const bool several = f->block <= SOME;
  const int64_t unit = several ? f->block : f->inner, all = (end - begin) * f->block;
  const int64_t period = all < SOME ? all : SOME / unit * unit;
  for (int64_t k = 0, base = 0; k < period; base += several ? f->target : 0)
    for (int64_t i = 0; i < unit; i += f->inner)
      for (int64_t l = 0; l < f->inner; l++) first[k++] = base + l;
  const int64_t last = end * f->block;
  for (int64_t k = begin * f->block, some; k < last; k += some) {
    const int64_t left = several ? last - k : f->block - k % f->block;
    some = left < period ? left : period;
    const int64_t* index = f->index + k;
    if (!oyi_late_passes(f->late, (const char*)index, sizeof(*index), some)) return OY_OK;
    for (int64_t i = 0; i < some; i++) at[i] = index[i] * f->inner + first[i];
    f->updater.at(some, f->to + k / f->block * f->target * f->item, 0, f->item,
                  (const char*)at, sizeof(*at), f->from + k * f->step, f->step);
  }
  return OY_OK;
}

// Whether it did. Threads share blocks, of which there should be some then.
static bool update_flat(const oyi_scatter* q, const oyi_tensor* to, const oyi_tensor* src,
                        scattering* s) {
  enum { SIDE = 8, SOME_BLOCKS = 64 };
  const oyi_tensor* i = q->index;
  int64_t inner = 1;
  if (!(to->flags & i->flags & (src ? src->flags : OYI_CONTIGUOUS) & OYI_CONTIGUOUS) ||
      (src && !oyi_same_sizes(oyi_sizes_view(i), oyi_sizes_view(src))))
    return false;
  for (int64_t d = 0; d < i->ndim; d++) {
    if (d != q->dim && i->sizes[d] != to->sizes[d]) return false;
    if (d > q->dim) inner *= i->sizes[d];
  }
  const int64_t block = s->n * inner, blocks = i->numel / block;
  if (inner < 2 || inner >= SIDE || (blocks < SOME_BLOCKS && oy_get_num_threads() > 1))
    return false;
  flat f = {.updater = s->updater,
            .to = oyi_data(to),
            .index = oyi_data(i),
            .from = s->one,
            .item = s->item,
            .inner = inner,
            .block = block,
            .target = s->size * inner,
            .late = &s->late};
  if (src) f.from = oyi_data(src), f.step = s->item;
  (void)!oy_parallel_for(0, blocks, oyi_stretch(block), run_flat, &f);
  return true;
}

oy_status oyi_scatter_run(oyi_scatter* q, const oyi_tensor* to, const oyi_tensor* src,
                          const char* one, oyi_updater updater) {
  const oyi_tensor* i = q->index;
  oyi_lines w;
  const oyi_tensor* tensors[OYI_LINES_MAX] = {to, i};
  int count = 2;
  if (i->numel == 0) return OY_OK;  // and may be of any rank
  const int64_t size = oyi_scatter_size(q->self, q->dim);
  if (oyi_scatter_is_whole(q)) {
    update_whole(q, to, src, src ? NULL : one, updater);
    return OY_OK;
  }
  scattering how = {.updater = updater,
                    .one = src ? NULL : one,
                    .n = oyi_scatter_size(i, q->dim),
                    .item = oyi_item(to),
                    .size = size,
                    .late = {q->late ? size : 0, false}};
  if (src) tensors[count++] = src;
  if (q->origin) {
    tensors[count++] = q->origin;
    how.copied = (size_t)(size * oyi_item(to));
    q->origin = NULL;
  }
  const bool done = !how.copied && update_flat(q, to, src, &how);
  if (!done && oyi_lines_begin(&w, oyi_sizes_view(i), q->dim, tensors, count)) {
    oyi_lines_arrange(&w, how.n <= SHORT_LINE && !how.copied ? LEAST_LINES : 0);
    (void)!oyi_lines_run(&w, how.n, run_some, &how);
  }
  return how.late.failed ? oyi_bad_line_index(i, q->dim, size) : OY_OK;
}
