// SPDX-License-Identifier: Apache-2.0
// What a call does at an Autograd key that its operator has no kernel for (reference, 6.1).
// The layers below run as if the key were not there, and with it in the thread's sets: what
// they call is recorded. What comes back without a history gets a node that says so in the
// backward. Operators of the table that have no gradient never come here.
#include "layers/autograd/fallback.h"

#include "layers/autograd/full.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"
#include "opyard/dispatcher.h"
#include "tensor/iterator.h"

static uint8_t g_mode = OY_AUTOGRAD_FALLBACK_WARN;  // atomic

void oy_autograd_fallback_set(oy_autograd_fallback mode) {
  __atomic_store_n(&g_mode, (uint8_t)mode, __ATOMIC_RELAXED);
}
oy_autograd_fallback oy_autograd_fallback_get(void) {
  return (oy_autograd_fallback)__atomic_load_n(&g_mode, __ATOMIC_RELAXED);
}

// --------------------------------------------------------------------- backward

// "ns::op", without the overload.
static void warn(const oy_op* op) {
  oy_str name = oy_op_name_of(op);
  const char* dot = memchr(name.data, '.', name.size);
  oyi_warn(
      "%.*s: an autograd kernel was not registered to the Autograd key(s) but we are "
      "trying to backprop through it. This may lead to silently incorrect behavior. This "
      "behavior is deprecated and will be removed in a future version of PyTorch. If "
      "your operator is differentiable, please ensure you have registered an autograd "
      "kernel to the correct Autograd key (e.g. DispatchKey::Autograd, "
      "DispatchKey::CompositeImplicitAutograd). If your operator is not differentiable, "
      "or to squash this warning and use the previous behavior, please register "
      "torch::CppFunction::makeFallthrough() to DispatchKey::Autograd.",
      (int)(dot ? (size_t)(dot - name.data) : name.size), name.data);
}
static oy_status fail(const oy_op* op) {
  oy_str name = oy_op_name_of(op);
  return OY_FAIL(NOT_IMPLEMENTED, "derivative for %.*s is not implemented",
                 OY_STR_ARG(name));
}

static oy_status warn_in_node(oyi_full_node* node, oy_object* const* grads,
                              oy_object** gives) {
  (void)grads, (void)gives;
  warn(node->op);
  return OY_OK;
}
static const oyi_formula g_warns = {.name = "WarnNotImplemented",
                                    .apply_full = warn_in_node};

static oy_status warn_in_hook(void* op, oy_tensor* grad, oy_tensor** out_grad) {
  (void)grad, (void)out_grad;
  warn(op);
  return OY_OK;
}
static oy_status fail_in_hook(void* op, oy_tensor* grad, oy_tensor** out_grad) {
  (void)grad, (void)out_grad;
  return fail(op);
}

// ---------------------------------------------------------------------- forward

typedef struct fallback_call {
  const oy_op* op;
  const oy_schema* schema;
  bool fails;           // the backward: else it warns
  oyi_full_node* node;  // NULL: nothing to record
  uint32_t results;     // that may have a history
  uint32_t given;       // of them, numbers that they got
  bool needs;           // an argument needs a gradient
} fallback_call;

// Of argument or result |at|.
typedef oy_status (*visit_fn)(fallback_call* c, oyi_tensor* t, size_t at);

static oy_status each_tensor(fallback_call* c, const oy_value* values, size_t count,
                             visit_fn visit) {
  for (size_t i = 0; i < count; i++) {
    const oy_value* v = &values[i];
    if (v->tag == OY_TAG_TENSOR && oyi_is_tensor(v->as.object))
      OY_TRY(visit(c, oyi_tensor_cast(v->as.object), i));
    for (size_t k = 0; v->tag == OY_TAG_TENSOR_LIST && k < v->count; k++)
      if (oyi_is_tensor(v->as.tensors[k]))
        OY_TRY(visit(c, oyi_tensor_cast(v->as.tensors[k]), i));
  }
  return OY_OK;
}

static oy_status ask_need(fallback_call* c, oyi_tensor* t, size_t at) {
  (void)at;
  c->needs = c->needs || oyi_requires_grad(t);
  return OY_OK;
}

static oy_status check_written(fallback_call* c, oyi_tensor* t, size_t at) {
  bool is_written = oy_argument_is_mutable(&c->schema->arguments[at]);
  return is_written ? oyi_check_inplace(t) : OY_OK;
}

