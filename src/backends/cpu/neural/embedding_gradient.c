// SPDX-License-Identifier: Apache-2.0
// embedding_dense_backward, and rows of a table brought down to a norm.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/add_rows.h"
#include "backends/cpu/work.h"
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"

// What rows are added up in.
static oy_dtype wide_dtype(oy_dtype dtype) {
  if (oy_dtype_is_complex(dtype))
    return dtype == OY_DTYPE_C128 ? OY_DTYPE_C128 : OY_DTYPE_C64;
  if (oy_dtype_is_floating(dtype))
    return dtype == OY_DTYPE_F64 ? OY_DTYPE_F64 : OY_DTYPE_F32;
  return OY_DTYPE_I64;
}

// 1 / the number of times that each index occurs.
static double* frequencies(const oyi_add_rows* a) {
  int64_t* counts = oyi_calloc((size_t)a->rows + 1, sizeof(int64_t));
  double* scale = counts ? oyi_calloc((size_t)a->count + 1, sizeof(double)) : NULL;
  for (int64_t i = 0; scale && i < a->count; i++)
    if (a->index[i] != a->skipped) counts[a->index[i]]++;
  for (int64_t i = 0; scale && i < a->count; i++)
    if (a->index[i] != a->skipped) scale[i] = 1 / (double)counts[a->index[i]];
  oyi_free(counts);
  return scale;
}

// What is skipped need not be a row.
static oy_status check_rows(const oyi_add_rows* a) {
  for (int64_t i = 0; i < a->count; i++)
    if (a->index[i] != a->skipped) OY_TRY(oyi_add_rows_check(a->index + i, 1, a->rows));
  return OY_OK;
}

static oy_status add_up(oyi_tensor* out, const oyi_tensor* grad,
                        const oyi_tensor* indices, int64_t padding, bool by_frequency) {
  oyi_work w = oyi_work_begin(wide_dtype(grad->header.dtype));
  oyi_add_rows a = {.dtype = w.dtype,
                    .rows = out->sizes[0],
                    .columns = out->sizes[1],
                    .count = indices->numel,
                    .skipped = padding};
  a.index = oyi_work_read_as(&w, indices, OY_DTYPE_I64);
  a.from = oyi_work_read(&w, grad);
  a.to = oyi_work_write(&w, out);
  double* scale = NULL;
  oy_status status = w.failed ? OY_OK : check_rows(&a);
  if (!w.failed && status == OY_OK && by_frequency) {
    a.scale = scale = frequencies(&a);
    if (!scale) status = oy_failure();
  }
  if (!w.failed && status == OY_OK) status = oyi_add_rows_run(&a);
  oyi_free(scale);
  return oyi_work_end(&w, status);
}

OYI_CPU(embedding_dense_backward) {
  const oyi_tensor* grad = oyi_tensor_of(grad_output);
  const oyi_tensor* index = grad ? oyi_tensor_of(indices) : NULL;
  if (!index ||
      oyi_check_index_dtype(&index->header, 2, "indices", "embedding_backward") != 0 ||
      oyi_check_same_device(grad, index) != 0)
    return NULL;
  const int64_t columns = grad->ndim ? grad->sizes[grad->ndim - 1] : 1;
  if (num_weights < 0 || (__int128)index->numel * columns != grad->numel) {
    OY_FAIL(INVALID_ARGUMENT, "shape '%s' is invalid for input of size %lld",
            oyi_dims_print(OY_DIMS(index->numel, columns)).text, (long long)grad->numel);
    return NULL;
  }
  oyi_tensor* out = oyi_tensor_new(OY_DIMS(num_weights, columns), grad->header.dtype,
                                   oyi_tensor_device(grad));
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  if (add_up(out, grad, index, padding_idx, scale_grad_by_freq) == OY_OK)
    return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

// -------------------------------------------------------------- embedding_renorm_

// A row that occurs more than once is in bounds after the first time.
static oy_status renorm_rows(oy_object* self, const int64_t* index, int64_t count,
                             double max_norm, double norm_type) {
  for (int64_t i = 0; i < count; i++) {
    oy_object* row = oyi_call_select_int(self, 0, index[i]);
    oy_object* norm = row ? oyi_call_norm_Scalar(row, oy_float(norm_type)) : NULL;
    oy_scalar length = oy_float(0);
    oy_status status = norm ? oy_tensor_get(norm, oy_dims_none(), &length) : OY_OK;
    const bool is_long = norm && status == OY_OK && length.as.d > max_norm;
    if (is_long && !oyi_call_mul__Scalar(row, oy_float(max_norm / (length.as.d + 1e-7))))
      status = oy_failure();
    if (!norm) status = oy_failure();
    oy_tensor_release(norm);
    oy_tensor_release(row);
    OY_TRY(status);
  }
  return OY_OK;
}

OYI_CPU(embedding_renorm_) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* index = t ? oyi_tensor_of(indices) : NULL;
  if (!index) return NULL;
  if (t->ndim != 2) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected 2-dimensional tensor, but got %u-dimensional tensor for argument "
            "#1 'self' (while checking arguments for embedding_renorm_)",
            t->ndim);
    return NULL;
  }
  if (oyi_check_index_dtype(&index->header, 2, "indices", "embedding_renorm_") != 0)
    return NULL;
  if (oyi_is_meta(t) || oyi_is_meta(index)) return self;
  if (!oy_dtype_is_floating(self->dtype)) {
    (void)!oyi_not_implemented("embedding_renorm_", self->dtype);
    return NULL;
  }
  oyi_work w = oyi_work_begin(OY_DTYPE_I64);
  const int64_t* at = oyi_work_read(&w, index);
  oy_status status = w.failed ? OY_OK : oyi_add_rows_check(at, index->numel, t->sizes[0]);
  if (!w.failed && status == OY_OK)
    status = renorm_rows(self, at, index->numel, max_norm, norm_type);
  return oyi_work_end(&w, status) == OY_OK ? self : NULL;
}
