// SPDX-License-Identifier: Apache-2.0
// Series where they converge fast, asymptotic expansions beyond, and recurrences or
// reflections from one to the other.
#include "backends/cpu/special_math.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"

double oyi_lgamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

// ------------------------------------------------------------ digamma and zeta

// From here on the expansions below are good to the last bits.
static const double g_far = 12;

// B(2k) / (2k)
static const double g_digamma[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                   5.0 / 660, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};

double oyi_digamma(double x) {
  double shift = 0;
  if (x == 0) return copysign(INFINITY, -x);
  if (x < 0) {
    if (x == floor(x)) return NAN;
    // The argument of tan within half a period, where it loses nothing.
    shift = -M_PI / tan(M_PI * (x - rint(x)));
    x = 1 - x;
  }
  for (; x < g_far; x += 1) shift -= 1 / x;
  double square = 1 / (x * x), power = square, sum = 0;
  for (size_t k = 0; k < OY_ARRAY_SIZE(g_digamma); k++, power *= square)
    sum += g_digamma[k] * power;
  return shift + log(x) - 0.5 / x - sum;
}

// B(2k) / (2k)!
static const double g_zeta[] = {1.0 / 12,
                                -1.0 / 720,
                                1.0 / 30240,
                                -1.0 / 1209600,
                                1.0 / 47900160,
                                -691.0 / 1307674368000.0,
                                1.0 / 74724249600.0,
                                -3617.0 / 10670622842880000.0};

double oyi_zeta(double s, double q) {
  if (s == 1) return INFINITY;
  if (!(s > 1)) return NAN;
  if (q <= 0) {
    if (q == floor(q)) return INFINITY;
    if (s != floor(s)) return NAN;
  }
  // The limit is 0; PyTorch's sum multiplies it with what goes to infinity.
  if (isinf(q)) return NAN;
  if (isinf(s)) return pow(q, -s);
  double sum = 0;
  for (; q < g_far; q += 1) sum += pow(q, -s);
  // Euler and Maclaurin: the rest of the sum as an integral, and corrections.
  double last = pow(q, -s), factor = s, power = last / q;
  sum += last * q / (s - 1) + 0.5 * last;
  for (size_t k = 0; k < OY_ARRAY_SIZE(g_zeta); k++) {
    sum += g_zeta[k] * factor * power;
    double next = s + 2 * (double)k + 1;
    factor *= next * (next + 1);
    power /= q * q;
  }
  return sum;
}

// The reflection takes the sine of what pi x is rounded to: next to a pole, and at one,
// that is what the result is, as in PyTorch.
static double trigamma(double x, bool single) {
  if (!(x < 0.5)) return x == INFINITY ? 0 : oyi_zeta(2, x);
  double sine = single ? sinf((float)M_PI * (float)x) : sin(M_PI * x);
  return M_PI * M_PI / (sine * sine) - oyi_zeta(2, 1 - x);
}

double oyi_polygamma(double n, double x, bool single) {
  if (n == 0) return oyi_digamma(x);
  if (n == 1) return trigamma(x, single);
  double size = exp(oyi_lgamma(n + 1)) * oyi_zeta(n + 1, x);
  return fmod(n, 2) != 0 ? size : -size;
}

// ---------------------------------------------------------------- error function

double oyi_erfcx(double x) {
  if (x < -27) return INFINITY;
  if (x < 25) {
    double square = x * x, lost = fma(x, x, -square);
    return (1 + lost) * exp(square) * erfc(x);
  }
  double half = 0.5 / (x * x), sum = 1, term = 1;
  for (int k = 1; k < 8; k++) sum += term *= -(2 * k - 1) * half;
  return sum / (x * sqrt(M_PI));
}

// The y with erfc(y) = q, for q in (0, 1]: Newton's steps on the logarithm, which is
// close to a parabola, from an elementary approximation.
static double erfc_inverse(double q) {
  double log_q = log(q), a = 0.147;
  double b = log_q + log(2 - q), c = 2 / (M_PI * a) + b / 2;
  double y = sqrt(fmax(0, sqrt(c * c - b / a) - c));
  for (int i = 0; i < 4; i++) {
    double scaled = oyi_erfcx(y);
    double off = log(scaled) - y * y - log_q;
    y += off * scaled * sqrt(M_PI) / 2;
  }
  return y;
}

double oyi_erfinv(double x) {
  double size = fabs(x);
  if (!(size <= 1)) return NAN;
  if (size == 1) return copysign(INFINITY, x);
  if (size > 0.5) return copysign(erfc_inverse(1 - size), x);
  double y = x * sqrt(M_PI) / 2 * (1 + x * x * M_PI / 12);
  for (int i = 0; i < 4; i++) y -= (erf(y) - x) * exp(y * y) * sqrt(M_PI) / 2;
  return y;
}

double oyi_ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return NAN;
  if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
  if (p > 0.25 && p < 0.75) return M_SQRT2 * oyi_erfinv(2 * p - 1);
  return p < 0.5 ? -M_SQRT2 * erfc_inverse(2 * p) : M_SQRT2 * erfc_inverse(2 * (1 - p));
}

double oyi_log_ndtr(double x) {
  double t = x * M_SQRT1_2;
  if (x < -1) return log(oyi_erfcx(-t) / 2) - t * t;
  return log1p(-erfc(t) / 2);
}

double oyi_entr(double x) {
  if (x != x) return x;
  if (x > 0) return -x * log(x);
  return x == 0 ? 0 : -INFINITY;
}

// ------------------------------------------------------------- Bessel functions

// The sum of (x/2)^(2k) / (k! (k + order)!), all of whose terms are positive.
static double bessel_series(double x, int order) {
  double square = x * x / 4, term = 1, sum = 1;
  for (int k = 1; term > sum * 1e-17; k++) {
    term *= square / ((double)k * (k + order));
    sum += term;
  }
  return order ? sum * x / 2 : sum;
}

// The expansion for large |x|, without exp(x).
static double bessel_far(double x, int order) {
  double term = 1, sum = 1, mu = 4.0 * order;
  for (int k = 1; k < 30; k++) {
    double odd = 2 * k - 1;
    term *= -(mu - odd * odd) / (8.0 * k) / x;
    if (fabs(term) < 1e-17) break;
    sum += term;
  }
  return sum / sqrt(2 * M_PI) / sqrt(x);
}

static double bessel(double x, int order, bool scaled) {
  double size = fabs(x), value;
  if (isinf(x) || (size > 1e4 && !scaled)) {
    value = scaled ? 0 : INFINITY;
  } else if (size < 30) {
    value = bessel_series(size, order);
    if (scaled) value *= exp(-size);
  } else {
    value = bessel_far(size, order);
    // In two steps, so that nothing overflows before the result does.
    if (!scaled) value = value * exp(size / 2) * exp(size / 2);
  }
  return order && x < 0 ? -value : value;
}

// Not the limit, infinity: PyTorch divides it by another one.
double oyi_i0(double x) {
  return isinf(x) ? NAN : bessel(x, 0, false);
}
double oyi_i0e(double x) {
  return bessel(x, 0, true);
}
double oyi_i1(double x) {
  return isinf(x) ? NAN : bessel(x, 1, false);
}
double oyi_i1e(double x) {
  return bessel(x, 1, true);
}
