// SPDX-License-Identifier: Apache-2.0
// The gradients of _cdist_forward and _pdist_forward. Computed in double, rounded once.
#include <math.h>
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/rules/rules.h"

// Adds the gradient of a distance |length| for the first of two rows: |g| times its
// slope. Distances of 0 have none.
static void add_slope(const double* a, const double* b, int64_t n, double p, double g,
                      double length, double* to) {
  if (length == 0 || p == 0) return;
  for (int64_t i = 0; i < n; i++) {
    const double d = a[i] - b[i], size = fabs(d), sign = (d > 0) - (d < 0);
    if (p == 1)
      to[i] += g * sign;
    else if (p == 2)
      to[i] += g * d / length;
    else if (isinf(p))
      to[i] += g * sign * (size == length);
    else if (d != 0)
      to[i] += g * sign * pow(size / length, p - 1);
  }
}

typedef struct job {
  const double *grad, *a, *b, *lengths;
  double* to;
  int64_t a_rows, b_rows, columns;
  double p;
} job;

// One row of x1 against all rows of x2 in its batch.
static oy_status one_row(int64_t row, void* context) {
  const job* j = context;
  const double* other = j->b + row / j->a_rows * j->b_rows * j->columns;
  double* to = j->to + row * j->columns;
  memset(to, 0, (size_t)j->columns * sizeof(double));
  for (int64_t k = 0; k < j->b_rows; k++)
    add_slope(j->a + row * j->columns, other + k * j->columns, j->columns, j->p,
              j->grad[row * j->b_rows + k], j->lengths[row * j->b_rows + k], to);
  return OY_OK;
}

static oy_status check(const oyi_tensor* const all[4], double p) {
  for (int i = 0; i < 4; i++) {
    OY_CHECK(oy_dtype_is_floating(all[i]->header.dtype), NOT_IMPLEMENTED,
             "\"cdist_backward\" not implemented for '%s'",
             oy_dtype_pytorch_name(all[i]->header.dtype));
    OY_TRY(oyi_check_same_device(all[0], all[i]));
  }
  const oyi_tensor *grad = all[0], *a = all[1], *b = all[2];
  OY_CHECK(a->ndim >= 2 && b->ndim >= 2 && grad->ndim >= 2, INVALID_ARGUMENT,
           "_cdist_backward: expected tensors of at least 2 dimensions");
  OY_CHECK(a->sizes[a->ndim - 1] == b->sizes[b->ndim - 1], INVALID_ARGUMENT,
           "X1 and X2 must have the same number of columns. X1: %lld X2: %lld",
           (long long)a->sizes[a->ndim - 1], (long long)b->sizes[b->ndim - 1]);
  OY_CHECK(p >= 0, INVALID_ARGUMENT, "cdist only supports non-negative p values");
  return OY_OK;
}

// |sizes| becomes the shape of x1 in all batches.
static oy_status rule(const oyi_tensor* const all[4], double p, int64_t* sizes,
                      size_t* ndim) {
  OY_TRY(check(all, p));
  const oyi_tensor *grad = all[0], *a = all[1], *b = all[2];
  OY_TRY(oyi_broadcast((oy_ints){a->sizes, a->ndim - 2u},
                       (oy_ints){b->sizes, b->ndim - 2u}, sizes, ndim));
  sizes[(*ndim)++] = a->sizes[a->ndim - 2];
  sizes[(*ndim)++] = b->sizes[b->ndim - 2];
  for (int i = 0; i < 4; i += 3)
    OY_CHECK(oyi_same_sizes(oyi_sizes_view(all[i]), (oy_ints){sizes, *ndim}),
             INVALID_ARGUMENT, "_cdist_backward: expected %s of size %s, got %s",
             i == 0 ? "grad" : "cdist", oyi_dims_print((oy_ints){sizes, *ndim}).text,
             oyi_dims_print(oyi_sizes_view(all[i])).text);
  OY_CHECK(grad->header.dtype == a->header.dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(a->header.dtype),
           oy_dtype_pytorch_name(grad->header.dtype));
  sizes[*ndim - 1] = a->sizes[a->ndim - 1];
  return OY_OK;
}

