// SPDX-License-Identifier: Apache-2.0
// Gradients of factors and of equations that are solved with them (de Hoog, Anderssen and
// Lukas 2011, "Differentiation of matrix functionals using triangular factorization"; Giles
// 2008). G is what comes in, X^H the conjugate transpose; a factor's gradient is that of
// the triangle that the factor is.
#include "layers/autograd/derivatives/linalg_help.h"

static oy_object* conj_mul(oy_object* a, oy_object* b) {
  oyi_held h = {0};
  return oyi_held_end(&h, times(HOLD(mh(a)), b));
}
static oy_object* mul_conj(oy_object* a, oy_object* b) {
  oyi_held h = {0};
  return oyi_held_end(&h, times(a, HOLD(mh(b))));
}
static oy_object* below(oy_object* a) {
  return a ? oyi_call_tril(a, -1) : NULL;
}
static oy_object* above(oy_object* a) {
  return a ? oyi_call_triu(a, 0) : NULL;
}
static oy_object* negative(oy_object* a) {
  return a ? oyi_call_neg(a) : NULL;
}
// What solves T X = B, or X T = B, T^H being the triangle |t|.
static oy_object* under(oy_object* t, oy_object* b, bool upper, bool left, bool unit) {
  oyi_held h = {0};
  oy_object* t_h = b ? HOLD(mh(t)) : NULL;
  return oyi_held_end(
      &h, t_h ? oyi_call_linalg_solve_triangular(t_h, b, !upper, left, unit) : NULL);
}

// Of two that may not be there; NULL, too, if one that should be could not be made.
static oy_object* sum_of(oyi_held* held, bool has_a, oy_object* a, bool has_b,
                         oy_object* b) {
  if ((has_a && !a) || (has_b && !b)) return NULL;
  return a && b ? oyi_hold(held, plus(a, b)) : a ? a : b;
}

// ------------------------------------------------------------------ Cholesky's factor

// Of L or U in L L^H = U^H U, |of_product| being the gradient of the product.
static oy_object* of_factor(oy_object* factor, oy_object* of_product, bool upper) {
  oyi_held h = {0};
  oy_object* both = HOLD(plus(of_product, HOLD(mh(of_product))));
  return oyi_held_end(&h, upper ? times(factor, both) : times(both, factor));
}

BACKWARD(cholesky_inverse) {
  ARGUMENTS(cholesky_inverse);
  if (!WANTS(self) || !GRAD(0)) return OY_OK;
  oyi_held h = {0};
  oy_object* x = RESULT(0);
  oy_object* of_product = HOLD(negative(HOLD(times(HOLD(times(x, GRAD(0))), x))));
  GIVE(self, oyi_held_end(&h, of_factor(self, of_product, upper)));
  return OY_OK;
}

BACKWARD(cholesky_solve) {
  ARGUMENTS(cholesky_solve);
  if (!GRAD(0)) return OY_OK;
  oyi_held h = {0};
  oy_object* g_b = HOLD(oyi_call_cholesky_solve(GRAD(0), input2, upper));
  if (WANTS(self) && g_b) gives[EDGE_AT(self)] = keep(g_b);
  if (WANTS(input2))
    gives[EDGE_AT(input2)] =
        of_factor(input2, HOLD(negative(HOLD(mul_conj(g_b, RESULT(0))))), upper);
  oyi_held_end(&h, NULL);
  return given_all(node, gives);
}

// ---------------------------------------------------------------------- triangles

// Of A in A X = B, or in A^T X = B.
static oy_object* of_triangle(oy_object* g_b, oy_object* x, bool transpose) {
  oyi_held h = {0};
  oy_object* product = HOLD(mul_conj(g_b, x));
  oy_object* turned = transpose && product ? HOLD(oyi_call_mT(product)) : product;
  return oyi_held_end(&h, negative(turned));
}

