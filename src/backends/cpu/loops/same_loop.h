// SPDX-License-Identifier: Apache-2.0
// Rows with operands that are the same everywhere, for loops that are fast only where all
// operands lie side by side.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_SAME_LOOP_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_SAME_LOOP_H_

#include "tensor/iterator.h"

// Runs |loop| on pieces of the row, with buffers in place of what is the same, and gives true;
// false, with nothing done, if that is not what the row is. |items| are the sizes of an
// element of the result and of each of three operands. |loop| must not come back here for a
// row without steps.
bool oyi_same_run(oyi_loop loop, const int64_t* items, int64_t n, char* const* data,
                  const int64_t* strides, const void* args);

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_SAME_LOOP_H_
