// SPDX-License-Identifier: Apache-2.0
// Gradients of losses that compare an input with a target of the same shape. What is
// given for a reduced loss is one number, which broadcasts; the gradient of a gradient for
// it is summed by the engine.
#include "layers/autograd/derivatives/derivative.h"

enum { REDUCE_MEAN = 1 };

// |tensor|, taken over, divided by the number of elements of |like| for a mean.
static oy_object* of_reduced(oy_object* tensor, oy_object* like, int64_t reduction) {
  const oyi_tensor* t = oyi_tensor_of(like);
  if (reduction != REDUCE_MEAN || !t) return tensor;
  return of_div_number(tensor, oy_float((double)t->numel));
}
static oy_object* of_weighted(oy_object* tensor, oy_object* weight) {
  return oy_object_is_none(weight) ? tensor : of_mul(tensor, keep(weight));
}
static oy_object* one_minus(oy_object* tensor) {
  return oyi_call_rsub_Scalar(tensor, oy_int(1), oy_int(1));
}

// ------------------------------------------------------- functions of a difference

// Its gradient for the target is the negative of the one for the input, with which the
// operands change places.
#define DIFFERENCE(id, ...)                                                            \
  BACKWARD(id) {                                                                       \
    ARGUMENTS(id);                                                                     \
    if (WANTS(self))                                                                   \
      GIVE(self,                                                                       \
           oyi_call_##id##_backward(GRAD(0), self, target, reduction, ##__VA_ARGS__)); \
    if (WANTS(target))                                                                 \
      GIVE(target,                                                                     \
           oyi_call_##id##_backward(GRAD(0), target, self, reduction, ##__VA_ARGS__)); \
    return OY_OK;                                                                      \
  }
DIFFERENCE(mse_loss)
DIFFERENCE(smooth_l1_loss, beta)
DIFFERENCE(huber_loss, delta)

// |bend|: the second derivative, times both gradients, in terms of |both|, their product.
#define DIFFERENCE_TWICE(id, bend, ...)                                                \
  BACKWARD(id##_backward) {                                                            \
    ARGUMENTS(id##_backward);                                                          \
    if (WANTS(grad_output))                                                            \
      GIVE(grad_output,                                                                \
           oyi_call_##id##_backward(GRAD(0), self, target, reduction, ##__VA_ARGS__)); \
    if (!WANTS(self) && !WANTS(target)) return OY_OK;                                  \
    oy_object* both = oyi_call_mul_Tensor(GRAD(0), grad_output);                       \
    oy_object* bent = of_reduced(bend, self, reduction);                               \
    if (WANTS(self)) gives[EDGE_AT(self)] = keep(bent);                                \
    if (WANTS(target)) gives[EDGE_AT(target)] = of_neg(keep(bent));                    \
    oy_tensor_release(bent);                                                           \
    return given_all(node, gives);                                                     \
  }
// |both| where the difference is below |limit|.
static oy_object* of_near(oy_object* both, oy_object* self, oy_object* target,
                          double limit) {
  oy_object* distance = oyi_call_sub_Tensor(self, target, oy_int(1));
  oy_object* length = oyi_call_abs(distance);
  oy_tensor_release(distance);
  return of_masked(of_lt_number(length, oy_float(limit)), both);
}
// Without a parabola, |beta| 0, nothing is near.
static oy_object* of_bent(oy_object* both, oy_object* self, oy_object* target,
                          double beta) {
  return of_div_number(of_near(both, self, target, beta), oy_float(beta > 0 ? beta : 1));
}
DIFFERENCE_TWICE(mse_loss, of_mul_number(both, oy_int(2)))
DIFFERENCE_TWICE(smooth_l1_loss, of_bent(both, self, target, beta), beta)
DIFFERENCE_TWICE(huber_loss, of_near(both, self, target, delta), delta)

// ------------------------------------------------------------------- soft margin

static oy_object* soft_margin_gradient(oy_object* grad, oy_object* self,
                                       oy_object* target, int64_t reduction) {
  oy_object *x = of_conj(keep(self)), *t = of_conj(keep(target));
  oy_object* result = oyi_call_soft_margin_loss_backward(grad, x, t, reduction);
  oy_tensor_release(x);
  oy_tensor_release(t);
  return result;
}
BACKWARD(soft_margin_loss) {
  ARGUMENTS(soft_margin_loss);
  GIVE(self, soft_margin_gradient(GRAD(0), self, target, reduction));
  return OY_OK;
}
// log(1 + exp(-t x)) bends by t^2 s (1 - s) with s = sigmoid(t x).
BACKWARD(soft_margin_loss_backward) {
  ARGUMENTS(soft_margin_loss_backward);
  if (WANTS(grad_output))
    GIVE(grad_output, soft_margin_gradient(GRAD(0), self, target, reduction));
  if (!WANTS(self)) return OY_OK;
  oy_object* s = of_sigmoid(oyi_call_mul_Tensor(self, target));
  oy_object* slope = of_mul(one_minus(s), keep(s));
  oy_tensor_release(s);
  oy_object* bent = of_mul(keep(grad_output), oyi_call_mul_Tensor(target, target));
  bent = of_mul(keep(GRAD(0)), of_conj(of_mul(bent, slope)));
  GIVE(self, of_reduced(bent, self, reduction));
  return OY_OK;
}

// ----------------------------------------------------------- binary cross entropy

BACKWARD(binary_cross_entropy) {
  ARGUMENTS(binary_cross_entropy);
  if (WANTS(self))
    GIVE(self, oyi_call_binary_cross_entropy_backward(GRAD(0), self, target, weight,
                                                      reduction));
  if (WANTS(target)) {
    oy_object* slope = of_neg(oyi_call_logit(self, oy_none()));
    oy_object* given = of_weighted(of_mul(slope, keep(GRAD(0))), weight);
    GIVE(target, of_reduced(given, self, reduction));
  }
  return OY_OK;
}

// (x + eps)(1 - x + eps)
static oy_object* spread(oy_object* x) {
  const oy_scalar eps = oy_float(1e-12);
  return of_mul(of_add_number(one_minus(x), eps), of_add_number(keep(x), eps));
}
// The slope (x - t) / (x (1 - x)) has the slope (x^2 - 2 x t + t) / (x (1 - x))^2 for x.
static oy_object* entropy_twice(oy_object* x, oy_object* t) {
  oy_object* square = oyi_call_mul_Tensor(x, x);
  oy_object* cross = of_mul_number(oyi_call_mul_Tensor(x, t), oy_int(2));
  return of_div(of_add(of_sub(square, cross), keep(t)), of_square(spread(x)));
}
BACKWARD(binary_cross_entropy_backward) {
  ARGUMENTS(binary_cross_entropy_backward);
  if (WANTS(grad_output))
    GIVE(grad_output, oyi_call_binary_cross_entropy_backward(GRAD(0), self, target,
                                                             weight, reduction));
  if (!WANTS(self) && !WANTS(target)) return OY_OK;
  oy_object* both = of_reduced(
      of_weighted(oyi_call_mul_Tensor(GRAD(0), grad_output), weight), self, reduction);
  if (WANTS(self)) gives[EDGE_AT(self)] = of_mul(keep(both), entropy_twice(self, target));
  if (WANTS(target)) gives[EDGE_AT(target)] = of_neg(of_div(keep(both), spread(self)));
  oy_tensor_release(both);
  return given_all(node, gives);
}

// For x: sigmoid(x) - t, and with weights p of the positive class
// (p t + 1 - t) sigmoid(x) - p t.
static oy_object* logits_slope(oy_object* x, oy_object* t, oy_object* p) {
  oy_object* s = oyi_call_sigmoid(x);
  if (oy_object_is_none(p)) return of_sub(s, keep(t));
  oy_object* weighted = oyi_call_mul_Tensor(p, t);
  oy_object* factor = of_add(keep(weighted), one_minus(t));
  return of_sub(of_mul(factor, s), weighted);
}
// For t: -x, or log(sigmoid(-x)) - p log(sigmoid(x)).
static oy_object* logits_target_slope(oy_object* x, oy_object* p) {
  oy_object* back = oyi_call_neg(x);
  if (oy_object_is_none(p)) return back;
  oy_object* negative = oyi_call_log_sigmoid(back);
  oy_tensor_release(back);
  return of_sub(negative, of_mul(keep(p), oyi_call_log_sigmoid(x)));
}
BACKWARD(binary_cross_entropy_with_logits) {
  ARGUMENTS(binary_cross_entropy_with_logits);
  if (WANTS(self)) {
    oy_object* given = of_mul(logits_slope(self, target, pos_weight), keep(GRAD(0)));
    GIVE(self, of_reduced(of_weighted(given, weight), self, reduction));
  }
  if (WANTS(target)) {
    oy_object* given = of_mul(logits_target_slope(self, pos_weight), keep(GRAD(0)));
    GIVE(target, of_reduced(of_weighted(given, weight), self, reduction));
  }
  return OY_OK;
}

// -------------------------------------------------------------------- the table

#define PAIR(id, text)                                                                  \
  DERIVATIVE(id, text "Backward0", SAVE(id, self), SAVE(id, target))                    \
  DERIVATIVE(id##_backward, text "BackwardBackward0", SAVE(id##_backward, grad_output), \
             SAVE(id##_backward, self), SAVE(id##_backward, target))
PAIR(mse_loss, "MseLoss")
PAIR(smooth_l1_loss, "SmoothL1Loss")
PAIR(huber_loss, "HuberLoss")
PAIR(soft_margin_loss, "SoftMarginLoss")
#define ENTROPY(id, text, ...) \
  DERIVATIVE(id, text, SAVE(id, self), SAVE(id, target), SAVE(id, weight), ##__VA_ARGS__)
ENTROPY(binary_cross_entropy, "BinaryCrossEntropyBackward0")
ENTROPY(binary_cross_entropy_backward, "BinaryCrossEntropyBackwardBackward0",
        SAVE(binary_cross_entropy_backward, grad_output))
ENTROPY(binary_cross_entropy_with_logits, "BinaryCrossEntropyWithLogitsBackward0",
        SAVE(binary_cross_entropy_with_logits, pos_weight))
