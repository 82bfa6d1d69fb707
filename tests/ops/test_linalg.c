// SPDX-License-Identifier: Apache-2.0
// Linear algebra by what must hold: factors multiply back, solutions solve, bases are
// orthonormal; and by matrices whose answers are known. Once with the portable functions
// and once with OpenBLAS', where it is installed.
#include <math.h>

#include "support/tensors.h"

static uint32_t g_seed;

static double next_number(void) {
  g_seed = g_seed * 1664525u + 1013904223u;
  return (double)(g_seed >> 8) / (1 << 23) - 1;
}

// Numbers between -1 and 1, of any dtype.
static oy_tensor* numbers(oy_ints sizes, oy_dtype dtype) {
  int64_t count = 2;
  for (size_t i = 0; i < sizes.size; i++) count *= sizes.data[i];
  double* data = malloc((size_t)(count + 1) * sizeof(double));
  assert_non_null(data);
  for (int64_t i = 0; i < count; i++) data[i] = next_number();
  oy_tensor* wide = oy_tensor_from_data(data, sizes, OY_DTYPE_C128);
  oy_tensor* real = oy_dtype_is_complex(dtype) ? oy_tensor_retain(wide) : oy_real(wide);
  oy_tensor* made = oy_to_dtype(real, dtype, false, true, oy_none());
  oy_tensor_release(real);
  oy_tensor_release(wide);
  free(data);
  assert_non_null(made);
  return made;
}

static oy_tensor* give_up(oy_tensor* x, oy_tensor* result) {
  oy_tensor_release(x);
  return result;
}
// A product that releases both.
static oy_tensor* product(oy_tensor* a, oy_tensor* b) {
  oy_tensor* result = oy_matmul(a, b);
  oy_tensor_release(a);
  return give_up(b, result);
}
static oy_tensor* kept(oy_tensor* t) {
  return oy_tensor_retain(t);
}

static bool is_single(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_C64;
}

// That all elements of both are as near as the dtype allows. Takes |a| over.
static void assert_near_(oy_tensor* a, const oy_tensor* b, const char* what, int line) {
  if (!a) print_error("%s: %s\n", what, oy_error_get()->message);
  if (!a) _fail(__FILE__, line);
  oy_tensor* off = oy_sub_Tensor(a, (oy_tensor*)(uintptr_t)b, oy_int(1));
  oy_tensor* d = oy_abs(off);
  oy_tensor_release(off);
  oy_tensor* most = oy_tensor_numel(d) ? oy_max(d) : oy_sum(d, oy_none());
  oy_scalar s;
  assert_int_equal(oy_tensor_item(most, &s), OY_OK);
  double limit = is_single(((const oy_object*)b)->dtype) ? 2e-4 : 1e-10;
  if (!(scalar_number(s) <= limit)) {
    print_error("%s: off by %g\n", what, scalar_number(s));
    _fail(__FILE__, line);
  }
  oy_tensor_release(most);
  oy_tensor_release(d);
  oy_tensor_release(a);
}
#define assert_near(a, b) assert_near_(a, b, #a, __LINE__)

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_C64,
                                    OY_DTYPE_C128};

typedef void (*check_fn)(oy_dtype dtype, int64_t m, int64_t n);

static void for_shapes(check_fn check, bool square) {
  static const int64_t shapes[][2] = {{1, 1}, {2, 2},  {5, 5}, {17, 17}, {5, 3},
                                      {3, 5}, {40, 7}, {0, 0}, {4, 0}};
  g_seed = 7;
  for (size_t d = 0; d < 4; d++)
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
      if (square && shapes[i][0] != shapes[i][1]) continue;
      check(g_dtypes[d], shapes[i][0], shapes[i][1]);
    }
}

static oy_tensor* unit(int64_t n, oy_dtype dtype) {
  oy_tensor* one = oy_eye(n, oy_int(dtype), oy_none(), oy_none(), oy_none());
  assert_non_null(one);
  return one;
}

// ------------------------------------------------------------------------- factors

