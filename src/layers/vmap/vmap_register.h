// SPDX-License-Identifier: Apache-2.0
// Registration of the transforms.
#ifndef OPYARD_SRC_LAYERS_VMAP_VMAP_REGISTER_H_
#define OPYARD_SRC_LAYERS_VMAP_VMAP_REGISTER_H_

#include "ops/library.h"

// Rules and decompositions.
oy_status oyi_register_vmap(oy_library* aten);
// What serves every operator; |fallbacks| is an IMPL library of "_".
oy_status oyi_register_vmap_fallbacks(oy_library* fallbacks);

#endif  // OPYARD_SRC_LAYERS_VMAP_VMAP_REGISTER_H_
