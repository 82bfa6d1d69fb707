// SPDX-License-Identifier: Apache-2.0
// index.Tensor and index_put: the mapped dimension is indexed with 0, 1, 2, ... if an index is
// batched, or something is written, and passed by if not. And masked_select.
#include "base/memory.h"
#include "layers/vmap/batch.h"
#include "ops/calls.h"

typedef struct indexing {
  const oyi_batch* b;
  oy_object* const* indices;
  size_t count;
  int64_t ndim;     // of the broadcast indices of a slice
  int64_t indexed;  // how many dimensions of a slice they take
  size_t first;     // index that is not None
  bool together;    // no None between two of them
  bool by_slice;    // the mapped dimension is indexed, too
} indexing;

// A list without indices may have come as None.
static oy_status look_at(indexing* x) {
  const oy_value* list = oyi_batch_arg(x->b, 1);
  bool gap = false, any = false;
  OY_CHECK(list->tag == OY_TAG_TENSOR_LIST || list->tag == OY_TAG_NONE, INVALID_ARGUMENT,
           "%.*s: expected a list of tensors, got %s",
           OY_STR_ARG(oy_op_name_of(x->b->op)), oy_value_type_name(*list));
  if (list->tag == OY_TAG_TENSOR_LIST) {
    x->indices = list->as.tensors;
    x->count = list->count;
  }
  x->together = true;
  for (size_t i = 0; i < x->count; i++) {
    oy_object* index = x->indices[i];
    if (oy_object_is_none(index)) {
      gap = any;
      continue;
    }
    const oyi_tensor* t = oyi_tensor_of(index);
    if (!t) return oy_failure();
    bool batched = oyi_wrapper_at(index, x->b->layer) != NULL;
    bool mask = t->header.dtype == OY_DTYPE_BOOL || t->header.dtype == OY_DTYPE_U8;
    OY_CHECK(!mask || !batched, NOT_IMPLEMENTED,
             "vmap: We do not support batching operators that can support dynamic shape. "
             "Attempting to batch over indexing with a boolean mask.");
    // How many dimensions an index is that a mask stands for: one for each of its own.
    int64_t ndim = mask ? 1 : t->ndim;
    if (ndim > x->ndim) x->ndim = ndim;
    x->indexed += mask ? t->ndim : 1;
    x->by_slice |= batched;
    x->together &= !gap;
    if (!any) x->first = i;
    any = true;
  }
  return OY_OK;
}

// 0, 1, 2, ... for the mapped dimension, with dimensions after it that broadcast.
static oy_object* every_slice(const indexing* x) {
  const int64_t batch = x->b->layer->batch_size;
  oy_object* range = oyi_call_arange(oy_int(batch), oy_int(OY_DTYPE_I64), oy_none(),
                                     oy_none(), oy_none());
  return oyi_batch_pad(range, x->ndim);
}

// New indices in |out|, one more than there were.
static oy_status make_indices(const indexing* x, oy_object** out) {
  out[0] = x->by_slice ? every_slice(x) : &oy_none_object;
  if (!out[0]) return oy_failure();
  for (size_t i = 0; i < x->count; i++) {
    bool batched = oyi_wrapper_at(x->indices[i], x->b->layer) != NULL;
    oy_object* v = oyi_batch_front(x->b, x->indices[i]);
    out[i + 1] = batched ? oyi_batch_pad(v, x->ndim) : v;
    if (!out[i + 1]) return oy_failure();
  }
  return OY_OK;
}

// Where slices are indexed, the dimensions of the indices come first in the result if the
// mapped one is among them and one passed by lies between: they go back to their place.
static oy_object* put_back(const indexing* x, oy_object* made, int64_t* out_bdim) {
  *out_bdim = 0;
  if (!made || !x->together || x->ndim == 0) {
    if (made && !x->by_slice && !x->together) *out_bdim = x->ndim;
    return made;
  }
  if (!x->by_slice || x->first == 0) return made;
  int64_t from[OY_TENSOR_MAX_DIMS], to[OY_TENSOR_MAX_DIMS];
  for (int64_t i = 0; i < x->ndim; i++) {
    from[i] = i + 1;
    to[i] = i + 1 + (int64_t)x->first;
  }
  oy_object* moved = oyi_call_movedim_intlist(made, (oy_ints){from, (size_t)x->ndim},
                                              (oy_ints){to, (size_t)x->ndim});
  oy_tensor_release(made);
  return moved;
}

static oy_object* index_below(indexing* x, oy_object* self, int64_t* out_bdim) {
  oy_object** indices = oyi_calloc(x->count + 1, sizeof(*indices));
  oy_object* value = indices ? oyi_batch_front_all(x->b, self) : NULL;
  oy_object* made = NULL;
  if (value && make_indices(x, indices) == OY_OK)
    made = oyi_call_index_Tensor(value, (oy_tensors){indices, x->count + 1});
  for (size_t i = 0; indices && i <= x->count; i++) oy_tensor_release(indices[i]);
  oyi_free(indices);
  oy_tensor_release(value);
  return put_back(x, made, out_bdim);
}

