// SPDX-License-Identifier: Apache-2.0
// The exponential of a matrix: exp(A) = exp(A / 2^s)^(2^s), where the smaller one is a polynomial
// of a degree that is exact enough for its norm. Powers of one matrix commute: rows may stand for
// columns.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <math.h>
#include <string.h>

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/linalg/linalg_exp.h"
#include "backends/cpu/linalg/matrix.h"
#include "backends/cpu/linalg/openblas.h"
#include "backends/cpu/staging.h"
#include "tensor/block_cache.h"
#include "tensor/iterator.h"

static bool is_single(const oyi_expm* e) {
  return e->dtype == OY_DTYPE_F32 || e->dtype == OY_DTYPE_C64;
}
static int64_t parts_of(oy_dtype dtype) {
  return oy_dtype_is_complex(dtype) ? 2 : 1;
}

// ------------------------------------------------------------------------ one matrix

static double number_at(const oyi_expm* e, int64_t i) {
  return is_single(e) ? (double)((const float*)(const void*)e->at[0])[i]
                      : ((const double*)(const void*)e->at[0])[i];
}

static double size_at(const oyi_expm* e, int64_t i) {
  const double re = number_at(e, i), im = number_at(e, i + 1);
  // Squares of floats are no more than double holds.
  return is_single(e) ? sqrt(re * re + im * im) : hypot(re, im);
}

// The greatest sum of magnitudes of a column, or a row: NaN if one is.
static double norm_of(const oyi_expm* e) {
  const int64_t parts = parts_of(e->dtype);
  double most = 0;
  for (int64_t i = 0; i < e->count;) {
    double sum = 0;
    for (const int64_t end = i + e->n * parts; i < end; i += parts)
      sum += parts == 2 ? size_at(e, i) : fabs(number_at(e, i));
    if (sum > most || sum != sum) most = sum;
    if (sum != sum) break;
  }
  return most;
}

static void scale(const oyi_expm* e, int squares) {
  float* floats = (float*)(void*)e->at[0];
  double* doubles = (double*)(void*)e->at[0];
  for (int64_t i = 0; squares && i < e->count; i++)
    if (is_single(e))
      floats[i] = ldexpf(floats[i], -squares);
    else
      doubles[i] = ldexp(doubles[i], -squares);
}

static oy_status exponential(oyi_expm* e) {
  const double norm = norm_of(e);
  const int kind = is_single(e) ? 0 : 1;
  int squares = 0;
  const int degree = oyi_exp_degree_of(norm, kind, &squares);
  scale(e, squares);
  OY_TRY(oyi_exp_degrees[degree].polynomial(e));
  for (; squares > 0 && isfinite(norm_of(e)); squares--) {  // else it stays so
    OY_TRY(oyi_expm_multiply(e, 0, 0, 1));
    memcpy(e->at[0], e->at[1],
           (size_t)e->count * oyi_dtype_bytes[e->dtype] / (size_t)parts_of(e->dtype));
  }
  return OY_OK;
}

// ------------------------------------------------------------------------ all of them

typedef struct batch {
  oyi_tensor* t;
  oyi_gemm_fn gemm;
} batch;

// Matrices of |t|, one after the other.
static oy_status compute(const batch* b, int64_t count, char* x) {
  const oyi_tensor* t = b->t;
  oyi_expm e = {.n = oyi_rows(t), .dtype = t->header.dtype, .gemm = b->gemm};
  const size_t size = (size_t)(e.n * e.n) * oyi_dtype_bytes[e.dtype];
  void* block = NULL;
  char* room = oyi_data_alloc((OYI_EXP_MATRICES - 1) * size, &block);
  if (!room) return OY_OUT_OF_MEMORY;
  e.count = e.n * e.n * parts_of(e.dtype);
  e.shares = oyi_matrix_count(t) == 1;
  for (int i = 1; i < OYI_EXP_MATRICES; i++) e.at[i] = room + (size_t)(i - 1) * size;
  oy_status status = OY_OK;
  for (int64_t i = 0; i < count && status == OY_OK; i++, x += size) {
    e.at[0] = x;
    status = exponential(&e);
  }
  oyi_data_free(block, room);
  return status;
}

static oy_status compute_rest(void* context, double* x) {
  return compute(context, 1, (char*)x);
}

static oy_status run(int64_t begin, int64_t end, void* context) {
  const batch* b = context;
  const oy_dtype dtype = b->t->header.dtype;
  const int64_t n = oyi_rows(b->t), count = end - begin;
  char* x = oyi_matrix_at(b->t, begin);
  if (n > OYI_EXP_SMALL || (dtype != OY_DTYPE_F64 && dtype != OY_DTYPE_C128))
    return compute(b, count, x);
  return oyi_exp_small(n, dtype == OY_DTYPE_C128, count, (double*)(void*)x, compute_rest,
                       context);
}

// Squares lose digits, which matrices that take no time keep in double.
static oy_dtype dtype_of_work(const oyi_tensor* t) {
  const bool is_complex = oy_dtype_is_complex(t->header.dtype);
  if (oyi_rows(t) <= OYI_EXP_SMALL) return is_complex ? OY_DTYPE_C128 : OY_DTYPE_F64;
  const bool small = t->header.dtype == OY_DTYPE_F16 || t->header.dtype == OY_DTYPE_BF16;
  return small ? OY_DTYPE_F32 : t->header.dtype;
}

LINALG(linalg_matrix_exp) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  // Small floats are welcome here.
  bool small = self->dtype == OY_DTYPE_F16 || self->dtype == OY_DTYPE_BF16;
  if ((!small || t->ndim < 2 || oyi_rows(t) != oyi_columns(t)) &&
      !oyi_check_square(self, "linalg.matrix_exp"))
    return NULL;
  oyi_tensor* work =
      oyi_matrices_new(t, oyi_rows(t), oyi_columns(t), dtype_of_work(t), false);
  if (!work || oyi_is_meta(work) || work->numel == 0)
    return oyi_batch_done(work, self->dtype);
  if (oyi_check_data(t) != OY_OK) {
    oy_tensor_release(&work->header);
    return NULL;
  }
  oyi_convert(work, t);
  const oy_dtype dtype = work->header.dtype;
  batch b = {work, lapack == &oyi_lapack_portable ? oyi_gemm_portable(dtype)
                                                  : oyi_openblas_gemm(dtype)};
  const oy_status status = oyi_matrix_count(work) == 1
                               ? run(0, 1, &b)
                               : oyi_matrices_each(work, 8 * oyi_rows(work), run, &b);
  if (status == OY_OK) return oyi_batch_done(work, self->dtype);
  oy_tensor_release(&work->header);
  return NULL;
}
