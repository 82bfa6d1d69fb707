// SPDX-License-Identifier: Apache-2.0
// The tangents of one call, and make_dual and unpack_dual. The call runs once, on stand-ins
// that need a gradient. Its gradient J^H u is linear in u, so what is differentiated of it by
// u, multiplied by the tangent t, is J t. In place, a copy of the target is written to, which
// then goes to the target.
#include "base/memory.h"
#include "layers/autograd/forward/forward.h"
#include "layers/autograd/full.h"
#include "layers/autograd/record.h"
#include "ops/calls.h"
#include "opyard/dispatcher.h"

// An alias without a tangent, with the history of |t| or none.
static oy_object* bare_alias(oyi_tensor* t, bool history) {
  oy_object* o = oyi_tensor_object(t);
  oy_object* made = history ? oyi_call_alias(o) : oyi_call_detach(o);
  if (made) made->keys.functionality &= ~OYI_FORWARD_BIT;
  return made;
}

static oy_status make_leaves(oyi_forward_call* c) {
  for (size_t i = 0; i < c->dual_count; i++) {
    oyi_dual* d = &c->duals[i];
    bool linked = c->history && oyi_requires_grad(d->primal);
    d->leaf = bare_alias(d->primal, linked);
    if (!d->leaf || (!linked && !oy_requires_grad_(d->leaf, true))) return oy_failure();
  }
  return OY_OK;
}

// What is written in place must not be what its own history has saved: the two would keep
// each other for ever.
static oy_status copy_tangents(oyi_forward_call* c) {
  if (!c->history || !oy_schema_is_inplace(c->schema)) return OY_OK;
  for (size_t i = 0; i < c->dual_count; i++) {
    oy_object* copy = oyi_call_clone(c->duals[i].tangent, oy_none());
    if (!copy) return oy_failure();
    oy_tensor_release(c->duals[i].tangent);
    c->duals[i].tangent = copy;
  }
  return OY_OK;
}

static oy_status ask_history(void* found, oy_object* tensor) {
  if (oyi_requires_grad(oyi_tensor_cast(tensor))) *(bool*)found = true;
  return OY_OK;
}

static bool wants_history(const oyi_forward_call* c) {
  if (oyi_grad_mode == OYI_GRAD_OFF) return false;
  bool found = false;
  for (size_t i = 0; i < c->dual_count; i++)
    found = found || oyi_requires_grad(oyi_tensor_cast(c->duals[i].tangent));
  (void)!oyi_forward_each(c->arguments, c->schema->argument_count, ask_history, &found);
  return found;
}

// ----------------------------------------------------------------------- two walks

// The results that may have a tangent, and what is computed of them; all of one block.
typedef struct walk {
  oyi_forward_call* call;
  size_t count, room;
  oy_object** results;  // borrowed
  oy_object** u;        // what their gradients are multiplied by
  oy_object** tangents;
  oy_object** leaves;  // borrowed
  oy_object** by;      // borrowed
  oy_object** grads;
} walk;

static oy_status count_result(void* data, oy_object* tensor) {
  (void)tensor;
  ++*(size_t*)data;
  return OY_OK;
}

