// SPDX-License-Identifier: Apache-2.0
// Series where they converge fast, asymptotic expansions beyond, and recurrences or
// reflections from one to the other.
#include "backends/cpu/pointwise/special_math.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/template.h"

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

double oyi_digamma(double x, bool single) {
  double shift = 0;
  if (x == 0) return copysign(INFINITY, -x);
  if (x < 0) {
    if (x == floor(x)) return NAN;
    // The argument of tan within half a period, where it loses nothing.
    shift = -M_PI / tan(M_PI * (x - rint(x)));
    x = 1 - x;
  }
  // All steps up with one division, two at a time. At 6 five terms are good for 11 digits.
  double above = 0, below = 1;
  for (const double far = single ? 6 : g_far; x < far; x += 2) {
    const double both = x * x + x;
    above = above * both + (2 * x + 1) * below;
    below *= both;
  }
  const double inverse = 1 / x, square = inverse * inverse;
  double sum = 0;
  for (size_t k = single ? 5 : OY_ARRAY_SIZE(g_digamma); k-- > 0;)
    sum = (sum + g_digamma[k]) * square;
  return shift - above / below + log(x) - 0.5 * inverse - sum;
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

// The sum of whole orders over the terms below 0, of which there may be more than anyone can
// add up: with the other sign they are a zeta function that ends.
static double zeta_below(double s, double q, double above) {
  const double sum = oyi_zeta(s, 1 - above, false) - oyi_zeta(s, 1 - q, false);
  return fmod(s, 2) != 0 ? -sum : sum;
}

double oyi_zeta(double s, double q, bool single) {
  if (s == 1) return INFINITY;
  if (q <= 0) {
    if (q == floor(q)) return INFINITY;
    if (s != floor(s)) return NAN;
  }
  // The limit is 0; PyTorch's sum multiplies it with what goes to infinity.
  if (isinf(q)) return NAN;
  // Below 1 a term comes along that is infinite.
  if (isinf(s)) return q > 1 ? 0 : q == 1 ? 1 : q < 1 ? INFINITY : NAN;
  double sum = 0;
  // Few are added up sooner.
  if (q < -4 * g_far) {
    const double above = q - floor(q);
    sum = zeta_below(s, q, above);
    q = above, single = false;
  }
  // Of orders up to 4 the corrections are good for nine digits from 6 on.
  for (const double far = single && s <= 4 ? 6 : g_far; q < far; q += 1)
    sum += pow(q, -s);
  // Euler and Maclaurin: the rest of the sum as an integral, and corrections.
  double last = pow(q, -s), factor = s, power = last / q;
  sum += last * q / (s - 1) + 0.5 * last;
  // Of high orders nothing is left, and the factor overflows.
  for (size_t k = 0; k < OY_ARRAY_SIZE(g_zeta) && power != 0; k++) {
    sum += g_zeta[k] * factor * power;
    double next = s + 2 * (double)k + 1;
    factor *= next * (next + 1);
    power /= q * q;
  }
  return sum;
}

// B(2k)
static const double g_trigamma[] = {1.0 / 6,  -1.0 / 30,       1.0 / 42, -1.0 / 30,
                                    5.0 / 66, -691.0 / 2730.0, 7.0 / 6,  -3617.0 / 510};

// zeta(2, x) of |x| from 1/2 on, as in digamma: up with one division, two at a time.
static double zeta_two(double x, bool single) {
  double above = 0, below = 1;
  for (const double far = single ? 6 : g_far; x < far; x += 2) {
    const double both = x * x + x, square = both * both;
    above = above * square + (2 * both + 1) * below;
    below *= square;
  }
  const double inverse = 1 / x, square = inverse * inverse;
  double sum = 0;
  for (size_t k = single ? 5 : OY_ARRAY_SIZE(g_trigamma); k-- > 0;)
    sum = (sum + g_trigamma[k]) * square;
  return above / below + inverse * (1 + 0.5 * inverse + sum);
}

// The reflection takes the sine of what pi x is rounded to: next to a pole, and at one,
// that is what the result is, as in PyTorch.
static double trigamma(double x, bool single) {
  if (!(x < 0.5)) return x == INFINITY ? 0 : zeta_two(x, single);
  double sine = single ? sinf((float)M_PI * (float)x) : sin(M_PI * x);
  return M_PI * M_PI / (sine * sine) - zeta_two(1 - x, single);
}

double oyi_polygamma(double n, double x, bool single) {
  if (n == 0) return oyi_digamma(x, single);
  if (n == 1) return trigamma(x, single);
  double size = exp(oyi_lgamma(n + 1)) * oyi_zeta(n + 1, x, single);
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
  // Of those farther off two terms are all that matter.
  if (x > 1e4) return (1 - half + 3 * half * half) / (x * sqrt(M_PI));
  for (int k = 1; k < 8; k++) sum += term *= -(2 * k - 1) * half;
  return sum / (x * sqrt(M_PI));
}

// A polynomial over another: both go on by one vector.
typedef double pair __attribute__((vector_size(16)));
static inline double ratio(const pair terms[8], double r) {
  pair sums = terms[7];
  OYI_UNROLL_BY(7)
  for (int k = 6; k >= 0; k--) sums = sums * r + terms[k];
  return sums[0] / sums[1];
}

// What the normal distribution reaches with probability |p|, a half and |off|, by M. J.
// Wichura's algorithm AS 241 (Applied Statistics 37, 1988, PPND16): relative error 1e-16.
// |tail| is the smaller of |p| and 1 - |p|. Floats have loops/quantile_vector.h.
static double normal_quantile(double off, double tail) {
  static const pair terms[3][8] = {
      {{3.3871328727963666080e0, 1},
       {1.3314166789178437745e2, 4.2313330701600911252e1},
       {1.9715909503065514427e3, 6.8718700749205790830e2},
       {1.3731693765509461125e4, 5.3941960214247511077e3},
       {4.5921953931549871457e4, 2.1213794301586595867e4},
       {6.7265770927008700853e4, 3.9307895800092710610e4},
       {3.3430575583588128105e4, 2.8729085735721942674e4},
       {2.5090809287301226727e3, 5.2264952788528545610e3}},
      {{1.42343711074968357734e0, 1},
       {4.63033784615654529590e0, 2.05319162663775882187e0},
       {5.76949722146069140550e0, 1.67638483018380384940e0},
       {3.64784832476320460504e0, 6.89767334985100004550e-1},
       {1.27045825245236838258e0, 1.48103976427480074590e-1},
       {2.41780725177450611770e-1, 1.51986665636164571966e-2},
       {2.27238449892691845833e-2, 5.47593808499534494600e-4},
       {7.74545014278341407640e-4, 1.05075007164441684324e-9}},
      {{6.65790464350110377720e0, 1},
       {5.46378491116411436990e0, 5.99832206555887937690e-1},
       {1.78482653991729133580e0, 1.36929880922735805310e-1},
       {2.96560571828504891230e-1, 1.48753612908506148525e-2},
       {2.65321895265761230930e-2, 7.86869131145613259100e-4},
       {1.24266094738807843860e-3, 1.84631831751005468180e-5},
       {2.71155556874348757815e-5, 1.42151175831644588870e-7},
       {2.01033439929228813265e-7, 2.04426310338993978564e-15}}};
  if (fabs(off) <= 0.425) return off * ratio(terms[0], 0.180625 - off * off);
  double r = sqrt(-log(tail));
  double size = r <= 5 ? ratio(terms[1], r - 1.6) : ratio(terms[2], r - 5);
  return copysign(size, off);
}

double oyi_erfinv(double x) {
  const double size = fabs(x);
  if (!(size <= 1)) return NAN;
  if (size == 1) return copysign(INFINITY, x);
  const double tail = (1 - size) / 2;
  return normal_quantile(x / 2, tail) * M_SQRT1_2;
}

double oyi_ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return NAN;
  if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
  // Nobody can foretell which: there is no branch.
  const double other = 1 - p, tail = p < other ? p : other;
  return normal_quantile(p - 0.5, tail);
}

