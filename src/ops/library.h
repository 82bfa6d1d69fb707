// SPDX-License-Identifier: Apache-2.0
// Registration of the operator table. Everything is in const tables; one call
// registers a table with one library.
#ifndef OPYARD_SRC_OPS_LIBRARY_H_
#define OPYARD_SRC_OPS_LIBRARY_H_

#include "ops/op_ids.h"
#include "opyard/library.h"

// One kernel: which operator, what function, for which dtype if not for all, and how
// it ranks among others for the same.
typedef struct oyi_kernel_row {
  uint16_t id;
  uint8_t dtype_filter;  // OY_FOR_DTYPE, 0 for all
  int16_t priority;      // the greater wins
  uint16_t line;         // of |file|
  oy_typed_fn typed;     // NULL: calls fall through
  const char* file;      // where it is from; NULL: the row of the table
} oyi_kernel_row;

// Registers |rows| for |key|.
oy_status oyi_register_rows(oy_library* library, oy_key key, const oyi_kernel_row* rows,
                            size_t count);
// Defines the operators of the table and registers the composite and
// the BackendSelect kernels; fills oyi_ops.
oy_status oyi_register_ops(oy_library* library, oy_registry* registry);

#endif  // OPYARD_SRC_OPS_LIBRARY_H_
