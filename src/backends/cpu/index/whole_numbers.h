// SPDX-License-Identifier: Apache-2.0
// Whole numbers of a size below 2^51 as doubles, and quotients of them: vectors of doubles have
// instructions for all of it, where those of 64-bit integers have none.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_WHOLE_NUMBERS_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_WHOLE_NUMBERS_H_

#include <stdint.h>
#include <string.h>

// A number plus this is rounded to a whole one, and has it in its last bits.
#define OYI_WHOLE      0x1.8p52
#define OYI_WHOLE_BITS INT64_C(0x4338000000000000)

static inline int64_t oyi_whole_to_int(double x) {
  const double sum = x + OYI_WHOLE;
  int64_t bits;
  memcpy(&bits, &sum, sizeof(bits));
  return bits - OYI_WHOLE_BITS;
}

static inline double oyi_whole_from_int(int64_t x) {
  const uint64_t bits = (uint64_t)x + OYI_WHOLE_BITS;
  double sum;
  memcpy(&sum, &bits, sizeof(sum));
  return sum - OYI_WHOLE;
}

// The quotient of |x|, 0 or more and below 2^50, by a number whose reciprocal is |once|: the
// middle between two whole numbers is far enough from each for that.
static inline double oyi_whole_quotient(double x, double once) {
  return ((x + 0.5) * once - 0.5 + OYI_WHOLE) - OYI_WHOLE;
}

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_WHOLE_NUMBERS_H_
