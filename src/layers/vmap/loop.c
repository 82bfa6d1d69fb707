// SPDX-License-Identifier: Apache-2.0
// The fallback: an operator without a batching rule is called once for each slice, and the
// results are stacked. Never silently: each loop is counted.
#include "base/memory.h"
#include "layers/vmap/batch.h"
#include "ops/calls.h"

// ------------------------------------------------------------------ what can loop

static bool is_tensor_list(const oy_type* type) {
  if (type->kind == OY_TYPE_OPTIONAL) type = type->element;
  if (type->kind != OY_TYPE_LIST) return false;
  const oy_type* element = type->element;
  if (element->kind == OY_TYPE_OPTIONAL) element = element->element;
  return element->kind == OY_TYPE_TENSOR;
}

static bool only_tensors(const oy_schema* schema) {
  for (size_t i = 0; i < schema->return_count; i++)
    if (schema->returns[i].type->kind != OY_TYPE_TENSOR) return false;
  for (size_t i = 0; i < schema->argument_count; i++)
    if (is_tensor_list(schema->arguments[i].type)) return false;
  return true;
}

static oy_status check_loop(const oyi_batch* b, const oy_schema* schema) {
  oy_str name = oy_op_name_of(b->op);
  OY_CHECK(only_tensors(schema), NOT_IMPLEMENTED,
           "Batching rule not implemented for %.*s. We could not generate a fallback.",
           OY_STR_ARG(name));
  if (!oy_schema_is_inplace(schema)) {
    OY_CHECK(oy_schema_is_functional(schema), NOT_IMPLEMENTED,
             "Batching rule not implemented for %.*s; the fallback path doesn't work on "
             "out= or view ops.",
             OY_STR_ARG(name));
    OY_CHECK(schema->return_count > 0, NOT_IMPLEMENTED,
             "Batching rule not implemented for %.*s. The fallback path does not support "
             "operations with no returns.",
             OY_STR_ARG(name));
  } else {
    OY_TRY(oyi_batch_check_inplace(b));
  }
  OY_TRY(oyi_fallback_note(b->op));
  OY_CHECK(b->layer->batch_size > 0, NOT_IMPLEMENTED,
           "Batching rule not implemented for %.*s. The fallback path does not support "
           "vmap over dims of size 0.",
           OY_STR_ARG(name));
  return OY_OK;
}

// ----------------------------------------------------------------------- one slice

// Pushes the arguments with slice |at| of those that are batched.
static oy_status push_slice(oyi_batch* b, const oy_value* args, int64_t at) {
  for (size_t i = 0; i < b->count; i++) {
    oy_value v = args[i];
    v.owned = 0;
    const oyi_wrapper* w =
        v.tag == OY_TAG_TENSOR ? oyi_wrapper_at(v.as.object, b->layer) : NULL;
    OY_TRY(w ? oyi_batch_push(b, oyi_call_select_int(w->value, w->bdim, at))
             : oy_stack_push(b->stack, v));
  }
  return OY_OK;
}

// Calls with slice |at|; the results lie on the stack.
static oy_status call_slice(oyi_batch* b, const oy_value* args, int64_t at) {
  size_t base = b->stack->size;
  oy_status status = push_slice(b, args, at);
  if (status == OY_OK) return oy_op_call_boxed(b->op, b->stack);
  oy_stack_drop(b->stack, b->stack->size - base);
  return status;
}

static oy_status loop_inplace(oyi_batch* b, const oy_value* args) {
  for (int64_t at = 0; at < b->layer->batch_size; at++) {
    OY_TRY(call_slice(b, args, at));
    oy_stack_drop(b->stack, 1);
  }
  return oyi_batch_push(b, oy_tensor_retain(args[0].as.object));
}

// -------------------------------------------------------------------- all of them

// |lists| holds, for each result, what the slices gave.
static oy_status collect(oyi_batch* b, const oy_value* args, oy_object** lists) {
  const size_t results = b->op->return_count;
  const int64_t batch = b->layer->batch_size;
  for (int64_t at = 0; at < batch; at++) {
    OY_TRY(call_slice(b, args, at));
    for (size_t i = results; i-- > 0;) {
      oy_value v = oy_stack_pop(b->stack);
      oy_status status = oy_value_own(&v);
      if (status != OY_OK) return status;
      lists[(int64_t)i * batch + at] = oy_value_to_tensor(v);
    }
  }
  return OY_OK;
}

// One result of all slices: None if it is so for each.
static oy_object* joined(const oyi_batch* b, oy_object* const* list) {
  const size_t batch = (size_t)b->layer->batch_size;
  size_t nones = 0;
  for (size_t i = 0; i < batch; i++) nones += oy_object_is_none(list[i]);
  if (nones == batch) return &oy_none_object;
  if (nones == 0) return oyi_call_stack((oy_tensors){list, batch}, 0);
  OY_FAIL(NOT_IMPLEMENTED,
          "%.*s: vmap: slow fallback received a mix of undefined and defined tensors as "
          "the result of an operation. This is not supported, please file us an issue on "
          "github.",
          OY_STR_ARG(oy_op_name_of(b->op)));
  return NULL;
}

static oy_status push_joined(oyi_batch* b, oy_object* const* lists) {
  for (size_t i = 0; i < b->op->return_count; i++) {
    oy_object* result = joined(b, lists + i * (size_t)b->layer->batch_size);
    OY_TRY(oy_object_is_none(result) ? oy_stack_push(b->stack, oy_none())
                                     : oyi_batch_push(b, result));
  }
  return oyi_batch_wrap(b, b->op->return_count, 0);
}

static oy_status loop_functional(oyi_batch* b, const oy_value* args) {
  size_t count = b->op->return_count * (size_t)b->layer->batch_size;
  oy_object** lists = oyi_calloc(count, sizeof(*lists));
  if (!lists) return OY_OUT_OF_MEMORY;
  oy_status status = collect(b, args, lists);
  if (status == OY_OK) status = push_joined(b, lists);
  for (size_t i = 0; i < count; i++) oy_tensor_release(lists[i]);
  oyi_free(lists);
  return status;
}

// The stack grows above the arguments while they are read: they are kept aside.
oy_status oyi_batch_loop(oyi_batch* b) {
  const oy_schema* schema = oy_op_schema(b->op);
  if (!schema) return oy_failure();
  OY_TRY(check_loop(b, schema));
  oy_value args[64];  // a schema has no more
  memcpy(args, oyi_batch_arg(b, 0), b->count * sizeof(*args));
  b->stack->size -= b->count;
  uint64_t keep = oyi_batch_below();
  oy_status status =
      oy_schema_is_inplace(schema) ? loop_inplace(b, args) : loop_functional(b, args);
  oyi_batch_above(keep);
  for (size_t i = 0; i < b->count; i++) oy_value_release(&args[i]);
  return status;
}

oy_status oyi_batch_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                             const oy_kernel* kernel) {
  (void)keys, (void)kernel;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  return oyi_batch_any(&b) ? oyi_batch_loop(&b) : oyi_batch_pass(&b);
}
