// SPDX-License-Identifier: Apache-2.0
// The backward of custom functions.
#include "base/memory.h"
#include "layers/autograd/function_context.h"
#include "layers/autograd/packed.h"
#include "layers/autograd/record.h"
#include "layers/autograd/short_node.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"

void* oy_function_data(const oy_function_context* context) {
  return context->data;
}

bool oy_function_needs_input_grad(const oy_function_context* context, size_t i) {
  const oyi_function_node* node = context->node;
  return node && i < node->head.edge_count && node->head.edges[i].node;
}

// A saved output in a walk that is recorded: an alias that the node made once more.
static oy_tensor* live_output(oy_function_context* c, size_t i) {
  if (c->live[i]) return c->live[i];
  const oyi_tensor* t = c->saved[i].tensor;
  oyi_tensor* live =
      oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset);
  if (!live) return NULL;
  c->live[i] = oyi_tensor_object(live);
  oyi_node* node = oyi_node_retain(&c->node->head);
  if (oyi_set_history(live, node, c->saved[i].output_nr) == 0) return c->live[i];
  oy_tensor_release(c->live[i]);
  return c->live[i] = NULL;
}

oy_tensor* oy_function_saved(oy_function_context* c, size_t i) {
  if (!c->node || i >= c->saved_count) {
    OY_FAIL(INVALID_ARGUMENT, "%s: expected a saved tensor below %zu, got %zu", c->name,
            c->saved_count, i);
    return NULL;
  }
  if (OY_UNLIKELY(oyi_is_packed(&c->saved[i]))) {
    if (!c->live[i]) c->live[i] = oyi_unpack(&c->node->head, &c->saved[i]);
    return c->live[i];
  }
  oy_object* saved = oyi_saved_tensor(&c->node->head, &c->saved[i]);
  if (!saved || !oyi_grad_mode || !c->saved[i].is_result) return saved;
  return live_output(c, i);
}

// ------------------------------------------------------------------------ running

// What |function| is given: borrowed gradients, with zeros where there are none.
static oy_status materialize(const oyi_function_node* node, oy_object* const* grads,
                             oy_object** out) {
  for (uint32_t i = 0; i < node->head.output_count; i++) {
    out[i] = oy_tensor_retain(grads[i]);
    if (grads[i] || node->context->no_materialize) continue;
    const oyi_expectation* e = &node->head.expected[i];
    oy_device device = {e->backend, e->device_index, 0};
    out[i] = oyi_call_zeros(oyi_expected_sizes(e), oy_int(e->dtype), oy_none(),
                            oy_value_device(device), oy_none());
    if (!out[i]) return oy_failure();
  }
  return OY_OK;
}

static oy_status differentiated_twice(oyi_short_node* node, oy_object* grad,
                                      oy_object** out) {
  (void)node, (void)grad, (void)out;
  return OY_FAIL(FAILED_PRECONDITION,
                 "trying to differentiate twice a function that was "
                 "marked with @once_differentiable");
}
static const oyi_formula g_delayed_error = {.name = "DelayedError",
                                            .apply = differentiated_twice};

// Gradients whose own gradient is an error.
static oy_status refuse_more(oy_object** out, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (!oyi_is_tensor(out[i]) || !oyi_is_differentiable(out[i]->dtype)) continue;
    const oyi_edge none[OYI_NODE_INPUTS] = {{NULL, 0}, {NULL, 0}};
    oyi_short_node* node = oyi_short_node_new(&g_delayed_error, none);
    if (!node) return OY_OUT_OF_MEMORY;
    OY_TRY(oyi_set_history(oyi_tensor_cast(out[i]), &node->head, 0));
  }
  return OY_OK;
}

static oy_status call(oyi_function_node* node, oy_object* const* grads, oy_object** out) {
  oy_function_context* c = node->context;
  uint8_t mode = oyi_grad_mode;
  bool once = mode && c->function->once_differentiable;
  if (once) oyi_grad_mode = false;
  oy_status status = c->function->backward(c, grads, node->head.output_count, out,
                                           node->head.edge_count);
  oyi_grad_mode = mode;
  if (status == 0 && once) status = refuse_more(out, node->head.edge_count);
  return status;
}

static void drop_live(oy_function_context* c) {
  for (size_t i = 0; i < c->saved_count; i++) {
    oy_tensor_release(c->live[i]);
    c->live[i] = NULL;
  }
}

oy_status oyi_function_node_apply(oyi_function_node* node, oy_object* const* grads,
                                  oy_object** out) {
  oy_function_context* c = node->context;
  if (node->head.released && c->saved_count) return oyi_fail_released();
  oy_object** given = oyi_calloc(node->head.output_count, sizeof(*given));
  if (!given) return OY_OUT_OF_MEMORY;
  oy_status status = materialize(node, grads, given);
  if (status == 0) status = call(node, given, out);
  drop_live(c);
  for (uint32_t i = 0; i < node->head.output_count; i++) oy_tensor_release(given[i]);
  oyi_free(given);
  return status;
}

// ---------------------------------------------------------------------- releasing

void oyi_function_node_release_saved(oyi_function_node* node) {
  oy_function_context* c = node->context;
  for (size_t i = 0; c && i < c->saved_count; i++) {
    oyi_tensor* t = c->saved[i].tensor;
    c->saved[i].tensor = NULL;
    oy_tensor_release(oyi_tensor_object(t));
  }
}

void oyi_function_node_free(oyi_function_node* node) {
  for (uint32_t i = 0; i < node->head.output_count; i++)
    oyi_expectation_reset(&node->head.expected[i]);
  if (node->head.expected != &node->own_expected) oyi_free(node->head.expected);
  oyi_free(node->head.edges);
  if (node->context) oyi_function_context_free(node->context);
  oyi_free(node);
}
