// SPDX-License-Identifier: Apache-2.0
// LDL^T of symmetric and LDL^H of Hermitian matrices by diagonal pivoting (Bunch and
// Kaufman, 1977), and solutions by them. Pivots are LAPACK's: k > 0 where rows were
// exchanged with row k, twice -k where the block on the diagonal is 2 x 2.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "backends/cpu/linalg/linalg.h"
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/out_form.h"
#include "ops/rules/rules.h"

typedef double complex z;

// By columns; only the lower triangle is there.
typedef struct matrix {
  z* a;
  int64_t n;
  bool hermitian;
} matrix;

static inline z* at(const matrix* m, int64_t i, int64_t j) {
  return m->a + i + j * m->n;
}
static inline z turned(const matrix* m, z x) {
  return m->hermitian ? conj(x) : x;
}
static inline double size_of(z x) {
  return fabs(creal(x)) + fabs(cimag(x));
}
static inline void swap(z* a, z* b) {
  z t = *a;
  *a = *b;
  *b = t;
}

// -------------------------------------------------------------------- factorisation

// The greatest of the elements (i, j) for i from |from| to below |to|; its row.
static int64_t greatest_in_column(const matrix* m, int64_t j, int64_t from, int64_t to,
                                  double* out) {
  int64_t row = from;
  *out = 0;
  for (int64_t i = from; i < to; i++)
    if (size_of(*at(m, i, j)) > *out) *out = size_of(*at(m, row = i, j));
  return row;
}

// Which row comes to k, or to k + 1 if the block has two; -1: the column is zero.
static int64_t choose(const matrix* m, int64_t k, int64_t* steps) {
  static const double alpha = 0.6403882032022076;  // (1 + sqrt(17)) / 8
  const double own = size_of(*at(m, k, k));
  double column, row = 0, below;
  *steps = 1;
  const int64_t other = greatest_in_column(m, k, k + 1, m->n, &column);
  if (!(own > 0 || column > 0) || isnan(own)) return -1;
  if (own >= alpha * column) return k;
  for (int64_t j = k; j < other; j++) row = fmax(row, size_of(*at(m, other, j)));
  greatest_in_column(m, other, other + 1, m->n, &below);
  row = fmax(row, below);
  if (own >= alpha * column * (column / row)) return k;
  if (size_of(*at(m, other, other)) < alpha * row) *steps = 2;
  return other;
}

// Exchanges rows and columns |p| and |q| > p of what is left.
static void exchange(const matrix* m, int64_t p, int64_t q) {
  for (int64_t i = q + 1; i < m->n; i++) swap(at(m, i, p), at(m, i, q));
  for (int64_t j = p + 1; j < q; j++) {
    z t = turned(m, *at(m, j, p));
    *at(m, j, p) = turned(m, *at(m, q, j));
    *at(m, q, j) = t;
  }
  *at(m, q, p) = turned(m, *at(m, q, p));
  swap(at(m, p, p), at(m, q, q));
}

static void make_real(const matrix* m, int64_t k) {
  if (m->hermitian) *at(m, k, k) = creal(*at(m, k, k));
}

static void eliminate_one(const matrix* m, int64_t k) {
  const z scale = 1 / *at(m, k, k);
  for (int64_t j = k + 1; j < m->n; j++) {
    const z factor = scale * turned(m, *at(m, j, k));
    for (int64_t i = j; i < m->n; i++) *at(m, i, j) -= *at(m, i, k) * factor;
    make_real(m, j);
  }
  for (int64_t i = k + 1; i < m->n; i++) *at(m, i, k) *= scale;
}

