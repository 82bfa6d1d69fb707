// SPDX-License-Identifier: Apache-2.0
// Special functions far from 0 and beside numbers that have no value, against asymptotic series
// and against what they give alone.
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "support/tensors.h"

// 2 exp(x * x) less the series from 20 below 0 on, the series from there on above.
static double erfcx_far(double x) {
  const long double size = fabsl((long double)x), half = 0.5L / (size * size);
  long double sum = 1, term = 1;
  for (int k = 1; k < 12; k++) sum += term *= -(2 * k - 1) * half;
  const long double above = sum / (size * sqrtl(acosl(-1)));
  return (double)(x > 0 ? above : 2 * expl(size * size) - above);
}

static void check_erfcx(oy_dtype dtype, double most, double places) {
  enum { N = 400 };
  double x[N];
  oy_scope scope;
  oy_scope_open(&scope);
  for (int i = 0; i < N; i++) {
    const double size = pow(most / 26, (double)(i / 2) / (N / 2 - 1)) * 26;
    x[i] = i % 2 ? size : -size;
  }
  oy_tensor* wide = oy_scope_take(oy_tensor_from_data(x, OY_DIMS(N), OY_DTYPE_F64));
  oy_tensor* t = oy_to_dtype(wide, dtype, false, true, oy_none());
  oy_tensor* r = oy_special_erfcx(t);
  assert_non_null(r);
  for (int64_t i = 0; i < N; i++) {
    const double at = element(t, i), want = erfcx_far(at), got = element(r, i);
    const bool same = want > (dtype == OY_DTYPE_F32 ? (double)FLT_MAX : DBL_MAX)
                          ? isinf(got)
                          : fabs(got - want) <= places * fabs(want);
    if (!same) fail_msg("erfcx of %a: %a, not %a", at, got, want);
  }
  oy_scope_close(&scope);
}

static void erfcx_of_great_numbers(void** state) {
  (void)state;
  check_erfcx(OY_DTYPE_F64, 1e150, 8 * DBL_EPSILON);
  check_erfcx(OY_DTYPE_F32, 1e37, 2 * (double)FLT_EPSILON);
}

// Vectors that are all outside, and such with one inside, at each place.
static void quantiles_beside_others(void** state) {
  (void)state;
  enum { N = 64 };
  static oy_tensor* (*const fns[])(oy_tensor*) = {oy_erfinv, oy_special_ndtri};
  static const double outside[] = {2, -3, NAN, 1e30}, inside[] = {0.999, 0.3, 1, 0};
  for (int which = 0; which < 4 * N; which++) {
    double x[N];
    for (int i = 0; i < N; i++) x[i] = outside[(i + which) % 4];
    if (which % N > 0) x[which % N] = inside[which / N];
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* wide = oy_scope_take(oy_tensor_from_data(x, OY_DIMS(N), OY_DTYPE_F64));
    oy_tensor* t = oy_to_dtype(wide, OY_DTYPE_F32, false, true, oy_none());
    for (int f = 0; f < 2; f++) {
      oy_tensor *all = fns[f](t), *one = fns[f](oy_narrow(t, 0, which % N, 1));
      for (int64_t i = 0; i < N; i++)
        if (which % N == 0 || i != which % N) assert_true(isnan(element(all, i)));
      const double got = element(all, which % N), alone = element(one, 0);
      assert_true(got == alone || (isnan(got) && isnan(alone)));
      assert_true(which % N == 0 || !isnan(got));
    }
    oy_scope_close(&scope);
  }
}

static void polygamma_of_order_0_is_digamma(void** state) {
  (void)state;
  enum { N = 41 };
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_BF16};
  double x[N];
  for (int i = 0; i < N; i++) x[i] = (i - 20) / 4.0;
  for (int d = 0; d < 3; d++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* wide = oy_scope_take(oy_tensor_from_data(x, OY_DIMS(N), OY_DTYPE_F64));
    oy_tensor* t = oy_to_dtype(wide, dtypes[d], false, true, oy_none());
    oy_tensor *a = oy_polygamma(0, t), *b = oy_digamma(t);
    assert_memory_equal(oy_tensor_data(a), oy_tensor_data(b),
                        N * oy_dtype_size(dtypes[d]));
    oy_scope_close(&scope);
  }
}

// Of whole orders, e^-x (1 + x + x^2 / 2 + ...).
static void upper_gamma_of_doubles(void** state) {
  (void)state;
  static const double orders[] = {1, 2, 5, 19, 20, 21, 34, 50, 100};
  enum { ORDERS = 9, BOUNDS = 40, N = ORDERS * BOUNDS };
  double a[N], x[N];
  for (int i = 0; i < N; i++) {
    a[i] = orders[i % ORDERS];
    x[i] = a[i] + 1 + a[i] * (i / ORDERS) / 13.0;
  }
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* order = oy_scope_take(oy_tensor_from_data(a, OY_DIMS(N), OY_DTYPE_F64));
  oy_tensor* bound = oy_scope_take(oy_tensor_from_data(x, OY_DIMS(N), OY_DTYPE_F64));
  oy_tensor *upper = oy_igammac(order, bound), *lower = oy_igamma(order, bound);
  for (int i = 0; i < N; i++) {
    long double term = expl(-(long double)x[i]), want = 0;
    for (int k = 1; k <= (int)a[i]; term *= (long double)x[i] / k++) want += term;
    const double got = element(upper, i);
    if (!(fabs(got - (double)want) <= 2e-13 * (double)want))
      fail_msg("igammac(%g, %g): %.17g, not %.17g", a[i], x[i], got, (double)want);
    assert_true(fabs(element(lower, i) - (double)(1 - want)) <= 2e-13);
  }
  oy_scope_close(&scope);
}

