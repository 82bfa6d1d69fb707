// SPDX-License-Identifier: Apache-2.0
// scatter in all its forms: elements of a tensor, or a number, written or reduced into
// lines along a dimension, at places by number.
#include <string.h>

#include "backends/cpu/index/index_check.h"
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/lines.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/reduce/reduce_into.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/move.h"

typedef struct request {
  const char* name;
  oyi_tensor* self;
  const oyi_tensor *index, *src;  // |src| NULL: the number in |value|
  int64_t dim;
  oyi_reduce_into how;
  oyi_updater updater;
  bool late;  // indices are checked when they are used
  // Not NULL: lines of the target come from here when the first walk comes to them.
  const oyi_tensor* origin;
  _Alignas(16) char value[16];
} request;

static const oyi_reduce_into g_set = {OYI_UPDATE_SET, false, true};
static const oyi_reduce_into g_add = {OYI_UPDATE_ADD, false, true};

// A tensor without dimensions counts as one element in a line.
static int64_t size_of(const oyi_tensor* t, int64_t d) {
  return t->ndim ? t->sizes[d] : 1;
}

static oy_status check_shapes(const request* q) {
  const oyi_tensor *t = q->self, *i = q->index, *s = q->src;
  unsigned rank = i->ndim ? i->ndim : 1;
  if (i->numel == 0) return OY_OK;
  OY_CHECK(rank == (t->ndim ? t->ndim : 1u), INVALID_ARGUMENT,
           "Index tensor must have the same number of dimensions as self tensor");
  OY_CHECK(!s || rank == (s->ndim ? s->ndim : 1u), INVALID_ARGUMENT,
           "Index tensor must have the same number of dimensions as src tensor");
  bool fits = true;
  for (int64_t d = 0; d < rank; d++) {
    int64_t asked = size_of(i, d);
    fits =
        fits && (d == q->dim || asked <= size_of(t, d)) && (!s || asked <= size_of(s, d));
  }
  OY_CHECK(fits || s, INVALID_ARGUMENT,
           "Expected index %s to be smaller than self %s apart from dimension %lld",
           oyi_dims_print(oyi_sizes_view(i)).text, oyi_dims_print(oyi_sizes_view(t)).text,
           (long long)q->dim);
  OY_CHECK(fits, INVALID_ARGUMENT,
           "Expected index %s to be smaller than self %s apart from dimension %lld and "
           "to be smaller size than src %s",
           oyi_dims_print(oyi_sizes_view(i)).text, oyi_dims_print(oyi_sizes_view(t)).text,
           (long long)q->dim, oyi_dims_print(oyi_sizes_view(s)).text);
  return OY_OK;
}

static oy_status check(request* q) {
  const oyi_tensor *t = q->self, *i = q->index, *s = q->src;
  OY_CHECK(i->numel == 0 || i->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "%s(): Expected dtype int64 for index", q->name);
  OY_CHECK(!s || s->header.dtype == t->header.dtype, TYPE_MISMATCH,
           "%s(): Expected self.dtype to be equal to src.dtype", q->name);
  OY_TRY(check_shapes(q));
  OY_TRY(oyi_check_same_device(t, i));
  OY_TRY(oyi_check_memory(i));
  if (s) OY_TRY(oyi_check_memory(s));
  OY_TRY(oyi_updater_find(q->how.update, t->header.dtype, q->name, &q->updater));
  OY_CHECK(!q->how.is_mean || t->header.dtype != OY_DTYPE_BOOL, NOT_IMPLEMENTED,
           "\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool'");
  return OY_OK;
}

// Whether good indices are all 0.
static bool is_whole(const request* q) {
  return q->self->ndim > 0 && q->self->ndim == q->index->ndim && q->index->numel > 0 &&
         q->self->sizes[q->dim] == 1;
}

