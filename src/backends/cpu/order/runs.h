// SPDX-License-Identifier: Apache-2.0
// Runs of like elements that follow each other.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_RUNS_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_RUNS_H_

#include "opyard/tensor.h"

// The first element of each run, to |firsts|; the runs of the elements, and where runs begin, where
// these are not NULL. There is room for all |n|. How many runs there are.
typedef int64_t (*oyi_runs_fn)(const void* x, int64_t n, void* firsts, int64_t* inverse,
                               int64_t* starts);

// NULL where only keys tell what is alike.
oyi_runs_fn oyi_runs_of(oy_dtype dtype);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_RUNS_H_
