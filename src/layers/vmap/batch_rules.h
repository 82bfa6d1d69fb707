// SPDX-License-Identifier: Apache-2.0
// The table of batching rules.
#ifndef OPYARD_SRC_LAYERS_VMAP_BATCH_RULES_H_
#define OPYARD_SRC_LAYERS_VMAP_BATCH_RULES_H_

#include "ops/library.h"

oy_status oyi_register_batch_rules(oy_library* aten);
// Operators that are composed of others inside vmap alone; see batch_decompose.c.
oy_status oyi_register_batch_decompositions(oy_library* aten);

#endif  // OPYARD_SRC_LAYERS_VMAP_BATCH_RULES_H_
