// SPDX-License-Identifier: Apache-2.0
// Pooling: what windows see of an image, checked. Two or three dimensions; of two, the
// first of three has size 1.
#ifndef OPYARD_SRC_OPS_RULES_POOL_H_
#define OPYARD_SRC_OPS_RULES_POOL_H_

#include "ops/rules/spatial.h"

// As the schema has them. |dilation| with data NULL: none, as average pools have it.
typedef struct oyi_pool_call {
  const char* name;  // "max_pool2d"
  oy_object* self;
  oy_ints kernel, stride, padding, dilation;
  bool ceil;
  size_t ndim;
} oyi_pool_call;

typedef struct oyi_pool {
  int64_t planes;  // images of one channel
  int64_t in[OYI_SPATIAL], out[OYI_SPATIAL];
  int64_t kernel[OYI_SPATIAL], stride[OYI_SPATIAL], padding[OYI_SPATIAL],
      dilation[OYI_SPATIAL];
} oyi_pool;

// Each checks, and computes the sizes of the output, of the rank of the input.
oy_status oyi_rule_pool(const oyi_pool_call* call, oyi_pool* out_pool,
                        int64_t* out_sizes);
oy_status oyi_rule_adaptive_pool(oy_object* self, oy_ints output_size, size_t ndim,
                                 const char* name, oyi_pool* out_pool,
                                 int64_t* out_sizes);

// The maximum of windows along the last dimension alone, without the places: contiguous
// floats or doubles of the CPU, whose backend puts it here. No operator of PyTorch's does
// this, but max_pool1d where no gradient asks for the places.
extern oy_status (*oyi_pool_lines)(const oyi_pool* p, const oyi_tensor* in,
                                   oyi_tensor* out);

#endif  // OPYARD_SRC_OPS_RULES_POOL_H_