BACKWARD(triangular_solve) {
  ARGUMENTS(triangular_solve);
  oyi_held h = {0};
  oy_object *g_b = NULL, *g_a = NULL;
  if (GRAD(0))
    g_b = HOLD(transpose ? oyi_call_linalg_solve_triangular(HOLD(conj_of(A)), GRAD(0),
                                                            upper, true, unitriangular)
                         : under(A, GRAD(0), upper, true, unitriangular));
  if (WANTS(self) && g_b) gives[EDGE_AT(self)] = keep(g_b);
  if (WANTS(A) && g_b) {
    oy_object* whole = HOLD(of_triangle(g_b, RESULT(0), transpose));
    if (whole)
      g_a = HOLD(upper ? oyi_call_triu(whole, unitriangular)
                       : oyi_call_tril(whole, -(int64_t)unitriangular));
  }
  if (WANTS(A)) g_a = sum_of(&h, GRAD(0), g_a, GRAD(1), GRAD(1));
  if (WANTS(A) && g_a) gives[EDGE_AT(A)] = keep(g_a);
  oyi_held_end(&h, NULL);
  return GRAD(0) ? given_all(node, gives) : OY_OK;
}

// ------------------------------------------------------------------------ L and U

// The triangles of factors in one matrix, m x k and k x n.
static oy_object* lower_of(oyi_held* held, oy_object* lu) {
  int64_t m = oy_tensor_size(lu, -2), n = oy_tensor_size(lu, -1), k = m < n ? m : n;
  oy_object* part = oyi_hold(held, oyi_call_narrow(lu, -1, 0, k));
  oy_object* strict = oyi_hold(held, below(part));
  oy_object* eye =
      oyi_hold(held, oyi_call_eye_m(m, k, oy_int(lu->dtype), oy_none(),
                                    oy_value_device(oy_tensor_device(lu)), oy_none()));
  return oyi_hold(held, plus(strict, eye));
}
static oy_object* upper_of(oyi_held* held, oy_object* lu) {
  int64_t m = oy_tensor_size(lu, -2), n = oy_tensor_size(lu, -1), k = m < n ? m : n;
  oy_object* part = oyi_hold(held, oyi_call_narrow(lu, -2, 0, k));
  return oyi_hold(held, above(part));
}
static oy_object* permutation_of(oyi_held* held, oy_object* lu, oy_object* pivots) {
  oy_object *p, *l, *u;
  if (oyi_call_lu_unpack(lu, pivots, false, true, &p, &l, &u) != 0) return NULL;
  oyi_hold(held, l);
  oyi_hold(held, u);
  return oyi_hold(held, p);
}

typedef struct factors {
  oy_object *p, *l, *u;  // m x m, m x k, k x n
  oy_object *g_l, *g_u;  // NULL: zero
  int64_t m, n, k;
} factors;

// Rows or columns of a factor; NULL of NULL.
static oy_object* part(oy_object* a, int64_t dim, int64_t from, int64_t to) {
  return a ? oyi_call_narrow(a, dim, from, to - from) : NULL;
}
// |a| with zeros around it, m x n; NULL of NULL.
static oy_object* widened(oyi_held* held, oy_object* a, int64_t m, int64_t n) {
  if (!a) return NULL;
  const int64_t pad[] = {0, n - oy_tensor_size(a, -1), 0, m - oy_tensor_size(a, -2)};
  return oyi_hold(held, oyi_call_constant_pad_nd(a, (oy_ints){pad, 4}, oy_int(0)));
}

// L^H gL and gU U^H; NULL where there is no gradient.
typedef struct moves {
  oy_object *of_l, *of_u;
} moves;

static moves moves_of(oyi_held* held, const factors* f) {
  moves m = {0};
  if (f->g_l) m.of_l = oyi_hold(held, conj_mul(f->l, f->g_l));
  if (f->g_u) m.of_u = oyi_hold(held, mul_conj(f->g_u, f->u));
  return m;
}
// What of |first| is not of |second|; NULL if one that should be could not be made.
static oy_object* less(oyi_held* held, bool has_first, oy_object* first, bool has_second,
                       oy_object* second) {
  oy_object* turned = second ? oyi_hold(held, negative(second)) : NULL;
  return sum_of(held, has_first, first, has_second, turned);
}

