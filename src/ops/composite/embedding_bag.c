// SPDX-License-Identifier: Apache-2.0
// Embeddings and bags of them as users call them, and their gradients' out= forms.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/out_form.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

OYI_COMPOSITE(embedding_backward) {
  if (sparse) {
    OY_FAIL(NOT_IMPLEMENTED, "embedding_backward: sparse gradients are not supported");
    return NULL;
  }
  return oyi_call_embedding_dense_backward(grad, indices, num_weights, padding_idx,
                                           scale_grad_by_freq);
}
OYI_STORED(embedding_dense_backward_out, embedding_dense_backward)
OYI_WRITTEN_COPY(embedding_renorm, embedding_renorm_, indices, max_norm, norm_type)
OYI_STORED(embedding_renorm_out, embedding_renorm)

// -------------------------------------------------------------------------- bags

// Gradients need what the other operator leaves out.
static oy_status bags(oy_object* weight, oy_object* indices, oy_object* offsets,
                      bool scale_grad_by_freq, int64_t mode, bool sparse,
                      oy_object* per_sample_weights, bool include_last_offset,
                      int64_t padding_idx, oy_object** results) {
  oyi_held h = {0};
  if (!oyi_tensor_of(weight)) return oy_failure();
  oy_object* index = HOLD(oyi_call_contiguous(indices, OY_MEMORY_CONTIGUOUS));
  oy_object* offset = HOLD(oyi_call_contiguous(offsets, OY_MEMORY_CONTIGUOUS));
  oy_status status;
  if (weight->keys.functionality >> OY_KEY_AutogradFunctionality & 1)
    status =
        oyi_call__embedding_bag(weight, index, offset, scale_grad_by_freq, mode, sparse,
                                per_sample_weights, include_last_offset, padding_idx,
                                &results[0], &results[1], &results[2], &results[3]);
  else
    status = oyi_call__embedding_bag_forward_only(
        weight, index, offset, scale_grad_by_freq, mode, sparse, per_sample_weights,
        include_last_offset, padding_idx, &results[0], &results[1], &results[2],
        &results[3]);
  oyi_held_end(&h, NULL);
  return status;
}

#define GIVE(r) *out_0 = (r)[0], *out_1 = (r)[1], *out_2 = (r)[2], *out_3 = (r)[3]

OYI_COMPOSITE(embedding_bag) {
  oy_object* r[4] = {NULL, NULL, NULL, NULL};
  oy_status status = bags(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                          per_sample_weights, include_last_offset, -1, r);
  GIVE(r);
  return status;
}

OYI_COMPOSITE(embedding_bag_padding_idx) {
  oy_object* r[4] = {NULL, NULL, NULL, NULL};
  const oyi_tensor* t = oyi_tensor_of(weight);
  if (!t) return oy_failure();
  int64_t skipped = -1;
  if (padding_idx.tag != OY_TAG_NONE) {
    const int64_t count = t->ndim ? t->sizes[0] : 1;
    skipped = padding_idx.as.i;
    OY_CHECK(skipped >= -count && skipped < count, INVALID_ARGUMENT,
             "padding_idx must be within the number of embeddings, -%lld through %lld, "
             "but got %lld",
             (long long)count, (long long)count - 1, (long long)skipped);
    if (skipped < 0) skipped += count;
  }
  oy_status status = bags(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                          per_sample_weights, include_last_offset, skipped, r);
  GIVE(r);
  return status;
}

#define BAGS_OUT(id, of)                                                                 \
  OYI_COMPOSITE(id) {                                                                    \
    oy_object *r[4] = {NULL, NULL, NULL, NULL}, *const outs[4] = {out0, out1, out2,      \
                                                                  out3};                 \
    oy_status status = oyi_call_##of(weight, indices, offsets, scale_grad_by_freq, mode, \
                                     sparse, per_sample_weights, include_last_offset,    \
                                     padding_idx, &r[0], &r[1], &r[2], &r[3]);           \
    GIVE(outs);                                                                          \
    return oyi_into_outs(status, outs, r, 4);                                            \
  }
BAGS_OUT(_embedding_bag_out, _embedding_bag)
BAGS_OUT(_embedding_bag_forward_only_out, _embedding_bag_forward_only)
OYI_STORED(_embedding_bag_dense_backward_out, _embedding_bag_dense_backward)
OYI_STORED(_embedding_bag_per_sample_weights_backward_out,
           _embedding_bag_per_sample_weights_backward)

// The bag of each index: how many offsets, but the first, are at or before it.
static oy_object* bag_of_each(oyi_held* held, oy_object* indices, oy_object* offsets) {
  oyi_held h = {0};
  const int64_t n = oyi_tensor_cast(indices)->numel, more = n + 1;
  oy_object* marks = HOLD(oyi_call_new_zeros(indices, (oy_ints){&more, 1}, oy_none(),
                                             oy_none(), oy_none(), oy_none()));
  oy_object* ones =
      marks ? HOLD(oyi_call_ones_like(offsets, oy_int(indices->dtype), oy_none(),
                                      oy_none(), oy_none(), oy_none()))
            : NULL;
  oy_object* added = oyi_call_index_add_(marks, 0, offsets, ones, oy_int(1));
  oy_object* sums =
      added ? HOLD(oyi_call_cumsum(added, 0, oy_int(indices->dtype))) : NULL;
  oy_object* own = sums ? HOLD(oyi_call_narrow(sums, 0, 0, n)) : NULL;
  return oyi_hold(held, oyi_held_end(&h, oyi_call_sub_Scalar(own, oy_int(1), oy_int(1))));
}

OYI_COMPOSITE(_embedding_bag_backward) {
  const oyi_tensor* index = oyi_tensor_of(indices);
  const oyi_tensor* bag = index ? oyi_tensor_of(offset2bag) : NULL;
  if (!bag || !oyi_tensor_of(offsets)) return NULL;
  if (sparse) {
    OY_FAIL(NOT_IMPLEMENTED,
            "_embedding_bag_backward: sparse gradients are not supported");
    return NULL;
  }
  oyi_held h = {0};
  if (index->numel > 0 && bag->numel == 0) offset2bag = bag_of_each(&h, indices, offsets);
  return oyi_held_end(
      &h, oyi_call__embedding_bag_dense_backward(
              grad, indices, offset2bag, bag_size, maximum_indices, num_weights,
              scale_grad_by_freq, mode, per_sample_weights, padding_idx));
}
