// SPDX-License-Identifier: Apache-2.0
// Gradients of ctc_loss. There is no second one, as in PyTorch.
#include "layers/autograd/derivatives/derivative.h"

#define GRADIENT_OF(id, backward_id)                                               \
  BACKWARD(id) {                                                                   \
    ARGUMENTS(id);                                                                 \
    if (WANTS(log_probs))                                                          \
      GIVE(log_probs,                                                              \
           backward_id(GRAD(0), log_probs, targets, input_lengths, target_lengths, \
                       RESULT(0), RESULT(1), blank, zero_infinity));               \
    return OY_OK;                                                                  \
  }
GRADIENT_OF(_ctc_loss, oyi_call__ctc_loss_backward)
GRADIENT_OF(_ctc_loss_Tensor, oyi_call__ctc_loss_backward_Tensor)

DERIVATIVE_OF_FIRST(_ctc_loss, "CtcLossBackward0", SAVE(_ctc_loss, log_probs),
                    SAVE(_ctc_loss, targets), OUTPUT(0), OUTPUT(1))
DERIVATIVE_OF_FIRST(_ctc_loss_Tensor, "CtcLossBackward1",
                    SAVE(_ctc_loss_Tensor, log_probs), SAVE(_ctc_loss_Tensor, targets),
                    SAVE(_ctc_loss_Tensor, input_lengths),
                    SAVE(_ctc_loss_Tensor, target_lengths), OUTPUT(0), OUTPUT(1))
