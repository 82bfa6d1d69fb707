// SPDX-License-Identifier: Apache-2.0
// Gradients of inverses, equations, determinants, the exponential and the pseudoinverse
// (Giles 2008, "An extended collection of matrix derivative results"). |G| is what comes
// in, X^H the conjugate transpose.
#include <math.h>

#include "layers/autograd/derivatives/linalg_help.h"

BACKWARD(linalg_inv_ex) {
  ARGUMENTS(linalg_inv_ex);
  if (!WANTS(A) || !GRAD(0)) return OY_OK;
  oyi_held h = {0};
  oy_object* x_h = HOLD(mh(RESULT(0)));
  oy_object* product = HOLD(times(x_h, HOLD(times(GRAD(0), x_h))));
  GIVE(A, oyi_held_end(&h, product ? oyi_call_neg(product) : NULL));
  return OY_OK;
}

// ------------------------------------------------------------------- determinants

// The solution of A^H X = diag(factor).
static oy_object* over_adjoint(oy_object* a, oy_object* factor) {
  oyi_held h = {0};
  oy_object* a_h = HOLD(mh(a));
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  oy_ints shape = oy_tensor_sizes(a);
  memcpy(sizes, shape.data, (shape.size - 1) * sizeof(int64_t));
  oy_object* one = HOLD(oyi_call_unsqueeze(factor, -1));
  oy_object* row =
      one ? HOLD(oyi_call_expand(one, (oy_ints){sizes, shape.size - 1}, false)) : NULL;
  oy_object* right = row ? HOLD(oyi_call_diag_embed(row, 0, -2, -1)) : NULL;
  oy_object *x = NULL, *info = NULL;
  if (a_h && right && oyi_call_linalg_solve_ex(a_h, right, true, false, &x, &info) == 0)
    oy_tensor_release(info);
  return oyi_held_end(&h, x);
}

// The same by the factors, of a determinant that is not 0.
static oy_object* over_factors(oy_object* a, oy_object* lu, oy_object* pivots,
                               oy_object* factor) {
  oyi_held h = {0};
  const oyi_tensor* t = oyi_tensor_cast(a);
  bool flips = (t->flags & OYI_CONTIGUOUS) && !oy_dtype_is_complex(a->dtype);
  oy_object* one = HOLD(oyi_call_unsqueeze(factor, -1));
  oy_object* row = one ? HOLD(oyi_call_expand_as(one, pivots)) : NULL;
  oy_object* right = row ? HOLD(oyi_call_diag_embed(row, 0, -2, -1)) : NULL;
  return oyi_held_end(
      &h, right ? oyi_call_linalg_lu_solve(lu, pivots, right, true, !flips) : NULL);
}

// What lifts the small singular values of |a| to about the greatest one, or to 1; a
// constant. |out_rank| is the greatest number of them in a matrix, or under vmap, which
// cannot say, what it can be at most.
static oy_object* lift_of(oy_object* a, int64_t* out_rank) {
  oyi_held h = {0};
  oy_object *u = NULL, *s = NULL, *vh = NULL, *constant = HOLD(oyi_call_detach(a));
  if (!constant || oyi_call_linalg_svd(constant, true, oy_none(), &u, &s, &vh) != 0)
    return oyi_held_end(&h, NULL);
  HOLD(u), HOLD(s), HOLD(vh);
  oy_object* top = HOLD(oyi_call_narrow(s, -1, 0, 1));
  oy_object* part = top ? HOLD(oyi_call_mul_Scalar(top, oy_float(0.0625))) : NULL;
  oy_object* low = part ? HOLD(oyi_call_le_Tensor(s, part)) : NULL;
  oy_object* all_zero = top ? HOLD(oyi_call_eq_Scalar(top, oy_int(0))) : NULL;
  oy_object* size =
      all_zero ? HOLD(oyi_call_masked_fill_Scalar(top, all_zero, oy_int(1))) : NULL;
  oy_object* lift =
      size && low ? HOLD(oyi_call_where_ScalarOther(low, size, oy_int(0))) : NULL;
  oy_object* row = lift ? HOLD(oyi_call_unsqueeze(lift, -2)) : NULL;
  oy_object* left = row ? HOLD(oyi_call_mul_Tensor(u, row)) : NULL;
  oy_object* counts = low ? HOLD(oyi_call_sum_dim_IntList(
                                low, (oy_ints){&(int64_t){-1}, 1}, false, oy_none()))
                          : NULL;
  oy_object* most = counts ? HOLD(oyi_call_max(counts)) : NULL;
  oy_value count;
  if (!most) return oyi_held_end(&h, NULL);
  *out_rank = oy_tensor_size(s, -1);
  if (oyi_call_item(most, &count) == OY_OK)
    *out_rank = count.as.i;
  else
    oy_error_clear();
  return oyi_held_end(&h, times(left, vh));
}

