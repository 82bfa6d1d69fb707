// SPDX-License-Identifier: Apache-2.0
// The different elements of a row of which most are repetitions, without sorting all.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_DISTINCT_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_DISTINCT_H_

#include "backends/cpu/order/sort_keys.h"

// Each has a number; |entries| are in order, their places are these numbers. A NaN is like no
// other.
typedef struct oyi_distinct {
  int64_t count;
  bool are_few;  // false: there are too many, and no more is set
  oyi_entry* entries;
  int64_t *firsts, *counts;  // by number: the place of the first one, how many there are
} oyi_distinct;

// Of |n| elements side by side. |numbers|, if not NULL, gets the number of each; with
// |counts| they are counted. Fails with OUT_OF_MEMORY; after success oyi_distinct_end()
// frees what |d| has.
oy_status oyi_distinct_find(oyi_distinct* d, oy_dtype dtype, const char* x, int64_t n,
                            bool counts, int64_t* numbers);
void oyi_distinct_end(oyi_distinct* d);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_DISTINCT_H_
