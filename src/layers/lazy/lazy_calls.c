// SPDX-License-Identifier: Apache-2.0
// The fallback: views pass, and keep the key; others are called with copies in the place of
// tensors that have it. A tensor that is written to is copied, the copy is written to, and the
// tensor made to show it.
#include "base/memory.h"
#include "dispatch/parts.h"
#include "layers/lazy/lazy.h"
#include "ops/calls.h"

typedef struct lazy_call {
  const oyi_lazy* lazy;
  const oy_op* op;
  const oy_schema* schema;
  oy_stack* stack;
  size_t count;
  oy_object* target;  // that is written to; retained
  oy_object* copy;    // what is, in its place; retained
} lazy_call;

static bool has_key(const lazy_call* c, const oy_object* tensor) {
  return oyi_is_tensor(tensor) && tensor->keys.functionality & 1ull << c->lazy->key;
}

// Operators that see no element: they change the shape of a tensor, or ask for shape, dtype
// and device alone.
static bool sees_no_element(const oyi_lazy* lazy, const oy_op* op) {
  static const uint16_t changes[] = {
      OYI_OP_t_,      OYI_OP_transpose_,    OYI_OP_squeeze_,   OYI_OP_squeeze__dim,
      OYI_OP_detach_, OYI_OP_squeeze__dims, OYI_OP_unsqueeze_, OYI_OP_as_strided_,
      OYI_OP_resize_, OYI_OP_resize_as_,    OYI_OP_set_,       OYI_OP_set__source_Tensor,
  };
  static const uint16_t asks[] = {
      OYI_OP_empty_like, OYI_OP_zeros_like,        OYI_OP_ones_like,  OYI_OP_full_like,
      OYI_OP_new_empty,  OYI_OP_new_empty_strided, OYI_OP_new_zeros,  OYI_OP_new_ones,
      OYI_OP_new_full,   OYI_OP_rand_like,         OYI_OP_randn_like, OYI_OP_is_same_size,
  };
  for (size_t i = 0; i < OY_ARRAY_SIZE(asks); i++)
    if (oyi_ops[asks[i]] == op) return true;
  // Zeros cannot be changed in shape: there is no memory to be seen otherwise.
  for (size_t i = 0; lazy->written && i < OY_ARRAY_SIZE(changes); i++)
    if (oyi_ops[changes[i]] == op) return true;
  return false;
}

static bool is_view(const oy_schema* schema) {
  return oy_schema_is_view(schema) && !oy_schema_is_mutable(schema);
}

// ------------------------------------------------------------------------- arguments

static oy_status put(oy_value* v, oy_object* tensor) {
  if (!tensor) return oy_failure();
  oy_value_release(v);
  *v = oy_value_tensor(tensor);
  v->owned = 1;
  return OY_OK;
}

static oy_status replace_target(lazy_call* c, oy_value* v) {
  OY_CHECK(c->lazy->written, FAILED_PRECONDITION, "%s", c->lazy->refused);
  OY_CHECK(!c->target || c->target == v->as.object, FAILED_PRECONDITION,
           "%s fallback does not support operators with more than one mutable tensors "
           "with %sbit set to true.",
           c->lazy->name, c->lazy->name);
  if (c->target) return put(v, oy_tensor_retain(c->copy));
  c->target = oy_tensor_retain(v->as.object);
  c->copy = c->lazy->computed(c->lazy, v->as.object);
  return put(v, oy_tensor_retain(c->copy));
}

static oy_status replace_list(lazy_call* c, oy_value* list, bool is_written) {
  bool any = false;
  for (size_t i = 0; i < list->count && !any; i++) any = has_key(c, list->as.tensors[i]);
  if (!any) return OY_OK;
  OY_CHECK(!is_written || c->lazy->written, FAILED_PRECONDITION, "%s", c->lazy->refused);
  const char* name = c->lazy->name;
  const oy_op_name* op = &c->schema->name;
  OY_CHECK(
      !is_written, FAILED_PRECONDITION,
      "%s fallback doesn't currently support mutable TensorLists with %s inputs. Please "
      "materialize all the %s input tensor(s) in the mutable TensorList inputs before "
      "calling %.*s::%.*s",
      name, name, name, OY_STR_ARG(op->ns), OY_STR_ARG(op->base));
  oy_value made;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, list->count, &made));
  oy_object** items = (oy_object**)(uintptr_t)made.as.tensors;
  for (size_t i = 0; i < list->count; i++) {
    oy_object* t = list->as.tensors[i];
    items[i] = has_key(c, t) ? c->lazy->computed(c->lazy, t) : oy_tensor_retain(t);
    if (items[i]) continue;
    oy_value_release(&made);
    return oy_failure();
  }
  oy_value_release(list);
  *list = made;
  return OY_OK;
}

