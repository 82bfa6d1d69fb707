// SPDX-License-Identifier: Apache-2.0
// cummax and cummin.
#define LEVELED(name) name##_base
#include "backends/cpu/order/scan_extreme_body.h"

#include "backends/cpu/index/lines.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/order/sort_keys.h"
#include "base/cpu.h"
#include "ops/rules/reduction.h"
#include "tensor/element.h"
#include "tensor/move.h"

#ifdef __x86_64__
// Elements side by side in lines that are short: of long ones blocks are passed over together,
// and of the shortest of eight bytes several lines are taken at once.
static bool is_short(oy_dtype dtype, const oyi_extreme_lines* e) {
  enum { LEAST = 4, LEAST_NARROW = 2, MOST = 64, PLACE = 8 };
  const int64_t item = oyi_dtype_bytes[dtype];
  return e->n >= (item < PLACE ? LEAST_NARROW : LEAST) && e->n <= MOST &&
         e->x_step == item && e->y_step == item && e->at_step == PLACE;
}

static bool are_few_columns(oy_dtype dtype, const oyi_extreme_lines* e) {
  enum { LEAST = 2, MOST = 8, PLACE = 8 };
  const int64_t item = oyi_dtype_bytes[dtype];
  return e->lines >= LEAST && e->lines <= (item < PLACE ? 2 * MOST : MOST) &&
         e->n <= INT32_MAX && e->x_line == item && e->y_line == item &&
         e->at_line == PLACE;
}
#endif

static void run_lines(oy_dtype dtype, const oyi_extreme_lines* e) {
#ifdef __x86_64__
  if (oyi_cpu_level() >= 2 && is_short(dtype, e)) {
    oyi_extremes_short_v4(dtype, e);
    return;
  }
  if (oyi_cpu_level() >= 2 && are_few_columns(dtype, e)) {
    oyi_extremes_few_v4(dtype, e);
    return;
  }
  if (oyi_cpu_level() >= 1) {
    oyi_extremes_v3(dtype, e);
    return;
  }
#endif
  oyi_extremes_base(dtype, e);
}

// Lines with gaps whose results have none: to bring them together first takes less than to read
// them one by one.
enum { LEAST_GAPPED = 8, BROUGHT = 8192 };
static bool have_gaps(oy_dtype dtype, const oyi_extreme_lines* e) {
  const int64_t item = oyi_dtype_bytes[dtype], place = sizeof(int64_t);
  return e->n >= LEAST_GAPPED && e->n * item <= BROUGHT && e->x_step != item &&
         e->y_step == item && e->at_step == place;
}

static void run_gapped(oy_dtype dtype, const oyi_extreme_lines* all) {
  _Alignas(64) char brought[BROUGHT];
  const int64_t item = oyi_dtype_bytes[dtype], line = all->n * item;
  oyi_extreme_lines e = *all;
  e.x_step = item;
  e.x_line = line;
  for (int64_t l = 0; l < all->lines; l += e.lines) {
    const int64_t left = all->lines - l, most = BROUGHT / line;
    e.lines = left < most ? left : most;
    oyi_move m = {.item = (size_t)item,
                  .n = e.n,
                  .rows = e.lines,
                  .to = brought,
                  .from = all->x + l * all->x_line,
                  .to_along = item,
                  .to_down = line,
                  .from_along = all->x_step,
                  .from_down = all->x_line};
    oyi_move_rows(&m);
    e.x = brought;
    e.y = all->y + l * all->y_line;
    e.at = all->at + l * all->at_line;
    run_lines(dtype, &e);
  }
}

typedef struct extreme_scan {
  oy_dtype dtype;
  int64_t n;
  bool is_least;
} extreme_scan;

// Those of the fastest dimension of the walk go together.
static oy_status extreme_some(oyi_lines* w, int64_t count, void* context) {
  const extreme_scan* s = context;
  oyi_extreme_lines e = {.n = s->n,
                         .x_step = w->step[0],
                         .y_step = w->step[1],
                         .at_step = w->step[2],
                         .is_least = s->is_least};
  if (w->ndim == 0)
    w->sizes[0] = 1, w->at[0] = 0;
  else
    e.x_line = w->steps[0][0], e.y_line = w->steps[0][1], e.at_line = w->steps[0][2];
  while (count > 0) {
    const int64_t left = w->sizes[0] - w->at[0];
    e.lines = left < count ? left : count;
    e.x = w->data[0], e.y = w->data[1], e.at = w->data[2];
    if (have_gaps(s->dtype, &e))
      run_gapped(s->dtype, &e);
    else
      run_lines(s->dtype, &e);
    count -= e.lines;
    w->at[0] += e.lines - 1;
    w->data[0] += (e.lines - 1) * e.x_line;
    w->data[1] += (e.lines - 1) * e.y_line;
    w->data[2] += (e.lines - 1) * e.at_line;
    oyi_lines_next(w);
  }
  return OY_OK;
}

