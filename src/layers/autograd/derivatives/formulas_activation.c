// SPDX-License-Identifier: Apache-2.0
// Gradients of activations, by the operators that PyTorch has for them.
#include "layers/autograd/derivatives/formula_help.h"

#define X      oyi_node_saved(node, 0)
#define NUMBER node->extra.scalar
#define RULE(name, value)                                                         \
  static oy_status name(oyi_short_node* node, oy_object* grad, oy_object** out) { \
    GIVE(0, value);                                                               \
    return OY_OK;                                                                 \
  }
static oy_str approximation(const oyi_short_node* node) {
  return oy_str_of(node->extra.flag ? "tanh" : "none");
}

RULE(relu_y,
     oyi_call_threshold_backward(grad, oyi_node_saved(node, OYI_SAVE_RESULT), oy_int(0)))
RULE(threshold_x, oyi_call_threshold_backward(grad, X, NUMBER))
RULE(leaky_relu_x, oyi_call_leaky_relu_backward(grad, X, NUMBER, false))
RULE(gelu_x, oyi_call_gelu_backward(grad, X, approximation(node)))
RULE(silu_x, oyi_call_silu_backward(grad, X))
RULE(mish_x, oyi_call_mish_backward(grad, X))
RULE(hardsigmoid_x, oyi_call_hardsigmoid_backward(grad, X))
RULE(hardswish_x, oyi_call_hardswish_backward(grad, X))
RULE(hardshrink_x, oyi_call_hardshrink_backward(grad, X, NUMBER))
RULE(softshrink_x, oyi_call_softshrink_backward(grad, X, NUMBER))

#define INPUT(id, text, fn)       \
  FORMULA(id, text, fn, 1, EDGE0) \
  FORMULA(id##_, text, fn, 1, EDGE0)
FORMULA(relu, "ReluBackward0", relu_y, 1, 0, 0, EDGE0)
FORMULA(relu_, "ReluBackward0", relu_y, 1, 0, 0, EDGE0)
INPUT(threshold, "ThresholdBackward0", threshold_x)
FORMULA(leaky_relu, "LeakyReluBackward0", leaky_relu_x, 1, EDGE0)
INPUT(gelu, "GeluBackward0", gelu_x)
INPUT(silu, "SiluBackward0", silu_x)
INPUT(mish, "MishBackward0", mish_x)
INPUT(hardsigmoid, "HardsigmoidBackward0", hardsigmoid_x)
INPUT(hardswish, "HardswishBackward0", hardswish_x)
FORMULA(hardshrink, "HardshrinkBackward0", hardshrink_x, 1, EDGE0)
FORMULA(softshrink, "SoftshrinkBackward0", softshrink_x, 1, EDGE0)
