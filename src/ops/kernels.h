// SPDX-License-Identifier: Apache-2.0
// Prototypes of the composite kernels, from the table: a row that says IMPLICIT,
// EXPLICIT or FACTORY and has no function here is a link error.
#ifndef OPYARD_SRC_OPS_KERNELS_H_
#define OPYARD_SRC_OPS_KERNELS_H_

#include "ops/kernel.h"

#define OYI_DECLARE_KERNEL(id)
#define OYI_DECLARE_KERNEL_SPLIT(id)
#define OYI_DECLARE_FACTORY_KERNEL(id) OYI_BACKENDSELECT(id);
#define OYI_DECLARE_FACTORY(id) \
  OYI_BACKENDSELECT(id);        \
  OYI_COMPOSITE(id);
#define OYI_DECLARE_IMPLICIT(id)                        OYI_COMPOSITE(id);
#define OYI_DECLARE_EXPLICIT(id)                        OYI_COMPOSITE(id);
#define OY_OP(family, id, where, backward, schema, doc) OYI_DECLARE_##where(id)
#include "ops/ops.def"
#undef OY_OP

#endif  // OPYARD_SRC_OPS_KERNELS_H_
