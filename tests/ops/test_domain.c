// SPDX-License-Identifier: Apache-2.0
// Functions at and beyond the ends of where they have results, among numbers that have: what the C
// library says of each, to 4 ULP, whatever lies beside it.
#include <float.h>
#include <math.h>

#include "support/tensors.h"

typedef struct function {
  const char* name;
  oy_tensor* (*op)(oy_tensor* self);
  double (*reference)(double x);
} function;

static const function g_functions[] = {
    {"exp", oy_exp, exp},       {"log", oy_log, log},       {"log2", oy_log2, log2},
    {"log10", oy_log10, log10}, {"log1p", oy_log1p, log1p}, {"asin", oy_asin, asin},
    {"acos", oy_acos, acos},    {"acosh", oy_acosh, acosh}, {"atanh", oy_atanh, atanh},
    {"sinh", oy_sinh, sinh},    {"cosh", oy_cosh, cosh},    {"erfc", oy_erfc, erfc},
};

static const double g_floats[] = {0.0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.5,
                                  -0.5,
                                  2,
                                  -2,
                                  NAN,
                                  INFINITY,
                                  -INFINITY,
                                  1e-40,
                                  -1e-40,
                                  1e-45,
                                  FLT_MIN,
                                  FLT_MAX,
                                  -FLT_MAX,
                                  -1e9,
                                  87.25,
                                  87.5,
                                  88.72283172607422,
                                  88.72283935546875,
                                  -87.25,
                                  -87.5,
                                  -90,
                                  -100,
                                  -103.5,
                                  -104.5,
                                  89.25,
                                  89.5,
                                  -89.5,
                                  1.0000001192092896,
                                  0.9999999403953552,
                                  -0.9999999403953552,
                                  9.1,
                                  9.5,
                                  10.04,
                                  10.06,
                                  10.5,
                                  300,
                                  -300,
                                  3,
                                  1e-3};
static const double g_doubles[] = {0.0,
                                   -0.0,
                                   1,
                                   -1,
                                   0.5,
                                   -0.5,
                                   2,
                                   -2,
                                   NAN,
                                   INFINITY,
                                   -INFINITY,
                                   1e-310,
                                   -1e-310,
                                   4e-324,
                                   DBL_MIN,
                                   DBL_MAX,
                                   -DBL_MAX,
                                   -1e9,
                                   707.5,
                                   708.5,
                                   709.782712893384,
                                   709.7827128933841,
                                   -707.5,
                                   -709,
                                   -720,
                                   -745,
                                   -746.5,
                                   710.25,
                                   711,
                                   -711,
                                   1.0000000000000002,
                                   0.9999999999999999,
                                   -0.9999999999999999,
                                   26.5,
                                   27.1,
                                   27.22,
                                   27.24,
                                   3000,
                                   -3000,
                                   3,
                                   1e-3};
enum {
  FLOATS = sizeof(g_floats) / sizeof(double),
  DOUBLES = sizeof(g_doubles) / sizeof(double)
};

static bool is_near(double got, double want, double spacing) {
  if (isnan(want) || isinf(want) || isnan(got) || isinf(got))
    return (isnan(got) && isnan(want)) || got == want;
  return fabs(got - want) <= 4 * spacing;
}

// Numbers |first| and on, |count| of them, so that each comes to lie everywhere.
static void check_floats(const function* f, int first, int count) {
  float x[FLOATS] = {0};
  for (int i = 0; i < count; i++) x[i] = (float)g_floats[(first + i) % FLOATS];
  oy_tensor* t = oy_tensor_from_data(x, OY_DIMS(count), OY_DTYPE_F32);
  oy_tensor* r = f->op(t);
  assert_non_null(r);
  const float* got = oy_tensor_data(r);
  for (int i = 0; i < count; i++) {
    const float want = (float)f->reference((double)x[i]);
    const float next = nextafterf(fabsf(want), INFINITY) - fabsf(want);
    if (!is_near((double)got[i], (double)want, (double)next))
      fail_msg("%s(%a) of floats: %a, not %a", f->name, (double)x[i], (double)got[i],
               (double)want);
  }
  oy_tensor_release(r);
  oy_tensor_release(t);
}