// With the inverse of the block D = (a b'; b c) of two rows.
static void eliminate_two(const matrix* m, int64_t k) {
  const z a = *at(m, k, k), b = *at(m, k + 1, k), c = *at(m, k + 1, k + 1);
  // Divided by b first, so that no product overflows.
  const z ca = c / b, ac = a / turned(m, b), determinant = ca * ac - 1;
  for (int64_t j = k + 2; j < m->n; j++) {
    const z x = *at(m, j, k), y = *at(m, j, k + 1);
    const z first = (ca * x - y) / turned(m, b) / determinant;
    const z second = (ac * y - x) / b / determinant;
    // Rows of L; those above are still there as they were.
    for (int64_t i = j; i < m->n; i++)
      *at(m, i, j) -=
          *at(m, i, k) * turned(m, first) + *at(m, i, k + 1) * turned(m, second);
    make_real(m, j);
    *at(m, j, k) = first;
    *at(m, j, k + 1) = second;
  }
}

// LAPACK's info: the first column from 1 where D is zero, or 0.
static int32_t factorise(const matrix* m, int32_t* pivots) {
  int32_t info = 0;
  for (int64_t k = 0, steps; k < m->n; k += steps) {
    int64_t row = choose(m, k, &steps);
    if (row < 0) {
      if (info == 0) info = (int32_t)k + 1;
      pivots[k] = (int32_t)k + 1;
      make_real(m, k);
      continue;
    }
    const int64_t to = k + steps - 1;
    if (row != to) {
      exchange(m, to, row);
      if (steps == 2) swap(at(m, k + 1, k), at(m, row, k));
    }
    make_real(m, k);
    if (steps == 2) make_real(m, k + 1);
    if (steps == 1)
      eliminate_one(m, k);
    else
      eliminate_two(m, k);
    pivots[k] = (int32_t)(steps == 1 ? row + 1 : -(row + 1));
    if (steps == 2) pivots[k + 1] = pivots[k];
  }
  return info;
}

// ------------------------------------------------------------------------- solution

// x[i] -= L[i, k] x[k] below row |last| of the block.
static void forward(const matrix* m, int64_t k, int64_t last, z* x) {
  for (int64_t i = last + 1; i < m->n; i++) x[i] -= *at(m, i, k) * x[k];
}
static void backward(const matrix* m, int64_t k, int64_t last, z* x) {
  for (int64_t i = last + 1; i < m->n; i++) x[k] -= turned(m, *at(m, i, k)) * x[i];
}
static void divide_by_two(const matrix* m, int64_t k, z* x) {
  const z a = *at(m, k, k), b = *at(m, k + 1, k), c = *at(m, k + 1, k + 1);
  const z ac = a / turned(m, b), ca = c / b, determinant = ca * ac - 1;
  const z first = x[k] / turned(m, b), second = x[k + 1] / b;
  x[k] = (ca * first - second) / determinant;
  x[k + 1] = (ac * second - first) / determinant;
}

static void solve(const matrix* m, const int32_t* pivots, z* x) {
  int64_t k = 0;
  for (int64_t steps; k < m->n; k += steps) {
    steps = pivots[k] > 0 ? 1 : 2;
    const int64_t last = k + steps - 1, row = labs(pivots[k]) - 1;
    swap(&x[last], &x[row]);
    for (int64_t i = k; i <= last; i++) forward(m, i, last, x);
    if (steps == 1)
      x[k] /= *at(m, k, k);
    else
      divide_by_two(m, k, x);
  }
  for (int64_t steps; k > 0; k -= steps) {
    steps = pivots[k - 1] > 0 ? 1 : 2;
    const int64_t last = k - 1, row = labs(pivots[last]) - 1;
    for (int64_t i = k - steps; i <= last; i++) backward(m, i, last, x);
    swap(&x[last], &x[row]);
  }
}

// ------------------------------------------------------------------------ operators

// As the portable way has them, or the library, in double either way.
static int32_t factors_of(const oyi_lapack* lapack, oyi_tensor* work, bool hermitian,
                          int64_t i, int32_t* pivots) {
  const matrix m = {oyi_matrix_at(work, i), oyi_rows(work), hermitian};
  return lapack->ldl ? lapack->ldl(work->header.dtype, hermitian, m.n, m.a, pivots)
                     : factorise(&m, pivots);
}

