// SPDX-License-Identifier: Apache-2.0
// Equations and inverses, by factors that are there already or are made first.
#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/linalg/linalg_small.h"
#include "ops/calls.h"
#include "ops/out_form.h"
#include "ops/rules/shape.h"

// |b| for the batch, by columns, as it is to be solved for: of X A = B the transposed
// equation, with op(A) transposed by the caller.
static oyi_tensor* right_side(const oyi_lapack* lapack, oy_object* b, oy_ints batch,
                              bool left) {
  oy_object* wide = oyi_matrices_expand(b, batch);
  oy_object* turned = left ? oy_tensor_retain(wide) : oyi_flipped(wide);
  oyi_tensor* work = oyi_matrices_work(lapack, turned);
  oy_tensor_release(turned);
  oy_tensor_release(wide);
  return work;
}

// The solution as |dtype|: by columns, of the transposed equation turned back.
static oy_object* solution(oyi_tensor* work, oy_dtype dtype, bool left) {
  oy_object* x = oyi_matrices_done(work, dtype);
  if (!x || left) return x;
  oy_object* turned = oyi_flipped(x);
  oy_tensor_release(x);
  return turned;
}

// Whether the matrices of |t| lie one behind the other, by columns.
static bool is_by_columns(const oyi_tensor* t) {
  const int64_t* strides = oyi_strides(t);
  int64_t step = oyi_rows(t) * oyi_columns(t);
  bool is = strides[t->ndim - 2] == 1 && strides[t->ndim - 1] == oyi_rows(t);
  for (int64_t d = t->ndim - 3; d >= 0; step *= t->sizes[d--])
    is = is && strides[d] == step;
  return is;
}

// |object|, to be read, for |batch|: what lies in memory as matrices by columns.
static oyi_tensor* for_batch(const oyi_lapack* lapack, oy_object* object, oy_ints batch) {
  const oyi_tensor* t = oyi_tensor_cast(object);
  if (oyi_lapack_dtype(lapack, object->dtype) == object->dtype && is_by_columns(t) &&
      oyi_same_sizes(batch, (oy_ints){t->sizes, t->ndim - 2u}))
    return oyi_tensor_cast(oy_tensor_retain(object));
  oy_object* wide = oyi_matrices_expand(object, batch);
  oyi_tensor* work = oyi_matrices_work(lapack, wide);
  oy_tensor_release(wide);
  return work;
}

static oyi_tensor* pivots_for_batch(const oyi_tensor* pivots, oy_ints batch) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, batch.data, batch.size * sizeof(int64_t));
  sizes[batch.size] = pivots->sizes[pivots->ndim - 1];
  oy_object* wide =
      oy_tensor_expand(oyi_tensor_object(pivots), (oy_ints){sizes, batch.size + 1});
  oy_object* whole = wide ? oyi_call_contiguous(wide, OY_MEMORY_CONTIGUOUS) : NULL;
  oy_tensor_release(wide);
  return oyi_tensor_cast(whole);
}

static oy_status check_pivots(const oyi_tensor* lu, const oyi_tensor* p) {
  OY_CHECK(p->header.dtype == OY_DTYPE_I32, TYPE_MISMATCH,
           "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  OY_CHECK(
      p->ndim >= 1 && p->sizes[p->ndim - 1] == oyi_columns(lu), INVALID_ARGUMENT,
      "linalg.lu_solve: Number of pivots per batch should be same as the dimension of "
      "the matrix");
  OY_CHECK(
      p->ndim + 1 == lu->ndim &&
          memcmp(p->sizes, lu->sizes, p->ndim * sizeof(int64_t)) == 0,
      INVALID_ARGUMENT,
      "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got "
      "pivots with shape %s instead",
      oyi_dims_print(oyi_sizes_view(p)).text);
  if (oyi_is_meta(p)) return OY_OK;
  const int64_t n = oyi_rows(lu);
  oyi_tensor* all = pivots_for_batch(p, (oy_ints){p->sizes, p->ndim - 1u});
  if (!all) return oy_failure();
  bool valid = true;
  for (int64_t i = 0; i < all->numel; i++) {
    int32_t pivot = ((const int32_t*)oyi_data(all))[i];
    valid = valid && pivot >= 1 && pivot <= n;
  }
  oy_tensor_release(&all->header);
  OY_CHECK(valid, INVALID_ARGUMENT,
           "Pivots given to lu_solve must all be greater or equal to 1. Did you properly "
           "pass the result of lu_factor?");
  return OY_OK;
}