// The gradient of the determinant at A + z C.
static oy_object* beside(oy_object* a, oy_object* lift, oy_complex z, oy_object* grad) {
  oyi_held h = {0};
  oy_object* step = HOLD(oyi_call_mul_Scalar(lift, oy_complex_value(&z)));
  oy_object* moved = HOLD(plus(a, step));
  oy_object* det = moved ? HOLD(oyi_call_linalg_det(moved)) : NULL;
  oy_object* factor = det ? HOLD(of_mul(keep(grad), conj_of(det))) : NULL;
  return oyi_held_end(&h, factor ? over_adjoint(moved, factor) : NULL);
}

// For derivatives of this derivative, which the factors of a singular matrix do not give,
// and its singular vectors neither: they turn by any angle where a value is 0. With C of the
// singular directions A + z C is regular, and its adjugate a polynomial in z of no higher
// degree than C's rank. So the mean over more roots of unity than that is the adjugate of A,
// exactly, and as often differentiable.
static oy_object* by_neighbours(oy_object* a, oy_object* grad) {
  oyi_held h = {0};
  int64_t rank = 0;
  bool is_real = !oy_dtype_is_complex(a->dtype);
  oy_dtype wide = a->dtype == OY_DTYPE_F32   ? OY_DTYPE_C64
                  : a->dtype == OY_DTYPE_F64 ? OY_DTYPE_C128
                                             : a->dtype;
  oy_object* real_lift = HOLD(lift_of(a, &rank));
  if (!real_lift) return oyi_held_end(&h, NULL);
  oy_object* lift = HOLD(oyi_call_to_dtype(real_lift, wide, false, false, oy_none()));
  oy_object* from = HOLD(oyi_call_to_dtype(a, wide, false, false, oy_none()));
  oy_object* total = lift && from ? beside(from, lift, (oy_complex){1, 0}, grad) : NULL;
  for (int64_t k = 1; total && k <= rank; k++) {
    double turn = 2 * 3.141592653589793 * (double)k / (double)(rank + 1);
    oy_object* next = beside(from, lift, (oy_complex){cos(turn), sin(turn)}, grad);
    total = next ? of_add(total, next) : (oy_tensor_release(total), NULL);
  }
  HOLD(total);
  oy_object* mean =
      total ? HOLD(oyi_call_mul_Scalar(total, oy_float(1 / (double)(rank + 1)))) : NULL;
  return oyi_held_end(&h, mean && is_real ? oyi_call_real(mean)
                          : mean          ? keep(mean)
                                          : NULL);
}

// diag(1, 2, ...), of which everything has derivatives.
static oy_object* plain_matrix(oy_object* like) {
  oyi_held h = {0};
  int64_t n = oy_tensor_size(like, -1);
  oy_object* ones = HOLD(oyi_call_new_ones(like, (oy_ints){&n, 1}, oy_none(), oy_none(),
                                           oy_none(), oy_none()));
  oy_object* sums = ones ? HOLD(oyi_call_cumsum(ones, 0, oy_none())) : NULL;
  return oyi_held_end(&h, in_diagonal(sums));
}

