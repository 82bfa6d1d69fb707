// SPDX-License-Identifier: Apache-2.0
// Operators of the table by number. Numbers are not stable; names are for storage.
#ifndef OPYARD_SRC_OPS_OP_IDS_H_
#define OPYARD_SRC_OPS_OP_IDS_H_

#include "opyard/dispatcher.h"

typedef enum oyi_op_id {
#define OY_OP(family, id, where, backward, schema, doc) OYI_OP_##id,
#include "ops/ops.def"
#undef OY_OP
  OYI_OP_COUNT
} oyi_op_id;

// Handles in the default registry, valid once oy_init has run.
extern const oy_op* oyi_ops[OYI_OP_COUNT];

typedef struct oyi_op_row {
  const char* schema;
  const char* doc;
  const char* family;
  const char* file;  // of the table
  int line;
} oyi_op_row;
extern const oyi_op_row oyi_op_rows[OYI_OP_COUNT];

// "add.Tensor": the schema's text up to the parenthesis.
oy_str oyi_op_short_name(oyi_op_id id);

#endif  // OPYARD_SRC_OPS_OP_IDS_H_