// Whether lines are read, and running extremes written, in a way that has loops of its own: side
// by side, as neighbours, or by pieces that are brought together.
static bool is_quick(const oyi_lines* w, oy_dtype dtype, int64_t n) {
  const oyi_extreme_lines e = {
      .n = n, .x_step = w->step[0], .y_step = w->step[1], .at_step = w->step[2]};
  enum { LINE = 64, SHORTEST = 4 };
  const int64_t item = oyi_dtype_bytes[dtype], place = sizeof(int64_t);
  const bool dense = e.x_step == item && e.y_step == item && e.at_step == place;
  const bool beside = w->ndim > 0 && w->steps[0][0] == item && w->steps[0][1] == item &&
                      w->steps[0][2] == place;
  const bool brought = have_gaps(dtype, &e) && n * LINE <= BROUGHT;
  const bool shortest = n <= SHORTEST && item == place && e.y_step == item &&
                        w->ndim > 0 && w->steps[0][0] == item;
  return dense || beside || brought || shortest;
}

// As results lie, unless just a few of them are neighbours, or some of very many, which is slow to
// make; NULL: there is no need to, or no memory.
static oyi_tensor* copy_as_results(const oyi_tensor* t, const oyi_tensor* v,
                                   const oyi_tensor* p, const oyi_lines* w, int64_t n) {
  enum { FEW = 512, LEAST = 4, SOME = 8, MANY = 1 << 17 };
  const int64_t item = oyi_item(t), beside = w->step[1] / item;
  const int64_t least = t->numel > MANY ? SOME : LEAST;
  const bool together = (v->flags & p->flags & OYI_CONTIGUOUS) != 0;
  if (t->numel < FEW || !together || (beside > 1 && beside < least) ||
      (t->flags & OYI_CONTIGUOUS) || is_quick(w, t->header.dtype, n))
    return NULL;
  oyi_tensor* copy = oyi_converted(t, t->header.dtype);
  if (!copy) oy_error_clear();
  return copy;
}

static oy_status extremes(oy_object* self, oy_object* values, oy_object* indices,
                          int64_t dim, bool is_least) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* v = t ? oyi_tensor_of(values) : NULL;
  const oyi_tensor* p = v ? oyi_tensor_of(indices) : NULL;
  if (!p) return oy_failure();
  if ((dim = oyi_dim_wrap(dim, t->ndim)) < 0) return OY_OUT_OF_RANGE;
  OY_CHECK(oyi_key_has_order(self->dtype), NOT_IMPLEMENTED,
           "\"%s_cpu\" not implemented for '%s'", is_least ? "cummin" : "cummax",
           oy_dtype_pytorch_name(self->dtype));
  OY_CHECK(
      v->header.dtype == self->dtype && p->header.dtype == OY_DTYPE_I64 &&
          oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(v)) &&
          oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(p)),
      INVALID_ARGUMENT,
      "expected values of the dtype and indices of int64, both of the shape of self");
  OY_TRY(oyi_check_memory(t));
  if (oyi_is_meta(t) || t->numel == 0) return OY_OK;
  oyi_lines w;
  const oyi_tensor* tensors[] = {t, v, p};
  extreme_scan how = {self->dtype, t->ndim ? t->sizes[dim] : 1, is_least};
  enum { LEAST_LINES = 16, LEAST_COLUMNS = 6, LEAST_FEW = 2 };
  const int64_t least = oyi_cpu_level() >= 2 ? LEAST_FEW : LEAST_COLUMNS;
  if (!oyi_lines_begin(&w, oyi_sizes_view(t), dim, tensors, 3)) return OY_OK;
  oyi_tensor* copy = copy_as_results(t, v, p, &w, how.n);
  if (copy) {
    tensors[0] = copy;
    (void)!oyi_lines_begin(&w, oyi_sizes_view(t), dim, tensors, 3);
  }
  const int64_t item = oyi_item(t);
  const bool columns = w.ndim > 0 && w.steps[0][0] == item && w.steps[0][1] == item;
  oyi_lines_arrange(&w, columns ? least : LEAST_LINES);
  const oy_status status = oyi_lines_run(&w, how.n, extreme_some, &how);
  if (copy) oy_tensor_release(&copy->header);
  return status;
}

OYI_CPU(_cummax_helper) {
  return extremes(self, values, indices, dim, false);
}
OYI_CPU(_cummin_helper) {
  return extremes(self, values, indices, dim, true);
}
