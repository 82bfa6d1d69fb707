// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues.
#include <math.h>

#include "backends/cpu/linalg/linalg.h"
#include "ops/calls.h"
#include "ops/out_form.h"

static void drop(oyi_tensor* t) {
  oy_tensor_release(oyi_tensor_object(t));
}

// What is wrong with matrix |i| of |like|, as PyTorch tells it.
static oy_status check_one(const oyi_tensor* like, int64_t i, int32_t info,
                           const char* name) {
  if (info == 0) return OY_OK;
  OY_TRY(oyi_check_info(info));
  oyi_tensor* infos = oyi_batch_new(like, OY_DTYPE_I32);
  if (!infos) return oy_failure();
  memset(oyi_data(infos), 0, (size_t)(infos->numel * oyi_item(infos)));
  ((int32_t*)oyi_data(infos))[i] = info;
  oy_status status = oyi_linalg_check(&infos->header, name, like->ndim == 2);
  drop(infos);
  return status;
}

// Real numbers that a matrix is made of, and one of them.
static int64_t real_count(const oyi_tensor* t) {
  return oyi_rows(t) * oyi_columns(t) * (oy_dtype_is_complex(t->header.dtype) ? 2 : 1);
}
static bool is_single(const oyi_tensor* t) {
  return oyi_real_dtype(t->header.dtype) == OY_DTYPE_F32;
}

// Iterations may not end with others, and some libraries do not look.
static bool is_finite(const oyi_tensor* t, int64_t matrix) {
  const void* data = oyi_matrix_at(t, matrix);
  for (int64_t i = 0, count = real_count(t); i < count; i++)
    if (!isfinite(is_single(t) ? (double)((const float*)data)[i]
                               : ((const double*)data)[i]))
      return false;
  return true;
}
static void fill_nan(bool single, int64_t count, void* data) {
  for (int64_t i = 0; i < count; i++)
    if (single)
      ((float*)data)[i] = NAN;
    else
      ((double*)data)[i] = NAN;
}

typedef struct svd_run {
  const oyi_lapack* lapack;
  const oyi_tensor* like;
  oyi_tensor *work, *u, *s, *vh;  // |u| and |vh| NULL: values alone
  bool full;
} svd_run;

static oy_status svd_some(int64_t begin, int64_t end, void* context) {
  const svd_run* r = context;
  for (int64_t i = begin; i < end; i++) {
    int32_t info = -4;
    if (is_finite(r->work, i))
      info = r->lapack->svd(r->work->header.dtype, r->full, oyi_rows(r->work),
                            oyi_columns(r->work), oyi_matrix_at(r->work, i),
                            oyi_row_at(r->s, i), r->u ? oyi_matrix_at(r->u, i) : NULL,
                            r->vh ? oyi_matrix_at(r->vh, i) : NULL);
    OY_TRY(check_one(r->like, i, info, "linalg.svd"));
  }
  return OY_OK;
}

// How many times longer than to read it an iteration over a matrix takes, about.
static int64_t iterations(const oyi_tensor* t) {
  return 8 * oyi_least(oyi_rows(t), oyi_columns(t));
}

