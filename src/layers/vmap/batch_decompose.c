// SPDX-License-Identifier: Apache-2.0
// Operators that have kernels of their own elsewhere, and inside vmap are composed of
// others: a product that is scaled, and added to something.
#include "base/memory.h"
#include "layers/vmap/batch_rules.h"
#include "ops/calls.h"
#include "opyard/tensor.h"

// beta self + alpha product; |product| is taken over. Nothing of |self| is seen if beta is
// 0, not even what is no number.
static oy_object* add_scaled(oy_object* self, oy_object* product, oy_value beta,
                             oy_value alpha) {
  bool unseen = beta.tag == OY_TAG_FLOAT ? beta.as.d == 0
                                         : beta.tag != OY_TAG_COMPLEX && beta.as.i == 0;
  oy_object* scaled = unseen ? NULL : oyi_call_mul_Scalar(self, beta);
  oy_object* result = NULL;
  if (product && unseen) result = oyi_call_mul_Scalar(product, alpha);
  if (product && scaled) result = oyi_call_add_Tensor(scaled, product, alpha);
  oy_tensor_release(scaled);
  oy_tensor_release(product);
  return result;
}

static oy_object* summed(oy_object* products) {
  oy_object* sum =
      products ? oyi_call_sum_dim_IntList(products, OY_DIMS(0), false, oy_none()) : NULL;
  oy_tensor_release(products);
  return sum;
}

#define DECOMPOSED(id) \
  static oy_object* batched_##id(const oy_op* op, oy_keyset keys, OYI_PARAMS_##id)

DECOMPOSED(addmm) {
  (void)op, (void)keys;
  return add_scaled(self, oyi_call_mm(mat1, mat2), beta, alpha);
}
DECOMPOSED(addmv) {
  (void)op, (void)keys;
  return add_scaled(self, oyi_call_mv(mat, vec), beta, alpha);
}
DECOMPOSED(baddbmm) {
  (void)op, (void)keys;
  return add_scaled(self, oyi_call_bmm(batch1, batch2), beta, alpha);
}
DECOMPOSED(addbmm) {
  (void)op, (void)keys;
  return add_scaled(self, summed(oyi_call_bmm(batch1, batch2)), beta, alpha);
}
DECOMPOSED(addr) {
  (void)op, (void)keys;
  return add_scaled(self, oyi_call_outer(vec1, vec2), beta, alpha);
}

// The number may be another one for each slice.
DECOMPOSED(fill__Tensor) {
  (void)op, (void)keys;
  if (oy_tensor_ndim(value) == 0) return oyi_call_copy_(self, value, false);
  OY_FAIL(INVALID_ARGUMENT,
          "fill_ only supports 0-dimension value tensor but got tensor with %lld "
          "dimensions.",
          (long long)oy_tensor_ndim(value));
  return NULL;
}

#define ROW(id) {OYI_OP_##id, 0, 0, __LINE__, (oy_typed_fn)batched_##id, __FILE__},
static const oyi_kernel_row g_rows[] = {
    // clang-format off
    ROW(addmm)
    ROW(addmv)
    ROW(baddbmm)
    ROW(addbmm)
    ROW(addr)
    ROW(fill__Tensor)
    // clang-format on
};

oy_status oyi_register_batch_decompositions(oy_library* aten) {
  return oyi_register_rows(aten, OY_KEY_FuncTorchBatchedDecomposition, g_rows,
                           OY_ARRAY_SIZE(g_rows));
}
