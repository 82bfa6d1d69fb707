// SPDX-License-Identifier: Apache-2.0
// The public functions of autograd.h about hooks.
#include "layers/autograd/hooks.h"

// The node where hooks of |tensor| are, with a reference, and which result it is.
static oy_status hook_edge(oy_tensor* tensor, oyi_edge* out_edge) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  OY_CHECK(oyi_requires_grad(t), FAILED_PRECONDITION,
           "cannot register a hook on a tensor that doesn't require gradient");
  return oyi_gradient_edge(t, out_edge);
}

static uint64_t add(oy_tensor* tensor, oyi_hook hook) {
  oyi_edge edge = {NULL, 0};
  uint64_t id = 0;
  if (hook_edge(tensor, &edge) != 0) {
    if (hook.destroy) hook.destroy(hook.data);
    return 0;
  }
  hook.output_nr = edge.output_nr;
  if (oyi_hook_add(edge.node, hook, &id) != 0) id = 0;
  oyi_node_release(edge.node);
  return id;
}

uint64_t oy_register_hook(oy_tensor* tensor, oy_tensor_hook_fn fn, void* data,
                          void (*destroy)(void* data)) {
  return add(
      tensor,
      (oyi_hook){
          .kind = OYI_HOOK_TENSOR, .tensor_fn = fn, .data = data, .destroy = destroy});
}

uint64_t oy_register_post_accumulate_grad_hook(oy_tensor* tensor, oy_tensor_hook_fn fn,
                                               void* data, void (*destroy)(void* data)) {
  if (oyi_tensor_of(tensor) && !oy_is_leaf(tensor)) {
    OY_FAIL(FAILED_PRECONDITION,
            "post accumulate grad hooks cannot be registered on non-leaf tensors");
    if (destroy) destroy(data);
    return 0;
  }
  return add(tensor, (oyi_hook){.kind = OYI_HOOK_ACCUMULATED,
                                .tensor_fn = fn,
                                .data = data,
                                .destroy = destroy});
}

uint64_t oy_register_node_hook(oy_tensor* tensor, bool after, oy_node_hook_fn fn,
                               void* data, void (*destroy)(void* data)) {
  return add(tensor, (oyi_hook){.kind = after ? OYI_HOOK_AFTER : OYI_HOOK_BEFORE,
                                .node_fn = fn,
                                .data = data,
                                .destroy = destroy});
}

bool oy_remove_hook(oy_tensor* tensor, uint64_t id) {
  oyi_edge edge = {NULL, 0};
  if (id == 0 || hook_edge(tensor, &edge) != 0) return false;
  bool removed = oyi_hook_remove(edge.node, id);
  oyi_node_release(edge.node);
  return removed;
}

oy_status oy_retain_grad(oy_tensor* tensor) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  OY_CHECK(oyi_requires_grad(t), FAILED_PRECONDITION,
           "can't retain_grad on Tensor that has requires_grad=False");
  oyi_node* node;
  OY_TRY(oyi_grad_fn(t, &node));
  oyi_variable* v = oyi_variable_of(t);
  if (!node || v->retains) return OY_OK;
  return oyi_retain_on(v, node);
}
