// SPDX-License-Identifier: Apache-2.0
// Bessel functions of the second kind, and Airy's. Formulas by their numbers in the Digital
// Library of Mathematical Functions. Integrands that fall off doubly exponentially are
// summed by the trapezoidal rule, which is then good to all digits (Trefethen and Weideman
// 2014).
#include <float.h>
#include <math.h>

#include "backends/cpu/pointwise/special_math.h"

// Where PyTorch has no value for an infinite argument, it has none here.
double oyi_bessel_j0(double x) {
  return isinf(x) ? NAN : j0(x);
}
double oyi_bessel_j1(double x) {
  return isinf(x) ? NAN : j1(x);
}
double oyi_bessel_y0(double x) {
  if (x == 0) return -INFINITY;
  return x > 0 && !isinf(x) ? y0(x) : NAN;
}
double oyi_bessel_y1(double x) {
  if (x == 0) return -INFINITY;
  return x > 0 && !isinf(x) ? y1(x) : NAN;
}
double oyi_modified_bessel_i0(double x) {
  if (fabs(x) > 1000) return isinf(x) ? NAN : INFINITY;
  return oyi_i0(x);
}
double oyi_modified_bessel_i1(double x) {
  if (fabs(x) > 1000) return isinf(x) ? NAN : copysign(INFINITY, x);
  return oyi_i1(x);
}
double oyi_spherical_bessel_j0(double x) {
  if (isinf(x)) return 0;
  return x == 0 ? 1 : sin(x) / x;
}

// ------------------------------------------------------------------------ K0 and K1

static const double g_euler = 0.57721566490153286061;

// 10.32.9 times exp(x): the integral of exp(-x (cosh t - 1)) cosh(order t), x from 1 on.
static double bessel_k_integral(double x, double order) {
  const double step = fmin(0.2, 0.6 / sqrt(x));
  double sum = 0.5;
  for (int k = 1; k < 1000; k++) {
    // cosh t - 1 without cancellation.
    const double t = k * step, s = sinh(t / 2);
    const double term = exp(-2 * x * s * s) * cosh(order * t);
    sum += term;
    if (term < sum * 1e-18) break;
  }
  return sum * step;
}

// 10.31.2: -(log(x / 2) + gamma) I0(x), and the sum of H(k) (x^2 / 4)^k / k!^2.
static double bessel_k0_series(double x) {
  const double square = x * x / 4;
  double term = 1, harmonic = 0, sum = 0;
  for (int k = 1; k < 30; k++) {
    term *= square / ((double)k * k);
    harmonic += 1.0 / k;
    sum += term * harmonic;
  }
  return sum - (log(x / 2) + g_euler) * oyi_i0(x);
}
// 10.31.1 with n = 1: 1 / x + log(x / 2) I1(x) - the sum of
// (psi(k + 1) + psi(k + 2)) / 2 (x / 2)^(2k + 1) / (k! (k + 1)!).
static double bessel_k1_series(double x) {
  const double square = x * x / 4;
  double term = x / 2, psi = -g_euler, sum = 0;
  for (int k = 0; k < 30; k++) {
    sum += term * (psi + 0.5 / (k + 1));
    psi += 1.0 / (k + 1);
    term *= square / ((double)(k + 1) * (k + 2));
  }
  return 1 / x + log(x / 2) * oyi_i1(x) - sum;
}

// Scaled by exp(x).
static double bessel_k(double x, int order) {
  if (x == 0) return INFINITY;
  if (!(x > 0)) return NAN;
  if (isinf(x)) return 0;
  if (x >= 1) return bessel_k_integral(x, order);
  return exp(x) * (order ? bessel_k1_series(x) : bessel_k0_series(x));
}

double oyi_scaled_modified_bessel_k0(double x) {
  return bessel_k(x, 0);
}
double oyi_scaled_modified_bessel_k1(double x) {
  return bessel_k(x, 1);
}
double oyi_modified_bessel_k0(double x) {
  return x == 0 ? INFINITY : bessel_k(x, 0) * exp(-x);
}
double oyi_modified_bessel_k1(double x) {
  return x == 0 ? INFINITY : bessel_k(x, 1) * exp(-x);
}

// ---------------------------------------------------------------------------- Airy

// 9.4.1, near 0.
static double airy_series(double x) {
  const double at_0 = 0.35502805388781723926, slope = -0.25881940379280679840;
  const double cube = x * x * x;
  double a = 1, b = x, even = 0, odd = 0;
  for (int k = 1; k < 30; k++) {
    even += a;
    odd += b;
    a *= cube / ((3 * k - 1) * (3.0 * k));
    b *= cube / ((3 * k) * (3.0 * k + 1));
  }
  return at_0 * even + slope * odd;
}

// 9.2.14 and 9.6.2 make Ai(-y) of the imaginary part of K, of order 1/3, at i z with
// z = 2/3 y^(3/2). Its integral runs along the way of steepest descent t = s - i gd(s), where
// cosh t = 1 - i sinh(s) tanh(s) and dt = (1 - i sech(s)) ds.
static double airy_waves(double y) {
  const double z = y * sqrt(y) * 2 / 3, step = fmin(0.15, 0.5 / sqrt(z));
  double re = 0, im = 0;
  for (int k = -1000; k <= 1000; k++) {
    const double s = k * step, fall = z * sinh(s) * tanh(s);
    if (fall > 60 + fabs(s)) continue;
    const double size = exp(-fall - s / 3), turn = atan(sinh(s)) / 3, sech = 1 / cosh(s);
    const double c = size * cos(turn), d = size * sin(turn);
    re += c + d * sech;
    im += d - c * sech;
  }
  re *= step / 2, im *= step / 2;
  // Times exp(-i z).
  return -2 / M_PI * sqrt(y / 3) * (im * cos(z) - re * sin(z));
}

double oyi_airy_ai(double x, bool single) {
  if (isinf(x) || x != x) return NAN;
  // The angle of the wave overflows.
  if (single && x < 0 && -2 * x * sqrt(-x) > FLT_MAX) return NAN;
  if (x < -2) return airy_waves(-x);
  if (x < 2) return airy_series(x);
  // Less than the smallest number.
  if (x > 200) return 0;
  const double z = x * sqrt(x) * 2 / 3;
  return sqrt(x / 3) / M_PI * bessel_k_integral(z, 1.0 / 3) * exp(-z);
}
