// SPDX-License-Identifier: Apache-2.0
// oy_jvp_of: the gradient of a function is linear in the cotangent u that it is multiplied
// by, J^H u, so its own gradient by u, multiplied by the tangent, is J t. Two grad layers: the
// inner one records the function, the outer one the walk back through it.
#include "base/memory.h"
#include "layers/vmap/grad_layer.h"
#include "ops/calls.h"
#include "opyard/autograd.h"

typedef struct jvp_call {
  const oy_grad_params* params;
  oy_tensor* const* inputs;
  size_t count;
  oy_tensor* const* tangents;
  size_t leaf_count;
  oy_tensor** outputs;
  oy_tensor** out_tangents;
  size_t output_count;
  oy_tensor** wrapped;  // the function's inputs
  oy_tensor** leaves;   // among them; borrowed
  oy_tensor** u;        // one for each output: the inner layer's wrapper of ...
  oy_tensor** u_below;  // ... the outer layer's leaf; borrowed
  oy_tensor** roots;    // outputs with a history, then gradients; borrowed
  oy_tensor** by;       // what these are multiplied by; borrowed
  oy_tensor** grads;
  uint64_t outer, inner;
} jvp_call;

static int64_t argnum(const jvp_call* c, size_t i) {
  if (!c->params->argnums.data) return 0;
  int64_t n = c->params->argnums.data[i];
  return n < 0 ? n + (int64_t)c->count : n;
}

static oy_status check_tangent(const jvp_call* c, size_t i) {
  const int64_t n = argnum(c, i);
  OY_CHECK(n >= 0 && n < (int64_t)c->count, INVALID_ARGUMENT,
           "Got argnum=%lld, but only %zu positional inputs",
           (long long)(c->params->argnums.data ? c->params->argnums.data[i] : 0),
           c->count);
  const oyi_tensor* input = oyi_tensor_of(c->inputs[n]);
  const oyi_tensor* tangent = input ? oyi_tensor_of(c->tangents[i]) : NULL;
  if (!tangent) return oy_failure();
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(input), oyi_sizes_view(tangent)),
           INVALID_ARGUMENT,
           "jvp: expected tangent %zu of the sizes of its input, %s, got %s", i,
           oyi_dims_print(oyi_sizes_view(input)).text,
           oyi_dims_print(oyi_sizes_view(tangent)).text);
  for (size_t k = 0; k < i; k++)
    OY_CHECK(argnum(c, k) != n, INVALID_ARGUMENT,
             "argnums elements must be unique, got %s",
             oyi_dims_print(c->params->argnums).text);
  return OY_OK;
}

static oy_status check_arguments(const jvp_call* c) {
  OY_CHECK(c->params->fn, INVALID_ARGUMENT, "jvp: expected a function, got NULL");
  OY_CHECK(c->tangents, INVALID_ARGUMENT, "jvp: expected tangents, got NULL");
  for (size_t i = 0; i < c->leaf_count; i++) OY_TRY(check_tangent(c, i));
  return OY_OK;
}

// ------------------------------------------------------------------ the inner layer

static oy_status wrap_inputs(const jvp_call* c) {
  for (size_t i = 0; i < c->count; i++) {
    oy_object* input = oy_tensor_retain(c->inputs[i]);
    c->wrapped[i] =
        oyi_is_tensor(input) ? oyi_grad_wrapped_new(input, oyi_layers, false) : input;
    if (!c->wrapped[i] && c->inputs[i]) return oy_failure();
  }
  for (size_t i = 0; i < c->leaf_count; i++) {
    c->leaves[i] = c->wrapped[argnum(c, i)];
    if (!oy_requires_grad_(c->leaves[i], true)) return oy_failure();
  }
  return OY_OK;
}

static oy_status check_output(const oy_object* output) {
  if (!oyi_tensor_of(output)) return oy_failure();
  OY_CHECK(oy_dtype_is_floating(output->dtype) || oy_dtype_is_complex(output->dtype),
           INVALID_ARGUMENT,
           "jvp(f, primals, tangents): expected f to return floating-point or complex "
           "tensors, got one of torch.%s",
           oy_dtype_name(output->dtype));
  return OY_OK;
}

// Zeros, a leaf of the outer layer.
static oy_status make_cotangents(const jvp_call* c) {
  for (size_t i = 0; i < c->output_count; i++) {
    OY_TRY(check_output(c->outputs[i]));
    c->u[i] = oyi_call_zeros_like(c->outputs[i], oy_none(), oy_none(), oy_none(),
                                  oy_none(), oy_none());
    const oyi_wrapper* w = c->u[i] ? oyi_wrapper_of(c->u[i]) : NULL;
    if (!w) return oy_failure();
    c->u_below[i] = w->value;
    if (!oy_requires_grad_(w->value, true)) return oy_failure();
  }
  return OY_OK;
}

static const oy_backward_options g_walk = {.allow_unused = true,
                                           .materialize_grads = true};

static oy_status walk_back(const jvp_call* c) {
  size_t n = 0;
  for (size_t i = 0; i < c->output_count; i++) {
    if (!oy_requires_grad(c->outputs[i])) continue;
    c->by[n] = c->u[i];
    c->roots[n++] = c->outputs[i];
  }
  if (n == 0) return OY_OK;
  return oy_gradients(c->roots, c->by, n, c->leaves, c->leaf_count, &g_walk, c->grads);
}

