// SPDX-License-Identifier: Apache-2.0
// Jacobians: rows by walks back, columns by oy_jvp_of, each mapped over unit tensors.
#include "base/memory.h"
#include "layers/vmap/grad_layer.h"
#include "ops/calls.h"
#include "opyard/autograd.h"

typedef struct jacobian {
  const oy_grad_params* params;
  oy_tensor* const* inputs;
  size_t count;
  size_t leaf_count;
  size_t output_count;
  oy_tensor** out;      // output_count * leaf_count
  oy_tensor** leaves;   // borrowed
  oy_tensor** outputs;  // rows: of the function
  oy_tensor* output;    // rows: the one that is looked at; borrowed
} jacobian;

static size_t leaf_count_of(const oy_grad_params* params) {
  return params->argnums.data ? params->argnums.size : 1;
}

static oy_object* leaf_at(const jacobian* j, oy_object* const* inputs, size_t i) {
  int64_t n = j->params->argnums.data ? j->params->argnums.data[i] : 0;
  n = n < 0 ? n + (int64_t)j->count : n;
  if (n >= 0 && n < (int64_t)j->count) return inputs[n];
  OY_FAIL(INVALID_ARGUMENT, "Got argnum=%lld, but only %zu positional inputs",
          (long long)n, j->count);
  return NULL;
}

static void release_all(oy_object** tensors, size_t count) {
  for (size_t i = 0; tensors && i < count; i++) {
    oy_tensor_release(tensors[i]);
    tensors[i] = NULL;
  }
}

// Columns |from| to |from| + numel of the unit matrix of |size| rows, each with the sizes of
// |like|.
static oy_object* units(const oyi_tensor* like, int64_t size, int64_t from) {
  int64_t sizes[OY_TENSOR_MAX_DIMS + 1] = {size};
  for (size_t i = 0; i < like->ndim; i++) sizes[i + 1] = like->sizes[i];
  oy_object* eye = oyi_call_eye(size, oy_int(like->header.dtype), oy_none(),
                                oy_value_device(oyi_tensor_device(like)), oy_none());
  oy_object* part =
      eye ? oyi_call_slice_Tensor(eye, 1, oy_int(from), oy_int(from + like->numel), 1)
          : NULL;
  oy_object* result =
      part ? oyi_call_reshape(part, (oy_ints){sizes, like->ndim + 1u}) : NULL;
  oy_tensor_release(eye);
  oy_tensor_release(part);
  return result;
}

// |all|, which is taken over, with the sizes of |a| followed by those of |b|.
static oy_object* in_shape(oy_object* all, const oyi_tensor* a, const oyi_tensor* b) {
  int64_t sizes[2 * OY_TENSOR_MAX_DIMS];
  size_t n = 0;
  for (size_t i = 0; i < a->ndim; i++) sizes[n++] = a->sizes[i];
  for (size_t i = 0; i < b->ndim; i++) sizes[n++] = b->sizes[i];
  oy_object* result = oyi_call_reshape(all, (oy_ints){sizes, n});
  oy_tensor_release(all);
  return result;
}

// ---------------------------------------------------------------------------- rows

// One walk back from the output, for one unit tensor.
static oy_status walk_back(void* data, oy_tensor* const* in, size_t count,
                           oy_tensor** out, size_t outputs) {
  (void)count, (void)outputs;
  const jacobian* j = data;
  const oy_backward_options options = {
      .allow_unused = true, .materialize_grads = true, .retain_graph = true};
  return oy_gradients(&j->output, in, 1, j->leaves, j->leaf_count, &options, out);
}

static oy_status no_rows(const jacobian* j, oy_object** out) {
  const oyi_tensor* o = oyi_tensor_cast(j->output);
  for (size_t i = 0; i < j->leaf_count; i++) {
    const oyi_tensor* leaf = oyi_tensor_cast(j->leaves[i]);
    const int64_t size[] = {o->numel * leaf->numel};
    oy_object* none = oyi_call_new_zeros(j->leaves[i], (oy_ints){size, 1}, oy_none(),
                                         oy_none(), oy_none(), oy_none());
    out[i] = none ? in_shape(none, o, leaf) : NULL;
    if (!out[i]) return oy_failure();
  }
  return OY_OK;
}

