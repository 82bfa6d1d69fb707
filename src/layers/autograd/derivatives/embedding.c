// SPDX-License-Identifier: Apache-2.0
// The gradient of a table of rows: what was given for each use of a row, summed.
#include "layers/autograd/derivatives/derivative.h"
#include "ops/composite/held.h"
#include "ops/rules/shape.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// |rows|, zero where |index| is |padding_idx|, which never gets a gradient.
static oy_object* without_padding(oyi_held* h, oy_object* rows, oy_object* index,
                                  int64_t padding_idx) {
  if (padding_idx < 0) return rows;
  oy_object* is_padding = oyi_hold(h, oyi_call_eq_Scalar(index, oy_int(padding_idx)));
  oy_object* column = oyi_hold(h, oyi_call_unsqueeze(is_padding, -1));
  return oyi_hold(h, oyi_call_where_ScalarSelf(column, oy_int(0), rows));
}

// |rows| divided by how often each index of them occurs.
static oy_object* by_frequency(oyi_held* h, oy_object* rows, oy_object* index,
                               int64_t count) {
  oy_object* ones = oyi_hold(h, oyi_call_ones_like(index, oy_int(rows->dtype), oy_none(),
                                                   oy_none(), oy_none(), oy_none()));
  oy_object* zeros = oyi_hold(h, oyi_call_new_zeros(rows, (oy_ints){&count, 1}, oy_none(),
                                                    oy_none(), oy_none(), oy_none()));
  oy_object* counts = oyi_hold(h, oyi_call_index_add(zeros, 0, index, ones, oy_int(1)));
  oy_object* of_each = oyi_hold(h, oyi_call_index_select(counts, 0, index));
  oy_object* column = oyi_hold(h, oyi_call_unsqueeze(of_each, -1));
  return oyi_hold(h, oyi_call_div_Tensor(rows, column));
}

BACKWARD(embedding) {
  ARGUMENTS(embedding);
  const oy_ints sizes = INPUT_SIZES(weight);
  // Columns that are not there leave a size of -1 open.
  const int64_t count = oyi_tensor_cast(indices)->numel, shape[] = {count, sizes.data[1]};
  oyi_held h = {0};
  oy_object* index = HOLD(oyi_call_reshape(indices, (oy_ints){&count, 1}));
  oy_object* rows = HOLD(oyi_call_reshape(GRAD(0), (oy_ints){shape, 2}));
  if (scale_grad_by_freq) rows = by_frequency(&h, rows, index, sizes.data[0]);
  rows = without_padding(&h, rows, index, padding_idx);
  oy_object* table =
      oyi_call_new_zeros(GRAD(0), sizes, oy_none(), oy_none(), oy_none(), oy_none());
  oy_object* given =
      oyi_written(table, oyi_call_index_add_(table, 0, index, rows, oy_int(1)));
  GIVE(weight, oyi_held_end(&h, given));
  return OY_OK;
}

DERIVATIVE(embedding, "EmbeddingBackward0", SAVE(embedding, indices))

BACKWARD(_embedding_bag) {
  ARGUMENTS(_embedding_bag);
  oy_object *bag_of = RESULT(1), *size = RESULT(2), *places = RESULT(3);
  if (!bag_of || !size || !places) return oy_failure();
  if (WANTS(weight))
    GIVE(weight,
         oyi_call__embedding_bag_backward(GRAD(0), indices, offsets, bag_of, size, places,
                                          INPUT_SIZES(weight).data[0], scale_grad_by_freq,
                                          mode, sparse, per_sample_weights, padding_idx));
  if (WANTS(per_sample_weights))
    GIVE(per_sample_weights,
         oyi_call__embedding_bag_per_sample_weights_backward(
             GRAD(0), weight, indices, offsets, bag_of, mode, padding_idx));
  return OY_OK;
}
DERIVATIVE_OF_FIRST(_embedding_bag, "EmbeddingBagBackward0",
                    SAVE_IF(_embedding_bag, weight, per_sample_weights),
                    SAVE(_embedding_bag, indices), SAVE(_embedding_bag, offsets),
                    SAVE(_embedding_bag, per_sample_weights), OUTPUT(1), OUTPUT(2),
                    OUTPUT(3))