// The lower one by its series, which has no term below 0.
static long double lower_gamma(double order, double bound) {
  const long double a = (long double)order, x = (long double)bound;
  if (!(order >= 0) || !(bound >= 0)) return (long double)NAN;
  if (isinf(order) || bound == 0) return 0;
  if (isinf(bound) || order == 0) return 1;
  long double sum = 0, term = expl(a * logl(x) - x - lgammal(a + 1));
  for (int k = 1; k < 2000; term *= x / (a + k++)) sum += term;
  return sum;
}

// Orders and bounds of every size up to where both are summed by vectors, and past it, with such
// among them that have no result; each the same alone.
static void lower_gamma_of_doubles(void** state) {
  (void)state;
  enum { N = 1009 };
  static const double outside[] = {-1, NAN, INFINITY, 0};
  double a[N], x[N];
  for (int i = 0; i < N; i++) {
    const int k = i * 101 % N;
    a[i] = k % 3 == 0 ? ldexp(1 + k / 2000.0, k % 23 - 18) : (k + 1) * (22.0 / N);
    x[i] = k % 5 == 0 ? ldexp(1 + k / 2000.0, k % 17 - 9) : a[i] * (0.02 + k % 97 / 40.0);
    if (i % 41 == 40) (k % 2 ? a : x)[i] = outside[k % 3];
    if (i % 97 == 96) a[i] = 0, x[i] = 1;
  }
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* order = oy_scope_take(oy_tensor_from_data(a, OY_DIMS(N), OY_DTYPE_F64));
  oy_tensor* bound = oy_scope_take(oy_tensor_from_data(x, OY_DIMS(N), OY_DTYPE_F64));
  oy_tensor *lower = oy_igamma(order, bound), *upper = oy_igammac(order, bound);
  for (int64_t i = 0; i < N; i++) {
    const double want = (double)lower_gamma(a[i], x[i]), got = element(lower, i);
    const double rest = (double)(1 - lower_gamma(a[i], x[i])), other = element(upper, i);
    // The logarithm of a small one is as much less right.
    const double near = a[i] < 20 ? 1e-14 - 2e-16 * log(want) : 2e-13;
    if (isnan(want) ? !isnan(got) || !isnan(other)
                    : got != want && !(fabs(got - want) <= near * want &&
                                       fabs(other - rest) <= 4e-15))
      fail_msg("igamma(%.17g, %.17g): %.17g, not %.17g", a[i], x[i], got, want);
    oy_tensor *one = oy_narrow(order, 0, i, 1), *to = oy_narrow(bound, 0, i, 1);
    const double alone = element(oy_igamma(one, to), 0);
    assert_true(alone == got || (isnan(got) && isnan(alone)));
  }
  oy_scope_close(&scope);
}

// Far below 0 the terms of both signs are nearly all there are of a fraction: by reflection
// (DLMF 25.11.12 and 5.5.4) the sums of two sides have closed forms, of which the terms that
// lie farther below are missing, count^(1 - s) / (s - 1) to the first order.
static void zeta_far_below(void** state) {
  (void)state;
  const double pi = acos(-1);
  const struct {
    double order, above, both;  // the sum over all of (above + k)^-order
  } rows[] = {{2, 0.5, pi * pi},
              {2, 0.25, 2 * pi * pi},
              {3, 0.25, 2 * pow(pi, 3)},
              {3, 0.75, -2 * pow(pi, 3)},
              {4, 0.5, pow(pi, 4) / 3},
              {4, 0.25, 8 * pow(pi, 4) / 3},
              {5, 0.25, 10 * pow(pi, 5) / 3}};
  const double counts[] = {1e3, 65536, 5.5e10, 1e15};
  for (size_t i = 0; i < 4 * sizeof(rows) / sizeof(*rows); i++) {
    const double s = rows[i / 4].order, f = rows[i / 4].above, n = counts[i % 4];
    const double missing = pow(n + 0.5 - f, 1 - s) / (s - 1);
    const double want = rows[i / 4].both - (fmod(s, 2) != 0 ? -missing : missing);
    oy_scope scope;
    oy_scope_open(&scope);
    const double below[] = {f - n};
    oy_tensor* q = oy_scope_take(oy_tensor_from_data(below, OY_DIMS(1), OY_DTYPE_F64));
    const double zeta = element(oy_special_zeta_self_scalar(oy_float(s), q), 0);
    const double gamma = element(oy_special_polygamma((int64_t)s - 1, q), 0);
    const double scale = tgamma(s) * (fmod(s, 2) != 0 ? -1 : 1);
    // Of order 2 polygamma is trigamma, which takes the sine of what pi x is rounded to.
    if (fabs(zeta - want) > 1e-9 * fabs(want) ||
        (s > 2 && fabs(gamma - scale * zeta) > 1e-13 * fabs(gamma)))
      fail_msg("zeta(%g, %.17g): %.17g, not %.17g; polygamma %.17g", s, f - n, zeta, want,
               gamma);
    oy_scope_close(&scope);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(erfcx_of_great_numbers),
      cmocka_unit_test(quantiles_beside_others),
      cmocka_unit_test(polygamma_of_order_0_is_digamma),
      cmocka_unit_test(upper_gamma_of_doubles),
      cmocka_unit_test(lower_gamma_of_doubles),
      cmocka_unit_test(zeta_far_below),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
