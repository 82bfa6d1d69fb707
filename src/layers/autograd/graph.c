// SPDX-License-Identifier: Apache-2.0
// graph.h: nodes, seen from outside.
#include "opyard/graph.h"

#include "layers/autograd/node.h"
#include "layers/autograd/variable.h"

static oyi_node* inner(const oy_node* node) {
  return (oyi_node*)(uintptr_t)node;
}
static oy_node* outer(oyi_node* node) {
  return (oy_node*)(void*)node;
}

oy_node* oy_grad_node(const oy_tensor* tensor) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  oyi_node* node = NULL;
  if (!t || oyi_grad_fn(t, &node) != 0) return NULL;
  return outer(oyi_node_retain(node));
}

oy_node* oy_node_retain(oy_node* node) {
  return outer(oyi_node_retain(inner(node)));
}

void oy_node_release(oy_node* node) {
  oyi_node_release(inner(node));
}

const char* oy_node_name(const oy_node* node) {
  return oyi_node_name(inner(node));
}

size_t oy_node_edge_count(const oy_node* node) {
  return inner(node)->edge_count;
}

oy_node* oy_node_edge(const oy_node* node, size_t i, uint32_t* out_output_nr) {
  const oyi_node* n = inner(node);
  if (out_output_nr) *out_output_nr = 0;
  if (i >= n->edge_count || !n->edges[i].node) return NULL;
  if (out_output_nr) *out_output_nr = n->edges[i].output_nr;
  return outer(n->edges[i].node);
}

oy_tensor* oy_node_variable(const oy_node* node) {
  oyi_node* n = inner(node);
  if (n->kind != OYI_NODE_ACCUMULATE) return NULL;
  return oyi_tensor_object(oyi_accumulate_node_of(n)->variable);
}

oy_status oy_detach_in_place(oy_tensor* tensor) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  oyi_variable* v = t->meta ? oyi_variable_of(t) : NULL;
  if (!v) return OY_OK;
  OY_CHECK(
      !oyi_is_view(v), FAILED_PRECONDITION,
      "Can't detach views in-place. Use detach() instead. If you are using "
      "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set "
      "as True, gradients are views of DDP buckets, and hence detach_() cannot be "
      "called on these gradients. To fix this error, please refer to the "
      "Optimizer.zero_grad() function in torch/optim/optimizer.py as a solution.");
  oyi_node* before = v->grad_fn;
  v->grad_fn = NULL;
  v->output_nr = 0;
  v->retains = 0;
  v->requires_grad = false;
  oyi_untrack(t);
  oyi_node_release(before);
  return OY_OK;
}
