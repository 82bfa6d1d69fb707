// SPDX-License-Identifier: Apache-2.0
// QR factorisations, and what is done with their reflectors.
#include "backends/cpu/linalg/linalg.h"
#include "ops/calls.h"
#include "ops/out_form.h"

typedef struct reflectors_run {
  const oyi_lapack* lapack;
  const oyi_tensor *a, *tau;
  bool adjoint;
  oyi_tensor* out;
} reflectors_run;

static oy_status factor_some(int64_t begin, int64_t end, void* context) {
  const reflectors_run* r = context;
  for (int64_t i = begin; i < end; i++)
    OY_TRY(oyi_check_info(r->lapack->qr(r->a->header.dtype, oyi_rows(r->a),
                                        oyi_columns(r->a), oyi_matrix_at(r->a, i),
                                        oyi_row_at(r->tau, i))));
  return OY_OK;
}

// The reflectors of |a| (by columns, in what |lapack| computes) and their factors.
static oy_status factor(const oyi_lapack* lapack, oy_object* a, oyi_tensor** out_a,
                        oyi_tensor** out_tau) {
  const oyi_tensor* t = oyi_tensor_cast(a);
  int64_t m = oyi_rows(t), n = oyi_columns(t);
  oyi_tensor* work = oyi_matrices_work(lapack, a);
  oyi_tensor* tau =
      work ? oyi_batch_rows_new(t, oyi_least(m, n), work->header.dtype) : NULL;
  oy_status status = tau ? OY_OK : oy_failure();
  reflectors_run run = {lapack, work, tau, false, NULL};
  if (tau && !oyi_is_meta(t))
    status = oyi_matrices_each(work, oyi_least(m, n), factor_some, &run);
  *out_a = work, *out_tau = tau;
  return status;
}

LINALG(geqrf) {
  *out_a = *out_tau = NULL;
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim >= 2, INVALID_ARGUMENT,
           "torch.geqrf: input must have at least 2 dimensions.");
  if (!oyi_check_matrix(self, "geqrf")) return oy_failure();
  oyi_tensor *a, *tau;
  oy_status status = factor(lapack, self, &a, &tau);
  oy_object* made[] = {oyi_matrices_done(a, self->dtype),
                       oyi_batch_done(tau, self->dtype)};
  oy_object** results[] = {out_a, out_tau};
  return oyi_give_results(status, 2, made, results);
}
LINALG(geqrf_a) {
  oy_object *made[2], *outs[] = {a, tau};
  *out_a = a, *out_tau = tau;
  static const char* const names[] = {"a", "tau"};
  return oyi_into_castable_outs(linalg_geqrf(lapack, self, &made[0], &made[1]), outs,
                                made, 2, "torch.geqrf", names);
}

static oy_status make_some(int64_t begin, int64_t end, void* context) {
  const reflectors_run* r = context;
  const int64_t m = oyi_rows(r->out), columns = oyi_columns(r->out);
  const int64_t kept = oyi_least(oyi_columns(r->a), columns), item = oyi_item(r->out);
  for (int64_t i = begin; i < end; i++) {
    void* q = oyi_matrix_at(r->out, i);
    if (m * kept > 0) memcpy(q, oyi_matrix_at(r->a, i), (size_t)(m * kept * item));
    OY_TRY(oyi_check_info(r->lapack->make_q(r->a->header.dtype, m, columns,
                                            r->tau->sizes[r->tau->ndim - 1], q,
                                            oyi_row_at(r->tau, i))));
  }
  return OY_OK;
}

// Q of |columns| columns of the reflectors in |a|.
static oyi_tensor* make_q(const oyi_lapack* lapack, const oyi_tensor* a,
                          const oyi_tensor* tau, int64_t columns, oy_status* status) {
  oyi_tensor* q = oyi_matrices_new(a, oyi_rows(a), columns, a->header.dtype, true);
  if (!q) *status = oy_failure();
  if (!q || oyi_is_meta(q) || *status != 0) return q;
  reflectors_run run = {lapack, a, tau, false, q};
  *status = oyi_matrices_each(q, tau->sizes[tau->ndim - 1], make_some, &run);
  return q;
}

// R of |rows| rows: the upper triangle of what was factored, which itself becomes R if it has
// no more rows.
static oyi_tensor* take_r(oyi_tensor* a, int64_t rows) {
  int64_t m = oyi_rows(a), n = oyi_columns(a), item = oyi_item(a);
  if (rows == m) {
    if (!oyi_is_meta(a)) oyi_matrices_keep(a, true);
    return oyi_tensor_cast(oy_tensor_retain(&a->header));
  }
  oyi_tensor* r = oyi_matrices_new(a, rows, n, a->header.dtype, true);
  if (!r || oyi_is_meta(r) || r->numel == 0) return r;
  for (int64_t i = 0; i < oyi_matrix_count(a); i++)
    for (int64_t j = 0; j < n; j++)
      memcpy((char*)oyi_matrix_at(r, i) + j * rows * item,
             (char*)oyi_matrix_at(a, i) + j * m * item,
             (size_t)(oyi_least(rows, m) * item));
  oyi_matrices_keep(r, true);
  return r;
}

