// SPDX-License-Identifier: Apache-2.0
// sort, argsort and topk: lines along one dimension, by their keys.
#include <string.h>

#include "backends/cpu/index/lines.h"
#include "backends/cpu/index/updates.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/order/rank_lines.h"
#include "backends/cpu/order/select.h"
#include "backends/cpu/order/sort_keys.h"
#include "backends/cpu/order/sort_lanes.h"
#include "backends/cpu/reduce/reduce_loops.h"
#include "backends/cpu/reduce/reduce_single.h"
#include "ops/rules/reduction.h"
#include "tensor/block_cache.h"
#include "tensor/element.h"
#include "tensor/move.h"

typedef struct sorting {
  oy_dtype dtype;
  int64_t n, kept;  // elements of a line, and how many of them are wanted
  bool descending, selects;
  oyi_sort_lanes_fn network;  // NULL: by entries
  int64_t* room;              // the network's
  oyi_entry *entries, *scratch;
  oyi_top_fn top;        // leaves most elements out first; NULL: nothing does
  char *line, *left;     // a line side by side, and what is not left out
  int32_t* left_places;  // and as many to spare
  bool is_in_room;       // where the places of the last line are, or with |entries|
} sorting;

// Whether a selection passes most elements by.
static bool is_few(const sorting* s) {
  return s->selects && (s->kept <= s->n / 16 || oyi_keys_are_inserted(s->n, s->kept));
}

// Whether most elements of a line are left out before the others are sorted: of a short one that
// takes longer than the network saves unless few are wanted.
static bool leaves_out(const sorting* s) {
  enum { FEWER = 8, SHORT = 160, LONGER = 256, TIMES = 512 };
  return s->n >= SHORT && s->n < INT32_MAX && s->kept > FEWER &&
         s->kept <= s->n / 4 * (s->n < LONGER ? 1 : 3) && s->kept > s->n / TIMES;
}

// Of a line of elements side by side. False: nothing is left out.
static bool sort_top(sorting* s, const char* x) {
  const int64_t n = s->top(x, s->n, s->kept, s->descending, s->left, s->left_places,
                           s->left_places + s->n);
  if (n == 0) return false;
  const int64_t item = oyi_dtype_bytes[s->dtype];
  const oyi_sort_lanes_fn network = oyi_sort_lanes_for(s->dtype, n);
  s->is_in_room = network != NULL;
  if (network) {
    network(&(oyi_line){s->dtype, s->left, item, n, s->descending}, s->room);
    for (int64_t i = 0; i < s->kept; i++) s->room[i] = s->left_places[s->room[i]];
    return true;
  }
  oyi_keys_load(s->entries, s->dtype, s->left, item, n, s->descending);
  oyi_keys_sort(s->entries, s->scratch, n);
  for (int64_t i = 0; i < s->kept; i++)
    s->entries[i].place = s->left_places[s->entries[i].place];
  return true;
}

static void sort_line(sorting* s, const char* x, int64_t step) {
  if (s->top && sort_top(s, x)) return;
  s->is_in_room = s->network != NULL;
  if (s->network) {
    s->network(&(oyi_line){s->dtype, x, step, s->n, s->descending}, s->room);
    return;
  }
  const int64_t n = s->selects ? s->kept : s->n;
  if (is_few(s)) {
    oyi_keys_select_few(s->entries, s->dtype, x, step, s->n, s->kept, s->descending);
    if (oyi_keys_are_inserted(s->n, s->kept)) return;
  } else {
    oyi_keys_load(s->entries, s->dtype, x, step, s->n, s->descending);
    if (n < s->n) oyi_keys_select(s->entries, s->n, n - 1);
  }
  oyi_keys_sort(s->entries, s->scratch, n);
  // A selection leaves equal ones in any order: the one that networks make is for all.
  if (n < s->n) oyi_keys_order_equal(s->entries, s->scratch, n);
}