static oy_status add_result(void* data, oy_object* tensor) {
  walk* w = data;
  if (!oyi_requires_grad(oyi_tensor_cast(tensor))) return OY_OK;
  oy_object* u =
      oyi_call_zeros_like(tensor, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  w->u[w->count] = u;
  w->results[w->count++] = tensor;
  return u && oy_requires_grad_(u, true) ? OY_OK : oy_failure();
}

static oy_status walk_init(walk* w, oyi_forward_call* c, const oy_value* results) {
  size_t all = 0;
  *w = (walk){.call = c};
  OY_TRY(oyi_forward_each(results, c->schema->return_count, count_result, &all));
  w->room = all > c->dual_count ? all : c->dual_count;
  oy_object** block = oyi_calloc(6 * w->room + 1, sizeof(*block));
  if (!block) return OY_OUT_OF_MEMORY;
  w->results = block;
  w->u = block + w->room;
  w->tangents = w->u + w->room;
  w->leaves = w->tangents + w->room;
  w->by = w->leaves + w->room;
  w->grads = w->by + w->room;
  return oyi_forward_each(results, c->schema->return_count, add_result, w);
}

static void walk_end(walk* w) {
  for (size_t i = 0; i < w->room && w->results; i++) {
    oy_tensor_release(w->u[i]);
    oy_tensor_release(w->tangents[i]);
    oy_tensor_release(w->grads[i]);
  }
  oyi_free(w->results);
}

static oy_status run_back(walk* w) {
  const oy_backward_options options = {
      .retain_graph = true, .create_graph = true, .allow_unused = true};
  for (size_t i = 0; i < w->call->dual_count; i++) w->leaves[i] = w->call->duals[i].leaf;
  if (w->count == 0) return OY_OK;
  return oy_gradients(w->results, w->u, w->count, w->leaves, w->call->dual_count,
                      &options, w->grads);
}

static oy_status run_forth(walk* w) {
  const bool history = w->call->history;
  const oy_backward_options options = {
      .retain_graph = true, .create_graph = history, .allow_unused = true};
  size_t n = 0;
  // The gradients that depend on u, in front.
  for (size_t i = 0; i < w->call->dual_count; i++) {
    if (!w->grads[i] || !oy_requires_grad(w->grads[i])) continue;
    w->leaves[n] = w->grads[i];
    w->by[n++] = w->call->duals[i].tangent;
  }
  if (n == 0) return OY_OK;
  return oy_gradients(w->leaves, w->by, n, w->u, w->count, &options, w->tangents);
}

static bool shares_any(const walk* w, const oy_object* tangent) {
  const oyi_storage* storage = oyi_tensor_cast(tangent)->storage;
  for (size_t i = 0; i < w->call->dual_count; i++)
    if (oyi_tensor_cast(w->call->duals[i].tangent)->storage == storage) return true;
  return false;
}

// What did not move has zeros. A tangent that is an argument's would be written with it.
static oy_status own_tangents(walk* w) {
  for (size_t i = 0; i < w->count; i++) {
    oy_object** t = &w->tangents[i];
    oy_object* have = *t;
    if (!have)
      *t = oyi_call_zeros_like(w->results[i], oy_none(), oy_none(), oy_none(), oy_none(),
                               oy_none());
    else if (shares_any(w, have))
      *t = oyi_call_clone(have, oy_none());
    if (*t != have) oy_tensor_release(have);
    if (!*t) return oy_failure();
  }
  return OY_OK;
}

static oy_status compute_tangents(walk* w) {
  oy_status status = run_back(w);
  if (status == 0) status = run_forth(w);
  if (status == 0) return own_tangents(w);
  const char* message = oy_error_get()->message;
  bool missing = strstr(message, "derivative for") && strstr(message, "not implemented");
  return missing ? oyi_forward_unsupported(w->call) : status;
}

// ------------------------------------------------------------------------- results

// A saved result is an alias that was made before the tangent.
static oy_status give_saved(const walk* w, size_t i) {
  oyi_node* node;
  oyi_tensor* t = oyi_tensor_cast(w->results[i]);
  OY_TRY(oyi_grad_fn(t, &node));
  oyi_saved* slots = NULL;
  size_t count = 0;
  if (node && node->kind == OYI_NODE_SHORT && node->saves_result) {
    slots = &oyi_short_of(node)->saved[OYI_SAVE_RESULT];
    count = 1;
  } else if (node && node->kind == OYI_NODE_FULL) {
    slots = oyi_full_results(oyi_full_of(node));
    count = oyi_full_of(node)->result_count;
  }
  for (size_t k = 0; k < count; k++)
    if (slots[k].tensor && slots[k].output_nr == oyi_variable_of(t)->output_nr)
      OY_TRY(oyi_tangent_put(slots[k].tensor, w->tangents[i]));
  return OY_OK;
}

// With a history, gradients of it have tangents, too, also of what it has saved.
static oy_status give_history(const walk* w) {
  for (size_t i = 0; i < w->call->dual_count; i++) {
    const oyi_dual* d = &w->call->duals[i];
    OY_TRY(oyi_tangent_put(oyi_tensor_cast(d->leaf), d->tangent));
  }
  for (size_t i = 0; i < w->count; i++) OY_TRY(give_saved(w, i));
  return OY_OK;
}

static oy_status finish_one(const walk* w, oy_object** result) {
  for (size_t i = 0; i < w->count; i++) {
    if (w->results[i] != *result) continue;
    if (!w->call->history) {
      oy_object* plain = bare_alias(oyi_tensor_cast(*result), false);
      if (!plain) return oy_failure();
      oy_tensor_release(*result);
      *result = plain;
    }
    return oyi_tangent_put(oyi_tensor_cast(*result), w->tangents[i]);
  }
  return OY_OK;
}

// |results| are owned values.
static oy_status finish_all(const walk* w, oy_value* results) {
  for (size_t i = 0; i < w->call->schema->return_count; i++) {
    oy_value* v = &results[i];
    if (v->tag == OY_TAG_TENSOR && oyi_is_tensor(v->as.object))
      OY_TRY(finish_one(w, &v->as.object));
    for (size_t k = 0; v->tag == OY_TAG_TENSOR_LIST && k < v->count; k++)
      if (oyi_is_tensor(v->as.tensors[k]))
        OY_TRY(finish_one(w, (oy_object**)(uintptr_t)&v->as.tensors[k]));
  }
  return w->call->history ? give_history(w) : OY_OK;
}

// The first argument gets what its copy became.
static oy_status finish_inplace(const walk* w, oy_value* result) {
  oy_object* self = w->call->arguments[0].as.object;
  oy_object* made = result->as.object;
  oy_object* plain = w->call->history ? oy_tensor_retain(made)
                                      : bare_alias(oyi_tensor_cast(made), false);
  oy_status status = plain && oyi_call_copy_(self, plain, false) ? OY_OK : oy_failure();
  oy_tensor_release(plain);
  if (status == 0 && w->count)
    status = oyi_tangent_write(oyi_tensor_cast(self), w->tangents[0]);
  if (status == 0 && w->call->history) status = give_history(w);
  if (status != 0) return status;
  oy_value_release(result);
  *result = oy_value_tensor(oy_tensor_retain(self));
  result->owned = 1;
  return OY_OK;
}

// ---------------------------------------------------------------------------- the call

static oy_status copy_target(const oyi_forward_call* c, oy_value* first) {
  if (!oy_schema_is_inplace(c->schema) || !oyi_is_tensor(first->as.object)) return OY_OK;
  oy_object* copy = oyi_call_clone(first->as.object, oy_none());
  if (!copy) return oy_failure();
  copy->keys.functionality &= ~OYI_FORWARD_BIT;
  oy_tensor_release(first->as.object);
  first->as.object = copy;
  return OY_OK;
}

// Recorded; leaves owned results on |to|.
static oy_status call_leaves(const oyi_forward_call* c, oy_stack* to) {
  OY_TRY(oyi_forward_push(c, OYI_STAND_LEAF, to));
  OY_TRY(copy_target(c, to->data));
  OY_TRY(oy_op_call_boxed(c->op, to));
  for (size_t i = 0; i < to->size; i++) OY_TRY(oy_value_own(&to->data[i]));
  return OY_OK;
}

static oy_status differentiate(oyi_forward_call* c, oy_stack* copy) {
  walk w = {.call = c};
  oy_grad_guard grad = oy_enable_grad();
  oy_status status = make_leaves(c);
  if (status == 0) status = copy_tangents(c);
  if (status == 0) status = call_leaves(c, copy);
  if (status == 0) status = walk_init(&w, c, copy->data);
  if (status == 0) status = compute_tangents(&w);
  oy_grad_guard_end(&grad);
  if (status == 0)
    status = oy_schema_is_inplace(c->schema) ? finish_inplace(&w, copy->data)
                                             : finish_all(&w, copy->data);
  walk_end(&w);
  return status;
}

oy_status oyi_forward_differentiate(oyi_forward_call* c) {
  oy_value storage[16];
  oy_stack copy;
  oy_stack_init(&copy, storage, OY_ARRAY_SIZE(storage));
  c->history = wants_history(c);
  oy_guard guard = oy_guard_exclude_functionalities(OYI_FORWARD_BIT);
  oy_status status = differentiate(c, &copy);
  oy_guard_end(&guard);
  const size_t results = c->schema->return_count;
  if (status == 0) {
    oy_stack_drop(c->stack, c->schema->argument_count);
    for (size_t i = 0; i < results && status == 0; i++) {
      status = oy_stack_push(c->stack, copy.data[i]);
      copy.data[i] = oy_none();
    }
  }
  oy_stack_reset(&copy);
  return status;
}

// --------------------------------------------------------------- make_dual, unpack_dual

static oy_status check_dual(const oy_tensor* tensor, const char* what) {
  if (!oyi_tensor_of(tensor)) return oy_failure();
  OY_CHECK(oyi_is_differentiable(tensor->dtype), INVALID_ARGUMENT,
           "Expected %s to be floating point or complex, but got: torch.%s", what,
           oy_dtype_name(tensor->dtype));
  return OY_OK;
}

static oy_status check_make(oy_tensor* primal, const oy_tensor* tangent, int64_t level) {
  OY_CHECK(level >= 0 && oy_dual_level() >= 0, FAILED_PRECONDITION,
           "Trying to create a dual Tensor for forward AD but no level exists, make sure "
           "to enter_dual_level() first.");
  OY_TRY(check_dual(primal, "primal"));
  OY_TRY(check_dual(tangent, "tangent"));
  OY_CHECK(level == oy_dual_level(), FAILED_PRECONDITION,
           "Invalid level given to _make_dual");
  oy_object* have;
  OY_TRY(oyi_tangent_find(oyi_tensor_cast(primal), &have));
  oy_tensor_release(have);
  OY_CHECK(
      !have, FAILED_PRECONDITION,
      "Making a dual Tensor based on a Tensor that already has a forward gradient at "
      "the same level %lld is not supported.",
      (long long)level);
  return OY_OK;
}

static oy_object* alias_below(oy_tensor* tensor) {
  oy_guard guard = oy_guard_exclude_functionalities(OYI_FORWARD_BIT);
  oy_object* made = bare_alias(oyi_tensor_cast(tensor), true);
  oy_guard_end(&guard);
  return made;
}

// By the operator that PyTorch takes, which prints show.
static oy_object* view_below(oy_tensor* tensor) {
  oy_guard guard = oy_guard_exclude_functionalities(OYI_FORWARD_BIT);
  oy_object* made = oyi_call_view(tensor, oyi_sizes_view(oyi_tensor_cast(tensor)));
  if (made) made->keys.functionality &= ~OYI_FORWARD_BIT;
  oy_guard_end(&guard);
  return made;
}

oy_tensor* oy_make_dual(oy_tensor* primal, oy_tensor* tangent, int64_t level) {
  if (check_make(primal, tangent, level) != 0) return NULL;
  oy_object* dual = view_below(primal);
  if (!dual || oyi_tangent_put(oyi_tensor_cast(dual), tangent) == 0) return dual;
  oy_tensor_release(dual);
  return NULL;
}

oy_status oy_unpack_dual(oy_tensor* dual, int64_t level, oy_tensor** out_primal,
                         oy_tensor** out_tangent) {
  *out_primal = *out_tangent = NULL;
  oyi_tensor* t = oyi_tensor_of(dual);
  if (!t) return oy_failure();
  if (level < 0 || oy_dual_level() < 0) {
    *out_primal = oy_tensor_retain(dual);
    return OY_OK;
  }
  if (oyi_may_be_dual(dual)) OY_TRY(oyi_tangent_find(t, out_tangent));
  *out_primal = alias_below(dual);
  if (*out_primal) return OY_OK;
  oy_tensor_release(*out_tangent);
  *out_tangent = NULL;
  return oy_failure();
}
