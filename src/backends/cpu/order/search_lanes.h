// SPDX-License-Identifier: Apache-2.0
// Several binary searches of one row at once, so that none waits for what another reads.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SEARCH_LANES_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SEARCH_LANES_H_

#include "opyard/tensor.h"

enum { OYI_SEARCH_LANES = 8 };

// How many of the |n| elements of the sorted row |x| are below each of |count| times
// OYI_SEARCH_LANES |values|, or not above them if |or_equal|; for a NaN it is not known.
void oyi_search_lanes(oy_dtype dtype, const char* x, int64_t n, const char* values,
                      int64_t count, bool or_equal, int64_t* out);
// Whether one of |n| elements is NaN.
bool oyi_search_has_nan(oy_dtype dtype, const char* x, int64_t n);

// Floats are found faster as integers of the same order. Of which dtype these are, which is
// |dtype| for others, and |n| elements as such; |out| has room for as many of the widest.
oy_dtype oyi_search_integer(oy_dtype dtype);
void oyi_search_to_integers(oy_dtype dtype, const char* x, int64_t n, int64_t* out);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SEARCH_LANES_H_