static void write_line(const sorting* s, const oyi_lines* w, oyi_take_fn take) {
  const char* places = (const char*)(s->is_in_room ? s->room : &s->entries[0].place);
  const int64_t step = s->is_in_room ? sizeof(int64_t) : sizeof(oyi_entry);
  if (w->data[1])
    take(s->kept, w->data[1], w->step[1], w->data[0], w->step[0], places, step);
  char* to = w->data[2];
  for (int64_t i = 0; i < s->kept; i++, to += w->step[2], places += step)
    memcpy(to, places, sizeof(int64_t));  // NOLINT: a tensor with elements has data
}

typedef struct sorting_run {
  sorting how;
  oyi_take_fn take;
  bool has_values;
} sorting_run;

// Lines that are columns go through copies, a few at a time, as each element of one would be
// in another part of memory: |SIDE| of at most |LONGEST| bytes. Those of which most elements are
// passed by may be longer, |MOST| bytes together, and fewer: that is done by vectors then, which
// takes less than to make keys, but of what are keys as they are.
enum { SIDE = 16, SOME = 16, LONGEST = 16384, MOST = 1 << 20 };

static int64_t columns_at_once(const oyi_lines* w) {
  return w->sizes[0] < SIDE ? w->sizes[0] : SIDE;
}
static bool goes_by_copies(const sorting* s, const oyi_lines* w, int64_t item) {
  if (s->n < SOME || w->ndim == 0 || w->steps[0][0] != item || w->step[0] == item)
    return false;
  const int64_t line = s->n * item;
  const bool passes_by = s->top || (is_few(s) && s->dtype != OY_DTYPE_I64);
  return (passes_by && w->sizes[0] > 1 && line * columns_at_once(w) <= MOST) ||
         (line <= LONGEST && w->sizes[0] >= SOME);
}

static void copy_columns(char* to, const oyi_lines* w, int64_t columns, int64_t n,
                         int64_t item) {
  oyi_move_rows(&(oyi_move){.item = (size_t)item,
                            .n = n,
                            .rows = columns,
                            .to = to,
                            .from = w->data[0],
                            .to_along = item,
                            .to_down = n * item,
                            .from_along = w->step[0],
                            .from_down = item});
}

// |copy|: of the columns from this one on, or NULL.
static void sort_here(const sorting_run* r, sorting* s, const oyi_lines* w, char* copy,
                      int64_t item) {
  oyi_lines here = *w;
  if (copy) here.data[0] = copy, here.step[0] = item;
  if (!r->has_values) here.data[1] = NULL;
  if (s->top && here.step[0] != item) {
    oyi_move_rows(&(oyi_move){.item = (size_t)item,
                              .n = s->n,
                              .rows = 1,
                              .to = s->line,
                              .from = here.data[0],
                              .to_along = item,
                              .from_along = here.step[0]});
    here.data[0] = s->line, here.step[0] = item;
  }
  sort_line(s, here.data[0], here.step[0]);
  write_line(s, &here, r->take);
}

// The next |bytes| of a block at |*at|, which lines of the cache begin; of none if it is NULL.
static char* take_room(char* block, int64_t* at, int64_t bytes) {
  enum { LINE = 64 };
  char* here = block ? block + *at : NULL;
  *at += (bytes + LINE - 1) / LINE * LINE;
  return here;
}

// What sorting lines takes, in |block|, or how much that is; other threads have their own.
static int64_t divide_room(sorting* s, char* block) {
  const int64_t n = s->n, item = oyi_dtype_bytes[s->dtype], place = sizeof(int32_t);
  const int64_t entries = is_few(s) && !s->top ? oyi_keys_few_room(s->kept) : n;
  const int64_t entry = sizeof(oyi_entry), cell = sizeof(*s->room);
  int64_t at = 0;
  if (s->network || s->top)
    s->room = (int64_t*)(void*)take_room(block, &at, oyi_sort_lanes_room(n) * cell);
  if (!s->network || s->top) {
    s->entries = (oyi_entry*)(void*)take_room(block, &at, entries * entry);
    s->scratch = (oyi_entry*)(void*)take_room(block, &at, entries * entry);
  }
  if (s->top) {
    s->line = take_room(block, &at, n * item);
    s->left = take_room(block, &at, n * item);
    s->left_places = (int32_t*)(void*)take_room(block, &at, 2 * n * place);
  }
  return at;
}

