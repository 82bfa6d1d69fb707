// SPDX-License-Identifier: Apache-2.0
// The incomplete gamma functions: a series below the bend at x = a, a continued fraction
// above it (Abramowitz and Stegun, 6.5.29 and 6.5.31), both times x^a e^-x / gamma(a).
#include <math.h>
#include <stdbool.h>

#include "backends/cpu/pointwise/special_math.h"

// Both sums need some multiple of sqrt(a) terms near the bend.
static int most_terms(double a) {
  return 200 + (int)fmin(40 * sqrt(a), 2e6);
}

// The logarithm of gamma(a) over Stirling's formula, for large |a|.
static double stirling_rest(double a) {
  double square = 1 / (a * a);
  return (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680))) / a;
}

const double oyi_reciprocal_gamma[2][10] = {
    {1.0, -0.6558780715202538, 0.1665386113822915, -0.0096219715278770,
     -0.0011651675918591, 0.0001280502823882, -0.0000012504934821, -0.0000002056338417,
     0.0000000050020075, 0.0000000001043427},
    {0.5772156649015329, -0.0420026350340952, -0.0421977345555443, 0.0072189432466630,
     -0.0002152416741149, -0.0000201348547807, 0.0000011330272320, 0.0000000061160950,
     -0.0000000011812746, 0.0000000000077823}};

// 1 / gamma(a + 1) of |a| up to 1. Odd and even powers wait for each other only once.
static double small_reciprocal_gamma(double a) {
  const double square = a * a;
  double low = 0, high = 0;
  for (int k = 9; k >= 0; k--) {
    low = low * square + oyi_reciprocal_gamma[0][k];
    high = high * square + oyi_reciprocal_gamma[1][k];
  }
  return low + a * high;
}

// The same as below of |a| up to 20, for floats: gamma(a + 1) by Stirling's formula from 7
// farther up, and the product that lies between.
static double small_scale(double a, double x) {
  if (a <= 1) return exp(a * log(x) - x) * small_reciprocal_gamma(a);
  const double far = a + 8, square = 1 / (far * far);
  double product = a + 1;
  for (int k = 2; k < 8; k++) product *= a + k;
  const double rest = stirling_rest(far) + square * square * square * square / far / 1188;
  const double half_log = 0.91893853320467274178;  // of 2 pi
  return product * exp(a * log(x) - x - (far - 0.5) * log(far) + far - half_log - rest);
}

// x^a e^-x / gamma(a + 1). For large |a| the great logarithms are not subtracted from
// each other, but their difference is had from how far x is from a.
static double scale_of(double a, double x, bool single) {
  if (a < 20 && single) return small_scale(a, x);
  if (a < 20) return exp(a * log(x) - x - oyi_lgamma(a + 1));
  double off = (x - a) / a;
  double power = fabs(off) < 0.5 ? log1p(off) - off : log(x / a) - off;
  return exp(a * power - stirling_rest(a)) / sqrt(2 * M_PI * a);
}

// Floats of orders below 20 have a series of their own, loops/igamma_vector.h.
static double lower_series(double a, double x, bool single) {
  // What is left out of floats is up to some thousand times as much as the last term.
  const double least = single ? 1e-13 : 1e-17;
  double term = 1, sum = 1;
  for (int k = 1, most = most_terms(a); k < most && term > sum * least; k++) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * scale_of(a, x, false);
}

// 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)) by what it is over what it is under: no step
// waits for a quotient. Of small orders doubles lose a little more so than by Lentz' evaluation.
static double fraction_by_parts(double a, double x, double least) {
  const double great = 1e150;
  double b = x + 1 - a, over0 = 0, over = 1, under0 = 1, under = b, last = 1 / b;
  for (int k = 1, most = most_terms(a); k < most; k++) {
    const double numerator = -k * (k - a);
    b += 2;
    const double above = b * over + numerator * over0;
    const double below = b * under + numerator * under0;
    const double now = above / below;
    if (fabs(now - last) <= least * fabs(now)) return now;
    last = now;
    over0 = over, over = above;
    under0 = under, under = below;
    if (fabs(under) < great) continue;
    over0 /= great, over /= great;
    under0 /= great, under /= great;
  }
  return last;
}

// Lentz' evaluation of it.
static double fraction_by_steps(double a, double x, double least) {
  const double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, result = d;
  for (int k = 1, most = most_terms(a); k < most; k++) {
    double numerator = -k * (k - a);
    b += 2;
    d = numerator * d + b;
    c = b + numerator / c;
    if (fabs(d) < tiny) d = tiny;
    if (fabs(c) < tiny) c = tiny;
    d = 1 / d;
    result *= c * d;
    if (fabs(c * d - 1) < least) break;
  }
  return result;
}

static double upper_fraction(double a, double x, bool single) {
  const double least = single ? 1e-10 : 1e-16;
  const double found =
      single || a >= 20 ? fraction_by_parts(a, x, least) : fraction_by_steps(a, x, least);
  return found * a * scale_of(a, x, single);
}

// Orders from here on: the sums would take too long, and two terms of Temme's expansion
// are good to 1e-12.
static const double g_great = 1e8;

static double great(double a, double x, double sign) {
  double off = (x - a) / a;
  double half_square = fabs(off) < 0.5 ? off - log1p(off) : off - log(x / a);
  double eta = copysign(sqrt(2 * half_square), off);
  double first = fabs(eta) < 1e-4 ? -1.0 / 3 + eta / 12 : 1 / off - 1 / eta;
  double rest = exp(-a * half_square) / sqrt(2 * M_PI * a) * first;
  return 0.5 * erfc(sign * eta * sqrt(a / 2)) + sign * rest;
}

// Where the functions have no more to be computed: sets the lower one. One that is no
// number matters last, as in PyTorch.
static bool is_limit(double a, double x, double* lower) {
  *lower = NAN;
  if (a < 0 || x < 0) return true;
  if (a == 0) {
    *lower = x > 0 ? 1 : NAN;
  } else if (x == 0) {
    *lower = 0;
  } else if (isinf(a)) {
    *lower = isinf(x) ? NAN : 0;
  } else if (isinf(x)) {
    *lower = 1;
  } else {
    return isnan(a) || isnan(x);
  }
  return true;
}

double oyi_igamma(double a, double x, bool single) {
  double lower;
  if (is_limit(a, x, &lower)) return lower;
  if (a > g_great) return great(a, x, -1);
  return x < a + 1 ? lower_series(a, x, single) : 1 - upper_fraction(a, x, single);
}

double oyi_igammac(double a, double x, bool single) {
  double lower;
  if (is_limit(a, x, &lower)) return 1 - lower;
  if (a > g_great) return great(a, x, 1);
  // What is left of 1 may be little, and takes all digits.
  return x < a + 1 ? 1 - lower_series(a, x, single) : upper_fraction(a, x, single);
}
