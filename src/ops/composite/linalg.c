// SPDX-License-Identifier: Apache-2.0
// Linear algebra under the names that people call, in terms of the operators that have
// kernels; what these say is wrong becomes an error here.
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/out_form.h"
#include "tensor/impl.h"

// Keeps the first of |count| results.
static oy_object* first_of(oy_status status, oy_object** made, int count) {
  if (status != 0) return NULL;
  for (int i = 1; i < count; i++) oy_tensor_release(made[i]);
  return made[0];
}
static bool is_one_matrix(oy_object* a) {
  return oyi_tensor_cast(a)->ndim == 2;
}
// Vectors are needed for gradients, and else cost more than values. The second key is that
// of tensors with a tangent (layers/autograd/forward/forward.h). What is below a wrapper may
// need them though the wrapper does not.
static bool may_need_gradient(oy_object* a) {
  const uint64_t keys = OYI_AUTOGRAD_KEYS | 1ull << OY_KEY_PreDispatch |
                        1ull << OY_KEY_Functionalize | 1ull << OY_KEY_FuncTorchBatched |
                        1ull << OY_KEY_FuncTorchGradWrapper | 1ull << OY_KEY_Python;
  return a && (a->keys.functionality & keys) != 0;
}
// |status|, or what |info| says; takes |info| over, and the |count| results on failure.
static oy_status checked(oy_status status, oy_object* info, const char* name, bool one,
                         oy_object** results, int count) {
  if (status != 0) return status;
  status = oyi_call__linalg_check_errors(info, oy_str_of(name), one);
  oy_tensor_release(info);
  for (int i = 0; status != 0 && i < count; i++) {
    oy_tensor_release(results[i]);
    results[i] = NULL;
  }
  return status;
}

// ------------------------------------------------------------------- determinants

OYI_COMPOSITE(linalg_det) {
  oy_object* made[3] = {NULL};
  return first_of(oyi_call__linalg_det(A, &made[0], &made[1], &made[2]), made, 3);
}
OYI_COMPOSITE(linalg_det_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_det(A));
}
OYI_COMPOSITE(det) {
  return oyi_call_linalg_det(self);
}
OYI_COMPOSITE(linalg_slogdet) {
  oy_object* made[4] = {NULL};
  OY_TRY(oyi_call__linalg_slogdet(A, &made[0], &made[1], &made[2], &made[3]));
  *out_sign = made[0], *out_logabsdet = made[1];
  oy_tensor_release(made[2]);
  oy_tensor_release(made[3]);
  return OY_OK;
}
OYI_COMPOSITE(linalg_slogdet_out) {
  oy_object *made[2], *outs[] = {sign, logabsdet};
  *out_sign = sign, *out_logabsdet = logabsdet;
  return oyi_into_outs(oyi_call_linalg_slogdet(A, &made[0], &made[1]), outs, made, 2);
}
OYI_COMPOSITE(slogdet) {
  return oyi_call_linalg_slogdet(self, out_sign, out_logabsdet);
}
OYI_COMPOSITE(slogdet_out) {
  return oyi_call_linalg_slogdet_out(self, sign, logabsdet, out_sign, out_logabsdet);
}
OYI_COMPOSITE(logdet) {
  oyi_held h = {0};
  oy_object *sign, *size;
  if (oyi_call_linalg_slogdet(self, &sign, &size) != 0) return NULL;
  oyi_hold(&h, sign);
  oyi_hold(&h, size);
  if (oy_dtype_is_complex(self->dtype)) {
    oy_object* turn = oyi_hold(&h, oyi_call_log(sign));
    return oyi_held_end(&h, oyi_call_add_Tensor(turn, size, oy_int(1)));
  }
  oy_object* negative = oyi_hold(&h, oyi_call_eq_Scalar(sign, oy_int(-1)));
  return oyi_held_end(&h, oyi_call_where_ScalarSelf(negative, oy_float(NAN), size));
}

// ----------------------------------------------------------------------------- LU

OYI_COMPOSITE(linalg_lu_factor) {
  oy_object* made[3] = {NULL};
  oy_status status =
      oyi_call_linalg_lu_factor_ex(A, pivot, false, &made[0], &made[1], &made[2]);
  OY_TRY(checked(status, made[2], "torch.linalg.lu_factor",
                 status != 0 || is_one_matrix(A), made, 2));
  *out_LU = made[0], *out_pivots = made[1];
  return OY_OK;
}
OYI_COMPOSITE(linalg_lu_factor_out) {
  oy_object *made[2], *outs[] = {LU, pivots};
  *out_LU = LU, *out_pivots = pivots;
  return oyi_into_outs(oyi_call_linalg_lu_factor(A, pivot, &made[0], &made[1]), outs,
                       made, 2);
}
OYI_COMPOSITE(_lu_with_info) {
  return oyi_call_linalg_lu_factor_ex(self, pivot, false, out_LU, out_pivots, out_info);
}
OYI_COMPOSITE(lu_solve) {
  return oyi_call_linalg_lu_solve(LU_data, LU_pivots, self, true, false);
}
OYI_COMPOSITE(lu_solve_out) {
  return oyi_call_linalg_lu_solve_out(LU_data, LU_pivots, self, true, false, out);
}

