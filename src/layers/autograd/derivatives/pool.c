// SPDX-License-Identifier: Apache-2.0
// Gradients of pooling, by the operators that PyTorch has for them. Averages are linear, and
// a maximum is where its index says: the gradient of a gradient pools once more.
#include "layers/autograd/derivatives/derivative.h"

// ---------------------------------------------------------------------- averages

#define AVERAGE(id)                                                                     \
  BACKWARD(id) {                                                                        \
    ARGUMENTS(id);                                                                      \
    GIVE(self,                                                                          \
         oyi_call_##id##_backward(GRAD(0), self, kernel_size, stride, padding,          \
                                  ceil_mode, count_include_pad, divisor_override));     \
    return OY_OK;                                                                       \
  }                                                                                     \
  BACKWARD(id##_backward) {                                                             \
    ARGUMENTS(id##_backward);                                                           \
    if (WANTS(grad_output))                                                             \
      GIVE(grad_output, oyi_call_##id(GRAD(0), kernel_size, stride, padding, ceil_mode, \
                                      count_include_pad, divisor_override));            \
    if (WANTS(self)) GIVE(self, zeros_like(self));                                      \
    return OY_OK;                                                                       \
  }
AVERAGE(avg_pool2d)
AVERAGE(avg_pool3d)

// The output has the last |dims| sizes of grad_output.
#define ADAPTIVE_AVERAGE(id, dims)                             \
  BACKWARD(id) {                                               \
    ARGUMENTS(id);                                             \
    GIVE(self, oyi_call_##id##_backward(GRAD(0), self));       \
    return OY_OK;                                              \
  }                                                            \
  BACKWARD(id##_backward) {                                    \
    ARGUMENTS(id##_backward);                                  \
    if (WANTS(grad_output)) {                                  \
      oy_ints sizes = INPUT_SIZES(grad_output);                \
      oy_ints last = {sizes.data + sizes.size - (dims), dims}; \
      GIVE(grad_output, oyi_call_##id(GRAD(0), last));         \
    }                                                          \
    if (WANTS(self)) GIVE(self, zeros_like(self));             \
    return OY_OK;                                              \
  }
ADAPTIVE_AVERAGE(_adaptive_avg_pool2d, 2)
ADAPTIVE_AVERAGE(_adaptive_avg_pool3d, 3)

// ------------------------------------------------------------------------ maxima

// Those elements of |grad| that |indices| names, which count over the last |dims| dimensions.
static oy_object* picked(oy_object* grad, oy_object* indices, int64_t dims) {
  const oyi_tensor* t = oyi_tensor_of(indices);
  if (!t) return NULL;
  oy_object* flat = oyi_call_flatten_using_ints(grad, -dims, -1);
  oy_object* at = oyi_call_flatten_using_ints(indices, -dims, -1);
  oy_object* elements = oyi_call_gather(flat, -1, at, false);
  oy_object* result = oyi_call_view(elements, oyi_sizes_view(t));
  oy_tensor_release(flat);
  oy_tensor_release(at);
  oy_tensor_release(elements);
  return result;
}

BACKWARD(max_unpool3d) {
  ARGUMENTS(max_unpool3d);
  GIVE(self, picked(GRAD(0), indices, 3));
  return OY_OK;
}
BACKWARD(max_unpool2d) {
  ARGUMENTS(max_unpool2d);
  GIVE(self, picked(GRAD(0), indices, 2));
  return OY_OK;
}

#define MAXIMUM_TWICE(id, dims)                                                \
  BACKWARD(id##_backward) {                                                    \
    ARGUMENTS(id##_backward);                                                  \
    if (WANTS(grad_output)) GIVE(grad_output, picked(GRAD(0), indices, dims)); \
    if (WANTS(self)) GIVE(self, zeros_like(self));                             \
    return OY_OK;                                                              \
  }
#define MAXIMUM(id, dims)                                                            \
  BACKWARD(id) {                                                                     \
    ARGUMENTS(id);                                                                   \
    GIVE(self, oyi_call_##id##_backward(GRAD(0), self, kernel_size, stride, padding, \
                                        dilation, ceil_mode, RESULT(1)));            \
    return OY_OK;                                                                    \
  }                                                                                  \
  MAXIMUM_TWICE(id, dims)
#define ADAPTIVE_MAXIMUM(id, dims)                                  \
  BACKWARD(id) {                                                    \
    ARGUMENTS(id);                                                  \
    GIVE(self, oyi_call_##id##_backward(GRAD(0), self, RESULT(1))); \
    return OY_OK;                                                   \
  }                                                                 \
  MAXIMUM_TWICE(id, dims)
MAXIMUM(max_pool2d_with_indices, 2)
MAXIMUM(max_pool3d_with_indices, 3)
ADAPTIVE_MAXIMUM(adaptive_max_pool2d, 2)
ADAPTIVE_MAXIMUM(adaptive_max_pool3d, 3)

#define FRACTIONAL(id, dims)                                                       \
  BACKWARD(id) {                                                                   \
    ARGUMENTS(id);                                                                 \
    if (WANTS(self))                                                               \
      GIVE(self, oyi_call_##id##_backward(GRAD(0), self, kernel_size, output_size, \
                                          RESULT(1)));                             \
    return OY_OK;                                                                  \
  }                                                                                \
  MAXIMUM_TWICE(id, dims)
FRACTIONAL(fractional_max_pool2d, 2)
FRACTIONAL(fractional_max_pool3d, 3)

// -------------------------------------------------------------------- the table

#define POOL(id, text)                             \
  DERIVATIVE(id, text "Backward0", SAVE(id, self)) \
  DERIVATIVE(id##_backward, text "BackwardBackward0", SHAPE(id##_backward, self))
#define MAX_POOL(id, text)                                                        \
  DERIVATIVE(id, text "Backward0", SAVE(id, self), OUTPUT(1))                     \
  DERIVATIVE(id##_backward, text "BackwardBackward0", SHAPE(id##_backward, self), \
             SAVE(id##_backward, indices))
POOL(avg_pool2d, "AvgPool2D")
POOL(avg_pool3d, "AvgPool3D")
POOL(_adaptive_avg_pool2d, "AdaptiveAvgPool2D")
POOL(_adaptive_avg_pool3d, "AdaptiveAvgPool3D")
MAX_POOL(max_pool2d_with_indices, "MaxPool2DWithIndices")
MAX_POOL(max_pool3d_with_indices, "MaxPool3DWithIndices")
MAX_POOL(fractional_max_pool2d, "FractionalMaxPool2D")
MAX_POOL(fractional_max_pool3d, "FractionalMaxPool3D")
MAX_POOL(adaptive_max_pool2d, "AdaptiveMaxPool2D")
MAX_POOL(adaptive_max_pool3d, "AdaptiveMaxPool3D")
DERIVATIVE(max_unpool3d, "MaxUnpool3DBackward0", SAVE(max_unpool3d, indices))
DERIVATIVE(max_unpool2d, "MaxUnpool2DBackward0", SAVE(max_unpool2d, indices))
