// SPDX-License-Identifier: Apache-2.0
// One formula for each row of the table that says FORMULA: a row without one is a
// link error.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_FORMULAS_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_FORMULAS_H_

#include "layers/autograd/node.h"

#define OYI_DECLARE_FORMULA(id)    extern const oyi_formula oyi_formula_##id;
#define OYI_DECLARE_DERIVATIVE(id) OYI_DECLARE_FORMULA(id)
#define OYI_DECLARE_PARTS(id)
#define OYI_DECLARE_LOOP(id)
#define OYI_DECLARE_NONE(id)
#define OYI_DECLARE_MISSING(id)
#define OY_OP(family, id, where, backward, schema, doc) OYI_DECLARE_##backward(id)
#include "ops/ops.def"
#undef OY_OP

// ------------------------------------------------------------- writing formulas

// Which edges a saved tensor is for.
enum { EDGE0 = 1, EDGE1 = 2 };
#define WANTS(i) (node->head.edges[i].node != NULL)
// out[i] = |value|, a new reference; returns on failure.
#define GIVE(i, value)                \
  do {                                \
    out[i] = (value);                 \
    if (!out[i]) return oy_failure(); \
  } while (0)

// One line of a file's table: inputs, then for which edges each of them, and the result,
// is saved.
#define FORMULA(id, text, fn, count, ...) \
  const oyi_formula oyi_formula_##id = {  \
      .name = text, .apply = fn, .inputs = count, .save_if = {__VA_ARGS__}};

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_FORMULAS_H_
