// SPDX-License-Identifier: Apache-2.0
// Registration of the lazy keys, and of Named.
#ifndef OPYARD_SRC_LAYERS_LAZY_LAZY_REGISTER_H_
#define OPYARD_SRC_LAYERS_LAZY_LAZY_REGISTER_H_

#include "opyard/library.h"

// Operators that know zeros.
oy_status oyi_register_zeros(oy_library* aten);
// What serves every operator; |fallbacks| is an IMPL library of "_".
oy_status oyi_register_lazy_fallbacks(oy_library* fallbacks);

#endif  // OPYARD_SRC_LAYERS_LAZY_LAZY_REGISTER_H_
