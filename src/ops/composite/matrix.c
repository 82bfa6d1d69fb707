// SPDX-License-Identifier: Apache-2.0
// Products of vectors, matrices and batches, composed of mm, bmm and their like as
// PyTorch composes them.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/out.h"
#include "ops/rules/rules.h"

// |result|, whose reference it takes, in |out|, which has its dtype.
static oy_object* into_same(oy_object* out, oy_object* result) {
  const oyi_tensor* o = result ? oyi_tensor_of(out) : NULL;
  if (o && oyi_output_check_exact(o, result->dtype) == OY_OK)
    return oyi_into_out(result, out);
  oy_tensor_release(result);
  return NULL;
}

OYI_COMPOSITE(mv) {
  const oyi_tensor* a = oyi_tensor_of(self);
  if (!a) return NULL;
  // What addmv says of other shapes names three operands; here there are two.
  if (a->ndim != 2 || !oyi_is_tensor(vec) || oyi_tensor_cast(vec)->ndim != 1 ||
      a->sizes[1] != oyi_tensor_cast(vec)->sizes[0]) {
    if (oyi_tensor_of(vec))
      OY_FAIL(INVALID_ARGUMENT, "size mismatch, got input %s, vec %s",
              oyi_dims_print(oyi_sizes_view(a)).text,
              oyi_dims_print(oyi_sizes_view(oyi_tensor_cast(vec))).text);
    return NULL;
  }
  oy_object* result = oyi_call_empty_memory_format(
      (oy_ints){a->sizes, 1}, oy_int(self->dtype), oy_none(),
      oy_value_device(oyi_tensor_device(a)), oy_none(), oy_none());
  if (oyi_call_addmv_out(result, self, vec, oy_int(0), oy_int(1), result)) return result;
  oy_tensor_release(result);
  return NULL;
}
OYI_COMPOSITE(mv_out) {
  return into_same(out, oyi_call_mv(self, vec));
}
OYI_COMPOSITE(addr_) {
  return oyi_call_addr_out(self, vec1, vec2, beta, alpha, self);
}

// A result of another dtype is refused before anything is computed.
static oy_status check_dot_out(const oy_object* self, const oy_object* out) {
  if (!oyi_tensor_of(self) || !oyi_tensor_of(out)) return oy_failure();
  OY_CHECK(out->dtype == self->dtype, TYPE_MISMATCH,
           "result dtype %s does not match input dtype %s",
           oy_dtype_pytorch_name(out->dtype), oy_dtype_pytorch_name(self->dtype));
  return OY_OK;
}
OYI_COMPOSITE(dot_out) {
  if (check_dot_out(self, out) != OY_OK) return NULL;
  return oyi_into_out(oyi_call_dot(self, tensor), out);
}
OYI_COMPOSITE(vdot_out) {
  if (check_dot_out(self, out) != OY_OK) return NULL;
  return oyi_into_out(oyi_call_vdot(self, other), out);
}

// --------------------------------------------------------------------- matmul

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

// (n, k) x (batch..., k, m) of few columns: one product of (batch * m, k), turned around.
static oy_object* matmul_turned(oy_object* self, oy_object* other) {
  oy_object* columns = oyi_call_transpose_int(self, 0, 1);
  oy_object* rows = oyi_call_transpose_int(other, -2, -1);
  oy_object* product =
      columns && rows ? matmul_folded(oyi_tensor_cast(rows), rows, columns, false) : NULL;
  oy_object* turned = oyi_call_transpose_int(product, -2, -1);
  oy_object* result = oyi_call_contiguous(turned, OY_MEMORY_CONTIGUOUS);
  oy_tensor_release(columns);
  oy_tensor_release(rows);
  oy_tensor_release(product);
  oy_tensor_release(turned);
  return result;
}

// Whether that takes less than a product for each of the batch.
static bool is_turned(const oyi_tensor* a, const oyi_tensor* b) {
  enum { FEW = 4, SOME = 8, MANY = 16 };
  const int64_t *sizes = b->sizes + b->ndim - 2, n = a->sizes[0], k = a->sizes[1];
  return a->ndim == 2 && b->numel > 0 && n > 0 && sizes[0] == k && k >= SOME &&
         (sizes[1] <= FEW || (sizes[1] <= SOME && n >= MANY));
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
  return is_turned(a, b) ? matmul_turned(self, other) : matmul_batched(self, other);
}

