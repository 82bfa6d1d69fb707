// SPDX-License-Identifier: Apache-2.0
// Losses that are composed of other operators, in PyTorch's order.
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "tensor/broadcast.h"
#include "tensor/impl.h"
#include "tensor/iterator.h"

enum { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM };

// Other numbers reduce nothing, as in PyTorch.
static oy_object* reduced(oy_object* loss, int64_t reduction) {
  if (!loss) return NULL;
  if (reduction == REDUCE_MEAN) return oyi_call_mean(loss, oy_none());
  if (reduction == REDUCE_SUM) return oyi_call_sum(loss, oy_none());
  return oy_tensor_retain(loss);
}

#define ONE       oy_int(1)
#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// |result|, which is taken over, where PyTorch writes it into |into|: in the dtype of that, which
// has to take it.
static oy_object* written(oy_object* result, const oy_object* into) {
  if (!result || !into || result->dtype == into->dtype) return result;
  oy_object* made = NULL;
  if (oyi_output_check_dtype(oyi_tensor_cast(into), result->dtype) == OY_OK)
    made = oyi_call_to_dtype(result, into->dtype, false, false, oy_none());
  oy_tensor_release(result);
  return made;
}

OYI_COMPOSITE(l1_loss) {
  oyi_held h = {0};
  oy_object* difference = HOLD(oyi_call_sub_Tensor(self, target, ONE));
  oy_object* loss = difference ? HOLD(oyi_call_abs(difference)) : NULL;
  return oyi_held_end(&h, reduced(loss, reduction));
}

// relu(-target * (input1 - input2) + margin)
OYI_COMPOSITE(margin_ranking_loss) {
  oyi_held h = {0};
  oy_object* difference = HOLD(oyi_call_sub_Tensor(input1, input2, ONE));
  oy_object* sign = HOLD(oyi_call_neg(target));
  oy_object* product = HOLD(oyi_call_mul_Tensor(sign, difference));
  oy_object* moved = HOLD(oyi_call_add_Scalar(product, oy_float(margin), ONE));
  oy_object* loss = moved ? oyi_call_clamp_min_(moved, oy_int(0)) : NULL;
  return oyi_held_end(&h, reduced(loss, reduction));
}

// The margin is a number of the dtype of |self|.
static oy_object* margin_less(oy_object* self, double margin) {
  if (!oyi_tensor_of(self)) return NULL;
  if (!oy_dtype_is_integral(self->dtype, true))
    return oyi_call_rsub_Scalar(self, oy_float(margin), ONE);
  oy_object* full = oyi_call_full_like(self, oy_float(margin), oy_none(), oy_none(),
                                       oy_none(), oy_none(), oy_none());
  oy_object* less = full ? oyi_call_sub_Tensor(full, self, ONE) : NULL;
  oy_tensor_release(full);
  return less;
}
OYI_COMPOSITE(hinge_embedding_loss) {
  oyi_held h = {0};
  oy_object* zeros = HOLD(
      oyi_call_zeros_like(self, oy_none(), oy_none(), oy_none(), oy_none(), oy_none()));
  oy_object* distance = HOLD(margin_less(self, margin));
  oy_object* lacking = distance ? oyi_call_clamp_min_(distance, oy_int(0)) : NULL;
  oy_object* is_one = HOLD(oyi_call_ne_Scalar(target, oy_int(1)));
  oy_object* margins = HOLD(oyi_call_where_self(is_one, lacking, zeros));
  oy_object* is_other = HOLD(oyi_call_ne_Scalar(target, oy_int(-1)));
  oy_object* selves = HOLD(oyi_call_where_self(is_other, self, zeros));
  oy_object* loss = HOLD(oyi_call_add_Tensor(margins, selves, ONE));
  return oyi_held_end(&h, reduced(loss, reduction));
}

static oy_status check_kl_div(oy_dtype self, oy_dtype target) {
  OY_CHECK(!oy_dtype_is_complex(self) && !oy_dtype_is_complex(target), TYPE_MISMATCH,
           "kl_div: Complex inputs not supported.");
  OY_CHECK(!oy_dtype_is_integral(self, true) && !oy_dtype_is_integral(target, true),
           TYPE_MISMATCH, "kl_div: Integral inputs not supported.");
  return OY_OK;
}