// An output of another dtype is refused before what the indices say is looked at. Only
// what is written once, and given up after a failure, is checked late.
static oy_status check_values(request* q, const oy_object* out) {
  if (oyi_is_meta(q->self) || (out && out->dtype != q->self->header.dtype)) return OY_OK;
  q->late = !out && !is_whole(q) && q->how.include_self && !q->how.is_mean &&
            q->self->numel > 0 && q->index->numel > 0 &&
            ((q->index->flags & OYI_CONTIGUOUS) || oyi_checks_late(q->index, q->dim));
  if (q->late) return OY_OK;
  return oyi_check_line_indices(q->index, q->dim, size_of(q->self, q->dim));
}

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

static void update_whole(const request* q, const oyi_tensor* to, const oyi_tensor* src,
                         const char* one, oyi_updater updater) {
  const oyi_tensor *i = q->index, *tensors[] = {to, src};
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, i->sizes, i->ndim * sizeof(*sizes));
  sizes[q->dim] = 1;
  const whole all = {updater.row, one};
  // Where elements are only set the last of them stay.
  const int64_t n = i->sizes[q->dim], first = q->how.update == OYI_UPDATE_SET ? n - 1 : 0;
  oyi_lines w;
  for (int64_t k = first; k < n; k++) {
    if (!oyi_lines_begin(&w, (oy_ints){sizes, i->ndim}, q->dim, tensors, one ? 1 : 2))
      return;
    if (!one) w.data[1] += k * oyi_strides(src)[q->dim] * oyi_item(src);
    oyi_lines_arrange(&w, LEAST_LINES);
    (void)!oyi_lines_run(&w, 1, run_whole, (void*)(uintptr_t)&all);
  }
}

// Updates |to| from |src|, or from one element for all.
static oy_status run(request* q, const oyi_tensor* to, const oyi_tensor* src,
                     const char* one, oyi_updater updater) {
  const oyi_tensor* i = q->index;
  oyi_lines w;
  const oyi_tensor* tensors[OYI_LINES_MAX] = {to, i};
  int count = 2;
  if (i->numel == 0) return OY_OK;  // and may be of any rank
  const int64_t size = size_of(q->self, q->dim);
  if (is_whole(q)) {
    update_whole(q, to, src, src ? NULL : one, updater);
    return OY_OK;
  }
  scattering how = {.updater = updater,
                    .one = src ? NULL : one,
                    .n = size_of(i, q->dim),
                    .item = oyi_item(to),
                    .size = size,
                    .late = {q->late ? size : 0, false}};
  if (src) tensors[count++] = src;
  if (q->origin) {
    tensors[count++] = q->origin;
    how.copied = (size_t)(size * oyi_item(to));
    q->origin = NULL;
  }
  if (oyi_lines_begin(&w, oyi_sizes_view(i), q->dim, tensors, count)) {
    oyi_lines_arrange(&w, how.n <= SHORT_LINE && !how.copied ? LEAST_LINES : 0);
    (void)!oyi_lines_run(&w, how.n, run_some, &how);
  }
  return how.late.failed ? oyi_bad_line_index(i, q->dim, size) : OY_OK;
}

static oy_status divide(request* q, oyi_tensor* target) {
  oyi_tensor* counts =
      oyi_reduce_into_counts(&q->how, oyi_sizes_view(target), q->index->numel);
  if (!counts) return OY_OUT_OF_MEMORY;
  const oy_dtype dtype = counts->header.dtype;
  _Alignas(16) char one[16];
  oyi_element_store(dtype, one, oyi_number_of_scalar(oy_int(1)));
  // Their indices are those of the first walk.
  (void)!run(q, counts, NULL, one, oyi_updater_for(OYI_UPDATE_ADD, dtype));
  oyi_reduce_into_divide(target, counts);
  oy_tensor_release(&counts->header);
  return OY_OK;
}

static oy_status compute(request* q, oyi_tensor* target) {
  oy_dtype dtype = target->header.dtype;
  if (oyi_is_meta(target)) return OY_OK;
  if (!q->how.include_self) {
    oyi_tensor* start = oyi_reduce_into_identity(&q->how, dtype);
    if (!start) return OY_OUT_OF_MEMORY;
    (void)!run(q, target, NULL, oyi_data(start), oyi_updater_for(OYI_UPDATE_SET, dtype));
    oy_tensor_release(&start->header);
  }
  OY_TRY(run(q, target, q->src, q->value, q->updater));
  return q->how.is_mean ? divide(q, target) : OY_OK;
}

