// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels, made from an expression for the dtypes and the form of a call.
#ifndef OPYARD_SRC_BACKENDS_GPU_POINTWISE_H_
#define OPYARD_SRC_BACKENDS_GPU_POINTWISE_H_

#include "call.h"
#include "geometry.h"

typedef enum gpu_expression {
#define GPU_EXPRESSION(id, flags, real, whole, truth) GPU_EXPRESSION_##id,
#include "expressions.def"
#undef GPU_EXPRESSION
  GPU_EXPRESSION_COUNT
} gpu_expression;

enum { GPU_INPUTS = 3, GPU_NUMBERS = 3 };

typedef struct gpu_point {
  gpu_device* device;
  gpu_expression expression;
  oy_dtype compute;  // what the expression sees
  int inputs, numbers;
  oy_tensor* in[GPU_INPUTS];  // NULL: |constant| stands for all elements
  oy_scalar constant[GPU_INPUTS];
  oy_scalar number[GPU_NUMBERS];
  uint64_t seed, offset;  // of random expressions
} gpu_point;

// Writes |out|; inputs are broadcast to it. Tensors of the CPU are numbers: 0-d ones.
oy_status gpu_point_run(gpu_point* p, oy_tensor* out);
// Whether it uses random numbers.
bool gpu_expression_is_random(gpu_expression e);

#endif  // OPYARD_SRC_BACKENDS_GPU_POINTWISE_H_