static void check_lu(oy_dtype dtype, int64_t m, int64_t n) {
  oy_tensor *a = numbers(OY_DIMS(2, m, n), dtype), *p, *l, *u;
  assert_int_equal(oy_linalg_lu(a, true, &p, &l, &u), OY_OK);
  assert_near(product(p, product(l, u)), a);
  oy_tensor_release(a);
}
static void lu_factors_multiply_back(void** state) {
  (void)state;
  for_shapes(check_lu, false);
}

// LU of |a|, by rows, in place, as one would write it.
static void plain_lu(int64_t m, int64_t n, double* a, int32_t* pivots) {
  for (int64_t k = 0; k < m && k < n; k++) {
    int64_t p = k;
    for (int64_t i = k + 1; i < m; i++)
      if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
    pivots[k] = (int32_t)p + 1;
    for (int64_t j = 0; j < n; j++) {
      const double t = a[k * n + j];
      a[k * n + j] = a[p * n + j], a[p * n + j] = t;
    }
    for (int64_t i = k + 1; i < m; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  }
}

// One matrix in five has what leaves the vectors: a number that is none, a zero pivot.
static void check_small_lu(oy_dtype dtype, int64_t m, int64_t n, int64_t count) {
  enum { MOST = 16 * 16 };
  oy_tensor* a = numbers(OY_DIMS(count, m, n), OY_DTYPE_F64);
  double* data = oy_tensor_data(a);
  for (int64_t i = 2; i < count; i += 5) {
    if (i % 2) data[i * m * n] = NAN;
    for (int64_t k = 0; i % 2 == 0 && k < m * n; k += n) data[i * m * n + k] = 0;
  }
  oy_tensor *of = oy_to_dtype(a, dtype, false, true, oy_none()), *lu, *pivots, *info;
  assert_int_equal(oy_linalg_lu_factor_ex(of, true, false, &lu, &pivots, &info), OY_OK);
  oy_tensor *wide = oy_to_dtype(lu, OY_DTYPE_F64, false, true, oy_none()),
            *rows = oy_contiguous(wide, OY_MEMORY_CONTIGUOUS);
  const double limit = dtype == OY_DTYPE_F32 ? 1e-2 : 1e-9, *got = oy_tensor_data(rows);
  const int64_t least = m < n ? m : n;
  for (int64_t i = 0; i < count; i++) {
    int32_t want[16];
    assert_int_equal(((int32_t*)oy_tensor_data(info))[i], i % 10 == 2);
    if (i % 5 == 2) continue;
    plain_lu(m, n, data + i * m * n, want);
    for (int64_t k = 0; k < least; k++)
      assert_int_equal(((int32_t*)oy_tensor_data(pivots))[i * least + k], want[k]);
    for (int64_t k = 0; k < m * n; k++)
      assert_true(fabs(got[i * m * n + k] - data[i * m * n + k]) < limit);
  }
  oy_tensor* all[] = {a, of, lu, pivots, info, wide, rows};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}
static void small_matrices_side_by_side(void** state) {
  (void)state;
  static const int64_t shapes[][2] = {{1, 1},  {2, 2},  {3, 3},   {5, 5},  {8, 8},
                                      {9, 16}, {16, 9}, {15, 15}, {16, 16}};
  g_seed = 3;
  for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
    for (int64_t count = 1; count <= 19; count += 3)
      for (int d = 0; d < 2; d++)
        check_small_lu(g_dtypes[d], shapes[i][0], shapes[i][1], count);
}

static void check_qr(oy_dtype dtype, int64_t m, int64_t n) {
  for (int complete = 0; complete < 2; complete++) {
    oy_tensor *a = numbers(OY_DIMS(2, m, n), dtype), *q, *r;
    oy_str mode = oy_str_of(complete ? "complete" : "reduced");
    assert_int_equal(oy_linalg_qr(a, mode, &q, &r), OY_OK);
    oy_tensor* one = unit(oy_tensor_size(q, -1), dtype);
    assert_near(product(oy_mH(q), kept(q)), one);
    oy_tensor* lower = oy_tril(r, -1);
    oy_tensor* zero =
        oy_zeros_like(r, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
    assert_near(lower, zero);
    assert_near(product(q, r), a);
    oy_tensor_release(zero);
    oy_tensor_release(one);
    oy_tensor_release(a);
  }
}
static void qr_factors_multiply_back(void** state) {
  (void)state;
  for_shapes(check_qr, false);
}

// Matrices of few rows or columns, by rows or turned; of a row Q is 1.
static void qr_of_batches_of_few_rows_multiplies_back(void** state) {
  (void)state;
  static const int64_t shapes[][2] = {{1, 1}, {1, 2}, {1, 9}, {2, 5}, {3, 7}, {4, 6},
                                      {5, 9}, {9, 1}, {7, 2}, {7, 3}, {6, 4}};
  g_seed = 11;
  for (size_t i = 0; i < 4 * sizeof(shapes) / sizeof(*shapes); i++)
    for (int turned = 0; turned < 2; turned++) {
      const int64_t m = shapes[i / 4][0], n = shapes[i / 4][1];
      const oy_dtype dtype = g_dtypes[i % 4];
      oy_tensor *a = numbers(OY_DIMS(5, turned ? n : m, turned ? m : n), dtype), *q, *r;
      if (turned) a = give_up(a, oy_tensor_transpose(a, 1, 2));
      assert_int_equal(oy_linalg_qr(a, oy_str_of("reduced"), &q, &r), OY_OK);
      oy_tensor* upper = oy_triu(r, 0);
      assert_near(kept(r), upper);
      if (m == 1 && i % 4 < 2) assert_near(kept(r), a);
      assert_near(product(q, r), a);
      oy_tensor_release(upper);
      oy_tensor_release(a);
    }
}

static oy_tensor* positive(int64_t n, oy_dtype dtype) {
  oy_tensor* a = numbers(OY_DIMS(2, n, n), dtype);
  oy_tensor* square = product(kept(a), oy_mH(a));
  oy_tensor* one = unit(n, dtype);
  oy_tensor* result = oy_add_Tensor(square, one, oy_int(1));
  oy_tensor_release(a);
  oy_tensor_release(one);
  return give_up(square, result);
}

static void check_cholesky(oy_dtype dtype, int64_t n, int64_t unused) {
  (void)unused;
  oy_tensor* a = positive(n, dtype);
  oy_tensor* l = oy_linalg_cholesky(a, false);
  oy_tensor* u = oy_linalg_cholesky(a, true);
  assert_near(product(kept(l), oy_mH(l)), a);
  assert_near(product(oy_mH(u), kept(u)), a);
  oy_tensor* b = numbers(OY_DIMS(2, n, 3), dtype);
  assert_near(product(kept(a), oy_cholesky_solve(b, l, false)), b);
  assert_near(product(kept(a), oy_cholesky_solve(b, u, true)), b);
  oy_tensor* one = unit(n, dtype);
  assert_near(product(kept(a), oy_cholesky_inverse(u, true)), one);
  oy_tensor* const all[] = {a, l, u, b, one};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}
static void cholesky_factors_multiply_back(void** state) {
  (void)state;
  for_shapes(check_cholesky, true);
}

// ----------------------------------------------------------------------- equations

static void check_solve(oy_dtype dtype, int64_t n, int64_t unused) {
  (void)unused;
  oy_tensor *a = positive(n, dtype), *b = numbers(OY_DIMS(2, n, 3), dtype);
  oy_tensor* row = numbers(OY_DIMS(2, 3, n), dtype);
  oy_tensor* flipped = oy_transpose_int(a, -2, -1);
  assert_near(product(kept(a), oy_linalg_solve(a, b, true)), b);
  assert_near(product(kept(flipped), oy_linalg_solve(flipped, b, true)), b);
  assert_near(product(oy_linalg_solve(a, row, false), kept(a)), row);
  assert_near(product(oy_linalg_solve(flipped, row, false), kept(flipped)), row);
  oy_tensor* one = unit(n, dtype);
  assert_near(product(kept(a), oy_linalg_inv(a)), one);
  for (int upper = 0; upper < 2; upper++) {
    oy_tensor* t = upper ? oy_triu(a, 0) : oy_tril(a, 0);
    assert_near(product(kept(t), oy_linalg_solve_triangular(t, b, upper, true, false)),
                b);
    assert_near(product(oy_linalg_solve_triangular(t, row, upper, false, false), kept(t)),
                row);
    oy_tensor_release(t);
  }
  oy_tensor* const all[] = {a, b, row, flipped, one};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}
static void solutions_solve(void** state) {
  (void)state;
  for_shapes(check_solve, true);
}

// Triangles of sizes around where the ways to solve change, right sides that fill no vector,
// and triangles that lie by rows and by columns.
static void check_triangle(oy_dtype dtype, int64_t n, int64_t columns) {
  oy_tensor *a = positive(n, dtype), *b = numbers(OY_DIMS(2, n, columns), dtype);
  for (int way = 0; way < 8; way++) {
    const bool upper = way & 1, is_unit = way & 2, by_columns = way & 4;
    const double scale = 1.0 / (double)(n + 1);
    const oy_complex steep = {0.5 * scale, -scale};
    oy_tensor* scaled = oy_mul_Scalar(
        a, oy_dtype_is_complex(dtype) ? oy_complex_value(&steep) : oy_float(scale));
    oy_tensor* t = upper ? oy_triu(scaled, is_unit) : oy_tril(scaled, -(int64_t)is_unit);
    oy_tensor* one = unit(n, dtype);
    oy_tensor* whole = is_unit ? oy_add_Tensor(t, one, oy_int(1)) : kept(t);
    oy_tensor* turned = oy_transpose_int(whole, -2, -1);
    oy_tensor* by_rows = oy_contiguous(turned, OY_MEMORY_CONTIGUOUS);
    oy_tensor* given = by_columns ? oy_transpose_int(by_rows, -2, -1) : kept(whole);
    assert_near(
        product(kept(given), oy_linalg_solve_triangular(given, b, upper, true, is_unit)),
        b);
    oy_tensor* const made[] = {scaled, t, one, whole, turned, by_rows, given};
    for (int i = 0; i < 7; i++) oy_tensor_release(made[i]);
  }
  oy_tensor_release(a);
  oy_tensor_release(b);
}
static void triangles_of_any_size_solve(void** state) {
  (void)state;
  static const int64_t sizes[][2] = {{1, 1}, {3, 4}, {8, 9}, {16, 5}, {17, 3}};
  g_seed = 11;
  for (size_t d = 0; d < 4; d++)
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
      check_triangle(g_dtypes[d], sizes[i][0], sizes[i][1]);
}

// What a matrix gives is the same alone and anywhere in a batch, to the last bit.
static void a_batch_is_its_matrices(void** state) {
  (void)state;
  g_seed = 5;
  enum { COUNT = 11, N = 6 };
  oy_tensor *a = numbers(OY_DIMS(COUNT, N, N), OY_DTYPE_F32),
            *b = numbers(OY_DIMS(COUNT, N, 3), OY_DTYPE_F32);
  oy_tensor* all = oy_linalg_solve(a, b, true);
  oy_tensor* values = oy_linalg_svdvals(a, oy_none());
  for (int64_t i = 0; i < COUNT; i++) {
    oy_tensor *one = oy_select_int(a, 0, i), *right = oy_select_int(b, 0, i);
    oy_tensor *x = oy_linalg_solve(one, right, true), *want = oy_select_int(all, 0, i);
    oy_tensor *s = oy_linalg_svdvals(one, oy_none()),
              *want_s = oy_select_int(values, 0, i);
    bool same = false, same_s = false;
    assert_int_equal(oy_equal(x, want, &same), OY_OK);
    assert_int_equal(oy_equal(s, want_s, &same_s), OY_OK);
    assert_true(same && same_s);
    oy_tensor* const made[] = {one, right, x, want, s, want_s};
    for (int k = 0; k < 6; k++) oy_tensor_release(made[k]);
  }
  oy_tensor* const made[] = {a, b, all, values};
  for (int k = 0; k < 4; k++) oy_tensor_release(made[k]);
}

static void check_lu_solve(oy_dtype dtype, int64_t n, int64_t unused) {
  (void)unused;
  oy_tensor *a = positive(n, dtype), *b = numbers(OY_DIMS(2, n, 3), dtype);
  oy_tensor *row = numbers(OY_DIMS(2, 3, n), dtype), *lu, *pivots, *a_h = oy_mH(a);
  assert_int_equal(oy_linalg_lu_factor(a, true, &lu, &pivots), OY_OK);
  assert_near(product(kept(a), oy_linalg_lu_solve(lu, pivots, b, true, false)), b);
  assert_near(product(kept(a_h), oy_linalg_lu_solve(lu, pivots, b, true, true)), b);
  assert_near(product(oy_linalg_lu_solve(lu, pivots, row, false, false), kept(a)), row);
  assert_near(product(oy_linalg_lu_solve(lu, pivots, row, false, true), kept(a_h)), row);
  oy_tensor* const all[] = {a, b, row, lu, pivots, a_h};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
}
static void factors_solve_four_equations(void** state) {
  (void)state;
  for_shapes(check_lu_solve, true);
}

// ---------------------------------------------------------- values and vectors

static void check_svd(oy_dtype dtype, int64_t m, int64_t n) {
  for (int full = 0; full < 2; full++) {
    oy_tensor *a = numbers(OY_DIMS(2, m, n), dtype), *u, *s, *vh;
    assert_int_equal(oy_linalg_svd(a, full, oy_none(), &u, &s, &vh), OY_OK);
    oy_tensor* one = unit(oy_tensor_size(u, -1), dtype);
    assert_near(product(oy_mH(u), kept(u)), one);
    oy_tensor_release(one);
    one = unit(oy_tensor_size(vh, -2), dtype);
    assert_near(product(kept(vh), oy_mH(vh)), one);
    int64_t k = oy_tensor_size(s, -1);
    oy_tensor* wide = oy_to_dtype(s, dtype, false, false, oy_none());
    oy_tensor *left = oy_narrow(u, -1, 0, k), *right = oy_narrow(vh, -2, 0, k);
    assert_near(product(left, product(oy_diag_embed(wide, 0, -2, -1), right)), a);
    for (int64_t i = 1; i < k; i++) assert_true(element(s, i - 1) >= element(s, i));
    oy_tensor* const all[] = {a, u, s, vh, one, wide};
    for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
  }
}
static void singular_values_multiply_back(void** state) {
  (void)state;
  for_shapes(check_svd, false);
}

static void check_eigh(oy_dtype dtype, int64_t n, int64_t unused) {
  (void)unused;
  oy_tensor *a = positive(n, dtype), *w, *v;
  for (int upper = 0; upper < 2; upper++) {
    oy_tensor* half = upper ? oy_triu(a, 0) : oy_tril(a, 0);  // all that is read
    assert_int_equal(oy_linalg_eigh(half, oy_str_of(upper ? "U" : "L"), &w, &v), OY_OK);
    oy_tensor* wide = oy_to_dtype(w, dtype, false, false, oy_none());
    assert_near(product(kept(v), product(oy_diag_embed(wide, 0, -2, -1), oy_mH(v))), a);
    for (int64_t i = 1; i < n; i++) assert_true(element(w, i - 1) <= element(w, i));
    oy_tensor* const all[] = {half, w, v, wide};
    for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
  }
  oy_tensor_release(a);
}
static void hermitian_eigenvalues_multiply_back(void** state) {
  (void)state;
  for_shapes(check_eigh, true);
}

static void check_eig(oy_dtype dtype, int64_t n, int64_t unused) {
  (void)unused;
  oy_tensor *a = numbers(OY_DIMS(2, n, n), dtype), *w, *v;
  assert_int_equal(oy_linalg_eig(a, &w, &v), OY_OK);
  oy_dtype wide = is_single(dtype) ? OY_DTYPE_C64 : OY_DTYPE_C128;
  oy_tensor* as = oy_to_dtype(a, wide, false, false, oy_none());
  oy_tensor* scaled = product(kept(v), oy_diag_embed(w, 0, -2, -1));
  assert_near(product(as, kept(v)), scaled);
  oy_tensor* const all[] = {a, w, v, scaled};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}
static void eigenvectors_are_stretched(void** state) {
  (void)state;
  for_shapes(check_eig, true);
}

// ------------------------------------------------------------------- known answers

static void known_matrices(void** state) {
  (void)state;
  oy_tensor* a = F64(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor *d = oy_linalg_det(a), *sign, *size;
  assert_close_(d, OY_DIMS(), (const double[]){-2}, 1e-14, __FILE__, __LINE__);
  assert_int_equal(oy_linalg_slogdet(a, &sign, &size), OY_OK);
  assert_close_(sign, OY_DIMS(), (const double[]){-1}, 0, __FILE__, __LINE__);
  assert_close_(size, OY_DIMS(), (const double[]){log(2)}, 1e-14, __FILE__, __LINE__);
  // A^T A = [[25, 20], [20, 25]] has the eigenvalues 45 and 5.
  oy_tensor* b = F64(OY_DIMS(2, 2), 3, 0, 4, 5);
  oy_tensor* s = oy_linalg_svdvals(b, oy_none());
  assert_close_(s, OY_DIMS(2), (const double[]){sqrt(45), sqrt(5)}, 1e-13, __FILE__,
                __LINE__);
  oy_tensor* turn = F64(OY_DIMS(2, 2), 0, 1, -1, 0);
  oy_tensor* e = oy_linalg_matrix_exp(turn);
  const double want[] = {cos(1), sin(1), -sin(1), cos(1)};
  assert_close_(e, OY_DIMS(2, 2), want, 1e-14, __FILE__, __LINE__);
  oy_tensor* const all[] = {a, d, sign, size, b, s, turn, e};
  for (int i = 0; i < 8; i++) oy_tensor_release(all[i]);
}

// Exchanged rows and, of complex numbers, a quarter turn: in batches, one matrix of which is
// singular.
static void determinants_of_each_dtype(void** state) {
  (void)state;
  static const double data[] = {0, 0, 0, 2, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0};
  for (size_t d = 0; d < 4; d++) {
    const bool is_complex = oy_dtype_is_complex(g_dtypes[d]);
    oy_tensor *wide = oy_tensor_from_data(data, OY_DIMS(2, 2, 2), OY_DTYPE_C128),
              *part = is_complex ? kept(wide) : oy_abs(wide),
              *a = oy_to_dtype(part, g_dtypes[d], false, true, oy_none());
    oy_tensor *det = oy_linalg_det(a), *sign, *size;
    assert_int_equal(oy_linalg_slogdet(a, &sign, &size), OY_OK);
    const double turned[] = {0, -8, 0, 0}, straight[] = {-8, 0, 0, 0};
    const double unit[] = {0, -1, 0, 0}, minus[] = {-1, 0, 0, 0};
    oy_tensor* want[] = {
        oy_tensor_from_data(is_complex ? turned : straight, OY_DIMS(2), OY_DTYPE_C128),
        oy_tensor_from_data(is_complex ? unit : minus, OY_DIMS(2), OY_DTYPE_C128)};
    assert_near(kept(det), want[0]);
    assert_near(kept(sign), want[1]);
    oy_tensor *real_size = oy_exp(size), *eight = oy_abs(want[0]);
    assert_near(kept(real_size), eight);
    oy_tensor* all[] = {wide, part,    a,       det,       sign,
                        size, want[0], want[1], real_size, eight};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
  }
}

static void norms_and_ranks(void** state) {
  (void)state;
  oy_tensor* a = F64(OY_DIMS(2, 2), 1, -2, 3, 4);
  oy_ints last = OY_DIMS(-2, -1);
  const struct {
    double order, want;
  } rows[] = {{1, 6}, {-1, 4}, {INFINITY, 7}, {-INFINITY, 3}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* n =
        oy_linalg_matrix_norm(a, oy_float(rows[i].order), last, false, oy_none());
    assert_close_(n, OY_DIMS(), &rows[i].want, 1e-14, __FILE__, __LINE__);
    oy_tensor_release(n);
  }
  oy_tensor* fro =
      oy_linalg_matrix_norm_str_ord(a, oy_str_of("fro"), last, false, oy_none());
  assert_close_(fro, OY_DIMS(), (const double[]){sqrt(30)}, 1e-14, __FILE__, __LINE__);
  oy_tensor* thin = F64(OY_DIMS(2, 3), 1, 2, 3, 2, 4, 6);  // one row twice the other
  oy_tensor* rank =
      oy_linalg_matrix_rank_atol_rtol_float(thin, oy_none(), oy_none(), false);
  assert_int_equal((int)element(rank, 0), 1);
  // x x^T / |x|^2 |y|^2 of x y^T: the pseudoinverse is y x^T / (|x|^2 |y|^2).
  oy_tensor* p = oy_linalg_pinv_atol_rtol_float(thin, oy_none(), oy_none(), false);
  const double want[] = {1 / 70., 2 / 70., 2 / 70., 4 / 70., 3 / 70., 6 / 70.};
  assert_close_(p, OY_DIMS(3, 2), want, 1e-14, __FILE__, __LINE__);
  oy_tensor* const all[] = {a, fro, thin, rank, p};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

static void least_squares(void** state) {
  (void)state;
  // A line through (0, 1), (1, 3), (2, 5), (3, 6): y = 1.2 + 1.7 x, squares 0.3 in all.
  oy_tensor* a = F64(OY_DIMS(4, 2), 1, 0, 1, 1, 1, 2, 1, 3);
  oy_tensor* b = F64(OY_DIMS(4, 1), 1, 3, 5, 6);
  oy_tensor *x, *left, *rank, *values;
  oy_value driver = oy_value_str(oy_str_of("gelsd"));
  assert_int_equal(oy_linalg_lstsq(a, b, oy_none(), driver, &x, &left, &rank, &values),
                   OY_OK);
  assert_close_(x, OY_DIMS(2, 1), (const double[]){1.2, 1.7}, 1e-12, __FILE__, __LINE__);
  assert_close_(left, OY_DIMS(1), (const double[]){0.3}, 1e-12, __FILE__, __LINE__);
  assert_int_equal((int)element(rank, 0), 2);
  oy_tensor* const all[] = {a, b, x, left, rank, values};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
}

// By the default driver; of many solutions it is the one of least norm.
static void check_least_norm(oy_dtype dtype, oy_tensor* wide_a, oy_tensor* wide_b,
                             oy_ints sizes, const double* want, int64_t want_rank) {
  oy_tensor* a = oy_to_dtype(wide_a, dtype, false, true, oy_none());
  oy_tensor* b = oy_to_dtype(wide_b, dtype, false, true, oy_none());
  oy_tensor *x, *left, *rank, *values;
  assert_int_equal(oy_linalg_lstsq(a, b, oy_none(), oy_none(), &x, &left, &rank, &values),
                   OY_OK);
  oy_tensor* real = oy_dtype_is_complex(dtype) ? oy_real(x) : kept(x);
  assert_close_(real, sizes, want, is_single(dtype) ? 1e-5 : 1e-12, __FILE__, __LINE__);
  assert_int_equal((int)element(rank, 0), want_rank);
  assert_int_equal(oy_tensor_numel(left), 0);
  assert_int_equal(oy_tensor_numel(values), 0);
  oy_tensor* const all[] = {wide_a, wide_b, a, b, x, left, rank, values, real};
  for (int i = 0; i < 9; i++) oy_tensor_release(all[i]);
}

static void least_squares_of_least_norm(void** state) {
  (void)state;
  for (size_t d = 0; d < 4; d++) {
    // The line of above; x + 2 y = 5; the same equation twice; for two matrices at once,
    // diag(1, 2) and diag(4, 0), of vectors.
    check_least_norm(g_dtypes[d], F64(OY_DIMS(4, 2), 1, 0, 1, 1, 1, 2, 1, 3),
                     F64(OY_DIMS(4, 1), 1, 3, 5, 6), OY_DIMS(2, 1),
                     (const double[]){1.2, 1.7}, 2);
    check_least_norm(g_dtypes[d], F64(OY_DIMS(1, 2), 1, 2), F64(OY_DIMS(1), 5),
                     OY_DIMS(2), (const double[]){1, 2}, 1);
    check_least_norm(g_dtypes[d], F64(OY_DIMS(2, 2), 1, 1, 1, 1),
                     F64(OY_DIMS(2, 1), 1, 3), OY_DIMS(2, 1), (const double[]){1, 1}, 1);
    check_least_norm(g_dtypes[d], F64(OY_DIMS(2, 2, 2), 1, 0, 0, 2, 4, 0, 0, 0),
                     F64(OY_DIMS(2, 2), 3, 4, 8, 1), OY_DIMS(2, 2),
                     (const double[]){3, 2, 2, 0}, 2);
  }
}

// ------------------------------------------------------------------------- errors

static void expect(oy_tensor* result, const char* text) {
  assert_null(result);
  if (!strstr(oy_error_get()->message, text))
    print_error("%s\n", oy_error_get()->message);
  assert_non_null(strstr(oy_error_get()->message, text));
  oy_error_clear();
}

static void what_is_wrong_is_said_as_pytorch_says_it(void** state) {
  (void)state;
  oy_tensor* zero = F32(OY_DIMS(2, 2), 0, 0, 0, 0);
  oy_tensor* two = F32(OY_DIMS(2, 2, 2), 1, 0, 0, 1, 0, 0, 0, 0);
  oy_tensor* wide = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* nan = F32(OY_DIMS(2, 2), NAN, 0, 0, 1);
  oy_tensor* ints = I64(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor* ones = F32(OY_DIMS(2), 1, 1);
  expect(oy_linalg_inv(zero),
         "linalg.inv: The diagonal element 1 is zero, the inversion");
  expect(oy_linalg_inv(two),
         "linalg.inv: (Batch element 1): The diagonal element 1 is zero");
  expect(oy_linalg_solve(zero, ones, true),
         "torch.linalg.solve: The solver failed because the input matrix is singular.");
  expect(oy_linalg_cholesky(zero, false),
         "(the leading minor of order 1 is not positive-definite)");
  expect(
      oy_linalg_inv(wide),
      "linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices");
  expect(oy_linalg_inv(ones),
         "linalg.inv: The input tensor A must have at least 2 dimensions.");
  expect(oy_linalg_inv(ints),
         "linalg.inv: Expected a floating point or complex tensor as input. Got Long");
  expect(
      oy_linalg_svdvals(nan, oy_none()),
      "linalg.svd: The algorithm failed to converge because the input matrix contained "
      "non-finite values.");
  expect(oy_linalg_eigvals(nan),
         "torch.linalg.eig: input tensor should not contain infs or NaNs.");
  oy_tensor* const all[] = {zero, two, wide, nan, ints, ones};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
}

static int init_portable(void** state) {
  (void)state;
  setenv("OPYARD_OPENBLAS", "off", 1);
  return oy_init() == OY_OK ? 0 : -1;
}
static int init_any(void** state) {
  (void)state;
  unsetenv("OPYARD_OPENBLAS");
  return oy_init() == OY_OK ? 0 : -1;
}
static int shut(void** state) {
  (void)state;
  oy_tensor_trim();
  oy_shutdown();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lu_factors_multiply_back),
      cmocka_unit_test(small_matrices_side_by_side),
      cmocka_unit_test(qr_factors_multiply_back),
      cmocka_unit_test(qr_of_batches_of_few_rows_multiplies_back),
      cmocka_unit_test(cholesky_factors_multiply_back),
      cmocka_unit_test(solutions_solve),
      cmocka_unit_test(triangles_of_any_size_solve),
      cmocka_unit_test(a_batch_is_its_matrices),
      cmocka_unit_test(factors_solve_four_equations),
      cmocka_unit_test(singular_values_multiply_back),
      cmocka_unit_test(hermitian_eigenvalues_multiply_back),
      cmocka_unit_test(eigenvectors_are_stretched),
      cmocka_unit_test(known_matrices),
      cmocka_unit_test(determinants_of_each_dtype),
      cmocka_unit_test(norms_and_ranks),
      cmocka_unit_test(least_squares),
      cmocka_unit_test(least_squares_of_least_norm),
      cmocka_unit_test(what_is_wrong_is_said_as_pytorch_says_it),
  };
  int failed = cmocka_run_group_tests_name("portable", tests, init_portable, shut);
  return failed + cmocka_run_group_tests_name("as installed", tests, init_any, shut);
}