static oy_status rows_of_output(jacobian* j, size_t at) {
  oy_object** out = j->out + at * j->leaf_count;
  j->output = j->outputs[at];
  const oyi_tensor* o = oyi_tensor_of(j->output);
  if (!o) return oy_failure();
  OY_CHECK(
      oy_dtype_is_floating(j->output->dtype) || oy_dtype_is_complex(j->output->dtype),
      INVALID_ARGUMENT,
      "jacrev: Expected all outputs to be floating-point or complex tensors, got "
      "torch.%s",
      oy_dtype_name(j->output->dtype));
  if (!oy_requires_grad(j->output) || o->numel == 0) return no_rows(j, out);
  oy_object* basis = units(o, o->numel, 0);
  if (!basis) return oy_failure();
  const oy_vmap_params v = {.fn = walk_back, .data = j, .name = "jacrev"};
  oy_status status = oy_vmap(&v, &basis, 1, out, j->leaf_count);
  oy_tensor_release(basis);
  for (size_t i = 0; i < j->leaf_count && status == OY_OK; i++) {
    out[i] = in_shape(out[i], o, oyi_tensor_cast(j->leaves[i]));
    if (!out[i]) status = oy_failure();
  }
  return status;
}

static oy_status rows_in_layer(jacobian* j, oy_object** wrapped) {
  for (size_t i = 0; i < j->count; i++) {
    oy_object* input = oy_tensor_retain(j->inputs[i]);
    wrapped[i] =
        oyi_is_tensor(input) ? oyi_grad_wrapped_new(input, oyi_layers, false) : input;
    if (!wrapped[i] && j->inputs[i]) return oy_failure();
  }
  for (size_t i = 0; i < j->leaf_count; i++) {
    j->leaves[i] = leaf_at(j, wrapped, i);
    if (!j->leaves[i] || !oy_requires_grad_(j->leaves[i], true)) return oy_failure();
  }
  OY_TRY(j->params->fn(j->params->data, wrapped, j->count, j->outputs, j->output_count));
  for (size_t i = 0; i < j->output_count; i++) OY_TRY(rows_of_output(j, i));
  return OY_OK;
}

static oy_status rows(jacobian* j, oy_object** wrapped) {
  oyi_layer* layer = oyi_layer_push(&oyi_grad_class);
  if (!layer) return oy_failure();
  const uint64_t id = layer->id;
  layer->grad_mode = oy_grad_mode_get();
  oy_grad_guard guard = oy_enable_grad();
  oy_status status = rows_in_layer(j, wrapped);
  oy_grad_guard_end(&guard);
  // Also what the function left open.
  while (oyi_layer_is_live(id)) oyi_layer_pop();
  for (size_t i = 0; i < j->output_count * j->leaf_count; i++) {
    if (!j->out[i]) continue;
    oy_object* inner = oyi_grad_unwrapped(j->out[i], id);
    oy_tensor_release(j->out[i]);
    j->out[i] = inner;
  }
  return status;
}

oy_status oy_jacrev_of(const oy_grad_params* params, oy_tensor* const* inputs,
                       size_t count, size_t output_count, oy_tensor** out_jacobians) {
  jacobian j = {.params = params,
                .inputs = inputs,
                .count = count,
                .leaf_count = leaf_count_of(params),
                .output_count = output_count,
                .out = out_jacobians};
  for (size_t i = 0; i < output_count * j.leaf_count; i++) out_jacobians[i] = NULL;
  OY_CHECK(params->fn, INVALID_ARGUMENT, "jacrev: expected a function, got NULL");
  oy_object** room = oyi_calloc(count + j.leaf_count + output_count, sizeof(*room));
  if (!room) return OY_OUT_OF_MEMORY;
  j.leaves = room + count;
  j.outputs = j.leaves + j.leaf_count;
  uint64_t before = oy_call_enter();
  oy_status status = rows(&j, room);
  oy_call_leave(before);
  release_all(room, count);
  release_all(j.outputs, output_count);
  oyi_free(room);
  if (status != OY_OK) release_all(out_jacobians, output_count * j.leaf_count);
  return status;
}

// ------------------------------------------------------------------------- columns

