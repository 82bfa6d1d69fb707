// SPDX-License-Identifier: Apache-2.0
// Arithmetic of integers where C leaves something open: all in 64 bits, which the
// narrower types are rounded from. No input traps; division by zero is the caller's to
// refuse, and gives 0 here.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_INTEGER_MATH_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_INTEGER_MATH_H_

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// The least number has no positive partner: its negation wraps.
static inline int64_t oyi_int_neg(int64_t a) {
  return (int64_t)(0 - (uint64_t)a);
}
static inline int64_t oyi_int_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  // Processors divide small numbers in less time.
  if (((uint64_t)a | (uint64_t)b) >> 32 == 0) return (uint32_t)a / (uint32_t)b;
  return b == -1 ? oyi_int_neg(a) : a / b;
}
static inline int64_t oyi_int_rem(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  if (((uint64_t)a | (uint64_t)b) >> 32 == 0) return (uint32_t)a % (uint32_t)b;
  return a % b;
}
// Towards minus infinity, and what is left then, which has the sign of |b|.
static inline int64_t oyi_int_div_floor(int64_t a, int64_t b) {
  const int64_t whole = oyi_int_div(a, b);
  return whole -
         (b != 0 && (a < 0) != (b < 0) && (uint64_t)whole * (uint64_t)b != (uint64_t)a);
}
static inline int64_t oyi_int_mod(int64_t a, int64_t b) {
  int64_t r = oyi_int_rem(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
// The same of up to 32 bits, by doubles, which processors divide sooner: a quotient that is
// not whole is further from whole numbers than its rounding reaches.
static inline int64_t oyi_short_div(int32_t a, int32_t b) {
  return b == 0 ? 0 : (int64_t)((double)a / (double)b);
}
static inline int64_t oyi_short_div_floor(int32_t a, int32_t b) {
  if (b == 0) return 0;
  const double quotient = (double)a / (double)b;
  const int64_t whole = (int64_t)quotient;
  return whole - (quotient < (double)whole);
}
static inline int64_t oyi_short_rem(int32_t a, int32_t b) {
  return b == 0 ? 0 : a - oyi_short_div(a, b) * b;
}
static inline int64_t oyi_short_mod(int32_t a, int32_t b) {
  return b == 0 ? 0 : a - oyi_short_div_floor(a, b) * b;
}
#define OYI_DIVIDE(name, a, b)                                                \
  (sizeof(T) < sizeof(int64_t) ? oyi_short_##name((int32_t)(a), (int32_t)(b)) \
                               : oyi_int_##name(a, b))

static inline int64_t oyi_int_abs(int64_t a) {
  return a < 0 ? oyi_int_neg(a) : a;
}
// By rests, which the least number, still below 0, leaves the sign to.
static inline int64_t oyi_int_gcd_by_rests(int64_t a, int64_t b) {
  while (a != 0) {
    int64_t rest = oyi_int_rem(b, a);
    b = a, a = rest;
  }
  return b;
}
// Else by differences of odd numbers, which have a factor of 2 to lose: a division takes
// longer than several such steps.
// Of magnitudes; that of the least number of a type is itself, and the result may have its sign,
// as PyTorch's has.
static inline int64_t oyi_int_gcd_of(int64_t a, int64_t b) {
  if ((a | b) < 0) return oyi_int_gcd_by_rests(a, b);
  if (a == 0 || b == 0) return a | b;
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  const int twos = __builtin_ctzll(x | y);
  x >>= __builtin_ctzll(x), y >>= __builtin_ctzll(y);
  while (x != y) {
    const uint64_t apart = x > y ? x - y : y - x;
    y = x < y ? x : y;
    x = apart >> __builtin_ctzll(apart);
  }
  return (int64_t)(x << twos);
}
static inline int64_t oyi_int_gcd(int64_t a, int64_t b) {
  return oyi_int_gcd_of(oyi_int_abs(a), oyi_int_abs(b));
}
static inline int64_t oyi_int_lcm(int64_t a, int64_t b) {
  int64_t g = oyi_int_gcd(a, b);
  if (g == 0) return 0;
  return oyi_int_abs((int64_t)((uint64_t)oyi_int_div(a, g) * (uint64_t)b));
}
// Powers wrap; a negative exponent leaves only what is 1 or -1.
static inline int64_t oyi_int_pow(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0;
  uint64_t result = 1, base = (uint64_t)a;
  for (; b > 0; b >>= 1, base *= base)
    if (b & 1) result *= base;
  return (int64_t)result;
}

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_INTEGER_MATH_H_