OYI_COMPOSITE(kl_div) {
  if (!oyi_tensor_of(self) || !oyi_tensor_of(target) ||
      check_kl_div(self->dtype, target->dtype) != 0)
    return NULL;
  oyi_held h = {0};
  oy_object* loss;
  if (log_target) {
    oy_object* weight = HOLD(oyi_call_exp(target));
    oy_object* difference = HOLD(oyi_call_sub_Tensor(target, self, ONE));
    loss = HOLD(oyi_call_mul_Tensor(weight, difference));
  } else {
    oy_object* entropy = HOLD(oyi_call_xlogy_Tensor(target, target));
    oy_object* cross = HOLD(oyi_call_mul_Tensor(target, self));
    loss = HOLD(oyi_call_sub_Tensor(entropy, cross, ONE));
  }
  return oyi_held_end(&h, reduced(loss, reduction));
}

// (1 - target) * self - log_weight * log_sigmoid(self), weighted
OYI_COMPOSITE(binary_cross_entropy_with_logits) {
  if (!weight || !pos_weight) return NULL;
  oyi_held h = {0};
  oy_object* logs = HOLD(oyi_call_log_sigmoid(self));
  if (pos_weight != &oy_none_object) {
    oy_object* less = HOLD(oyi_call_sub_Scalar(pos_weight, ONE, ONE));
    oy_object* product = HOLD(oyi_call_mul_Tensor(less, target));
    oy_object* log_weight = HOLD(oyi_call_add_Scalar(product, ONE, ONE));
    logs = HOLD(written(oyi_call_mul_Tensor(logs, log_weight), logs));
  }
  oy_object* rest = HOLD(oyi_call_rsub_Scalar(target, ONE, ONE));
  oy_object* linear = HOLD(written(oyi_call_mul_Tensor(rest, self), rest));
  oy_object* loss = HOLD(written(oyi_call_sub_Tensor(linear, logs, ONE), rest));
  if (weight != &oy_none_object)
    loss = HOLD(written(oyi_call_mul_Tensor(loss, weight), loss));
  return oyi_held_end(&h, reduced(loss, reduction));
}

OYI_STORED(binary_cross_entropy_with_logits_out, binary_cross_entropy_with_logits)

// As where PyTorch writes the loss into a tensor like the input.
static oy_status check_broadcast_to(oy_object* self, oy_object* target) {
  const oyi_tensor *to = oyi_tensor_of(self), *from = to ? oyi_tensor_of(target) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (!from) return oy_failure();
  OY_TRY(oyi_broadcast(oyi_sizes_view(to), oyi_sizes_view(from), sizes, &ndim));
  return oyi_broadcast_check(oyi_sizes_view(to), (oy_ints){sizes, ndim});
}

OYI_COMPOSITE(soft_margin_loss) {
  oyi_held h = {0};
  if (check_broadcast_to(self, target) != OY_OK) return NULL;
  oy_object* minus = HOLD(oyi_call_neg(self));
  oy_object* product = HOLD(written(oyi_call_mul_Tensor(minus, target), self));
  oy_object* exponential = HOLD(written(oyi_call_exp(product), self));
  oy_object* loss = HOLD(oyi_call_log1p(exponential));
  return oyi_held_end(&h, reduced(loss, reduction));
}

OYI_STORED(soft_margin_loss_out, soft_margin_loss)

// -target * exp(-target * self) / (1 + exp(-target * self)) * grad_output
OYI_COMPOSITE(soft_margin_loss_backward) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  oyi_held h = {0};
  const double norm = reduction == REDUCE_MEAN ? 1 / (double)t->numel : 1;
  oy_object* sign = HOLD(oyi_call_neg(target));
  oy_object* product = HOLD(oyi_call_mul_Tensor(sign, self));
  oy_object* z = HOLD(oyi_call_exp(product));
  oy_object* scaled = HOLD(oyi_call_mul_Scalar(target, oy_float(-norm)));
  oy_object* above = HOLD(oyi_call_mul_Tensor(scaled, z));
  oy_object* below = HOLD(oyi_call_add_Scalar(z, ONE, ONE));
  oy_object* slope = HOLD(oyi_call_div_Tensor(above, below));
  return oyi_held_end(&h, oyi_call_mul_Tensor(slope, grad_output));
}
OYI_COMPOSITE(soft_margin_loss_backward_grad_input) {
  return oyi_stored(
      grad_input, oyi_call_soft_margin_loss_backward(OYI_ARGS_soft_margin_loss_backward));
}