static void check_doubles(const function* f, int first, int count) {
  double x[DOUBLES] = {0};
  for (int i = 0; i < count; i++) x[i] = g_doubles[(first + i) % DOUBLES];
  oy_tensor* t = oy_tensor_from_data(x, OY_DIMS(count), OY_DTYPE_F64);
  oy_tensor* r = f->op(t);
  assert_non_null(r);
  const double* got = oy_tensor_data(r);
  for (int i = 0; i < count; i++) {
    const double want = f->reference(x[i]);
    if (!is_near(got[i], want, nextafter(fabs(want), INFINITY) - fabs(want)))
      fail_msg("%s(%a): %a, not %a", f->name, x[i], got[i], want);
  }
  oy_tensor_release(r);
  oy_tensor_release(t);
}

static void ends_of_domains(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof(g_functions) / sizeof(*g_functions); k++) {
    for (int first = 0; first < FLOATS; first++)
      for (int count = 1; count <= FLOATS; count += 1 + count / 3)
        check_floats(&g_functions[k], first, count);
    for (int first = 0; first < DOUBLES; first++)
      for (int count = 1; count <= DOUBLES; count += 1 + count / 3)
        check_doubles(&g_functions[k], first, count);
  }
}

// exp of floats from where it is 0 to where it is infinite, in vectors and beside other numbers.
static void exp_everywhere(void** state) {
  (void)state;
  enum { COUNT = 65537 };
  static float x[COUNT];
  for (int i = 0; i < COUNT; i++) x[i] = -104.5f + (float)i * (194.0f / COUNT);
  oy_tensor* t = oy_tensor_from_data(x, OY_DIMS(COUNT), OY_DTYPE_F32);
  oy_tensor* r = oy_exp(t);
  assert_non_null(r);
  const float* got = oy_tensor_data(r);
  for (int i = 0; i < COUNT; i++) {
    const double want = exp((double)x[i]);
    const float near = (float)want, next = nextafterf(near, INFINITY) - near;
    if (isinf(near) ? got[i] != near : !is_near((double)got[i], want, (double)next))
      fail_msg("exp(%a) of floats: %a, not %a", (double)x[i], (double)got[i], want);
  }
  oy_tensor_release(r);
  oy_tensor_release(t);
}

// Floats from 2^13 to the greatest, and the nearest one to a multiple of a quarter of a turn.
static void waves_of_great_floats(void** state) {
  (void)state;
  enum { COUNT = 4097 };
  static float x[COUNT];
  static const function waves[] = {{"sin", oy_sin, sin}, {"cos", oy_cos, cos}};
  for (int i = 0; i < COUNT; i++) {
    const int k = i * 101 % COUNT;
    x[i] = ldexpf(k % 2 ? 1 + (float)k / COUNT : -1 - (float)k / COUNT, 13 + k % 115);
  }
  x[COUNT / 2] = 16367173 * 0x1p72f;
  oy_tensor* t = oy_tensor_from_data(x, OY_DIMS(COUNT), OY_DTYPE_F32);
  for (int w = 0; w < 2; w++) {
    oy_tensor* r = waves[w].op(t);
    assert_non_null(r);
    const float* got = oy_tensor_data(r);
    for (int i = 0; i < COUNT; i++) {
      const double want = waves[w].reference((double)x[i]);
      const float near = fabsf((float)want), next = nextafterf(near, INFINITY) - near;
      if (!is_near((double)got[i], want, (double)next))
        fail_msg("%s(%a) of floats: %a, not %a", waves[w].name, (double)x[i],
                 (double)got[i], want);
    }
    oy_tensor_release(r);
  }
  oy_tensor_release(t);
}

// ----------------------------------------------------- numbers of every size

enum { BINADES = 70, EACH = 12, NUMBERS = BINADES * EACH };

// Some are as near to a multiple of a quarter of a turn as they can be, and a few have no result.
// Near ones lie among those that are far.
static double angle_of(int i) {
  const int k = i * 37 % NUMBERS;
  const double size = ldexp(1 + (double)(k % EACH) / EACH, k / EACH);
  const double sign = k % 2 ? -1 : 1;
  if (k % 29 == 0) return k % 2 ? (double)INFINITY : (double)NAN;
  if (k % 3 == 0) return sign * floor(size / M_PI_2) * M_PI_2;
  return sign * size * (1 + M_PI / 1000);
}

