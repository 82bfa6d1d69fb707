// SPDX-License-Identifier: Apache-2.0
// Starting a walk: oy_backward, oy_backward_all, oy_gradients (reference, 9.5).
#include "base/memory.h"
#include "layers/autograd/engine.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"

static oy_status check_grad(const oyi_tensor* t, const oy_tensor* grad, size_t i) {
  if (!grad) {
    OY_CHECK(t->numel == 1, INVALID_ARGUMENT,
             "grad can be implicitly created only for scalar outputs");
    OY_CHECK(oyi_dtype_kind[t->header.dtype] & OYI_KIND_FLOATING, TYPE_MISMATCH,
             "grad can be implicitly created only for real scalar outputs but got "
             "torch.%s",
             oy_dtype_name(t->header.dtype));
    return OY_OK;
  }
  const oyi_tensor* g = oyi_tensor_of(grad);
  if (!g) return oy_failure();
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(g)), INVALID_ARGUMENT,
           "Mismatch in shape: grad_output[%zu] has a shape of torch.Size(%s) and "
           "output[%zu] has a shape of torch.Size(%s).",
           i, oyi_dims_print(oyi_sizes_view(g)).text, i,
           oyi_dims_print(oyi_sizes_view(t)).text);
  OY_CHECK(oy_dtype_is_complex(grad->dtype) == oy_dtype_is_complex(t->header.dtype),
           TYPE_MISMATCH,
           "For complex Tensors, both grad_output and output are required to have the "
           "same dtype. Mismatch in dtype: grad_output[%zu] has a dtype of torch.%s and "
           "output[%zu] has a dtype of torch.%s.",
           i, oy_dtype_name(grad->dtype), i, oy_dtype_name(t->header.dtype));
  return OY_OK;
}

// A new reference to |grad|, fit for |t|, or to ones.
static oy_object* root_grad(oy_tensor* t, oy_tensor* grad, const oyi_edge* root) {
  if (!grad) {
    const uint8_t mode = oyi_grad_mode;
    oyi_grad_mode = OYI_GRAD_OFF;
    oy_object* ones =
        oyi_call_ones_like(t, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
    oyi_grad_mode = mode;
    return ones;
  }
  oy_object* fit = oy_tensor_retain(grad);
  if (oyi_validate(&fit, oyi_expected_at(root), NULL, 0) != 0) return NULL;
  return fit;
}

// One root: few walks have more.
typedef struct start_room {
  oyi_edge* edges;
  oy_object** grads;
  oyi_edge own_edge;
  oy_object* own_grad;
} start_room;

static oy_status make_room(start_room* room, size_t count) {
  *room = (start_room){.own_edge = {NULL, 0}};
  if (count == 0) return OY_OK;
  room->edges = count == 1 ? &room->own_edge : oyi_calloc(count, sizeof(oyi_edge));
  room->grads = count == 1 ? &room->own_grad : oyi_calloc(count, sizeof(oy_object*));
  return room->edges && room->grads ? OY_OK : OY_OUT_OF_MEMORY;
}

static void free_room(start_room* room, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (room->edges) oyi_node_release(room->edges[i].node);
    if (room->grads) oy_tensor_release(room->grads[i]);
  }
  if (room->edges != &room->own_edge) oyi_free(room->edges);
  if (room->grads != &room->own_grad) oyi_free(room->grads);
}

static oy_status fill_root(start_room* room, size_t i, oy_tensor* tensor,
                           oy_tensor* grad) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  if (grad && oy_object_is_none(grad)) grad = NULL;
  OY_CHECK(oyi_requires_grad(t), FAILED_PRECONDITION,
           "element %zu of tensors does not require grad and does not have a grad_fn", i);
  OY_TRY(check_grad(t, grad, i));
  OY_TRY(oyi_gradient_edge(t, &room->edges[i]));
  room->grads[i] = root_grad(tensor, grad, &room->edges[i]);
  return room->grads[i] ? OY_OK : oy_failure();
}