static oy_status compute(oyi_tensor* out, const oyi_tensor* const all[4], double p) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  const size_t ndim = out->ndim;
  memcpy(sizes, out->sizes, ndim * sizeof(int64_t));
  const int64_t rows_b = all[2]->sizes[all[2]->ndim - 2];
  oy_object* a = oy_tensor_expand(&all[1]->header, (oy_ints){sizes, ndim});
  sizes[ndim - 2] = rows_b;
  oy_object* b = a ? oy_tensor_expand(&all[2]->header, (oy_ints){sizes, ndim}) : NULL;
  oyi_work w = oyi_work_begin(OY_DTYPE_F64);
  w.failed = !b;
  job j = {.a_rows = out->sizes[ndim - 2],
           .b_rows = rows_b,
           .columns = out->sizes[ndim - 1],
           .p = p};
  if (b) {
    j.grad = oyi_work_read(&w, all[0]);
    j.a = oyi_work_read(&w, oyi_tensor_cast(a));
    j.b = oyi_work_read(&w, oyi_tensor_cast(b));
    j.lengths = oyi_work_read(&w, all[3]);
    j.to = oyi_work_write(&w, out);
  }
  oy_status status = OY_OK;
  if (!w.failed) status = oyi_parallel_chunks(out->numel / j.columns, one_row, &j);
  status = oyi_work_end(&w, status);
  oy_tensor_release(a);
  oy_tensor_release(b);
  return status;
}

OYI_CPU(_cdist_backward) {
  oy_object* const given[4] = {grad, x1, x2, cdist};
  const oyi_tensor* all[4];
  int64_t sizes[OY_TENSOR_MAX_DIMS + 2];
  size_t ndim;
  for (int i = 0; i < 4; i++)
    if (!(all[i] = oyi_tensor_of(given[i]))) return NULL;
  if (rule(all, p, sizes, &ndim) != 0) return NULL;
  oyi_tensor* out =
      oyi_tensor_new((oy_ints){sizes, ndim}, x1->dtype, oyi_tensor_device(all[1]));
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  if (compute(out, all, p) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

// ------------------------------------------------------------------------- pdist

static oy_status check_pdist(const oyi_tensor* const all[3]) {
  const oyi_tensor* t = all[1];
  for (int i = 0; i < 3; i++)
    OY_CHECK(oy_dtype_is_floating(all[i]->header.dtype), NOT_IMPLEMENTED,
             "\"pdist_backward\" not implemented for '%s'",
             oy_dtype_pytorch_name(all[i]->header.dtype));
  OY_CHECK(t->ndim == 2, INVALID_ARGUMENT,
           "_pdist_backward: expected a matrix, got a tensor of size %s",
           oyi_dims_print(oyi_sizes_view(t)).text);
  const __int128 pairs = (__int128)t->sizes[0] * (t->sizes[0] - 1) / 2;
  for (int i = 0; i < 3; i += 2)
    OY_CHECK(all[i]->numel == pairs, INVALID_ARGUMENT,
             "_pdist_backward: expected %s to have an element for each pair of rows, got "
             "%s",
             i == 0 ? "grad" : "pdist", oyi_dims_print(oyi_sizes_view(all[i])).text);
  return OY_OK;
}

static oy_status compute_pdist(oyi_tensor* out, const oyi_tensor* const all[3],
                               double p) {
  oyi_work w = oyi_work_begin(OY_DTYPE_F64);
  const double* grad = oyi_work_read(&w, all[0]);
  const double* rows = oyi_work_read(&w, all[1]);
  const double* lengths = oyi_work_read(&w, all[2]);
  double* to = oyi_work_write(&w, out);
  const int64_t n = out->sizes[0], m = out->sizes[1];
  if (!w.failed) {
    memset(to, 0, (size_t)out->numel * sizeof(double));
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
      for (int64_t k = i + 1; k < n; k++, at++) {
        add_slope(rows + i * m, rows + k * m, m, p, grad[at], lengths[at], to + i * m);
        add_slope(rows + k * m, rows + i * m, m, p, grad[at], lengths[at], to + k * m);
      }
  }
  return oyi_work_end(&w, OY_OK);
}

OYI_CPU(_pdist_backward) {
  oy_object* const given[3] = {grad, self, pdist};
  const oyi_tensor* all[3];
  for (int i = 0; i < 3; i++)
    if (!(all[i] = oyi_tensor_of(given[i]))) return NULL;
  if (check_pdist(all) != 0) return NULL;
  oyi_tensor* out =
      oyi_tensor_new(oyi_sizes_view(all[1]), self->dtype, oyi_tensor_device(all[1]));
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  if (compute_pdist(out, all, p) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}
