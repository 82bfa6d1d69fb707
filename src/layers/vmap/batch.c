// SPDX-License-Identifier: Apache-2.0
// What batching rules share; see batch.h.
#include "layers/vmap/batch.h"

#include "base/memory.h"
#include "ops/calls.h"

oy_status oyi_batch_begin(oyi_batch* b, const oy_op* op, oy_stack* stack) {
  size_t count = op->argument_count;
  *b = (oyi_batch){op, oyi_layers, stack, stack->size - count, count};
  // Only front lets a call come here; without a layer it is a batched tensor's own key.
  OY_CHECK(oyi_layer_is_vmap(b->layer) && b->layer->entered, FAILED_PRECONDITION,
           "Either your tensor may have escaped from inside a function being vmapped and "
           "this is a user error (see "
           "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an "
           "internal error in the batching rule of %.*s",
           OY_STR_ARG(oy_op_name_of(op)));
  return OY_OK;
}

// ----------------------------------------------------------------- arguments

bool oyi_batch_has(const oyi_batch* b, const oy_value* arg) {
  if (arg->tag == OY_TAG_TENSOR) return oyi_wrapper_at(arg->as.object, b->layer) != NULL;
  bool any = false;
  if (arg->tag == OY_TAG_TENSOR_LIST)
    for (size_t i = 0; i < arg->count && !any; i++)
      any = oyi_wrapper_at(arg->as.tensors[i], b->layer) != NULL;
  if (arg->tag == OY_TAG_LIST)
    for (size_t i = 0; i < arg->count && !any; i++)
      any = oyi_batch_has(b, &arg->as.values[i]);
  return any;
}

bool oyi_batch_any(const oyi_batch* b) {
  bool any = false;
  for (size_t i = 0; i < b->count && !any; i++)
    any = oyi_batch_has(b, oyi_batch_arg(b, i));
  return any;
}

oy_object* oyi_batch_front(const oyi_batch* b, oy_object* tensor) {
  const oyi_wrapper* w = oyi_wrapper_at(tensor, b->layer);
  if (!w) return oy_tensor_retain(tensor);
  if (w->bdim == 0) return oy_tensor_retain(w->value);
  return oyi_call_movedim_int(w->value, w->bdim, 0);
}

oy_object* oyi_batch_front_all(const oyi_batch* b, oy_object* tensor) {
  if (oyi_wrapper_at(tensor, b->layer)) return oyi_batch_front(b, tensor);
  return oyi_batched_unwrap(tensor, 0, b->layer->batch_size, 0);
}

oy_status oyi_batch_put(oy_value* arg, oy_object* tensor) {
  if (!tensor) return oy_failure();
  oy_value_release(arg);
  *arg = oy_value_tensor(tensor);
  arg->owned = 1;
  return OY_OK;
}

oy_status oyi_batch_push(const oyi_batch* b, oy_object* tensor) {
  if (!tensor) return oy_failure();
  oy_value v = oy_value_tensor(tensor);
  v.owned = 1;
  return oy_stack_push(b->stack, v);
}

oy_object* oyi_batch_viewed(oy_object* v, oy_ints sizes) {
  oy_object* result = v ? oyi_call_view(v, sizes) : NULL;
  oy_tensor_release(v);
  return result;
}

oy_object* oyi_batch_pad(oy_object* v, int64_t ndim) {
  const oyi_tensor* t = oyi_tensor_of(v);
  if (!t || t->ndim > ndim) return v;
  int64_t sizes[OY_TENSOR_MAX_DIMS + 1], added = ndim + 1 - t->ndim;
  sizes[0] = t->sizes[0];
  for (int64_t i = 1; i <= ndim; i++) sizes[i] = i <= added ? 1 : t->sizes[i - added];
  return oyi_batch_viewed(v, (oy_ints){sizes, (size_t)ndim + 1});
}

void oyi_batch_drop_arguments(const oyi_batch* b) {
  oy_stack* s = b->stack;
  for (size_t i = 0; i < b->count; i++) oy_value_release(oyi_batch_arg(b, i));
  size_t results = s->size - b->base - b->count;
  memmove(s->data + b->base, s->data + b->base + b->count, results * sizeof(*s->data));
  s->size -= b->count;
}

// ------------------------------------------------------------------- results

static oy_status wrap_list(const oyi_batch* b, oy_value* list, int64_t bdim) {
  oy_value made;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, list->count, &made));
  oy_object** items = (oy_object**)(uintptr_t)made.as.tensors;
  oy_status status = OY_OK;
  for (size_t i = 0; i < list->count && status == OY_OK; i++) {
    items[i] = oyi_batched_new(oy_tensor_retain(list->as.tensors[i]), bdim, b->layer);
    if (!items[i]) status = oy_failure();
  }
  oy_value_release(status == OY_OK ? list : &made);
  if (status == OY_OK) *list = made;
  return status;
}

oy_status oyi_batch_wrap(const oyi_batch* b, size_t count, int64_t bdim) {
  for (size_t i = 0; i < count; i++) {
    oy_value* v = oy_stack_last(b->stack, count) + i;
    if (v->tag == OY_TAG_TENSOR_LIST) OY_TRY(wrap_list(b, v, bdim));
    if (v->tag != OY_TAG_TENSOR) continue;
    oy_tensor_retain(v->as.object);
    OY_TRY(oyi_batch_put(v, oyi_batched_new(v->as.object, bdim, b->layer)));
  }
  return OY_OK;
}

static oy_status call_below(const oyi_batch* b, const oy_op* op) {
  uint64_t keep = oyi_batch_below();
  oy_status status = oy_op_call_boxed(op, b->stack);
  oyi_batch_above(keep);
  return status;
}

oy_status oyi_batch_pass(oyi_batch* b) {
  return call_below(b, b->op);
}

oy_status oyi_batch_call(const oyi_batch* b, const oy_op* op, int64_t bdim) {
  OY_TRY(call_below(b, op));
  return oyi_batch_wrap(b, op->return_count, bdim);
}

oy_status oyi_batch_call_inplace(const oyi_batch* b, oy_object* self) {
  oy_status status = call_below(b, b->op);
  if (status != OY_OK) {
    oy_tensor_release(self);
    return status;
  }
  oy_stack_drop(b->stack, 1);
  return oyi_batch_push(b, self);
}

bool oyi_batch_is_inplace(const oyi_batch* b) {
  const oy_schema* schema = oy_op_schema(b->op);
  return schema && oy_schema_is_inplace(schema);
}

oy_status oyi_batch_check_inplace(const oyi_batch* b) {
  oy_str name = oy_op_name_of(b->op);
  OY_CHECK(
      oyi_batch_has(b, oyi_batch_arg(b, 0)), FAILED_PRECONDITION,
      "vmap: %.*s(self, *extra_args) is not possible because there exists a Tensor "
      "`other` in extra_args that has more elements than `self`. This happened due to "
      "`other` being vmapped over but `self` not being vmapped over in a vmap. Please "
      "try to use out-of-place operators instead of %.*s. If said operator is being "
      "called inside the PyTorch framework, please file a bug report instead.",
      OY_STR_ARG(name), OY_STR_ARG(name));
  return OY_OK;
}
