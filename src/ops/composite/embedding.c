// SPDX-License-Identifier: Apache-2.0
// Rows of a table by index, and attention, composed of other operators.
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

OYI_COMPOSITE(embedding) {
  const oyi_tensor* table = oyi_tensor_of(weight);
  const oyi_tensor* index = table ? oyi_tensor_of(indices) : NULL;
  if (!index) return NULL;
  if (table->ndim != 2) {
    OY_FAIL(INVALID_ARGUMENT, "'weight' must be 2-D");
    return NULL;
  }
  if (oyi_check_index_dtype(indices, 1, "indices", "embedding") != OY_OK) return NULL;
  if (index->ndim == 1) return oyi_call_index_select(weight, 0, indices);
  int64_t sizes[OY_TENSOR_MAX_DIMS + 1], all = -1;
  memcpy(sizes, index->sizes, index->ndim * sizeof(int64_t));
  sizes[index->ndim] = table->sizes[1];
  oyi_held h = {0};
  oy_object* flat = HOLD(oyi_call_reshape(indices, (oy_ints){&all, 1}));
  oy_object* rows = HOLD(oyi_call_index_select(weight, 0, flat));
  return oyi_held_end(&h, oyi_call_view(rows, (oy_ints){sizes, index->ndim + 1u}));
}
OYI_STORED(embedding_out, embedding)

// Rows of minus infinity alone are zero, and not NaN.
OYI_COMPOSITE(_safe_softmax) {
  oyi_held h = {0};
  oy_object* result = HOLD(oyi_call_softmax_int(self, dim, dtype));
  if (!result) return NULL;
  oy_object* is_masked = HOLD(oyi_call_eq_Scalar(self, oy_float(-INFINITY)));
  oy_object* rows = HOLD(oyi_call_all_dim(is_masked, dim, true));
  return oyi_held_end(&h, oyi_call_where_ScalarSelf(rows, oy_float(0), result));
}

// ------------------------------------------------------------------------ attention

// What is added to the weights: |mask|, minus infinity where one of bools is false.
static oy_object* additive_mask(oyi_held* h, oy_object* mask, oy_object* query,
                                bool is_causal, int64_t keys) {
  const oyi_tensor* q = oyi_tensor_cast(query);
  if (is_causal) {
    int64_t sizes[2] = {q->sizes[q->ndim - 2], keys};
    oy_object* ones =
        oyi_hold(h, oyi_call_ones((oy_ints){sizes, 2}, oy_int(OY_DTYPE_BOOL), oy_none(),
                                  oy_value_device(oyi_tensor_device(q)), oy_none()));
    mask = oyi_hold(h, oyi_call_tril(ones, 0));
  }
  if (!mask || mask->dtype != OY_DTYPE_BOOL) return mask;
  oy_object* zeros =
      oyi_hold(h, oyi_call_zeros_like(mask, oy_int(query->dtype), oy_none(), oy_none(),
                                      oy_none(), oy_none()));
  oy_object* is_out = oyi_hold(h, oyi_call_logical_not(mask));
  return oyi_hold(h, oyi_call_masked_fill_Scalar(zeros, is_out, oy_float(-INFINITY)));
}

static oy_status check_attention(oy_object* const tensors[3], oy_object* mask,
                                 bool is_causal, double dropout_p) {
  for (int i = 0; i < 3; i++)
    if (!oyi_tensor_of(tensors[i])) return oy_failure();
  for (int i = 0; i < 3; i++) {
    const oyi_tensor* t = oyi_tensor_cast(tensors[i]);
    OY_CHECK(
        tensors[i]->dtype == tensors[0]->dtype, INVALID_ARGUMENT,
        "Expected query, key, and value to have the same dtype, but got query.dtype: "
        "%s key.dtype: %s and value.dtype: %s instead.",
        oy_dtype_pytorch_name(tensors[0]->dtype),
        oy_dtype_pytorch_name(tensors[1]->dtype),
        oy_dtype_pytorch_name(tensors[2]->dtype));
    OY_CHECK(t->ndim >= 2, INVALID_ARGUMENT,
             "Expected query, key, and value to all be  at least 2 dimensional, but got "
             "query.dim: %u, key.dim: %u and value.dim: %u instead.",
             oyi_tensor_cast(tensors[0])->ndim, oyi_tensor_cast(tensors[1])->ndim,
             oyi_tensor_cast(tensors[2])->ndim);
  }
  if (!oyi_is_optional(mask)) return oy_failure();
  OY_CHECK(!is_causal || mask == &oy_none_object, INVALID_ARGUMENT,
           "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
           "is_causal=True");
  OY_CHECK(dropout_p >= 0 && dropout_p <= 1, INVALID_ARGUMENT,
           "dropout probability has to be between 0 and 1, but got %g", dropout_p);
  return OY_OK;
}

