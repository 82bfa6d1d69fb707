// SPDX-License-Identifier: Apache-2.0
// Least squares by QR with column pivoting (LAPACK's gelsy), or as linalg_lstsq_left.c has them,
// where a library has it. What neither takes is composed, as without a library.
#include "backends/cpu/linalg/linalg_lstsq.h"

#include "backends/cpu/staging.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/out_form.h"
#include "tensor/iterator.h"

OYI_RESULT_linalg_lstsq oyi_openblas_linalg_lstsq(const oy_op*, oy_keyset,
                                                  OYI_PARAMS_linalg_lstsq);

static bool is_named(oy_value driver, const char* name) {
  return driver.tag != OY_TAG_NONE &&
         oy_str_equal((oy_str){driver.as.chars, driver.count}, oy_str_of(name));
}

// Whether |b| has a right side for each matrix of |a|, without broadcasting. Anything else,
// and what is wrong, is left to the composition.
static bool are_plain(const oyi_tensor* a, const oyi_tensor* b) {
  return a->ndim >= 2 && b->ndim == a->ndim && a->numel > 0 && b->numel > 0 &&
         a->header.dtype == b->header.dtype && oyi_rows(a) == oyi_rows(b) &&
         memcmp(a->sizes, b->sizes, (a->ndim - 2u) * sizeof(int64_t)) == 0;
}

typedef struct lstsq_run {
  const oyi_lapack* lapack;
  oyi_tensor *a, *x, *rank;
  double rcond;
} lstsq_run;

static oy_status solve_some(int64_t begin, int64_t end, void* context) {
  const lstsq_run* r = context;
  for (int64_t i = begin; i < end; i++) {
    int32_t rank = 0;
    OY_TRY(oyi_check_info(r->lapack->least_squares(
        r->a->header.dtype, oyi_rows(r->a), oyi_columns(r->a), oyi_columns(r->x),
        oyi_matrix_at(r->a, i), oyi_matrix_at(r->x, i), r->rcond, &rank)));
    ((int64_t*)oyi_data(r->rank))[i] = rank;
  }
  return OY_OK;
}

oyi_tensor* oyi_lstsq_right_side(const oyi_tensor* b, int64_t rows) {
  const oy_dtype dtype = b->header.dtype;
  if (rows <= oyi_rows(b)) return oyi_matrices_copy(b, dtype);
  oyi_tensor* room = oyi_matrices_new(b, rows, oyi_columns(b), dtype, true);
  oyi_tensor* part =
      room ? oyi_tensor_slice(room, room->ndim - 2u, 0, oyi_rows(b), 1) : NULL;
  if (part) {
    memset(oyi_data(room), 0, (size_t)(room->numel * oyi_item(room)));
    oyi_convert(part, b);
  } else if (room) {
    oy_tensor_release(&room->header);
  }
  oy_tensor_release(oyi_tensor_object(part));
  return part ? room : NULL;
}

double oyi_lstsq_limit(const oyi_tensor* a, oy_value rcond) {
  const int64_t m = oyi_rows(a), n = oyi_columns(a);
  const bool is_double = oyi_real_dtype(a->header.dtype) == OY_DTYPE_F64;
  return rcond.tag != OY_TAG_NONE ? rcond.as.d
                                  : (is_double ? 2.220446049250313e-16 : 1.1920929e-07) *
                                        (double)(m > n ? m : n);
}

static oy_status by_qr(const oyi_tensor* a, const oyi_tensor* b, oy_value rcond,
                       oy_object* made[4]) {
  const oy_dtype dtype = a->header.dtype, real = oyi_real_dtype(dtype);
  const int64_t m = oyi_rows(a), n = oyi_columns(a), most = m > n ? m : n;
  lstsq_run run = {.lapack = oyi_lapack_openblas(),
                   .a = oyi_matrices_copy(a, dtype),
                   .x = oyi_lstsq_right_side(b, most),
                   .rank = oyi_batch_new(a, OY_DTYPE_I64),
                   .rcond = oyi_lstsq_limit(a, rcond)};
  oy_status status = run.a && run.x && run.rank
                         ? oyi_matrices_each(run.a, 4 * oyi_least(m, n), solve_some, &run)
                         : oy_failure();
  made[0] = status == 0
                ? oyi_tensor_object(oyi_tensor_slice(run.x, run.x->ndim - 2u, 0, n, 1))
                : NULL;
  made[1] = oyi_tensor_object(oyi_nothing_new(a, real));
  made[2] = oyi_tensor_object(run.rank);
  made[3] = oyi_tensor_object(oyi_nothing_new(a, real));
  oy_tensor_release(oyi_tensor_object(run.a));
  oy_tensor_release(oyi_tensor_object(run.x));
  return status;
}

// --------------------------------------------------------------------------- operators

// Whether a library is there for these; |columns| has right sides as columns.
static bool is_for_library(const oyi_tensor* a, const oyi_tensor* columns) {
  return oyi_lapack_openblas()->least_squares && are_plain(a, columns) &&
         oyi_check_data(a) == 0 && oyi_check_data(columns) == 0;
}

// By the way that |driver| names. |composed|: there is none, and nothing was made.
static oy_status by_driver(const oyi_tensor* a, const oyi_tensor* b, oy_value rcond,
                           oy_value driver, oy_object* made[4], bool* composed) {
  *composed = false;
  if (driver.tag == OY_TAG_NONE || is_named(driver, "gelsy"))
    return by_qr(a, b, rcond, made);
  const bool by_values = is_named(driver, "gelsd") || is_named(driver, "gelss");
  if (by_values || is_named(driver, "gels"))
    return oyi_lstsq_with_left(a, b, rcond, by_values, made, composed);
  *composed = true;
  return OY_OK;
}

OYI_TYPED_KERNEL(linalg_lstsq, oyi_openblas_linalg_lstsq) {
  const oyi_tensor *a = oyi_tensor_of(self), *right = a ? oyi_tensor_of(b) : NULL;
  *out_solution = *out_residuals = *out_rank = *out_singular_values = NULL;
  if (!right) return oy_failure();
  const bool vectors = right->ndim + 1 == a->ndim;
  oy_object* columns = vectors ? oyi_call_unsqueeze(b, -1) : oy_tensor_retain(b);
  if (!columns) return oy_failure();
  oy_object* made[4] = {NULL};
  oy_status status = OY_OK;
  bool composed = !is_for_library(a, oyi_tensor_cast(columns));
  if (!composed)
    status = by_driver(a, oyi_tensor_cast(columns), rcond, driver, made, &composed);
  oy_tensor_release(columns);
  if (composed) return oy_composite_linalg_lstsq(op, keys, OYI_ARGS_linalg_lstsq);
  oy_object* x = made[0];
  if (x && vectors) made[0] = oyi_call_squeeze_dim(x, -1);
  if (x && vectors) oy_tensor_release(x);
  oy_object** results[] = {out_solution, out_residuals, out_rank, out_singular_values};
  return oyi_give_results(status, 4, made, results);
}

// ------------------------------------------------------------------ into given tensors

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
  static const char* const names[] = {"solution", "residuals", "rank", "singular_values"};
  if (make_room(solution, x, m > n ? m : n, x->ndim < a->ndim) == 0)
    return oyi_into_castable_outs(OY_OK, outs, made, 4, "torch.linalg.lstsq", names);
  for (int k = 0; k < 4; k++) oy_tensor_release(made[k]);
  return oy_failure();
}
