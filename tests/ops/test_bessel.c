// SPDX-License-Identifier: Apache-2.0
// Bessel functions and Airy's: against the C library's where it has them, sums and integrals by
// their definitions (DLMF 10.25.2, 10.32.9), and numbers computed with 25 digits; the same
// wherever in a row.
#include <float.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { COUNT = 401 };

static double i_of(double x, int order, bool scaled) {
  const long double square = (long double)x * (long double)x / 4;
  long double term = order ? (long double)x / 2 : 1, sum = term;
  for (int k = 1; k < 400; k++) sum += term *= square / ((long double)k * (k + order));
  return (double)(scaled ? sum * expl(-fabsl((long double)x)) : sum);
}
static double i0_of(double x) {
  return i_of(x, 0, false);
}
static double i0e_of(double x) {
  return i_of(x, 0, true);
}
static double i1_of(double x) {
  return i_of(x, 1, false);
}
static double i1e_of(double x) {
  return i_of(x, 1, true);
}

// The trapezoidal rule of what falls off doubly exponentially is good to all digits.
static double k_of(double x, int order, bool scaled) {
  const long double step = 1.0L / 64;
  long double sum = 0.5L;
  if (!(x > 0)) return x == 0 ? INFINITY : NAN;
  for (int k = 1; k < 4000; k++) {
    const long double t = k * step, s = sinhl(t / 2);
    const long double fall = 2 * (long double)x * s * s;
    if (fall > 11000) break;
    sum += expl(-fall) * (order ? coshl(t) : 1);
  }
  return (double)(sum * step * (scaled ? 1 : expl(-(long double)x)));
}
static double k0_of(double x) {
  return k_of(x, 0, false);
}
static double k0e_of(double x) {
  return k_of(x, 0, true);
}
static double k1_of(double x) {
  return k_of(x, 1, false);
}
static double k1e_of(double x) {
  return k_of(x, 1, true);
}
static double y0_of(double x) {
  return x > 0 ? y0(x) : x == 0 ? -INFINITY : NAN;
}
static double y1_of(double x) {
  return x > 0 ? y1(x) : x == 0 ? -INFINITY : NAN;
}
static double spherical_of(double x) {
  return x == 0 ? 1 : sin(x) / x;
}

static const struct {
  const char* name;
  oy_tensor* (*op)(oy_tensor* self);
  double (*reference)(double x);
  bool waves;          // errors are those of the waves' size
  double at_infinity;  // as PyTorch has it
} g_functions[] = {
    {"i0", oy_i0, i0_of, false, NAN},
    {"i0e", oy_special_i0e, i0e_of, false, 0},
    {"i1", oy_special_i1, i1_of, false, NAN},
    {"i1e", oy_special_i1e, i1e_of, false, 0},
    {"modified_bessel_i0", oy_special_modified_bessel_i0, i0_of, false, NAN},
    {"modified_bessel_i1", oy_special_modified_bessel_i1, i1_of, false, NAN},
    {"k0", oy_special_modified_bessel_k0, k0_of, false, 0},
    {"k1", oy_special_modified_bessel_k1, k1_of, false, 0},
    {"scaled k0", oy_special_scaled_modified_bessel_k0, k0e_of, false, 0},
    {"scaled k1", oy_special_scaled_modified_bessel_k1, k1e_of, false, 0},
    {"j0", oy_special_bessel_j0, j0, true, NAN},
    {"j1", oy_special_bessel_j1, j1, true, NAN},
    {"y0", oy_special_bessel_y0, y0_of, true, NAN},
    {"y1", oy_special_bessel_y1, y1_of, true, NAN},
    {"spherical j0", oy_special_spherical_bessel_j0, spherical_of, true, 0}};

// Near 0, on both sides of 2 and of 8, and far; some below 0.
static double number(int i) {
  const int k = i * 37 % COUNT;
  const double size = k < 50 ? k / 64.0 : k < 300 ? (k - 50) / 24.0 : (k - 299) * 0.53;
  return k % 7 == 3 ? -size : size;
}

static oy_tensor* taken(const double* x, int64_t n, oy_dtype dtype) {
  oy_tensor* t = oy_scope_take(oy_tensor_from_data(x, OY_DIMS(n), OY_DTYPE_F64));
  return oy_to_dtype(t, dtype, false, true, oy_none());
}

static void check(size_t f, oy_dtype dtype) {
  double x[COUNT];
  oy_scope scope;
  oy_scope_open(&scope);
  for (int i = 0; i < COUNT; i++) x[i] = number(i);
  oy_tensor *t = taken(x, COUNT, dtype), *r = g_functions[f].op(t);
  assert_non_null(r);
  const bool is_float = dtype == OY_DTYPE_F32;
  for (int i = 0; i < COUNT; i++) {
    const double at = element(t, i), want = g_functions[f].reference(at),
                 got = element(r, i);
    double size = fabs(want);
    if (g_functions[f].waves && size < 0.5) size = fmin(0.5, 1 / sqrt(1 + fabs(at)));
    const double near = size * (is_float ? 1.2e-7 : 8e-15) + (is_float ? 1e-44 : 0);
    const bool is_gone = isnan(want) || isinf(is_float ? (double)(float)want : want);
    if (is_gone ? !(isnan(want) ? isnan(got) : isinf(got)) : !(fabs(got - want) <= near))
      fail_msg("%s(%.17g) of %s: %.17g, not %.17g", g_functions[f].name, at,
               oy_dtype_name(dtype), got, want);
  }
  oy_scope_close(&scope);
}

