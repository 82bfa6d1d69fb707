// SPDX-License-Identifier: Apache-2.0
// What else than tensors a call leaves for its formula (record.h): a line for each row
// of the table that says FORMULA. Most leave nothing.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_FRAMES_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_FRAMES_H_

#define OYI_FRAME_add_Tensor         .extra.scalar = alpha
#define OYI_FRAME_add__Tensor        .extra.scalar = alpha
#define OYI_FRAME_sub_Tensor         .extra.scalar = alpha
#define OYI_FRAME_sub__Tensor        .extra.scalar = alpha
#define OYI_FRAME_mul_Scalar         .extra.scalar = other
#define OYI_FRAME_mul__Scalar        .extra.scalar = other
#define OYI_FRAME_div_Scalar         .extra.scalar = other
#define OYI_FRAME_div__Scalar        .extra.scalar = other
#define OYI_FRAME_threshold_backward .extra.scalar = threshold
#define OYI_FRAME_sum_dim_IntList    .dims = reduction_dims(dim), .extra.flag = keepdim
#define OYI_FRAME_mean_dim           .dims = reduction_dims(dim), .extra.flag = keepdim
#define OYI_FRAME_transpose_int      .extra.dims = {dim0, dim1}
#define OYI_FRAME_unsqueeze          .extra.dims = {dim}
#define OYI_FRAME_squeeze_dim        .extra.dims = {dim}
#define OYI_FRAME_select_int         .extra.dims = {dim, index}
#define OYI_FRAME_transpose_copy_int .extra.dims = {dim0, dim1}
#define OYI_FRAME_unsqueeze_copy     .extra.dims = {dim}
#define OYI_FRAME_select_copy_int    .extra.dims = {dim, index}
#define OYI_FRAME_slice_Tensor \
  .extra.dims = {dim, slice_start(start)}, .extra.mask = (uint64_t)step
#define OYI_FRAME_slice_copy_Tensor \
  .extra.dims = {dim, slice_start(start)}, .extra.mask = (uint64_t)step
#define OYI_FRAME_permute       .extra.mask = permutation_code(dims)
#define OYI_FRAME_permute_copy  .extra.mask = permutation_code(dims)
#define OYI_FRAME_diagonal      .extra.dims = {dim1, dim2}, .extra.mask = (uint64_t)offset
#define OYI_FRAME_diagonal_copy .extra.dims = {dim1, dim2}, .extra.mask = (uint64_t)offset

#define OYI_FRAME_add_out
#define OYI_FRAME_add_Scalar
#define OYI_FRAME_add__Scalar
#define OYI_FRAME_sub_out
#define OYI_FRAME_sub_Scalar
#define OYI_FRAME_sub__Scalar
#define OYI_FRAME_mul_Tensor
#define OYI_FRAME_mul_out
#define OYI_FRAME_mul__Tensor
#define OYI_FRAME_div_Tensor
#define OYI_FRAME_div_out
#define OYI_FRAME_div__Tensor
#define OYI_FRAME_neg
#define OYI_FRAME_neg_out
#define OYI_FRAME_neg_
#define OYI_FRAME_relu
#define OYI_FRAME_relu_
#define OYI_FRAME_sum
#define OYI_FRAME_sum_IntList_out
#define OYI_FRAME_mean
#define OYI_FRAME_mean_out
#define OYI_FRAME_as_strided
#define OYI_FRAME_view
#define OYI_FRAME_expand
#define OYI_FRAME_t
#define OYI_FRAME_alias
#define OYI_FRAME_detach
#define OYI_FRAME__unsafe_view
#define OYI_FRAME_bmm_out
#define OYI_FRAME_mv_out
#define OYI_FRAME_dot_out
#define OYI_FRAME_mm
#define OYI_FRAME_mm_out
#define OYI_FRAME_bmm
#define OYI_FRAME_mv
#define OYI_FRAME_dot
#define OYI_FRAME_copy_
#define OYI_FRAME_fill__Scalar
#define OYI_FRAME_zero_
#define OYI_FRAME_clone
#define OYI_FRAME__to_copy
#define OYI_FRAME_exp
#define OYI_FRAME_exp_
#define OYI_FRAME_exp_out
#define OYI_FRAME_squeeze
#define OYI_FRAME_squeeze_dims
#define OYI_FRAME_squeeze_copy
#define OYI_FRAME_squeeze_copy_dim
#define OYI_FRAME_squeeze_copy_dims
#define OYI_FRAME__reshape_alias
#define OYI_FRAME_view_as_real
#define OYI_FRAME_view_as_complex
#define OYI_FRAME_view_copy
#define OYI_FRAME__reshape_alias_copy
#define OYI_FRAME_alias_copy
#define OYI_FRAME_expand_copy
#define OYI_FRAME_t_copy
#define OYI_FRAME_view_as_real_copy
#define OYI_FRAME_view_as_complex_copy
#define OYI_FRAME_fill__Tensor
#define OYI_FRAME_fill_Scalar
#define OYI_FRAME_zero

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_FRAMES_H_