// Of M = L^-1 P^T dA U^-1, whose strict lower triangle moves L and whose upper one moves U.
static oy_object* of_even(oyi_held* held, const factors* f) {
  moves m = moves_of(held, f);
  oy_object* lower = m.of_l ? oyi_hold(held, below(m.of_l)) : NULL;
  oy_object* upper = m.of_u ? oyi_hold(held, above(m.of_u)) : NULL;
  oy_object* both = sum_of(held, f->g_l, lower, f->g_u, upper);
  oy_object* half = oyi_hold(held, under(f->l, both, false, true, true));
  return oyi_hold(held, under(f->u, half, true, false, false));
}

// More columns than rows: dU = L^-1 P^T dA, but for what moves L. So gU passes as it is,
// without being multiplied by U and divided again.
static oy_object* of_wide(oyi_held* held, const factors* f) {
  moves m = moves_of(held, f);
  oy_object* product = less(held, f->g_l, m.of_l, f->g_u, m.of_u);
  oy_object* lower = oyi_hold(held, below(product));
  oy_object* u = oyi_hold(held, part(f->u, -1, 0, f->k));
  oy_object* moved = u ? oyi_hold(held, under(u, lower, true, false, false)) : NULL;
  oy_object* whole = sum_of(held, true, widened(held, moved, f->m, f->n), f->g_u, f->g_u);
  return oyi_hold(held, under(f->l, whole, false, true, true));
}
// More rows than columns: the same of L.
static oy_object* of_tall(oyi_held* held, const factors* f) {
  moves m = moves_of(held, f);
  oy_object* product = less(held, f->g_u, m.of_u, f->g_l, m.of_l);
  oy_object* upper = oyi_hold(held, above(product));
  oy_object* l = oyi_hold(held, part(f->l, -2, 0, f->k));
  oy_object* moved = l ? oyi_hold(held, under(l, upper, false, true, true)) : NULL;
  oy_object* whole = sum_of(held, true, widened(held, moved, f->m, f->n), f->g_l, f->g_l);
  return oyi_hold(held, under(f->u, whole, true, false, false));
}

// What is beyond the triangles of factors has no say.
static oy_object* of_factored(const factors* given) {
  oyi_held h = {0};
  factors f = *given;
  if (f.g_l) f.g_l = HOLD(below(f.g_l));
  if (f.g_u) f.g_u = HOLD(above(f.g_u));
  if ((given->g_l && !f.g_l) || (given->g_u && !f.g_u)) return oyi_held_end(&h, NULL);
  oy_object* moved = f.m == f.n  ? of_even(&h, &f)
                     : f.m < f.n ? of_wide(&h, &f)
                                 : of_tall(&h, &f);
  return oyi_held_end(&h, times(f.p, moved));
}

static factors factors_of(oy_object* p, oy_object* l, oy_object* u, oy_object* g_l,
                          oy_object* g_u) {
  int64_t m = l ? oy_tensor_size(l, -2) : 0, n = u ? oy_tensor_size(u, -1) : 0;
  return (factors){p, l, u, g_l, g_u, m, n, m < n ? m : n};
}

BACKWARD(linalg_lu) {
  ARGUMENTS(linalg_lu);
  if (!WANTS(A) || (!GRAD(1) && !GRAD(2))) return OY_OK;
  factors f = factors_of(RESULT(0), RESULT(1), RESULT(2), GRAD(1), GRAD(2));
  GIVE(A, of_factored(&f));
  return OY_OK;
}

