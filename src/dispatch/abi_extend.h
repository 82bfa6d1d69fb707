// SPDX-License-Identifier: Apache-2.0
// The part of the function table that the layers above the dispatcher bring.
#ifndef OPYARD_SRC_DISPATCH_ABI_EXTEND_H_
#define OPYARD_SRC_DISPATCH_ABI_EXTEND_H_

#include "opyard/abi.h"

// |tensors| is static storage. Before the first plugin is loaded; again does no harm.
void oyi_api_extend(uint64_t features, const oy_tensor_api* tensors);

#endif  // OPYARD_SRC_DISPATCH_ABI_EXTEND_H_
