// SPDX-License-Identifier: Apache-2.0
// index_reduce: slices of one dimension, by number, reduced into slices of another
// tensor.
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/indexing.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/reduce/reduce_into.h"
#include "ops/rules/rules.h"

typedef struct request {
  oyi_tensor *self, *source;
  const oyi_tensor* index;
  int64_t dim;
  oyi_reduce_into how;
  oyi_updater updater;
} request;

static oy_status check(request* q) {
  const oyi_tensor *t = q->self, *i = q->index, *s = q->source;
  OY_CHECK(i->ndim <= 1, OUT_OF_RANGE,
           "index_reduce_(): Index is supposed to be a vector, but got dim: %u with "
           "type: %s and size: %s",
           i->ndim, oy_dtype_pytorch_name(i->header.dtype),
           oyi_dims_print(oyi_sizes_view(i)).text);
  OY_CHECK(i->header.dtype == OY_DTYPE_I64 || i->header.dtype == OY_DTYPE_I32,
           TYPE_MISMATCH,
           "index_reduce_(): Expected dtype int32/int64 for index but got: %s",
           oy_dtype_pytorch_name(i->header.dtype));
  OY_CHECK(t->header.dtype == s->header.dtype, TYPE_MISMATCH,
           "index_reduce_(): self (%s) and source (%s) must have the same scalar type",
           oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(s->header.dtype));
  int64_t slices = s->ndim ? q->dim < s->ndim ? s->sizes[q->dim] : -1 : 1;
  OY_CHECK(i->numel == slices, INVALID_ARGUMENT,
           "index_reduce_(): Number of indices (%lld) should be equal to "
           "source.size(dim): (%lld), for dim: %lld",
           (long long)i->numel, (long long)slices, (long long)q->dim);
  for (int64_t d = 0; d < t->ndim && s->ndim == t->ndim; d++)
    OY_CHECK(d == q->dim || s->sizes[d] == t->sizes[d], INVALID_ARGUMENT,
             "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
             "non-singleton dimension %lld",
             (long long)t->sizes[d], (long long)s->sizes[d],
             (long long)(d > q->dim ? d - 1 : d));
  OY_TRY(oyi_updater_find(q->how.update, t->header.dtype, "index_reduce_", &q->updater));
  OY_TRY(oyi_check_memory(i));
  OY_TRY(oyi_check_memory(s));
  return oyi_check_same_device(t, s);
}

// One element goes into every place that the indices name.
static oy_status spread(const request* q, oyi_tensor* to, oyi_tensor* one,
                        oyi_update update) {
  oyi_indexing x;
  OY_TRY(oyi_indexing_begin_dim(&x, to, q->dim, q->index, OYI_INDEX_SELECT));
  oy_status status =
      oyi_indexing_update(&x, one, oyi_updater_for(update, to->header.dtype));
  oyi_indexing_end(&x);
  return status;
}

// One count for each slice: numbers of the shape of the target but 1 in other dimensions.
static oyi_tensor* count_slices(const request* q, const oyi_tensor* target) {
  int64_t shape[OY_TENSOR_MAX_DIMS];
  for (int64_t d = 0; d < target->ndim; d++)
    shape[d] = d == q->dim ? target->sizes[d] : 1;
  oyi_tensor* counts =
      oyi_reduce_into_counts(&q->how, (oy_ints){shape, target->ndim}, q->index->numel);
  if (!counts) return NULL;
  const oyi_reduce_into ones = {OYI_UPDATE_MUL, false, true};
  oyi_tensor* one = oyi_reduce_into_identity(&ones, counts->header.dtype);
  const bool good = one && spread(q, counts, one, OYI_UPDATE_ADD) == 0;
  if (one) oy_tensor_release(&one->header);
  if (good) return counts;
  oy_tensor_release(&counts->header);
  return NULL;
}

static oy_status divide(const request* q, oyi_tensor* target) {
  oyi_tensor* counts = count_slices(q, target);
  if (!counts) return oy_failure();
  oy_object* all = oy_tensor_expand(&counts->header, oyi_sizes_view(target));
  oy_tensor_release(&counts->header);
  if (!all) return oy_failure();
  oyi_reduce_into_divide(target, oyi_tensor_cast(all));
  oy_tensor_release(all);
  return OY_OK;
}

static oy_status compute(const request* q, oyi_tensor* target) {
  if (oyi_is_meta(target)) return OY_OK;
  if (!q->how.include_self) {
    oyi_tensor* one = oyi_reduce_into_identity(&q->how, target->header.dtype);
    oy_status status = one ? spread(q, target, one, OYI_UPDATE_SET) : OY_OUT_OF_MEMORY;
    if (one) oy_tensor_release(&one->header);
    OY_TRY(status);
  }
  oyi_indexing x;
  OY_TRY(oyi_indexing_begin_dim(&x, target, q->dim, q->index, OYI_INDEX_SELECT));
  oy_status status = oyi_indexing_update(&x, q->source, q->updater);
  oyi_indexing_end(&x);
  return status != 0 || !q->how.is_mean ? status : divide(q, target);
}

static oy_object* index_reduce(oy_object* self, int64_t dim, oy_object* index,
                               oy_object* source, oy_str reduce, bool include_self,
                               oy_object* out) {
  request q;
  if (!oyi_reduce_into_parse(reduce, include_self, &q.how) ||
      oy_str_equal(reduce, oy_str_of("sum"))) {
    OY_FAIL(INVALID_ARGUMENT,
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but "
            "got %.*s.",
            OY_STR_ARG(reduce));
    return NULL;
  }
  q.self = oyi_tensor_of(self);
  q.index = q.self ? oyi_tensor_of(index) : NULL;
  q.source = q.index ? oyi_tensor_of(source) : NULL;
  oyi_indexing x;
  if (!q.source || (q.dim = oyi_dim_wrap(dim, q.self->ndim)) < 0 || check(&q) != 0 ||
      oyi_indexing_begin_dim(&x, q.self, q.dim, q.index, OYI_INDEX_SELECT) != 0)
    return NULL;
  oyi_indexing_end(&x);  // all indices are good
  oyi_tensor* target;
  const oyi_tensor* inputs[] = {q.index, q.source};
  if (oyi_index_target(q.self, out, inputs, 2, &target) != 0) return NULL;
  return oyi_index_result(target, out, compute(&q, target));
}

OYI_CPU(index_reduce) {
  return index_reduce(self, dim, index, source, reduce, include_self, NULL);
}
OYI_CPU(index_reduce_out) {
  return index_reduce(self, dim, index, source, reduce, include_self, out);
}
OYI_CPU(index_reduce_) {
  return index_reduce(self, dim, index, source, reduce, include_self, self);
}
