// SPDX-License-Identifier: Apache-2.0
// What else than tensors a call leaves for its formula (record.h). Most leave nothing,
// and have no line here: OYI_FRAME(id) is what follows "FRAME," in the line of the
// operator, or nothing.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_FRAMES_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_FRAMES_H_

#define OYI_FRAME_REST(first, ...) __VA_ARGS__
#define OYI_FRAME_OF(...)          OYI_FRAME_REST(__VA_ARGS__)
#define OYI_FRAME(id)              OYI_FRAME_OF(OYI_FRAME_##id)
#define OYI_IS_TANH(name)          FRAME, .extra.flag = oy_str_equal(name, oy_str_of("tanh"))

#define OYI_FRAME_add_Tensor       FRAME, .extra.scalar = alpha
#define OYI_FRAME_add__Tensor      FRAME, .extra.scalar = alpha
#define OYI_FRAME_sub_Tensor       FRAME, .extra.scalar = alpha
#define OYI_FRAME_sub__Tensor      FRAME, .extra.scalar = alpha
#define OYI_FRAME_mul_Scalar       FRAME, .extra.scalar = other
#define OYI_FRAME_mul__Scalar      FRAME, .extra.scalar = other
#define OYI_FRAME_div_Scalar       FRAME, .extra.scalar = other
#define OYI_FRAME_div__Scalar      FRAME, .extra.scalar = other
#define OYI_FRAME_rsub_Tensor      FRAME, .extra.scalar = alpha
#define OYI_FRAME_rsub_Scalar      FRAME, .extra.scalar = alpha
#define OYI_FRAME_div_Tensor_mode  FRAME, .extra.flag = rounding_mode.tag != OY_TAG_NONE
#define OYI_FRAME_div__Tensor_mode FRAME, .extra.flag = rounding_mode.tag != OY_TAG_NONE
#define OYI_FRAME_div_Scalar_mode \
  FRAME, .extra.scalar = other, .extra.flag = rounding_mode.tag != OY_TAG_NONE
#define OYI_FRAME_div__Scalar_mode \
  FRAME, .extra.scalar = other, .extra.flag = rounding_mode.tag != OY_TAG_NONE
#define OYI_FRAME_pow_Tensor_Scalar   FRAME, .extra.scalar = exponent
#define OYI_FRAME_pow__Scalar         FRAME, .extra.scalar = exponent
#define OYI_FRAME_xlogy_Scalar_Other  FRAME, .extra.scalar = other
#define OYI_FRAME_xlogy__Scalar_Other FRAME, .extra.scalar = other
#define OYI_FRAME_logit               FRAME, .extra.scalar = eps
#define OYI_FRAME_logit_              FRAME, .extra.scalar = eps
#define OYI_FRAME_polygamma           FRAME, .extra.dims = {n}
#define OYI_FRAME_polygamma_          FRAME, .extra.dims = {n}
#define OYI_FRAME_clamp_min           FRAME, .extra.scalar = min
#define OYI_FRAME_clamp_min_          FRAME, .extra.scalar = min
#define OYI_FRAME_clamp_max           FRAME, .extra.scalar = max
#define OYI_FRAME_clamp_max_          FRAME, .extra.scalar = max
#define OYI_FRAME_lerp_Scalar         FRAME, .extra.scalar = weight
#define OYI_FRAME_lerp__Scalar        FRAME, .extra.scalar = weight
#define OYI_FRAME_threshold           FRAME, .extra.scalar = threshold
#define OYI_FRAME_threshold_          FRAME, .extra.scalar = threshold
#define OYI_FRAME_leaky_relu          FRAME, .extra.scalar = negative_slope
#define OYI_FRAME_gelu                OYI_IS_TANH(approximate)
#define OYI_FRAME_gelu_               OYI_IS_TANH(approximate)
#define OYI_FRAME_hardshrink          FRAME, .extra.scalar = lambd
#define OYI_FRAME_softshrink          FRAME, .extra.scalar = lambd
#define OYI_FRAME_threshold_backward  FRAME, .extra.scalar = threshold
#define OYI_FRAME_sum_dim_IntList \
  FRAME, .dims = reduction_dims(dim), .extra.flag = keepdim
#define OYI_FRAME_mean_dim           FRAME, .dims = reduction_dims(dim), .extra.flag = keepdim
#define OYI_FRAME_transpose_int      FRAME, .extra.dims = {dim0, dim1}
#define OYI_FRAME_unsqueeze          FRAME, .extra.dims = {dim}
#define OYI_FRAME_squeeze_dim        FRAME, .extra.dims = {dim}
#define OYI_FRAME_select_int         FRAME, .extra.dims = {dim, index}
#define OYI_FRAME_transpose_copy_int FRAME, .extra.dims = {dim0, dim1}
#define OYI_FRAME_unsqueeze_copy     FRAME, .extra.dims = {dim}
#define OYI_FRAME_select_copy_int    FRAME, .extra.dims = {dim, index}
#define OYI_FRAME_slice_Tensor \
  FRAME, .extra.dims = {dim, slice_start(start)}, .extra.mask = (uint64_t)step
#define OYI_FRAME_slice_copy_Tensor \
  FRAME, .extra.dims = {dim, slice_start(start)}, .extra.mask = (uint64_t)step
#define OYI_FRAME_permute      FRAME, .extra.mask = permutation_code(dims)
#define OYI_FRAME_permute_copy FRAME, .extra.mask = permutation_code(dims)
#define OYI_FRAME_diagonal \
  FRAME, .extra.dims = {dim1, dim2}, .extra.mask = (uint64_t)offset
#define OYI_FRAME_diagonal_copy \
  FRAME, .extra.dims = {dim1, dim2}, .extra.mask = (uint64_t)offset
#define OYI_FRAME_flip  FRAME, .extra.mask = flip_mask(self, dims)
#define OYI_FRAME_tril  FRAME, .extra.dims = {diagonal}
#define OYI_FRAME_tril_ FRAME, .extra.dims = {diagonal}
#define OYI_FRAME_triu  FRAME, .extra.dims = {diagonal}
#define OYI_FRAME_triu_ FRAME, .extra.dims = {diagonal}

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_FRAMES_H_