OYI_COMPOSITE(matmul_out) {
  const oyi_tensor *a = oyi_tensor_of(self), *b = a ? oyi_tensor_of(other) : NULL;
  if (!b) return NULL;
  // Two vectors are a dot product, which says it in its words.
  if (a->ndim == 1 && b->ndim == 1) return oyi_call_dot_out(self, other, out);
  return into_same(out, oyi_call_matmul(self, other));
}
OYI_COMPOSITE(linalg_matmul) {
  return oyi_call_matmul(self, other);
}
OYI_COMPOSITE(linalg_matmul_out) {
  return oyi_call_matmul_out(self, other, out);
}

// ------------------------------------------------------------- outer, linear, chain

static bool are_vectors(oy_object* self, oy_object* vec2) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(vec2) : NULL;
  if (!b) return false;
  if (a->ndim == 1 && b->ndim == 1) return true;
  OY_FAIL(INVALID_ARGUMENT, "outer: Expected 1-D argument %s, but got %d-D",
          a->ndim != 1 ? "self" : "vec2", a->ndim != 1 ? a->ndim : b->ndim);
  return false;
}

OYI_COMPOSITE(outer) {
  if (!are_vectors(self, vec2)) return NULL;
  int64_t shape[2] = {oyi_tensor_cast(self)->sizes[0], 1};
  oy_object* column = oyi_call_reshape(self, (oy_ints){shape, 2});
  oy_object* result = oyi_call_mul_Tensor(column, vec2);
  oy_tensor_release(column);
  return result;
}
OYI_COMPOSITE(outer_out) {
  if (!are_vectors(self, vec2)) return NULL;
  int64_t shape[2] = {oyi_tensor_cast(self)->sizes[0], 1};
  oy_object* column = oyi_call_reshape(self, (oy_ints){shape, 2});
  oy_object* result = oyi_call_mul_out(column, vec2, out);
  oy_tensor_release(column);
  return result;
}
OYI_COMPOSITE(ger) {
  return oyi_call_outer(self, vec2);
}
OYI_COMPOSITE(ger_out) {
  return oyi_call_outer_out(self, vec2, out);
}

// |batch| x (k), flattened to a matrix, goes to one addmm with the bias.
static oy_object* linear_folded(oy_object* input, oy_object* flipped, oy_object* bias) {
  const oyi_tensor* x = oyi_tensor_cast(input);
  int64_t flat[2] = {1, x->sizes[x->ndim - 1]}, sizes[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i + 1 < x->ndim; i++) flat[0] *= sizes[i] = x->sizes[i];
  oy_object* rows = oyi_call_reshape(input, (oy_ints){flat, 2});
  oy_object* sum = oyi_call_addmm(bias, rows, flipped, oy_int(1), oy_int(1));
  oy_tensor_release(rows);
  if (!sum) return NULL;
  sizes[x->ndim - 1] = oyi_tensor_cast(sum)->sizes[1];
  oy_object* result = oyi_call_view(sum, (oy_ints){sizes, x->ndim});
  oy_tensor_release(sum);
  return result;
}

static oy_object* linear_sum(oy_object* input, oy_object* flipped, oy_object* bias) {
  oy_object* product = oyi_call_matmul(input, flipped);
  if (bias == &oy_none_object) return product;
  oy_object* result = product ? oyi_call_add__Tensor(product, bias, oy_int(1)) : NULL;
  if (product && !result) oy_tensor_release(product);
  return result;
}

