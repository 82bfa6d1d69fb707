// SPDX-License-Identifier: Apache-2.0
// Which thread of a region takes which chunk. Each starts with a share of its own, the
// same for the same count: what it wrote in the last region is in its caches, and the
// next operator of the same elements finds it there. Who is done takes from the ends of
// the others' shares, so nobody waits for one that is late or never comes.
#ifndef OPYARD_SRC_BASE_SHARES_H_
#define OPYARD_SRC_BASE_SHARES_H_

#include "opyard/base.h"

// One thread's chunks: |first| to |first| + |size| - 1, from the front by itself, from
// the back by others. |taken| counts both, so that they never meet.
typedef struct oyi_share {
  _Alignas(64) int64_t taken;
  int64_t front, back;
  int64_t first, size;
} oyi_share;

// |count| chunks in |parts| shares. Nobody may be taking from them.
void oyi_shares_cut(oyi_share* shares, int parts, int64_t count);

// A chunk that nobody else takes, of share |own| (of |parts|, counted round) as long as it
// has some; -1 when there are no more.
int64_t oyi_shares_take(oyi_share* shares, int parts, int own);

#endif  // OPYARD_SRC_BASE_SHARES_H_
