// SPDX-License-Identifier: Apache-2.0
// The backward walk (reference, 9.4): count how many gradients each node will get,
// then run the nodes that have got all of theirs, latest first. It runs in the
// caller's thread, without recursion, with grad mode off.
#include "layers/autograd/engine.h"

#include "base/memory.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"

static oy_status count_dependencies(oyi_task* task, oyi_node* root) {
  size_t entry;
  bool is_new;
  OY_TRY(oyi_task_add(task, root, &entry, &is_new));
  // Entries are appended as they are found, so the list is its own queue.
  for (size_t i = 0; i < task->count; i++) {
    oyi_node* node = task->entries[i].node;
    for (int k = 0; k < node->edge_count; k++) {
      if (!node->edges[k].node) continue;
      OY_TRY(oyi_task_add(task, node->edges[k].node, &entry, &is_new));
      task->entries[entry].waiting++;
    }
  }
  return OY_OK;
}

// ------------------------------------------------------------------ validation

// Whether |from| is what a tensor of |to| broadcasts to.
static bool can_sum_to(oy_ints from, oy_ints to) {
  if (to.size > from.size) return false;
  for (size_t i = 0; i < to.size; i++) {
    int64_t a = from.data[from.size - 1 - i], b = to.data[to.size - 1 - i];
    if (a != b && b != 1) return false;
  }
  return true;
}

// Sums away what broadcasting added; takes over |grad|.
static oy_object* sum_to(oy_object* grad, oy_ints from, oy_ints to) {
  int64_t dims[OY_TENSOR_MAX_DIMS];
  size_t n = 0, lead = from.size - to.size;
  for (size_t i = 0; i < from.size; i++)
    if (i < lead || (to.data[i - lead] == 1 && from.data[i] != 1)) dims[n++] = (int64_t)i;
  oy_object* summed = oyi_call_sum_dim_IntList(grad, (oy_ints){dims, n}, true, oy_none());
  oy_tensor_release(grad);
  if (lead == 0 || !summed) return summed;
  oy_object* result = oyi_call__unsafe_view(summed, to);
  oy_tensor_release(summed);
  return result;
}

// Makes *grad fit what |to| expects, or fails with it released.
static oy_status validate(oy_object** grad, const oyi_node* to, const char* from,
                          int index) {
  const oyi_tensor* g = oyi_tensor_of(*grad);
  if (!g) return oy_error_get()->code;
  const oyi_expectation* e = &to->expected;
  oy_ints sizes = oyi_sizes_view(g), expected = oyi_expected_sizes(to);
  OY_CHECK(g->backend == e->backend, INVALID_ARGUMENT,
           "Function %s returned an invalid gradient at index %d - expected a tensor of "
           "backend %s but got %s",
           from, index, oy_backend_name(e->backend), oy_backend_name(g->backend));
  if (!oyi_same_sizes(sizes, expected)) {
    OY_CHECK(can_sum_to(sizes, expected), INVALID_ARGUMENT,
             "Function %s returned an invalid gradient at index %d - got %s but "
             "expected shape compatible with %s",
             from, index, oyi_dims_print(sizes).text, oyi_dims_print(expected).text);
    *grad = sum_to(*grad, sizes, expected);
    if (!*grad) return oy_error_get()->code;
  }
  if ((*grad)->dtype == e->dtype) return OY_OK;
  oy_object* cast = oyi_call__to_copy(*grad, oy_int(e->dtype), oy_none(), oy_none(),
                                      oy_none(), false, oy_none());
  oy_tensor_release(*grad);
  *grad = cast;
  return cast ? OY_OK : oy_error_get()->code;
}

// -------------------------------------------------------------------- running

// Adds |grad|, which it takes over and which may be NULL, to what |entry| has.
static oy_status deliver(oyi_task* task, size_t at, oy_object* grad) {
  oyi_task_entry* entry = &task->entries[at];
  if (!entry->grad) {
    entry->grad = grad;
  } else if (grad) {
    oy_object* sum = oyi_call_add_Tensor(entry->grad, grad, oy_int(1));
    oy_tensor_release(grad);
    if (!sum) return oy_error_get()->code;
    oy_tensor_release(entry->grad);
    entry->grad = sum;
  }
  if (--entry->waiting > 0) return OY_OK;
  return oyi_task_push(task, at);
}

// Hands the results of |node| on, and takes them over.
static oy_status hand_on(oyi_task* task, oyi_node* node, oy_object** grads) {
  oy_status status = OY_OK;
  for (int i = 0; i < node->edge_count; i++) {
    oyi_node* to = node->edges[i].node;
    oy_object* grad = grads[i];
    grads[i] = NULL;
    if (!to || status != 0) {
      oy_tensor_release(grad);
      continue;
    }
    if (grad) status = validate(&grad, to, oyi_node_name(node), i);
    if (status != 0) {
      oy_tensor_release(grad);
      continue;
    }
    size_t at = (size_t)(oyi_task_find(task, to) - task->entries);
    status = deliver(task, at, grad);
  }
  return status;
}

static oy_status run_node(oyi_task* task, size_t at, bool keep_graph) {
  oyi_node* node = task->entries[at].node;
  oy_object* grad = task->entries[at].grad;
  task->entries[at].grad = NULL;
  oy_status status = OY_OK;
  if (node->kind == OYI_NODE_ACCUMULATE) {
    if (grad) status = oyi_accumulate_apply((oyi_accumulate_node*)(void*)node, grad);
    oy_tensor_release(grad);
    return status;
  }
  oy_object* out[OYI_NODE_INPUTS] = {NULL, NULL};
  if (grad) status = oyi_node_apply(node, grad, out);
  oy_tensor_release(grad);
  if (status == 0 && !keep_graph) oyi_node_release_saved(node);
  if (status == 0) return hand_on(task, node, out);
  for (int i = 0; i < OYI_NODE_INPUTS; i++) oy_tensor_release(out[i]);
  return status;
}

static oy_status run_all(oyi_task* task, oyi_node* root, oy_object* grad,
                         bool keep_graph) {
  OY_TRY(count_dependencies(task, root));
  task->entries[0].grad = oy_tensor_retain(grad);
  OY_TRY(oyi_task_push(task, 0));
  for (size_t at; oyi_task_pop(task, &at);) OY_TRY(run_node(task, at, keep_graph));
  return OY_OK;
}

oy_status oyi_engine_run(oyi_edge root, oy_object* grad, bool keep_graph) {
  oyi_task task;
  oyi_task_init(&task);
  // The walk counts as a call: results of operators in it belong to it and not to
  // a scope, and code of backends stays loaded until it is over.
  uint64_t before = oy_call_enter();
  bool mode = oyi_grad_mode;
  oyi_grad_mode = false;
  oy_status status = run_all(&task, root.node, grad, keep_graph);
  oyi_task_free(&task);
  oyi_grad_mode = mode;
  oy_call_leave(before);
  return status;
}
