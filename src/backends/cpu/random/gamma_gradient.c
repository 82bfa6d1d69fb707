// SPDX-License-Identifier: Apache-2.0
// How much a sample changes with a parameter of its distribution, at the same place of the
// cumulative one F: -(dF/da) / (dF/dx). dF/da is an integral over the density f of
// log(u) minus its mean, from an end up to x: from below where x is less than the
// exponential of that mean, from above where it is more, so that all that is added is
// positive. Along s, where u is x e^-s or the like, it is over a half line. Of small
// parameters most of the density lies far below x, and what cancels from there is little.
#include <math.h>
#include <stdbool.h>

#include "backends/cpu/pointwise/special_math.h"
#include "backends/cpu/random/gamma_gradient.h"

// |mean| of log(u), |a| and |b| the parameters.
typedef struct place {
  double x, a, b, mean;
} place;
typedef double (*integrand)(const place* p, double s);

// The integral of |f| from 0 on, by the trapezoidal rule over t with s = exp(t - e^-t),
// times |scale|: the points lie close where s is small and each is worth little at the ends.
static double half_line(const place* p, integrand f, double scale) {
  const double step = 1.0 / 16;
  double sum = 0;
  for (int k = -60; k < 4000; k++) {
    const double t = k * step, near = exp(-t), s = scale * exp(t - near);
    const double more = f(p, s) * s * (1 + near);
    sum += more;
    if (!(fabs(more) > fabs(sum) * 1e-18) && k > 0) break;
  }
  return sum * step;
}

// ----------------------------------------------------------------------------- gamma

static double gamma_below(const place* p, double s) {
  return (p->mean - log(p->x) + s) * exp(-p->a * s - p->x * expm1(-s));
}
static double gamma_above(const place* p, double s) {
  return (log(p->x) + s - p->mean) * exp(p->a * s - p->x * expm1(s));
}

double oyi_gamma_gradient(double a, double x) {
  if (!(a > 0) || !(x > 0) || isinf(a) || isinf(x)) return 0;
  const place p = {x, a, 0, oyi_digamma(a, false)};
  const bool from_below = log(x) < p.mean || (a < 1 && x < 1);
  const double made =
      from_below ? half_line(&p, gamma_below, 1 / a) : half_line(&p, gamma_above, 1 / x);
  return isnan(made) ? 0 : x * made;
}

// ------------------------------------------------------------------------------ beta

// u = x e^-s
static double beta_below(const place* p, double s) {
  const double x = p->x, more = -x * expm1(-s) / (1 - x);
  return (p->mean - log(x) + s) * exp(-p->a * s + (p->b - 1) * log1p(more));
}
// 1 - u = (1 - x) e^-s
static double beta_above(const place* p, double s) {
  const double x = p->x, more = -(1 - x) * expm1(-s) / x;
  const double log_part = log1p(more);
  return (log(x) + log_part - p->mean) * exp((p->a - 1) * log_part - p->b * s);
}

double oyi_dirichlet_gradient(double x, double a, double total) {
  const double b = total - a;
  if (!(a > 0) || !(x > 0) || !(x <= 1) || !(b >= 0) || isinf(total)) return 0;
  const place p = {x, a, b, oyi_digamma(a, false) - oyi_digamma(total, false)};
  if (log(x) < p.mean || (a < 1 && x < 0.5)) {
    const double made = half_line(&p, beta_below, 1 / a);
    return isnan(made) ? 0 : x * made / (1 - x);
  }
  const double made = half_line(&p, beta_above, 1 / b);
  return isfinite(made) ? made : 0;
}
