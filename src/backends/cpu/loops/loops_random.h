// SPDX-License-Identifier: Apache-2.0
// What random words become: the loops of random_fill.h that pay for wide vectors. Logarithms
// and angles are series of products and sums in a fixed order, so that a seed gives the same
// numbers whatever the processor can do.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_LOOPS_RANDOM_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_LOOPS_RANDOM_H_

#include "backends/cpu/random/random_fill.h"

typedef void (*oyi_random_loop)(const oyi_random* r, const uint32_t* words, int64_t n,
                                void* out);

typedef struct oyi_random_loops {
  oyi_random_loop normal_f32, normal_f64;  // |n| is even
  oyi_random_loop exponential;             // double
  oyi_random_loop integers;                // of a range of up to 32 bits
} oyi_random_loops;

extern const oyi_random_loops oyi_random_loops_base, oyi_random_loops_v3,
    oyi_random_loops_v4;
// Those of this processor.
const oyi_random_loops* oyi_random_loops_here(void);

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_LOOPS_RANDOM_H_
