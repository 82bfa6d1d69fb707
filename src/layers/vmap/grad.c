// SPDX-License-Identifier: Apache-2.0
// oy_grad_of and oy_vjp_of: the function runs in a grad layer with wrappers of its inputs,
// and autograd walks back from what it gave.
#include "base/memory.h"
#include "layers/vmap/grad_layer.h"
#include "ops/calls.h"
#include "opyard/autograd.h"

// One call. |leaves| are the inputs that it differentiates by.
typedef struct grad_call {
  const oy_grad_params* params;
  oy_tensor* const* inputs;
  size_t count;
  oy_tensor* const* cotangents;  // NULL: one output, a scalar
  oy_tensor** outputs;
  size_t output_count;
  oy_tensor** wrapped;  // the function's inputs
  oy_tensor** leaves;   // among them; borrowed
  size_t leaf_count;
  oy_tensor** roots;  // outputs that have a history; borrowed
  oy_tensor** root_cotangents;
  oy_tensor** grads;
  uint64_t layer;
} grad_call;

static int64_t argnum(const grad_call* c, size_t i) {
  if (!c->params->argnums.data) return 0;
  int64_t n = c->params->argnums.data[i];
  return n < 0 ? n + (int64_t)c->count : n;
}

static oy_status check_arguments(const grad_call* c) {
  OY_CHECK(c->params->fn, INVALID_ARGUMENT, "grad: expected a function, got NULL");
  for (size_t i = 0; i < c->leaf_count; i++) {
    int64_t n = argnum(c, i);
    OY_CHECK(n >= 0 && n < (int64_t)c->count, INVALID_ARGUMENT,
             "Got argnum=%lld, but only %zu positional inputs",
             (long long)(c->params->argnums.data ? c->params->argnums.data[i] : 0),
             c->count);
    if (!oyi_tensor_of(c->inputs[n])) return oy_failure();
    for (size_t k = 0; k < i; k++)
      OY_CHECK(argnum(c, k) != n, INVALID_ARGUMENT,
               "argnums elements must be unique, got %s",
               oyi_dims_print(c->params->argnums).text);
  }
  return OY_OK;
}

// ------------------------------------------------------------------------ the run

static oy_status wrap_inputs(const grad_call* c) {
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

static oy_status check_of_vjp(const grad_call* c) {
  for (size_t i = 0; i < c->output_count; i++) {
    if (!oyi_tensor_of(c->outputs[i])) return oy_failure();
    const oy_dtype dtype = c->outputs[i]->dtype;
    OY_CHECK(
        oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype), INVALID_ARGUMENT,
        "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
        "Tensor with dtype torch.%s",
        oy_dtype_name(dtype));
  }
  return OY_OK;
}

static oy_status check_outputs(const grad_call* c) {
  if (c->cotangents) return check_of_vjp(c);
  const oy_object* output = c->outputs[0];
  if (!output) return oy_failure();
  OY_CHECK(oyi_is_tensor(output), INVALID_ARGUMENT,
           "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got %s",
           oy_object_is_none(output) ? "NoneType" : output->klass->name);
  int64_t ndim = oyi_tensor_cast(c->outputs[0])->ndim;
  OY_CHECK(
      ndim == 0, INVALID_ARGUMENT,
      "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got "
      "tensor with %lld dims. Maybe you wanted to use the vjp or jacrev APIs instead?",
      (long long)ndim);
  return OY_OK;
}

// No output has a history: nothing plays a part.
static oy_status zeros(const grad_call* c) {
  for (size_t i = 0; i < c->leaf_count; i++) {
    c->grads[i] = oyi_call_zeros_like(c->leaves[i], oy_none(), oy_none(), oy_none(),
                                      oy_none(), oy_none());
    if (!c->grads[i]) return oy_failure();
  }
  return OY_OK;
}

// The walk is not recorded: nobody can ask for it once the layer is gone. What it calls
// below is, by the grad mode that these layers have.
static oy_status walk(const grad_call* c) {
  size_t n = 0;
  for (size_t i = 0; i < c->output_count; i++) {
    if (!oy_requires_grad(c->outputs[i])) continue;
    if (c->cotangents) c->root_cotangents[n] = c->cotangents[i];
    c->roots[n++] = c->outputs[i];
  }
  if (n == 0) return zeros(c);
  const oy_backward_options options = {.allow_unused = true, .materialize_grads = true};
  return oy_gradients(c->roots, c->root_cotangents, n, c->leaves, c->leaf_count, &options,
                      c->grads);
}