double oyi_log_ndtr(double x) {
  double t = x * M_SQRT1_2;
  if (x < -1) return log(oyi_erfcx(-t) / 2) - t * t;
  return log1p(-erfc(t) / 2);
}

// ------------------------------------------------------------- Bessel functions

// 1 / (k! (k + order)!): up to |x| = 2 they are all that matter.
static const double g_bessel[2][12] = {
    {1, 1, 1.0 / 4, 1.0 / 36, 1.0 / 576, 1.0 / 14400, 1.0 / 518400, 1.0 / 25401600,
     1.0 / 1625702400, 1.0 / 131681894400, 1.0 / 13168189440000, 1.0 / 1593350922240000},
    {1, 1.0 / 2, 1.0 / 12, 1.0 / 144, 1.0 / 2880, 1.0 / 86400, 1.0 / 3628800,
     1.0 / 203212800, 1.0 / 14631321600, 1.0 / 1316818944000, 1.0 / 144850083840000,
     1.0 / 19120211066880000}};

// The sum of (x/2)^(2k) / (k! (k + order)!), all of whose terms are positive.
static double bessel_series(double x, int order) {
  double square = x * x / 4, term = 1, sum = 1;
  if (square <= 1) {
    sum = g_bessel[order][11];
    for (size_t k = 11; k-- > 0;) sum = sum * square + g_bessel[order][k];
    return order ? sum * x / 2 : sum;
  }
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

static double bessel(double x, int order) {
  const double size = fabs(x);
  double value;
  if (isinf(x) || size > 1e4) {
    value = INFINITY;
  } else if (size < 30) {
    value = bessel_series(size, order);
  } else {
    // In two steps, so that nothing overflows before the result does.
    value = bessel_far(size, order) * exp(size / 2) * exp(size / 2);
  }
  return order && x < 0 ? -value : value;
}

// Not the limit, infinity: PyTorch divides it by another one.
double oyi_i0(double x) {
  return isinf(x) ? NAN : bessel(x, 0);
}
double oyi_i1(double x) {
  return isinf(x) ? NAN : bessel(x, 1);
}