static oy_object* lu_solve(const oyi_lapack* lapack, oy_object* lu, const oyi_tensor* p,
                           oy_object* b, bool left, bool adjoint) {
  int64_t batch[OY_TENSOR_MAX_DIMS];
  size_t count;
  if (oyi_batch_broadcast(oyi_tensor_cast(lu), oyi_tensor_cast(b), batch, &count) != 0)
    return NULL;
  oy_ints sizes = {batch, count};
  oyi_tensor* x = right_side(lapack, b, sizes, left);
  oyi_tensor* a = x && !oyi_is_meta(x) ? for_batch(lapack, lu, sizes) : NULL;
  oyi_tensor* pivots = a ? pivots_for_batch(p, sizes) : NULL;
  bool failed = x && !oyi_is_meta(x) && !pivots;
  // X A^H = B is conj(A) X^T = B^T: solved with everything conjugated.
  bool conj = !left && adjoint;
  if (pivots && conj) oyi_conjugate(x);
  char op = left ? (adjoint ? 'C' : 'N') : (adjoint ? 'N' : 'T');
  if (pivots) failed = oyi_lu_solve(lapack, a, pivots, op, x) != 0;
  if (pivots && conj) oyi_conjugate(x);
  if (a) oy_tensor_release(&a->header);
  if (pivots) oy_tensor_release(&pivots->header);
  if (!failed) return solution(x, b->dtype, left);
  oy_tensor_release(&x->header);
  return NULL;
}

LINALG(linalg_lu_solve) {
  const oyi_tensor* a = oyi_check_square(LU, "torch.linalg.lu_solve");
  const oyi_tensor *p = a ? oyi_tensor_of(pivots) : NULL,
                   *b = p ? oyi_tensor_of(B) : NULL;
  if (!b || oyi_check_solver(a, b, left, "linalg.lu_solve") != 0) return NULL;
  if (check_pivots(a, p) != 0) return NULL;
  return lu_solve(lapack, LU, p, B, left, adjoint);
}
LINALG(linalg_lu_solve_out) {
  return oyi_into_exact_out(out,
                            linalg_linalg_lu_solve(lapack, LU, pivots, B, left, adjoint));
}

// -------------------------------------------------------------------- solve, inverse

// Whether |b| is a batch of vectors, for a batch of matrices |a|.
static bool is_vectors(const oyi_tensor* a, const oyi_tensor* b) {
  return b->ndim == 1 || (b->ndim + 1 == a->ndim &&
                          memcmp(b->sizes, a->sizes, b->ndim * sizeof(int64_t)) == 0);
}

// A result without its last dimension of size 1. PyTorch lays batches of vectors out as if
// they were one matrix by columns.
static oy_object* as_vectors(oy_object* x) {
  if (!x) return NULL;
  oy_object* vectors = oyi_call_squeeze_dim(x, -1);
  oy_tensor_release(x);
  const oyi_tensor* v = vectors ? oyi_tensor_cast(vectors) : NULL;
  if (!v || v->ndim < 2) return vectors;
  oyi_tensor* made = oyi_matrices_copy(v, v->header.dtype);
  oy_tensor_release(vectors);
  return oyi_tensor_object(made);
}

// Vectors as matrices of one column.
static oy_object* as_columns(const oyi_tensor* b) {
  oyi_shape shape = {0};
  oyi_shape_keep(&shape, b, 0, b->ndim);
  oyi_shape_add(&shape, 1, 1);
  return oyi_shape_view(&shape, b, b->offset);
}

// Factors of |a|, or of the transposed matrix where they are had without reordering.
static oy_status factor(const oyi_lapack* lapack, oy_object* a, oyi_lu* out_lu,
                        bool* out_flips) {
  const oyi_tensor* t = oyi_tensor_cast(a);
  *out_flips = (t->flags & OYI_CONTIGUOUS) && !oy_dtype_is_complex(a->dtype);
  oy_object* taken = *out_flips ? oyi_flipped(a) : oy_tensor_retain(a);
  oy_status status = taken ? oyi_lu_make(lapack, taken, out_lu) : oy_failure();
  oy_tensor_release(taken);
  return status;
}

