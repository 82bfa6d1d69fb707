// SPDX-License-Identifier: Apache-2.0
// Gradients of joining tensors, and of splitting one: each is the other.
#include "base/memory.h"
#include "layers/autograd/derivatives/derivative.h"
#include "ops/rules/shape.h"

// ------------------------------------------------------------------------ joins

BACKWARD(cat) {
  ARGUMENTS(cat);
  // Sizes are kept of all tensors: also those without a gradient take their part.
  int64_t start = 0;
  for (size_t i = 0; i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(tensors.data[i]);
    if (!t) return oy_failure();
    // An empty vector joins tensors of any shape, and has no part.
    if (t->ndim == 1 && t->sizes[0] == 0) {
      if (WANTS_OF(tensors, i)) GIVE_TO(tensors, i, zeros_like(tensors.data[i]));
      continue;
    }
    int64_t d = oyi_dim_wrap(dim, t->ndim);
    if (d < 0) return oy_failure();
    if (WANTS_OF(tensors, i))
      GIVE_TO(tensors, i, oyi_call_narrow(GRAD(0), d, start, t->sizes[d]));
    start += t->sizes[d];
  }
  return OY_OK;
}

BACKWARD(stack) {
  ARGUMENTS(stack);
  for (size_t i = 0; i < COUNT_OF(tensors); i++)
    if (WANTS_OF(tensors, i))
      GIVE_TO(tensors, i, oyi_call_select_int(GRAD(0), dim, (int64_t)i));
  return OY_OK;
}

// ----------------------------------------------------------------------- splits

// Result |i| of a split, or zeros of its shape where there is no gradient.
static oy_object* part_or_zeros(oyi_full_node* node, oy_object* const* grads,
                                uint32_t i) {
  if (GRAD(i)) return keep(GRAD(i));
  const oyi_expectation* e = &node->head.expected[i];
  oy_device device = {.backend = e->backend, .index = e->device_index};
  return oyi_call_zeros(oyi_expected_sizes(e), oy_int(e->dtype), oy_none(),
                        oy_value_device(device), oy_none());
}

// The gradients of all results, joined along |dim|, by |join|.
static oy_object* joined(oyi_full_node* node, oy_object* const* grads, int64_t dim,
                         oy_object* (*join)(oy_tensors, int64_t)) {
  uint32_t n = node->head.output_count;
  oy_object** parts = oyi_calloc(n, sizeof(*parts));
  if (!parts) return NULL;
  bool all = true;
  for (uint32_t i = 0; i < n; i++)
    all = (parts[i] = part_or_zeros(node, grads, i)) && all;
  oy_object* result = all ? join((oy_tensors){parts, n}, dim) : NULL;
  for (uint32_t i = 0; i < n; i++) oy_tensor_release(parts[i]);
  oyi_free(parts);
  return result;
}

BACKWARD(split_Tensor) {
  ARGUMENTS(split_Tensor);
  GIVE(self, joined(node, grads, dim, oyi_call_cat));
  return OY_OK;
}
BACKWARD(split_with_sizes) {
  ARGUMENTS(split_with_sizes);
  GIVE(self, joined(node, grads, dim, oyi_call_cat));
  return OY_OK;
}
BACKWARD(unbind_int) {
  ARGUMENTS(unbind_int);
  GIVE(self, joined(node, grads, dim, oyi_call_stack));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(cat, "CatBackward0", SHAPE(cat, tensors))
DERIVATIVE(stack, "StackBackward0")
DERIVATIVE_AS(_stack, "StackBackward0", stack)
DERIVATIVE(split_Tensor, "SplitBackward0")
DERIVATIVE(split_with_sizes, "SplitWithSizesBackward0")
DERIVATIVE(unbind_int, "UnbindBackward0")
DERIVATIVE_AS(unsafe_split_Tensor, "UnsafeSplitBackward0", split_Tensor)
DERIVATIVE_AS(unsafe_split_with_sizes, "UnsafeSplitWithSizesBackward0", split_with_sizes)
DERIVATIVE_AS(split_copy_Tensor, "SplitBackward0_copy", split_Tensor)
DERIVATIVE_AS(split_with_sizes_copy, "SplitWithSizesBackward0_copy", split_with_sizes)
DERIVATIVE_AS(unbind_copy_int, "UnbindBackward0_copy", unbind_int)
