// SPDX-License-Identifier: Apache-2.0
// Reductions over everything, by those over dimensions.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "opyard/tensor.h"

OYI_COMPOSITE(sum) {
  return oyi_call_sum_dim_IntList(self, oy_dims_none(), false, dtype);
}
OYI_COMPOSITE(mean) {
  return oyi_call_mean_dim(self, oy_dims_none(), false, dtype);
}
