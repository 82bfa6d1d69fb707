// SPDX-License-Identifier: Apache-2.0
// Least and greatest of 16-bit floats: ID is given, and INFINITE, the bits of infinity. They are
// compared as whole numbers in the same order, which need not be widened first. A NaN comes
// behind all of them, at the end that it wins from.
#define KEY OYI_JOIN(key, ID)

static inline int16_t KEY(uint16_t x, int16_t nan) {
  const uint16_t size = x & INT16_MAX;
  const int16_t below = (int16_t)(x ^ INT16_MAX),
                key = (int16_t)x < 0 ? below : (int16_t)x;
  return size > INFINITE ? nan : key;
}

#define T          uint16_t
#define R          uint16_t
#define A          int16_t
#define BITS(a)    (uint16_t)((a) < 0 ? (a) ^ INT16_MAX : (a))
#define NAME       amax
#define START      INT16_MIN
#define JOIN(a, b) ((a) > (b) ? (a) : (b))
#define STEP(a, x) JOIN(a, KEY(x, INT16_MAX))
#define RESULT(a)  BITS(a)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define NAME       amin
#define START      INT16_MAX
#define JOIN(a, b) ((a) < (b) ? (a) : (b))
#define STEP(a, x) JOIN(a, KEY(x, INT16_MIN))
#define RESULT(a)  BITS(a)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#undef T
#undef R
#undef A
#undef BITS
#undef KEY
#undef ID
#undef INFINITE
