// SPDX-License-Identifier: Apache-2.0
// Distances between rows. Computed in double, rounded once.
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/linalg/distance_norms.h"
#include "backends/cpu/linalg/distance_product.h"
#include "backends/cpu/staging.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// Rows of |t|, contiguous doubles, filled up with zeros to whole steps where that adds
// nothing; takes |t| over. NULL without memory, or without |t|.
static oyi_tensor* in_steps(oyi_tensor* t, double p) {
  if (!t) return NULL;
  const int64_t n = t->sizes[t->ndim - 1], width = (n + OYI_DISTANCE_STEP - 1) /
                                                   OYI_DISTANCE_STEP * OYI_DISTANCE_STEP;
  if (n == width || !oyi_distance_is_plain(p)) return t;
  const int64_t rows = t->numel / n;
  oyi_tensor* wide = oyi_tensor_new(OY_DIMS(rows, width), OY_DTYPE_F64, oy_device_cpu());
  double* to = wide ? oyi_data(wide) : NULL;
  const double* from = oyi_data(t);
  for (int64_t i = 0; wide && i < rows; i++, to += width, from += n) {
    memcpy(to, from, (size_t)n * sizeof(double));
    memset(to + n, 0, (size_t)(width - n) * sizeof(double));
  }
  oy_tensor_release(&t->header);
  return wide;
}

// |object|, contiguous and as |dtype|, expanded to |sizes|: itself, or a copy.
static oyi_tensor* as_dtype(oy_object* object, oy_ints sizes, oy_dtype dtype) {
  oy_object* wide = oy_tensor_expand(object, sizes);
  if (!wide) return NULL;
  oyi_tensor* staged = oyi_stage_in(oyi_tensor_cast(wide), dtype);
  oy_tensor_release(wide);
  return staged;
}

typedef struct distances {
  const double *a, *b;
  double* out;
  int64_t a_rows, b_rows, columns, rows, chunk;
  oyi_distance_norm by;
} distances;

static inline int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// Rows of x1 against all rows of x2 in their batch; where x2 has but one, against all of them.
static oy_status some_rows(int64_t index, void* context) {
  const distances* d = context;
  const int64_t n = d->columns, end = least((index + 1) * d->chunk, d->rows);
  for (int64_t row = index * d->chunk, next; row < end; row = next) {
    const int64_t batch = row / d->a_rows;
    const double *a = d->a + row * n, *b = d->b + batch * d->b_rows * n;
    next = d->b_rows == 1 ? least((batch + 1) * d->a_rows, end) : row + 1;
    if (d->b_rows == 1)
      oyi_distances_of(&d->by, b, a, next - row, d->out + row);
    else
      oyi_distances_of(&d->by, a, b, d->b_rows, d->out + row * d->b_rows);
  }
  return OY_OK;
}

// |a| and |b| as in_steps() left them.
static oy_status measure(oyi_tensor* out, oyi_tensor* a, oyi_tensor* b, double p) {
  oyi_tensor* found = oyi_stage_out(out, OY_DTYPE_F64);
  if (!a || !b || !found) {
    oy_tensor_release(oyi_tensor_object(found));
    return oy_failure();
  }
  distances d = {.a = oyi_data(a),
                 .b = oyi_data(b),
                 .out = oyi_data(found),
                 .a_rows = out->sizes[out->ndim - 2],
                 .b_rows = out->sizes[out->ndim - 1],
                 .columns = a->sizes[a->ndim - 1]};
  d.by = (oyi_distance_norm){p, d.columns, out->header.dtype != OY_DTYPE_F64};
  d.rows = out->numel / d.b_rows;
  d.chunk = oyi_stretch(d.b_rows * d.columns);
  return oyi_unstage(out, found,
                     oyi_parallel_chunks(oyi_stretches(d.rows, d.chunk), some_rows, &d));
}

static oy_status measure_products(oyi_tensor* out, const oyi_tensor* a,
                                  const oyi_tensor* b, oyi_gemm_fn gemm) {
  oyi_tensor* found =
      a && b ? oyi_stage_out(out, oyi_compute_dtype(a->header.dtype)) : NULL;
  if (!found) return oy_failure();
  return oyi_unstage(out, found, oyi_distance_products(found, a, b, gemm));
}

static oy_status cdist_shape(const oyi_tensor* a, const oyi_tensor* b, double p,
                             int64_t* sizes, size_t* ndim) {
  OY_CHECK(a->sizes[a->ndim - 1] == b->sizes[b->ndim - 1], INVALID_ARGUMENT,
           "X1 and X2 must have the same number of columns. X1: %lld X2: %lld",
           (long long)a->sizes[a->ndim - 1], (long long)b->sizes[b->ndim - 1]);
  OY_CHECK(p >= 0, INVALID_ARGUMENT, "cdist only supports non-negative p values");
  OY_TRY(oyi_check_same_device(a, b));
  OY_TRY(oyi_broadcast((oy_ints){a->sizes, a->ndim - 2u},
                       (oy_ints){b->sizes, b->ndim - 2u}, sizes, ndim));
  sizes[(*ndim)++] = a->sizes[a->ndim - 2];
  sizes[(*ndim)++] = b->sizes[b->ndim - 2];
  return OY_OK;
}

