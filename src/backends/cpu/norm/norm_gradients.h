// SPDX-License-Identifier: Apache-2.0
// What the gradients of the normalisations share: three results, each of which may not be
// asked for, and their operands as contiguous rows.
#ifndef OPYARD_SRC_BACKENDS_CPU_NORM_NORM_GRADIENTS_H_
#define OPYARD_SRC_BACKENDS_CPU_NORM_NORM_GRADIENTS_H_

#include "backends/cpu/norm/rows.h"
#include "backends/cpu/norm/rules_norm.h"
#include "backends/cpu/work.h"

// As the operators are given them; |mean|, |rstd| and |weight| may be None.
typedef struct oyi_norm_grads {
  oy_object *grad, *input, *mean, *rstd, *weight;
  oy_bools mask;
  oy_memory_format format;  // of the gradient of the input
  int64_t statistics;       // how many elements mean and rstd have
  oy_ints params;           // the shape of the gradients of weight and bias
} oyi_norm_grads;

// The same in memory. What is not there or not asked for is NULL.
typedef struct oyi_norm_rows {
  const oyi_row_math* math;
  oy_dtype dtype;
  int64_t item;
  const char *grad, *in, *weight;
  const void *mean, *rstd;
  char *out, *to_weight, *to_bias;
} oyi_norm_rows;

// Checks, and makes what is asked for; others become &oy_none_object.
oy_status oyi_norm_grads_make(const oyi_norm_grads* g, const char* name,
                              oy_object* made[3]);
// Releases what was made if |status| is a failure, which it gives; else hands it over.
oy_status oyi_norm_grads_give(oy_object* made[3], oy_object** const results[3],
                              oy_status status);
// Whether there is anything to compute.
bool oyi_norm_grads_run(oy_object* const made[3]);
void oyi_norm_rows_read(oyi_norm_rows* r, oyi_work* w, const oyi_norm_grads* g);
// |input| and its gradient, which may be seen in another order, and the other results.
void oyi_norm_rows_write(oyi_norm_rows* r, oyi_work* w, oyi_tensor* out,
                         oy_object* const made[3]);

#endif  // OPYARD_SRC_BACKENDS_CPU_NORM_NORM_GRADIENTS_H_