// Runs |walk| from |tensors|.
static oy_status run_from(oy_tensor* const* tensors, oy_tensor* const* grads,
                          size_t count, const oy_backward_options* options,
                          oyi_walk* walk) {
  start_room room;
  oy_status status = make_room(&room, count);
  for (size_t i = 0; status == 0 && i < count; i++)
    status = fill_root(&room, i, tensors[i], grads ? grads[i] : NULL);
  walk->roots = room.edges;
  walk->grads = room.grads;
  walk->root_count = count;
  walk->create_graph = options && options->create_graph;
  walk->keep_graph = options && (options->retain_graph || options->create_graph);
  if (status == 0) status = oyi_engine_run(walk);
  free_room(&room, count);
  walk->roots = NULL;
  walk->grads = NULL;
  return status;
}

oy_status oy_backward(oy_tensor* tensor, oy_tensor* grad, bool retain_graph) {
  oy_backward_options options = {.retain_graph = retain_graph};
  oyi_walk walk = {.capture_count = 0};
  return run_from(&tensor, &grad, 1, &options, &walk);
}

// The edge of an input: of a leaf its accumulate node.
static oy_status fill_input(start_room* room, size_t i, oy_tensor* input) {
  oyi_tensor* t = oyi_tensor_of(input);
  if (!t) return oy_failure();
  OY_CHECK(oyi_requires_grad(t), FAILED_PRECONDITION,
           "One of the differentiated Tensors does not require grad");
  return oyi_gradient_edge(t, &room->edges[i]);
}

oy_status oy_backward_all(oy_tensor* const* tensors, oy_tensor* const* grads,
                          size_t count, const oy_backward_options* options) {
  size_t n = options && options->inputs ? options->input_count : 0;
  OY_CHECK(!options || !options->inputs || n > 0, INVALID_ARGUMENT,
           "'inputs' argument to backward() cannot be empty.");
  start_room room;
  oy_status status = make_room(&room, n);
  for (size_t i = 0; status == 0 && i < n; i++)
    status = fill_input(&room, i, options->inputs[i]);
  oyi_walk walk = {.captures = room.edges, .capture_count = n};
  if (status == 0) status = run_from(tensors, grads, count, options, &walk);
  free_room(&room, n);
  return status;
}

static oy_status check_unused(const oy_backward_options* options,
                              oy_tensor* const* inputs, size_t count,
                              oy_tensor** out_grads) {
  for (size_t i = 0; i < count; i++) {
    if (out_grads[i]) continue;
    if (options && options->materialize_grads) {
      out_grads[i] = oyi_call_zeros_like(inputs[i], oy_none(), oy_none(), oy_none(),
                                         oy_none(), oy_none());
      if (!out_grads[i]) return oy_failure();
      continue;
    }
    OY_CHECK(options && options->allow_unused, FAILED_PRECONDITION,
             "One of the differentiated Tensors appears to not have been used in the "
             "graph. Set allow_unused=True if this is the desired behavior.");
  }
  return OY_OK;
}

oy_status oy_gradients(oy_tensor* const* outputs, oy_tensor* const* grads, size_t count,
                       oy_tensor* const* inputs, size_t input_count,
                       const oy_backward_options* options, oy_tensor** out_grads) {
  OY_CHECK(input_count > 0, INVALID_ARGUMENT, "grad requires non-empty inputs.");
  for (size_t i = 0; i < input_count; i++) out_grads[i] = NULL;
  start_room room;
  oy_status status = make_room(&room, input_count);
  for (size_t i = 0; status == 0 && i < input_count; i++)
    status = fill_input(&room, i, inputs[i]);
  oyi_walk walk = {
      .captures = room.edges, .capture_count = input_count, .captured = out_grads};
  if (status == 0) status = run_from(outputs, grads, count, options, &walk);
  free_room(&room, input_count);
  if (status == 0) status = check_unused(options, inputs, input_count, out_grads);
  for (size_t i = 0; status != 0 && i < input_count; i++) {
    oy_tensor_release(out_grads[i]);
    out_grads[i] = NULL;
  }
  return status;
}
