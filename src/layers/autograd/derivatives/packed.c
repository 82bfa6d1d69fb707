// SPDX-License-Identifier: Apache-2.0
// The gradient of packing: rows go back where they were, padding gets none.
#include "layers/autograd/derivatives/derivative.h"

BACKWARD(_pack_padded_sequence) {
  ARGUMENTS(_pack_padded_sequence);
  if (WANTS(input))
    GIVE(input, oyi_call__pack_padded_sequence_backward(GRAD(0), INPUT_SIZES(input),
                                                        RESULT(1), batch_first));
  return OY_OK;
}

DERIVATIVE_OF_FIRST(_pack_padded_sequence, "PackPaddedSequenceBackward0", OUTPUT(1))
