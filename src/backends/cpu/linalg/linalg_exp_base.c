// SPDX-License-Identifier: Apache-2.0
#define EXP_TABLE oyi_exp_loops_base
#define LANES     2
#define ROWS      2
#include "backends/cpu/linalg/linalg_exp_body.h"
#include "base/cpu.h"

extern const oyi_exp_loops oyi_exp_loops_v3, oyi_exp_loops_v4;

const oyi_exp_loops* oyi_exp_loops_table(void) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 1) return &oyi_exp_loops_v4;
  if (oyi_cpu_level() > 0) return &oyi_exp_loops_v3;
#endif
  return &oyi_exp_loops_base;
}
