// SPDX-License-Identifier: Apache-2.0
// Where the windows of a pool lie, and the loops over one image.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_WINDOWS_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_WINDOWS_H_

#include "ops/rules/pool.h"

// The window of one place along one dimension. |extent| counts padding too.
typedef struct oyi_pool_range {
  int64_t from, to, extent;
} oyi_pool_range;

typedef struct oyi_pool_windows {
  int64_t in[OYI_SPATIAL], out[OYI_SPATIAL], step[OYI_SPATIAL];
  oyi_pool_range* ranges[OYI_SPATIAL];
  bool count_padding;
  bool is_small;  // an index fits into 32 bits
  int64_t divisor;
  // Along the last dimension, places whose windows are alike, and how far the next one is.
  int64_t first, last, advance;
  // Every element is in one window, and too few of them are alike for vectors.
  bool are_tiles;
} oyi_pool_windows;

// Greatest elements, and their places, of images whose places fit into 32 bits; by vectors
// that are twice as wide, where as many windows of a line are alike.
void oyi_pool_max_f32_v3(const oyi_pool_windows* w, const void* in, void* out,
                         int64_t* indices);
void oyi_pool_max_f64_v3(const oyi_pool_windows* w, const void* in, void* out,
                         int64_t* indices);

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_WINDOWS_H_