// Up to the greatest number there is.
static double great_angle_of(int i) {
  const int k = i * 37 % NUMBERS;
  if (k % 31 == 0) return k % 2 ? (double)INFINITY : k % 4 ? 3.0 : (double)NAN;
  return ldexp(k % 2 ? -1 - k / 1000.0 : 1 + k / 1000.0, 20 + k * 1000 / NUMBERS);
}

// Around 0 mostly, where whole numbers, zeros and minima are; then of every size.
static double gamma_number_of(int i) {
  const int k = i * 37 % NUMBERS;
  if (k < NUMBERS / 8) return (k - 50) * 0.25;
  if (k < NUMBERS / 2) return (k - 250) * (M_PI / 50);
  return ldexp(k % 3 ? 1 + k / 1000.0 : -1 - k / 1000.0, k - NUMBERS * 3 / 4);
}

// Up by a hundred, where the first terms of the asymptotic series are good for all digits.
static double digamma(double x) {
  if (x == 0) return copysign((double)INFINITY, -x);
  if (x < 0 && x == floor(x)) return (double)NAN;
  if (x < 0) return digamma(1 - x) - M_PI / tan(M_PI * (x - rint(x)));
  long double sum = 0, z = (long double)x;
  for (; z < 100; z++) sum -= 1 / z;
  const long double square = 1 / (z * z);
  return (double)(sum + logl(z) - 1 / (2 * z) -
                  square * (1 / 12.0L - square * (1 / 120.0L - square / 252)));
}
// The reflection takes the sine of what pi x is rounded to.
static double trigamma(double x) {
  if (x < 0.5) return M_PI * M_PI / pow(sin(M_PI * x), 2) - trigamma(1 - x);
  long double sum = 0, z = (long double)x;
  for (; z < 100; z++) sum += 1 / (z * z);
  const long double over = 1 / z, square = over * over;
  return (double)(sum +
                  over * (1 + over / 2 +
                          square * (1 / 6.0L - square * (1 / 30.0L - square / 42))));
}
static oy_tensor* trigamma_op(oy_tensor* self) {
  return oy_polygamma(1, self);
}

static const struct values {
  function f;
  double (*value)(int i);
  double spacings;  // to which 4 ULP are compared: sums have errors of their own
  double least;     // less than this its errors do not become
  bool doubles_only;
} g_values[] = {{{"sin", oy_sin, sin}, angle_of, 1, 0, false},
                {{"cos", oy_cos, cos}, angle_of, 1, 0, false},
                {{"tan", oy_tan, tan}, angle_of, 1, 0, false},
                {{"sin", oy_sin, sin}, great_angle_of, 1, 0, false},
                {{"cos", oy_cos, cos}, great_angle_of, 1, 0, false},
                {{"tan", oy_tan, tan}, great_angle_of, 1, 0, false},
                {{"lgamma", oy_lgamma, lgamma}, gamma_number_of, 2, 0, false},
                {{"digamma", oy_digamma, digamma}, gamma_number_of, 1, 16, false},
                {{"trigamma", trigamma_op, trigamma}, gamma_number_of, 4, 0, true}};

static void check_values(const struct values* v, oy_dtype dtype, int first, int count) {
  static float floats[NUMBERS];
  static double doubles[NUMBERS];
  const bool is_float = dtype == OY_DTYPE_F32;
  for (int i = 0; i < count; i++) {
    doubles[i] = v->value(first + i);
    floats[i] = (float)doubles[i];
  }
  const void* from = is_float ? (const void*)floats : doubles;
  oy_tensor* t = oy_tensor_from_data(from, OY_DIMS(count), dtype);
  oy_tensor* r = v->f.op(t);
  assert_non_null(r);
  const void* got = oy_tensor_data(r);
  for (int i = 0; i < count; i++) {
    const double x = is_float ? (double)floats[i] : doubles[i];
    const double found =
        is_float ? (double)((const float*)got)[i] : ((const double*)got)[i];
    const double exact = v->f.reference(x);
    const double want = is_float ? (double)(float)exact : exact;
    const double size = fmax(fabs(want), v->least);
    const float near = (float)size;
    const double spacing = is_float ? (double)(nextafterf(near, INFINITY) - near)
                                    : nextafter(size, (double)INFINITY) - size;
    if (!is_near(found, want, v->spacings * spacing))
      fail_msg("%s(%a) of %s: %a, not %a", v->f.name, x, is_float ? "floats" : "doubles",
               found, want);
  }
  oy_tensor_release(r);
  oy_tensor_release(t);
}

