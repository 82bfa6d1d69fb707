// SPDX-License-Identifier: Apache-2.0
// The way of a call through a grad layer: all tensors are wrapped, autograd records the
// wrappers; below, they are taken off, and the results are wrapped.
#include "layers/vmap/grad_layer.h"

#include "base/memory.h"
#include "opyard/autograd.h"

typedef oy_object* (*change_fn)(oy_object* tensor, const oyi_layer* layer);

static oy_status change_one(oy_value* v, change_fn change, const oyi_layer* layer) {
  oy_object* made = change(v->as.object, layer);
  if (!made) return oy_failure();
  oy_value_release(v);
  *v = oy_value_tensor(made);
  v->owned = 1;
  return OY_OK;
}

static oy_status change_list(oy_value* v, change_fn change, const oyi_layer* layer) {
  oy_value made;
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, v->count, &made));
  oy_object** items = (oy_object**)(uintptr_t)made.as.tensors;
  for (size_t i = 0; i < v->count; i++) {
    oy_object* t = v->as.tensors[i];
    items[i] = oy_object_is_none(t) ? t : change(t, layer);
    if (items[i]) continue;
    oy_value_release(&made);
    return oy_failure();
  }
  oy_value_release(v);
  *v = made;
  return OY_OK;
}

// Puts what |change| gives in place of all tensors among the |count| topmost values.
static oy_status change_all(oy_stack* stack, size_t count, change_fn change,
                            const oyi_layer* layer) {
  for (size_t i = 0; i < count; i++) {
    oy_value* v = oy_stack_last(stack, count) + i;
    if (v->tag == OY_TAG_TENSOR) OY_TRY(change_one(v, change, layer));
    if (v->tag == OY_TAG_TENSOR_LIST) OY_TRY(change_list(v, change, layer));
  }
  return OY_OK;
}

// ----------------------------------------------------------------------- entering

static const oyi_wrapper* dead_wrapper(const oy_object* tensor) {
  const oyi_wrapper* w = oyi_wrapper_of(tensor);
  return w && w->bdim < 0 && !oyi_layer_is_live(w->layer) ? w : NULL;
}

// A wrapper of a layer that is gone stands for what it holds.
static oy_object* without_dead(oy_object* tensor, const oyi_layer* layer) {
  (void)layer;
  for (const oyi_wrapper* w; (w = dead_wrapper(tensor));) tensor = w->value;
  return oy_tensor_retain(tensor);
}

static oy_object* wrapped_for(oy_object* tensor, const oyi_layer* layer) {
  oy_object* live = without_dead(tensor, layer);
  if (!oyi_is_tensor(live) || oyi_wrapper_at(live, layer)) return live;
  return oyi_grad_wrapped_new(live, layer, true);
}

static oy_status check_inplace(const oyi_layer* layer, const oy_op* op,
                               const oy_value* self) {
  const oy_schema* schema = oy_op_schema(op);
  if (!schema || !oy_schema_is_inplace(schema) || self->tag != OY_TAG_TENSOR)
    return OY_OK;
  const oyi_wrapper* w = oyi_wrapper_at(self->as.object, layer);
  OY_CHECK(w && !w->immutable, FAILED_PRECONDITION,
           "During a grad (vjp, jvp, grad, etc) transform, the function provided "
           "attempted to call in-place operation (%.*s) that would mutate a captured "
           "Tensor. This is not supported; please rewrite the function being transformed "
           "to explicitly accept the mutated Tensor(s) as inputs.",
           OY_STR_ARG(oy_op_name_of(op)));
  return OY_OK;
}

static oy_status grad_enter(oyi_layer* layer, const oy_op* op, oy_stack* stack) {
  const size_t count = op->argument_count;
  if (count > 0) OY_TRY(check_inplace(layer, op, oy_stack_last(stack, count)));
  return change_all(stack, count, wrapped_for, layer);
}

// ------------------------------------------------------------------------- below

oy_object* oyi_grad_unwrapped(oy_object* tensor, uint64_t layer) {
  const oyi_wrapper* w = oyi_wrapper_of(tensor);
  return oy_tensor_retain(w && w->layer == layer ? w->value : tensor);
}

static oy_object* unwrapped(oy_object* tensor, const oyi_layer* layer) {
  return oyi_grad_unwrapped(tensor, layer->id);
}
static oy_object* rewrapped(oy_object* tensor, const oyi_layer* layer) {
  return oyi_grad_wrapped_new(oy_tensor_retain(tensor), layer, false);
}
static oy_object* rewrapped_immutable(oy_object* tensor, const oyi_layer* layer) {
  return oyi_grad_wrapped_new(oy_tensor_retain(tensor), layer, true);
}

// The wrappers that results are, because they are arguments that are written; retained.
typedef struct targets {
  oy_object* of[8];
  size_t count;
  bool immutable;     // a view of something that is
  oy_object* viewed;  // a wrapper, retained
} targets;

