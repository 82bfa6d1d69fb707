// SPDX-License-Identifier: Apache-2.0
// LU and Cholesky factorisations.
#include "backends/cpu/linalg/linalg.h"

#include <complex.h>
#include <math.h>

#include "backends/cpu/linalg/linalg_small.h"
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/out_form.h"

void oyi_lu_drop(oyi_lu* lu) {
  oyi_tensor* const all[] = {lu->lu, lu->pivots, lu->info};
  for (int i = 0; i < 3; i++)
    if (all[i]) oy_tensor_release(&all[i]->header);
  *lu = (oyi_lu){0};
}

typedef struct factor_run {
  const oyi_lapack* lapack;
  const oyi_lu* lu;
} factor_run;

static oy_status lu_some(int64_t begin, int64_t end, void* context) {
  const factor_run* r = context;
  oyi_tensor* a = r->lu->lu;
  const oy_dtype dtype = a->header.dtype;
  const int64_t m = oyi_rows(a), n = oyi_columns(a);
  const bool is_small = oyi_linalg_is_small(dtype, m) && oyi_linalg_is_small(dtype, n);
  int32_t* info = oyi_data(r->lu->info);
  const bool needs_all = !is_small || m == 0 || n == 0;
  if (!needs_all)
    oyi_small_lu(dtype, m, n, end - begin, oyi_matrix_at(a, begin),
                 oyi_row_at(r->lu->pivots, begin), info + begin);
  for (int64_t i = begin; i < end; i++) {
    if (!needs_all && info[i] == 0) continue;
    info[i] =
        r->lapack->lu(dtype, m, n, oyi_matrix_at(a, i), oyi_row_at(r->lu->pivots, i));
    OY_TRY(oyi_check_info(info[i]));
  }
  return OY_OK;
}

// |lu| is in what |lapack| computes, which may not be the dtype of |a|.
oy_status oyi_lu_make(const oyi_lapack* lapack, oy_object* a, oyi_lu* out) {
  const oyi_tensor* t = oyi_tensor_cast(a);
  int64_t least = oyi_least(oyi_rows(t), oyi_columns(t));
  *out =
      (oyi_lu){oyi_matrices_work(lapack, a), oyi_batch_rows_new(t, least, OY_DTYPE_I32),
               oyi_batch_new(t, OY_DTYPE_I32)};
  oy_status status = out->lu && out->pivots && out->info ? OY_OK : oy_failure();
  factor_run run = {lapack, out};
  if (status == 0 && !oyi_is_meta(t))
    status = oyi_matrices_each(out->lu, least, lu_some, &run);
  if (status != 0) oyi_lu_drop(out);
  return status;
}

// The factor as |dtype|; the other two stay the caller's.
static oy_object* take_factor(oyi_lu* lu, oy_dtype dtype) {
  oyi_tensor* work = lu->lu;
  lu->lu = NULL;
  return oyi_matrices_done(work, dtype);
}

