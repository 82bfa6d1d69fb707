// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials: to the last bit against their recurrences, step by step, and
// Chebyshev's of higher degrees within the circle against sines and cosines of long doubles.
#include <math.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { COUNT = 509 };

// |k| is the degree of |value|; |kind| as in loops/polynomial_tmpl.h.
#define RECURRENCE(T, name)                                                          \
  static T name(T x, int degree, char kind) {                                        \
    T before = 1, value = kind == 'L' ? 1 - x : x;                                   \
    if (kind == 'U' || kind == 'V' || kind == 'W' || kind == 'H') value = x + x;     \
    if (kind == 'V') value -= 1;                                                     \
    if (kind == 'W') value += 1;                                                     \
    if (degree <= 0) return degree == 0;                                             \
    if (strchr("HE", kind) && degree > (sizeof(T) < 8 ? 128 : 512)) return (T)NAN;   \
    for (int k = 1; k < degree; k++) {                                               \
      T left = (x + x) * value, right = before, next;                                \
      if (kind == 'H') right = (T)(2 * k) * before;                                  \
      if (kind == 'E') left = x * value, right = (T)k * before;                      \
      if (kind == 'L') left = ((T)(2 * k) + (1 - x)) * value, right = (T)k * before; \
      if (kind == 'P') left = (T)(2 * k + 1) * x * value, right = (T)k * before;     \
      next = left - right;                                                           \
      if (kind == 'L' || kind == 'P') next /= (T)(k + 1);                            \
      before = value;                                                                \
      value = next;                                                                  \
    }                                                                                \
    return value;                                                                    \
  }
RECURRENCE(float, of_floats)
RECURRENCE(double, of_doubles)

// Within the circle, and how far a number may be from it where angles are rounded.
static double by_angles(double x, int n, char kind, double least, double* far) {
  const long double t = acosl((long double)x), half = t / 2;
  const long double above = kind == 'T'   ? cosl(n * t)
                            : kind == 'U' ? sinl((n + 1) * t)
                            : kind == 'V' ? cosl((n + 0.5L) * t)
                                          : sinl((n + 0.5L) * t);
  const long double below = kind == 'T'   ? 1
                            : kind == 'U' ? sinl(t)
                            : kind == 'V' ? cosl(half)
                                          : sinl(half);
  const double found = (double)(above / below);
  *far = least * ((n + 1) * 8 + fabs(found) * 8) / (double)below;
  return found;
}

static const struct {
  const char* name;
  oy_tensor* (*op)(oy_tensor* x, oy_tensor* n);
  char kind;
  int angles;  // the degree from which on a result is made of angles within the circle
  bool shifted;
} g_polynomials[] = {
    {"T", oy_special_chebyshev_polynomial_t, 'T', 7, false},
    {"U", oy_special_chebyshev_polynomial_u, 'U', 9, false},
    {"V", oy_special_chebyshev_polynomial_v, 'V', 9, false},
    {"W", oy_special_chebyshev_polynomial_w, 'W', 9, false},
    {"shifted T", oy_special_shifted_chebyshev_polynomial_t, 'T', 7, true},
    {"shifted U", oy_special_shifted_chebyshev_polynomial_u, 'U', 7, true},
    {"shifted V", oy_special_shifted_chebyshev_polynomial_v, 'V', 7, true},
    {"shifted W", oy_special_shifted_chebyshev_polynomial_w, 'W', 5, true},
    {"H", oy_special_hermite_polynomial_h, 'H', 0, false},
    {"He", oy_special_hermite_polynomial_he, 'E', 0, false},
    {"L", oy_special_laguerre_polynomial_l, 'L', 0, false},
    {"P", oy_special_legendre_polynomial_p, 'P', 0, false}};

static oy_tensor* taken(const double* x, oy_dtype dtype) {
  oy_tensor* t = oy_scope_take(oy_tensor_from_data(x, OY_DIMS(COUNT), OY_DTYPE_F64));
  return oy_to_dtype(t, dtype, false, true, oy_none());
}