LINALG(_linalg_svd) {
  *out_U = *out_S = *out_Vh = NULL;
  const oyi_tensor* t = oyi_check_matrix(A, "linalg.svd");
  if (!t) return oy_failure();
  OY_CHECK(
      driver.tag == OY_TAG_NONE, INVALID_ARGUMENT,
      "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs "
      "with cuSOLVER backend.");
  int64_t m = oyi_rows(t), n = oyi_columns(t), k = oyi_least(m, n);
  oyi_tensor *work = oyi_matrices_work(lapack, A), *u = NULL, *vh = NULL;
  oy_dtype dtype = work ? work->header.dtype : A->dtype;
  oyi_tensor* s = work ? oyi_batch_rows_new(t, k, oyi_real_dtype(dtype)) : NULL;
  if (s && compute_uv) {
    u = oyi_matrices_new(t, m, full_matrices ? m : k, dtype, true);
    vh = oyi_matrices_new(t, full_matrices ? n : k, n, dtype, true);
  }
  oy_status status = s && (!compute_uv || (u && vh)) ? OY_OK : oy_failure();
  svd_run run = {lapack, t, work, u, s, vh, full_matrices};
  if (status == 0 && !oyi_is_meta(t))
    status = oyi_matrices_each(work, iterations(work), svd_some, &run);
  drop(work);
  oy_object* made[] = {u ? oyi_matrices_done(u, A->dtype)
                         : oyi_tensor_object(oyi_nothing_new(t, A->dtype)),
                       oyi_batch_done(s, oyi_real_dtype(A->dtype)),
                       vh ? oyi_matrices_done(vh, A->dtype)
                          : oyi_tensor_object(oyi_nothing_new(t, A->dtype))};
  oy_object** results[] = {out_U, out_S, out_Vh};
  return oyi_give_results(status, 3, made, results);
}
LINALG(_linalg_svd_U) {
  oy_object *made[3], *outs[] = {U, S, Vh};
  *out_U = U, *out_S = S, *out_Vh = Vh;
  return oyi_into_outs(linalg__linalg_svd(lapack, A, full_matrices, compute_uv, driver,
                                          &made[0], &made[1], &made[2]),
                       outs, made, 3);
}

static oy_status read_uplo(oy_str uplo, bool* out_upper) {
  char c = uplo.size == 1 ? uplo.data[0] : ' ';
  *out_upper = c == 'U' || c == 'u';
  OY_CHECK(*out_upper || c == 'L' || c == 'l', INVALID_ARGUMENT,
           "Expected UPLO argument to be 'L' or 'U', but got %.*s", OY_STR_ARG(uplo));
  return OY_OK;
}

// The matrices by columns, what is to be read in the lower triangle.
static oyi_tensor* hermitian_work(const oyi_lapack* lapack, oy_object* a, bool upper) {
  if (!upper) return oyi_matrices_work(lapack, a);
  oy_object* flipped = oyi_flipped(a);
  oyi_tensor* work = oyi_matrices_work(lapack, flipped);
  oy_tensor_release(flipped);
  if (work) oyi_conjugate(work);
  return work;
}

typedef struct eigen_run {
  const oyi_lapack* lapack;
  const oyi_tensor* like;
  oyi_tensor *work, *values, *vectors;  // |vectors| NULL: values alone
  bool in_place;                        // the vectors become those of |work|
} eigen_run;

static oy_status eigh_some(int64_t begin, int64_t end, void* context) {
  const eigen_run* r = context;
  const int64_t n = oyi_rows(r->work);
  for (int64_t i = begin; i < end; i++) {
    void *a = oyi_matrix_at(r->work, i), *values = oyi_row_at(r->values, i);
    int32_t info = 0;
    if (is_finite(r->work, i)) {
      info = r->lapack->eigh(r->work->header.dtype, r->in_place, n, a, values);
    } else {  // as LAPACK has it
      fill_nan(is_single(r->work), real_count(r->work), a);
      fill_nan(is_single(r->work), n, values);
    }
    OY_TRY(check_one(r->like, i, info, "linalg.eigh"));
  }
  return OY_OK;
}

LINALG(_linalg_eigh) {
  *out_eigenvalues = *out_eigenvectors = NULL;
  const oyi_tensor* t = oyi_check_square(A, "linalg.eigh");
  if (!t) return oy_failure();
  bool upper;
  OY_TRY(read_uplo(UPLO, &upper));
  int64_t n = oyi_rows(t);
  oyi_tensor* work = hermitian_work(lapack, A, upper);
  oyi_tensor* values =
      work ? oyi_batch_rows_new(t, n, oyi_real_dtype(work->header.dtype)) : NULL;
  oy_status status = values ? OY_OK : oy_failure();
  eigen_run run = {lapack, t, work, values, NULL, compute_v};
  if (status == 0 && !oyi_is_meta(t))
    status = oyi_matrices_each(work, iterations(work), eigh_some, &run);
  if (!compute_v) drop(work);
  oy_object* made[] = {oyi_batch_done(values, oyi_real_dtype(A->dtype)),
                       compute_v ? oyi_matrices_done(work, A->dtype)
                                 : oyi_tensor_object(oyi_nothing_new(t, A->dtype))};
  oy_object** results[] = {out_eigenvalues, out_eigenvectors};
  return oyi_give_results(status, 2, made, results);
}
LINALG(_linalg_eigh_eigenvalues) {
  oy_object *made[2], *outs[] = {eigenvalues, eigenvectors};
  *out_eigenvalues = eigenvalues, *out_eigenvectors = eigenvectors;
  return oyi_into_outs(
      linalg__linalg_eigh(lapack, A, UPLO, compute_v, &made[0], &made[1]), outs, made, 2);
}

