// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials of great degrees, which a recurrence does not reach: Chebyshev's by
// hyperbolic functions, the others by the first two terms of their expansions in Bessel
// functions, whose rest falls as the square of the degree.
#include <math.h>

#include "backends/cpu/pointwise/special_math.h"

// acosh x, with all its digits next to 1.
static double angle_outside(double x) {
  const double off = x - 1;
  return log1p(off + sqrt(off * (off + 2)));
}

static double sign_of(double x, int64_t n) {
  return x < 0 && n % 2 != 0 ? -1 : 1;
}

double oyi_chebyshev_great(double x, int64_t n, char kind) {
  const double t = angle_outside(fabs(x)), half = (double)n + 0.5;
  // Mirrored, the third and the fourth kind are each other.
  if (x < 0 && (kind == 'V' || kind == 'W')) kind = kind == 'V' ? 'W' : 'V';
  switch (kind) {
    case 'T': return sign_of(x, n) * cosh((double)n * t);
    case 'U': return sign_of(x, n) * (sinh(((double)n + 1) * t) / sinh(t));
    case 'V': return sign_of(x, n) * (cosh(half * t) / cosh(t / 2));
    default: return sign_of(x, n) * (sinh(half * t) / sinh(t / 2));
  }
}

// Szego's expansion (DLMF 18.15.12 has its first term); outside of the circle the angle is
// imaginary.
double oyi_legendre_great(double x, int64_t n) {
  const double half = (double)n + 0.5, size = fabs(x);
  if (size > 1) {
    const double t = angle_outside(size), by = (t / tanh(t) - 1) / (8 * t * half);
    return sign_of(x, n) * sqrt(t / sinh(t)) * (oyi_i0(half * t) + by * oyi_i1(half * t));
  }
  const double t = acos(size), by = (t / tan(t) - 1) / (8 * t * half);
  return sign_of(x, n) * sqrt(t / sin(t)) * (j0(half * t) + by * j1(half * t));
}

// DLMF 18.15.19, and the same with an imaginary argument below 0.
double oyi_laguerre_great(double x, int64_t n) {
  const double nu = 4 * (double)n + 2, at = x / nu, size = fabs(at);
  if (fabs(x) * (double)n < 1e-17) return 1;
  const double root = sqrt(size), rest = sqrt(1 - at), ratio = at / (1 - at);
  const double xi = (root * rest + (x > 0 ? asin(root) : asinh(root))) / 2;
  const double by =
      -0.5 * (0.125 + xi * rest / root * (-0.125 + ratio / 4 + ratio * ratio * 5 / 24));
  const double zero = x > 0 ? j0(nu * xi) : oyi_i0(nu * xi);
  const double one = x > 0 ? j1(nu * xi) : oyi_i1(nu * xi);
  return exp(x / 2) / sqrt(root * rest) * (sqrt(xi) * zero + by / (sqrt(xi) * nu) * one);
}