static oy_status sort_some(oyi_lines* w, int64_t count, void* context) {
  const sorting_run* r = context;
  sorting s = r->how;
  const int64_t item = oyi_dtype_bytes[s.dtype];
  const bool copies = goes_by_copies(&s, w, item);
  const int64_t size = divide_room(&s, NULL);
  const int64_t copied = copies ? columns_at_once(w) * s.n * item : 0;
  void* data;
  char* block = oyi_data_alloc((size_t)(size + copied), &data);
  if (!block) return OY_OUT_OF_MEMORY;
  divide_room(&s, block);
  char* columns = block + size;
  for (int64_t some; count > 0; count -= some) {
    const int64_t left = copies ? w->sizes[0] - w->at[0] : 1;
    const int64_t most = left < count ? left : count;
    some = most < SIDE ? most : SIDE;
    if (copies) copy_columns(columns, w, some, s.n, item);
    for (int64_t k = 0; k < some; k++, oyi_lines_next(w))
      sort_here(r, &s, w, copies ? columns + k * s.n * item : NULL, item);
  }
  oyi_data_free(data, block);
  return OY_OK;
}

// Sorts all lines of r->in into r->out: values (or none) and places.
static oy_status sort_lines(const oyi_reduction* r, int64_t dim, const sorting* s) {
  const oyi_tensor* t = r->in;
  if (s->n == 0 || s->kept == 0 || t->numel == 0) return OY_OK;
  oyi_lines w;
  const oyi_tensor* tensors[] = {t, r->out[0] ? r->out[0] : r->out[1], r->out[1]};
  sorting_run run = {*s, oyi_take_for((size_t)oyi_item(t)), r->out[0] != NULL};
  if (!oyi_lines_begin(&w, oyi_sizes_view(t), dim, tensors, 3)) return OY_OK;
  enum { LEAST_LINES = 16 };
  oyi_lines short_lines = w;
  oyi_lines_arrange(&short_lines, LEAST_LINES);
  if (s->selects) w = short_lines;
  const oyi_ranking few = {s->dtype,        s->n, s->kept, NULL, s->descending,
                           !run.has_values, false};
  if (oyi_rank_lines(&short_lines, &few)) return OY_OK;
  return oyi_lines_run(&w, s->n, sort_some, &run);
}

static oy_status begin(oyi_reduction* r, oy_object* self, int64_t* dim,
                       const char* kernel) {
  OY_TRY(oyi_reduction_begin_dim(r, self, oy_int(*dim), true));
  *dim = oyi_dim_wrap(*dim, r->in->ndim);
  OY_CHECK(oyi_key_has_order(self->dtype), NOT_IMPLEMENTED,
           "\"%s\" not implemented for '%s'", kernel, oy_dtype_pytorch_name(self->dtype));
  for (size_t d = 0; d < r->ndim; d++) r->sizes[d] = r->in->sizes[d];
  return OY_OK;
}

static const char g_sort[] = "sorting_kernel_method_name";

static sorting whole_lines(oy_dtype dtype, int64_t n, bool descending) {
  return (sorting){.dtype = dtype,
                   .n = n,
                   .kept = n,
                   .descending = descending,
                   .network = oyi_sort_lanes_for(dtype, n)};
}

static oy_status sort(oy_object* self, int64_t dim, bool descending, oy_object* values,
                      oy_object* indices, oy_object** out_values,
                      oy_object** out_indices) {
  oyi_reduction r;
  *out_values = *out_indices = NULL;
  OY_TRY(begin(&r, self, &dim, g_sort));
  r.as_input = true;
  OY_TRY(oyi_reduction_output(&r, values, self->dtype, OYI_OUT_EXACT));
  OY_TRY(oyi_reduction_output(&r, indices, OY_DTYPE_I64, OYI_OUT_EXACT));
  int64_t n = r.in->ndim ? r.in->sizes[dim] : 1;
  sorting s = whole_lines(self->dtype, n, descending);
  // Lines are written as they are taken from where they were.
  const bool meets = (values && oyi_may_share(r.out[0], r.in)) ||
                     (indices && oyi_may_share(r.out[1], r.in));
  oyi_tensor* copy = meets && !r.meta ? oyi_converted(r.in, self->dtype) : NULL;
  oy_status status = meets && !r.meta && !copy ? OY_OUT_OF_MEMORY : OY_OK;
  if (copy) r.in = copy;
  if (status == 0 && !r.meta) status = sort_lines(&r, dim, &s);
  if (copy) oy_tensor_release(&copy->header);
  return oyi_reduction_end_pair(&r, status, out_values, out_indices);
}