// ------------------------------------------------------------------ solve, inverse

OYI_COMPOSITE(linalg_solve_ex) {
  oy_object* made[4] = {NULL};
  OY_TRY(oyi_call__linalg_solve_ex(A, B, left, check_errors, &made[0], &made[1], &made[2],
                                   &made[3]));
  *out_result = made[0], *out_info = made[3];
  oy_tensor_release(made[1]);
  oy_tensor_release(made[2]);
  return OY_OK;
}
OYI_COMPOSITE(linalg_solve_ex_out) {
  oy_object *made[2], *outs[] = {result_, info};
  *out_result = result_, *out_info = info;
  return oyi_into_outs(
      oyi_call_linalg_solve_ex(A, B, left, check_errors, &made[0], &made[1]), outs, made,
      2);
}
OYI_COMPOSITE(linalg_solve) {
  oy_object* made[2] = {NULL};
  oy_status status = oyi_call_linalg_solve_ex(A, B, left, false, &made[0], &made[1]);
  status = checked(status, made[1], "torch.linalg.solve", status != 0 || is_one_matrix(A),
                   made, 1);
  return status == 0 ? made[0] : NULL;
}
OYI_COMPOSITE(linalg_solve_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_solve(A, B, left));
}
OYI_COMPOSITE(linalg_inv) {
  oy_object* made[2] = {NULL};
  oy_status status = oyi_call_linalg_inv_ex(A, false, &made[0], &made[1]);
  status =
      checked(status, made[1], "linalg.inv", status != 0 || is_one_matrix(A), made, 1);
  return status == 0 ? made[0] : NULL;
}
OYI_COMPOSITE(linalg_inv_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_inv(A));
}
OYI_COMPOSITE(inverse) {
  return oyi_call_linalg_inv(self);
}
OYI_COMPOSITE(inverse_out) {
  return oyi_call_linalg_inv_out(self, out);
}

// ----------------------------------------------------------------------- Cholesky

OYI_COMPOSITE(linalg_ldl_factor) {
  oy_object* made[3] = {NULL};
  oy_status status =
      oyi_call_linalg_ldl_factor_ex(self, hermitian, false, &made[0], &made[1], &made[2]);
  OY_TRY(checked(status, made[2], "torch.linalg.ldl_factor",
                 status != 0 || is_one_matrix(self), made, 2));
  *out_LD = made[0], *out_pivots = made[1];
  return OY_OK;
}
OYI_COMPOSITE(linalg_ldl_factor_out) {
  oy_object *made[2], *outs[] = {LD, pivots};
  *out_LD = LD, *out_pivots = pivots;
  return oyi_into_outs(oyi_call_linalg_ldl_factor(self, hermitian, &made[0], &made[1]),
                       outs, made, 2);
}
OYI_COMPOSITE(linalg_cholesky) {
  oy_object* made[2] = {NULL};
  oy_status status = oyi_call_linalg_cholesky_ex(self, upper, false, &made[0], &made[1]);
  status = checked(status, made[1], "linalg.cholesky", status != 0 || is_one_matrix(self),
                   made, 1);
  return status == 0 ? made[0] : NULL;
}
OYI_COMPOSITE(linalg_cholesky_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_cholesky(self, upper));
}

// |t| with the batch |lead| before its matrices.
static oy_object* with_batch(oy_object* t, const int64_t* lead, size_t count) {
  const oyi_tensor* matrix = oyi_tensor_cast(t);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, lead, count * sizeof(int64_t));
  memcpy(sizes + count, matrix->sizes + matrix->ndim - 2, 2 * sizeof(int64_t));
  return oyi_call_expand(t, (oy_ints){sizes, count + 2}, false);
}

OYI_COMPOSITE(cholesky_solve) {
  const oyi_tensor *b = oyi_tensor_of(self), *a = b ? oyi_tensor_of(input2) : NULL;
  if (!a) return NULL;
  if (b->ndim < 2 || a->ndim < 2) {
    OY_FAIL(INVALID_ARGUMENT,
            "%s should have at least 2 dimensions, but has %d dimensions instead",
            b->ndim < 2 ? "b" : "u", b->ndim < 2 ? b->ndim : a->ndim);
    return NULL;
  }
  int64_t lead[OY_TENSOR_MAX_DIMS];
  size_t count;
  if (oyi_broadcast((oy_ints){a->sizes, a->ndim - 2u}, (oy_ints){b->sizes, b->ndim - 2u},
                    lead, &count) != 0)
    return NULL;
  oyi_held h = {0};
  oy_object* right = oyi_hold(&h, with_batch(self, lead, count));
  oy_object* factor = oyi_hold(&h, with_batch(input2, lead, count));
  return oyi_held_end(&h, oyi_call__cholesky_solve_helper(right, factor, upper));
}
OYI_COMPOSITE(cholesky_solve_out) {
  return oyi_into_castable_out(out, oyi_call_cholesky_solve(self, input2, upper),
                               "cholesky_solve", "result", true);
}
OYI_COMPOSITE(_cholesky_solve_helper_out) {
  return oyi_into_exact_out(out, oyi_call__cholesky_solve_helper(self, A, upper));
}