LINALG(linalg_lu_factor_ex) {
  *out_LU = *out_pivots = *out_info = NULL;
  const oyi_tensor* t = oyi_tensor_of(A);
  if (!t) return oy_failure();
  OY_CHECK(
      t->ndim >= 2, INVALID_ARGUMENT,
      "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: %s instead",
      oyi_dims_print(oyi_sizes_view(t)).text);
  if (!oyi_check_matrix(A, "linalg.lu_factor")) return oy_failure();
  OY_CHECK(pivot || oyi_is_meta(t), NOT_IMPLEMENTED,
           "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
  oyi_lu lu;
  OY_TRY(oyi_lu_make(lapack, A, &lu));
  oy_status status = OY_OK;
  if (check_errors)
    status = oyi_linalg_check(&lu.info->header, "torch.linalg.lu_factor", t->ndim == 2);
  oy_object* factor = take_factor(&lu, A->dtype);
  oy_object* made[] = {factor, &lu.pivots->header, &lu.info->header};
  oy_object** results[] = {out_LU, out_pivots, out_info};
  return oyi_give_results(status, 3, made, results);
}
LINALG(linalg_lu_factor_ex_out) {
  oy_object *made[3], *outs[] = {LU, pivots, info};
  *out_LU = LU, *out_pivots = pivots, *out_info = info;
  return oyi_into_outs(linalg_linalg_lu_factor_ex(lapack, A, pivot, check_errors,
                                                  &made[0], &made[1], &made[2]),
                       outs, made, 3);
}

// ------------------------------------------------------------------- unpacking

// 1 of |dtype|, as it lies in memory.
typedef struct unit {
  double bytes[2];
} unit;
static unit unit_of(oy_dtype dtype) {
  unit one = {{0}};
  oyi_element_store(dtype, one.bytes,
                    (oyi_number){.kind = OYI_NUMBER_FLOAT, .i = 1, .re = 1});
  return one;
}

// Copies of a length that is known are moves.
static inline void put_unit(char* to, const unit* one, size_t item) {
  switch (item) {
    case 4: memcpy(to, one->bytes, 4); break;
    case 8: memcpy(to, one->bytes, 8); break;
    case 16: memcpy(to, one->bytes, 16); break;
    default: memcpy(to, one->bytes, item);
  }
}

// Copies the lower or the upper part of factors of one dtype, which may have any strides.
static oyi_tensor* part_of(oy_object* factor, bool upper, bool is_unit) {
  const oyi_tensor* t = oyi_tensor_cast(factor);
  int64_t m = oyi_rows(t), n = oyi_columns(t), k = oyi_least(m, n);
  oy_object* view =
      oyi_tensor_object(oyi_tensor_slice(t, t->ndim - (upper ? 2u : 1u), 0, k, 1));
  if (!view) return NULL;
  oyi_tensor* part = oyi_matrices_new(oyi_tensor_cast(view), upper ? k : m, upper ? n : k,
                                      factor->dtype, false);
  if (part && !oyi_is_meta(part)) {
    oyi_convert(part, oyi_tensor_cast(view));
    oyi_matrices_keep(part, upper);
    const unit one = unit_of(factor->dtype);
    const size_t item = (size_t)oyi_item(part), columns = (size_t)oyi_columns(part);
    const int64_t count = is_unit && k > 0 ? oyi_matrix_count(part) : 0;
    for (int64_t b = 0; b < count; b++) {
      char* at = oyi_matrix_at(part, b);
      for (int64_t i = 0; i < k; i++, at += (columns + 1) * item)
        put_unit(at, &one, item);
    }
  }
  oy_tensor_release(view);
  return part;
}

// The matrices that put the rows back.
static oyi_tensor* permutations(const oyi_tensor* lu, oy_object* pivots) {
  int64_t m = oyi_rows(lu), k = oyi_least(m, oyi_columns(lu));
  oyi_tensor* p = oyi_matrices_new(lu, m, m, lu->header.dtype, false);
  if (!p || oyi_is_meta(p)) return p;
  oy_object* rows = oyi_call_contiguous(pivots, OY_MEMORY_CONTIGUOUS);
  int64_t* at = rows ? oyi_calloc((size_t)m + 1, sizeof(*at)) : NULL;
  const unit one = unit_of(p->header.dtype);
  const size_t item = (size_t)oyi_item(p);
  bool valid = true;
  memset(oyi_data(p) ? oyi_data(p) : (void*)"", 0, (size_t)(p->numel * oyi_item(p)));
  const int64_t count = at ? oyi_matrix_count(lu) : 0;
  for (int64_t b = 0; b < count; b++) {
    const int32_t* pivot = oyi_row_at(oyi_tensor_cast(rows), b);
    for (int64_t i = 0; i < m; i++) at[i] = i;
    for (int64_t i = 0; i < k; i++) {
      int64_t other = pivot[i] - 1, t = at[i];
      valid = valid && other >= 0 && other < m;
      if (!valid) break;
      at[i] = at[other], at[other] = t;
    }
    char* matrix = oyi_matrix_at(p, b);
    for (int64_t i = 0; valid && i < m; i++)
      put_unit(matrix + (size_t)(at[i] * m + i) * item, &one, item);
  }
  oyi_free(at);
  oy_tensor_release(rows);
  if (at && valid) return p;
  oy_tensor_release(&p->header);
  if (at)
    OY_FAIL(INVALID_ARGUMENT,
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive. Did "
            "you properly pass the result of lu_factor?");
  return NULL;
}

LINALG(lu_unpack) {
  *out_P = *out_L = *out_U = NULL;
  const oyi_tensor* t = oyi_tensor_of(LU_data);
  const oyi_tensor* p = t ? oyi_tensor_of(LU_pivots) : NULL;
  if (!p) return oy_failure();
  OY_CHECK(
      t->ndim >= 2, INVALID_ARGUMENT,
      "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: %s instead",
      oyi_dims_print(oyi_sizes_view(t)).text);
  OY_CHECK(
      !unpack_pivots || LU_pivots->dtype == OY_DTYPE_I32, INVALID_ARGUMENT,
      "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
      "dtype.\nNote: this function is intended to be used with the output produced by "
      "torch.linalg.lu_factor");
  int64_t k = oyi_least(oyi_rows(t), oyi_columns(t));
  OY_CHECK(!unpack_pivots || (p->ndim + 1 == t->ndim && p->sizes[p->ndim - 1] == k &&
                              p->numel == oyi_matrix_count(t) * k),
           INVALID_ARGUMENT,
           "lu_unpack: expected pivots of shape LU.shape[:-2] + [%lld], got %s",
           (long long)k, oyi_dims_print(oyi_sizes_view(p)).text);
  oyi_tensor* made[3] = {
      unpack_pivots ? permutations(t, LU_pivots) : oyi_nothing_new(t, LU_data->dtype),
      unpack_data ? part_of(LU_data, false, true) : oyi_nothing_new(t, LU_data->dtype),
      unpack_data ? part_of(LU_data, true, false) : oyi_nothing_new(t, LU_data->dtype)};
  oy_object* objects[3];
  for (int i = 0; i < 3; i++) objects[i] = oyi_tensor_object(made[i]);
  oy_object** results[] = {out_P, out_L, out_U};
  return oyi_give_results(OY_OK, 3, objects, results);
}
LINALG(lu_unpack_out) {
  oy_object *made[3], *outs[] = {P, L, U};
  *out_P = P, *out_L = L, *out_U = U;
  return oyi_into_outs(linalg_lu_unpack(lapack, LU_data, LU_pivots, unpack_data,
                                        unpack_pivots, &made[0], &made[1], &made[2]),
                       outs, made, 3);
}

LINALG(linalg_lu) {
  *out_P = *out_L = *out_U = NULL;
  const oyi_tensor* t = oyi_tensor_of(A);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim >= 2, INVALID_ARGUMENT,
           "linalg.lu: Expected tensor with 2 or more dimensions. Got size: %s instead",
           oyi_dims_print(oyi_sizes_view(t)).text);
  oy_object *lu, *pivots, *info;
  OY_TRY(linalg_linalg_lu_factor_ex(lapack, A, pivot, false, &lu, &pivots, &info));
  oy_status status =
      linalg_lu_unpack(lapack, lu, pivots, true, true, out_P, out_L, out_U);
  oy_tensor_release(lu);
  oy_tensor_release(pivots);
  oy_tensor_release(info);
  return status;
}
LINALG(linalg_lu_out) {
  oy_object *made[3], *outs[] = {P, L, U};
  *out_P = P, *out_L = L, *out_U = U;
  return oyi_into_outs(linalg_linalg_lu(lapack, A, pivot, &made[0], &made[1], &made[2]),
                       outs, made, 3);
}

