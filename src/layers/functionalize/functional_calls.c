// SPDX-License-Identifier: Apache-2.0
// The kernel of the Functionalize key: what kind of call it is, and the calls that neither
// view nor write. Operators that are composed of others are taken apart first, so that
// views and writes within them are seen.
#include "base/memory.h"
#include "dispatch/parts.h"
#include "layers/functionalize/functional.h"
#include "layers/functionalize/functionalize_register.h"
#include "ops/calls.h"

// ------------------------------------------------------------------------ arguments

bool oyi_functional_has(const oy_value* v) {
  if (v->tag == OY_TAG_TENSOR) return oyi_functional_here(v->as.object) != NULL;
  bool any = false;
  if (v->tag == OY_TAG_TENSOR_LIST)
    for (size_t i = 0; i < v->count && !any; i++)
      any = oyi_functional_here(v->as.tensors[i]) != NULL;
  return any;
}

// What |tensor| holds, a new reference.
static oy_object* value_of(oy_object* tensor) {
  oyi_functional* f = oyi_functional_here(tensor);
  return oy_tensor_retain(f ? oyi_functional_read(f) : tensor);
}

oy_status oyi_functional_push_tensor(oyi_functional_call* c, oy_object* tensor) {
  if (!tensor) return oy_failure();
  oy_value v = oy_value_tensor(tensor);
  v.owned = v.tag == OY_TAG_TENSOR;
  return oy_stack_push(c->stack, v);
}

static oy_status push_list(oyi_functional_call* c, oy_value list) {
  oy_value made;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, list.count, &made));
  oy_object** items = (oy_object**)(uintptr_t)made.as.tensors;
  for (size_t i = 0; i < list.count; i++) {
    items[i] = value_of(list.as.tensors[i]);
    if (items[i]) continue;
    oy_value_release(&made);
    return oy_failure();
  }
  return oy_stack_push(c->stack, made);
}

oy_status oyi_functional_push(oyi_functional_call* c, oy_value v) {
  if (v.tag == OY_TAG_TENSOR) return oyi_functional_push_tensor(c, value_of(v.as.object));
  if (v.tag == OY_TAG_TENSOR_LIST && oyi_functional_has(&v)) return push_list(c, v);
  v.owned = 0;
  return oy_stack_push(c->stack, v);
}

// -------------------------------------------------------------------------- results

static oy_status wrap_one(const oyi_functional_call* c, oy_value* v) {
  oy_object* made = oyi_functional_new(oy_tensor_retain(v->as.object), c->layer);
  if (!made) return oy_failure();
  oy_value_release(v);
  *v = oy_value_tensor(made);
  v->owned = 1;
  return OY_OK;
}

static oy_status wrap_list(const oyi_functional_call* c, oy_value* list) {
  oy_value made;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, list->count, &made));
  oy_object** items = (oy_object**)(uintptr_t)made.as.tensors;
  oy_status status = OY_OK;
  for (size_t i = 0; i < list->count && status == OY_OK; i++) {
    oy_object* t = list->as.tensors[i];
    items[i] = oyi_is_tensor(t) ? oyi_functional_new(oy_tensor_retain(t), c->layer) : t;
    if (!items[i]) status = oy_failure();
  }
  oy_value_release(status == OY_OK ? list : &made);
  if (status == OY_OK) *list = made;
  return status;
}

oy_status oyi_functional_wrap(oyi_functional_call* c, size_t count) {
  for (size_t i = 0; i < count; i++) {
    oy_value* v = oy_stack_last(c->stack, count) + i;
    if (v->tag == OY_TAG_TENSOR && oyi_is_tensor(v->as.object)) OY_TRY(wrap_one(c, v));
    if (v->tag == OY_TAG_TENSOR_LIST) OY_TRY(wrap_list(c, v));
  }
  return OY_OK;
}

// ----------------------------------------------------------------------- the kinds

static bool any_functional(const oyi_functional_call* c) {
  bool any = false;
  for (size_t i = 0; i < c->count && !any; i++)
    any = oyi_functional_has(&c->arguments[i]);
  return any;
}

static bool any_tensor(const oyi_functional_call* c) {
  for (size_t i = 0; i < c->count; i++)
    if (c->arguments[i].tag == OY_TAG_TENSOR || c->arguments[i].tag == OY_TAG_TENSOR_LIST)
      return true;
  return false;
}

