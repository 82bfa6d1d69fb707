// SPDX-License-Identifier: Apache-2.0
// Prototypes of the composite kernels, from the table: a row that says IMPLICIT,
// EXPLICIT or FACTORY and has no function here is a link error.
#ifndef OPYARD_SRC_OPS_KERNELS_H_
#define OPYARD_SRC_OPS_KERNELS_H_

#include "ops/families.h"

#define OYI_DECLARE_KERNEL(family, id)
#define OYI_DECLARE_KERNEL_TYPED(family, id)
#define OYI_DECLARE_FACTORY_KERNEL(family, id) OYI_KERNEL(family, oy_backendselect_##id);
#define OYI_DECLARE_FACTORY(family, id)      \
  OYI_KERNEL(family, oy_backendselect_##id); \
  OYI_KERNEL(family, oy_composite_##id);
#define OYI_DECLARE_IMPLICIT(family, id)                OYI_KERNEL(family, oy_composite_##id);
#define OYI_DECLARE_EXPLICIT(family, id)                OYI_KERNEL(family, oy_composite_##id);
#define OY_OP(family, id, where, backward, schema, doc) OYI_DECLARE_##where(family, id)
#include "ops/ops.def"
#undef OY_OP

#endif  // OPYARD_SRC_OPS_KERNELS_H_