typedef struct qr_mode {
  bool q, complete;
} qr_mode;

static oy_status read_mode(oy_str mode, qr_mode* out) {
  *out = (qr_mode){!oy_str_equal(mode, oy_str_of("r")),
                   oy_str_equal(mode, oy_str_of("complete"))};
  OY_CHECK(
      !out->q || out->complete || oy_str_equal(mode, oy_str_of("reduced")),
      INVALID_ARGUMENT,
      "qr received unrecognized mode '%.*s' but expected one of 'reduced' (default), "
      "'r', or 'complete'",
      OY_STR_ARG(mode));
  return OY_OK;
}

LINALG(linalg_qr) {
  *out_Q = *out_R = NULL;
  const oyi_tensor* t = oyi_check_matrix(A, "linalg.qr");
  if (!t) return oy_failure();
  qr_mode how;
  OY_TRY(read_mode(mode, &how));
  int64_t m = oyi_rows(t), k = how.complete ? m : oyi_least(m, oyi_columns(t));
  oyi_tensor *a, *tau, *q = NULL, *r = NULL;
  oy_status status = factor(lapack, A, &a, &tau);
  if (status == 0 && how.q) q = make_q(lapack, a, tau, k, &status);
  if (status == 0) r = take_r(a, k);
  oy_tensor_release(oyi_tensor_object(a));
  oy_tensor_release(oyi_tensor_object(tau));
  oy_object* made[] = {how.q ? oyi_matrices_done(q, A->dtype)
                             : oyi_tensor_object(oyi_nothing_new(t, A->dtype)),
                       oyi_matrices_done(r, A->dtype)};
  oy_object** results[] = {out_Q, out_R};
  return oyi_give_results(status, 2, made, results);
}
LINALG(linalg_qr_out) {
  oy_object *made[2], *outs[] = {Q, R};
  *out_Q = Q, *out_R = R;
  return oyi_into_outs(linalg_linalg_qr(lapack, A, mode, &made[0], &made[1]), outs, made,
                       2);
}

// ------------------------------------------------------------ given reflectors

static oy_status check_reflectors(const oyi_tensor* a, const oyi_tensor* tau,
                                  const char* name) {
  OY_CHECK(a->ndim >= 2, INVALID_ARGUMENT, "%s: input must have at least 2 dimensions.",
           name);
  OY_CHECK(
      a->header.dtype == tau->header.dtype, TYPE_MISMATCH,
      "%s: Expected input and tau to have the same dtype, but input has dtype %s and "
      "tau has dtype %s",
      name, oy_dtype_pytorch_name(a->header.dtype),
      oy_dtype_pytorch_name(tau->header.dtype));
  OY_CHECK(
      tau->ndim + 1 == a->ndim, INVALID_ARGUMENT,
      "%s: Expected tau to have one dimension less than input, but got tau.ndim equal "
      "to %d and input.ndim is equal to %d",
      name, tau->ndim, a->ndim);
  OY_CHECK(
      memcmp(tau->sizes, a->sizes, (tau->ndim - 1u) * sizeof(int64_t)) == 0,
      INVALID_ARGUMENT,
      "%s: Expected batch dimensions of tau to be equal to input.shape[:-2], but got %s",
      name, oyi_dims_print(oyi_sizes_view(tau)).text);
  return OY_OK;
}

// |tau| in what |lapack| computes, contiguous.
static oyi_tensor* rows_work(const oyi_lapack* lapack, const oyi_tensor* tau) {
  return oyi_converted(tau, oyi_lapack_dtype(lapack, tau->header.dtype));
}

static const char g_product[] = "torch.linalg.householder_product";

LINALG(linalg_householder_product) {
  const oyi_tensor *a = oyi_tensor_of(input), *t = a ? oyi_tensor_of(tau) : NULL;
  if (!t) return NULL;
  if (a->ndim >= 2 && oyi_rows(a) < oyi_columns(a)) {
    OY_FAIL(INVALID_ARGUMENT,
            "%s: input.shape[-2] must be greater than or equal to input.shape[-1]",
            g_product);
    return NULL;
  }
  if (a->ndim >= 2 && t->ndim >= 1 && oyi_columns(a) < t->sizes[t->ndim - 1]) {
    OY_FAIL(INVALID_ARGUMENT,
            "%s: input.shape[-1] must be greater than or equal to tau.shape[-1]",
            g_product);
    return NULL;
  }
  if (check_reflectors(a, t, g_product) != 0 || !oyi_check_matrix(input, g_product))
    return NULL;
  oyi_tensor *work = oyi_matrices_work(lapack, input), *factors = rows_work(lapack, t);
  oy_status status = OY_OK;
  oyi_tensor* q =
      work && factors ? make_q(lapack, work, factors, oyi_columns(a), &status) : NULL;
  oy_tensor_release(oyi_tensor_object(work));
  oy_tensor_release(oyi_tensor_object(factors));
  if (status == 0) return oyi_matrices_done(q, input->dtype);
  oy_tensor_release(oyi_tensor_object(q));
  return NULL;
}
LINALG(linalg_householder_product_out) {
  return oyi_into_castable_out(out, linalg_linalg_householder_product(lapack, input, tau),
                               "torch.linalg.householder_product", "result", false);
}