OYI_CPU(sort_stable) {
  return sort(self, dim, descending, NULL, NULL, out_values, out_indices);
}
OYI_CPU(sort_values_stable) {
  return sort(self, dim, descending, values, indices, out_values, out_indices);
}

OYI_CPU(argsort_stable) {
  oyi_reduction r;
  if (begin(&r, self, &dim, g_sort) != 0) return NULL;
  r.as_input = true;
  oyi_reduction_skip(&r);
  if (oyi_reduction_output(&r, NULL, OY_DTYPE_I64, OYI_OUT_EXACT) != 0) return NULL;
  int64_t n = r.in->ndim ? r.in->sizes[dim] : 1;
  sorting s = whole_lines(self->dtype, n, descending);
  oy_status status = r.meta ? OY_OK : sort_lines(&r, dim, &s);
  return oyi_reduction_end(&r, status);
}

static bool has_nan(const oyi_tensor* t) {
  const oy_dtype dtype = t->header.dtype;
  const uint64_t nan = oyi_key_of_nan(dtype);
  const char* x = oyi_data(t);
  for (int64_t i = 0; nan && i < t->numel; i++, x += oyi_dtype_bytes[dtype])
    if (oyi_key_load(dtype, x) == nan) return true;
  return false;
}

// One of each line, as max and min find it, which take lines of any layout at once. False: for
// min, NaN is the least, and there is one, or may be.
static bool take_extremes(const oyi_reduction* r, bool largest) {
  const oyi_tensor* values = r->out[0];
  if (!largest && !(values->flags & OYI_DENSE)) return false;
  if (oyi_reduce_single(r, OYI_SINGLE_PLACE)) return true;
  const oyi_fold* table = largest ? oyi_argmax_reducers() : oyi_argmin_reducers();
  oyi_reduce(r, oyi_fold_for(table, oyi_reduce_dtype(values->header.dtype), ""), NULL);
  return largest || !has_nan(values);
}

static oy_status topk(oy_object* self, int64_t k, int64_t dim, bool largest,
                      oy_object* values, oy_object* indices, oy_object** out_values,
                      oy_object** out_indices) {
  oyi_reduction r;
  *out_values = *out_indices = NULL;
  OY_TRY(begin(&r, self, &dim, "topk_cpu"));
  OY_CHECK(self->dtype != OY_DTYPE_BOOL, NOT_IMPLEMENTED,
           "\"topk_cpu\" not implemented for 'Bool'");
  int64_t n = r.in->ndim ? r.in->sizes[dim] : 1;
  OY_CHECK(k >= 0 && k <= n, INVALID_ARGUMENT, "selected index k out of range");
  if (r.ndim) r.sizes[dim] = k;
  OY_TRY(oyi_reduction_output(&r, values, self->dtype, OYI_OUT_EXACT));
  OY_TRY(oyi_reduction_output(&r, indices, OY_DTYPE_I64, OYI_OUT_EXACT));
  // What has no dimension to shrink keeps its element, also for k = 0.
  const int64_t kept = r.ndim ? k : 1;
  sorting s = {
      .dtype = self->dtype, .n = n, .kept = kept, .descending = largest, .selects = true};
  if (leaves_out(&s)) s.top = oyi_select_top(self->dtype);
  // Whole lines are sorted sooner than more than a few of their elements are found.
  if (kept > n / 32) s.network = oyi_sort_lanes_for(self->dtype, n);
  const bool done = r.meta || (k == 1 && take_extremes(&r, largest));
  oy_status status = done ? OY_OK : sort_lines(&r, dim, &s);
  return oyi_reduction_end_pair(&r, status, out_values, out_indices);
}

OYI_CPU(topk) {
  return topk(self, k, dim, largest, NULL, NULL, out_values, out_indices);
}
OYI_CPU(topk_values) {
  return topk(self, k, dim, largest, values, indices, out_values, out_indices);
}