typedef struct ldl_run {
  const oyi_lapack* lapack;
  oyi_tensor *work, *pivots, *info;
  bool hermitian;
} ldl_run;

static oy_status factor_some(int64_t begin, int64_t end, void* context) {
  const ldl_run* r = context;
  for (int64_t i = begin; i < end; i++) {
    int32_t* found = (int32_t*)oyi_data(r->info) + i;
    *found = factors_of(r->lapack, r->work, r->hermitian, i, oyi_row_at(r->pivots, i));
    OY_TRY(oyi_check_info(*found));
  }
  return OY_OK;
}

LINALG(linalg_ldl_factor_ex) {
  *out_LD = *out_pivots = *out_info = NULL;
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  if (!oyi_check_square(self, "torch.linalg.ldl_factor_ex")) return oy_failure();
  const int64_t n = oyi_rows(t);
  const bool is_complex = oy_dtype_is_complex(self->dtype);
  oyi_tensor* work =
      oyi_matrices_copy(t, is_complex || !lapack->ldl ? OY_DTYPE_C128 : OY_DTYPE_F64);
  oyi_tensor* pivots = oyi_batch_rows_new(t, n, OY_DTYPE_I32);
  oyi_tensor* info = oyi_batch_new(t, OY_DTYPE_I32);
  oy_status status = work && pivots && info ? OY_OK : oy_failure();
  if (status == 0 && !oyi_is_meta(t)) {
    oyi_matrices_keep(work, false);
    ldl_run run = {lapack, work, pivots, info, hermitian && is_complex};
    status = oyi_matrices_each(work, n, factor_some, &run);
  }
  if (status == 0 && check_errors)
    status = oyi_linalg_check(&info->header, "torch.linalg.ldl_factor_ex", t->ndim == 2);
  oy_object* made[] = {oyi_matrices_done(work, self->dtype), oyi_tensor_object(pivots),
                       oyi_tensor_object(info)};
  oy_object** results[] = {out_LD, out_pivots, out_info};
  return oyi_give_results(status, 3, made, results);
}
LINALG(linalg_ldl_factor_ex_out) {
  oy_object *made[3], *outs[] = {LD, pivots, info};
  *out_LD = LD, *out_pivots = pivots, *out_info = info;
  return oyi_into_outs(linalg_linalg_ldl_factor_ex(lapack, self, hermitian, check_errors,
                                                   &made[0], &made[1], &made[2]),
                       outs, made, 3);
}

static oy_status check_solve(const oyi_tensor* ld, const oyi_tensor* p,
                             const oyi_tensor* b) {
  const char* name = "torch.linalg.ldl_solve";
  OY_TRY(oyi_check_same_device(ld, b));
  OY_TRY(oyi_check_same_device(ld, p));
  OY_CHECK(
      ld->header.dtype == b->header.dtype, TYPE_MISMATCH,
      "Expected b and A to have the same dtype, but found b of type %s and A of type "
      "%s instead.",
      oy_dtype_pytorch_name(b->header.dtype), oy_dtype_pytorch_name(ld->header.dtype));
  OY_CHECK(
      b->ndim >= 2, INVALID_ARGUMENT,
      "%s: Expected B to have at least 2 dimensions, but it has %u dimensions instead",
      name, b->ndim);
  OY_CHECK(oyi_rows(ld) == oyi_rows(b), INVALID_ARGUMENT,
           "Incompatible matrix sizes for %s: each A matrix is %lld by %lld but each b "
           "matrix is %lld by %lld",
           name, (long long)oyi_rows(ld), (long long)oyi_rows(ld), (long long)oyi_rows(b),
           (long long)oyi_columns(b));
  OY_CHECK(oyi_same_sizes((oy_ints){ld->sizes, ld->ndim - 1u}, oyi_sizes_view(p)),
           INVALID_ARGUMENT,
           "%s: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots "
           "with shape %s instead",
           name, oyi_dims_print(oyi_sizes_view(p)).text);
  OY_CHECK(oy_dtype_is_integral(p->header.dtype, false), TYPE_MISMATCH,
           "%s: Expected pivots to be integers. Got %s", name,
           oy_dtype_pytorch_name(p->header.dtype));
  return OY_OK;
}

