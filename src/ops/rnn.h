// SPDX-License-Identifier: Apache-2.0
// Cells of recurrent networks, which the operators of one step and of whole sequences share.
#ifndef OPYARD_SRC_OPS_RNN_H_
#define OPYARD_SRC_OPS_RNN_H_

#include "opyard/tensor.h"

typedef enum oyi_rnn_kind {
  OYI_RNN_TANH,
  OYI_RNN_RELU,
  OYI_RNN_GRU,
  OYI_RNN_LSTM
} oyi_rnn_kind;

// Of one layer in one direction, borrowed. Biases may be None, |w_hr| is NULL without a
// projection.
typedef struct oyi_rnn_weights {
  oy_object *w_ih, *w_hh, *b_ih, *b_hh, *w_hr;
} oyi_rnn_weights;

// Owned. Only LSTM has |c|.
typedef struct oyi_rnn_state {
  oy_object *h, *c;
} oyi_rnn_state;
static inline void oyi_rnn_state_release(oyi_rnn_state* s) {
  oy_tensor_release(s->h);
  oy_tensor_release(s->c);
  s->h = s->c = NULL;
}

// One step from |before|, with |gates|: w_ih input + b_ih. False with the error set.
bool oyi_rnn_step(oyi_rnn_kind kind, oy_object* gates, const oyi_rnn_weights* w,
                  const oyi_rnn_state* before, oyi_rnn_state* out_after);

// All layers over |input|: [steps, batch, features], or [all steps, features] with
// |batch_sizes|, a tensor of integers, where that is not NULL.
typedef struct oyi_rnn {
  oyi_rnn_kind kind;
  oy_object *input, *batch_sizes;
  oy_object *h, *c;  // the first states of all layers; |c| NULL but for LSTM
  oy_tensors params;
  bool has_biases, train, bidirectional, batch_first;
  int64_t layers;
  double dropout;
} oyi_rnn;
oy_status oyi_rnn_run(const oyi_rnn* r, oy_object** out_output, oyi_rnn_state* out_state);

// How many sequences each step has; the list is that of |*out_held|, which is released
// afterwards.
oy_status oyi_rnn_batch_sizes(oy_object* batch_sizes, oy_object** out_held,
                              oy_ints* out_list);

#endif  // OPYARD_SRC_OPS_RNN_H_
