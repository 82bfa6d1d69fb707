// SPDX-License-Identifier: Apache-2.0
// Inner loops by operation and dtype: they only compute. No allocation, no
// errors, no globals.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_LOOPS_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_LOOPS_H_

#include "tensor/iterator.h"

typedef enum oyi_cpu_loop {
#define OY_LOOP(name, pytorch)      OYI_LOOP_##name,
#define OY_LOOP_WIDE(name, pytorch) OYI_LOOP_##name,
#include "backends/cpu/loops/loops.def"
#undef OY_LOOP
#undef OY_LOOP_WIDE
  OYI_LOOP_COUNT
} oyi_cpu_loop;

enum { OYI_LOOP_DTYPES = OY_DTYPE_BF16 + 1 };

// NULL where an operation has no loop for a dtype. Filled once, before a kernel is
// registered, with the loops of the CPU capability that the machine has. Of f16 and bf16
// most have none: elementwise.c computes them in f32, and packs numbers as f32 always.
extern oyi_loop oyi_cpu_loops[OYI_LOOP_COUNT][OYI_LOOP_DTYPES];
// As PyTorch calls it in "... not implemented for 'Half'".
extern const char* const oyi_cpu_loop_names[OYI_LOOP_COUNT];
// Whether f16 and bf16 are refused.
extern const bool oyi_cpu_loop_is_wide[OYI_LOOP_COUNT];
void oyi_cpu_loops_init(void);

// Rows of a table of loops; the last one has no loop.
typedef struct oyi_loop_entry {
  uint16_t which;
  uint16_t dtype;
  oyi_loop loop;
} oyi_loop_entry;
extern const oyi_loop_entry oyi_loops_plain[], oyi_loops_complex[], oyi_loops_special[];
// For each of the three capability levels.
extern const oyi_loop_entry oyi_loops_arith[], oyi_loops_vmath[];
extern const oyi_loop_entry oyi_loops_arith_v3[], oyi_loops_vmath_v3[];
extern const oyi_loop_entry oyi_loops_arith_v4[], oyi_loops_vmath_v4[];

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_LOOPS_H_
