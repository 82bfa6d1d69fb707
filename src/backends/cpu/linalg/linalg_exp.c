// SPDX-License-Identifier: Apache-2.0
// The exponential of a matrix, and least squares into given tensors.
//
// exp(A) = exp(A / 2^s)^(2^s), with s so that the norm is at most 1/2, and a Taylor sum of
// degree 18, whose remainder is then below 1e-21 (Golub and Van Loan, 9.3).
#include <math.h>

#include "backends/cpu/linalg/linalg.h"
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/out_form.h"
#include "tensor/iterator.h"

enum { TERMS = 18 };

// c = a b for n x n matrices by columns; |parts| 2: complex.
static void multiply(int64_t n, int parts, const double* a, const double* b, double* c) {
  memset(c, 0, (size_t)(n * n * parts) * sizeof(double));
  for (int64_t j = 0; j < n; j++)
    for (int64_t k = 0; k < n; k++) {
      const double* y = b + (k + j * n) * parts;
      const double *x = a + k * n * parts, re = y[0], im = parts == 2 ? y[1] : 0;
      double* z = c + j * n * parts;
      for (int64_t i = 0; parts == 1 && i < n; i++) z[i] += x[i] * re;
      for (int64_t i = 0; parts == 2 && i < n; i++) {
        z[2 * i] += x[2 * i] * re - x[2 * i + 1] * im;
        z[2 * i + 1] += x[2 * i] * im + x[2 * i + 1] * re;
      }
    }
}

static double one_norm(int64_t n, int parts, const double* a) {
  double most = 0;
  for (int64_t j = 0; j < n; j++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
      const double* x = a + (i + j * n) * parts;
      sum += parts == 2 ? hypot(x[0], x[1]) : fabs(x[0]);
    }
    if (sum > most || sum != sum) most = sum;
  }
  return most;
}

static void exponential(int64_t n, int parts, double* a, double* work) {
  int64_t count = n * n * parts;
  if (count == 0) return;
  double norm = one_norm(n, parts, a), *sum = work, *next = work + count;
  int squares = isfinite(norm) && norm > 0.5 ? (int)ceil(log2(norm)) + 1 : 0;
  for (int64_t i = 0; i < count; i++) a[i] = ldexp(a[i], -squares);
  memset(sum, 0, (size_t)count * sizeof(double));
  for (int64_t i = 0; i < n; i++) sum[(i + i * n) * parts] = 1;
  for (int k = TERMS; k > 0; k--) {  // Horner: 1 + A / k (1 + A / (k + 1) (...))
    multiply(n, parts, a, sum, next);
    for (int64_t i = 0; i < count; i++) sum[i] = next[i] / k;
    for (int64_t i = 0; i < n; i++) sum[(i + i * n) * parts] += 1;
  }
  for (int k = 0; k < squares; k++) {
    multiply(n, parts, sum, sum, next);
    memcpy(sum, next, (size_t)count * sizeof(double));
    if (!isfinite(one_norm(n, parts, sum))) break;  // and so it stays
  }
  memcpy(a, sum, (size_t)count * sizeof(double));
}

LINALG(linalg_matrix_exp) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  // Small floats are welcome here.
  bool small = self->dtype == OY_DTYPE_F16 || self->dtype == OY_DTYPE_BF16;
  if ((!small || t->ndim < 2 || oyi_rows(t) != oyi_columns(t)) &&
      !oyi_check_square(self, "linalg.matrix_exp"))
    return NULL;
  oyi_tensor* work = oyi_matrices_work(&oyi_lapack_portable, self);
  if (!work || oyi_is_meta(work)) return oyi_matrices_done_by_rows(work, self->dtype);
  int64_t n = oyi_rows(t);
  int parts = oy_dtype_is_complex(self->dtype) ? 2 : 1;
  double* room = oyi_calloc((size_t)(n * n) * 2 + 1, (size_t)parts * sizeof(double));
  for (int64_t i = 0; room && i < oyi_matrix_count(work); i++)
    exponential(n, parts, oyi_matrix_at(work, i), room);
  oyi_free(room);
  if (room) return oyi_matrices_done_by_rows(work, self->dtype);
  oy_tensor_release(&work->header);
  return NULL;
}

// A solution of another shape gets the room of the right side, as the one that is made.
static oy_status make_room(oy_object* solution, const oyi_tensor* made, int64_t rows,
                           bool vectors) {
  oyi_tensor* out = oyi_tensor_of(solution);
  if (!out) return oy_failure();
  const oy_ints want = oyi_sizes_view(made);
  if (made->flags & OYI_DENSE || solution->dtype != made->header.dtype ||
      oyi_same_sizes(oyi_sizes_view(out), want))
    return OY_OK;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, want.data, want.size * sizeof(*sizes));
  sizes[want.size - (vectors ? 1 : 2)] = rows;
  OY_TRY(oyi_output_resize(out, (oy_ints){sizes, want.size}, NULL));
  memcpy(out->sizes, want.data, want.size * sizeof(*sizes));
  memcpy(oyi_strides(out), oyi_strides_view(made).data, want.size * sizeof(*sizes));
  oyi_tensor_geometry(out);
  return OY_OK;
}

LINALG(linalg_lstsq_out) {
  oy_object *made[4], *outs[] = {solution, residuals, rank, singular_values};
  *out_solution = solution, *out_residuals = residuals, *out_rank = rank;
  *out_singular_values = singular_values;
  OY_TRY(oyi_call_linalg_lstsq(self, b, rcond, driver, &made[0], &made[1], &made[2],
                               &made[3]));
  const oyi_tensor *a = oyi_tensor_of(self), *x = oyi_tensor_of(made[0]);
  int64_t m = a->sizes[a->ndim - 2], n = a->sizes[a->ndim - 1];
  if (make_room(solution, x, m > n ? m : n, x->ndim < a->ndim) == 0)
    return oyi_into_outs(OY_OK, outs, made, 4);
  for (int k = 0; k < 4; k++) oy_tensor_release(made[k]);
  return oy_failure();
}
