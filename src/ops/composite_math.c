// SPDX-License-Identifier: Apache-2.0
// Operators with a number where others have a tensor, and products composed of mm
// and bmm. A number becomes a 0-d tensor that takes part in promotion as a number.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules.h"

#define WITH_NUMBER(call)                     \
  oy_object* number = oyi_wrap_number(other); \
  oy_object* result = call;                   \
  oy_tensor_release(number);                  \
  return result

OYI_COMPOSITE(add_Scalar) {
  WITH_NUMBER(oyi_call_add_Tensor(self, number, alpha));
}
OYI_COMPOSITE(add__Scalar) {
  WITH_NUMBER(oyi_call_add__Tensor(self, number, alpha));
}
OYI_COMPOSITE(sub_Scalar) {
  WITH_NUMBER(oyi_call_sub_Tensor(self, number, alpha));
}
OYI_COMPOSITE(sub__Scalar) {
  WITH_NUMBER(oyi_call_sub__Tensor(self, number, alpha));
}
OYI_COMPOSITE(mul_Scalar) {
  WITH_NUMBER(oyi_call_mul_Tensor(self, number));
}
OYI_COMPOSITE(mul__Scalar) {
  WITH_NUMBER(oyi_call_mul__Tensor(self, number));
}
OYI_COMPOSITE(div_Scalar) {
  WITH_NUMBER(oyi_call_div_Tensor(self, number));
}
OYI_COMPOSITE(div__Scalar) {
  WITH_NUMBER(oyi_call_div__Tensor(self, number));
}
// ------------------------------------------------------------------- products

OYI_COMPOSITE(mv) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* v = a ? oyi_tensor_of(vec) : NULL;
  if (!v) return NULL;
  if (a->ndim != 2 || v->ndim != 1 || a->sizes[1] != v->sizes[0]) {
    OY_FAIL(INVALID_ARGUMENT, "size mismatch, got input %s, vec %s",
            oyi_dims_print(oyi_sizes_view(a)).text,
            oyi_dims_print(oyi_sizes_view(v)).text);
    return NULL;
  }
  oy_object* column = oyi_call_unsqueeze(vec, 1);
  oy_object* product = oyi_call_mm(self, column);
  oy_object* result = oyi_call_squeeze_dim(product, 1);
  oy_tensor_release(product);
  oy_tensor_release(column);
  return result;
}

OYI_COMPOSITE(dot) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(tensor) : NULL;
  if (!b) return NULL;
  if (a->ndim != 1 || b->ndim != 1) {
    OY_FAIL(INVALID_ARGUMENT, "1D tensors expected, but got %uD and %uD tensors", a->ndim,
            b->ndim);
    return NULL;
  }
  if (a->numel != b->numel) {
    OY_FAIL(INVALID_ARGUMENT,
            "inconsistent tensor size, expected tensor [%lld] and src [%lld] to have "
            "the same number of elements, but got %lld and %lld elements respectively",
            (long long)a->numel, (long long)b->numel, (long long)a->numel,
            (long long)b->numel);
    return NULL;
  }
  oy_object* row = oyi_call_unsqueeze(self, 0);
  oy_object* product = oyi_call_mv(row, tensor);
  oy_object* result = oyi_call_squeeze_dim(product, 0);
  oy_tensor_release(product);
  oy_tensor_release(row);
  return result;
}

// Applies |view| and releases what it was given.
static oy_object* reshaped(oy_object* tensor, const int64_t* sizes, size_t ndim) {
  oy_object* result = oyi_call__unsafe_view(tensor, (oy_ints){sizes, ndim});
  oy_tensor_release(tensor);
  return result;
}