// --------------------------------------------------------------------- Cholesky

typedef struct cholesky_run {
  const oyi_lapack* lapack;
  oyi_tensor *work, *info;
} cholesky_run;

static oy_status cholesky_some(int64_t begin, int64_t end, void* context) {
  const cholesky_run* r = context;
  const oy_dtype dtype = r->work->header.dtype;
  const int64_t n = oyi_rows(r->work);
  int32_t* info = oyi_data(r->info);
  for (int64_t i = begin; i < end; i++) {
    info[i] = r->lapack->cholesky(dtype, n, oyi_matrix_at(r->work, i));
    OY_TRY(oyi_check_info(info[i]));
  }
  return OY_OK;
}

// The factor by columns, the other triangle zero; |info| (int32, one a matrix) is written.
static oyi_tensor* cholesky_of(const oyi_lapack* lapack, oy_object* a, bool upper,
                               oyi_tensor* info, oy_status* status) {
  // Of the upper triangle the adjoint is taken apart.
  oy_object* lower = upper ? oyi_flipped(a) : oy_tensor_retain(a);
  oyi_tensor* work = oyi_matrices_work(lapack, lower);
  oy_tensor_release(lower);
  if (work && upper) oyi_conjugate(work);
  *status = work ? OY_OK : oy_failure();
  if (!work || oyi_is_meta(work)) return work;
  cholesky_run run = {lapack, work, info};
  *status = oyi_matrices_each(work, oyi_rows(work), cholesky_some, &run);
  if (*status == 0) oyi_matrices_keep(work, false);
  return work;
}

