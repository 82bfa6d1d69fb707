// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels, made from an expression for the dtypes and the form of a call.
#ifndef OPYARD_SRC_BACKENDS_OPENCL_POINTWISE_H_
#define OPYARD_SRC_BACKENDS_OPENCL_POINTWISE_H_

#include "call.h"
#include "geometry.h"

typedef enum ocl_expression {
#define OCL_EXPRESSION(id, flags, real, whole, truth) OCL_EXPRESSION_##id,
#include "expressions.def"
#undef OCL_EXPRESSION
  OCL_EXPRESSION_COUNT
} ocl_expression;

enum { OCL_INPUTS = 3, OCL_NUMBERS = 3 };

typedef struct ocl_point {
  ocl_device* device;
  ocl_expression expression;
  oy_dtype compute;  // what the expression sees
  int inputs, numbers;
  oy_tensor* in[OCL_INPUTS];  // NULL: |constant| stands for all elements
  oy_scalar constant[OCL_INPUTS];
  oy_scalar number[OCL_NUMBERS];
  uint64_t seed, offset;  // of random expressions
} ocl_point;

// Writes |out|; inputs are broadcast to it. Tensors of the CPU are numbers: 0-d ones.
oy_status ocl_point_run(ocl_point* p, oy_tensor* out);
// Whether it uses random numbers.
bool ocl_expression_is_random(ocl_expression e);

#endif  // OPYARD_SRC_BACKENDS_OPENCL_POINTWISE_H_
