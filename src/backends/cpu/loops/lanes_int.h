// SPDX-License-Identifier: Apache-2.0
// Integers by way of floats, in vectors, for lanes_int_tmpl.h.
//
// Quotients of floats of p bits have the whole part of the exact ones where |a| is below 2^p: a
// quotient that is not whole is by 1 / |b| at least away from a whole number, the 1 / |a|-th part
// of itself, and rounding moves it by less than its 2^-p-th part. What is left, a - whole * b, is
// exact as well: the product is at most |a| + |b|, of which both are below 2^(p - 1).
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_LANES_INT_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_LANES_INT_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "backends/cpu/loops/integer_math.h"

// At most; fewer are a multiple of the step, which fills vectors.
enum { OYI_INT_LANES = 64, OYI_INT_LANES_STEP = 16 };

// Between int64 and double, of numbers of less than 2^51 either way, which few processors have
// vectors for: added to 3 * 2^51, they are its lowest bits.
#define OYI_LANE_HIGH 0x1.8p52
#define OYI_LANE_BITS 0x4338000000000000u
static inline double oyi_double_of_lane(int64_t a) {
  const uint64_t bits = (uint64_t)a + OYI_LANE_BITS;
  double high;
  memcpy(&high, &bits, sizeof(high));
  return high - OYI_LANE_HIGH;
}
static inline int64_t oyi_lane_of_double(double a) {
  const double high = a + OYI_LANE_HIGH;
  uint64_t bits;
  memcpy(&bits, &high, sizeof(bits));
  return (int64_t)(bits - OYI_LANE_BITS);
}
// Whether all are such numbers.
static inline bool oyi_lanes_fit(const int64_t* a, const int64_t* b, int64_t lanes) {
  const uint64_t least = (uint64_t)1 << 51;
  uint64_t any = 0;
  for (int64_t k = 0; k < lanes; k++)
    any |= ((uint64_t)a[k] + least) | ((uint64_t)b[k] + least);
  return any >> 52 == 0;
}

// The greatest common divisors, in |y|, by rests: as many steps as the slowest of them takes.
#define OYI_GCD_OF_LANES(name, REAL, BITS, TRUNC)                              \
  static inline void name(REAL* restrict x, REAL* restrict y, int64_t lanes) { \
    for (BITS any = 1; any;) {                                                 \
      any = 0;                                                                 \
      for (int64_t k = 0; k < lanes; k++) {                                    \
        const REAL by = x[k], rest = y[k] - TRUNC(y[k] / by) * by;             \
        y[k] = by == 0 ? y[k] : by;                                            \
        x[k] = by == 0 ? 0 : rest;                                             \
        any |= x[k] != 0;                                                      \
      }                                                                        \
    }                                                                          \
  }
OYI_GCD_OF_LANES(oyi_gcd_of_floats, float, int32_t, __builtin_truncf)
OYI_GCD_OF_LANES(oyi_gcd_of_doubles, double, int64_t, __builtin_trunc)
#undef OYI_GCD_OF_LANES

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_LANES_INT_H_
