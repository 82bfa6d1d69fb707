// SPDX-License-Identifier: Apache-2.0
// Prototypes of the CPU's operator kernels, from the operator table: a row that
// says KERNEL and has no function in this folder is a link error.
#ifndef OPYARD_SRC_BACKENDS_CPU_KERNELS_H_
#define OPYARD_SRC_BACKENDS_CPU_KERNELS_H_

#include "ops/families.h"
#include "ops/library.h"

#define OYI_CPU_KERNEL(family, id)         OYI_KERNEL(family, oy_cpu_##id);
#define OYI_CPU_FACTORY_KERNEL(family, id) OYI_KERNEL(family, oy_cpu_##id);
#define OYI_CPU_KERNEL_TYPED(family, id) \
  OYI_KERNEL(family, oy_cpu_##id##_f32); \
  OYI_KERNEL(family, oy_cpu_##id##_f64); \
  OYI_KERNEL(family, oy_cpu_##id##_i64);
#define OYI_CPU_FACTORY(family, id)
#define OYI_CPU_IMPLICIT(family, id)
#define OYI_CPU_EXPLICIT(family, id)
#define OY_OP(family, id, where, backward, schema, doc) OYI_CPU_##where(family, id)
#include "ops/ops.def"
#undef OY_OP

// Registers all of them; |library| is the aten library.
oy_status oyi_register_cpu(oy_library* library);

#endif  // OPYARD_SRC_BACKENDS_CPU_KERNELS_H_