// Matrix by matrix, whichever way suits it.
static oy_object* by_kind(oy_object* a, oy_object* grad, oy_object* det,
                          oy_object* factor) {
  oyi_held h = {0};
  oy_object* size = HOLD(oyi_call_abs(det));
  // Either way is right of any matrix: close to 0 solving equations is less exact.
  oy_object* small = size ? HOLD(oyi_call_lt_Scalar(size, oy_float(1e-4))) : NULL;
  bool any = false, others = false;
  if (!small || may_be_any(keep(small), &any) != 0 ||
      may_be_any(oyi_call_logical_not(small), &others) != 0)
    return oyi_held_end(&h, NULL);
  if (!any) return oyi_held_end(&h, over_adjoint(a, factor));
  if (!others) return oyi_held_end(&h, by_neighbours(a, grad));
  // Neither sees the matrices that are the other's, where it may have no derivative.
  oy_object* column = HOLD(oyi_call_unsqueeze(small, -1));
  oy_object* mask = column ? HOLD(oyi_call_unsqueeze(column, -1)) : NULL;
  oy_object* plain = HOLD(plain_matrix(a));
  if (!mask || !plain) return oyi_held_end(&h, NULL);
  oy_object* flat = HOLD(oyi_call_where_self(mask, a, plain));
  oy_object* steep = HOLD(oyi_call_where_self(mask, plain, a));
  oy_object* singular = flat ? HOLD(by_neighbours(flat, grad)) : NULL;
  oy_object* regular = steep ? HOLD(over_adjoint(steep, factor)) : NULL;
  return oyi_held_end(
      &h, singular && regular ? oyi_call_where_self(mask, singular, regular) : NULL);
}

BACKWARD(_linalg_det) {
  ARGUMENTS(_linalg_det);
  if (!WANTS(A) || !GRAD(0)) return OY_OK;
  oyi_held h = {0};
  oy_object* factor = HOLD(of_mul(keep(GRAD(0)), conj_of(RESULT(0))));
  oy_object* result = NULL;
  // Else the factors that gave the determinant: of others the smallest is another one where
  // it is made of rounding errors, and does not cancel. Of 0 itself nothing is left of them.
  bool zero = false;
  if (factor && may_have_zeros(RESULT(0), &zero) == 0)
    result = zero || oy_grad_mode_get() ? by_kind(A, GRAD(0), RESULT(0), factor)
                                        : over_factors(A, RESULT(1), RESULT(2), factor);
  GIVE(A, oyi_held_end(&h, result));
  return OY_OK;
}

// g - i Im(conj(g_sign) sign): what the logarithm and the sign want of the trace.
static oy_object* of_turn(oyi_held* held, oy_object* grad_sign, oy_object* sign,
                          oy_object* grad) {
  if (!grad_sign || !oy_dtype_is_complex(sign->dtype)) return grad;
  oy_object* product = oyi_hold(held, of_mul(conj_of(grad_sign), keep(sign)));
  oy_object* imaginary = product ? oyi_hold(held, oyi_call_imag(product)) : NULL;
  oy_object* negative = imaginary ? oyi_hold(held, oyi_call_neg(imaginary)) : NULL;
  oy_object* real =
      grad       ? grad
      : negative ? oyi_hold(held, oyi_call_zeros_like(negative, oy_none(), oy_none(),
                                                      oy_none(), oy_none(), oy_none()))
                 : NULL;
  return real && negative ? oyi_hold(held, oyi_call_complex(real, negative)) : NULL;
}