static oy_status compute_apart(request* q, oyi_tensor* target) {
  oyi_tensor* index = oyi_index_apart(q->index, target);
  if (!index) return oy_failure();
  q->index = index;
  oy_status status = compute(q, target);
  oy_tensor_release(&index->header);
  return status;
}

// Whether a new target may be copied line by line, each of which is near then when it is
// written again: every line is walked over, and lies together. Larger ones are for all threads.
static bool copies_lines(const request* q) {
  enum { MOST = 1 << 17 };
  const oyi_tensor *t = q->self, *i = q->index;
  if (oyi_is_meta(t) || !(t->flags & OYI_CONTIGUOUS) || i->numel == 0 || is_whole(q) ||
      q->dim != (int64_t)t->ndim - 1 || t->sizes[q->dim] * oyi_item(t) > MOST)
    return false;
  for (int64_t d = 0; d < q->dim; d++)
    if (i->sizes[d] != t->sizes[d]) return false;
  return true;
}

static oy_status make_target(request* q, oy_object* out, oyi_tensor** target) {
  const oyi_tensor* inputs[] = {q->index, q->src};
  const oyi_tensor* t = q->self;
  if (out || !copies_lines(q))
    return oyi_index_target(q->self, out, inputs, q->src ? 2 : 1, target);
  OY_TRY(oyi_check_memory(t));
  *target = oyi_tensor_new(oyi_sizes_view(t), t->header.dtype, oyi_tensor_device(t));
  q->origin = t;
  return *target ? OY_OK : oy_failure();
}

// The last element of each line of the source is what is written.
static oy_object* set_whole(request* q, oy_object* out) {
  oyi_tensor *t = q->self, *target;
  const oyi_tensor* inputs[] = {q->index, q->src};
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, q->index->sizes, t->ndim * sizeof(*sizes));
  sizes[q->dim] = 1;
  const oy_ints written = {sizes, t->ndim};
  if (out || !oyi_same_sizes(written, oyi_sizes_view(t))) {
    if (oyi_index_target(t, out, inputs, 2, &target) != 0) return NULL;
  } else {
    if (oyi_check_memory(t) != 0) return NULL;
    target = oyi_tensor_new(written, t->header.dtype, oyi_tensor_device(t));
    if (!target) return NULL;
  }
  const int64_t last = (q->index->sizes[q->dim] - 1) * oyi_strides(q->src)[q->dim];
  return oyi_index_result(target, out,
                          oyi_index_copy(target, 0, q->src, last, q->dim, written));
}

static oy_object* scatter(request* q, oy_object* self, int64_t dim, oy_object* index,
                          oy_object* src, oy_object* out) {
  q->self = oyi_tensor_of(self);
  q->index = q->self ? oyi_tensor_of(index) : NULL;
  q->src = q->index && src ? oyi_tensor_of(src) : NULL;
  oyi_tensor* target;
  if (!q->index || (src && !q->src) || (q->dim = oyi_dim_wrap(dim, q->self->ndim)) < 0 ||
      check(q) != 0 || check_values(q, out) != 0)
    return NULL;
  if (is_whole(q) && q->src && q->how.update == OYI_UPDATE_SET && !oyi_is_meta(q->self))
    return set_whole(q, out);
  if (make_target(q, out, &target) != 0) return NULL;
  return oyi_index_result(target, out, compute_apart(q, target));
}

static oy_object* scatter_number(request* q, oy_object* self, int64_t dim,
                                 oy_object* index, oy_scalar value, oy_object* out) {
  if (!oyi_tensor_of(self)) return NULL;
  const oyi_number number = oyi_number_of_scalar(value);
  if (oyi_number_check(number, self->dtype) != 0) return NULL;
  oyi_element_store(self->dtype, q->value, number);
  return scatter(q, self, dim, index, NULL, out);
}

