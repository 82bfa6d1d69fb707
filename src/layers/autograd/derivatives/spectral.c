// SPDX-License-Identifier: Apache-2.0
// Gradients of factorisations: Cholesky and QR (Walter and Lehmann 2010; Roberts and
// Roberts 2020), eigenvalues and singular values (Giles 2008; Wan and Zhang 2019).
#include "layers/autograd/derivatives/linalg_help.h"

// ----------------------------------------------------------------------- Cholesky

static oy_object* cholesky_backward(oy_object* grad, oy_object* factor, bool upper) {
  oyi_held h = {0};
  oy_object* l = upper ? HOLD(mh(factor)) : factor;
  oy_object* g = upper ? HOLD(mh(grad)) : grad;
  oy_object* l_h = HOLD(mh(l));
  oy_object* product = HOLD(times(l_h, g));
  oy_object* lower = product ? HOLD(oyi_call_tril(product, 0)) : NULL;
  oy_object* below = lower ? HOLD(oyi_call_tril(lower, -1)) : NULL;
  oy_object* phi = HOLD(plus(lower, HOLD(mh(below))));
  oy_object* left =
      phi && l_h ? HOLD(oyi_call_linalg_solve_triangular(l_h, phi, true, true, false))
                 : NULL;
  oy_object* both =
      left ? HOLD(oyi_call_linalg_solve_triangular(l, left, false, false, false)) : NULL;
  return oyi_held_end(&h, both ? oyi_call_mul_Scalar(both, oy_float(0.5)) : NULL);
}

BACKWARD(linalg_cholesky_ex) {
  ARGUMENTS(linalg_cholesky_ex);
  if (WANTS(self) && GRAD(0)) GIVE(self, cholesky_backward(GRAD(0), RESULT(0), upper));
  return OY_OK;
}
BACKWARD(cholesky) {
  ARGUMENTS(cholesky);
  if (WANTS(self)) GIVE(self, cholesky_backward(GRAD(0), RESULT(0), upper));
  return OY_OK;
}

// ----------------------------------------------------------------------------- QR

static oy_object* half_diagonal(oy_object* x) {
  oyi_held h = {0};
  oy_object* diagonal = HOLD(diagonal_of(x));
  oy_object* half = diagonal ? HOLD(oyi_call_mul_Scalar(diagonal, oy_float(0.5))) : NULL;
  return oyi_held_end(&h, minus(x, HOLD(in_diagonal(half))));
}
// X + X^H with half the diagonal, of an upper triangle.
static oy_object* symmetric(oy_object* x) {
  oyi_held h = {0};
  oy_object* upper = x ? HOLD(oyi_call_triu(x, 0)) : NULL;
  return oyi_held_end(&h, half_diagonal(HOLD(plus(upper, HOLD(mh(upper))))));
}
// The lower triangle of X - X^H, with half the diagonal.
static oy_object* lower_skew(oy_object* x) {
  oyi_held h = {0};
  oy_object* d = HOLD(minus(x, x ? HOLD(mh(x)) : NULL));
  return oyi_held_end(&h, half_diagonal(d ? HOLD(oyi_call_tril(d, 0)) : NULL));
}
// gR R^H - Q^H gQ, one of which may not be there.
static oy_object* qr_core(oy_object* g_q, oy_object* g_r, oy_object* q, oy_object* r) {
  oyi_held h = {0};
  oy_object* from_r = g_r ? HOLD(times(g_r, HOLD(mh(r)))) : NULL;
  oy_object* from_q = g_q ? HOLD(times(HOLD(mh(q)), g_q)) : NULL;
  if (g_q && g_r) return oyi_held_end(&h, minus(from_r, from_q));
  if (g_r) return oyi_held_end(&h, from_r ? keep(from_r) : NULL);
  return oyi_held_end(&h, from_q ? oyi_call_neg(from_q) : NULL);
}

// Of a matrix with as many rows as columns or more: (gQ + Q S) R^-H.
static oy_object* qr_tall(oy_object* g_q, oy_object* g_r, oy_object* q, oy_object* r) {
  oyi_held h = {0};
  oy_object *r_h = HOLD(mh(r)), *core = HOLD(qr_core(g_q, g_r, q, r));
  oy_object* moved = HOLD(times(q, HOLD(symmetric(core))));
  oy_object* sum = g_q ? HOLD(plus(g_q, moved)) : moved;
  return oyi_held_end(
      &h, sum && r_h ? oyi_call_linalg_solve_triangular(r_h, sum, false, false, false)
                     : NULL);
}

