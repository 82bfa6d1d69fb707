// SPDX-License-Identifier: Apache-2.0
// Products of complex64 that lie together, for x86-64-v3 (AVX2), rounded as elsewhere.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_COMPLEX_PRODUCT_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_COMPLEX_PRODUCT_H_

#include <stdint.h>

// Multiplies numbers from |to| on by those from |from| on, apart or the same, while there are
// four. Gives how many of |n| that were.
int64_t oyi_multiply_c64_v3(int64_t n, float* to, const float* from);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_COMPLEX_PRODUCT_H_