static oy_status run_inner(const jvp_call* c) {
  OY_TRY(wrap_inputs(c));
  OY_TRY(
      c->params->fn(c->params->data, c->wrapped, c->count, c->outputs, c->output_count));
  OY_TRY(make_cotangents(c));
  return walk_back(c);
}

static void unwrap_all(oy_object** tensors, size_t count, uint64_t layer) {
  for (size_t i = 0; i < count; i++) {
    if (!tensors[i]) continue;
    oy_object* inner = oyi_grad_unwrapped(tensors[i], layer);
    oy_tensor_release(tensors[i]);
    tensors[i] = inner;
  }
}

static oyi_layer* push_layer(uint64_t* out_id) {
  oyi_layer* layer = oyi_layer_push(&oyi_grad_class);
  if (!layer) return NULL;
  *out_id = layer->id;
  layer->grad_mode = oy_grad_mode_get();
  return layer;
}

// ------------------------------------------------------------------ the outer layer

// By what did not change, nothing changes.
static oy_status no_tangents(const jvp_call* c) {
  for (size_t i = 0; i < c->output_count; i++) {
    c->out_tangents[i] = oyi_call_zeros_like(c->outputs[i], oy_none(), oy_none(),
                                             oy_none(), oy_none(), oy_none());
    if (!c->out_tangents[i]) return oy_failure();
  }
  return OY_OK;
}

static oy_status walk_forward(const jvp_call* c) {
  size_t n = 0;
  for (size_t i = 0; i < c->leaf_count; i++) {
    if (!c->grads[i] || !oy_requires_grad(c->grads[i])) continue;
    c->by[n] = c->tangents[i];
    c->roots[n++] = c->grads[i];
  }
  if (n == 0) return no_tangents(c);
  return oy_gradients(c->roots, c->by, n, c->u_below, c->output_count, &g_walk,
                      c->out_tangents);
}

static oy_status run_outer(jvp_call* c) {
  if (!push_layer(&c->inner)) return oy_failure();
  oy_status status = run_inner(c);
  // Also what the function left open.
  while (oyi_layer_is_live(c->inner)) oyi_layer_pop();
  unwrap_all(c->outputs, c->output_count, c->inner);
  unwrap_all(c->grads, c->leaf_count, c->inner);
  return status == OY_OK ? walk_forward(c) : status;
}

static oy_status run(jvp_call* c) {
  if (!push_layer(&c->outer)) return oy_failure();
  oy_grad_guard guard = oy_enable_grad();
  oy_status status = run_outer(c);
  oy_grad_guard_end(&guard);
  while (oyi_layer_is_live(c->outer)) oyi_layer_pop();
  unwrap_all(c->outputs, c->output_count, c->outer);
  unwrap_all(c->out_tangents, c->output_count, c->outer);
  return status;
}

// -------------------------------------------------------------------------- its memory

static void release_all(oy_object** tensors, size_t count) {
  for (size_t i = 0; tensors && i < count; i++) {
    oy_tensor_release(tensors[i]);
    tensors[i] = NULL;
  }
}

static oy_status with_room(jvp_call* c) {
  const size_t most = c->leaf_count > c->output_count ? c->leaf_count : c->output_count;
  oy_object** room = oyi_calloc(
      c->count + 2 * c->leaf_count + 2 * c->output_count + 2 * most, sizeof(*room));
  if (!room) return OY_OUT_OF_MEMORY;
  c->wrapped = room;
  c->leaves = c->wrapped + c->count;
  c->grads = c->leaves + c->leaf_count;
  c->u = c->grads + c->leaf_count;
  c->u_below = c->u + c->output_count;
  c->roots = c->u_below + c->output_count;
  c->by = c->roots + most;
  uint64_t before = oy_call_enter();
  oy_status status = run(c);
  oy_call_leave(before);
  release_all(c->wrapped, c->count);
  release_all(c->grads, c->leaf_count);
  release_all(c->u, c->output_count);
  oyi_free(room);
  return status;
}

// Names the operator as forward mode does.
static oy_status unsupported(oy_status status) {
  static const char begin[] = "derivative for ", end[] = " is not implemented";
  const char* message = oy_error_get()->message;
  const char* stop = strstr(message, end);
  if (strncmp(message, begin, sizeof(begin) - 1) != 0 || !stop) return status;
  char name[128];
  const char* start = message + sizeof(begin) - 1;
  size_t size = (size_t)(stop - start);
  if (size >= sizeof(name)) return status;
  memcpy(name, start, size);
  name[size] = '\0';
  return OY_FAIL(NOT_IMPLEMENTED,
                 "Trying to use forward AD with %s that does not support it because it "
                 "has not been implemented yet.",
                 name);
}

oy_status oy_jvp_of(const oy_grad_params* params, oy_tensor* const* inputs, size_t count,
                    oy_tensor* const* tangents, oy_tensor** outputs, size_t output_count,
                    oy_tensor** out_tangents) {
  jvp_call c = {.params = params,
                .inputs = inputs,
                .count = count,
                .tangents = tangents,
                .leaf_count = params->argnums.data ? params->argnums.size : 1,
                .outputs = outputs,
                .out_tangents = out_tangents,
                .output_count = output_count};
  for (size_t i = 0; i < output_count; i++) outputs[i] = out_tangents[i] = NULL;
  OY_TRY(check_arguments(&c));
  oy_status status = with_room(&c);
  if (status == OY_OK) return OY_OK;
  release_all(outputs, output_count);
  release_all(out_tangents, output_count);
  return unsupported(status);
}
