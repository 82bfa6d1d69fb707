// SPDX-License-Identifier: Apache-2.0
// Calls that write: the operator that gives what this one writes is called instead, and the
// argument takes its result for a value. Operators without such a form run on a copy that
// nobody else sees.
#include "base/memory.h"
#include "layers/functionalize/functional.h"
#include "ops/calls.h"
#include "tensor/broadcast.h"
#include "tensor/iterator.h"

static bool is_written(const oyi_functional_call* c, size_t i) {
  return oy_argument_is_mutable(&c->schema->arguments[i]) &&
         (c->arguments[i].tag == OY_TAG_TENSOR ||
          c->arguments[i].tag == OY_TAG_TENSOR_LIST);
}

// -------------------------------------------------------------------------- checks

// Where all elements get one number, those that share memory may.
static bool writes_one_number(const oy_op* op) {
  return op == oyi_ops[OYI_OP_fill__Scalar] || op == oyi_ops[OYI_OP_fill__Tensor] ||
         op == oyi_ops[OYI_OP_zero_];
}

// The kernel only warns of it.
static bool fills_where(const oy_op* op) {
  return op == oyi_ops[OYI_OP_masked_fill__Scalar] ||
         op == oyi_ops[OYI_OP_masked_fill__Tensor];
}

static oy_status check_overlap(const oyi_functional_call* c, const oy_object* target) {
  if (writes_one_number(c->op) || fills_where(c->op)) return OY_OK;
  return oyi_output_check_overlap(oyi_tensor_cast(target), NULL, 0);
}

// As kernels do, which look at shapes after that, but for copy_.
static oy_status check_one(const oyi_functional_call* c, const oy_object* target) {
  if (!oyi_is_tensor(target)) return OY_OK;
  OY_CHECK(oyi_functional_here(target), FAILED_PRECONDITION,
           "mutating a non-functional tensor with a functional tensor is not allowed. "
           "Please ensure that all of your inputs are wrapped inside of a "
           "functionalize() call.");
  return c->op == oyi_ops[OYI_OP_copy_] ? OY_OK : check_overlap(c, target);
}

static oy_status check_targets(const oyi_functional_call* c) {
  for (size_t i = 0; i < c->count; i++) {
    if (!is_written(c, i)) continue;
    const oy_value v = c->arguments[i];
    if (v.tag == OY_TAG_TENSOR) OY_TRY(check_one(c, v.as.object));
    for (size_t k = 0; v.tag == OY_TAG_TENSOR_LIST && k < v.count; k++)
      OY_TRY(check_one(c, v.as.tensors[k]));
  }
  return OY_OK;
}

// --------------------------------------------------------------------------- storing

// |value|, which is taken over, in the dtype of the target.
static oy_object* cast(oy_object* target, oy_object* value) {
  const oy_dtype dtype = target->dtype;
  if (!value || value->dtype == dtype) return value;
  oy_object* result = NULL;
  if (oyi_output_check_dtype(oyi_tensor_cast(target), value->dtype) == OY_OK)
    result = oyi_call__to_copy(value, oy_int(dtype), oy_none(), oy_none(), oy_none(),
                               false, oy_none());
  oy_tensor_release(value);
  return result;
}

// Gives |target| the value |value|, which is taken over. What is given as out= takes the
// shape of the result.
static oy_status store(const oyi_functional_call* c, oy_object* target, oy_object* value,
                       bool is_out) {
  if (value && check_overlap(c, target) != OY_OK) {
    oy_tensor_release(value);
    value = NULL;
  }
  value = cast(target, value);
  const oyi_tensor *t = oyi_tensor_cast(target), *v = oyi_tensor_of(value);
  if (!v) return oy_failure();
  if (oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(v)))
    return oyi_functional_write(target, value);
  oy_status status = OY_OK;
  if (!is_out)
    status = oyi_broadcast_check(oyi_sizes_view(t), oyi_sizes_view(v));
  else if (oyi_functional_of(target)->view && v->numel > t->numel)
    status = OY_FAIL(FAILED_PRECONDITION,
                     "Attempted to resize a view tensor to a larger size. This is not "
                     "allowed in the functionalization pass");
  if (status == OY_OK) return oyi_functional_renew(target, value);
  oy_tensor_release(value);
  return status;
}

// The results of an operator that writes are its arguments.
static oy_status push_targets(oyi_functional_call* c) {
  for (size_t i = 0; i < c->op->return_count; i++) {
    int at = oy_schema_return_argument(c->schema, i);
    OY_CHECK(at >= 0, INTERNAL, "%.*s: result %zu is none of the arguments",
             OY_STR_ARG(oy_op_name_of(c->op)), i);
    OY_TRY(oyi_functional_push_tensor(c, oy_tensor_retain(c->arguments[at].as.object)));
  }
  return OY_OK;
}