static void numbers_of_any_size(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof(g_values) / sizeof(*g_values); k++) {
    for (int i = 0; i < (g_values[k].doubles_only ? 1 : 2); i++) {
      const oy_dtype dtype = i ? OY_DTYPE_F32 : OY_DTYPE_F64;
      check_values(&g_values[k], dtype, 0, NUMBERS);
      for (int first = 0; first + 40 < NUMBERS; first += 7)
        check_values(&g_values[k], dtype, first, 1 + first % 40);
    }
  }
}

// ---------------------------------------------------------- rows of any length

// exp and hypot of the rows of |rows| x |n| within longer ones; what lies behind each stays.
static void check_rows(int64_t n, int64_t gap, oy_dtype dtype) {
  enum { ROWS = 3 };
  oy_scope scope;
  oy_scope_open(&scope);
  const oy_ints whole = OY_DIMS(ROWS, n + gap);
  double from[200];
  for (int64_t i = 0; i < ROWS * (n + gap); i++) from[i] = (double)(i * 7 % 31) / 4 - 3;
  oy_tensor* given = oy_tensor_from_data(from, whole, OY_DTYPE_F64);
  assert_non_null(oy_scope_take(given));
  oy_tensor* x = oy_to_dtype(given, dtype, false, true, oy_none());
  oy_tensor* none =
      oy_full(whole, oy_float(-8), oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor* all[2];
  for (int k = 0; k < 2; k++) all[k] = oy_to_dtype(none, dtype, false, true, oy_none());
  oy_tensor *rows = oy_narrow(x, 1, 0, n), *other = oy_narrow(x, 1, gap, n);
  assert_non_null(oy_exp_out(rows, oy_narrow(all[0], 1, 0, n)));
  assert_non_null(oy_hypot_out(rows, other, oy_narrow(all[1], 1, 0, n)));
  for (int64_t i = 0; i < ROWS * (n + gap); i++) {
    const bool is_gap = i % (n + gap) >= n;
    const double size = is_gap ? 0 : hypot(from[i], from[i + gap]);
    const double want[] = {is_gap ? -8 : exp(from[i]), is_gap ? -8 : size};
    for (int k = 0; k < 2; k++)
      assert_true(fabs(element(all[k], i) - want[k]) <= 1e-6 * fabs(want[k]));
  }
  oy_scope_close(&scope);
}

static void rows_of_any_length(void** state) {
  (void)state;
  for (int64_t n = 1; n < 60; n++)
    for (int64_t gap = 1; gap < 6; gap += 2) {
      check_rows(n, gap, OY_DTYPE_F32);
      check_rows(n, gap, OY_DTYPE_F64);
    }
}

// ------------------------------------------------------------------------ powers

// Besides the numbers above: those whose last digit says whether they are odd, and exponents
// whose powers of 2 are the last.
static const double g_powers[] = {8388607,
                                  -8388607,
                                  8388609,
                                  16777217,
                                  4503599627370495,
                                  4503599627370497,
                                  2.5,
                                  -3,
                                  127,
                                  128,
                                  -126,
                                  -127,
                                  -149,
                                  -150,
                                  -151,
                                  1023,
                                  1024,
                                  -1022,
                                  -1074,
                                  -1076,
                                  1e18,
                                  -1e18,
                                  1.0000000000000002};
enum { POWERS = sizeof(g_powers) / sizeof(double), SOME = 7 };

static void check_power(double a, double b, double got, double want, double spacing) {
  if (!is_near(got, want, spacing) || (!isnan(want) && signbit(got) != signbit(want)))
    fail_msg("%a to the power of %a: %a, not %a", a, b, got, want);
}

// |count| of them in a row, |from| the first.
static void check_float_powers(const float* a, const float* b, int64_t from,
                               int64_t count) {
  oy_tensor* x = oy_tensor_from_data(a + from, OY_DIMS(count), OY_DTYPE_F32);
  oy_tensor* y = oy_tensor_from_data(b + from, OY_DIMS(count), OY_DTYPE_F32);
  oy_tensor* r = oy_pow_Tensor_Tensor(x, y);
  assert_non_null(r);
  const float* got = oy_tensor_data(r);
  for (int64_t i = 0; i < count; i++) {
    const double p = (double)a[from + i], q = (double)b[from + i];
    const float want = (float)pow(p, q), size = fabsf(want);
    check_power(p, q, (double)got[i], (double)want,
                (double)(nextafterf(size, INFINITY) - size));
  }
  oy_tensor_release(r);
  oy_tensor_release(y);
  oy_tensor_release(x);
}
static void check_double_powers(const double* a, const double* b, int64_t from,
                                int64_t count) {
  oy_tensor* x = oy_tensor_from_data(a + from, OY_DIMS(count), OY_DTYPE_F64);
  oy_tensor* y = oy_tensor_from_data(b + from, OY_DIMS(count), OY_DTYPE_F64);
  oy_tensor* r = oy_pow_Tensor_Tensor(x, y);
  assert_non_null(r);
  const double* got = oy_tensor_data(r);
  for (int64_t i = 0; i < count; i++) {
    const double want = pow(a[from + i], b[from + i]), size = fabs(want);
    check_power(a[from + i], b[from + i], got[i], want, nextafter(size, INFINITY) - size);
  }
  oy_tensor_release(r);
  oy_tensor_release(y);
  oy_tensor_release(x);
}

// Every number to the power of every one, all in a row, and a few at a time.
static void powers_of_floats(void** state) {
  (void)state;
  enum { ALL = FLOATS + POWERS };
  static float a[ALL * ALL], b[ALL * ALL];
  for (int i = 0; i < ALL * ALL; i++) {
    const int p = i / ALL, q = i % ALL;
    a[i] = (float)(p < FLOATS ? g_floats[p] : g_powers[p - FLOATS]);
    b[i] = (float)(q < FLOATS ? g_floats[q] : g_powers[q - FLOATS]);
  }
  check_float_powers(a, b, 0, ALL * ALL);
  for (int64_t from = 0; from + SOME <= ALL * ALL; from += SOME)
    check_float_powers(a, b, from, 1 + from / SOME % SOME);
}
static void powers_of_doubles(void** state) {
  (void)state;
  enum { ALL = DOUBLES + POWERS };
  static double a[ALL * ALL], b[ALL * ALL];
  for (int i = 0; i < ALL * ALL; i++) {
    const int p = i / ALL, q = i % ALL;
    a[i] = p < DOUBLES ? g_doubles[p] : g_powers[p - DOUBLES];
    b[i] = q < DOUBLES ? g_doubles[q] : g_powers[q - DOUBLES];
  }
  check_double_powers(a, b, 0, ALL * ALL);
  for (int64_t from = 0; from + SOME <= ALL * ALL; from += SOME)
    check_double_powers(a, b, from, 1 + from / SOME % SOME);
}

// Powers of integers by a float are floats, those that have loops of their own, too.
static void powers_of_integers(void** state) {
  (void)state;
  enum { N = 37 };
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_I16, OY_DTYPE_I32,
                                    OY_DTYPE_I64};
  static const double exponents[] = {0.5, -0.5, -1, 2, 3, -2, 1.5, 0, 1};
  int64_t data[N];
  for (int64_t i = 0; i < N; i++) data[i] = i * i;
  for (size_t d = 0; d < sizeof(dtypes) / sizeof(*dtypes); d++)
    for (size_t e = 0; e < sizeof(exponents) / sizeof(double); e++) {
      oy_scope scope;
      oy_scope_open(&scope);
      for (int64_t i = 0; i < N; i++) data[i] = d == 0 ? i : i * i;
      oy_tensor* wide =
          oy_scope_take(oy_tensor_from_data(data, OY_DIMS(N), OY_DTYPE_I64));
      oy_tensor* x = oy_to_dtype(wide, dtypes[d], false, true, oy_none());
      oy_tensor* r = oy_pow_Tensor_Scalar(x, oy_float(exponents[e]));
      assert_non_null(r);
      assert_int_equal(r->dtype, OY_DTYPE_F32);
      for (int64_t i = 0; i < N; i++) {
        const double want = pow((double)data[i], exponents[e]);
        const float size = (float)want;
        check_power((double)data[i], exponents[e], element(r, i), want,
                    (double)(nextafterf(size, INFINITY) - size));
      }
      oy_scope_close(&scope);
    }
}

