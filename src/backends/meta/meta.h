// SPDX-License-Identifier: Apache-2.0
// The Meta backend: tensors with a shape and no data.
#ifndef OPYARD_SRC_BACKENDS_META_META_H_
#define OPYARD_SRC_BACKENDS_META_META_H_

#include "ops/families.h"
#include "ops/library.h"

oy_status oyi_register_meta(oy_library* library);

#endif  // OPYARD_SRC_BACKENDS_META_META_H_
