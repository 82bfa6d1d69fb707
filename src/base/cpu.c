// SPDX-License-Identifier: Apache-2.0
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#if defined(__x86_64__)
#include <cpuid.h>

// Whether the system saves the registers that |bits| of XCR0 stand for.
static bool system_saves(unsigned bits) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & bits) == bits;
}

// By cpuid and not by __builtin_cpu_supports, which brings 4 kB of tables along.
static int machine_level(void) {
  const unsigned v3_1 = bit_FMA | bit_AVX | bit_OSXSAVE | bit_F16C | bit_MOVBE;
  const unsigned v3_7 = bit_AVX2 | bit_BMI | bit_BMI2;
  const unsigned v4_7 =
      bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
  unsigned a, b, c, d, b7;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & v3_1) != v3_1) return 0;
  if (!__get_cpuid_count(7, 0, &a, &b7, &c, &d) || (b7 & v3_7) != v3_7) return 0;
  if (!system_saves(0x6)) return 0;
  return (b7 & v4_7) == v4_7 && system_saves(0xe6) ? 2 : 1;
}
#else
static int machine_level(void) {
  return 0;
}
#endif

static int cap(void) {
  static const char* const names[] = {"default", "avx2", "avx512"};
  const char* value = getenv("OPYARD_CPU_CAPABILITY");
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