// -------------------------------------------------------------------- any matrix

static oy_status check_finite(const oyi_tensor* work) {
  for (int64_t i = 0; i < oyi_matrix_count(work); i++)
    OY_CHECK(is_finite(work, i), INVALID_ARGUMENT,
             "torch.linalg.eig: input tensor should not contain infs or NaNs.");
  return OY_OK;
}

static oy_status eig_some(int64_t begin, int64_t end, void* context) {
  const eigen_run* r = context;
  for (int64_t i = begin; i < end; i++)
    OY_TRY(check_one(r->like, i,
                     r->lapack->eig(r->work->header.dtype, oyi_rows(r->work),
                                    oyi_matrix_at(r->work, i), oyi_row_at(r->values, i),
                                    r->vectors ? oyi_matrix_at(r->vectors, i) : NULL),
                     "torch.linalg.eig"));
  return OY_OK;
}

static oy_status eig(const oyi_lapack* lapack, oy_object* a, bool wants_vectors,
                     oy_object** out_values, oy_object** out_vectors) {
  const oyi_tensor* t = oyi_check_square(a, "linalg.eig");
  if (!t) return oy_failure();
  int64_t n = oyi_rows(t);
  oyi_tensor* work = oyi_matrices_work(lapack, a);
  oy_dtype dtype = work ? oyi_complex_dtype(work->header.dtype) : a->dtype;
  oyi_tensor *values = work ? oyi_batch_rows_new(t, n, dtype) : NULL, *vectors = NULL;
  if (values && wants_vectors) vectors = oyi_matrices_new(t, n, n, dtype, true);
  oy_status status = values && (!wants_vectors || vectors) ? OY_OK : oy_failure();
  bool computes = status == 0 && !oyi_is_meta(t);
  if (computes) status = check_finite(work);
  eigen_run run = {lapack, t, work, values, vectors, false};
  if (computes && status == 0)
    status = oyi_matrices_each(work, iterations(work), eig_some, &run);
  drop(work);
  oy_dtype wanted = oyi_complex_dtype(a->dtype);
  oy_object* made[] = {oyi_batch_done(values, wanted),
                       oyi_matrices_done(vectors, wanted)};
  oy_object** results[] = {out_values, out_vectors};
  return oyi_give_results(status, wants_vectors ? 2 : 1, made, results);
}

LINALG(linalg_eig) {
  *out_eigenvalues = *out_eigenvectors = NULL;
  return eig(lapack, self, true, out_eigenvalues, out_eigenvectors);
}
LINALG(linalg_eig_out) {
  oy_object *made[2], *outs[] = {eigenvalues, eigenvectors};
  *out_eigenvalues = eigenvalues, *out_eigenvectors = eigenvectors;
  static const char* const names[] = {"eigenvalues", "eigenvectors"};
  return oyi_into_castable_outs(linalg_linalg_eig(lapack, self, &made[0], &made[1]), outs,
                                made, 2, "torch.linalg.eig", names);
}
LINALG(_linalg_eigvals) {
  oy_object *values, *none = NULL;
  return eig(lapack, self, false, &values, &none) == 0 ? values : NULL;
}
LINALG(linalg_eigvals_out) {
  return oyi_into_castable_out(out, linalg__linalg_eigvals(lapack, self),
                               "torch.linalg.eigvals", "eigenvalues", false);
}
