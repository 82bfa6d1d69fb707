// SPDX-License-Identifier: Apache-2.0
// Registration of the Autograd and ADInplaceOrView layers.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_AUTOGRAD_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_AUTOGRAD_H_

#include "ops/library.h"

// Kernels go to |aten|, fallthroughs to |fallbacks|, an IMPL library of "_".
oy_status oyi_register_autograd(oy_library* aten, oy_library* fallbacks);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_AUTOGRAD_H_