// Targets first: another argument may be the same tensor.
static oy_status replace_arguments(lazy_call* c) {
  for (int targets = 1; targets >= 0; targets--)
    for (size_t i = 0; i < c->count; i++) {
      oy_value* v = oy_stack_last(c->stack, c->count) + i;
      const bool is_written = oy_argument_is_mutable(&c->schema->arguments[i]);
      if (is_written != targets) continue;
      if (v->tag == OY_TAG_TENSOR_LIST) OY_TRY(replace_list(c, v, is_written));
      if (v->tag != OY_TAG_TENSOR || !has_key(c, v->as.object)) continue;
      OY_TRY(is_written ? replace_target(c, v)
                        : put(v, c->lazy->computed(c->lazy, v->as.object)));
    }
  return OY_OK;
}

// --------------------------------------------------------------------------- results

// The target takes over what was written to its copy, and stands for it in the results.
static oy_status give_target(lazy_call* c) {
  const oyi_tensor *t = oyi_tensor_cast(c->target), *copy = oyi_tensor_cast(c->copy);
  if (!oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(copy)) &&
      oyi_tensor_resize(oyi_tensor_cast(c->target), oyi_sizes_view(copy)) != OY_OK)
    return oy_failure();
  OY_TRY(c->lazy->written(c->lazy, c->target, c->copy));
  const size_t n = c->op->return_count;
  for (size_t i = 0; i < n; i++) {
    oy_value* v = oy_stack_last(c->stack, n) + i;
    if (v->tag == OY_TAG_TENSOR && v->as.object == c->copy)
      OY_TRY(put(v, oy_tensor_retain(c->target)));
  }
  return OY_OK;
}

static oy_status call_with_copies(lazy_call* c, oy_keyset keys) {
  const size_t base = c->stack->size - c->count;
  oy_status status = replace_arguments(c);
  if (status == OY_OK) status = oy_op_redispatch_boxed(c->op, keys, c->stack);
  if (status == OY_OK && c->target) status = give_target(c);
  oy_tensor_release(c->target);
  oy_tensor_release(c->copy);
  if (status != OY_OK && c->stack->size > base)
    oy_stack_drop(c->stack, c->stack->size - base);
  return status;
}

// A copy in the layout that is asked for, where others get one in that of the tensor and make
// another of it.
static oy_status call_clone(lazy_call* c) {
  enum { FORMAT = 1 };
  oy_value* v = oy_stack_last(c->stack, c->count);
  const oy_status status = put(v, c->lazy->cloned(c->lazy, v->as.object, v[FORMAT]));
  oy_stack_drop(c->stack, status == OY_OK ? c->count - 1 : c->count);
  return status;
}

oy_status oyi_lazy_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  oy_keyset parts;
  if (oyi_op_has_parts(op, keys, &parts)) return oy_op_redispatch_boxed(op, parts, stack);
  lazy_call c = {.lazy = kernel->user_data,
                 .op = op,
                 .schema = oy_op_schema(op),
                 .stack = stack,
                 .count = op->argument_count};
  if (!c.schema) return oy_failure();
  keys = oy_keyset_and(keys, oy_keyset_full_after(c.lazy->key));
  if (is_view(c.schema) || sees_no_element(c.lazy, op))
    return oy_op_redispatch_boxed(op, keys, stack);
  if (op == oyi_ops[OYI_OP_clone] && c.lazy->cloned) return call_clone(&c);
  return call_with_copies(&c, keys);
}
