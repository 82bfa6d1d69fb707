// SPDX-License-Identifier: Apache-2.0
// The rule of operators that work element by element on tensors which are broadcast.
#include "base/memory.h"
#include "layers/vmap/batch.h"
#include "ops/calls.h"

static bool is_tensor(const oy_value* v) {
  return v->tag == OY_TAG_TENSOR && oyi_is_tensor(v->as.object);
}
static int64_t ndim_of(const oy_value* v) {
  return oyi_tensor_cast(v->as.object)->ndim;
}

// The arguments that are tensors: their number, and the dimensions of a slice.
static size_t count_tensors(const oyi_batch* b, size_t* first, int64_t* ndim) {
  size_t n = 0;
  *ndim = 0;
  for (size_t i = b->count; i-- > 0;) {
    const oy_value* v = oyi_batch_arg(b, i);
    if (!is_tensor(v)) continue;
    *first = i;
    n++;
    if (ndim_of(v) > *ndim) *ndim = ndim_of(v);
  }
  return n;
}

static oy_status result_type(const oyi_batch* b, oy_dtype* out) {
  oy_object* tensors[64];
  size_t n = 0;
  for (size_t i = 0; i < b->count; i++)
    if (is_tensor(oyi_batch_arg(b, i))) tensors[n++] = oyi_batch_arg(b, i)->as.object;
  return oy_result_type(tensors, n, out);
}

// A slice without dimensions promotes others less than all slices together do: where the
// two disagree, |numbers|, those arguments, are cast to what the slices alone give.
static oy_status keep_promotion(const oyi_batch* b, oy_dtype dtype, uint64_t numbers) {
  oy_dtype now;
  OY_TRY(result_type(b, &now));
  for (size_t i = 0; i < b->count && now != dtype; i++) {
    oy_value* v = oyi_batch_arg(b, i);
    if (!(numbers >> i & 1) || v->as.object->dtype == OY_DTYPE_BOOL) continue;
    OY_TRY(oyi_batch_put(v, oyi_call__to_copy(v->as.object, oy_int(dtype), oy_none(),
                                              oy_none(), oy_none(), false, oy_none())));
  }
  return OY_OK;
}

// Values in place of the batched tensors, with |ndim| dimensions besides the mapped one.
static oy_status align(const oyi_batch* b, int64_t ndim) {
  uint64_t numbers = 0;
  oy_dtype dtype = OY_DTYPE_ANY;
  for (size_t i = 0; i < b->count; i++) {
    oy_value* v = oyi_batch_arg(b, i);
    if (oyi_batch_has(b, v) && ndim_of(v) == 0) numbers |= 1ull << i;
  }
  if (numbers) OY_TRY(result_type(b, &dtype));
  for (size_t i = 0; i < b->count; i++) {
    oy_value* v = oyi_batch_arg(b, i);
    if (!oyi_batch_has(b, v)) continue;
    OY_TRY(oyi_batch_put(v, oyi_batch_pad(oyi_batch_front(b, v->as.object), ndim)));
  }
  return numbers ? keep_promotion(b, dtype, numbers) : OY_OK;
}

// A tensor alone keeps its mapped dimension where it is.
static oy_status call_with_one(const oyi_batch* b, size_t at, oy_object* self) {
  oy_value* v = oyi_batch_arg(b, at);
  const oyi_wrapper* w = oyi_wrapper_at(v->as.object, b->layer);
  int64_t bdim = w->bdim;
  OY_TRY(oyi_batch_put(v, oy_tensor_retain(w->value)));
  return self ? oyi_batch_call_inplace(b, self) : oyi_batch_call(b, b->op, bdim);
}

static oy_status call_aligned(const oyi_batch* b, int64_t ndim, oy_object* self) {
  uint64_t keep = oyi_batch_below();
  oy_status status = align(b, ndim);
  oyi_batch_above(keep);
  if (status == OY_OK)
    return self ? oyi_batch_call_inplace(b, self) : oyi_batch_call(b, b->op, 0);
  oy_tensor_release(self);
  return status;
}

