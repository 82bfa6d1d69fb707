// SPDX-License-Identifier: Apache-2.0
// any, all, and how many elements are not 0.
#include "backends/cpu/reduce/reduce_loops.h"
#include "backends/cpu/reduce/reduce_single.h"
#include "tensor/iterator.h"

static void truth_row(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  (void)args;
  char* x = data[0];
  const int64_t step = strides[0];
  if (step == 1)
    for (int64_t i = 0; i < n; i++) x[i] = x[i] != 0;
  else
    for (int64_t i = 0; i < n; i++, x += step) *x = *x != 0;
}

// Elements that are alone are their own results, of which a byte is neither 0 nor 1 at first.
static bool take_single(const oyi_reduction* r, oy_dtype result) {
  const bool stays = result == OY_DTYPE_U8;
  if (stays && r->in->header.dtype != OY_DTYPE_U8) return false;
  if (!oyi_reduce_single(r, OYI_SINGLE_ELEMENT)) return false;
  if (!stays) return true;
  oyi_iter it;
  const oyi_tensor* tensors[] = {r->out[0]};
  oyi_iter_plain(&it, tensors, 1);
  oyi_iter_run(&it, truth_row, NULL);
  return true;
}

// Bytes stay bytes, everything else becomes bool.
static oy_object* finish(oyi_reduction* r, oy_object* out, const oyi_fold* table,
                         const char* name) {
  oy_dtype in = r->in->header.dtype;
  oy_dtype result = in == OY_DTYPE_U8 ? OY_DTYPE_U8 : OY_DTYPE_BOOL;
  if (out) {
    if (out->dtype != OY_DTYPE_U8 && out->dtype != OY_DTYPE_BOOL) {
      OY_FAIL(TYPE_MISMATCH, "%s only supports bool tensor for result, got: %s", name,
              oy_dtype_pytorch_name(out->dtype));
      return NULL;
    }
    result = out->dtype;
  }
  const oyi_fold* reducer = oyi_fold_for(table, oyi_reduce_dtype(in), name);
  if (!reducer || oyi_reduction_output(r, out, result, OYI_OUT_EXACT) != 0) return NULL;
  if (!r->meta && !take_single(r, result)) oyi_reduce(r, reducer, NULL);
  return oyi_reduction_end(r, OY_OK);
}

static oy_object* over_dim(oy_object* self, oy_value dim, bool keepdim, oy_object* out,
                           const oyi_fold* table, const char* name) {
  oyi_reduction r;
  if (oyi_reduction_begin_dim(&r, self, dim, keepdim) != 0) return NULL;
  return finish(&r, out, table, name);
}

// An empty list of dimensions, unlike none, reduces nothing.
static oy_object* over_dims(oy_object* self, oy_ints dim, bool keepdim, oy_object* out,
                            const oyi_fold* table, const char* name) {
  oyi_reduction r;
  bool none = dim.data && dim.size == 0;
  if (oyi_reduction_begin(&r, self, dim, keepdim || none) != 0) return NULL;
  if (none) {
    r.mask = 0;
    for (size_t d = 0; d < r.ndim; d++) r.sizes[d] = r.in->sizes[d];
  }
  return finish(&r, out, table, name);
}

OYI_CPU(any) {
  return over_dim(self, oy_none(), false, NULL, oyi_any_reducers(), "any");
}
OYI_CPU(any_all_out) {
  return over_dim(self, oy_none(), false, out, oyi_any_reducers(), "any");
}
OYI_CPU(any_dim) {
  return over_dim(self, oy_int(dim), keepdim, NULL, oyi_any_reducers(), "any");
}
OYI_CPU(any_out) {
  return over_dim(self, oy_int(dim), keepdim, out, oyi_any_reducers(), "any");
}
OYI_CPU(any_dims) {
  return over_dims(self, dim, keepdim, NULL, oyi_any_reducers(), "any");
}
OYI_CPU(any_dims_out) {
  return over_dims(self, dim, keepdim, out, oyi_any_reducers(), "any");
}
OYI_CPU(all) {
  return over_dim(self, oy_none(), false, NULL, oyi_all_reducers(), "all");
}
OYI_CPU(all_all_out) {
  return over_dim(self, oy_none(), false, out, oyi_all_reducers(), "all");
}
OYI_CPU(all_dim) {
  return over_dim(self, oy_int(dim), keepdim, NULL, oyi_all_reducers(), "all");
}
OYI_CPU(all_out) {
  return over_dim(self, oy_int(dim), keepdim, out, oyi_all_reducers(), "all");
}
OYI_CPU(all_dims) {
  return over_dims(self, dim, keepdim, NULL, oyi_all_reducers(), "all");
}
OYI_CPU(all_dims_out) {
  return over_dims(self, dim, keepdim, out, oyi_all_reducers(), "all");
}

OYI_CPU(count_nonzero_dim_IntList) {
  oyi_reduction r;
  if (oyi_reduction_begin(&r, self, dim, false) != 0) return NULL;
  const oyi_fold* reducer = oyi_fold_for(
      oyi_count_reducers(), oyi_reduce_dtype(self->dtype), "count_nonzero_cpu");
  if (!reducer || oyi_reduction_output(&r, NULL, OY_DTYPE_I64, OYI_OUT_EXACT) != 0)
    return NULL;
  if (!r.meta) oyi_reduce(&r, reducer, NULL);
  return oyi_reduction_end(&r, OY_OK);
}
