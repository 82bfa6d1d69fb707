// SPDX-License-Identifier: Apache-2.0
// Where the elements of several tensors of one shape lie, in as few dimensions as that
// takes. Kernels get it by value (kernels/prelude.cl has the same struct).
#ifndef OPYARD_SRC_BACKENDS_GPU_GEOMETRY_H_
#define OPYARD_SRC_BACKENDS_GPU_GEOMETRY_H_

#include "opyard/tensor.h"

enum { GPU_DIMS = 12, GPU_OPERANDS = 5 };

typedef struct gpu_geometry {
  int32_t ndim, pad;
  int64_t size[GPU_DIMS];                  // fastest dimension first
  int64_t stride[GPU_OPERANDS][GPU_DIMS];  // in elements
} gpu_geometry;

// |tensors| broadcast to |shape|; NULL ones have stride 0. With |keep_order| step i is
// element i of the shape; else dimensions are in the order of the first tensor's strides.
// INVALID_ARGUMENT if it takes more dimensions than there is room for.
oy_status gpu_geometry_of(gpu_geometry* g, oy_ints shape, oy_tensor* const* tensors,
                          int count, bool keep_order);
// The same of dimensions that are picked: those that |mask| has or lacks (|want|).
oy_status gpu_geometry_some(gpu_geometry* g, oy_ints shape, oy_tensor* const* tensors,
                            int count, const bool* mask, bool want);
// Whether all operands lie one element after the other.
bool gpu_geometry_is_flat(const gpu_geometry* g, oy_tensor* const* tensors, int count);
int64_t gpu_numel(oy_ints sizes);

#endif  // OPYARD_SRC_BACKENDS_GPU_GEOMETRY_H_
