// SPDX-License-Identifier: Apache-2.0
// any, all, count_nonzero, and whether two tensors are equal.
#include "backends/cpu/reduce_loops.h"
#include "ops/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

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
  if (!r->meta) oyi_reduce(r, reducer, NULL);
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

// ---------------------------------------------------------------------------- equal

typedef struct comparison {
  oy_dtype dtype;  // of the parts of an element
  int parts;
  bool* equal;  // atomic: several threads may find a difference
} comparison;

// Whether bit patterns are of one 16-bit float, with |infinity| as its pattern.
static bool same_half(const void* x, const void* y, unsigned infinity) {
  uint16_t a, b;
  memcpy(&a, x, sizeof(a));
  memcpy(&b, y, sizeof(b));
  if (((a | b) & 0x7fff) == 0) return true;  // zeros of either sign
  return a == b && (a & 0x7fffu) <= infinity;
}

static bool same_part(oy_dtype dtype, const char* x, const char* y) {
  switch (dtype) {
    case OY_DTYPE_F16: return same_half(x, y, 0x7c00);
    case OY_DTYPE_BF16: return same_half(x, y, 0x7f80);
    case OY_DTYPE_F32: {
      float a, b;
      memcpy(&a, x, sizeof(a));
      memcpy(&b, y, sizeof(b));
      return a == b;
    }
    case OY_DTYPE_F64: {
      double a, b;
      memcpy(&a, x, sizeof(a));
      memcpy(&b, y, sizeof(b));
      return a == b;
    }
    default: return memcmp(x, y, oyi_dtype_bytes[dtype]) == 0;
  }
}

static void compare_loop(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  const comparison* c = args;
  int64_t item = oyi_dtype_bytes[c->dtype];
  for (int64_t i = 0; i < n && __atomic_load_n(c->equal, __ATOMIC_RELAXED); i++)
    for (int k = 0; k < c->parts; k++)
      if (!same_part(c->dtype, data[0] + i * strides[0] + k * item,
                     data[1] + i * strides[1] + k * item))
        __atomic_store_n(c->equal, false, __ATOMIC_RELAXED);
}

static oy_dtype part_of(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_C32: return OY_DTYPE_F16;
    case OY_DTYPE_C64: return OY_DTYPE_F32;
    case OY_DTYPE_C128: return OY_DTYPE_F64;
    default: return dtype;
  }
}

// Elements of one dtype.
static void compare_elements(const oyi_tensor* a, const oyi_tensor* b, bool* equal) {
  comparison c = {part_of(a->header.dtype), oy_dtype_is_complex(a->header.dtype) ? 2 : 1,
                  equal};
  oyi_iter it;
  const oyi_tensor* tensors[] = {a, b};
  oyi_iter_plain(&it, tensors, 2);
  oyi_iter_run(&it, compare_loop, &c);
}

// Those of two dtypes are compared as the one that both go to.
static oy_status compare_converted(const oyi_tensor* a, const oyi_tensor* b,
                                   bool* equal) {
  oy_dtype common;
  OY_TRY(oy_dtype_promote(a->header.dtype, b->header.dtype, &common));
  oyi_tensor* x = oyi_converted(a, common);
  oyi_tensor* y = x ? oyi_converted(b, common) : NULL;
  if (y) {
    compare_elements(x, y, equal);
    oy_tensor_release(&y->header);
  }
  if (x) oy_tensor_release(&x->header);
  return y ? OY_OK : OY_OUT_OF_MEMORY;
}

static oy_status compare(const oyi_tensor* a, const oyi_tensor* b, bool* equal) {
  OY_CHECK(!oyi_is_meta(a) && !oyi_is_meta(b), NOT_IMPLEMENTED,
           "equal: tensors on the meta device have no elements to compare");
  OY_TRY(oyi_check_same_device(a, b));
  OY_TRY(oyi_check_memory(a));
  OY_TRY(oyi_check_memory(b));
  *equal = oyi_same_sizes(oyi_sizes_view(a), oyi_sizes_view(b));
  if (!*equal || a->numel == 0) return OY_OK;
  if (a->header.dtype != b->header.dtype) return compare_converted(a, b, equal);
  compare_elements(a, b, equal);
  return OY_OK;
}

OYI_CPU(equal) {
  *out_result = false;
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  if (!b) return oy_error_get()->code;
  return compare(a, b, out_result);
}
