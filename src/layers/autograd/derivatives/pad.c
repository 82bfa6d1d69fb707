// SPDX-License-Identifier: Apache-2.0
// Gradients of padding. It is linear: the gradient of the gradient is padded once more.
#include "layers/autograd/derivatives/derivative.h"

#define PADDED(id)                                                              \
  BACKWARD(id) {                                                                \
    ARGUMENTS(id);                                                              \
    GIVE(self, oyi_call_##id##_backward(GRAD(0), self, padding));               \
    return OY_OK;                                                               \
  }                                                                             \
  BACKWARD(id##_backward) {                                                     \
    ARGUMENTS(id##_backward);                                                   \
    if (WANTS(grad_output)) GIVE(grad_output, oyi_call_##id(GRAD(0), padding)); \
    if (WANTS(self)) GIVE(self, zeros_like(self));                              \
    return OY_OK;                                                               \
  }
PADDED(reflection_pad1d)
PADDED(reflection_pad2d)
PADDED(reflection_pad3d)
PADDED(replication_pad1d)
PADDED(replication_pad2d)
PADDED(replication_pad3d)

// What was added is taken away: padding by the negative amounts.
BACKWARD(constant_pad_nd) {
  ARGUMENTS(constant_pad_nd);
  int64_t back[2 * OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < pad.size; i++) back[i] = -pad.data[i];
  GIVE(self, oyi_call_constant_pad_nd(GRAD(0), (oy_ints){back, pad.size}, oy_int(0)));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

#define TABLE(id, text)                            \
  DERIVATIVE(id, text "Backward0", SAVE(id, self)) \
  DERIVATIVE(id##_backward, text "BackwardBackward0", SHAPE(id##_backward, self))
DERIVATIVE(constant_pad_nd, "ConstantPadNdBackward0")
TABLE(reflection_pad1d, "ReflectionPad1D")
TABLE(reflection_pad2d, "ReflectionPad2D")
TABLE(reflection_pad3d, "ReflectionPad3D")
TABLE(replication_pad1d, "ReplicationPad1D")
TABLE(replication_pad2d, "ReplicationPad2D")
TABLE(replication_pad3d, "ReplicationPad3D")
