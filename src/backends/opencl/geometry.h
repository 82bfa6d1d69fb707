// SPDX-License-Identifier: Apache-2.0
// Where the elements of several tensors of one shape lie, in as few dimensions as that
// takes. Kernels get it by value (kernels/prelude.cl has the same struct).
#ifndef OPYARD_SRC_BACKENDS_OPENCL_GEOMETRY_H_
#define OPYARD_SRC_BACKENDS_OPENCL_GEOMETRY_H_

#include "opyard/tensor.h"

enum { OCL_DIMS = 12, OCL_OPERANDS = 5 };

typedef struct ocl_geometry {
  int32_t ndim, pad;
  int64_t size[OCL_DIMS];                  // fastest dimension first
  int64_t stride[OCL_OPERANDS][OCL_DIMS];  // in elements
} ocl_geometry;

// |tensors| broadcast to |shape|; NULL ones have stride 0. With |keep_order| step i is
// element i of the shape; else dimensions are in the order of the first tensor's strides.
// INVALID_ARGUMENT if it takes more dimensions than there is room for.
oy_status ocl_geometry_of(ocl_geometry* g, oy_ints shape, oy_tensor* const* tensors,
                          int count, bool keep_order);
// The same of dimensions that are picked: those that |mask| has or lacks (|want|).
oy_status ocl_geometry_some(ocl_geometry* g, oy_ints shape, oy_tensor* const* tensors,
                            int count, const bool* mask, bool want);
// Whether all operands lie one element after the other.
bool ocl_geometry_is_flat(const ocl_geometry* g, oy_tensor* const* tensors, int count);
int64_t ocl_numel(oy_ints sizes);

#endif  // OPYARD_SRC_BACKENDS_OPENCL_GEOMETRY_H_