// The gradient that |into|, an out= form, writes.
static oy_object* new_gradient(oy_object* self) {
  return oyi_call_zeros_like(self, oy_none(), oy_none(), oy_none(), oy_none(),
                             oy_int(OY_MEMORY_CONTIGUOUS));
}
OYI_COMPOSITE(smooth_l1_loss_backward) {
  oy_object* made = new_gradient(self);
  OYI_MADE(made, oyi_call_smooth_l1_loss_backward_grad_input(grad_output, self, target,
                                                             reduction, beta, made));
}
OYI_COMPOSITE(huber_loss_backward) {
  oy_object* made = new_gradient(self);
  OYI_MADE(made, oyi_call_huber_loss_backward_out(grad_output, self, target, reduction,
                                                  delta, made));
}

OYI_COMPOSITE(poisson_nll_loss) {
  oyi_held h = {0};
  oy_object* loss;
  if (log_input) {
    oy_object* rate = HOLD(oyi_call_exp(input));
    oy_object* product = HOLD(oyi_call_mul_Tensor(target, input));
    loss = HOLD(oyi_call_sub_Tensor(rate, product, ONE));
  } else {
    oy_object* moved = HOLD(oyi_call_add_Scalar(input, oy_float(eps), ONE));
    oy_object* logs = HOLD(oyi_call_log(moved));
    oy_object* product = HOLD(oyi_call_mul_Tensor(target, logs));
    loss = HOLD(oyi_call_sub_Tensor(input, product, ONE));
  }
  if (full && loss) {
    // Stirling's formula for log(target!), above 1.
    oy_object* logs = HOLD(oyi_call_log(target));
    oy_object* power = HOLD(oyi_call_mul_Tensor(target, logs));
    oy_object* less = HOLD(oyi_call_sub_Tensor(power, target, ONE));
    oy_object* twice = HOLD(oyi_call_mul_Scalar(target, oy_float(2 * M_PI)));
    oy_object* root = HOLD(oyi_call_log(twice));
    oy_object* half = HOLD(oyi_call_mul_Scalar(root, oy_float(0.5)));
    oy_object* sum = HOLD(oyi_call_add_Tensor(less, half, ONE));
    oy_object* is_small = HOLD(oyi_call_le_Scalar(target, oy_int(1)));
    oy_object* stirling = HOLD(oyi_call_masked_fill_Scalar(sum, is_small, oy_int(0)));
    loss = HOLD(written(oyi_call_add_Tensor(loss, stirling, ONE), loss));
  }
  return oyi_held_end(&h, reduced(loss, reduction));
}

OYI_COMPOSITE(pairwise_distance) {
  oyi_held h = {0};
  const oyi_tensor* a = oyi_tensor_of(x1);
  const oyi_tensor* b = a ? oyi_tensor_of(x2) : NULL;
  if (!b) return NULL;
  const int64_t last = (a->ndim > b->ndim ? a->ndim : b->ndim) - 1;
  oy_object* difference = HOLD(oyi_call_sub_Tensor(x1, x2, ONE));
  oy_object* moved = HOLD(oyi_call_add_Scalar(difference, oy_float(eps), ONE));
  return oyi_held_end(
      &h, oyi_call_norm_ScalarOpt_dim(moved, oy_float(p), (oy_ints){&last, 1}, keepdim));
}

OYI_COMPOSITE(triplet_margin_loss) {
  oyi_held h = {0};
  oy_object* near = HOLD(oyi_call_pairwise_distance(anchor, positive, p, eps, false));
  oy_object* far = HOLD(oyi_call_pairwise_distance(anchor, negative, p, eps, false));
  if (swap && near && far) {
    oy_object* other =
        HOLD(oyi_call_pairwise_distance(positive, negative, p, eps, false));
    far = HOLD(oyi_call_minimum(far, other));
  }
  oy_object* moved = HOLD(oyi_call_add_Scalar(near, oy_float(margin), ONE));
  oy_object* difference = HOLD(oyi_call_sub_Tensor(moved, far, ONE));
  oy_object* loss = HOLD(oyi_call_clamp_min(difference, oy_int(0)));
  return oyi_held_end(&h, reduced(loss, reduction));
}
