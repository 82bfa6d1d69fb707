// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials in one precision: T, NAME(x), x with its suffix, FN(x), x of
// <math.h>. Results are those of the recurrence in T: where it loses digits, or ends in NaN, they
// do too. loops/polynomial_tmpl.h has the same steps.

// A degree as an integer, as a conversion of x86 makes it: a fraction is cut off, and what no
// integer holds is below 0, where there is no polynomial.
static int64_t NAME(degree)(T n) {
  return n >= 0 && n < (T)0x1p63 ? (int64_t)n : n > -1 && n < 0 ? 0 : -1;
}

static T NAME(first)(T x, char kind) {
  return kind == 'T' ? x : kind == 'U' ? x + x : kind == 'V' ? x + x - 1 : x + x + 1;
}

// At 1, or at -1 for |sign| -1.
static T NAME(at_end)(int64_t n, char kind, T sign) {
  const bool is_flat = kind == 'T' || kind == (sign > 0 ? 'V' : 'W');
  const T size = is_flat ? 1 : kind == 'U' ? (T)n + 1 : (T)n + (T)n + 1;
  return sign > 0 || n % 2 == 0 ? size : -size;
}

// Next to an end, where nothing is left to divide by, the values there.
static T NAME(by_angles)(T x, int64_t n, char kind) {
  const T t = FN(acos)(x), turned = ((T)n + (T)0.5) * t;
  switch (kind) {
    case 'T': return FN(cos)((T)n * t);
    case 'U': return FN(sin)(((T)n + 1) * t) / FN(sin)(t);
    case 'V':
      if (FN(sin)(t / 2) == 1) return NAME(at_end)(n, kind, x);
      return FN(cos)(turned) / FN(cos)(t / 2);
    default:
      if (FN(cos)(t / 2) == 1) return NAME(at_end)(n, kind, x);
      return FN(sin)(turned) / FN(sin)(t / 2);
  }
}

// What the recurrence makes of a result that overflows: infinity twice, then NaN.
static T NAME(great)(double value, double before) {
  return isfinite((T)before) ? (T)value : NAN;
}

// From degree |angles| on by angles, within the circle.
static T NAME(chebyshev)(T x, T degree, char kind, int angles) {
  const int64_t n = NAME(degree)(degree);
  if (n <= 0) return n == 0;
  if (FN(fabs)(x) == 1) return NAME(at_end)(n, kind, x);
  if (n >= angles && FN(fabs)(x) < 1) return NAME(by_angles)(x, n, kind);
  if (n > OYI_POLYNOMIAL_STEEP)
    return NAME(great)(oyi_chebyshev_great(x, n, kind),
                       oyi_chebyshev_great(x, n - 2, kind));
  T before = 1, value = NAME(first)(x, kind);
  for (int64_t k = 1; k < n && value == value; k++) {
    const T next = (x + x) * value - before;
    before = value;
    value = next;
  }
  return value;
}

#define CHEBYSHEV(name, kind, angles, shifted_angles)           \
  T NAME(oyi_chebyshev_##name)(T x, T n) {                      \
    return NAME(chebyshev)(x, n, kind, angles);                 \
  }                                                             \
  T NAME(oyi_shifted_chebyshev_##name)(T x, T n) {              \
    return NAME(chebyshev)(x + x - 1, n, kind, shifted_angles); \
  }
OYI_CHEBYSHEV_KINDS(CHEBYSHEV)
#undef CHEBYSHEV

// ------------------------------------------------------------------------- others

T NAME(oyi_hermite_h)(T x, T degree) {
  const int64_t n = NAME(degree)(degree);
  if (n <= 0) return n == 0;
  if (n > OYI_HERMITE_MOST(T)) return NAN;
  T before = 1, value = x + x;
  for (int64_t k = 1; k < n; k++) {
    const T next = (x + x) * value - (T)(2 * k) * before;
    before = value;
    value = next;
  }
  return value;
}

T NAME(oyi_hermite_he)(T x, T degree) {
  const int64_t n = NAME(degree)(degree);
  if (n <= 0) return n == 0;
  if (n > OYI_HERMITE_MOST(T)) return NAN;
  T before = 1, value = x;
  for (int64_t k = 1; k < n; k++) {
    const T next = x * value - (T)k * before;
    before = value;
    value = next;
  }
  return value;
}

T NAME(oyi_laguerre)(T x, T degree) {
  const int64_t n = NAME(degree)(degree);
  if (n <= 0) return n == 0;
  if (x == 0) return 1;
  if (n > OYI_POLYNOMIAL_STEEP)
    return NAME(great)(oyi_laguerre_great(x, n), oyi_laguerre_great(x, n - 2));
  T before = 1, value = 1 - x;
  for (int64_t k = 1; k < n && value == value; k++) {
    const T next = (((T)(2 * k) + (1 - x)) * value - (T)k * before) / (T)(k + 1);
    before = value;
    value = next;
  }
  return value;
}

T NAME(oyi_legendre)(T x, T degree) {
  const int64_t n = NAME(degree)(degree);
  if (n <= 0) return n == 0;
  if (FN(fabs)(x) == 1) return x > 0 || n % 2 == 0 ? 1 : -1;
  if (n > OYI_POLYNOMIAL_STEEP)
    return NAME(great)(oyi_legendre_great(x, n), oyi_legendre_great(x, n - 2));
  T before = 1, value = x;
  for (int64_t k = 1; k < n && value == value; k++) {
    const T next = ((T)(2 * k + 1) * x * value - (T)k * before) / (T)(k + 1);
    before = value;
    value = next;
  }
  return value;
}
