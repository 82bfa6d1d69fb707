// SPDX-License-Identifier: Apache-2.0
// Special functions that the C library does not have, in double: f32 and the 16-bit
// floats are rounded from it, so theirs is the nearest result nearly always.
#ifndef OPYARD_SRC_BACKENDS_CPU_POINTWISE_SPECIAL_MATH_H_
#define OPYARD_SRC_BACKENDS_CPU_POINTWISE_SPECIAL_MATH_H_

#include <stdbool.h>
#include <stdint.h>

// |single|: of a float, to nine digits or more.

// lgamma without the sign that the C library keeps in a global.
double oyi_lgamma(double x);
double oyi_digamma(double x, bool single);
// Hurwitz' zeta function of orders from 1 on: the sum of (q + k)^-s.
double oyi_zeta(double s, double q, bool single);
// The derivative of digamma of order |n|, from 0 on; next to the poles of the first one as
// numbers in f32 have it if |single|.
double oyi_polygamma(double n, double x, bool single);
double oyi_erfinv(double x);
// exp(x * x) * erfc(x)
double oyi_erfcx(double x);
// The normal distribution: quantiles, and the logarithm of its integral.
double oyi_ndtri(double p);
double oyi_log_ndtr(double x);
// Modified Bessel functions of the first kind of order 0 and 1; the operators have those of
// loops/bessel_vector.h.
double oyi_i0(double x);
double oyi_i1(double x);
// The incomplete gamma functions over gamma(a), up to |x| and from there on; they add up
// to 1 (special_gamma.c).
double oyi_igamma(double a, double x, bool single);
double oyi_igammac(double a, double x, bool single);
// 1 / gamma(a + 1) of |a| up to 1, to 1e-10, as a polynomial of a (Abramowitz and Stegun,
// 6.1.34): the factors of even powers from 0 on, and those of odd ones.
extern const double oyi_reciprocal_gamma[2][10];

// Orthogonal polynomials of degree |n|, cut to an integer; 0 below 0
// (special_polynomials.c; loops/polynomial_vector.h has the operators' loops). NaN where their
// recurrence ends so. Greater degrees than OYI_POLYNOMIAL_STEEP take too long by recurrence, of
// Hermite's those above OYI_HERMITE_MOST are NaN.
enum { OYI_POLYNOMIAL_STEEP = 1 << 20 };
#define OYI_HERMITE_MOST(T) (sizeof(T) < sizeof(double) ? 128 : 512)
// Chebyshev's kinds: the degrees from which on they are had by angles within the circle, and
// those of the shifted ones.
#define OYI_CHEBYSHEV_KINDS(X) \
  X(t, 'T', 7, 7)              \
  X(u, 'U', 9, 7)              \
  X(v, 'V', 9, 7)              \
  X(w, 'W', 9, 5)
float oyi_chebyshev_t_f32(float x, float n);
double oyi_chebyshev_t_f64(double x, double n);
float oyi_chebyshev_u_f32(float x, float n);
double oyi_chebyshev_u_f64(double x, double n);
float oyi_chebyshev_v_f32(float x, float n);
double oyi_chebyshev_v_f64(double x, double n);
float oyi_chebyshev_w_f32(float x, float n);
double oyi_chebyshev_w_f64(double x, double n);
float oyi_shifted_chebyshev_t_f32(float x, float n);
double oyi_shifted_chebyshev_t_f64(double x, double n);
float oyi_shifted_chebyshev_u_f32(float x, float n);
double oyi_shifted_chebyshev_u_f64(double x, double n);
float oyi_shifted_chebyshev_v_f32(float x, float n);
double oyi_shifted_chebyshev_v_f64(double x, double n);
float oyi_shifted_chebyshev_w_f32(float x, float n);
double oyi_shifted_chebyshev_w_f64(double x, double n);
float oyi_hermite_h_f32(float x, float n);
double oyi_hermite_h_f64(double x, double n);
float oyi_hermite_he_f32(float x, float n);
double oyi_hermite_he_f64(double x, double n);
float oyi_laguerre_f32(float x, float n);
double oyi_laguerre_f64(double x, double n);
float oyi_legendre_f32(float x, float n);
double oyi_legendre_f64(double x, double n);
// Those of a degree so great that its inverse square is nothing (special_polynomials_great.c);
// infinite or NaN where they overflow. Chebyshev's of kind 'T' to 'W' outside of the circle.
double oyi_chebyshev_great(double x, int64_t n, char kind);
double oyi_legendre_great(double x, int64_t n);
double oyi_laguerre_great(double x, int64_t n);

#endif  // OPYARD_SRC_BACKENDS_CPU_POINTWISE_SPECIAL_MATH_H_
