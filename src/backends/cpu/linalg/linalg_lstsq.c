// SPDX-License-Identifier: Apache-2.0
// Least squares by QR, where a library has it: with column pivoting (LAPACK's gelsy), and
// without (gels) where the rank is full. What wants singular values is composed, as without a
// library.
#include "backends/cpu/linalg/linalg.h"
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

// |b| by columns, with room below for a solution that is longer.
static oyi_tensor* right_side(const oyi_tensor* b, int64_t rows) {
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

// What is nothing beside the greatest.
static double limit_of(const oyi_tensor* a, oy_value rcond) {
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
                   .x = right_side(b, most),
                   .rank = oyi_batch_new(a, OY_DTYPE_I64),
                   .rcond = limit_of(a, rcond)};
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

// ------------------------------------------------------------------------ of full rank

// |a| is by columns what QR is made of: A, or A^H if that has more rows. |left| is NULL where no
// rows are left.
typedef struct full_run {
  const oyi_lapack* lapack;
  oyi_tensor *a, *x, *left;
  double rcond;
  bool turned;
  _Atomic bool lacks_rank;
} full_run;

// The squares of what is left of a column, from row |from| on.
static double squares_of(const oyi_tensor* x, int64_t i, int64_t column, int64_t from) {
  const int64_t rows = oyi_rows(x), parts = oy_dtype_is_complex(x->header.dtype) ? 2 : 1;
  const void* all = oyi_matrix_at(x, i);
  const bool is_double = oyi_real_dtype(x->header.dtype) == OY_DTYPE_F64;
  double sum = 0;
  for (int64_t k = (column * rows + from) * parts; k < (column + 1) * rows * parts; k++) {
    const double part = is_double ? ((const double*)all)[k] : ((const float*)all)[k];
    sum += part * part;
  }
  return sum;
}

static void write_left(const full_run* r, int64_t i) {
  const int64_t columns = oyi_columns(r->x);
  for (int64_t j = 0; j < columns; j++) {
    const double sum = squares_of(r->x, i, j, oyi_columns(r->a));
    if (r->left->header.dtype == OY_DTYPE_F64)
      ((double*)oyi_data(r->left))[i * columns + j] = sum;
    else
      ((float*)oyi_data(r->left))[i * columns + j] = (float)sum;
  }
}

static oy_status solve_full(int64_t begin, int64_t end, void* context) {
  full_run* r = context;
  for (int64_t i = begin; i < end && !r->lacks_rank; i++) {
    bool full = false;
    OY_TRY(oyi_check_info(r->lapack->full_rank_squares(
        r->a->header.dtype, r->turned, oyi_rows(r->a), oyi_columns(r->a),
        oyi_columns(r->x), oyi_matrix_at(r->a, i), oyi_matrix_at(r->x, i), r->rcond,
        &full)));
    if (!full) r->lacks_rank = true;
    if (full && r->left) write_left(r, i);
  }
  return OY_OK;
}

// A copy of A^H by columns.
static oyi_tensor* turned_copy(const oyi_tensor* a) {
  oy_object* flipped = oyi_flipped((oy_object*)&a->header);
  if (!flipped) return NULL;
  oyi_tensor* made = oyi_matrices_copy(oyi_tensor_cast(flipped), a->header.dtype);
  oy_tensor_release(flipped);
  if (made) oyi_conjugate(made);
  return made;
}

// |lacks_rank|: nothing was made, as some matrix may have less than full rank.
static oy_status of_full_rank(const oyi_tensor* a, const oyi_tensor* b, oy_value rcond,
                              oy_object* made[4], bool* lacks_rank) {
  const oy_dtype real = oyi_real_dtype(a->header.dtype);
  const int64_t m = oyi_rows(a), n = oyi_columns(a);
  full_run run = {.lapack = oyi_lapack_openblas(),
                  .a = m < n ? turned_copy(a) : oyi_matrices_copy(a, a->header.dtype),
                  .x = right_side(b, m > n ? m : n),
                  .left = m > n ? oyi_batch_rows_new(a, oyi_columns(b), real) : NULL,
                  .rcond = limit_of(a, rcond),
                  .turned = m < n};
  oy_status status = run.a && run.x && (run.left || m <= n)
                         ? oyi_matrices_each(run.a, 4 * oyi_least(m, n), solve_full, &run)
                         : oy_failure();
  *lacks_rank = status == 0 && run.lacks_rank;
  if (status == 0 && !*lacks_rank) {
    made[0] = oyi_tensor_object(oyi_tensor_slice(run.x, run.x->ndim - 2u, 0, n, 1));
    made[1] = oyi_tensor_object(run.left ? run.left : oyi_nothing_new(a, real));
    made[2] = oyi_tensor_object(oyi_nothing_new(a, OY_DTYPE_I64));
    made[3] = oyi_tensor_object(oyi_nothing_new(a, real));
  } else {
    oy_tensor_release(oyi_tensor_object(run.left));
  }
  oy_tensor_release(oyi_tensor_object(run.a));
  oy_tensor_release(oyi_tensor_object(run.x));
  return status;
}

// --------------------------------------------------------------------------- operators

// Whether the way that |driver| names is there for these; |columns| has right sides as columns.
static bool is_by_library(const oyi_tensor* a, const oyi_tensor* columns,
                          oy_value driver) {
  return (driver.tag == OY_TAG_NONE || is_named(driver, "gelsy") ||
          is_named(driver, "gels")) &&
         oyi_lapack_openblas()->least_squares && are_plain(a, columns) &&
         oyi_check_data(a) == 0 && oyi_check_data(columns) == 0;
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
  bool composed = !is_by_library(a, oyi_tensor_cast(columns), driver);
  if (!composed && is_named(driver, "gels"))
    status = of_full_rank(a, oyi_tensor_cast(columns), rcond, made, &composed);
  else if (!composed)
    status = by_qr(a, oyi_tensor_cast(columns), rcond, made);
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
  if (make_room(solution, x, m > n ? m : n, x->ndim < a->ndim) == 0)
    return oyi_into_outs(OY_OK, outs, made, 4);
  for (int k = 0; k < 4; k++) oy_tensor_release(made[k]);
  return oy_failure();
}