BACKWARD(_linalg_slogdet) {
  ARGUMENTS(_linalg_slogdet);
  if (!WANTS(A) || (!GRAD(1) && !oy_dtype_is_complex(A->dtype))) return OY_OK;
  oyi_held h = {0};
  oy_object* turn = of_turn(&h, GRAD(0), RESULT(0), GRAD(1));
  oy_object* factor =
      turn ? HOLD(oyi_call_to_dtype(turn, A->dtype, false, false, oy_none())) : NULL;
  GIVE(A, oyi_held_end(&h, factor ? over_adjoint(A, factor) : NULL));
  return OY_OK;
}

// ---------------------------------------------------------------------- equations

static bool is_vectors(oy_object* a, oy_ints b) {
  oy_ints sizes = oy_tensor_sizes(a);
  return b.size == 1 || (b.size + 1 == sizes.size &&
                         memcmp(b.data, sizes.data, b.size * sizeof(int64_t)) == 0);
}
static oy_object* solved(oy_object* a, oy_object* b, bool left) {
  oy_object *x, *info;
  if (!a || !b || oyi_call_linalg_solve_ex(a, b, left, false, &x, &info) != 0)
    return NULL;
  oy_tensor_release(info);
  return x;
}

BACKWARD(_linalg_solve_ex) {
  ARGUMENTS(_linalg_solve_ex);
  if (!GRAD(0)) return OY_OK;
  oyi_held h = {0};
  bool vectors = is_vectors(A, oy_tensor_sizes(B));
  oy_object* g = vectors ? HOLD(oyi_call_unsqueeze(GRAD(0), -1)) : GRAD(0);
  oy_object* x = vectors ? HOLD(oyi_call_unsqueeze(RESULT(0), -1)) : RESULT(0);
  oy_object* g_b = HOLD(solved(HOLD(mh(A)), g, left));
  oy_object* x_h = HOLD(mh(x));
  if (WANTS(A) && g_b && x_h) {
    oy_object* product = HOLD(left ? times(g_b, x_h) : times(x_h, g_b));
    if (product) gives[EDGE_AT(A)] = oyi_call_neg(product);
  }
  if (WANTS(B) && g_b)
    gives[EDGE_AT(B)] = vectors ? oyi_call_squeeze_dim(g_b, -1) : oy_tensor_retain(g_b);
  oyi_held_end(&h, NULL);
  return given_all(node, gives);
}

BACKWARD(linalg_solve_triangular) {
  ARGUMENTS(linalg_solve_triangular);
  if (!GRAD(0)) return OY_OK;
  oyi_held h = {0};
  oy_object* a_h = HOLD(mh(self));
  oy_object* g_b = a_h ? HOLD(oyi_call_linalg_solve_triangular(a_h, GRAD(0), !upper, left,
                                                               unitriangular))
                       : NULL;
  oy_object* x_h = HOLD(mh(RESULT(0)));
  if (WANTS(self) && g_b && x_h) {
    oy_object* product = HOLD(left ? times(g_b, x_h) : times(x_h, g_b));
    oy_object* negative = product ? HOLD(oyi_call_neg(product)) : NULL;
    if (negative)
      gives[EDGE_AT(self)] = upper ? oyi_call_triu(negative, unitriangular)
                                   : oyi_call_tril(negative, -(int64_t)unitriangular);
  }
  if (WANTS(B) && g_b) gives[EDGE_AT(B)] = oy_tensor_retain(g_b);
  oyi_held_end(&h, NULL);
  return given_all(node, gives);
}

// --------------------------------------------------------------- functions of matrices

