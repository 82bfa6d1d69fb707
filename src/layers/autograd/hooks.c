// SPDX-License-Identifier: Apache-2.0
// The list of a node's hooks, and running them in their order.
#include "layers/autograd/hooks.h"

#include "base/memory.h"
#include "layers/autograd/record.h"
#include "ops/calls.h"

static uint64_t g_next_id = 1;  // atomic

oyi_hooks* oyi_hooks_of(oyi_node* node) {
  oyi_hooks* there = __atomic_load_n(&node->hooks, __ATOMIC_ACQUIRE);
  if (there) return there;
  oyi_hooks* made = oyi_calloc(1, sizeof(*made));
  if (!made) return NULL;
  // Another thread may have been faster.
  if (__atomic_compare_exchange_n(&node->hooks, &there, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return made;
  oyi_free(made);
  return there;
}

static void drop(const oyi_hook* hook) {
  if (hook->destroy) hook->destroy(hook->data);
}

oy_status oyi_hook_add(oyi_node* node, oyi_hook hook, uint64_t* out_id) {
  oyi_hooks* hooks = oyi_hooks_of(node);
  bool added = false;
  if (hooks) {
    hook.id = __atomic_fetch_add(&g_next_id, 1, __ATOMIC_RELAXED);
    *out_id = hook.id;
    oyi_spin_lock(&hooks->lock);
    added = oyi_grow(&hooks->items, &hooks->capacity, hooks->count + 1,
                     sizeof(*hooks->items));
    if (added) hooks->items[hooks->count++] = hook;
    oyi_spin_unlock(&hooks->lock);
  }
  if (added) return OY_OK;
  drop(&hook);
  return OY_OUT_OF_MEMORY;
}

bool oyi_hook_remove(oyi_node* node, uint64_t id) {
  oyi_hooks* hooks = __atomic_load_n(&node->hooks, __ATOMIC_ACQUIRE);
  if (!hooks) return false;
  oyi_hook gone = {.id = 0};
  oyi_spin_lock(&hooks->lock);
  for (size_t i = 0; i < hooks->count; i++) {
    if (hooks->items[i].id != id) continue;
    gone = hooks->items[i];
    memmove(&hooks->items[i], &hooks->items[i + 1],
            (hooks->count - i - 1) * sizeof(*hooks->items));
    hooks->count--;
    break;
  }
  oyi_spin_unlock(&hooks->lock);
  if (gone.id) drop(&gone);
  return gone.id != 0;
}

void oyi_hooks_free(oyi_hooks* hooks) {
  for (size_t i = 0; i < hooks->count; i++) drop(&hooks->items[i]);
  oyi_free(hooks->items);
  oyi_free(hooks->forward);
  oyi_free(hooks->unpacking);
  oyi_free(hooks);
}

// -------------------------------------------------------------------- running

static oy_status check_replaced(oy_object* before, oy_object* after) {
  const oyi_tensor *b = oyi_tensor_of(before), *a = oyi_tensor_of(after);
  if (!a || !b) return oy_failure();
  OY_CHECK(after->dtype == before->dtype, TYPE_MISMATCH,
           "hook has changed the type of value (was %s got %s)",
           oy_dtype_name(before->dtype), oy_dtype_name(after->dtype));
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(a), oyi_sizes_view(b)), INVALID_ARGUMENT,
           "hook has changed the size of value (was %s got %s)",
           oyi_dims_print(oyi_sizes_view(b)).text,
           oyi_dims_print(oyi_sizes_view(a)).text);
  return OY_OK;
}

static oy_status run_tensor(const oyi_hook* hook, oy_object** grads) {
  oy_object** grad = &grads[hook->output_nr];
  if (!*grad) return OY_OK;
  oy_tensor* by = NULL;
  OY_TRY(hook->tensor_fn(hook->data, *grad, &by));
  if (!by) return OY_OK;
  oy_status status = check_replaced(*grad, by);
  if (status == 0) {
    oy_tensor_release(*grad);
    *grad = by;
  } else {
    oy_tensor_release(by);
  }
  return status;
}

// The |at|-th hook of |kind|, in the order of registration; false if there is none. The
// list may change while a hook runs, so each is looked up anew.
static bool nth(oyi_hooks* hooks, oyi_hook_kind kind, size_t at, oyi_hook* out) {
  bool found = false;
  oyi_spin_lock(&hooks->lock);
  for (size_t i = 0; i < hooks->count && !found; i++) {
    if (hooks->items[i].kind != kind || at-- > 0) continue;
    *out = hooks->items[i];
    found = true;
  }
  oyi_spin_unlock(&hooks->lock);
  return found;
}

oy_status oyi_hooks_before(oyi_node* node, oy_object** grads, bool only_tensors) {
  oyi_hook hook;
  for (size_t i = 0; nth(node->hooks, OYI_HOOK_TENSOR, i, &hook); i++)
    OY_TRY(run_tensor(&hook, grads));
  for (size_t i = 0; nth(node->hooks, OYI_HOOK_RETAIN, i, &hook); i++)
    OY_TRY(run_tensor(&hook, grads));
  for (size_t i = 0; !only_tensors && nth(node->hooks, OYI_HOOK_BEFORE, i, &hook); i++)
    OY_TRY(hook.node_fn(hook.data, grads, node->output_count, NULL, 0));
  return OY_OK;
}

oy_status oyi_hooks_after(oyi_node* node, oy_object** inputs, oy_object* const* grads) {
  oyi_hook hook;
  for (size_t i = 0; nth(node->hooks, OYI_HOOK_AFTER, i, &hook); i++)
    OY_TRY(hook.node_fn(hook.data, inputs, node->edge_count, grads, node->output_count));
  return OY_OK;
}

oy_status oyi_hooks_accumulated(oyi_node* node, oy_object* leaf) {
  oyi_hook hook;
  for (size_t i = 0; nth(node->hooks, OYI_HOOK_ACCUMULATED, i, &hook); i++) {
    oy_tensor* none = NULL;
    OY_TRY(hook.tensor_fn(hook.data, leaf, &none));
    oy_tensor_release(none);
  }
  return OY_OK;
}

// ------------------------------------------------------------------ retain_grad

static oy_status keep_gradient(void* data, oy_tensor* grad, oy_tensor** out_grad) {
  (void)out_grad;
  oyi_variable* v = data;
  oy_tensor* before = v->grad;
  v->grad = oyi_grad_mode ? oy_tensor_retain(grad) : oyi_call_clone(grad, oy_none());
  if (!v->grad) {
    v->grad = before;
    return oy_failure();
  }
  oy_tensor_release(before);
  return OY_OK;
}

oy_status oyi_retain_on(oyi_variable* v, oyi_node* node) {
  return oyi_hook_add(node,
                      (oyi_hook){.kind = OYI_HOOK_RETAIN,
                                 .output_nr = v->output_nr,
                                 .tensor_fn = keep_gradient,
                                 .data = v},
                      &v->retains);
}
