// SPDX-License-Identifier: Apache-2.0
// How kernels of the table's operators are written: OYI_CPU(add_Tensor) { ... } is a
// function with (op, keys, self, other, alpha), named as the schema names them.
#ifndef OPYARD_SRC_OPS_KERNEL_H_
#define OPYARD_SRC_OPS_KERNEL_H_

#include "opyard/dispatcher.h"

// A kernel does not need all that its schema has.
#define OYI_UNUSED __attribute__((unused))
#include "ops/gen/table.h"

// What becomes of the results of an operator; see ops/gen/table.h.
typedef enum oyi_form {
#define OYI_FORM(name) OYI_GIVES_##name,
  OYI_FORM(NEW) OYI_FORM(VIEW) OYI_FORM(INPLACE) OYI_FORM(OUT) OYI_FORM(TUPLE)
      OYI_FORM(OUTS) OYI_FORM(LIST) OYI_FORM(VIEWS) OYI_FORM(VALUE) OYI_FORM(NOTHING)
#undef OYI_FORM
} oyi_form;
// OYI_FORM_OF(add_Tensor) is OYI_GIVES_NEW; OYI_BY_FORM(X_, add_Tensor) is X_NEW.
#define OYI_FORM_JOIN_(a, b) a##b
#define OYI_FORM_JOIN(a, b)  OYI_FORM_JOIN_(a, b)
#define OYI_BY_FORM(a, id)   OYI_FORM_JOIN(a, OYI_FORM_##id)
#define OYI_FORM_OF(id)      OYI_BY_FORM(OYI_GIVES_, id)

#define OYI_TYPED_KERNEL(id, name)                                            \
  OYI_RESULT_##id name(OYI_UNUSED const oy_op* op, OYI_UNUSED oy_keyset keys, \
                       OYI_PARAMS_##id)
#define OYI_CPU(id)           OYI_TYPED_KERNEL(id, oy_cpu_##id)
#define OYI_META(id)          OYI_TYPED_KERNEL(id, oy_meta_##id)
#define OYI_COMPOSITE(id)     OYI_TYPED_KERNEL(id, oy_composite_##id)
#define OYI_BACKENDSELECT(id) OYI_TYPED_KERNEL(id, oy_backendselect_##id)

#endif  // OPYARD_SRC_OPS_KERNEL_H_