static void find_targets(const oyi_layer* layer, const oy_op* op, const oy_value* args,
                         targets* t) {
  const oy_schema* schema = oy_op_schema(op);
  *t = (targets){.count = op->return_count};
  for (size_t i = 0; schema && i < t->count && i < OY_ARRAY_SIZE(t->of); i++) {
    int at = oy_schema_return_argument(schema, i);
    if (at >= 0 && args[at].tag == OY_TAG_TENSOR &&
        oyi_wrapper_at(args[at].as.object, layer))
      t->of[i] = oy_tensor_retain(args[at].as.object);
  }
  if (!schema || !oy_schema_is_view(schema) || args->tag != OY_TAG_TENSOR) return;
  const oyi_wrapper* w = oyi_wrapper_at(args->as.object, layer);
  t->immutable = w && w->immutable;
  if (w) t->viewed = oy_tensor_retain(args->as.object);
}

static void release_targets(targets* t) {
  for (size_t i = 0; i < OY_ARRAY_SIZE(t->of); i++) oy_tensor_release(t->of[i]);
  oy_tensor_release(t->viewed);
}

// A view counts versions with what it views: a write to one is a write to the other. A new
// wrapper has a counter that nobody else knows.
static void share_version(oy_object* view, const oy_object* from) {
  oyi_side *side = oyi_tensor_cast(view)->side, *other = oyi_tensor_cast(from)->side;
  if (view == from || !side || !other || !side->counter || !other->counter) return;
  oyi_free(side->counter);
  side->counter = other->counter;
  __atomic_fetch_add(&side->counter->references, 1, __ATOMIC_RELAXED);
}

static void share_versions(oy_stack* stack, const targets* t) {
  for (size_t i = 0; i < t->count && t->viewed; i++) {
    const oy_value v = oy_stack_last(stack, t->count)[i];
    if (v.tag == OY_TAG_TENSOR) share_version(v.as.object, t->viewed);
    for (size_t k = 0; v.tag == OY_TAG_TENSOR_LIST && k < v.count; k++)
      share_version(v.as.tensors[k], t->viewed);
  }
}

static oy_status wrap_results(const oyi_layer* layer, oy_stack* stack, targets* t) {
  OY_TRY(
      change_all(stack, t->count, t->immutable ? rewrapped_immutable : rewrapped, layer));
  share_versions(stack, t);
  for (size_t i = 0; i < t->count && i < OY_ARRAY_SIZE(t->of); i++) {
    if (!t->of[i]) continue;
    oy_value* v = oy_stack_last(stack, t->count) + i;
    // What is written may have another shape now.
    OY_TRY(oyi_wrapper_refresh(t->of[i]));
    oy_value_release(v);
    *v = oy_value_tensor(t->of[i]);
    v->owned = 1;
    t->of[i] = NULL;
  }
  return OY_OK;
}

static oy_status grad_below(oyi_layer* layer, const oy_op* op, oy_stack* stack) {
  const size_t count = op->argument_count;
  targets t;
  find_targets(layer, op, oy_stack_last(stack, count), &t);
  oy_status status = change_all(stack, count, unwrapped, layer);
  bool mode = oy_grad_mode_get();
  oy_grad_mode_set(layer->grad_mode);
  if (status == OY_OK) status = oy_op_call_boxed(op, stack);
  oy_grad_mode_set(mode);
  if (status == OY_OK) status = wrap_results(layer, stack, &t);
  release_targets(&t);
  return status;
}

const oyi_layer_class oyi_grad_class = {
    .name = "Grad",
    .own_keys = OYI_GRADIENT_KEYS,
    // What is composed of others is so here, also where no tensor needs a gradient yet: below
    // this layer its parts would not be known, nor what they view.
    .included = 1ull << OY_KEY_AutogradFunctionality,
    .enter = grad_enter,
    .below = grad_below,
};

oy_status oyi_grad_escaped(const oy_op* op, oy_keyset keys, oy_stack* stack,
                           const oy_kernel* kernel) {
  (void)kernel, (void)keys;
  size_t count = op->argument_count;
  bool any = false;
  for (size_t i = 0; i < count && !any; i++) {
    const oy_value* v = oy_stack_last(stack, count) + i;
    any = v->tag == OY_TAG_TENSOR && dead_wrapper(v->as.object);
    for (size_t k = 0; v->tag == OY_TAG_TENSOR_LIST && k < v->count && !any; k++)
      any = dead_wrapper(v->as.tensors[k]) != NULL;
  }
  OY_CHECK(any, FAILED_PRECONDITION,
           "%.*s: expected a tensor of this grad transform, got one of another",
           OY_STR_ARG(oy_op_name_of(op)));
  OY_TRY(change_all(stack, count, without_dead, oyi_layers));
  return oy_op_call_boxed(op, stack);
}
