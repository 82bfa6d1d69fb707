// SPDX-License-Identifier: Apache-2.0
// Checkpoints are custom functions: the backward runs the function once more, this time
// recorded, and walks that graph.
#include "opyard/checkpoint.h"

#include <string.h>

#include "base/memory.h"
#include "layers/autograd/engine.h"
#include "layers/autograd/variable.h"
#include "opyard/autocast.h"
#include "opyard/autograd.h"
#include "opyard/device.h"
#include "opyard/function.h"
#include "opyard/generator.h"

typedef struct checkpoint {
  oy_function function;  // with the number of outputs
  oy_checkpoint_fn fn;
  void* data;
  void (*destroy)(void* data);
  oy_generator_state before;  // of the default generator
  oy_autocast_state autocast;
} checkpoint;

static void checkpoint_destroy(void* data) {
  checkpoint* p = data;
  if (p->destroy) p->destroy(p->data);
  oyi_free(p);
}

static oy_status forward(oy_function_context* c, oy_tensor* const* inputs, size_t count,
                         oy_tensor** outputs) {
  checkpoint* p = oy_function_data(c);
  p->autocast = oy_autocast_state_get();
  OY_TRY(oy_function_save(c, inputs, count));
  OY_TRY(oy_generator_get_state(oy_generator_default(oy_device_cpu()), &p->before));
  return p->fn(p->data, inputs, count, outputs);
}

// -------------------------------------------------------------------------- backward

// Leaves with the elements of the inputs; a gradient where the inputs had one.
static oy_status make_leaves(oy_function_context* c, oy_tensor** leaves, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const oyi_tensor* t = oyi_tensor_of(oy_function_saved(c, i));
    if (!t) return oy_failure();
    oyi_tensor* alias =
        oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset);
    if (!alias) return OY_OUT_OF_MEMORY;
    leaves[i] = oyi_tensor_object(alias);
    if (oyi_requires_grad(t) && !oy_requires_grad_(leaves[i], true)) return oy_failure();
  }
  return OY_OK;
}

static oy_status run_again(const checkpoint* p, oy_tensor* const* leaves, size_t count,
                           oy_tensor** outputs) {
  oy_generator* generator = oy_generator_default(oy_device_cpu());
  oy_generator_state now;
  OY_TRY(oy_generator_get_state(generator, &now));
  OY_TRY(oy_generator_set_state(generator, p->before));
  oy_grad_guard guard = oy_enable_grad();
  oy_autocast_guard region;
  oy_autocast_enter_state(p->autocast, &region);
  oy_status status = p->fn(p->data, leaves, count, outputs);
  oy_autocast_leave(&region);
  oy_grad_guard_end(&guard);
  oy_status restored = oy_generator_set_state(generator, now);
  return status ? status : restored;
}

// The walk from those outputs that have a gradient.
static oy_status walk(oy_tensor* const* outputs, oy_tensor* const* grads, size_t count,
                      oy_tensor** roots, oy_tensor** given) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    if (!oy_requires_grad(outputs[i])) continue;
    roots[n] = outputs[i];
    given[n++] = grads[i];
  }
  OY_CHECK(n > 0, FAILED_PRECONDITION,
           "none of output has requires_grad=True, this checkpoint() is not necessary");
  return oy_backward_all(roots, given, n, NULL);
}

static oy_status differentiate(oy_function_context* c, oy_tensor* const* grads,
                               oy_tensor** leaves, size_t inputs, oy_tensor** outputs) {
  const checkpoint* p = oy_function_data(c);
  const size_t count = p->function.outputs;
  OY_TRY(make_leaves(c, leaves, inputs));
  OY_TRY(run_again(p, leaves, inputs, outputs));
  for (size_t i = 0; i < count; i++)
    if (!oyi_tensor_of(outputs[i])) return oy_failure();
  return walk(outputs, grads, count, outputs + count, outputs + 2 * count);
}

static oy_status backward(oy_function_context* c, oy_tensor* const* grads, size_t count,
                          oy_tensor** out_grads, size_t input_count) {
  OY_CHECK(
      !oyi_walk_is_selective, FAILED_PRECONDITION,
      "Checkpointing is not compatible with .grad() or when an `inputs` parameter is "
      "passed to .backward(). Please use .backward() and do not pass its `inputs` "
      "argument.");
  oy_tensor** leaves = oyi_calloc(input_count, sizeof(*leaves));
  // What the function gives, then roots and gradients of the walk.
  oy_tensor** outputs = oyi_calloc(count, 3 * sizeof(*outputs));
  oy_status status = leaves && outputs ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == 0) status = differentiate(c, grads, leaves, input_count, outputs);
  for (size_t i = 0; leaves && i < input_count; i++) {
    if (status == 0) out_grads[i] = oy_tensor_retain(oy_grad(leaves[i]));
    oy_tensor_release(leaves[i]);
  }
  for (size_t i = 0; outputs && i < count; i++) oy_tensor_release(outputs[i]);
  oyi_free(leaves);
  oyi_free(outputs);
  return status;
}

oy_status oy_checkpoint(oy_checkpoint_fn fn, void* data, void (*destroy)(void* data),
                        oy_tensor* const* inputs, size_t count, oy_tensor** outputs,
                        size_t output_count) {
  checkpoint* p = oyi_calloc(1, sizeof(*p));
  if (!p) {
    if (destroy) destroy(data);
    return OY_OUT_OF_MEMORY;
  }
  *p = (checkpoint){.function = {.name = "CheckpointFunction",
                                 .forward = forward,
                                 .backward = backward,
                                 .destroy = checkpoint_destroy,
                                 .outputs = output_count,
                                 .once_differentiable = true},
                    .fn = fn,
                    .data = data,
                    .destroy = destroy};
  return oy_function_apply(&p->function, p, inputs, count, outputs);
}
