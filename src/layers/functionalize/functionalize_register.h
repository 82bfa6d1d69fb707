// SPDX-License-Identifier: Apache-2.0
// Registration of functionalization.
#ifndef OPYARD_SRC_LAYERS_FUNCTIONALIZE_FUNCTIONALIZE_REGISTER_H_
#define OPYARD_SRC_LAYERS_FUNCTIONALIZE_FUNCTIONALIZE_REGISTER_H_

#include "opyard/library.h"

// What serves every operator; |fallbacks| is an IMPL library of "_".
oy_status oyi_register_functionalize_fallback(oy_library* fallbacks);

#endif  // OPYARD_SRC_LAYERS_FUNCTIONALIZE_FUNCTIONALIZE_REGISTER_H_
