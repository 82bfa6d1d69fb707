// SPDX-License-Identifier: Apache-2.0
// ctc_loss: _ctc_loss of the sequences, and what reduction says.
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"
#include "tensor/impl.h"

enum { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM };
#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// Each loss divided by the length of its target, 0-d |lengths| being for a single one.
static oy_object* mean_of(oy_object* loss, oy_object* lengths) {
  oyi_held h = {0};
  oy_object* same = HOLD(oyi_call_to_other(lengths, loss, false, false, oy_none()));
  oy_object* counts = HOLD(oyi_call_clamp_min(same, oy_int(1)));
  oy_object* each = HOLD(oyi_call_div_Tensor(loss, counts));
  return oyi_held_end(&h, oyi_call_mean(each, oy_none()));
}

// |loss|, which it takes over, for each sequence.
static oy_object* reduced(oy_object* loss, oy_object* lengths, int64_t reduction,
                          bool zero_infinity, bool is_batched) {
  if (!loss) return NULL;
  oyi_held h = {0};
  HOLD(loss);
  if (zero_infinity) {
    oy_object* is_infinite = HOLD(oyi_call_eq_Scalar(loss, oy_float((double)INFINITY)));
    loss = HOLD(oyi_call_masked_fill_Scalar(loss, is_infinite, oy_int(0)));
  }
  oy_object* result;
  if (reduction == REDUCE_MEAN)
    result = mean_of(loss, lengths);
  else if (reduction == REDUCE_SUM)
    result = oyi_call_sum(loss, oy_none());
  else if (is_batched)
    result = loss ? oy_tensor_retain(loss) : NULL;
  else
    result = oyi_call_squeeze_dim(loss, 0);
  return oyi_held_end(&h, result);
}

// |self| with a batch of one if it has none.
static oy_object* batched(oy_object* log_probs, bool* is_batched) {
  *is_batched = true;
  if (!oyi_tensor_of(log_probs)) return NULL;
  *is_batched = oy_tensor_ndim(log_probs) == 3;
  return *is_batched ? oy_tensor_retain(log_probs) : oyi_call_unsqueeze(log_probs, 1);
}

static oy_object* tensor_of(oy_ints list) {
  const int64_t count = (int64_t)list.size;
  oyi_tensor* made = oyi_tensor_new((oy_ints){&count, 1}, OY_DTYPE_I64, oy_device_cpu());
  for (size_t i = 0; made && i < list.size; i++)
    ((int64_t*)oyi_data(made))[i] = list.data[i];
  return oyi_tensor_object(made);
}

OYI_COMPOSITE(ctc_loss_IntList) {
  oyi_held h = {0};
  bool is_batched;
  oy_object *loss, *alpha, *lengths = NULL;
  oy_object* sequences = HOLD(batched(log_probs, &is_batched));
  if (!sequences || oyi_call__ctc_loss(sequences, targets, input_lengths, target_lengths,
                                       blank, zero_infinity, &loss, &alpha) != OY_OK)
    return oyi_held_end(&h, NULL);
  HOLD(alpha);
  if (reduction == REDUCE_MEAN) lengths = HOLD(tensor_of(target_lengths));
  return oyi_held_end(&h, reduced(loss, lengths, reduction, zero_infinity, is_batched));
}

static bool is_integral(oy_object* lengths, const char* name) {
  if (!oyi_tensor_of(lengths)) return false;
  if (oy_dtype_is_integral(lengths->dtype, false)) return true;
  OY_FAIL(TYPE_MISMATCH, "%s must be integral", name);
  return false;
}

// By the operator of tensors: a layer may see into the lengths where this cannot.
OYI_COMPOSITE(ctc_loss_Tensor) {
  if (!is_integral(input_lengths, "input_lengths") ||
      !is_integral(target_lengths, "target_lengths"))
    return NULL;
  oyi_held h = {0};
  bool is_batched;
  oy_object *loss, *alpha;
  oy_object* sequences = HOLD(batched(log_probs, &is_batched));
  if (!sequences ||
      oyi_call__ctc_loss_Tensor(sequences, targets, input_lengths, target_lengths, blank,
                                zero_infinity, &loss, &alpha) != OY_OK)
    return oyi_held_end(&h, NULL);
  HOLD(alpha);
  return oyi_held_end(
      &h, reduced(loss, target_lengths, reduction, zero_infinity, is_batched));
}

// ------------------------------------------------------------------- out= forms

static oy_status into_both(oy_object* const outs[2], oy_object* loss, oy_object* alpha,
                           oy_object** first, oy_object** second) {
  bool good = oyi_stored(outs[0], loss) != NULL;
  good = oyi_stored(outs[1], alpha) && good;
  if (!good) return oy_failure();
  *first = outs[0];
  *second = outs[1];
  return OY_OK;
}
OYI_COMPOSITE(_ctc_loss_out) {
  oy_object *loss, *alpha;
  OY_TRY(oyi_call__ctc_loss(log_probs, targets, input_lengths, target_lengths, blank,
                            zero_infinity, &loss, &alpha));
  return into_both((oy_object*[]){out0, out1}, loss, alpha, out_0, out_1);
}
OYI_COMPOSITE(_ctc_loss_Tensor_out) {
  oy_object *loss, *alpha;
  OY_TRY(oyi_call__ctc_loss_Tensor(log_probs, targets, input_lengths, target_lengths,
                                   blank, zero_infinity, &loss, &alpha));
  return into_both((oy_object*[]){out0, out1}, loss, alpha, out_0, out_1);
}
OYI_STORED(_ctc_loss_backward_out, _ctc_loss_backward)