// R = [U V], U square, turns with Q, which is unitary: Q (gR - [S U^-H 0]). What comes of gR
// is not divided by U and multiplied again: U may be close to singular where V is not.
static oy_object* qr_wide(oy_object* g_q, oy_object* g_r, oy_object* q, oy_object* r) {
  oyi_held h = {0};
  int64_t m = oy_tensor_size(r, -2), rest = oy_tensor_size(r, -1) - m;
  oy_object* u = HOLD(oyi_call_narrow(r, -1, 0, m));
  oy_object *u_h = HOLD(mh(u)), *turn = HOLD(lower_skew(HOLD(qr_core(g_q, g_r, q, r))));
  oy_object* square =
      turn && u_h ? HOLD(oyi_call_linalg_solve_triangular(u_h, turn, false, false, false))
                  : NULL;
  const int64_t pad[] = {0, rest};
  oy_object* wide =
      square ? HOLD(oyi_call_constant_pad_nd(square, (oy_ints){pad, 2}, oy_int(0)))
             : NULL;
  oy_object* moved = g_r    ? HOLD(minus(g_r, wide))
                     : wide ? HOLD(oyi_call_neg(wide))
                            : NULL;
  return oyi_held_end(&h, times(q, moved));
}

BACKWARD(linalg_qr) {
  ARGUMENTS(linalg_qr);
  if (!WANTS(A) || (!GRAD(0) && !GRAD(1))) return OY_OK;
  int64_t m = oy_tensor_size(A, -2), n = oy_tensor_size(A, -1);
  OY_CHECK(
      !oy_str_equal(mode, oy_str_of("r")), NOT_IMPLEMENTED,
      "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
      "Please use linalg.qr(A, mode='reduced') if you are going to require gradients "
      "through it.");
  OY_CHECK(m <= n || !oy_str_equal(mode, oy_str_of("complete")), NOT_IMPLEMENTED,
           "The QR decomposition is not differentiable when mode='complete' and nrows > "
           "ncols");
  GIVE(A, m >= n ? qr_tall(GRAD(0), GRAD(1), RESULT(0), RESULT(1))
                 : qr_wide(GRAD(0), GRAD(1), RESULT(0), RESULT(1)));
  return OY_OK;
}

// -------------------------------------------------------------------- eigenvalues

// values[j] - values[i], and 1 on the diagonal.
static oy_object* differences(oy_object* values) {
  oyi_held h = {0};
  oy_object* row = HOLD(oyi_call_unsqueeze(values, -2));
  oy_object* column = HOLD(oyi_call_unsqueeze(values, -1));
  oy_object* d = HOLD(minus(row, column));
  oy_object* ones = HOLD(
      oyi_call_ones_like(values, oy_none(), oy_none(), oy_none(), oy_none(), oy_none()));
  return oyi_held_end(&h, plus(d, HOLD(in_diagonal(ones))));
}
static oy_object* without_diagonal(oy_object* x) {
  oyi_held h = {0};
  return oyi_held_end(&h, minus(x, HOLD(in_diagonal(HOLD(diagonal_of(x))))));
}

// What eigenvalues want in the basis of the vectors, and what these want.
static oy_object* in_basis(oyi_held* held, oy_object* g_l, oy_object* inner,
                           oy_object* gaps, oy_dtype dtype) {
  oy_object* of_values = NULL;
  if (g_l) {
    oy_object* wide =
        oyi_hold(held, oyi_call_to_dtype(g_l, dtype, false, false, oy_none()));
    of_values = oyi_hold(held, in_diagonal(wide));
  }
  if (!inner) return of_values;
  oy_object* of_vectors =
      oyi_hold(held, over(oyi_hold(held, without_diagonal(inner)), gaps));
  return of_values ? oyi_hold(held, plus(of_values, of_vectors)) : of_vectors;
}

