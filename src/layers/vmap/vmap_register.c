// SPDX-License-Identifier: Apache-2.0
// Registration: the two modes, the loop for what has no rule, decompositions for what is
// composed of other operators.
#include "layers/vmap/vmap_register.h"

#include "base/memory.h"
#include "layers/vmap/batch.h"
#include "layers/vmap/batch_rules.h"
#include "layers/vmap/grad_layer.h"
#include "ops/kernels.h"

#define IN_KERNEL(id)
#define IN_KERNEL_SPLIT(id)
#define IN_FACTORY_KERNEL(id)
#define IN_FACTORY(id)
#define IN_EXPLICIT(id)
// What is given by out= is composed by writing to it, which vmap cannot.
#define COMPOSED(id)         {OYI_OP_##id, 0, 0, 0, (oy_typed_fn)oy_composite_##id, NULL},
#define COMPOSED_NEW(id)     COMPOSED(id)
#define COMPOSED_VIEW(id)    COMPOSED(id)
#define COMPOSED_INPLACE(id) COMPOSED(id)
#define COMPOSED_TUPLE(id)   COMPOSED(id)
#define COMPOSED_LIST(id)    COMPOSED(id)
#define COMPOSED_VIEWS(id)   COMPOSED(id)
#define COMPOSED_VALUE(id)   COMPOSED(id)
#define COMPOSED_NOTHING(id) COMPOSED(id)
#define COMPOSED_OUT(id)
#define COMPOSED_OUTS(id)
#define IN_IMPLICIT(id) OYI_BY_FORM(COMPOSED_, id)(id)

// Loops over operators of single tensors are no more than those.
#define BY_FORMULA(id)
#define BY_DERIVATIVE(id)
#define BY_PARTS(id)
#define BY_NONE(id)
#define BY_MISSING(id)
#define BY_LOOP(id)                                     COMPOSED(id)
#define OY_OP(family, id, where, backward, schema, doc) IN_##where(id) BY_##backward(id)
static const oyi_kernel_row g_decompositions[] = {
#include "ops/ops.def"
};
#undef OY_OP

static oy_status register_fallback(oy_library* fallbacks, oy_key key, oy_boxed_fn fn) {
  return oy_library_fallback(fallbacks, key, &OY_BOXED(fn), OY_HERE, NULL);
}

oy_status oyi_register_vmap(oy_library* aten) {
  OY_TRY(oyi_register_rows(aten, OY_KEY_FuncTorchBatchedDecomposition, g_decompositions,
                           OY_ARRAY_SIZE(g_decompositions)));
  OY_TRY(oyi_register_batch_decompositions(aten));
  return oyi_register_batch_rules(aten);
}

oy_status oyi_register_vmap_fallbacks(oy_library* fallbacks) {
  OY_TRY(register_fallback(fallbacks, OY_KEY_FuncTorchDynamicLayerFrontMode,
                           oyi_layer_front));
  OY_TRY(
      register_fallback(fallbacks, OY_KEY_FuncTorchDynamicLayerBackMode, oyi_layer_back));
  OY_TRY(register_fallback(fallbacks, OY_KEY_FuncTorchGradWrapper, oyi_grad_escaped));
  return register_fallback(fallbacks, OY_KEY_FuncTorchBatched, oyi_batch_fallback);
}
