// SPDX-License-Identifier: Apache-2.0
// Pools of the CPU: one walk of windows over images for average and maximum, fixed and
// adaptive, and their gradients.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_H_

#include "ops/rules/pool.h"

typedef struct oyi_pool_how {
  const char* name;  // for errors
  bool adaptive;     // windows come from the sizes
  bool count_padding;
  int64_t divisor;  // 0: the size of the window
} oyi_pool_how;

// |in| to |out|, both with memory and elements.
oy_status oyi_pool_average(const oyi_pool* p, const oyi_pool_how* how, oyi_tensor* in,
                           oyi_tensor* out);
oy_status oyi_pool_max(const oyi_pool* p, const oyi_pool_how* how, oyi_tensor* in,
                       oyi_tensor* out, oyi_tensor* indices);
// The maximum of windows whose places come from |samples|: for each image a number from 0
// to 1 for each of its |ndim| dimensions, of two the last one first.
oy_status oyi_pool_max_at(const oyi_pool* p, const char* name, size_t ndim,
                          oyi_tensor* in, oyi_tensor* samples, oyi_tensor* out,
                          oyi_tensor* indices);
// |grad| is of the output, |out| becomes that of the input.
oy_status oyi_pool_average_backward(const oyi_pool* p, const oyi_pool_how* how,
                                    oyi_tensor* grad, oyi_tensor* out);
// Elements of |values| are added to the places in |out| that |indices| has, |planes| times. What
// is not met is 0. See pool_scatter.c.
oy_status oyi_pool_scatter(const char* name, oyi_tensor* values, oyi_tensor* indices,
                           int64_t planes, oyi_tensor* out);

// Puts the maximum of lines where max_pool1d finds it.
void oyi_register_pool_lines(void);

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_H_
