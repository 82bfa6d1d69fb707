// SPDX-License-Identifier: Apache-2.0
// Gradients of images of another size. They are linear: the gradient of the gradient is an
// image of another size once more.
#include "layers/autograd/derivatives/derivative.h"

// Behind the sizes the operators have scales, for each dimension, and before them
// align_corners where there is such a choice.
#define RESIZED(id, ...)                                                         \
  BACKWARD(id) {                                                                 \
    ARGUMENTS(id);                                                               \
    GIVE(self, oyi_call_##id##_backward(GRAD(0), output_size, INPUT_SIZES(self), \
                                        __VA_ARGS__));                           \
    return OY_OK;                                                                \
  }                                                                              \
  BACKWARD(id##_backward) {                                                      \
    ARGUMENTS(id##_backward);                                                    \
    GIVE(grad_output, oyi_call_##id(GRAD(0), output_size, __VA_ARGS__));         \
    return OY_OK;                                                                \
  }
#define OVER_1 scales
#define OVER_2 scales_h, scales_w
#define OVER_3 scales_d, scales_h, scales_w
RESIZED(upsample_nearest1d, OVER_1)
RESIZED(upsample_nearest2d, OVER_2)
RESIZED(upsample_nearest3d, OVER_3)
RESIZED(_upsample_nearest_exact1d, OVER_1)
RESIZED(_upsample_nearest_exact2d, OVER_2)
RESIZED(_upsample_nearest_exact3d, OVER_3)
RESIZED(upsample_linear1d, align_corners, OVER_1)
RESIZED(upsample_bilinear2d, align_corners, OVER_2)
RESIZED(upsample_trilinear3d, align_corners, OVER_3)
RESIZED(upsample_bicubic2d, align_corners, OVER_2)
RESIZED(_upsample_bilinear2d_aa, align_corners, OVER_2)
RESIZED(_upsample_bicubic2d_aa, align_corners, OVER_2)

// -------------------------------------------------------------------- the table

#define TABLE(id, text)            \
  DERIVATIVE(id, text "Backward0") \
  DERIVATIVE(id##_backward, text "BackwardBackward0")
TABLE(upsample_nearest1d, "UpsampleNearest1D")
TABLE(upsample_nearest2d, "UpsampleNearest2D")
TABLE(upsample_nearest3d, "UpsampleNearest3D")
TABLE(_upsample_nearest_exact1d, "UpsampleNearestExact1D")
TABLE(_upsample_nearest_exact2d, "UpsampleNearestExact2D")
TABLE(_upsample_nearest_exact3d, "UpsampleNearestExact3D")
TABLE(upsample_linear1d, "UpsampleLinear1D")
TABLE(upsample_bilinear2d, "UpsampleBilinear2D")
TABLE(upsample_trilinear3d, "UpsampleTrilinear3D")
TABLE(upsample_bicubic2d, "UpsampleBicubic2D")
TABLE(_upsample_bilinear2d_aa, "UpsampleBilinear2DAa")
TABLE(_upsample_bicubic2d_aa, "UpsampleBicubic2DAa")