static oy_status multiply_some(int64_t begin, int64_t end, void* context) {
  const reflectors_run* r = context;
  for (int64_t i = begin; i < end; i++)
    OY_TRY(oyi_check_info(r->lapack->multiply_q(
        r->out->header.dtype, r->adjoint, oyi_rows(r->out), oyi_columns(r->out),
        r->tau->sizes[r->tau->ndim - 1], oyi_matrix_at(r->a, i), oyi_row_at(r->tau, i),
        oyi_matrix_at(r->out, i))));
  return OY_OK;
}

// C becomes op(Q) C for each of the batch.
static oy_status multiply(const oyi_lapack* lapack, const oyi_tensor* a,
                          const oyi_tensor* tau, bool adjoint, oyi_tensor* c) {
  reflectors_run run = {lapack, a, tau, adjoint, c};
  return oyi_matrices_each(c, tau->sizes[tau->ndim - 1], multiply_some, &run);
}

// C Q is (Q^H C^H)^H.
static oy_object* multiply_by(const oyi_lapack* lapack, oy_object* input, oyi_tensor* tau,
                              oy_object* other, bool left, bool transpose) {
  oy_object* turned = left ? oy_tensor_retain(other) : oyi_flipped(other);
  oyi_tensor *a = oyi_matrices_work(lapack, input),
             *c = oyi_matrices_work(lapack, turned);
  oy_tensor_release(turned);
  if (c && !left) oyi_conjugate(c);
  oy_status status = a && c ? OY_OK : oy_failure();
  if (status == 0 && !oyi_is_meta(c))
    status = multiply(lapack, a, tau, transpose == left, c);
  oy_tensor_release(oyi_tensor_object(a));
  if (status != 0) {
    oy_tensor_release(oyi_tensor_object(c));
    return NULL;
  }
  if (left) return oyi_matrices_done(c, other->dtype);
  oyi_conjugate(c);
  oy_object* back = oyi_flipped(&c->header);
  oy_tensor_release(&c->header);
  if (!back) return NULL;
  oyi_tensor* made = oyi_matrices_copy(oyi_tensor_cast(back), other->dtype);
  oy_tensor_release(back);
  return oyi_tensor_object(made);
}

LINALG(ormqr) {
  static const char name[] = "torch.ormqr";
  const oyi_tensor *a = oyi_tensor_of(self), *t = a ? oyi_tensor_of(input2) : NULL;
  const oyi_tensor* c = t ? oyi_tensor_of(input3) : NULL;
  // Shapes come before dtypes.
  if (c && a->ndim > 1 && t->ndim > 0 && t->sizes[t->ndim - 1] > oyi_columns(a)) {
    OY_FAIL(INVALID_ARGUMENT,
            "%s: tau.shape[-1] must be less than or equal to input.shape[-1]", name);
    return NULL;
  }
  if (!c || check_reflectors(a, t, name) != 0 || !oyi_check_matrix(self, name))
    return NULL;
  if (c->ndim < 2 || input3->dtype != self->dtype || c->ndim != a->ndim ||
      memcmp(c->sizes, a->sizes, (a->ndim - 2u) * sizeof(int64_t)) != 0) {
    OY_FAIL(INVALID_ARGUMENT,
            "%s: other must have the dtype and the batch dimensions of input, but got %s",
            name, oyi_dims_print(oyi_sizes_view(c)).text);
    return NULL;
  }
  int64_t along = left ? oyi_rows(c) : oyi_columns(c), k = t->sizes[t->ndim - 1];
  if (along < k || along != oyi_rows(a)) {
    OY_FAIL(INVALID_ARGUMENT,
            along < k
                ? "%s: other.shape[%d] must be greater than or equal to tau.shape[-1]"
                : "%s: other.shape[%d] must be equal to input.shape[-2]",
            name, left ? -2 : -1);
    return NULL;
  }
  oyi_tensor* tau = rows_work(lapack, t);
  oy_object* result =
      tau ? multiply_by(lapack, self, tau, input3, left, transpose) : NULL;
  oy_tensor_release(oyi_tensor_object(tau));
  return result;
}
LINALG(ormqr_out) {
  return oyi_into_exact_out(out,
                            linalg_ormqr(lapack, self, input2, input3, left, transpose));
}
