// SPDX-License-Identifier: Apache-2.0
// Several binary searches of one row at once, so that none waits for what another reads.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SEARCH_LANES_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SEARCH_LANES_H_

#include "opyard/tensor.h"

enum { OYI_SEARCH_LANES = 8 };

// Whether elements of |dtype| are compared as they lie.
bool oyi_search_has_lanes(oy_dtype dtype);
// How many of the |n| elements of the sorted row |x| are below each of OYI_SEARCH_LANES
// |values|, or not above them if |or_equal|; for a NaN it is not known.
void oyi_search_lanes(oy_dtype dtype, const char* x, int64_t n, const char* values,
                      bool or_equal, int64_t* out);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SEARCH_LANES_H_
