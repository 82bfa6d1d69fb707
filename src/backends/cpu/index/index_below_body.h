// SPDX-License-Identifier: Apache-2.0
// Indices of one CPU capability: LEVELED(name) is the name for it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "backends/cpu/index/index_check.h"

typedef uint64_t four __attribute__((vector_size(32)));
typedef uint64_t loaded_four
    __attribute__((vector_size(32), aligned(sizeof(uint64_t)), may_alias));

// Without a comparison, which vectors of unsigned numbers may not have: the sign of an
// index, or of what it lacks to |size|, tells. Vectors side by side, so that none waits for
// the one before.
bool LEVELED(oyi_all_below)(const uint64_t* x, int64_t n, uint64_t size) {
  enum { LANES = 4, SIDES = 4 };
  four sides[SIDES] = {{0}};
  int64_t i = 0;
  for (; i + SIDES * LANES <= n; i += SIDES * LANES)
    for (int k = 0; k < SIDES; k++) {
      const four some = *(const loaded_four*)(const void*)(x + i + k * LANES);
      sides[k] |= some | (size - 1 - some);
    }
  const four all = (sides[0] | sides[1]) | (sides[2] | sides[3]);
  uint64_t signs = all[0] | all[1] | all[2] | all[3];
  for (; i < n; i++) signs |= x[i] | (size - 1 - x[i]);
  return signs >> 63 == 0;
}
