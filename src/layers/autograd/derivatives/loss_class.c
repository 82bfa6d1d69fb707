// SPDX-License-Identifier: Apache-2.0
// Gradients of losses whose target is a class: by the operators that PyTorch has for them.
#include "layers/autograd/derivatives/derivative.h"

// The gradient is linear in grad_output, whose gradient is the loss of GRAD(0).
#define LIKELIHOOD(id)                                                            \
  BACKWARD(id##_forward) {                                                        \
    ARGUMENTS(id##_forward);                                                      \
    GIVE(self, oyi_call_##id##_backward(GRAD(0), self, target, weight, reduction, \
                                        ignore_index, RESULT(1)));                \
    return OY_OK;                                                                 \
  }                                                                               \
  BACKWARD(id##_backward) {                                                       \
    ARGUMENTS(id##_backward);                                                     \
    if (WANTS(grad_output))                                                       \
      GIVE(grad_output,                                                           \
           oyi_call_##id(GRAD(0), target, weight, reduction, ignore_index));      \
    if (WANTS(self)) GIVE(self, zeros_like(GRAD(0)));                             \
    return OY_OK;                                                                 \
  }
LIKELIHOOD(nll_loss)
LIKELIHOOD(nll_loss2d)

BACKWARD(multi_margin_loss) {
  ARGUMENTS(multi_margin_loss);
  GIVE(self, oyi_call_multi_margin_loss_backward(GRAD(0), self, target, p, margin, weight,
                                                 reduction));
  return OY_OK;
}
BACKWARD(multilabel_margin_loss_forward) {
  ARGUMENTS(multilabel_margin_loss_forward);
  GIVE(self, oyi_call_multilabel_margin_loss_backward(GRAD(0), self, target, reduction,
                                                      RESULT(1)));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

#define CLASSES(id) SAVE(id, target), SAVE(id, weight)
DERIVATIVE_OF_FIRST(nll_loss_forward, "NllLossBackward0", SAVE(nll_loss_forward, self),
                    CLASSES(nll_loss_forward), OUTPUT(1))
DERIVATIVE_OF_FIRST(nll_loss2d_forward, "NllLoss2DBackward0",
                    SAVE(nll_loss2d_forward, self), CLASSES(nll_loss2d_forward),
                    OUTPUT(1))
DERIVATIVE(nll_loss_backward, "NllLossBackwardBackward0", CLASSES(nll_loss_backward))
DERIVATIVE(nll_loss2d_backward, "NllLoss2DBackwardBackward0",
           CLASSES(nll_loss2d_backward))
DERIVATIVE(multi_margin_loss, "MultiMarginLossBackward0", SAVE(multi_margin_loss, self),
           CLASSES(multi_margin_loss))
DERIVATIVE_OF_FIRST(multilabel_margin_loss_forward, "MultilabelMarginLossBackward0",
                    SAVE(multilabel_margin_loss_forward, self),
                    SAVE(multilabel_margin_loss_forward, target), OUTPUT(1))