// (batch..., n, k) x (k, m) or (k): one product of (batch * n, k).
static oy_object* matmul_folded(const oyi_tensor* a, oy_object* self, oy_object* other,
                                bool is_vector) {
  int64_t folded[2] = {-1, a->sizes[a->ndim - 1]};
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, a->sizes, a->ndim * sizeof(int64_t));
  folded[0] = 1;
  for (size_t i = 0; i + 1 < a->ndim; i++) folded[0] *= a->sizes[i];
  oy_object* flat = oyi_call_reshape(self, (oy_ints){folded, 2});
  oy_object* product = is_vector ? oyi_call_mv(flat, other) : oyi_call_mm(flat, other);
  oy_tensor_release(flat);
  if (!product) return NULL;
  if (is_vector) return reshaped(product, sizes, a->ndim - 1u);
  sizes[a->ndim - 1] = oyi_tensor_cast(other)->sizes[1];
  return reshaped(product, sizes, a->ndim);
}

// Expands the batch of |t| to |batch| and makes it one dimension.
static oy_object* batched(oy_object* tensor, const int64_t* batch, size_t count,
                          int64_t total) {
  const oyi_tensor* t = oyi_tensor_cast(tensor);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  int64_t rows = t->sizes[t->ndim - 2], columns = t->sizes[t->ndim - 1];
  memcpy(sizes, batch, count * sizeof(int64_t));
  sizes[count] = rows;
  sizes[count + 1] = columns;
  oy_object* wide = oyi_call_expand(tensor, (oy_ints){sizes, count + 2}, false);
  int64_t flat[3] = {total, rows, columns};
  oy_object* result = oyi_call_reshape(wide, (oy_ints){flat, 3});
  oy_tensor_release(wide);
  return result;
}

// Both have at least two dimensions, one more than two.
static oy_object* matmul_batched(oy_object* self, oy_object* other) {
  const oyi_tensor* a = oyi_tensor_cast(self);
  const oyi_tensor* b = oyi_tensor_cast(other);
  int64_t sizes[OY_TENSOR_MAX_DIMS], total = 1;
  size_t count;
  oy_ints lead_a = {a->sizes, a->ndim - 2u}, lead_b = {b->sizes, b->ndim - 2u};
  if (oyi_broadcast(lead_a, lead_b, sizes, &count) != 0) return NULL;
  for (size_t i = 0; i < count; i++) total *= sizes[i];
  oy_object* x = batched(self, sizes, count, total);
  oy_object* y = batched(other, sizes, count, total);
  oy_object* product = oyi_call_bmm(x, y);
  oy_tensor_release(x);
  oy_tensor_release(y);
  if (!product) return NULL;
  sizes[count] = a->sizes[a->ndim - 2];
  sizes[count + 1] = b->sizes[b->ndim - 1];
  return reshaped(product, sizes, count + 2);
}

// |vector| x |matrix|: the vector becomes a row, which the result loses again.
static oy_object* matmul_row(oy_object* vector, oy_object* matrix) {
  oy_object* row = oyi_call_unsqueeze(vector, 0);
  oy_object* product = oyi_call_matmul(row, matrix);
  oy_object* result = oyi_call_squeeze_dim(product, -2);
  oy_tensor_release(product);
  oy_tensor_release(row);
  return result;
}

OYI_COMPOSITE(matmul) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  if (!b) return NULL;
  if (a->ndim == 0 || b->ndim == 0) {
    OY_FAIL(INVALID_ARGUMENT,
            "both arguments to matmul need to be at least 1D, but they are %uD and "
            "%uD",
            a->ndim, b->ndim);
    return NULL;
  }
  if (a->ndim == 1 && b->ndim == 1) return oyi_call_dot(self, other);
  if (a->ndim == 2 && b->ndim == 2) return oyi_call_mm(self, other);
  if (a->ndim == 2 && b->ndim == 1) return oyi_call_mv(self, other);
  if (a->ndim == 1) return matmul_row(self, other);
  if (b->ndim <= 2) return matmul_folded(a, self, other, b->ndim == 1);
  return matmul_batched(self, other);
}