static oy_status run_in_layer(grad_call* c) {
  OY_TRY(wrap_inputs(c));
  OY_TRY(
      c->params->fn(c->params->data, c->wrapped, c->count, c->outputs, c->output_count));
  OY_TRY(check_outputs(c));
  return walk(c);
}

static void unwrap_all(oy_object** tensors, size_t count, uint64_t layer) {
  for (size_t i = 0; i < count; i++) {
    if (!tensors[i]) continue;
    oy_object* inner = oyi_grad_unwrapped(tensors[i], layer);
    oy_tensor_release(tensors[i]);
    tensors[i] = inner;
  }
}

static oy_status run(grad_call* c) {
  oyi_layer* layer = oyi_layer_push(&oyi_grad_class);
  if (!layer) return oy_failure();
  const uint64_t id = layer->id;
  layer->grad_mode = oy_grad_mode_get();
  oy_grad_guard guard = oy_enable_grad();
  oy_status status = run_in_layer(c);
  oy_grad_guard_end(&guard);
  // Also what the function left open.
  while (oyi_layer_is_live(id)) oyi_layer_pop();
  unwrap_all(c->outputs, c->output_count, id);
  unwrap_all(c->grads, c->leaf_count, id);
  return status;
}

// ------------------------------------------------------------------------ its memory

static void release_all(oy_object** tensors, size_t count) {
  for (size_t i = 0; tensors && i < count; i++) {
    oy_tensor_release(tensors[i]);
    tensors[i] = NULL;
  }
}

static oy_status with_room(grad_call* c) {
  size_t words = c->count + c->leaf_count + 2 * c->output_count;
  oy_object** room = oyi_calloc(words, sizeof(*room));
  if (!room) return OY_OUT_OF_MEMORY;
  c->wrapped = room;
  c->leaves = room + c->count;
  c->roots = c->leaves + c->leaf_count;
  c->root_cotangents = c->roots + c->output_count;
  uint64_t before = oy_call_enter();
  oy_status status = run(c);
  oy_call_leave(before);
  release_all(c->wrapped, c->count);
  oyi_free(room);
  return status;
}

static oy_status differentiate(grad_call* c) {
  const oy_ints argnums = c->params->argnums;
  c->leaf_count = argnums.data ? argnums.size : 1;
  for (size_t i = 0; i < c->output_count; i++) c->outputs[i] = NULL;
  for (size_t i = 0; i < c->leaf_count; i++) c->grads[i] = NULL;
  OY_TRY(check_arguments(c));
  oy_status status = with_room(c);
  if (status == OY_OK) return OY_OK;
  release_all(c->outputs, c->output_count);
  release_all(c->grads, c->leaf_count);
  return status;
}

oy_status oy_grad_of(const oy_grad_params* params, oy_tensor* const* inputs, size_t count,
                     oy_tensor** out_value, oy_tensor** out_grads) {
  oy_tensor* value = NULL;
  grad_call c = {.params = params,
                 .inputs = inputs,
                 .count = count,
                 .outputs = &value,
                 .output_count = 1,
                 .grads = out_grads};
  oy_status status = differentiate(&c);
  if (out_value)
    *out_value = value;
  else
    oy_tensor_release(value);
  return status;
}

oy_status oy_vjp_of(const oy_grad_params* params, oy_tensor* const* inputs, size_t count,
                    oy_tensor* const* cotangents, oy_tensor** outputs,
                    size_t output_count, oy_tensor** out_grads) {
  grad_call c = {.params = params,
                 .inputs = inputs,
                 .count = count,
                 .cotangents = cotangents,
                 .outputs = outputs,
                 .output_count = output_count,
                 .grads = out_grads};
  OY_CHECK(cotangents, INVALID_ARGUMENT, "vjp: expected cotangents, got NULL");
  return differentiate(&c);
}
