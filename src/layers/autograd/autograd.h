// SPDX-License-Identifier: Apache-2.0
// Registration of the Autograd and ADInplaceOrView layers.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_AUTOGRAD_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_AUTOGRAD_H_

#include "ops/library.h"

oy_status oyi_register_autograd(oy_library* aten);
// For operators without an autograd kernel; |fallbacks| is an IMPL library of "_".
oy_status oyi_register_autograd_fallbacks(oy_library* fallbacks);
// The same for a backend that was added at run time, unless it has one.
oy_status oyi_autograd_fallback_of_backend(void* fallbacks, oy_backend backend);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_AUTOGRAD_H_