// Rows that are there, and blocks of two that are whole.
static oy_status check_pivots(const oyi_tensor* rows, int64_t n) {
  for (int64_t b = 0; n > 0 && b < rows->numel / n; b++) {
    const int32_t* p = (const int32_t*)oyi_data(rows) + b * n;
    for (int64_t k = 0; k<n; k += p[k]> 0 ? 1 : 2) {
      bool good = p[k] != 0 && p[k] <= n && p[k] >= -n;
      if (p[k] < 0) good = good && k + 1 < n && p[k + 1] == p[k];
      OY_CHECK(
          good, INVALID_ARGUMENT,
          "torch.linalg.ldl_solve: expected the pivots of ldl_factor, got %d for row "
          "%lld",
          p[k], (long long)k);
    }
  }
  return OY_OK;
}

// |t| for |batch| with |last| sizes behind it, contiguous or by columns, as |dtype|.
static oyi_tensor* widened(oy_object* t, oy_ints batch, size_t last, oy_dtype dtype) {
  const oyi_tensor* from = oyi_tensor_cast(t);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, batch.data, batch.size * sizeof(int64_t));
  memcpy(sizes + batch.size, from->sizes + from->ndim - last, last * sizeof(int64_t));
  oy_object* wide = oy_tensor_expand(t, (oy_ints){sizes, batch.size + last});
  if (!wide) return NULL;
  const oyi_tensor* w = oyi_tensor_cast(wide);
  oyi_tensor* made = last == 2 ? oyi_matrices_copy(w, dtype) : oyi_converted(w, dtype);
  oy_tensor_release(wide);
  return made;
}

static oy_status solve_all(const oyi_tensor* ld, const oyi_tensor* pivots, bool hermitian,
                           oyi_tensor* x) {
  const int64_t n = oyi_rows(x), columns = oyi_columns(x);
  OY_TRY(check_pivots(pivots, n));
  for (int64_t i = 0; n > 0 && i < oyi_matrix_count(x); i++) {
    const matrix m = {oyi_matrix_at(ld, i), n, hermitian};
    for (int64_t j = 0; j < columns; j++)
      solve(&m, (const int32_t*)oyi_data(pivots) + i * n,
            (z*)oyi_matrix_at(x, i) + j * n);
  }
  return OY_OK;
}

OYI_CPU(linalg_ldl_solve) {
  const oyi_tensor* ld = oyi_check_square(LD, "torch.linalg.ldl_solve");
  const oyi_tensor* p = ld ? oyi_tensor_of(pivots) : NULL;
  const oyi_tensor* b = p ? oyi_tensor_of(B) : NULL;
  if (!b || check_solve(ld, p, b) != 0) return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  oy_ints batch = {sizes, 0};
  if (oyi_batch_broadcast(ld, b, sizes, &batch.size) != 0) return NULL;
  oyi_tensor* x = widened(B, batch, 2, OY_DTYPE_C128);
  if (!x || oyi_is_meta(x)) return oyi_matrices_done(x, B->dtype);
  oyi_tensor* factors = widened(LD, batch, 2, OY_DTYPE_C128);
  oyi_tensor* rows = factors ? widened(pivots, batch, 1, OY_DTYPE_I32) : NULL;
  oy_status status =
      rows ? solve_all(factors, rows, hermitian && oy_dtype_is_complex(LD->dtype), x)
           : oy_failure();
  oy_tensor_release(oyi_tensor_object(factors));
  oy_tensor_release(oyi_tensor_object(rows));
  if (status == OY_OK) return oyi_matrices_done(x, B->dtype);
  oy_tensor_release(&x->header);
  return NULL;
}
OYI_CPU(linalg_ldl_solve_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_ldl_solve(LD, pivots, B, hermitian));
}
