// SPDX-License-Identifier: Apache-2.0
// Determinants.
#include <complex.h>
#include <math.h>

#include "backends/cpu/linalg/linalg.h"
#include "ops/calls.h"
#include "ops/out_form.h"

// The factorisation that determinants are made of: of the transposed matrix where that
// needs no reordering.
static oy_status factor(const oyi_lapack* lapack, oy_object* a, oyi_lu* out) {
  const oyi_tensor* t = oyi_tensor_cast(a);
  if (!(t->flags & OYI_CONTIGUOUS) || oy_dtype_is_complex(a->dtype))
    return oyi_lu_make(lapack, a, out);
  oy_object* flipped = oyi_flipped(a);
  oy_status status = flipped ? oyi_lu_make(lapack, flipped, out) : oy_failure();
  oy_tensor_release(flipped);
  return status;
}

// 1 or -1 in the first part, for an even or odd number of exchanges.
static double sign_of(const oyi_lu* lu, int64_t b, int64_t n) {
  const int32_t* pivots = oyi_row_at(lu->pivots, b);
  int odd = 0;
  for (int64_t i = 0; i < n; i++) odd ^= pivots[i] != i + 1;
  return odd ? -1 : 1;
}
// The products of the diagonals times the signs, each rounded, one after the other.
static void real_products(const oyi_lu* lu, int64_t n, int64_t count, void* to) {
  const bool single = lu->lu->header.dtype == OY_DTYPE_F32;
  for (int64_t b = 0; b < count; b++) {
    const void* a = oyi_matrix_at(lu->lu, b);
    double product = sign_of(lu, b, n);
    for (int64_t i = 0; i < n; i++)
      if (single)
        product = (float)product * ((const float*)a)[i + i * n];
      else
        product *= ((const double*)a)[i + i * n];
    if (single)
      ((float*)to)[b] = (float)product;
    else
      ((double*)to)[b] = product;
  }
}

static inline double complex pair(double re, double im) {
  return __builtin_complex(re, im);
}
static double complex diagonal(const oyi_lu* lu, int64_t b, int64_t i, int64_t n) {
  const void* a = oyi_matrix_at(lu->lu, b);
  const int64_t at = i + i * n;
  switch (lu->lu->header.dtype) {
    case OY_DTYPE_F32: return pair((double)((const float*)a)[at], 0);
    case OY_DTYPE_F64: return pair(((const double*)a)[at], 0);
    case OY_DTYPE_C64:
      return pair((double)((const float*)a)[2 * at],
                  (double)((const float*)a)[2 * at + 1]);
    default: return pair(((const double*)a)[2 * at], ((const double*)a)[2 * at + 1]);
  }
}
static void put(oyi_tensor* t, int64_t i, double complex x) {
  void* to = oyi_data(t);
  switch (t->header.dtype) {
    case OY_DTYPE_F32: ((float*)to)[i] = (float)creal(x); return;
    case OY_DTYPE_F64: ((double*)to)[i] = creal(x); return;
    case OY_DTYPE_C64:
      ((float*)to)[2 * i] = (float)creal(x), ((float*)to)[2 * i + 1] = (float)cimag(x);
      return;
    default: ((double*)to)[2 * i] = creal(x), ((double*)to)[2 * i + 1] = cimag(x); return;
  }
}

LINALG(_linalg_det) {
  *out_result = *out_LU = *out_pivots = NULL;
  const oyi_tensor* t = oyi_check_square(A, "linalg.det");
  if (!t) return oy_failure();
  oyi_lu lu;
  OY_TRY(factor(lapack, A, &lu));
  int64_t n = oyi_rows(t);
  oyi_tensor* result = oyi_batch_new(t, A->dtype);
  int64_t count = result && !oyi_is_meta(t) ? oyi_matrix_count(t) : 0;
  const bool is_real = A->dtype == lu.lu->header.dtype && !oy_dtype_is_complex(A->dtype);
  if (count > 0 && is_real) real_products(&lu, n, count, oyi_data(result));
  for (int64_t b = 0; b < count && !is_real; b++) {
    double complex product = sign_of(&lu, b, n);
    for (int64_t i = 0; i < n; i++) {
      const double complex d = diagonal(&lu, b, i, n);
      if (oy_dtype_is_complex(A->dtype))
        product *= d;
      else
        product *= creal(d);
    }
    put(result, b, product);
  }
  oy_tensor_release(&lu.info->header);
  oy_object* made[] = {oyi_tensor_object(result), oyi_matrices_done(lu.lu, A->dtype),
                       &lu.pivots->header};
  oy_object** results[] = {out_result, out_LU, out_pivots};
  return oyi_give_results(OY_OK, 3, made, results);
}
LINALG(_linalg_det_result) {
  oy_object *made[3], *outs[] = {result_, LU, pivots};
  *out_result = result_, *out_LU = LU, *out_pivots = pivots;
  return oyi_into_outs(linalg__linalg_det(lapack, A, &made[0], &made[1], &made[2]), outs,
                       made, 3);
}

LINALG(_linalg_slogdet) {
  *out_sign = *out_logabsdet = *out_LU = *out_pivots = NULL;
  const oyi_tensor* t = oyi_check_square(A, "linalg.slogdet");
  if (!t) return oy_failure();
  oyi_lu lu;
  OY_TRY(factor(lapack, A, &lu));
  int64_t n = oyi_rows(t);
  oy_dtype real = oyi_real_dtype(A->dtype);
  oyi_tensor *sign = oyi_batch_new(t, A->dtype), *size = oyi_batch_new(t, real);
  int64_t count = sign && size && !oyi_is_meta(t) ? oyi_matrix_count(t) : 0;
  for (int64_t b = 0; b < count; b++) {
    double complex turn = sign_of(&lu, b, n);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
      const double complex x = diagonal(&lu, b, i, n);
      double magnitude = cabs(x);
      sum += log(magnitude);
      turn *= magnitude == 0 ? 0 : x / magnitude;
    }
    put(sign, b, turn);
    put(size, b, sum);
  }
  oy_tensor_release(&lu.info->header);
  oy_object* made[] = {oyi_tensor_object(sign), oyi_tensor_object(size),
                       oyi_matrices_done(lu.lu, A->dtype), &lu.pivots->header};
  oy_object** results[] = {out_sign, out_logabsdet, out_LU, out_pivots};
  return oyi_give_results(OY_OK, 4, made, results);
}
LINALG(_linalg_slogdet_sign) {
  oy_object *made[4], *outs[] = {sign, logabsdet, LU, pivots};
  *out_sign = sign, *out_logabsdet = logabsdet, *out_LU = LU, *out_pivots = pivots;
  return oyi_into_outs(
      linalg__linalg_slogdet(lapack, A, &made[0], &made[1], &made[2], &made[3]), outs,
      made, 4);
}
