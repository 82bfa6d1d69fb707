// SPDX-License-Identifier: Apache-2.0
#define LEVELED(name) name##_base
#include "backends/cpu/loops/loops_random_body.h"
#include "base/cpu.h"

const oyi_random_loops* oyi_random_loops_here(void) {
#if defined(__x86_64__)
  const int level = oyi_cpu_level();
  if (level > 0) return level > 1 ? &oyi_random_loops_v4 : &oyi_random_loops_v3;
#endif
  return &oyi_random_loops_base;
}