// ------------------------------------------------------------------ gamma functions

// Of whole orders, e^-x (1 + x + x^2 / 2 + ...), and of a half, erfc(sqrt(x)): the series, the
// fraction, and what one of them is beside the other in a vector.
static void upper_gamma_of_floats(void** state) {
  (void)state;
  enum { ORDERS = 30, BOUNDS = 57 };
  static float orders[ORDERS * BOUNDS], bounds[ORDERS * BOUNDS];
  for (int i = 0; i < ORDERS * BOUNDS; i++) {
    orders[i] = i % ORDERS == 0 ? 0.5f : (float)(i % ORDERS);
    bounds[i] = (float)(i / ORDERS) * 0.75f;
  }
  oy_tensor* a = oy_tensor_from_data(orders, OY_DIMS(ORDERS * BOUNDS), OY_DTYPE_F32);
  oy_tensor* x = oy_tensor_from_data(bounds, OY_DIMS(ORDERS * BOUNDS), OY_DTYPE_F32);
  oy_tensor* r = oy_igammac(a, x);
  assert_non_null(r);
  for (int i = 0; i < ORDERS * BOUNDS; i++) {
    const double bound = (double)bounds[i];
    double term = exp(-bound), want = i % ORDERS == 0 ? erfc(sqrt(bound)) : 0;
    for (int k = 1; k <= i % ORDERS; term *= bound / k++) want += term;
    const double got = element(r, i);
    if (!(fabs(got - want) <= 1e-6 * want + 1e-44))
      fail_msg("igammac(%g, %g): %.9g, not %.9g", (double)orders[i], bound, got, want);
  }
  oy_tensor* const made[] = {r, x, a};
  for (int k = 0; k < 3; k++) oy_tensor_release(made[k]);
}

