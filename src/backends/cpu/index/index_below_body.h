// SPDX-License-Identifier: Apache-2.0
// Indices of one CPU capability: LEVELED(name) is the name for it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "backends/cpu/index/index_check.h"

// Without a comparison, which vectors of unsigned numbers may not have: the sign of an
// index, or of what it lacks to |size|, tells.
bool LEVELED(oyi_all_below)(const uint64_t* x, int64_t n, uint64_t size) {
  uint64_t signs = 0;
  for (int64_t i = 0; i < n; i++) signs |= x[i] | (size - 1 - x[i]);
  return signs >> 63 == 0;
}