// The inputs are those of the function's tangents.
static oy_status push_forward(void* data, oy_tensor* const* in, size_t count,
                              oy_tensor** out, size_t outputs) {
  (void)count;
  const jacobian* j = data;
  oy_object** values = oyi_calloc(outputs, sizeof(*values));
  if (!values) return OY_OUT_OF_MEMORY;
  oy_status status = oy_jvp_of(j->params, j->inputs, j->count, in, values, outputs, out);
  release_all(values, outputs);
  oyi_free(values);
  return status;
}

// Column by column, in the last dimension of |all|, which is taken over; cut by inputs.
static oy_status cut_columns(jacobian* j, oy_object* all, size_t at) {
  oyi_tensor o = *oyi_tensor_cast(all);  // its sizes, but for the last
  o.ndim--;
  oy_status status = OY_OK;
  int64_t from = 0;
  for (size_t i = 0; i < j->leaf_count && status == OY_OK; i++) {
    const oyi_tensor* leaf = oyi_tensor_cast(j->leaves[i]);
    oy_object* part =
        oyi_call_slice_Tensor(all, -1, oy_int(from), oy_int(from + leaf->numel), 1);
    j->out[at * j->leaf_count + i] = part ? in_shape(part, &o, leaf) : NULL;
    if (!j->out[at * j->leaf_count + i]) status = oy_failure();
    from += leaf->numel;
  }
  oy_tensor_release(all);
  return status;
}

static oy_status columns(jacobian* j, oy_object** basis, oy_object** all) {
  int64_t total = 0, from = 0;
  for (size_t i = 0; i < j->leaf_count; i++) {
    j->leaves[i] = leaf_at(j, j->inputs, i);
    const oyi_tensor* t = oyi_tensor_of(j->leaves[i]);
    if (!t) return oy_failure();
    total += t->numel;
  }
  for (size_t i = 0; i < j->leaf_count; i++) {
    const oyi_tensor* t = oyi_tensor_cast(j->leaves[i]);
    if (!(basis[i] = units(t, total, from))) return oy_failure();
    from += t->numel;
  }
  const oy_vmap_params v = {
      .fn = push_forward, .data = j, .name = "jacfwd", .out_dims = OY_DIMS(-1)};
  OY_TRY(oy_vmap(&v, basis, j->leaf_count, all, j->output_count));
  for (size_t i = 0; i < j->output_count; i++) {
    oy_object* one = all[i];
    all[i] = NULL;
    OY_TRY(cut_columns(j, one, i));
  }
  return OY_OK;
}

oy_status oy_jacfwd_of(const oy_grad_params* params, oy_tensor* const* inputs,
                       size_t count, size_t output_count, oy_tensor** out_jacobians) {
  jacobian j = {.params = params,
                .inputs = inputs,
                .count = count,
                .leaf_count = leaf_count_of(params),
                .output_count = output_count,
                .out = out_jacobians};
  for (size_t i = 0; i < output_count * j.leaf_count; i++) out_jacobians[i] = NULL;
  OY_CHECK(params->fn, INVALID_ARGUMENT, "jacfwd: expected a function, got NULL");
  oy_object** room = oyi_calloc(2 * j.leaf_count + output_count, sizeof(*room));
  if (!room) return OY_OUT_OF_MEMORY;
  j.leaves = room;
  oy_object **basis = room + j.leaf_count, **all = basis + j.leaf_count;
  uint64_t before = oy_call_enter();
  oy_status status = columns(&j, basis, all);
  oy_call_leave(before);
  release_all(basis, j.leaf_count);
  release_all(all, output_count);
  oyi_free(room);
  if (status != OY_OK) release_all(out_jacobians, output_count * j.leaf_count);
  return status;
}

// ------------------------------------------------------------------------- Hessians

static oy_status rows_of(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                         size_t outputs) {
  (void)outputs;
  return oy_jacrev_of(data, in, count, 1, out);
}

oy_status oy_hessian_of(const oy_grad_params* params, oy_tensor* const* inputs,
                        size_t count, oy_tensor** out_hessians) {
  oy_grad_params inner = *params;
  const size_t n = leaf_count_of(params);
  for (size_t i = 0; i < n * n; i++) out_hessians[i] = NULL;
  OY_CHECK(params->fn, INVALID_ARGUMENT, "hessian: expected a function, got NULL");
  const oy_grad_params outer = {
      .fn = rows_of, .data = &inner, .argnums = params->argnums};
  return oy_jacfwd_of(&outer, inputs, count, n, out_hessians);
}