// ----------------------------------------------------------------- the functional form

static const oy_object* first_target(const oyi_functional_call* c) {
  for (size_t i = 0; i < c->count; i++)
    if (is_written(c, i) && c->arguments[i].tag == OY_TAG_TENSOR)
      return c->arguments[i].as.object;
  return NULL;
}

// What new tensors are like, where the operator writes to one that is there.
static bool like_target(const oyi_functional_call* c, oy_str name, oy_value* out_value) {
  const oy_object* target = first_target(c);
  if (!target) return false;
  if (oy_str_equal(name, oy_str_of("dtype")))
    *out_value = oy_int(target->dtype);
  else if (oy_str_equal(name, oy_str_of("device")))
    *out_value = oy_value_device(oy_tensor_device(target));
  else
    return false;
  return true;
}

static int argument_named(const oy_schema* schema, oy_str name) {
  for (size_t i = 0; i < schema->argument_count; i++)
    if (oy_str_equal(schema->arguments[i].name, name)) return (int)i;
  return -1;
}

// Calls |form| with the arguments of the same names.
static oy_status call_form(oyi_functional_call* c, const oy_op* form) {
  const oy_schema* schema = oy_op_schema(form);
  if (!schema) return oy_failure();
  oy_str names[64];
  size_t count = 0;
  for (size_t i = 0; i < schema->argument_count; i++) {
    const oy_str name = schema->arguments[i].name;
    int at = argument_named(c->schema, name);
    oy_value like;
    if (at >= 0)
      OY_TRY(oyi_functional_push(c, c->arguments[at]));
    else if (like_target(c, name, &like))
      OY_TRY(oy_stack_push(c->stack, like));
    else
      continue;
    names[count++] = name;
  }
  OY_TRY(oy_op_push_defaults(form, c->stack, count, names, count));
  return oy_op_call_boxed(form, c->stack);
}

static oy_status write_by_form(oyi_functional_call* c, const oy_op* form) {
  OY_TRY(call_form(c, form));
  oy_value results[64];
  size_t n = form->return_count, next = 0;
  for (size_t i = n; i-- > 0;) results[i] = oy_stack_pop(c->stack);
  oy_status status = OY_OK;
  for (size_t i = 0; i < c->count && next < n && status == OY_OK; i++) {
    if (!is_written(c, i)) continue;
    oy_value* v = &results[next++];
    status = oy_value_own(v);
    if (status != OY_OK) break;
    status = store(c, c->arguments[i].as.object, oy_tensor_retain(oy_value_to_tensor(*v)),
                   c->schema->arguments[i].is_out);
  }
  for (size_t i = 0; i < n; i++) oy_value_release(&results[i]);
  return status == OY_OK ? push_targets(c) : status;
}

// |mask|, true for all elements of |target| that are one in memory where it is for any; as it is
// if it does not go with them. A new reference.
static oy_object* mask_of_places(const oyi_tensor* target, oy_object* mask) {
  int64_t dims[OY_TENSOR_MAX_DIMS], joined[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  const size_t count = oyi_shared_dims(target, dims);
  const oy_ints sizes = oyi_sizes_view(target);
  if (mask->dtype != OY_DTYPE_BOOL ||
      oyi_broadcast(oy_tensor_sizes(mask), sizes, joined, &ndim) != OY_OK ||
      !oyi_same_sizes(sizes, (oy_ints){joined, ndim})) {
    oy_error_clear();
    return oy_tensor_retain(mask);
  }
  oy_object* wide = oyi_call_expand(mask, sizes, false);
  oy_object* any = wide ? oyi_call_any_dims(wide, (oy_ints){dims, count}, true) : NULL;
  oy_object* result = any ? oyi_call_expand(any, sizes, false) : NULL;
  oy_tensor_release(wide);
  oy_tensor_release(any);
  return result;
}

static oy_status fill_expanded(oyi_functional_call* c, const oy_op* form) {
  const oyi_tensor* target = oyi_tensor_cast(first_target(c));
  const oy_value given = c->arguments[1];
  oyi_functional* f = oyi_functional_here(given.as.object);
  oy_object* mask = mask_of_places(target, f ? oyi_functional_read(f) : given.as.object);
  if (!mask) return oy_failure();
  c->arguments[1] = oy_value_tensor(mask);
  const oy_status status = write_by_form(c, form);
  c->arguments[1] = given;
  oy_tensor_release(mask);
  return status;
}

// Whether the results are, one by one, what is written.
static bool fits(const oyi_functional_call* c, const oy_op* form) {
  size_t targets = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (!is_written(c, i)) continue;
    if (c->arguments[i].tag != OY_TAG_TENSOR) return false;
    targets++;
  }
  if (targets != form->return_count || targets > 64) return false;
  for (size_t i = 0; i < c->op->return_count; i++)
    if (oy_schema_return_argument(c->schema, i) < 0) return false;
  return true;
}

