// SPDX-License-Identifier: Apache-2.0
// Chebyshev's series of what is smooth in Bessel functions and Airy's: coefficients of doubles,
// the first |few| of which are good for floats. Computed with 50 digits, from interpolation at
// 60 points, and rounded. For bessel_vector.h, which says of what.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_BESSEL_TERMS_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_BESSEL_TERMS_H_

#include <stddef.h>

typedef struct oyi_series {
  const double* terms;
  int count, few;
} oyi_series;

// Of orders 0 and 1.
extern const oyi_series oyi_bessel_i_near[2], oyi_bessel_i_far[2], oyi_bessel_i_two[2],
    oyi_bessel_k_near[2], oyi_bessel_k_far[2], oyi_bessel_j[2], oyi_bessel_y[2],
    oyi_bessel_p[2], oyi_bessel_q[2];
extern const oyi_series oyi_airy_near, oyi_airy_far, oyi_airy_f, oyi_airy_g;

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_BESSEL_TERMS_H_
