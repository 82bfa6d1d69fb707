// SPDX-License-Identifier: Apache-2.0
// Outputs that a call writes as they are, and does not resize.
#ifndef OPYARD_SRC_TENSOR_BROADCAST_H_
#define OPYARD_SRC_TENSOR_BROADCAST_H_

#include "tensor/impl.h"

// That an output of |sizes| has what its operands broadcast to; INVALID_ARGUMENT.
oy_status oyi_broadcast_check(oy_ints sizes, oy_ints broadcast);

#endif  // OPYARD_SRC_TENSOR_BROADCAST_H_