static oy_status check_rows(const oyi_tensor* t, const char* name) {
  OY_CHECK(t->ndim >= 2, INVALID_ARGUMENT,
           "cdist only supports at least 2D tensors, %s got: %dD", name, t->ndim);
  OY_CHECK(oy_dtype_is_floating(t->header.dtype), INVALID_ARGUMENT,
           "cdist only supports floating-point dtypes, %s got: %s", name,
           oy_dtype_pytorch_name(t->header.dtype));
  return OY_OK;
}

// |out| has elements.
static oy_status compute_cdist(oyi_tensor* out, oy_object* x1, oy_object* x2, double p,
                               oyi_distance_way by) {
  int64_t sizes[OY_TENSOR_MAX_DIMS + 2];
  const size_t ndim = out->ndim;
  memcpy(sizes, out->sizes, ndim * sizeof(*sizes));
  sizes[ndim - 1] = oyi_tensor_cast(x1)->sizes[oyi_tensor_cast(x1)->ndim - 1];
  oyi_tensor* x = as_dtype(x1, (oy_ints){sizes, ndim}, by.as);
  sizes[ndim - 2] = out->sizes[ndim - 1];
  oyi_tensor* y = x ? as_dtype(x2, (oy_ints){sizes, ndim}, by.as) : NULL;
  if (!by.product) {
    x = in_steps(x, p);
    y = in_steps(y, p);
  }
  const oy_status status =
      by.product ? measure_products(out, x, y, by.product) : measure(out, x, y, p);
  oy_tensor_release(oyi_tensor_object(x));
  oy_tensor_release(oyi_tensor_object(y));
  return status;
}

oy_object* oyi_cpu_cdist(oy_object* x1, oy_object* x2, double p, oy_value compute_mode,
                         oyi_gemm_pick pick) {
  const oyi_tensor* a = oyi_tensor_of(x1);
  const oyi_tensor* b = a ? oyi_tensor_of(x2) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS + 2];
  size_t ndim;
  if (!b) return NULL;
  if (check_rows(a, "X1") != OY_OK || check_rows(b, "X2") != OY_OK) return NULL;
  if (cdist_shape(a, b, p, sizes, &ndim) != 0) return NULL;
  oy_dtype dtype;
  if (oy_result_type((oy_object*[]){x1, x2}, 2, &dtype) != 0) return NULL;
  oyi_tensor* out = oyi_tensor_new((oy_ints){sizes, ndim}, dtype, oyi_tensor_device(a));
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  const int64_t rows = sizes[ndim - 2], others = sizes[ndim - 1];
  oyi_distance_way by = {NULL, OY_DTYPE_F64};
  if (oyi_distance_by_product(p, compute_mode, rows, others))
    by = oyi_distance_way_of(dtype, rows, others, a->sizes[a->ndim - 1], pick);
  if (compute_cdist(out, x1, x2, p, by) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

OYI_CPU(_cdist_forward) {
  return oyi_cpu_cdist(x1, x2, p, compute_mode, oyi_gemm_portable);
}

OYI_CPU(_pdist_forward) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim != 2 || !oy_dtype_is_floating(self->dtype)) {
    OY_FAIL(INVALID_ARGUMENT, "_pdist_forward requires a floating matrix, got %dD %s",
            t->ndim, oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  const int64_t n = t->sizes[0], pairs = n * (n - 1) / 2;
  oyi_tensor* out =
      oyi_tensor_new((oy_ints){&pairs, 1}, self->dtype, oyi_tensor_device(t));
  if (!out || oyi_is_meta(out) || pairs == 0) return oyi_tensor_object(out);
  oyi_tensor* rows = in_steps(oyi_converted(t, OY_DTYPE_F64), p);
  oyi_tensor* found = oyi_stage_out(out, OY_DTYPE_F64);
  oy_status status = rows && found ? OY_OK : oy_failure();
  if (status == OY_OK) {
    const int64_t width = rows->sizes[rows->ndim - 1];
    const double* x = oyi_data(rows);
    double* to = oyi_data(found);
    const oyi_distance_norm by = {p, width, out->header.dtype != OY_DTYPE_F64};
    for (int64_t i = 0; i < n; to += n - ++i)
      oyi_distances_of(&by, x + i * width, x + (i + 1) * width, n - i - 1, to);
  }
  status = oyi_unstage(out, found, status);
  oy_tensor_release(oyi_tensor_object(rows));
  if (status == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}