// ------------------------------------------------------------------------- on a copy

static oy_object* copy_of(oy_object* target) {
  if (!oyi_is_tensor(target)) return oy_tensor_retain(target);
  oy_object* value = oyi_functional_read(oyi_functional_here(target));
  return value ? oyi_call_clone(value, oy_int(OY_MEMORY_PRESERVE)) : NULL;
}

// An argument, owned, with copies in the place of what is written.
static oy_status copy_argument(oy_value v, oy_value* out_copy) {
  if (v.tag == OY_TAG_TENSOR) {
    oy_object* copy = copy_of(v.as.object);
    if (!copy) return oy_failure();
    *out_copy = oy_value_tensor(copy);
    out_copy->owned = 1;
    return OY_OK;
  }
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, v.count, out_copy));
  oy_object** items = (oy_object**)(uintptr_t)out_copy->as.tensors;
  for (size_t i = 0; i < v.count; i++)
    if (!(items[i] = copy_of(v.as.tensors[i]))) return oy_failure();
  return OY_OK;
}

static oy_status push_copies(oyi_functional_call* c, oy_value* copies) {
  for (size_t i = 0; i < c->count; i++) {
    if (!is_written(c, i)) {
      OY_TRY(oyi_functional_push(c, c->arguments[i]));
      continue;
    }
    OY_TRY(copy_argument(c->arguments[i], &copies[i]));
    oy_value v = copies[i];
    v.owned = 0;
    OY_TRY(oy_stack_push(c->stack, v));
  }
  return OY_OK;
}

static oy_status store_copies(oyi_functional_call* c, const oy_value* copies) {
  for (size_t i = 0; i < c->count; i++) {
    if (!is_written(c, i)) continue;
    const oy_value v = c->arguments[i];
    const bool is_out = c->schema->arguments[i].is_out;
    if (v.tag == OY_TAG_TENSOR)
      OY_TRY(store(c, v.as.object, oy_tensor_retain(copies[i].as.object), is_out));
    for (size_t k = 0; v.tag == OY_TAG_TENSOR_LIST && k < v.count; k++)
      if (oyi_is_tensor(v.as.tensors[k]))
        OY_TRY(
            store(c, v.as.tensors[k], oy_tensor_retain(copies[i].as.tensors[k]), is_out));
  }
  return OY_OK;
}

// Puts the arguments in the place of results that are their copies, and functional
// tensors in the place of others.
static oy_status give_targets(oyi_functional_call* c) {
  const size_t n = c->op->return_count;
  OY_TRY(oyi_functional_wrap(c, n));
  for (size_t i = 0; i < n; i++) {
    int at = oy_schema_return_argument(c->schema, i);
    if (at < 0 || c->arguments[at].tag != OY_TAG_TENSOR) continue;
    oy_value* v = oy_stack_last(c->stack, n) + i;
    oy_value_release(v);
    *v = oy_value_tensor(oy_tensor_retain(c->arguments[at].as.object));
    v->owned = 1;
  }
  return OY_OK;
}

static oy_status write_on_copies(oyi_functional_call* c) {
  oy_value copies[64];
  memset(copies, 0, sizeof(copies));  // None
  oy_status status = push_copies(c, copies);
  if (status == OY_OK) status = oy_op_call_boxed(c->op, c->stack);
  if (status == OY_OK) status = store_copies(c, copies);
  if (status == OY_OK) status = give_targets(c);
  for (size_t i = 0; i < c->count; i++) oy_value_release(&copies[i]);
  return status;
}

oy_status oyi_functional_call_write(oyi_functional_call* c) {
  OY_TRY(check_targets(c));
  const oy_op* form = oyi_functional_form(c->op, c->schema);
  if (form && fills_where(c->op) &&
      oyi_has_internal_overlap(oyi_tensor_cast(first_target(c))))
    return fill_expanded(c, form);
  return form && fits(c, form) ? write_by_form(c, form) : write_on_copies(c);
}
