// SPDX-License-Identifier: Apache-2.0
// Exponentials of batches of matrices t u u*, where u has length 1: I + (e^t - 1) u u*. Norms
// differ along a batch, so that its matrices need different degrees and squares.
#include <complex.h>

#include "support/tensors.h"

// Row |i| of u, times its length.
static double part(int64_t i) {
  return 1 + (double)(i % 3);
}
static double length(int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += part(i) * part(i);
  return sum;
}
static double complex factor(int64_t k, bool turns) {
  static const double of[] = {0, 1e-9, -3e-4, 0.02, 0.3, -1, 1.7, 4, -6};
  return of[k % 9] * (turns ? I : 1);
}

// |count| matrices of |n| in |all|, by |times| u u*, and the identity as often.
static void fill(double* all, int64_t k, int64_t n, double complex times, double ones) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      double* to = all + 2 * ((k * n + i) * n + j);
      const double complex x = times * part(i) * part(j) / length(n);
      to[0] = creal(x) + (i == j ? ones : 0);
      to[1] = cimag(x);
    }
}

static void assert_equal(oy_tensor* got, const double* want, oy_ints sizes,
                         double limit) {
  const int64_t count = oy_tensor_numel(got);
  double* of = malloc((size_t)(count + 1) * sizeof(*of));
  assert_non_null(of);
  for (int p = 0; p < 2; p++) {
    const bool is_complex = oy_dtype_is_complex(((oy_object*)got)->dtype);
    if (p && !is_complex) break;
    oy_tensor* t = p ? oy_imag(got) : is_complex ? oy_real(got) : oy_tensor_retain(got);
    for (int64_t i = 0; i < count; i++) of[i] = want[2 * i + p];
    assert_close_(t, sizes, of, limit, __FILE__, __LINE__);
    oy_tensor_release(t);
  }
  free(of);
}

static void exponentials(int64_t n, int64_t count, oy_dtype dtype) {
  const bool is_complex = oy_dtype_is_complex(dtype);
  const oy_ints sizes = OY_DIMS(count, n, n);
  double* all = malloc((size_t)(2 * count * n * n) * sizeof(*all));
  assert_non_null(all);
  for (int64_t k = 0; k < count; k++) fill(all, k, n, factor(k, is_complex), 0);
  oy_tensor* wide = oy_tensor_from_data(all, sizes, OY_DTYPE_C128);
  oy_tensor* real = is_complex ? oy_tensor_retain(wide) : oy_real(wide);
  oy_tensor* x = oy_to_dtype(real, dtype, false, true, oy_none());
  for (int64_t k = 0; k < count; k++) fill(all, k, n, cexp(factor(k, is_complex)) - 1, 1);
  oy_tensor* e = oy_linalg_matrix_exp(x);
  const bool is_single = dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_C64;
  assert_equal(e, all, sizes, is_single ? 1e-5 : 1e-12);
  oy_tensor* const made[] = {wide, real, x, e};
  for (int i = 0; i < 4; i++) oy_tensor_release(made[i]);
  free(all);
}

static void of_all_sizes(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_C64,
                                    OY_DTYPE_C128};
  for (int d = 0; d < 4; d++)
    for (int64_t n = 1; n < 20; n++) {
      exponentials(n, 1, dtypes[d]);
      exponentials(n, 21, dtypes[d]);
    }
  for (int d = 0; d < 4; d++)
    for (int64_t n = 31; n < 67; n += 11) exponentials(n, 10, dtypes[d]);
}

// One matrix that is not finite, or whose result is not, leaves those beside it alone.
static void beside_what_overflows(void** state) {
  (void)state;
  double all[5 * 4] = {0, 1, -1, 0, 0, NAN, 0, 0, 1e4, 0, 0, 1e4, 0, 0, 0, INFINITY};
  oy_tensor* x = oy_tensor_from_data(all, OY_DIMS(5, 2, 2), OY_DTYPE_F64);
  oy_tensor* e = oy_linalg_matrix_exp(x);
  const double want[] = {cos(1), sin(1), -sin(1), cos(1)};
  for (int i = 0; i < 4; i++) assert_true(fabs(element(e, i) - want[i]) < 1e-14);
  assert_true(isnan(element(e, 5)));
  assert_false(isfinite(element(e, 8)) || isfinite(element(e, 15)));
  for (int i = 0; i < 4; i++) assert_true(element(e, 16 + i) == (i % 3 == 0));
  oy_tensor_release(x);
  oy_tensor_release(e);
}

static int init(void** state) {
  (void)state;
  return oy_init() == OY_OK ? 0 : -1;
}
static int shut(void** state) {
  (void)state;
  oy_tensor_trim();
  oy_shutdown();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_all_sizes),
                                     cmocka_unit_test(beside_what_overflows)};
  return cmocka_run_group_tests(tests, init, shut);
}
