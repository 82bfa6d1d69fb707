// SPDX-License-Identifier: Apache-2.0
// The shape and dtype rule of cat, for new and given outputs and for Meta; the size of a
// block of block_diag.
#ifndef OPYARD_SRC_OPS_RULES_JOIN_H_
#define OPYARD_SRC_OPS_RULES_JOIN_H_

#include "opyard/value.h"
#include "tensor/impl.h"

typedef struct oyi_join {
  oyi_tensor* out;
  size_t dim;
} oyi_join;
// An old rule: a vector without elements goes with tensors of any shape.
static inline bool oyi_join_skips(const oyi_tensor* t) {
  return t->ndim == 1 && t->sizes[0] == 0;
}
// |out| NULL makes a new tensor.
oy_status oyi_rule_cat(oyi_join* join, oy_tensors tensors, int64_t dim, oy_object* out);

// Rows and columns of a block: a vector is a row, a number is both. |position|: of the block
// among the operands, for the message.
oy_status oyi_block_size(oy_object* tensor, size_t position, int64_t* rows,
                         int64_t* columns);

#endif  // OPYARD_SRC_OPS_RULES_JOIN_H_