OYI_COMPOSITE(linear) {
  const oyi_tensor* x = oyi_tensor_of(input);
  const oyi_tensor* w = x ? oyi_tensor_of(weight) : NULL;
  if (!w || !bias) return NULL;
  const oyi_tensor* b = bias == &oy_none_object ? NULL : oyi_tensor_of(bias);
  if (bias != &oy_none_object && !b) return NULL;
  oy_object* flipped = oyi_call_t(weight);
  oy_object* result;
  if (b && x->ndim == 2)
    result = oyi_call_addmm(bias, input, flipped, oy_int(1), oy_int(1));
  else if (b && b->ndim == 1 && w->ndim == 2 && x->ndim == 3 &&
           (x->flags & OYI_CONTIGUOUS))
    result = flipped ? linear_folded(input, flipped, bias) : NULL;
  else
    result = linear_sum(input, flipped, bias);
  oy_tensor_release(flipped);
  return result;
}
OYI_COMPOSITE(linear_out) {
  return into_same(out, oyi_call_linear(input, weight, bias));
}

enum { CHAIN_MAX = 64 };

// The cheapest way to put parentheses (Cormen et al., "Introduction to Algorithms",
// 15.2): split[i][j] is the last product of matrices i..j.
static void plan_chain(oy_tensors list, uint8_t split[CHAIN_MAX][CHAIN_MAX]) {
  double cost[CHAIN_MAX][CHAIN_MAX];
  int64_t n = (int64_t)list.size, size[CHAIN_MAX + 1];
  for (int64_t i = 0; i < n; i++) size[i] = oyi_tensor_cast(list.data[i])->sizes[0];
  size[n] = oyi_tensor_cast(list.data[n - 1])->sizes[1];
  for (int64_t i = 0; i < n; i++) cost[i][i] = 0;
  for (int64_t span = 1; span < n; span++)
    for (int64_t i = 0; i + span < n; i++) {
      int64_t j = i + span;
      cost[i][j] = -1;
      for (int64_t k = i; k < j; k++) {
        double c = cost[i][k] + cost[k + 1][j] +
                   (double)size[i] * (double)size[k + 1] * (double)size[j + 1];
        if (cost[i][j] >= 0 && c >= cost[i][j]) continue;
        cost[i][j] = c;
        split[i][j] = (uint8_t)k;
      }
    }
}

static oy_object* multiply_chain(oy_tensors list, uint8_t split[CHAIN_MAX][CHAIN_MAX],
                                 size_t i, size_t j) {
  if (i == j) return oy_tensor_retain(list.data[i]);
  // NOLINT: plan_chain() splits each range
  oy_object* left = multiply_chain(list, split, i, split[i][j]);
  oy_object* right = left ? multiply_chain(list, split, split[i][j] + 1u, j) : NULL;
  oy_object* result = oyi_call_mm(left, right);
  oy_tensor_release(left);
  oy_tensor_release(right);
  return result;
}

OYI_COMPOSITE(chain_matmul) {
  if (matrices.size == 0 || matrices.size > CHAIN_MAX) {
    OY_FAIL(INVALID_ARGUMENT,
            "chain_matmul(): Expected one or more matrices, %d at most, got %zu",
            CHAIN_MAX, matrices.size);
    return NULL;
  }
  for (size_t i = 0; i < matrices.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(matrices.data[i]);
    if (!t) return NULL;
    if (t->ndim != 2) {
      OY_FAIL(INVALID_ARGUMENT, "Tensor dimension is %d, expected 2 instead.", t->ndim);
      return NULL;
    }
  }
  if (matrices.size == 1) return oyi_call_clone(matrices.data[0], oy_none());
  uint8_t split[CHAIN_MAX][CHAIN_MAX];
  plan_chain(matrices, split);
  return multiply_chain(matrices, split, 0, matrices.size - 1);
}
OYI_COMPOSITE(chain_matmul_out) {
  return oyi_into_out(oyi_call_chain_matmul(matrices), out);
}

// ------------------------------------------------------------------ linalg_multi_dot