static oy_status solve(const oyi_lapack* lapack, oy_object* a, oy_object* b, bool left,
                       oy_object** out_x, oyi_lu* out_lu) {
  bool flips;
  OY_TRY(factor(lapack, a, out_lu, &flips));
  *out_x = lu_solve(lapack, &out_lu->lu->header, out_lu->pivots, b, left, flips);
  return *out_x ? OY_OK : oy_failure();
}

LINALG(_linalg_solve_ex) {
  *out_result = *out_LU = *out_pivots = *out_info = NULL;
  const oyi_tensor *a = oyi_tensor_of(A), *b = a ? oyi_tensor_of(B) : NULL;
  if (!b) return oy_failure();
  OY_CHECK(
      A->dtype == B->dtype, TYPE_MISMATCH,
      "linalg.solve: Expected A and B to have the same dtype, but found A of type %s "
      "and B of type %s instead",
      oy_dtype_pytorch_name(A->dtype), oy_dtype_pytorch_name(B->dtype));
  bool vectors = a->ndim >= 1 && is_vectors(a, b);
  OY_CHECK(left || !vectors, INVALID_ARGUMENT,
           "linalg.solve: Vector broadcasting of the left hand side is not supported for "
           "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)");
  if (!oyi_check_square(A, "linalg.solve")) return oy_failure();
  oy_object* columns = vectors ? as_columns(b) : oy_tensor_retain(B);
  if (!columns) return oy_failure();
  oy_status status = oyi_check_solver(a, oyi_tensor_cast(columns), left, "linalg.solve");
  oyi_lu lu = {0};
  oy_object* x = NULL;
  if (status == 0) status = solve(lapack, A, columns, left, &x, &lu);
  oy_tensor_release(columns);
  if (status == 0 && check_errors)
    status = oyi_linalg_check(&lu.info->header, "torch.linalg.solve", a->ndim == 2);
  if (status != 0) {
    oy_tensor_release(x);
    oyi_lu_drop(&lu);
    return status;
  }
  oy_object* made[] = {vectors ? as_vectors(x) : x, oyi_matrices_done(lu.lu, A->dtype),
                       &lu.pivots->header, &lu.info->header};
  oy_object** results[] = {out_result, out_LU, out_pivots, out_info};
  return oyi_give_results(status, 4, made, results);
}
LINALG(_linalg_solve_ex_result) {
  oy_object *made[4], *outs[] = {result_, LU, pivots, info};
  *out_result = result_, *out_LU = LU, *out_pivots = pivots, *out_info = info;
  return oyi_into_outs(linalg__linalg_solve_ex(lapack, A, B, left, check_errors, &made[0],
                                               &made[1], &made[2], &made[3]),
                       outs, made, 4);
}

// Unit matrices for the batch of |like|.
static oyi_tensor* units(const oyi_tensor* like, oy_dtype dtype) {
  int64_t n = oyi_rows(like);
  oyi_tensor* x = oyi_matrices_new(like, n, n, dtype, true);
  if (!x || oyi_is_meta(x) || x->numel == 0) return x;
  memset(oyi_data(x), 0, (size_t)(x->numel * oyi_item(x)));
  const size_t item = (size_t)oyi_item(x);
  double one[2];  // of any dtype
  oyi_element_store(dtype, one, (oyi_number){.kind = OYI_NUMBER_FLOAT, .i = 1, .re = 1});
  char* at = oyi_data(x);
  for (int64_t k = oyi_matrix_count(x); k > 0; k--, at += (size_t)(n * n) * item)
    for (int64_t i = 0; i < n; i++) memcpy(at + (size_t)(i + i * n) * item, one, item);
  return x;
}