// The block beside the diagonal of exp([[A^H, G], [0, A^H]]).
BACKWARD(linalg_matrix_exp) {
  ARGUMENTS(linalg_matrix_exp);
  if (!WANTS(self)) return OY_OK;
  oyi_held h = {0};
  int64_t n = oy_tensor_size(self, -1);
  oy_object* a_h = HOLD(mh(self));
  oy_object* zero = a_h ? HOLD(oyi_call_zeros_like(a_h, oy_none(), oy_none(), oy_none(),
                                                   oy_none(), oy_none()))
                        : NULL;
  oy_object *top[] = {a_h, GRAD(0)}, *bottom[] = {zero, a_h};
  oy_object* rows[2] = {zero ? HOLD(oyi_call_cat((oy_tensors){top, 2}, -1)) : NULL, NULL};
  if (rows[0]) rows[1] = HOLD(oyi_call_cat((oy_tensors){bottom, 2}, -1));
  oy_object* both = rows[1] ? HOLD(oyi_call_cat((oy_tensors){rows, 2}, -2)) : NULL;
  oy_object* exponential = both ? HOLD(oyi_call_linalg_matrix_exp(both)) : NULL;
  oy_object* half = exponential ? HOLD(oyi_call_narrow(exponential, -2, 0, n)) : NULL;
  GIVE(self, oyi_held_end(&h, half ? oyi_call_narrow(half, -1, n, n) : NULL));
  return OY_OK;
}

// Golub and Pereyra 1973; of two ways the one with the smaller products.
static oy_object* pinv_wide(oy_object* a, oy_object* p, oy_object* g_h) {
  oyi_held h = {0};
  oy_object *p_h = HOLD(mh(p)), *k = HOLD(times(g_h, p)), *k_p = HOLD(times(k, p_h));
  oy_object* first = HOLD(mh(HOLD(times(p, k))));
  oy_object* second = HOLD(times(HOLD(times(a, p)), k_p));
  oy_object* rest = HOLD(minus(g_h, HOLD(times(k, a))));
  oy_object* third = HOLD(times(HOLD(times(p_h, p)), rest));
  oy_object* sum = HOLD(plus(HOLD(minus(k_p, second)), third));
  return oyi_held_end(&h, minus(sum, first));
}
static oy_object* pinv_tall(oy_object* a, oy_object* p, oy_object* g_h) {
  oyi_held h = {0};
  oy_object *p_h = HOLD(mh(p)), *k = HOLD(times(p, g_h)), *p_k = HOLD(times(p_h, k));
  oy_object* first = HOLD(mh(HOLD(times(k, p))));
  oy_object* rest = HOLD(minus(g_h, HOLD(times(a, k))));
  oy_object* second = HOLD(times(HOLD(times(rest, p)), p_h));
  oy_object* third = HOLD(times(HOLD(times(p_k, p)), a));
  oy_object* sum = HOLD(minus(HOLD(plus(p_k, second)), third));
  return oyi_held_end(&h, minus(sum, first));
}

BACKWARD(linalg_pinv_atol_rtol_tensor) {
  ARGUMENTS(linalg_pinv_atol_rtol_tensor);
  if (!WANTS(self)) return OY_OK;
  oyi_held h = {0};
  oy_object* g_h = HOLD(mh(GRAD(0)));
  bool wide = oy_tensor_size(self, -2) <= oy_tensor_size(self, -1);
  oy_object* result =
      wide ? pinv_wide(self, RESULT(0), g_h) : pinv_tall(self, RESULT(0), g_h);
  GIVE(self, oyi_held_end(&h, result));
  return OY_OK;
}

// X = A^+ B: of both by the pseudoinverse's own gradient.
static void of_solution(oyi_held* held, oy_object* a, oy_object* b, oy_object* grad,
                        oy_object** out_a, oy_object** out_b) {
  oy_object* p = oyi_hold(held, oyi_call_linalg_pinv_atol_rtol_tensor(
                                    a, &oy_none_object, &oy_none_object, false));
  oy_object* g_h = oyi_hold(held, times(b, oyi_hold(held, mh(grad))));
  *out_b = oyi_hold(held, times(oyi_hold(held, mh(p)), grad));
  if (!p || !g_h) return;
  bool wide = oy_tensor_size(a, -2) <= oy_tensor_size(a, -1);
  *out_a = oyi_hold(held, wide ? pinv_wide(a, p, g_h) : pinv_tall(a, p, g_h));
}

