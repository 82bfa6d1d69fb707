// SPDX-License-Identifier: Apache-2.0
// Places of short rows, for one CPU capability: LEVELED(name) is the name for it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <string.h>

#include "backends/cpu/index/nonzero.h"
#include "backends/cpu/index/whole_numbers.h"

enum { BLOCK = 512 };  // elements whose places are found, then taken apart, at once

// Which of |n| elements are not 0. Each number is written, and the next one over it if that
// element is 0: a branch would be guessed wrong for every other one.
static int64_t find(int32_t* found, const uint8_t* truth, int32_t n) {
  int64_t count = 0;
  for (int32_t i = 0; i < n; i++) {
    found[count] = i;
    count += truth[i];
  }
  return count;
}

// The coordinates in a dimension of |size|; |rest|, less what they say, remains for the
// dimensions before.
static void split(int64_t n, double* restrict rest, double size,
                  int64_t* restrict places) {
  const double once = 1 / size;
  for (int64_t i = 0; i < n; i++) {
    const double whole = oyi_whole_quotient(rest[i], once);
    places[i] = oyi_whole_to_int(rest[i] - whole * size);
    rest[i] = whole;
  }
}

static void store(char* at, int64_t step, const int64_t* places, int64_t n) {
  if (step == sizeof(*places))
    memcpy(at, places, (size_t)n * sizeof(*places));
  else
    for (int64_t i = 0; i < n; i++) *(int64_t*)(void*)(at + i * step) = places[i];
}

static void list_block(const oyi_places* out, int64_t row, int64_t first,
                       const int32_t* found, int64_t n) {
  double rest[BLOCK];
  int64_t places[BLOCK];
  for (int64_t i = 0; i < n; i++) rest[i] = (double)first + found[i];
  for (size_t d = out->ndim; d-- > 0;) {
    const int64_t size = out->sizes[d];
    if (size == 1)
      memset(places, 0, (size_t)n * sizeof(*places));
    else
      split(n, rest, (double)size, places);
    store(out->at[d] + row * out->step, out->step, places, n);
  }
}

void LEVELED(oyi_places_list)(const oyi_places* out, const uint8_t* truth, int64_t first,
                              int64_t row, int64_t end) {
  int32_t found[BLOCK + 1];
  while (row < end) {
    const int64_t left = out->numel - first, some = left < BLOCK ? left : BLOCK;
    int64_t n = find(found, truth + first, (int32_t)some);
    if (n > end - row) n = end - row;
    list_block(out, row, first, found, n);
    row += n;
    first += some;
  }
}
