// SPDX-License-Identifier: Apache-2.0
// Images of another size, given by sizes or by factors.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"
#include "ops/rules/spatial.h"

typedef struct target {
  int64_t data[OYI_SPATIAL];
  oy_ints size;
  oy_value scales[OYI_SPATIAL];
} target;

static oy_status find_target(oy_object* input, oy_ints output_size, oy_floats factors,
                             size_t ndim, target* out) {
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t) return oy_failure();
  OY_CHECK(!output_size.data != !factors.data, INVALID_ARGUMENT,
           "Must specify exactly one of output_size and scale_factors");
  OY_CHECK(t->ndim == ndim + 2, INVALID_ARGUMENT,
           "It is expected input_size equals to %zu, but got size %u", ndim + 2, t->ndim);
  OY_CHECK((output_size.data ? output_size.size : factors.size) == ndim, INVALID_ARGUMENT,
           "expected %s to have %zu elements, got %zu",
           output_size.data ? "output_size" : "scale_factors", ndim,
           output_size.data ? output_size.size : factors.size);
  for (size_t i = 0; i < ndim; i++) {
    out->scales[i] = factors.data ? oy_float(factors.data[i]) : oy_none();
    double size = factors.data ? (double)t->sizes[i + 2] * factors.data[i] : 0;
    OY_CHECK(size < 0x1p62 && size > -0x1p62, INVALID_ARGUMENT,
             "upsample: scale_factors are too large");
    out->data[i] = factors.data ? (int64_t)size : output_size.data[i];
  }
  out->size = (oy_ints){out->data, ndim};
  return OY_OK;
}

#define S1 to.scales[0]
#define S2 to.scales[0], to.scales[1]
#define S3 to.scales[0], to.scales[1], to.scales[2]
#define VEC(id, dims, ...)                                                           \
  OYI_COMPOSITE(id##_vec) {                                                          \
    target to;                                                                       \
    if (find_target(input, output_size, scale_factors, dims, &to) != 0) return NULL; \
    return oyi_call_##id(input, to.size, __VA_ARGS__);                               \
  }
VEC(upsample_nearest1d, 1, S1)
VEC(upsample_nearest2d, 2, S2)
VEC(upsample_nearest3d, 3, S3)
VEC(_upsample_nearest_exact1d, 1, S1)
VEC(_upsample_nearest_exact2d, 2, S2)
VEC(_upsample_nearest_exact3d, 3, S3)
VEC(upsample_linear1d, 1, align_corners, S1)
VEC(upsample_bilinear2d, 2, align_corners, S2)
VEC(upsample_trilinear3d, 3, align_corners, S3)
VEC(upsample_bicubic2d, 2, align_corners, S2)
VEC(_upsample_bilinear2d_aa, 2, align_corners, S2)
VEC(_upsample_bicubic2d_aa, 2, align_corners, S2)
OYI_STORED(upsample_nearest2d_vec_out, upsample_nearest2d_vec)
OYI_STORED(upsample_bilinear2d_vec_out, upsample_bilinear2d_vec)