// Those of complex numbers by vectors, and of each alone: of 0 and infinity as well.
static void reciprocals_of_any_number(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_C64, OY_DTYPE_C128};
  for (int64_t n = 1; n < 40; n++)
    for (int d = 0; d < 2; d++) {
      double x[80];
      for (int64_t i = 0; i < 2 * n; i++) x[i] = (double)(i * 37 % 23 - 11) / 4;
      x[2 * (n / 2)] = x[2 * (n / 2) + 1] = 0;
      if (n > 3) x[2 * n - 2] = INFINITY;
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* all = oy_scope_take(oy_tensor_from_data(x, OY_DIMS(n), OY_DTYPE_C128));
      all = oy_to_dtype(all, dtypes[d], false, true, oy_none());
      oy_tensor* whole = oy_view_as_real(oy_reciprocal(all));
      for (int64_t i = 0; i < n; i++) {
        oy_tensor* one = oy_view_as_real(oy_reciprocal(oy_narrow(all, 0, i, 1)));
        for (int64_t k = 0; k < 2; k++) {
          const double got = element(whole, 2 * i + k), want = element(one, k);
          assert_true(got == want || (isnan(got) && isnan(want)));
        }
        const double re = x[2 * i], im = x[2 * i + 1], size = re * re + im * im;
        if (size > 0 && !isinf(size))
          assert_true(fabs(element(whole, 2 * i) - re / size) <= 1e-6 &&
                      fabs(element(whole, 2 * i + 1) + im / size) <= 1e-6);
      }
      oy_scope_close(&scope);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ends_of_domains),
                                     cmocka_unit_test(exp_everywhere),
                                     cmocka_unit_test(waves_of_great_floats),
                                     cmocka_unit_test(numbers_of_any_size),
                                     cmocka_unit_test(rows_of_any_length),
                                     cmocka_unit_test(powers_of_floats),
                                     cmocka_unit_test(powers_of_doubles),
                                     cmocka_unit_test(powers_of_integers),
                                     cmocka_unit_test(upper_gamma_of_floats),
                                     cmocka_unit_test(reciprocals_of_any_number)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