LINALG(linalg_inv_ex) {
  *out_inverse = *out_info = NULL;
  const oyi_tensor* t = oyi_check_square(A, "linalg.inv");
  if (!t) return oy_failure();
  oyi_lu lu;
  bool flips;
  OY_TRY(factor(lapack, A, &lu, &flips));
  oy_status status = OY_OK;
  if (check_errors)
    status = oyi_linalg_check(&lu.info->header, "linalg.inv_ex", t->ndim == 2);
  oyi_tensor* x = status == 0 ? units(t, lu.lu->header.dtype) : NULL;
  if (x && !oyi_is_meta(x))
    status = oyi_lu_solve(lapack, lu.lu, lu.pivots, flips ? 'T' : 'N', x);
  oy_object* made[] = {oyi_matrices_done(x, A->dtype), &lu.info->header};
  oy_object** results[] = {out_inverse, out_info};
  oy_tensor_release(&lu.lu->header);
  oy_tensor_release(&lu.pivots->header);
  return oyi_give_results(status, 2, made, results);
}
LINALG(linalg_inv_ex_inverse) {
  oy_object *made[2], *outs[] = {inverse, info};
  *out_inverse = inverse, *out_info = info;
  return oyi_into_outs(linalg_linalg_inv_ex(lapack, A, check_errors, &made[0], &made[1]),
                       outs, made, 2);
}

// ------------------------------------------------------------------- triangles

// A triangle that lies in memory by rows is the other one of the transposed matrix.
static oyi_tensor* triangle_for_batch(const oyi_lapack* lapack, oy_object* a,
                                      oy_ints batch, oyi_triangle* how) {
  const oyi_tensor* t = oyi_tensor_cast(a);
  const bool as_it_is = oyi_lapack_dtype(lapack, a->dtype) == a->dtype &&
                        how->op != 'C' && (t->flags & OYI_CONTIGUOUS) &&
                        oyi_same_sizes(batch, (oy_ints){t->sizes, t->ndim - 2u});
  if (!as_it_is) return for_batch(lapack, a, batch);
  how->upper = !how->upper;
  how->op = how->op == 'N' ? 'T' : 'N';
  return oyi_tensor_cast(oy_tensor_retain(a));
}

// X, by columns, with op(A) X = B or X op(A) = B.
static oy_object* triangular(const oyi_lapack* lapack, oy_object* a, oy_object* b,
                             oyi_triangle how, bool left) {
  int64_t batch[OY_TENSOR_MAX_DIMS];
  size_t count;
  if (oyi_batch_broadcast(oyi_tensor_cast(a), oyi_tensor_cast(b), batch, &count) != 0)
    return NULL;
  oy_ints sizes = {batch, count};
  oyi_tensor* x = right_side(lapack, b, sizes, left);
  if (!x || oyi_is_meta(x)) return solution(x, b->dtype, left);
  if (!left) how.op = how.op == 'N' ? 'T' : 'N';
  oyi_tensor* work = triangle_for_batch(lapack, a, sizes, &how);
  oy_status status = work ? oyi_triangles_solve(lapack, work, how, x) : oy_failure();
  oy_tensor_release(oyi_tensor_object(work));
  if (status == 0) return solution(x, b->dtype, left);
  oy_tensor_release(&x->header);
  return NULL;
}

LINALG(linalg_solve_triangular) {
  const oyi_tensor *a = oyi_tensor_of(self), *b = a ? oyi_tensor_of(B) : NULL;
  if (!b || !oyi_check_square(self, "linalg.solve_triangular") ||
      oyi_check_solver(a, b, left, "linalg.solve_triangular") != 0)
    return NULL;
  oy_object* x =
      triangular(lapack, self, B, (oyi_triangle){'N', upper, unitriangular}, left);
  if (!x || left) return x;
  oyi_tensor* result = oyi_matrices_copy(oyi_tensor_cast(x), x->dtype);
  oy_tensor_release(x);
  return oyi_tensor_object(result);
}
LINALG(linalg_solve_triangular_out) {
  return oyi_into_exact_out(
      out, linalg_linalg_solve_triangular(lapack, self, B, upper, left, unitriangular));
}