static void check_element(size_t f, bool is_float, double given, double degree,
                          double got) {
  const char kind = g_polynomials[f].kind;
  const int n = degree > -1 ? (int)degree : -1;
  double x = given, far = 0, want;
  if (g_polynomials[f].shifted)
    x = is_float ? (double)((float)x + (float)x - 1) : x + x - 1;
  if (kind >= 'T' && n >= g_polynomials[f].angles && fabs(x) < 1)
    want = by_angles(x, n, kind, is_float ? 0x1p-24 : 0x1p-53, &far);
  else
    want = is_float ? (double)of_floats((float)x, n, kind) : of_doubles(x, n, kind);
  if (!(fabs(got - want) <= far || got == want || (isnan(got) && isnan(want))))
    fail_msg("%s(%.17g) of degree %g: %.17g, not %.17g", g_polynomials[f].name, given,
             degree, got, want);
}

// Numbers on both sides of the ends of the circle, and all degrees up to |most| mixed.
static void check(size_t f, oy_dtype dtype, int most) {
  static const double ends[] = {1, -1, 0, 0.5, INFINITY, NAN, -INFINITY, 30};
  double x[COUNT], n[COUNT];
  oy_scope scope;
  oy_scope_open(&scope);
  for (int i = 0; i < COUNT; i++) {
    x[i] = i % 11 == 5 ? ends[i / 11 % 8] : ((i * 37) % COUNT - 250) * (0.97 / 200);
    n[i] = (i * 101) % (most + 2) - 1 + (i % 3 == 1 ? 0.75 : 0);
  }
  oy_tensor *t = taken(x, dtype), *degrees = taken(n, dtype);
  oy_tensor* r = g_polynomials[f].op(t, degrees);
  assert_non_null(r);
  for (int i = 0; i < COUNT; i++)
    check_element(f, dtype == OY_DTYPE_F32, element(t, i), element(degrees, i),
                  element(r, i));
  // The same of one degree, and of what lies apart.
  for (int k = 0; k < 6; k++) {
    oy_tensor* one = oy_narrow(degrees, 0, k, 1);
    oy_tensor* same = g_polynomials[f].op(t, one);
    oy_tensor *apart = oy_slice_Tensor(t, 0, oy_int(k), oy_none(), 3), *odd;
    odd = g_polynomials[f].op(apart, one);
    for (int i = 0; i < COUNT; i++) {
      const double got = element(same, i);
      check_element(f, dtype == OY_DTYPE_F32, element(t, i), element(one, 0), got);
      if (i < k || (i - k) % 3 != 0) continue;
      const double other = element(odd, (i - k) / 3);
      assert_true(got == other || (isnan(got) && isnan(other)));
    }
  }
  oy_scope_close(&scope);
}

static void recurrences_and_angles(void** state) {
  (void)state;
  static const int most[] = {2, 8, 40, 600};
  for (size_t f = 0; f < OY_ARRAY_SIZE(g_polynomials); f++)
    for (size_t k = 0; k < OY_ARRAY_SIZE(most); k++) {
      check(f, OY_DTYPE_F32, most[k]);
      check(f, OY_DTYPE_F64, most[k]);
    }
}

// Degrees that no recurrence reaches, or no integer holds; NaN is no degree.
static void degrees_without_end(void** state) {
  (void)state;
  static const double n[] = {1e9, 3e18, 1e30, INFINITY, NAN, -INFINITY, -1, -0.5};
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64};
  double x[COUNT], degree[COUNT];
  for (int i = 0; i < COUNT; i++) {
    x[i] = i % 5 == 4 ? NAN : (i % 5 - 1) * 0.75;
    degree[i] = n[i % 8];
  }
  for (size_t f = 0; f < 2 * OY_ARRAY_SIZE(g_polynomials); f++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* degrees = taken(degree, dtypes[f % 2]);
    oy_tensor* r = g_polynomials[f / 2].op(taken(x, dtypes[f % 2]), degrees);
    for (int i = 0; i < COUNT; i++) {
      const double got = element(r, i);
      if (i % 8 >= 2) assert_true(got == (i % 8 == 7));
      if (i % 8 < 2 && (i % 5 == 4 || strchr("HE", g_polynomials[f / 2].kind)))
        assert_true(isnan(got));
    }
    oy_scope_close(&scope);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(recurrences_and_angles),
                                     cmocka_unit_test(degrees_without_end)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
