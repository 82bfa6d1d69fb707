// SPDX-License-Identifier: Apache-2.0
// Operators that have kernels of their own elsewhere, and inside vmap are composed of
// others: a product that is scaled, and added to something.
#include "base/memory.h"
#include "layers/vmap/batch_rules.h"
#include "ops/calls.h"
#include "ops/rules/join.h"
#include "ops/rules/rules.h"
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
  return oyi_check_fill(value) == 0 ? oyi_call_copy_(self, value, false) : NULL;
}

// A number for each slice in place of one for all.
static oy_object* filled(oy_object* self, oy_object* mask, oy_object* value) {
  if (oyi_check_filler("masked_fill_", value) != 0) return NULL;
  oy_object* cast = oyi_call_to_dtype(value, self->dtype, false, false, oy_none());
  oy_object* result = cast ? oyi_call_where_self(mask, cast, self) : NULL;
  oy_tensor_release(cast);
  return result;
}
DECOMPOSED(masked_fill_Tensor) {
  (void)op, (void)keys;
  return filled(self, mask, value);
}
DECOMPOSED(masked_fill__Tensor) {
  (void)op, (void)keys;
  oy_object* result = filled(self, mask, value);
  oy_object* done = result ? oyi_call_copy_(self, result, false) : NULL;
  oy_tensor_release(result);
  return done;
}

// |block|, as rows, between as many columns of zeros as there are of others.
static oy_object* in_its_columns(oy_object* block, int64_t before, int64_t after) {
  oy_object* rows =
      block && oy_tensor_ndim(block) < 2 ? oyi_call_view(block, OY_DIMS(1, -1)) : NULL;
  oy_object* padded =
      oyi_call_constant_pad_nd(rows ? rows : block, OY_DIMS(before, after), oy_int(0));
  oy_tensor_release(rows);
  return padded;
}
DECOMPOSED(block_diag) {
  (void)op, (void)keys;
  int64_t columns = 0, before = 0, height, own = 0;
  oy_object** rows = oyi_calloc(tensors.size + 1, sizeof(*rows));
  bool good = rows != NULL;
  for (size_t i = 0; good && i < tensors.size; i++) {
    good = oyi_block_size(tensors.data[i], i, &height, &own) == 0;
    columns += own;
  }
  for (size_t i = 0; good && i < tensors.size; i++) {
    good = oyi_block_size(tensors.data[i], i, &height, &own) == 0;
    rows[i] = in_its_columns(tensors.data[i], before, columns - before - own);
    good = good && rows[i] != NULL;
    before += own;
  }
  oy_object* all = good ? oyi_call_cat((oy_tensors){rows, tensors.size}, 0) : NULL;
  for (size_t i = 0; rows && i < tensors.size; i++) oy_tensor_release(rows[i]);
  oyi_free(rows);
  return all;
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
    ROW(block_diag)
    ROW(masked_fill_Tensor)
    ROW(masked_fill__Tensor)
    // clang-format on
};

oy_status oyi_register_batch_decompositions(oy_library* aten) {
  return oyi_register_rows(aten, OY_KEY_FuncTorchBatchedDecomposition, g_rows,
                           OY_ARRAY_SIZE(g_rows));
}