static void functions_of_both_orders(void** state) {
  (void)state;
  for (size_t f = 0; f < OY_ARRAY_SIZE(g_functions); f++) {
    check(f, OY_DTYPE_F64);
    check(f, OY_DTYPE_F32);
  }
}

static void airy_of_any_number(void** state) {
  (void)state;
  static const double want[][2] = {
      {-50, -0.161881423612320924},  {-20, -0.17640612707798469},
      {-9.5, 0.319103247719128201},  {-4.25, 0.127782927228267284},
      {-4, -0.0702655329492895151},  {-3.5, -0.375533823140431912},
      {-1, 0.535560883292352119},    {0, 0.355028053887817239},
      {1, 0.135292416312881416},     {1.9, 0.0405944200315294967},
      {2.1, 0.0299526021158665266},  {3, 0.00659113935746071914},
      {10, 1.10475325528986859e-10}, {30, 3.20821759155049557e-49}};
  enum { N = OY_ARRAY_SIZE(want) };
  double x[N];
  for (int i = 0; i < N; i++) x[i] = want[i][0];
  for (int k = 0; k < 2; k++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* r = oy_special_airy_ai(taken(x, N, k ? OY_DTYPE_F32 : OY_DTYPE_F64));
    for (int i = 0; i < N; i++)
      if (!k || fabs(want[i][1]) > 1e-30)
        assert_true(fabs(element(r, i) / want[i][1] - 1) <= (k ? 1e-6 : 1e-12));
    oy_scope_close(&scope);
  }
}

// What has no number, and numbers beside it: each the same alone.
static void ends_and_places(void** state) {
  (void)state;
  static const double ends[] = {0, INFINITY, NAN, -INFINITY, 1, 3, 9, -2, 700};
  enum { N = 23 };
  for (size_t f = 0; f <= OY_ARRAY_SIZE(g_functions); f++)
    for (int first = 0; first < 9; first++) {
      const bool is_airy = f == OY_ARRAY_SIZE(g_functions);
      oy_tensor* (*op)(oy_tensor*) = is_airy ? oy_special_airy_ai : g_functions[f].op;
      double x[N];
      for (int i = 0; i < N; i++) x[i] = ends[(first + i) % 9];
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor *t = taken(x, N, first % 2 ? OY_DTYPE_F32 : OY_DTYPE_F64), *r = op(t);
      for (int i = 0; i < N; i++) {
        const double got = element(r, i), alone = element(op(oy_narrow(t, 0, i, 1)), 0);
        assert_true(got == alone || (isnan(got) && isnan(alone)));
        const double at = is_airy ? NAN : g_functions[f].at_infinity;
        if (isnan(x[i])) assert_true(isnan(got));
        if (x[i] == (double)INFINITY) assert_true(got == at || (isnan(got) && isnan(at)));
      }
      oy_scope_close(&scope);
    }
}

// Waves of great angles, near ones among them: each the same alone, and right to what a sine is.
static void waves_far_from_0(void** state) {
  (void)state;
  static const char* const names[] = {"j0", "j1", "y0", "y1"};
  double x[COUNT];
  for (int i = 0; i < COUNT; i++) {
    const int k = i * 37 % COUNT;
    x[i] = k % 9 == 4 ? 3 + k / 8.0 : ldexp(1 + k / 1000.0, k % 3 ? 20 + k / 4 : 2 * k);
  }
  for (size_t f = 0; f < 2 * OY_ARRAY_SIZE(g_functions); f++) {
    const bool is_float = f % 2;
    bool is_wave = false;
    for (int k = 0; k < 4; k++) is_wave |= !strcmp(g_functions[f / 2].name, names[k]);
    if (!is_wave) continue;
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* t = taken(x, COUNT, is_float ? OY_DTYPE_F32 : OY_DTYPE_F64);
    oy_tensor* r = g_functions[f / 2].op(t);
    for (int i = 0; i < COUNT; i++) {
      const double at = element(t, i), got = element(r, i);
      const double want = g_functions[f / 2].reference(at);
      const double alone = element(g_functions[f / 2].op(oy_narrow(t, 0, i, 1)), 0);
      assert_true(got == alone || (isnan(got) && isnan(alone)));
      if (isinf(at)) continue;
      const double near =
          4e-15 * fmin(1, 1 / sqrt(at)) + (is_float ? fabs(want) * 1.2e-7 : 0);
      if (!(fabs(got - want) <= near))
        fail_msg("%s(%a): %.17g, not %.17g", g_functions[f / 2].name, at, got, want);
    }
    oy_scope_close(&scope);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_both_orders), cmocka_unit_test(airy_of_any_number),
      cmocka_unit_test(waves_far_from_0), cmocka_unit_test(ends_and_places)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
