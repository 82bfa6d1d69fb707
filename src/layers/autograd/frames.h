// SPDX-License-Identifier: Apache-2.0
// For each family, how its arguments fill a frame (record.h).
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_FRAMES_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_FRAMES_H_

#define OYI_FRAME_UNARY                .tensors = {self}, .count = 1
#define OYI_FRAME_UNARY_INPLACE        OYI_FRAME_UNARY
#define OYI_FRAME_UNARY_OUT            .tensors = {self, out}, .count = 2
#define OYI_FRAME_BINARY               .tensors = {self, other}, .count = 2
#define OYI_FRAME_BINARY_INPLACE       OYI_FRAME_BINARY
#define OYI_FRAME_BINARY_OUT           .tensors = {self, other, out}, .count = 3
#define OYI_FRAME_BINARY_FLOAT         OYI_FRAME_BINARY
#define OYI_FRAME_BINARY_FLOAT_INPLACE OYI_FRAME_BINARY
#define OYI_FRAME_BINARY_FLOAT_OUT     OYI_FRAME_BINARY_OUT
#define OYI_FRAME_BINARY_ALPHA         OYI_FRAME_BINARY, .extra.scalar = alpha
#define OYI_FRAME_BINARY_ALPHA_INPLACE OYI_FRAME_BINARY_ALPHA
#define OYI_FRAME_BINARY_ALPHA_OUT     OYI_FRAME_BINARY_OUT
#define OYI_FRAME_SCALAR               OYI_FRAME_UNARY, .extra.scalar = other
#define OYI_FRAME_SCALAR_INPLACE       OYI_FRAME_SCALAR
#define OYI_FRAME_SCALAR_ALPHA         OYI_FRAME_UNARY
#define OYI_FRAME_SCALAR_ALPHA_INPLACE OYI_FRAME_UNARY
#define OYI_FRAME_THRESHOLD \
  .tensors = {grad_output, self}, .count = 2, .extra.scalar = threshold
#define OYI_FRAME_REDUCTION_ALL OYI_FRAME_UNARY
#define OYI_FRAME_REDUCTION \
  OYI_FRAME_UNARY, .dims = reduction_dims(dim), .extra.flag = keepdim
#define OYI_FRAME_REDUCTION_OUT OYI_FRAME_UNARY_OUT
#define OYI_FRAME_VIEW          OYI_FRAME_UNARY
#define OYI_FRAME_VIEW_SHAPE    OYI_FRAME_UNARY
#define OYI_FRAME_SHAPE         OYI_FRAME_UNARY
#define OYI_FRAME_VIEW_EXPAND   OYI_FRAME_UNARY
#define OYI_FRAME_VIEW_DIM      OYI_FRAME_UNARY, .extra.dims = {dim}
#define OYI_FRAME_VIEW_DIMS2    OYI_FRAME_UNARY, .extra.dims = {dim0, dim1}
#define OYI_FRAME_VIEW_SELECT   OYI_FRAME_UNARY, .extra.dims = {dim, index}
#define OYI_FRAME_VIEW_STRIDED  OYI_FRAME_UNARY
#define OYI_FRAME_MATRIX        .tensors = {self, mat2}, .count = 2
#define OYI_FRAME_MATRIX_OUT    .tensors = {self, mat2, out}, .count = 3
#define OYI_FRAME_COPY_INPLACE  .tensors = {self, src}, .count = 2
#define OYI_FRAME_FILL_INPLACE  OYI_FRAME_UNARY
#define OYI_FRAME_CLONE         OYI_FRAME_UNARY
#define OYI_FRAME_TO_COPY       OYI_FRAME_UNARY

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_FRAMES_H_