BACKWARD(_linalg_eigh) {
  ARGUMENTS(_linalg_eigh);
  if (!WANTS(A) || (!GRAD(0) && !GRAD(1))) return OY_OK;
  OY_CHECK(compute_v, NOT_IMPLEMENTED,
           "linalg_eigh: the gradient needs the eigenvectors, which were not computed");
  oyi_held h = {0};
  oy_object *v = RESULT(1), *v_h = HOLD(mh(v));
  oy_object* product = GRAD(1) ? HOLD(times(v_h, GRAD(1))) : NULL;
  // The vectors stay orthonormal: what wants the rest of the product changed has no say.
  oy_object* twice = product ? HOLD(minus(product, HOLD(mh(product)))) : NULL;
  oy_object* inner = twice ? HOLD(oyi_call_mul_Scalar(twice, oy_float(0.5))) : NULL;
  oy_object* gaps = inner ? HOLD(differences(RESULT(0))) : NULL;
  oy_object* core = in_basis(&h, GRAD(0), inner, gaps, v->dtype);
  GIVE(A, oyi_held_end(&h, times(HOLD(times(v, core)), v_h)));
  return OY_OK;
}

BACKWARD(linalg_eig) {
  ARGUMENTS(linalg_eig);
  if (!WANTS(self) || (!GRAD(0) && !GRAD(1))) return OY_OK;
  oyi_held h = {0};
  oy_object *v = RESULT(1), *v_h = HOLD(mh(v)), *inner = NULL, *gaps = NULL;
  if (GRAD(1)) {
    // The vectors have length 1.
    oy_object* product = HOLD(times(v_h, GRAD(1)));
    oy_object* real = product ? HOLD(oyi_call_real(HOLD(diagonal_of(product)))) : NULL;
    oy_object* wide =
        real ? HOLD(oyi_call_to_dtype(real, v->dtype, false, false, oy_none())) : NULL;
    oy_object* along = HOLD(times(HOLD(times(v_h, v)), HOLD(in_diagonal(wide))));
    inner = HOLD(minus(product, along));
    gaps = HOLD(differences(RESULT(0)));
    gaps = gaps ? HOLD(conj_of(gaps)) : NULL;
  }
  oy_object* core = in_basis(&h, GRAD(0), inner, gaps, v->dtype);
  oy_object* right = HOLD(times(core, v_h));
  oy_object* result = right && v_h ? HOLD(oyi_call_linalg_solve(v_h, right, true)) : NULL;
  if (result && !oy_dtype_is_complex(INPUT_DTYPE(self)))
    result = HOLD(oyi_call_real(result));
  GIVE(self, oyi_held_end(&h, result ? oy_tensor_retain(result) : NULL));
  return OY_OK;
}

// ---------------------------------------------------------------- singular values

typedef struct svd {
  oy_object *u, *s, *vh, *g_u, *g_s, *g_vh;
} svd;

static oy_object* skew(oyi_held* held, oy_object* x) {
  return oyi_hold(held, minus(x, oyi_hold(held, mh(x))));
}

static oy_object* svd_core(oyi_held* held, const svd* w, oy_object* u_gu) {
  oy_object* squares = oyi_hold(held, oyi_call_mul_Tensor(w->s, w->s));
  oy_object* gaps = squares ? oyi_hold(held, differences(squares)) : NULL;
  oy_object *core = NULL, *row = oyi_hold(held, oyi_call_unsqueeze(w->s, -2));
  oy_object* column = oyi_hold(held, oyi_call_unsqueeze(w->s, -1));
  // Both are added up before they are divided by s_j^2 - s_i^2: where singular values are
  // close they cancel, and each alone would be rounded at its own size.
  if (u_gu) {
    oy_object* k = skew(held, u_gu);
    core = k ? oyi_hold(held, oyi_call_mul_Tensor(k, row)) : NULL;
  }
  if (w->g_vh) {
    oy_object* inner = oyi_hold(held, times(w->vh, oyi_hold(held, mh(w->g_vh))));
    oy_object* k = inner ? skew(held, inner) : NULL;
    oy_object* part = k ? oyi_hold(held, oyi_call_mul_Tensor(k, column)) : NULL;
    core = u_gu ? oyi_hold(held, plus(core, part)) : part;
  }
  if (u_gu || w->g_vh) core = oyi_hold(held, over(core, gaps));
  if (w->g_s) {
    oy_object* wide =
        oyi_hold(held, oyi_call_to_dtype(w->g_s, w->u->dtype, false, false, oy_none()));
    oy_object* part = oyi_hold(held, in_diagonal(wide));
    core = core ? oyi_hold(held, plus(core, part)) : part;
  }
  if (u_gu && oy_dtype_is_complex(w->u->dtype)) {
    // The phase of each pair of vectors is free; what wants it turned moves both.
    oy_object* diagonal = oyi_hold(held, diagonal_of(u_gu));
    oy_object* half =
        diagonal ? oyi_hold(held, oyi_call_mul_Scalar(diagonal, oy_float(0.5))) : NULL;
    oy_object* part = oyi_hold(held, in_diagonal(oyi_hold(held, over(half, w->s))));
    oy_object* lacks =
        part ? oyi_hold(held, minus(part, oyi_hold(held, mh(part)))) : NULL;
    core = oyi_hold(held, plus(core, lacks));
  }
  return core;
}