OYI_BATCH_RULE(index) {
  (void)keys, (void)kernel;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  if (!oyi_batch_any(&b)) return oyi_batch_pass(&b);
  indexing x = {.b = &b};
  OY_TRY(look_at(&x));
  int64_t bdim;
  uint64_t keep = oyi_batch_below();
  oy_object* made = index_below(&x, oyi_batch_arg(&b, 0)->as.object, &bdim);
  oyi_batch_above(keep);
  OY_TRY(oyi_batch_push(&b, made));
  oyi_batch_drop_arguments(&b);
  return oyi_batch_wrap(&b, 1, bdim);
}

// ------------------------------------------------------------------------ writing

// The values, with the dimensions of what index.Tensor would give.
static oy_object* make_values(const indexing* x, oy_object* self, oy_object* values) {
  int64_t ndim = oy_tensor_ndim(self) - x->indexed + x->ndim;
  oy_object* v = oyi_batch_pad(oyi_batch_front_all(x->b, values), ndim);
  const oyi_tensor* t = oyi_tensor_of(v);
  if (!t || !x->together || x->first == 0 || x->ndim == 0 || t->ndim != ndim + 1)
    return v;
  int64_t from[OY_TENSOR_MAX_DIMS], to[OY_TENSOR_MAX_DIMS];
  for (int64_t i = 0; i < x->ndim; i++) {
    to[i] = i + 1;
    from[i] = i + 1 + (int64_t)x->first;
  }
  oy_object* moved = oyi_call_movedim_intlist(v, (oy_ints){from, (size_t)x->ndim},
                                              (oy_ints){to, (size_t)x->ndim});
  oy_tensor_release(v);
  return moved;
}

// Values in place of the arguments.
static oy_status put_arguments(const indexing* x, oy_value* indices) {
  oy_object* self = oyi_batch_arg(x->b, 0)->as.object;
  oy_object* values = oyi_batch_arg(x->b, 2)->as.object;
  oy_object** items = (oy_object**)(uintptr_t)indices->as.tensors;
  OY_TRY(make_indices(x, items));
  OY_TRY(oyi_batch_put(oyi_batch_arg(x->b, 2), make_values(x, self, values)));
  OY_TRY(oyi_batch_put(oyi_batch_arg(x->b, 0), oyi_batch_front_all(x->b, self)));
  oy_value* list = oyi_batch_arg(x->b, 1);
  oy_value_release(list);
  *list = *indices;
  *indices = oy_none();
  return OY_OK;
}

static oy_status put_below(const indexing* x) {
  oy_value indices;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, x->count + 1, &indices));
  uint64_t keep = oyi_batch_below();
  oy_status status = put_arguments(x, &indices);
  oyi_batch_above(keep);
  oy_value_release(&indices);
  return status;
}

OYI_BATCH_RULE(index_put) {
  (void)keys, (void)kernel;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  if (!oyi_batch_any(&b)) return oyi_batch_pass(&b);
  bool inplace = oyi_batch_is_inplace(&b);
  if (inplace) OY_TRY(oyi_batch_check_inplace(&b));
  indexing x = {.b = &b, .by_slice = true};
  OY_TRY(look_at(&x));
  oy_object* self = oy_tensor_retain(oyi_batch_arg(&b, 0)->as.object);
  oy_status status = put_below(&x);
  if (status == OY_OK && inplace) return oyi_batch_call_inplace(&b, self);
  oy_tensor_release(self);
  return status == OY_OK ? oyi_batch_call(&b, op, 0) : status;
}

// ----------------------------------------------------------------------- by a mask

// The same elements of each slice, one slice after the other: rows of as many.
static oy_object* masked_rows(const oyi_batch* b, oy_object* self, oy_object* mask) {
  const int64_t ndim = oy_tensor_ndim(mask), batch = b->layer->batch_size;
  oy_object* value = oyi_batch_pad(oyi_batch_front(b, self), ndim);
  oy_object* chosen = value ? oyi_call_masked_select(value, mask) : NULL;
  const oyi_tensor* t = oyi_tensor_of(chosen);
  oy_object* rows =
      t ? oyi_call_view(chosen, OY_DIMS(batch, batch ? t->numel / batch : 0)) : NULL;
  oy_tensor_release(chosen);
  oy_tensor_release(value);
  return rows;
}

// |arguments| is the message for a mask that is batched: each slice would give another
// number of elements.
OYI_BATCH_RULE(masked_select) {
  (void)keys;
  const oyi_batch_rule* rule = kernel->user_data;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  if (!oyi_batch_any(&b)) return oyi_batch_pass(&b);
  OY_CHECK(!oyi_batch_has(&b, oyi_batch_arg(&b, 1)), NOT_IMPLEMENTED, "%s",
           rule->arguments);
  uint64_t keep = oyi_batch_below();
  oy_object* rows =
      masked_rows(&b, oyi_batch_arg(&b, 0)->as.object, oyi_batch_arg(&b, 1)->as.object);
  oyi_batch_above(keep);
  OY_TRY(oyi_batch_push(&b, rows));
  oyi_batch_drop_arguments(&b);
  return oyi_batch_wrap(&b, 1, 0);
}