// ---------------------------------------------------------------------- QR, SVD

OYI_COMPOSITE(qr) {
  return oyi_call_linalg_qr(self, oy_str_of(some ? "reduced" : "complete"), out_Q, out_R);
}
OYI_COMPOSITE(qr_Q) {
  return oyi_call_linalg_qr_out(self, oy_str_of(some ? "reduced" : "complete"), Q, R,
                                out_Q, out_R);
}
OYI_COMPOSITE(orgqr) {
  return oyi_call_linalg_householder_product(self, input2);
}
OYI_COMPOSITE(orgqr_out) {
  return oyi_call_linalg_householder_product_out(self, input2, out);
}
OYI_COMPOSITE(linalg_svd) {
  return oyi_call__linalg_svd(A, full_matrices, true, driver, out_U, out_S, out_Vh);
}
OYI_COMPOSITE(linalg_svd_U) {
  return oyi_call__linalg_svd_U(A, full_matrices, true, driver, U, S, Vh, out_U, out_S,
                                out_Vh);
}
OYI_COMPOSITE(linalg_svdvals) {
  oy_object* made[3] = {NULL};
  if (oyi_call__linalg_svd(A, false, may_need_gradient(A), driver, &made[0], &made[1],
                           &made[2]) != 0)
    return NULL;
  oy_tensor_release(made[0]);
  oy_tensor_release(made[2]);
  return made[1];
}
OYI_COMPOSITE(linalg_svdvals_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_svdvals(A, driver));
}

// Zeros in the place of vectors that are not wanted.
static oy_object* no_vectors(oy_object* self, int dim) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, t->sizes, t->ndim * sizeof(int64_t));
  sizes[t->ndim - 1] = sizes[t->ndim - 2] = t->sizes[t->ndim - dim];
  return oyi_call_new_zeros(self, (oy_ints){sizes, t->ndim}, oy_none(), oy_none(),
                            oy_none(), oy_none());
}

OYI_COMPOSITE(svd) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim >= 2, INVALID_ARGUMENT,
           "linalg.svd: input should have at least 2 dimensions, but has %d dimensions "
           "instead",
           t->ndim);
  *out_U = *out_S = *out_V = NULL;
  oy_object* vh = NULL;
  if (compute_uv) {
    OY_TRY(oyi_call_linalg_svd(self, !some, oy_none(), out_U, out_S, &vh));
    *out_V = oyi_call_mH(vh);
    oy_tensor_release(vh);
  } else {
    *out_S = oyi_call_linalg_svdvals(self, oy_none());
    *out_U = *out_S ? no_vectors(self, 2) : NULL;
    *out_V = *out_U ? no_vectors(self, 1) : NULL;
  }
  if (*out_V) return OY_OK;
  oy_tensor_release(*out_U);
  oy_tensor_release(*out_S);
  return oy_failure();
}
OYI_COMPOSITE(svd_U) {
  oy_object *made[3], *outs[] = {U, S, V};
  *out_U = U, *out_S = S, *out_V = V;
  return oyi_into_outs(oyi_call_svd(self, some, compute_uv, &made[0], &made[1], &made[2]),
                       outs, made, 3);
}

// -------------------------------------------------------------------- eigenvalues

OYI_COMPOSITE(linalg_eigh) {
  return oyi_call__linalg_eigh(self, UPLO, true, out_eigenvalues, out_eigenvectors);
}
OYI_COMPOSITE(linalg_eigh_eigvals) {
  return oyi_call__linalg_eigh_eigenvalues(self, UPLO, true, eigvals, eigvecs,
                                           out_eigenvalues, out_eigenvectors);
}
OYI_COMPOSITE(linalg_eigvalsh) {
  oy_object* made[2] = {NULL};
  return first_of(
      oyi_call__linalg_eigh(self, UPLO, may_need_gradient(self), &made[0], &made[1]),
      made, 2);
}
OYI_COMPOSITE(linalg_eigvalsh_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_eigvalsh(self, UPLO));
}
OYI_COMPOSITE(linalg_eigvals) {
  if (!may_need_gradient(self)) return oyi_call__linalg_eigvals(self);
  oy_object* made[2] = {NULL};
  return first_of(oyi_call_linalg_eig(self, &made[0], &made[1]), made, 2);
}

OYI_COMPOSITE(matrix_exp) {
  return oyi_call_linalg_matrix_exp(self);
}
OYI_COMPOSITE(linalg_matrix_exp_out) {
  return oyi_into_exact_out(out, oyi_call_linalg_matrix_exp(self));
}
