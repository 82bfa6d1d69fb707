// SPDX-License-Identifier: Apache-2.0
// igamma and igammac of doubles, by vectors, where orders are below 20: the sums of
// pointwise/special_gamma.c, to which the rest is left, element by element. For
// loops_vmath_body.h, which has v_exp_f64() and v_log_f64().
#include "backends/cpu/loops/lgamma_vector.h"

// 1 + x / (a + 1) + x^2 / ((a + 1)(a + 2)) + ... What is done stays as it is.
static inline vec_f64 igamma_wide_series(vec_f64 a, vec_f64 x) {
  vec_f64 term = v_splat_f64(1), sum = term;
  for (;;) {
    const ints_f64 more = term > sum * 1e-17;
    if (!v_any_f64(more)) return sum;
    a += 1;
    term *= x / a;
    sum = v_select_f64(more, sum + term, sum);
  }
}

// Lentz' evaluation of 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)). Nothing is near 0 in it
// from x = a + 1 on.
static inline vec_f64 igamma_wide_fraction(vec_f64 a, vec_f64 x) {
  enum { MOST = 380 };
  const vec_f64 one = v_splat_f64(1);
  vec_f64 b = x + 1 - a, c = v_splat_f64(1e300), d = 1 / b, result = d;
  ints_f64 more = one == one;
  for (int k = 1; k < MOST && v_any_f64(more); k++) {
    const vec_f64 numerator = (a - (double)k) * (double)k;
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    const vec_f64 by = c * d;
    result = v_select_f64(more, result * by, result);
    more &= v_abs_f64(by - 1) >= 1e-16;
  }
  return result;
}

// |a| + |b|; what is lost of the sum goes to |rest|.
static inline vec_f64 igamma_sum(vec_f64 a, vec_f64 b, vec_f64* rest) {
  const vec_f64 sum = a + b, part = sum - a;
  *rest += (a - (sum - part)) + (b - part);
  return sum;
}
static inline vec_f64 igamma_product(vec_f64 a, vec_f64 b, vec_f64* rest) {
  const vec_f64 product = a * b;
#if defined(__FMA__)
  *rest += angle_fma(a, b, -product);
#else
  (void)rest;
#endif
  return product;
}

// x^a e^-x / gamma(a + 1). Above 1 by Stirling's formula for gamma(a + 8), which is gamma(a + 1)
// (a + 1) ... (a + 7): what it is the exponential of has no great terms that cancel, for e^8 and
// (a + 8)^-7.5 are had apart. What sums lose of a great number is added to the result.
static inline vec_f64 igamma_wide_scale(vec_f64 a, vec_f64 x) {
  const vec_f64 far = a + 8, over = 1 / far, one = v_splat_f64(1);
  const ints_f64 is_near = a <= 1;
  vec_f64 product = (a + 1) * over * ((a + 2) * over) * ((a + 3) * over) *
                    ((a + 4) * over * ((a + 5) * over)) *
                    ((a + 6) * over * ((a + 7) * over));
  product *= 2980.9579870417283 / bessel_root(far);
  vec_f64 rest = (far - 8) - a;  // what rounding a + 8 added
  vec_f64 begin = a, minus = lgamma_rest(far),
          log = v_log_f64(v_select_f64(is_near, x, x / far));
  if (v_any_f64(is_near)) {
    product = v_select_f64(is_near, one, product);
    rest = v_select_f64(is_near, v_splat_f64(0), rest);
    begin = v_select_f64(is_near, v_splat_f64(0), begin);
    minus =
        v_select_f64(is_near, lgamma_middle(v_select_f64(is_near, a + 1, one)), minus);
  }
  vec_f64 power = igamma_sum(begin, -x, &rest);
  power = igamma_sum(power, igamma_product(a, log, &rest), &rest);
  power = igamma_sum(power, -minus, &rest);
  const vec_f64 found = v_exp_f64(power) * product;
  return found + found * rest;
}

// The lower one of |low| elements, the upper one of |high| ones.
static vec_f64 igamma_wide(vec_f64 a, vec_f64 x, ints_f64 low, ints_f64 high) {
  const vec_f64 one = v_splat_f64(1);
  vec_f64 sum = one;
  if (v_any_f64(low))
    sum = igamma_wide_series(v_select_f64(low, a, one), v_select_f64(low, x, one / 1024));
  if (v_any_f64(high)) {
    const vec_f64 order = v_select_f64(high, a, one);
    const vec_f64 fraction =
        igamma_wide_fraction(order, v_select_f64(high, x, v_splat_f64(1e6)));
    sum = v_select_f64(high, fraction * order, sum);
  }
  const ints_f64 here = low | high;
  return sum * igamma_wide_scale(v_select_f64(here, a, one), v_select_f64(here, x, one));
}

static inline __attribute__((always_inline)) vec_f64 igamma_of_doubles(vec_f64 a,
                                                                       vec_f64 x,
                                                                       bool is_upper) {
  const vec_f64 zero = v_splat_f64(0);
  const ints_f64 here = (a > zero) & (a < 20) & (x > zero) & (x <= DBL_MAX);
  const ints_f64 low = here & (x < a + 1), high = here & ~low;
  vec_f64 found = zero;
  if (v_any_f64(here)) found = igamma_wide(a, x, low, high);
  found = v_select_f64(is_upper ? low : high, 1 - found, found);
  if (!v_any_f64(~here)) return found;
  for (int i = 0; i < F64_LANES; i++)
    if (!here[i])
      found[i] =
          is_upper ? oyi_igammac(a[i], x[i], false) : oyi_igamma(a[i], x[i], false);
  return found;
}
static vec_f64 igamma_of_f64(vec_f64 a, vec_f64 x, const double* arg) {
  (void)arg;
  return igamma_of_doubles(a, x, false);
}
static vec_f64 igammac_of_f64(vec_f64 a, vec_f64 x, const double* arg) {
  (void)arg;
  return igamma_of_doubles(a, x, true);
}
static void igamma_vector_f64(int64_t n, char* const* data, const int64_t* strides,
                              const void* args) {
  v_map2_f64(n, data, strides, args, igamma_of_f64);
}
static void igammac_vector_f64(int64_t n, char* const* data, const int64_t* strides,
                               const void* args) {
  v_map2_f64(n, data, strides, args, igammac_of_f64);
}
