// SPDX-License-Identifier: Apache-2.0
// Inner loops by operation and dtype: they only compute. No allocation, no
// errors, no globals.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_H_

#include "tensor/iterator.h"

typedef enum oyi_cpu_loop {
#define OY_LOOP(name, types) OYI_LOOP_##name,
#include "backends/cpu/loops.def"
#undef OY_LOOP
  OYI_LOOP_COUNT
} oyi_cpu_loop;

enum { OYI_LOOP_DTYPES = OY_DTYPE_BOOL + 1 };

// NULL where an operation has no loop for a dtype.
extern const oyi_loop oyi_cpu_loops[OYI_LOOP_COUNT][OYI_LOOP_DTYPES];
extern const char* const oyi_cpu_loop_names[OYI_LOOP_COUNT];

// Rows of a sum: data[0] is a double for floats, else an int64_t, and is added
// to; data[1] is the input. Loops exist for f32, f64 and i64.
extern const oyi_loop oyi_cpu_sum_loops[OYI_LOOP_DTYPES];

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_H_
