// SPDX-License-Identifier: Apache-2.0
// Loops of f32 over tensors of f16 and bf16, and of c64 over those of c32: each row goes through
// buffers of f32, a piece at a time, so that a result is rounded once.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_HALF_LOOP_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_HALF_LOOP_H_

#include "tensor/iterator.h"

// Every operand of |it| that has its dtype is converted, and of c32 those of f16, the others pass
// as they are.
void oyi_half_run(oyi_iter* it, oyi_loop loop, const void* args);

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_HALF_LOOP_H_
