// SPDX-License-Identifier: Apache-2.0
// Prototypes of the CPU's operator kernels, from the operator table: a row that
// says KERNEL and has no function in this folder is a link error.
#ifndef OPYARD_SRC_BACKENDS_CPU_KERNELS_H_
#define OPYARD_SRC_BACKENDS_CPU_KERNELS_H_

#include "ops/kernel.h"
#include "ops/library.h"

#define OYI_CPU_KERNEL(id)         OYI_CPU(id);
#define OYI_CPU_KERNEL_SPLIT(id)   OYI_CPU(id);
#define OYI_CPU_FACTORY_KERNEL(id) OYI_CPU(id);
#define OYI_CPU_FACTORY(id)
#define OYI_CPU_IMPLICIT(id)
#define OYI_CPU_EXPLICIT(id)
#define OY_OP(family, id, where, backward, schema, doc) OYI_CPU_##where(id)
#include "ops/ops.def"
#undef OY_OP

// Registers all of them, and for Meta those that serve it too; |library| is the aten
// library.
oy_status oyi_register_cpu(oy_library* library);
// Those of them that compute no element, for |key| of any backend whose tensors have
// storages.
oy_status oyi_register_views(oy_library* library, oy_key key);

#endif  // OPYARD_SRC_BACKENDS_CPU_KERNELS_H_
