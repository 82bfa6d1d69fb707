// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_FALLBACK_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_FALLBACK_H_

#include "opyard/autograd.h"
#include "opyard/inline.h"

// At the Autograd keys of operators without a kernel there.
oy_status oyi_autograd_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                const oy_kernel* kernel);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_FALLBACK_H_
