// SPDX-License-Identifier: Apache-2.0
// Reductions of elements into those that are there: what index_reduce, scatter_reduce
// and the older forms of scatter share.
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_INTO_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_INTO_H_

#include "backends/cpu/index/updates.h"
#include "tensor/impl.h"

typedef struct oyi_reduce_into {
  oyi_update update;
  bool is_mean;
  bool include_self;  // else what is there is as if it were not
} oyi_reduce_into;

// "sum", "prod", "mean", "amax" or "amin"; false if it is none of them.
bool oyi_reduce_into_parse(oy_str name, bool include_self, oyi_reduce_into* out);
// A tensor of one element, of |dtype|: what the reduction of nothing is.
oyi_tensor* oyi_reduce_into_identity(const oyi_reduce_into* r, oy_dtype dtype);
// Numbers of that shape, 1 where what is there counts, of a dtype that has all up to |most|.
oyi_tensor* oyi_reduce_into_counts(const oyi_reduce_into* r, oy_ints sizes, int64_t most);
// Divides sums by such counts above 0, of the same shape; integers round down.
void oyi_reduce_into_divide(oyi_tensor* sums, const oyi_tensor* counts);

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_INTO_H_
