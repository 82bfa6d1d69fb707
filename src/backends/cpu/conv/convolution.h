// SPDX-License-Identifier: Apache-2.0
// Convolutions of the CPU as operators, computed with the products that |pick| gives; a
// library that multiplies faster registers the same operators with a pick of its own.
#ifndef OPYARD_SRC_BACKENDS_CPU_CONV_CONVOLUTION_H_
#define OPYARD_SRC_BACKENDS_CPU_CONV_CONVOLUTION_H_

#include "backends/cpu/linalg/matrix.h"
#include "ops/rules/convolution.h"

oy_object* oyi_cpu_convolution(const oyi_conv_call* call, oyi_gemm_pick pick);
// |mask| says which of the gradients of input, weight and bias are wanted.
oy_status oyi_cpu_convolution_backward(const oyi_conv_call* call, oy_object* grad_output,
                                       oy_bools mask, oyi_gemm_pick pick,
                                       oy_object** out_grads);

// The arguments of the operator, as the rule wants them.
#define OYI_CONV_CALL(bias_)                                                    \
  &(oyi_conv_call) {                                                            \
    .input = input, .weight = weight, .bias = bias_, .stride = stride,          \
    .padding = padding, .dilation = dilation, .output_padding = output_padding, \
    .groups = groups, .transposed = transposed                                  \
  }

#endif  // OPYARD_SRC_BACKENDS_CPU_CONV_CONVOLUTION_H_
