// SPDX-License-Identifier: Apache-2.0
// Sums of squares of bf16 as they lie, a part of reduce_norm_loops_tmpl.h. The square of 8 bits
// has 16, which float holds; two are added in float and those sums in double, so that the
// result is off by less than 2^-23. Squares that float does not hold, and those that are so
// small that it loses bits of them, are added in double alone.
#include <float.h>

#include "tensor/half.h"

typedef uint32_t bf16_pairs __attribute__((vector_size(32)));
typedef uint32_t loaded_pairs __attribute__((vector_size(32), aligned(2), may_alias));
typedef float bf16_eight __attribute__((vector_size(32)));
typedef float bf16_four __attribute__((vector_size(16)));
typedef double bf16_wide __attribute__((vector_size(32)));

enum { BF16_PAIRS = 16, BF16_CHAINS = 4, BF16_STEP = BF16_CHAINS * BF16_PAIRS / 2 };

// The running values |low| and |high| go on with the squares of BF16_PAIRS elements.
static inline __attribute__((always_inline)) void bf16_squares(bf16_wide* low,
                                                               bf16_wide* high,
                                                               const uint16_t* p) {
  const bf16_pairs both = *(const loaded_pairs*)(const void*)p;
  const bf16_eight even = (bf16_eight)(both << 16);
  const bf16_eight odd = (bf16_eight)(both & 0xffff0000);
  const bf16_eight sum = even * even + odd * odd;
  const bf16_four first = __builtin_shufflevector(sum, sum, 0, 1, 2, 3);
  const bf16_four second = __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
  *low += __builtin_convertvector(first, bf16_wide);
  *high += __builtin_convertvector(second, bf16_wide);
}

// Of |n| elements, a multiple of BF16_STEP.
static inline double bf16_squares_in_float(const uint16_t* p, int64_t n) {
  bf16_wide all[BF16_CHAINS] = {{0}};
  for (const uint16_t* end = p + n; p < end; p += BF16_STEP) {
    bf16_squares(&all[0], &all[1], p);
    bf16_squares(&all[2], &all[3], p + BF16_PAIRS);
  }
  const bf16_wide sum = (all[0] + all[2]) + (all[1] + all[3]);
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static double bf16_squares_in_double(const uint16_t* p, int64_t n) {
  enum { LANES = 8 };
  double all[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++) {
      const double x = (double)oyi_bf16_to_float(p[i + k]);
      all[k] += x * x;
    }
  for (int k = 0; i < n; i++, k++) {
    const double x = (double)oyi_bf16_to_float(p[i]);
    all[k] += x * x;
  }
  return ((all[0] + all[4]) + (all[2] + all[6])) +
         ((all[1] + all[5]) + (all[3] + all[7]));
}

// Zeros of either sign, as the difference of what is the same.
static bool bf16_are_zeros(const uint16_t* p, int64_t n) {
  uint16_t any = 0;
  for (int64_t i = 0; i < n; i++) any |= p[i];
  return (any & 0x7fff) == 0;
}

static void norm2_bf16_row(void* state, int64_t at, const char* x, int64_t n,
                           const void* args) {
  // What a float that is rounded down to nothing adds is far below the last bit of this.
  const double least = 0x1p-60;
  const uint16_t* p = (const uint16_t*)(const void*)x;
  const int64_t whole = n / BF16_STEP * BF16_STEP;
  double sum = bf16_squares_in_float(p, whole);
  if (OY_UNLIKELY(!(sum >= least && sum <= DBL_MAX)) &&
      !(sum == 0 && bf16_are_zeros(p, whole)))
    sum = bf16_squares_in_double(p, whole);
  sum += bf16_squares_in_double(p + whole, n - whole);
  norm2_join_f32(state, at, sum, args);
}
