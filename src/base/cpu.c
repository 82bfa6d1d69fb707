// SPDX-License-Identifier: Apache-2.0
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int machine_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
            __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") &&
            __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4 ? 2 : v3 ? 1 : 0;
#else
  return 0;
#endif
}

static int cap(void) {
  static const char* const names[] = {"baseline", "v3", "v4"};
  const char* value = getenv("OPYARD_CPU_LEVEL");
  for (int i = 0; value && i < (int)OY_ARRAY_SIZE(names); i++)
    if (strcmp(value, names[i]) == 0) return i;
  return 2;
}

int oyi_cpu_level(void) {
  static int level = -1;
  int now = __atomic_load_n(&level, __ATOMIC_RELAXED);
  if (now >= 0) return now;
  now = machine_level() < cap() ? machine_level() : cap();
  __atomic_store_n(&level, now, __ATOMIC_RELAXED);
  return now;
}
