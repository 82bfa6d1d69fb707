// SPDX-License-Identifier: Apache-2.0
// One formula for each row of the table that says FORMULA: a row without one is a
// link error.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_FORMULAS_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_FORMULAS_H_

#include "layers/autograd/node.h"

#define OYI_DECLARE_FORMULA(id) extern const oyi_formula oyi_formula_##id;
#define OYI_DECLARE_PARTS(id)
#define OYI_DECLARE_NONE(id)
#define OYI_DECLARE_MISSING(id)
#define OY_OP(family, id, where, backward, schema, doc) OYI_DECLARE_##backward(id)
#include "ops/ops.def"
#undef OY_OP

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_FORMULAS_H_
