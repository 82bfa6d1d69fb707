// SPDX-License-Identifier: Apache-2.0
// Offsets of places in row-major order, for one CPU capability: LEVELED(name) is the name.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "backends/cpu/index/take_offsets.h"
#include "backends/cpu/index/whole_numbers.h"

enum { BLOCK = 512 };

// What is left of |rest| for slower dimensions than this one; adds what it says to |sums|.
static void add_dimension(int64_t n, double* restrict rest, double* restrict sums,
                          double size, double step) {
  const double once = 1 / size;
  for (int64_t i = 0; i < n; i++) {
    const double whole = oyi_whole_quotient(rest[i], once);
    sums[i] += (rest[i] - whole * size) * step;
    rest[i] = whole;
  }
}

static void find_block(const oyi_take_dims* t, int64_t n, const double* start,
                       int64_t* offsets) {
  double rest[BLOCK], sums[BLOCK] = {0};
  memcpy(rest, start, (size_t)n * sizeof(*rest));
  for (size_t d = 0; d + 1 < t->ndim; d++)
    add_dimension(n, rest, sums, (double)t->sizes[d], (double)t->steps[d]);
  const double step = (double)t->steps[t->ndim - 1];
  for (int64_t i = 0; i < n; i++) offsets[i] = oyi_whole_to_int(sums[i] + rest[i] * step);
}

bool LEVELED(oyi_take_offsets)(const oyi_take_dims* t, int64_t n, const int64_t* index,
                               int64_t* offsets) {
  const int64_t numel = t->numel;
  uint64_t signs = 0;
  double start[BLOCK];
  for (int64_t begin = 0; begin < n; begin += BLOCK) {
    const int64_t some = n - begin < BLOCK ? n - begin : BLOCK;
    for (int64_t i = 0; i < some; i++) {
      const int64_t asked = index[begin + i], place = asked < 0 ? asked + numel : asked;
      signs |= (uint64_t)place | ((uint64_t)numel - 1 - (uint64_t)place);
      start[i] = oyi_whole_from_int(place);
    }
    if (signs >> 63) return false;
    find_block(t, some, start, offsets + begin);
  }
  return true;
}
