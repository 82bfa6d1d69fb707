// SPDX-License-Identifier: Apache-2.0
// Special functions that the C library does not have, in double: f32 and the 16-bit
// floats are rounded from it, so theirs is the nearest result nearly always.
#ifndef OPYARD_SRC_BACKENDS_CPU_SPECIAL_MATH_H_
#define OPYARD_SRC_BACKENDS_CPU_SPECIAL_MATH_H_

#include <stdbool.h>

// lgamma without the sign that the C library keeps in a global.
double oyi_lgamma(double x);
double oyi_digamma(double x);
// Hurwitz' zeta function: the sum of (q + k)^-s.
double oyi_zeta(double s, double q);
// The derivative of digamma of order |n|, from 0 on. |single|: as numbers in f32 have it
// next to the poles of the first one.
double oyi_polygamma(double n, double x, bool single);
double oyi_erfinv(double x);
// exp(x * x) * erfc(x)
double oyi_erfcx(double x);
// The normal distribution: quantiles, and the logarithm of its integral.
double oyi_ndtri(double p);
double oyi_log_ndtr(double x);
// -x log x, continued to 0.
double oyi_entr(double x);
// Modified Bessel functions of the first kind of order 0 and 1; those that end in e
// are multiplied by exp(-|x|).
double oyi_i0(double x);
double oyi_i0e(double x);
double oyi_i1(double x);
double oyi_i1e(double x);
// The incomplete gamma functions over gamma(a), up to |x| and from there on; they add up
// to 1 (special_gamma.c).
double oyi_igamma(double a, double x);
double oyi_igammac(double a, double x);

#endif  // OPYARD_SRC_BACKENDS_CPU_SPECIAL_MATH_H_