// The older names of the reductions.
static bool parse_old(oy_str reduce, oyi_reduce_into* how) {
  *how = g_add;
  if (oy_str_equal(reduce, oy_str_of("add"))) return true;
  how->update = OYI_UPDATE_MUL;
  if (oy_str_equal(reduce, oy_str_of("multiply"))) return true;
  OY_FAIL(INVALID_ARGUMENT, "reduce argument must be either add or multiply.");
  return false;
}

static oy_object* scatter_old(oy_object* self, int64_t dim, oy_object* index,
                              oy_object* src, oy_str reduce, oy_object* out) {
  request q = {.name = "scatter"};
  return parse_old(reduce, &q.how) ? scatter(&q, self, dim, index, src, out) : NULL;
}

static oy_object* scatter_number_old(oy_object* self, int64_t dim, oy_object* index,
                                     oy_scalar value, oy_str reduce, oy_object* out) {
  request q = {.name = "scatter"};
  if (!parse_old(reduce, &q.how)) return NULL;
  return scatter_number(&q, self, dim, index, value, out);
}

static oy_object* scatter_reduce(oy_object* self, int64_t dim, oy_object* index,
                                 oy_object* src, oy_str reduce, bool include_self,
                                 oy_object* out) {
  request q = {.name = "scatter_reduce"};
  if (!oyi_reduce_into_parse(reduce, include_self, &q.how)) {
    OY_FAIL(INVALID_ARGUMENT,
            "reduce argument must be either sum, prod, mean, amax or amin.");
    return NULL;
  }
  return scatter(&q, self, dim, index, src, out);
}

#define PLAIN(how_)                \
  &(request) {                     \
    .name = "scatter", .how = how_ \
  }
OYI_CPU(scatter_src) {
  return scatter(PLAIN(g_set), self, dim, index, src, NULL);
}
OYI_CPU(scatter_src_out) {
  return scatter(PLAIN(g_set), self, dim, index, src, out);
}
OYI_CPU(scatter__src) {
  return scatter(PLAIN(g_set), self, dim, index, src, self);
}
OYI_CPU(scatter_value) {
  return scatter_number(PLAIN(g_set), self, dim, index, value, NULL);
}
OYI_CPU(scatter_value_out) {
  return scatter_number(PLAIN(g_set), self, dim, index, value, out);
}
OYI_CPU(scatter__value) {
  return scatter_number(PLAIN(g_set), self, dim, index, value, self);
}
OYI_CPU(scatter_reduce) {
  return scatter_old(self, dim, index, src, reduce, NULL);
}
OYI_CPU(scatter_reduce_out) {
  return scatter_old(self, dim, index, src, reduce, out);
}
OYI_CPU(scatter__reduce) {
  return scatter_old(self, dim, index, src, reduce, self);
}
OYI_CPU(scatter_value_reduce) {
  return scatter_number_old(self, dim, index, value, reduce, NULL);
}
OYI_CPU(scatter_value_reduce_out) {
  return scatter_number_old(self, dim, index, value, reduce, out);
}
OYI_CPU(scatter__value_reduce) {
  return scatter_number_old(self, dim, index, value, reduce, self);
}
#undef PLAIN
#define PLAIN                           \
  &(request) {                          \
    .name = "scatter_add", .how = g_add \
  }
OYI_CPU(scatter_add) {
  return scatter(PLAIN, self, dim, index, src, NULL);
}
OYI_CPU(scatter_add_out) {
  return scatter(PLAIN, self, dim, index, src, out);
}
OYI_CPU(scatter_add_) {
  return scatter(PLAIN, self, dim, index, src, self);
}
OYI_CPU(scatter_reduce_two) {
  return scatter_reduce(self, dim, index, src, reduce, include_self, NULL);
}
OYI_CPU(scatter_reduce_two_out) {
  return scatter_reduce(self, dim, index, src, reduce, include_self, out);
}
OYI_CPU(scatter_reduce__two) {
  return scatter_reduce(self, dim, index, src, reduce, include_self, self);
}