// A memory format belongs to the slices: "m" rows have one as the last argument. What is
// contiguous must be so for each slice.
static oy_status call_with_format(oyi_batch* b) {
  const oy_value* format = oyi_batch_arg(b, b->count - 1);
  if (format->tag == OY_TAG_INT && format->as.i >= OY_MEMORY_CHANNELS_LAST)
    return oyi_batch_loop(b);
  bool contiguous = format->tag == OY_TAG_INT && format->as.i == OY_MEMORY_CONTIGUOUS;
  return contiguous ? call_aligned(b, 0, NULL) : call_with_one(b, 0, NULL);
}

OYI_BATCH_RULE(pointwise) {
  (void)keys;
  const oyi_batch_rule* rule = kernel->user_data;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  if (!oyi_batch_any(&b)) return oyi_batch_pass(&b);
  if (rule->arguments) return call_with_format(&b);
  oy_object* self = NULL;
  if (oyi_batch_is_inplace(&b)) {
    OY_TRY(oyi_batch_check_inplace(&b));
    self = oy_tensor_retain(oyi_batch_arg(&b, 0)->as.object);
  }
  size_t first = 0;
  int64_t ndim;
  if (count_tensors(&b, &first, &ndim) == 1) return call_with_one(&b, first, self);
  return call_aligned(&b, ndim, self);
}

// ---------------------------------------------------------------------- losses

enum { LOSS_NONE, LOSS_MEAN, LOSS_SUM };

// The mean or the sum of each slice, in place of the result.
static oy_status reduce_slices(const oyi_batch* b, int64_t reduction) {
  oy_value* v = oy_stack_last(b->stack, 1);
  const oyi_tensor* t = oyi_tensor_of(v->as.object);
  if (!t) return oy_failure();
  const int64_t batch = b->layer->batch_size;
  oy_object* flat =
      oyi_call_reshape(v->as.object, OY_DIMS(batch, batch ? t->numel / batch : 1));
  oy_object* reduced = reduction == LOSS_MEAN
                           ? oyi_call_mean_dim(flat, OY_DIMS(1), false, oy_none())
                           : oyi_call_sum_dim_IntList(flat, OY_DIMS(1), false, oy_none());
  oy_tensor_release(flat);
  return oyi_batch_put(v, reduced);
}

// What has no batch gets one, of |ndim| dimensions behind it.
static oy_status give_batch(const oyi_batch* b, oy_value* v, int64_t ndim) {
  const oyi_tensor* t = oyi_tensor_of(v->as.object);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (!t) return oy_failure();
  if (t->ndim > ndim) return OY_OK;
  OY_CHECK(ndim < OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT,
           "vmap: expected at most %d dimensions, got %lld", OY_TENSOR_MAX_DIMS - 1,
           (long long)ndim);
  const int64_t ones = ndim - t->ndim;
  for (int64_t i = 0; i <= ndim; i++)
    sizes[i] = i == 0 ? b->layer->batch_size : i <= ones ? 1 : t->sizes[i - 1 - ones];
  return oyi_batch_put(
      v, oyi_call_expand(v->as.object, (oy_ints){sizes, (size_t)ndim + 1}, false));
}

static oy_status loss_below(const oyi_batch* b, const oyi_batch_rule* rule, int64_t ndim,
                            int64_t reduction) {
  OY_TRY(align(b, ndim));
  if (*rule->arguments == 'B') OY_TRY(give_batch(b, oyi_batch_arg(b, 0), ndim));
  OY_TRY(oy_op_call_boxed(b->op, b->stack));
  bool reduced = reduction == LOSS_MEAN || reduction == LOSS_SUM;
  return reduced ? reduce_slices(b, reduction) : OY_OK;
}

// |arguments| has an "r" where the reduction is.
OYI_BATCH_RULE(loss) {
  (void)keys;
  const oyi_batch_rule* rule = kernel->user_data;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  if (!oyi_batch_any(&b)) return oyi_batch_pass(&b);
  oy_value* at =
      oyi_batch_arg(&b, (size_t)(strchr(rule->arguments, 'r') - rule->arguments));
  int64_t reduction = at->as.i;
  *at = oy_int(LOSS_NONE);
  size_t first;
  int64_t ndim;
  (void)count_tensors(&b, &first, &ndim);
  uint64_t keep = oyi_batch_below();
  oy_status status = loss_below(&b, rule, ndim, reduction);
  oyi_batch_above(keep);
  return status == OY_OK ? oyi_batch_wrap(&b, 1, 0) : status;
}
