// SPDX-License-Identifier: Apache-2.0
#include "base/shares.h"

void oyi_shares_cut(oyi_share* shares, int parts, int64_t count) {
  int64_t each = count / parts, more = count % parts, first = 0;
  for (int i = 0; i < parts; i++) {
    int64_t size = each + (i < more);
    shares[i] = (oyi_share){.first = first, .size = size};
    first += size;
  }
}

// Whether the caller may take one more of |s|. Looks first: a share that is used up is
// only read.
static bool claim(oyi_share* s) {
  return __atomic_load_n(&s->taken, __ATOMIC_RELAXED) < s->size &&
         __atomic_fetch_add(&s->taken, 1, __ATOMIC_RELAXED) < s->size;
}

int64_t oyi_shares_take(oyi_share* shares, int parts, int own) {
  for (int i = 0; i < parts; i++) {
    oyi_share* s = &shares[(own + i) % parts];
    if (!claim(s)) continue;
    if (i == 0) return s->first + __atomic_fetch_add(&s->front, 1, __ATOMIC_RELAXED);
    return s->first + s->size - 1 - __atomic_fetch_add(&s->back, 1, __ATOMIC_RELAXED);
  }
  return -1;
}