// Of the sums of squares of R = A X - B, at whose minimum X has no part in them.
static void of_residuals(oyi_held* held, oy_object* a, oy_object* b, oy_object* x,
                         oy_object* grad, oy_object** out_a, oy_object** out_b) {
  oy_object* rest = oyi_hold(held, minus(oyi_hold(held, times(a, x)), b));
  oy_object* row = oyi_hold(held, oyi_call_unsqueeze(grad, -2));
  oy_object* twice = row ? oyi_hold(held, oyi_call_mul_Scalar(row, oy_int(2))) : NULL;
  oy_object* moved =
      rest && twice ? oyi_hold(held, oyi_call_mul_Tensor(rest, twice)) : NULL;
  *out_a = oyi_hold(held, times(moved, oyi_hold(held, mh(x))));
  *out_b = moved ? oyi_hold(held, oyi_call_neg(moved)) : NULL;
}

BACKWARD(linalg_lstsq) {
  ARGUMENTS(linalg_lstsq);
  bool by_residuals = GRAD(1) && oy_tensor_numel(GRAD(1)) > 0;
  if (!GRAD(0) && !by_residuals) return OY_OK;
  oyi_held h = {0};
  bool vectors = is_vectors(self, oy_tensor_sizes(b));
  oy_object* right = vectors ? HOLD(oyi_call_unsqueeze(b, -1)) : b;
  oy_object *of_a[2] = {NULL, NULL}, *of_b[2] = {NULL, NULL};
  if (GRAD(0)) {
    oy_object* g = vectors ? HOLD(oyi_call_unsqueeze(GRAD(0), -1)) : GRAD(0);
    of_solution(&h, self, right, g, &of_a[0], &of_b[0]);
  }
  if (by_residuals) {
    oy_object* x = vectors ? HOLD(oyi_call_unsqueeze(RESULT(0), -1)) : RESULT(0);
    of_residuals(&h, self, right, x, GRAD(1), &of_a[1], &of_b[1]);
  }
  bool both = GRAD(0) && by_residuals;
  int at = GRAD(0) ? 0 : 1;
  oy_object* g_a = both ? HOLD(plus(of_a[0], of_a[1])) : of_a[at];
  oy_object* g_b = both ? HOLD(plus(of_b[0], of_b[1])) : of_b[at];
  if (WANTS(self) && g_a) gives[EDGE_AT(self)] = keep(g_a);
  if (WANTS(b) && g_b)
    gives[EDGE_AT(b)] = vectors ? oyi_call_squeeze_dim(g_b, -1) : keep(g_b);
  oyi_held_end(&h, NULL);
  return given_all(node, gives);
}

// -------------------------------------------------------------------- the table

DERIVATIVE(linalg_inv_ex, "LinalgInvExBackward0", OUTPUT(0))
DERIVATIVE(_linalg_det, "LinalgDetBackward0", SAVE(_linalg_det, A), OUTPUT(0), OUTPUT(1),
           OUTPUT(2))
DERIVATIVE(_linalg_slogdet, "LinalgSlogdetBackward0", SAVE(_linalg_slogdet, A), OUTPUT(0))
DERIVATIVE(_linalg_solve_ex, "LinalgSolveExBackward0", SAVE(_linalg_solve_ex, A),
           SHAPE(_linalg_solve_ex, B), OUTPUT(0))
DERIVATIVE(linalg_solve_triangular, "LinalgSolveTriangularBackward0",
           SAVE(linalg_solve_triangular, self), OUTPUT(0))
DERIVATIVE(linalg_matrix_exp, "LinalgMatrixExpBackward0", SAVE(linalg_matrix_exp, self))
DERIVATIVE(linalg_pinv_atol_rtol_tensor, "LinalgPinvBackward0",
           SAVE(linalg_pinv_atol_rtol_tensor, self), OUTPUT(0))
DERIVATIVE(linalg_lstsq, "LinalgLstsqBackward0", SAVE(linalg_lstsq, self),
           SAVE(linalg_lstsq, b), OUTPUT(0))
