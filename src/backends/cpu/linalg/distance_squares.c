// SPDX-License-Identifier: Apache-2.0
#define SQUARES_TABLE oyi_distance_squares_base
#include "backends/cpu/linalg/distance_squares_body.h"
#include "base/cpu.h"

extern const oyi_distance_squares oyi_distance_squares_v3[2], oyi_distance_squares_v4[2];

const oyi_distance_squares* oyi_distance_squares_table(void) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 1) return oyi_distance_squares_v4;
  if (oyi_cpu_level() > 0) return oyi_distance_squares_v3;
#endif
  return oyi_distance_squares_base;
}