static oy_status check_dots(oy_tensors list) {
  OY_CHECK(list.size >= 2 && list.size <= CHAIN_MAX, INVALID_ARGUMENT,
           list.size < 2 ? "multi_dot(): expected at least 2 tensors but got %zu"
                         : "multi_dot(): expected at most 64 tensors but got %zu",
           list.size);
  const oyi_tensor* first = oyi_tensor_of(list.data[0]);
  for (size_t i = 0; i < list.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(list.data[i]);
    if (!t || !first) return oy_failure();
    const bool is_end = i == 0 || i + 1 == list.size;
    OY_CHECK(!is_end || t->ndim == 1 || t->ndim == 2, INVALID_ARGUMENT,
             "multi_dot(): the %s tensor must be 1D or 2D but got %uD",
             i == 0 ? "first" : "last", t->ndim);
    OY_CHECK(is_end || t->ndim == 2, INVALID_ARGUMENT,
             "multi_dot(): tensor %zu must be 2D but got %uD", i, t->ndim);
    OY_CHECK(
        t->header.dtype == first->header.dtype, INVALID_ARGUMENT,
        "multi_dot(): all tensors must have be the same dtype but tensor 0 is %s and "
        "tensor %zu %s",
        oyi_dtype_cpp_name(first->header.dtype), i, oyi_dtype_cpp_name(t->header.dtype));
    OY_TRY(oyi_check_same_device(first, t));
  }
  return OY_OK;
}

static oy_status check_fit(oy_tensors list) {
  for (size_t i = 1; i < list.size; i++) {
    const oyi_tensor *a = oyi_tensor_cast(list.data[i - 1]),
                     *b = oyi_tensor_cast(list.data[i]);
    OY_CHECK(
        a->sizes[1] == b->sizes[0], INVALID_ARGUMENT,
        "multi_dot(): tensors %zu and %zu with shapes %s and %s cannot be multiplied",
        i - 1, i, oyi_dims_print(oyi_sizes_view(a)).text,
        oyi_dims_print(oyi_sizes_view(b)).text);
  }
  return OY_OK;
}

// Of three, the first two are multiplied first where both ways cost the same.
static oy_object* dots(oy_tensors list) {
  uint8_t split[CHAIN_MAX][CHAIN_MAX];
  if (check_fit(list) != OY_OK) return NULL;
  plan_chain(list, split);
  if (list.size == 3) {
    const oyi_tensor *a = oyi_tensor_cast(list.data[0]),
                     *c = oyi_tensor_cast(list.data[2]);
    const double n0 = (double)a->sizes[0], n1 = (double)a->sizes[1],
                 n2 = (double)c->sizes[0], n3 = (double)c->sizes[1];
    split[0][2] = n0 * n2 * (n1 + n3) > n1 * n3 * (n0 + n2) ? 0 : 1;
  }
  return multiply_chain(list, split, 0, list.size - 1);
}

// Without the dimensions that were added to vectors.
static oy_object* without_added(oy_object* product, bool row, bool column) {
  const bool drops[] = {row, column};
  for (int i = 1; product && i >= 0; i--) {
    if (!drops[i]) continue;
    oy_object* less = oyi_call_squeeze_dim(product, -i);
    oy_tensor_release(product);
    product = less;
  }
  return product;
}

OYI_COMPOSITE(linalg_multi_dot) {
  if (check_dots(tensors) != OY_OK) return NULL;
  oy_object* list[CHAIN_MAX];
  const size_t last = tensors.size - 1;
  for (size_t i = 0; i <= last; i++) list[i] = tensors.data[i];
  const bool row = oy_tensor_ndim(list[0]) == 1, column = oy_tensor_ndim(list[last]) == 1;
  oy_object* first = row ? oyi_call_unsqueeze(list[0], 0) : oy_tensor_retain(list[0]);
  oy_object* end =
      column ? oyi_call_unsqueeze(list[last], -1) : oy_tensor_retain(list[last]);
  list[0] = first;
  list[last] = end;
  oy_object* product = first && end ? dots((oy_tensors){list, tensors.size}) : NULL;
  oy_tensor_release(first);
  oy_tensor_release(end);
  return without_added(product, row, column);
}
OYI_COMPOSITE(linalg_multi_dot_out) {
  const oyi_tensor* to = oyi_tensor_of(out);
  if (!to || check_dots(tensors) != OY_OK) return NULL;
  if (tensors.data[0]->dtype != out->dtype) {
    OY_FAIL(INVALID_ARGUMENT,
            "multi_dot(): expected out tensor to have dtype %s but got %s",
            oyi_dtype_cpp_name(tensors.data[0]->dtype), oyi_dtype_cpp_name(out->dtype));
    return NULL;
  }
  return oyi_into_out(oyi_call_linalg_multi_dot(tensors), out);
}