static oy_status start(fallback_call* c, const oy_value* arguments) {
  const size_t count = c->schema->argument_count;
  OY_TRY(each_tensor(c, arguments, count, ask_need));
  if (!c->needs || !oyi_grad_mode) return OY_OK;
  if (c->fails) OY_TRY(each_tensor(c, arguments, count, check_written));
  c->node = oyi_full_node_new(c->fails ? &oyi_formula_not_implemented : &g_warns, c->op,
                              arguments, count, false);
  if (c->node && oyi_record_also & OYI_ALSO_STREAM)
    oyi_expect_stream(&c->node->own_expected);
  return c->node ? OY_OK : oy_failure();
}

// The history of what comes back with one: recorded below, or that of an argument.
static oy_status add_hook(const fallback_call* c, oyi_tensor* t) {
  oy_tensor_hook_fn fn = c->fails ? fail_in_hook : warn_in_hook;
  uint64_t id = oy_register_hook(oyi_tensor_object(t), fn, (void*)(uintptr_t)c->op, NULL);
  return id ? OY_OK : oy_failure();
}

static oy_status add_hooks(const fallback_call* c, oyi_tensor* t, bool is_written) {
  OY_TRY(add_hook(c, t));
  const oyi_variable* v = oyi_variable_of(t);
  bool through_base =
      is_written && v && oyi_is_view(v) && oyi_requires_grad(v->root->tensor);
  if (!through_base) return OY_OK;
  oyi_tensor* base = oyi_base_take(v);
  const oy_status status = add_hook(c, base);
  oy_tensor_release(&base->header);
  return status;
}

static oy_status give_history(fallback_call* c, oyi_tensor* t, bool is_written) {
  const oyi_variable* v = oyi_variable_of(t);
  if (!is_written || !v || !oyi_is_view(v))
    return oyi_set_history(t, oyi_node_retain(&c->node->head), c->given++);
  OY_CHECK(c->results == 1, FAILED_PRECONDITION,
           "Functions which modify views in-place must return a single Variable");
  return oyi_view_rebase(t, oyi_node_retain(&c->node->head));
}

static oy_status finish_one(fallback_call* c, oyi_tensor* t, size_t at) {
  if (!oyi_is_differentiable(t->header.dtype) || oyi_is_inference(t)) return OY_OK;
  bool is_written = oy_argument_is_mutable(&c->schema->returns[at]);
  // What was written to may belong to anybody: a warning does not take its history away.
  if (c->fails && is_written) return give_history(c, t, true);
  if (oyi_requires_grad(t)) return add_hooks(c, t, is_written);
  return is_written ? OY_OK : give_history(c, t, false);
}

static oy_status count_one(fallback_call* c, oyi_tensor* t, size_t at) {
  (void)t, (void)at;
  c->results++;
  return OY_OK;
}

static oy_status finish(fallback_call* c, oy_stack* stack) {
  const size_t count = c->schema->return_count;
  const oy_value* results = oy_stack_last(stack, count);
  OY_TRY(each_tensor(c, results, count, count_one));
  OY_TRY(oyi_full_outputs(c->node, c->results));
  return each_tensor(c, results, count, finish_one);
}

oy_status oyi_autograd_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                const oy_kernel* kernel) {
  (void)kernel;
  const oy_autograd_fallback mode = oy_autograd_fallback_get();
  keys = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_AutogradOther));
  fallback_call c = {
      .op = op,
      .schema = mode == OY_AUTOGRAD_FALLBACK_NOTHING ? NULL : oy_op_schema(op),
      .fails = mode == OY_AUTOGRAD_FALLBACK_ERROR};
  if (!c.schema) return oy_op_redispatch_boxed(op, keys, stack);
  const size_t arguments = c.schema->argument_count;
  oy_status status = start(&c, oy_stack_last(stack, arguments));
  if (status != 0) {
    oy_stack_drop(stack, arguments);
    return status;
  }
  status = oy_op_redispatch_boxed(op, keys, stack);
  if (!c.node) return status;
  if (status == 0) {
    status = finish(&c, stack);
    if (status != 0) oy_stack_drop(stack, c.schema->return_count);
  }
  oyi_node_release(&c.node->head);
  return status;
}
