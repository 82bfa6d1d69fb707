// SPDX-License-Identifier: Apache-2.0
// scatter in all its forms: elements of a tensor, or a number, written or reduced into
// lines along a dimension, at places by number.
#include <string.h>

#include "backends/cpu/index/index_check.h"
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/scatter_lines.h"
#include "backends/cpu/kernels.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"

typedef oyi_scatter request;

static const oyi_reduce_into g_set = {OYI_UPDATE_SET, false, true};
static const oyi_reduce_into g_add = {OYI_UPDATE_ADD, false, true};

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
    int64_t asked = oyi_scatter_size(i, d);
    fits = fits && (d == q->dim || asked <= oyi_scatter_size(t, d)) &&
           (!s || asked <= oyi_scatter_size(s, d));
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
           "scatter(): Expected dtype int64 for index");
  OY_CHECK(!s || s->header.dtype == t->header.dtype, TYPE_MISMATCH,
           "scatter(): Expected self.dtype to be equal to src.dtype");
  OY_TRY(check_shapes(q));
  OY_TRY(oyi_check_same_device(t, i));
  OY_TRY(oyi_check_memory(i));
  if (s) OY_TRY(oyi_check_memory(s));
  OY_TRY(oyi_updater_find(q->how.update, t->header.dtype, q->name, &q->updater));
  OY_CHECK(!q->how.is_mean || t->header.dtype != OY_DTYPE_BOOL, NOT_IMPLEMENTED,
           "\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool'");
  return OY_OK;
}

// An output of another dtype is refused before what the indices say is looked at. Only
// what is written once, and given up after a failure, is checked late.
static oy_status check_values(request* q, const oy_object* out) {
  if (oyi_is_meta(q->self) || (out && out->dtype != q->self->header.dtype)) return OY_OK;
  q->late = !out && !oyi_scatter_is_whole(q) && q->how.include_self && !q->how.is_mean &&
            q->self->numel > 0 && q->index->numel > 0 &&
            ((q->index->flags & OYI_CONTIGUOUS) || oyi_checks_late(q->index, q->dim));
  if (q->late) return OY_OK;
  return oyi_check_line_indices(q->index, q->dim, oyi_scatter_size(q->self, q->dim));
}

static oy_status divide(request* q, oyi_tensor* target) {
  oyi_tensor* counts =
      oyi_reduce_into_counts(&q->how, oyi_sizes_view(target), q->index->numel);
  if (!counts) return OY_OUT_OF_MEMORY;
  const oy_dtype dtype = counts->header.dtype;
  _Alignas(16) char one[16];
  oyi_element_store(dtype, one, oyi_number_of_scalar(oy_int(1)));
  // Their indices are those of the first walk.
  (void)!oyi_scatter_run(q, counts, NULL, one, oyi_updater_for(OYI_UPDATE_ADD, dtype));
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
    (void)!oyi_scatter_run(q, target, NULL, oyi_data(start),
                           oyi_updater_for(OYI_UPDATE_SET, dtype));
    oy_tensor_release(&start->header);
  }
  OY_TRY(oyi_scatter_run(q, target, q->src, q->value, q->updater));
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
  if (oyi_is_meta(t) || !(t->flags & OYI_CONTIGUOUS) || i->numel == 0 ||
      oyi_scatter_is_whole(q) || q->dim != (int64_t)t->ndim - 1 ||
      t->sizes[q->dim] * oyi_item(t) > MOST)
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
  if (oyi_scatter_is_whole(q) && q->src && q->how.update == OYI_UPDATE_SET &&
      !oyi_is_meta(q->self))
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