// Of singular values alone: U diag(g) V^H, without a product for the diagonal matrix. The
// smaller factor is scaled.
static oy_object* values_backward(const svd* w) {
  oyi_held h = {0};
  bool by_rows = oy_tensor_size(w->u, -2) > oy_tensor_size(w->vh, -1);
  oy_object* g = HOLD(oyi_call_unsqueeze(w->g_s, by_rows ? -1 : -2));
  oy_object* scaled = g ? HOLD(oyi_call_mul_Tensor(by_rows ? w->vh : w->u, g)) : NULL;
  if (!scaled) return oyi_held_end(&h, NULL);
  return oyi_held_end(&h, by_rows ? times(w->u, scaled) : times(scaled, w->vh));
}

static oy_object* svd_backward(const svd* w) {
  if (!w->g_u && !w->g_vh) return values_backward(w);
  oyi_held h = {0}, inner = {0};
  int64_t k = oy_tensor_size(w->s, -1);
  oy_object* u_gu = w->g_u ? HOLD(times(HOLD(mh(w->u)), w->g_u)) : NULL;
  oy_object* core = HOLD(oy_tensor_retain(svd_core(&inner, w, u_gu)));
  oyi_held_end(&inner, NULL);
  oy_object* left = HOLD(times(w->u, core));
  oy_object* row = HOLD(oyi_call_unsqueeze(w->s, -2));
  if (w->g_u && oy_tensor_size(w->u, -2) > k) {
    oy_object* scaled = HOLD(over(w->g_u, row));
    oy_object* within = HOLD(times(w->u, HOLD(times(HOLD(mh(w->u)), scaled))));
    left = HOLD(minus(HOLD(plus(left, scaled)), within));
  }
  oy_object* result = HOLD(times(left, w->vh));
  if (w->g_vh && oy_tensor_size(w->vh, -1) > k) {
    oy_object* v = HOLD(mh(w->vh));
    oy_object* within = HOLD(times(HOLD(times(w->g_vh, v)), w->vh));
    oy_object* outside = HOLD(minus(w->g_vh, within));
    result = HOLD(plus(result, HOLD(times(HOLD(over(w->u, row)), outside))));
  }
  return oyi_held_end(&h, result ? oy_tensor_retain(result) : NULL);
}

BACKWARD(_linalg_svd) {
  ARGUMENTS(_linalg_svd);
  if (!WANTS(A) || (!GRAD(0) && !GRAD(1) && !GRAD(2))) return OY_OK;
  OY_CHECK(
      compute_uv, NOT_IMPLEMENTED,
      "linalg_svd: the gradient needs the singular vectors, which were not computed");
  oyi_held h = {0};
  svd w = {RESULT(0), RESULT(1), RESULT(2), GRAD(0), GRAD(1), GRAD(2)};
  int64_t k = oy_tensor_size(w.s, -1);
  if (full_matrices) {
    w.u = HOLD(oyi_call_narrow(w.u, -1, 0, k));
    w.vh = HOLD(oyi_call_narrow(w.vh, -2, 0, k));
    if (w.g_u) w.g_u = HOLD(oyi_call_narrow(w.g_u, -1, 0, k));
    if (w.g_vh) w.g_vh = HOLD(oyi_call_narrow(w.g_vh, -2, 0, k));
  }
  oy_object* result = w.u && w.vh ? svd_backward(&w) : NULL;
  GIVE(A, oyi_held_end(&h, result));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(linalg_cholesky_ex, "LinalgCholeskyExBackward0", OUTPUT(0))
DERIVATIVE(cholesky, "CholeskyBackward0", OUTPUT(0))
DERIVATIVE(linalg_qr, "LinalgQrBackward0", SAVE(linalg_qr, A), OUTPUT(0), OUTPUT(1))
DERIVATIVE(_linalg_eigh, "LinalgEighBackward0", OUTPUT(0), OUTPUT(1))
DERIVATIVE(linalg_eig, "LinalgEigBackward0", OUTPUT(0), OUTPUT(1))
DERIVATIVE(_linalg_svd, "LinalgSvdBackward0", OUTPUT(0), OUTPUT(1), OUTPUT(2))