// The factor as |dtype|, by columns.
static oy_object* cholesky_done(oyi_tensor* work, oy_dtype dtype, bool upper) {
  oy_object* factor = oyi_matrices_done(work, dtype);
  if (!factor || !upper) return factor;
  oy_object* flipped = oyi_flipped(factor);
  oyi_tensor* result =
      flipped ? oyi_matrices_copy(oyi_tensor_cast(flipped), dtype) : NULL;
  if (result) oyi_conjugate(result);
  oy_tensor_release(flipped);
  oy_tensor_release(factor);
  return oyi_tensor_object(result);
}

static oy_status cholesky(const oyi_lapack* lapack, oy_object* a, bool upper,
                          const char* checked_as, oy_object** out_factor,
                          oy_object** out_info) {
  const oyi_tensor* t = oyi_tensor_cast(a);
  oyi_tensor* info = oyi_batch_new(t, OY_DTYPE_I32);
  oy_status status = info ? OY_OK : oy_failure();
  oyi_tensor* work = info ? cholesky_of(lapack, a, upper, info, &status) : NULL;
  if (status == 0 && checked_as)
    status = oyi_linalg_check(&info->header, checked_as, t->ndim == 2);
  oy_object* made[] = {cholesky_done(work, a->dtype, upper), oyi_tensor_object(info)};
  oy_object** results[] = {out_factor, out_info};
  return oyi_give_results(status, 2, made, results);
}

LINALG(linalg_cholesky_ex) {
  *out_L = *out_info = NULL;
  if (!oyi_check_square(self, "linalg.cholesky")) return oy_failure();
  return cholesky(lapack, self, upper, check_errors ? "linalg.cholesky_ex" : NULL, out_L,
                  out_info);
}
LINALG(linalg_cholesky_ex_L) {
  oy_object *made[2], *outs[] = {L, info};
  *out_L = L, *out_info = info;
  return oyi_into_outs(
      linalg_linalg_cholesky_ex(lapack, self, upper, check_errors, &made[0], &made[1]),
      outs, made, 2);
}

LINALG(cholesky) {
  const oyi_tensor* t = oyi_check_square(self, "cholesky");
  if (!t) return NULL;
  oy_object *factor, *info;
  if (cholesky(lapack, self, upper, "cholesky", &factor, &info) != 0) return NULL;
  oy_tensor_release(info);
  return factor;
}
LINALG(cholesky_out) {
  return oyi_into_castable_out(out, linalg_cholesky(lapack, self, upper), "cholesky",
                               "result", true);
}