// The heads of |t| repeated until there are as many as the query has.
static oy_object* repeated_heads(oyi_held* h, oy_object* t, oy_object* query) {
  const oyi_tensor *q = oyi_tensor_cast(query), *k = oyi_tensor_cast(t);
  if (q->ndim < 3 || k->ndim < 3 || k->sizes[k->ndim - 3] == 0 ||
      q->sizes[q->ndim - 3] % k->sizes[k->ndim - 3] != 0) {
    OY_FAIL(INVALID_ARGUMENT,
            "Number of heads in key and value must divide the number of heads in query");
    return NULL;
  }
  int64_t times = q->sizes[q->ndim - 3] / k->sizes[k->ndim - 3];
  return oyi_hold(h,
                  oyi_call_repeat_interleave_self_int(t, times, oy_int(-3), oy_none()));
}

// Half of the scale goes to each side of the product, for numbers that are less great.
static oy_object* weights_of(oyi_held* h_, oy_object* query, oy_object* key,
                             oy_object* mask, oy_value scale) {
  oyi_held h = {0};
  const oyi_tensor* q = oyi_tensor_cast(query);
  const double width = (double)q->sizes[q->ndim - 1];
  const double factor = scale.tag == OY_TAG_NONE ? 1 / sqrt(width) : scale.as.d;
  const double half = sqrt(fabs(factor));
  oy_object* left = HOLD(oyi_call_mul_Scalar(query, oy_float(factor < 0 ? -half : half)));
  oy_object* turned = HOLD(oyi_call_transpose_int(key, -2, -1));
  oy_object* right = HOLD(oyi_call_mul_Scalar(turned, oy_float(half)));
  oy_object* product = HOLD(oyi_call_matmul(left, right));
  if (product && mask && mask != &oy_none_object)
    product = HOLD(oyi_call_add_Tensor(product, mask, oy_int(1)));
  oy_object* result =
      product && mask ? oyi_call__safe_softmax(product, -1, oy_none()) : NULL;
  return oyi_hold(h_, oyi_held_end(&h, result));
}

static oy_object* dropped(oyi_held* h, oy_object* weights, oy_object* mask, double p) {
  if (!weights || p <= 0) return weights;
  if (mask == &oy_none_object) return oyi_hold(h, oyi_call_dropout(weights, p, true));
  oy_object* is_out = oyi_hold(h, oyi_call_logical_not(mask));
  oy_object* left =
      is_out ? oyi_hold(h, oyi_call_masked_fill_Scalar(weights, is_out, oy_int(0)))
             : NULL;
  return oyi_hold(h, oyi_call_mul_Scalar(left, oy_float(1 / (1 - p))));
}

OYI_COMPOSITE(_scaled_dot_product_attention_math) {
  OY_TRY(check_attention((oy_object*[]){query, key, value}, attn_mask, is_causal,
                         dropout_p));
  if (!dropout_mask) return oy_failure();
  oyi_held h = {0};
  const oy_dtype dtype = query->dtype;
  const bool is_small = dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16;
  oy_object* all[3] = {query, key, value};
  for (int i = 0; i < 3 && is_small; i++)
    all[i] = HOLD(oyi_call_to_dtype(all[i], OY_DTYPE_F32, false, false, oy_none()));
  for (int i = 1; i < 3 && enable_gqa && all[0]; i++)
    all[i] = all[i] ? repeated_heads(&h, all[i], all[0]) : NULL;
  oy_object *weights = NULL, *result = NULL;
  if (all[0] && all[1] && all[2]) {
    const oyi_tensor* k = oyi_tensor_cast(all[1]);
    oy_object* mask = attn_mask;
    if (is_causal || attn_mask != &oy_none_object)
      mask = additive_mask(&h, attn_mask, all[0], is_causal, k->sizes[k->ndim - 2]);
    weights = mask ? weights_of(&h, all[0], all[1], mask, scale) : NULL;
    weights = dropped(&h, weights, dropout_mask, dropout_p);
    result = HOLD(oyi_call_matmul(weights, all[2]));
  }
  *out_0 = result ? oyi_call_to_dtype(result, dtype, false, false, oy_none()) : NULL;
  *out_1 = *out_0 ? oyi_call_to_dtype(weights, dtype, false, false, oy_none()) : NULL;
  oyi_held_end(&h, NULL);
  if (*out_1) return OY_OK;
  oy_tensor_release(*out_0);
  return oy_failure();
}

OYI_COMPOSITE(scaled_dot_product_attention) {
  oy_object *result, *weights;
  if (oyi_call__scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p,
                                                  is_causal, &oy_none_object, scale,
                                                  enable_gqa, &result, &weights) != OY_OK)
    return NULL;
  oy_tensor_release(weights);
  return result;
}