BACKWARD(linalg_lu_factor_ex) {
  ARGUMENTS(linalg_lu_factor_ex);
  if (!WANTS(A) || !GRAD(0)) return OY_OK;
  oyi_held h = {0};
  oy_object *lu = RESULT(0), *p = permutation_of(&h, lu, RESULT(1));
  oy_object *l = lower_of(&h, lu), *u = upper_of(&h, lu), *result = NULL;
  if (p && l && u) {
    int64_t k = oy_tensor_size(l, -1);
    factors f = factors_of(p, l, u, HOLD(part(GRAD(0), -1, 0, k)), upper_of(&h, GRAD(0)));
    if (f.g_l && f.g_u) result = of_factored(&f);
  }
  GIVE(A, oyi_held_end(&h, result));
  return OY_OK;
}

BACKWARD(lu_unpack) {
  ARGUMENTS(lu_unpack);
  if (!WANTS(LU_data) || (!GRAD(1) && !GRAD(2))) return OY_OK;
  oyi_held h = {0};
  oy_ints sizes = INPUT_SIZES(LU_data);
  int64_t m = sizes.data[sizes.size - 2], n = sizes.data[sizes.size - 1];
  oy_object* lower = GRAD(1) ? widened(&h, HOLD(below(GRAD(1))), m, n) : NULL;
  oy_object* upper = GRAD(2) ? widened(&h, HOLD(above(GRAD(2))), m, n) : NULL;
  oy_object* both = sum_of(&h, GRAD(1), lower, GRAD(2), upper);
  GIVE(LU_data, oyi_held_end(&h, both ? keep(both) : NULL));
  return OY_OK;
}

// ----------------------------------------------------------- equations by L and U

// Of both factors, the gradient of A = P L U being -S T^H.
static oy_object* of_solved(oy_object* lu, oy_object* pivots, oy_object* s,
                            oy_object* t) {
  oyi_held h = {0};
  oy_object *p = permutation_of(&h, lu, pivots), *l = lower_of(&h, lu);
  oy_object *u = upper_of(&h, lu), *rows = HOLD(conj_mul(p, s));
  oy_object* lower = HOLD(below(HOLD(mul_conj(rows, HOLD(times(u, t))))));
  oy_object* upper = HOLD(above(HOLD(mul_conj(HOLD(conj_mul(l, rows)), t))));
  return oyi_held_end(&h, negative(HOLD(plus(lower, upper))));
}

BACKWARD(linalg_lu_solve) {
  ARGUMENTS(linalg_lu_solve);
  if (!GRAD(0)) return OY_OK;
  oyi_held h = {0};
  oy_object* g_b = HOLD(oyi_call_linalg_lu_solve(LU, pivots, GRAD(0), left, !adjoint));
  if (WANTS(B) && g_b) gives[EDGE_AT(B)] = keep(g_b);
  if (WANTS(LU) && g_b) {
    oy_object* x = left ? RESULT(0) : HOLD(mh(RESULT(0)));
    oy_object* g = left ? g_b : HOLD(mh(g_b));
    bool turned = adjoint == left;
    if (x && g)
      gives[EDGE_AT(LU)] = of_solved(LU, pivots, turned ? x : g, turned ? g : x);
  }
  oyi_held_end(&h, NULL);
  return given_all(node, gives);
}

// -------------------------------------------------------------------- the table

DERIVATIVE(cholesky_inverse, "CholeskyInverseBackward0", SAVE(cholesky_inverse, self),
           OUTPUT(0))
DERIVATIVE(cholesky_solve, "CholeskySolveBackward0", SAVE(cholesky_solve, input2),
           OUTPUT(0))
DERIVATIVE(triangular_solve, "TriangularSolveBackward0", SAVE(triangular_solve, A),
           OUTPUT(0))
DERIVATIVE(linalg_lu, "LinalgLuBackward0", OUTPUT(0), OUTPUT(1), OUTPUT(2))
DERIVATIVE(linalg_lu_factor_ex, "LinalgLuFactorExBackward0", OUTPUT(0), OUTPUT(1))
DERIVATIVE(lu_unpack, "LuUnpackBackward0", SHAPE(lu_unpack, LU_data))
DERIVATIVE(linalg_lu_solve, "LinalgLuSolveBackward0", SAVE(linalg_lu_solve, LU),
           SAVE(linalg_lu_solve, pivots), OUTPUT(0))