static bool any_written_functional(const oyi_functional_call* c) {
  bool any = false;
  for (size_t i = 0; i < c->count && !any; i++)
    any = oy_argument_is_mutable(&c->schema->arguments[i]) &&
          oyi_functional_has(&c->arguments[i]);
  return any;
}

static oy_status call_plain(oyi_functional_call* c, bool wraps) {
  for (size_t i = 0; i < c->count; i++) OY_TRY(oyi_functional_push(c, c->arguments[i]));
  OY_TRY(oy_op_call_boxed(c->op, c->stack));
  return wraps ? oyi_functional_wrap(c, c->op->return_count) : OY_OK;
}

static bool has_aliases(const oy_schema* s) {
  for (size_t i = 0; i < s->argument_count; i++)
    if (s->arguments[i].alias) return true;
  for (size_t i = 0; i < s->return_count; i++)
    if (s->returns[i].alias) return true;
  return false;
}

static oy_status refuse_unknown(const oyi_functional_call* c) {
  char* text = NULL;
  OY_TRY(oy_schema_print(c->schema, &text));
  oy_status status = OY_FAIL(
      NOT_IMPLEMENTED,
      "Found a custom (non-ATen) operator whose output has alias annotations: %s. We "
      "only support functionalizing operators whose outputs do not have alias "
      "annotations (e.g. 'Tensor(a)' is a Tensor with an alias annotation whereas "
      "'Tensor' is a Tensor without. The '(a)' is the alias annotation).",
      text);
  oy_text_free(text);
  return status;
}

static bool is_lift(const oy_op* op) {
  return op == oyi_ops[OYI_OP_lift] || op == oyi_ops[OYI_OP_lift_fresh];
}

// Whether this thread's new tensors are functional.
static bool makes_functional(void) {
  return oy_tls.included.functionality & 1ull << OY_KEY_Functionalize;
}

static oy_status call_any(oyi_functional_call* c, bool makes) {
  if (!any_functional(c))
    return call_plain(c, makes && (is_lift(c->op) || !any_tensor(c)));
  bool known = oy_str_equal(c->schema->name.ns, oy_str_of("aten"));
  if (!known && has_aliases(c->schema)) return refuse_unknown(c);
  if (oy_schema_is_mutable(c->schema)) {
    OY_CHECK(any_written_functional(c), FAILED_PRECONDITION,
             "mutating a non-functional tensor with a functional tensor is not allowed. "
             "Please ensure that all of your inputs are wrapped inside of a "
             "functionalize() call.");
    bool done;
    oy_status status = oyi_functional_call_reshape(c, &done);
    return done ? status : oyi_functional_call_write(c);
  }
  if (oy_schema_is_view(c->schema) && c->count > 0 && oyi_functional_has(c->arguments))
    return oyi_functional_call_view(c);
  return call_plain(c, true);
}

// -------------------------------------------------------------------------- the kernel

static void take_arguments(oyi_functional_call* c) {
  oy_value* top = oy_stack_last(c->stack, c->count);
  for (size_t i = 0; i < c->count; i++) c->arguments[i] = top[i];
  c->stack->size -= c->count;
}

static oy_status fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                          const oy_kernel* kernel) {
  (void)kernel;
  oy_keyset parts;
  if (oyi_op_has_parts(op, keys, &parts)) return oy_op_redispatch_boxed(op, parts, stack);
  oyi_functional_call c;
  c.op = op;
  c.schema = oy_op_schema(op);
  c.stack = stack;
  c.layer = oyi_functional_layer();
  c.count = op->argument_count;
  const size_t base = stack->size - c.count;
  if (!c.schema || c.count > OY_ARRAY_SIZE(c.arguments)) return oy_failure();
  take_arguments(&c);
  bool makes = makes_functional();
  uint64_t keep = oyi_functional_below();
  oy_status status = call_any(&c, makes);
  oyi_functional_above(keep);
  if (status != OY_OK && stack->size > base) oy_stack_drop(stack, stack->size - base);
  for (size_t i = 0; i < c.count; i++) oy_value_release(&c.arguments[i]);
  return status;
}

oy_status oyi_register_functionalize_fallback(oy_library* fallbacks) {
  return oy_library_fallback(fallbacks, OY_KEY_Functionalize, &OY_BOXED(fallback),
                             OY_HERE, NULL);
}
