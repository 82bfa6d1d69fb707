// SPDX-License-Identifier: Apache-2.0
// Softmax over a dimension of size 1.
#ifndef OPYARD_SRC_BACKENDS_CPU_NORM_SOFTMAX_SINGLE_H_
#define OPYARD_SRC_BACKENDS_CPU_NORM_SOFTMAX_SINGLE_H_

#include "tensor/impl.h"

// |out| and |in| have the same sizes and dtype, one of floats; false if |out| has gaps.
bool oyi_softmax_single(oyi_tensor* out, const oyi_tensor* in, bool logarithm);

#endif  // OPYARD_SRC_BACKENDS_CPU_NORM_SOFTMAX_SINGLE_H_
