// SPDX-License-Identifier: Apache-2.0
// Many short rows of which each begins elsewhere: a column, or a row that comes again, beside a
// matrix. One call takes all of them, where a loop would be called for each.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_LOOPS_ROWS_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_LOOPS_ROWS_H_

#include "backends/cpu/loops/loops.h"

typedef enum oyi_rows_op {
  OYI_ROWS_ADD,
  OYI_ROWS_SUB,
  OYI_ROWS_MUL,
  OYI_ROWS_DIV,
  OYI_ROWS_MAXIMUM,
  OYI_ROWS_MINIMUM,
  OYI_ROWS_RELU,  // of one input from here on
  OYI_ROWS_NEG,
  OYI_ROWS_ABS,
  OYI_ROWS_SQUARE,
  OYI_ROWS_OPS
} oyi_rows_op;

// Of inputs that lie together along a row, or are the same all along it, as the output lies
// together. |args| are those of the loop. NULL where a dtype has none.
extern const oyi_block oyi_rows_v4[OYI_ROWS_OPS][OY_DTYPE_F64 + 1];

// Runs a walk in this way; false if it has no such rows, or the machine no such loop, and nothing
// is done.
bool oyi_rows_run(const oyi_iter* it, oyi_cpu_loop which, const void* args);

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_LOOPS_ROWS_H_