LINALG(triangular_solve) {
  *out_solution = *out_cloned_coefficient = NULL;
  const oyi_tensor *b = oyi_tensor_of(self), *a = b ? oyi_tensor_of(A) : NULL;
  if (!a) return oy_failure();
  OY_CHECK(
      b->ndim >= 2, INVALID_ARGUMENT,
      "torch.triangular_solve: Expected b to have at least 2 dimensions, but it has %d "
      "dimensions instead",
      b->ndim);
  OY_CHECK(
      a->ndim >= 2, INVALID_ARGUMENT,
      "torch.triangular_solve: Expected A to have at least 2 dimensions, but it has %d "
      "dimensions instead",
      a->ndim);
  if (!oyi_check_square(A, "triangular_solve") ||
      oyi_check_solver(a, b, true, "triangular_solve") != 0)
    return oy_failure();
  oyi_triangle how = {transpose ? 'T' : 'N', upper, unitriangular};
  oy_object* x = triangular(lapack, A, self, how, true);
  oy_object* wide = x ? oyi_matrices_expand(A, (oy_ints){oyi_tensor_cast(x)->sizes,
                                                         oyi_tensor_cast(x)->ndim - 2u})
                      : NULL;
  oyi_tensor* copy = wide ? oyi_matrices_copy(oyi_tensor_cast(wide), A->dtype) : NULL;
  oy_object* made[] = {x, oyi_tensor_object(copy)};
  oy_object** results[] = {out_solution, out_cloned_coefficient};
  oy_tensor_release(wide);
  return oyi_give_results(OY_OK, 2, made, results);
}
LINALG(triangular_solve_X) {
  oy_object *made[2], *outs[] = {X, M};
  *out_solution = X, *out_cloned_coefficient = M;
  return oyi_into_outs(linalg_triangular_solve(lapack, self, A, upper, transpose,
                                               unitriangular, &made[0], &made[1]),
                       outs, made, 2);
}

// ---------------------------------------------------------------- by Cholesky factors

// x becomes (A A^H)^-1 x, or (A^H A)^-1 x of an upper factor.
static oy_status cholesky_solve(const oyi_lapack* lapack, const oyi_tensor* a, bool upper,
                                oyi_tensor* x) {
  OY_TRY(
      oyi_triangles_solve(lapack, a, (oyi_triangle){upper ? 'C' : 'N', upper, false}, x));
  return oyi_triangles_solve(lapack, a, (oyi_triangle){upper ? 'N' : 'C', upper, false},
                             x);
}

LINALG(_cholesky_solve_helper) {
  const oyi_tensor *b = oyi_tensor_of(self),
                   *a = b ? oyi_check_square(A, "cholesky_solve") : NULL;
  if (!a || oyi_check_solver(a, b, true, "cholesky_solve") != 0) return NULL;
  oy_ints batch = {b->sizes, b->ndim - 2u};
  oyi_tensor* x = right_side(lapack, self, batch, true);
  if (!x || oyi_is_meta(x)) return solution(x, self->dtype, true);
  oyi_tensor* work = for_batch(lapack, A, batch);
  oy_status status = work ? cholesky_solve(lapack, work, upper, x) : oy_failure();
  oy_tensor_release(oyi_tensor_object(work));
  if (status == 0) return solution(x, self->dtype, true);
  oy_tensor_release(&x->header);
  return NULL;
}

LINALG(cholesky_inverse) {
  const oyi_tensor* t = oyi_check_square(self, "cholesky_inverse");
  oy_status found = OY_OK;
  oyi_tensor* inverse = t ? oyi_factors_inverse(lapack, self, upper, &found) : NULL;
  if (inverse || found != OY_OK) return oyi_matrices_done(inverse, self->dtype);
  oyi_tensor* x = t ? units(t, oyi_lapack_dtype(lapack, self->dtype)) : NULL;
  if (!x || oyi_is_meta(x)) return oyi_matrices_done(x, self->dtype);
  oyi_tensor* work = oyi_matrices_work(lapack, self);
  oy_status status = work ? cholesky_solve(lapack, work, upper, x) : oy_failure();
  oy_tensor_release(oyi_tensor_object(work));
  if (status == 0) return oyi_matrices_done(x, self->dtype);
  oy_tensor_release(&x->header);
  return NULL;
}
LINALG(cholesky_inverse_out) {
  return oyi_into_castable_out(out, linalg_cholesky_inverse(lapack, self, upper),
                               "cholesky_inverse", "result", false);
}
