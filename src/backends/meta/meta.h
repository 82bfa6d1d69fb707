// SPDX-License-Identifier: Apache-2.0
// The Meta backend: tensors with a shape and no data. Operators whose kernel serves
// the CPU and Meta alike are registered by the CPU; here are the others.
#ifndef OPYARD_SRC_BACKENDS_META_META_H_
#define OPYARD_SRC_BACKENDS_META_META_H_

#include "ops/kernel.h"
#include "ops/library.h"

#define OYI_META_KERNEL(id)
#define OYI_META_KERNEL_SPLIT(id)   OYI_META(id);
#define OYI_META_FACTORY_KERNEL(id) OYI_META(id);
#define OYI_META_FACTORY(id)
#define OYI_META_IMPLICIT(id)
#define OYI_META_EXPLICIT(id)
#define OY_OP(family, id, where, backward, schema, doc) OYI_META_##where(id)
#include "ops/ops.def"
#undef OY_OP

oy_status oyi_register_meta(oy_library* library);

#endif  // OPYARD_SRC_BACKENDS_META_META_H_
