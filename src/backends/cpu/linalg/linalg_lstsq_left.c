// SPDX-License-Identifier: Apache-2.0
// Least squares that say what is left, by a library: of full rank by QR without exchanges (driver
// gels), or by singular values (LAPACK's gelsd, for gelss too).
#include "backends/cpu/linalg/linalg_lstsq.h"

// |a| is by columns what is taken apart: A, or for QR A^H if that has more rows. Of what is not
// given there is no element.
typedef struct left_run {
  const oyi_lapack* lapack;
  oyi_tensor *a, *x, *left, *rank, *values;
  double rcond;
  bool turned;
  _Atomic bool lacks_rank, composed;  // some matrix does, or is for the composition
} left_run;

static bool is_double(const oyi_tensor* t) {
  return oyi_real_dtype(t->header.dtype) == OY_DTYPE_F64;
}
static double part_at(const oyi_tensor* t, const void* data, int64_t i) {
  return is_double(t) ? ((const double*)data)[i] : ((const float*)data)[i];
}
static int64_t parts_of(const oyi_tensor* t) {
  return oy_dtype_is_complex(t->header.dtype) ? 2 : 1;
}

// The squares of what is left of a column, from row |from| on.
static double squares_of(const oyi_tensor* x, int64_t i, int64_t column, int64_t from) {
  const int64_t rows = oyi_rows(x), parts = parts_of(x);
  const void* all = oyi_matrix_at(x, i);
  double sum = 0;
  for (int64_t k = (column * rows + from) * parts; k < (column + 1) * rows * parts; k++)
    sum += part_at(x, all, k) * part_at(x, all, k);
  return sum;
}

static void write_left(const left_run* r, int64_t i) {
  const int64_t columns = oyi_columns(r->x);
  for (int64_t j = 0; r->left->numel > 0 && j < columns; j++) {
    const double sum = squares_of(r->x, i, j, oyi_columns(r->a));
    if (is_double(r->left))
      ((double*)oyi_data(r->left))[i * columns + j] = sum;
    else
      ((float*)oyi_data(r->left))[i * columns + j] = (float)sum;
  }
}

static oy_status solve_full(int64_t begin, int64_t end, void* context) {
  left_run* r = context;
  for (int64_t i = begin; i < end && !r->composed; i++) {
    bool full = false;
    OY_TRY(oyi_check_info(r->lapack->full_rank_squares(
        r->a->header.dtype, r->turned, oyi_rows(r->a), oyi_columns(r->a),
        oyi_columns(r->x), oyi_matrix_at(r->a, i), oyi_matrix_at(r->x, i), r->rcond,
        &full)));
    if (!full) r->composed = true;
    if (full) write_left(r, i);
  }
  return OY_OK;
}

static bool is_finite(const oyi_tensor* t, int64_t i) {
  const int64_t count = oyi_rows(t) * oyi_columns(t) * parts_of(t);
  const void* data = oyi_matrix_at(t, i);
  double sum = 0;
  for (int64_t k = 0; k < count; k++) sum += 0 * part_at(t, data, k);
  return sum == 0;
}

static oy_status solve_by_values(int64_t begin, int64_t end, void* context) {
  left_run* r = context;
  const int64_t n = oyi_columns(r->a);
  for (int64_t i = begin; i < end && !r->composed; i++) {
    int32_t rank = 0, info = 0;
    r->composed = !is_finite(r->a, i);
    if (!r->composed)
      info = r->lapack->squares_by_values(r->a->header.dtype, oyi_rows(r->a), n,
                                          oyi_columns(r->x), oyi_matrix_at(r->a, i),
                                          oyi_matrix_at(r->x, i),
                                          oyi_row_at(r->values, i), r->rcond, &rank);
    OY_TRY(oyi_check_info(info));
    if (info > 0) r->composed = true;  // no values were found
    if (rank < n) r->lacks_rank = true;
    ((int64_t*)oyi_data(r->rank))[i] = rank;
    write_left(r, i);
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

static left_run begin_run(const oyi_tensor* a, const oyi_tensor* b, oy_value rcond,
                          bool by_values) {
  const oy_dtype dtype = a->header.dtype, real = oyi_real_dtype(dtype);
  const int64_t m = oyi_rows(a), n = oyi_columns(a), least = oyi_least(m, n);
  const bool turned = m < n && !by_values;
  return (left_run){
      .lapack = oyi_lapack_openblas(),
      .a = turned ? turned_copy(a) : oyi_matrices_copy(a, dtype),
      .x = oyi_lstsq_right_side(b, m > n ? m : n),
      .left =
          m > n ? oyi_batch_rows_new(a, oyi_columns(b), real) : oyi_nothing_new(a, real),
      .rank =
          by_values ? oyi_batch_new(a, OY_DTYPE_I64) : oyi_nothing_new(a, OY_DTYPE_I64),
      .values = by_values ? oyi_batch_rows_new(a, least, real) : oyi_nothing_new(a, real),
      .rcond = oyi_lstsq_limit(a, rcond),
      .turned = turned};
}

oy_status oyi_lstsq_with_left(const oyi_tensor* a, const oyi_tensor* b, oy_value rcond,
                              bool by_values, oy_object* made[4], bool* composed) {
  left_run run = begin_run(a, b, rcond, by_values);
  const int64_t times = (by_values ? 16 : 4) * oyi_least(oyi_rows(a), oyi_columns(a));
  const bool is_there = run.a && run.x && run.left && run.rank && run.values;
  const oy_status status =
      is_there ? oyi_matrices_each(run.a, times, by_values ? solve_by_values : solve_full,
                                   &run)
               : oy_failure();
  *composed = status == 0 && run.composed;
  const bool all = is_there && status == 0 && !run.composed;
  if (all && run.lacks_rank) {
    oy_tensor_release(&run.left->header);
    run.left = oyi_nothing_new(a, oyi_real_dtype(a->header.dtype));
  }
  oyi_tensor* x =
      all ? oyi_tensor_slice(run.x, run.x->ndim - 2u, 0, oyi_columns(a), 1) : NULL;
  oyi_tensor* const parts[] = {x, run.left, run.rank, run.values};
  for (int i = 0; i < 4; i++) made[i] = oyi_tensor_object(parts[i]);
  for (int i = 1; i < 4 && !all; i++) oy_tensor_release(made[i]), made[i] = NULL;
  oy_tensor_release(oyi_tensor_object(run.a));
  oy_tensor_release(oyi_tensor_object(run.x));
  return status;
}
