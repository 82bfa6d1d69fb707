// SPDX-License-Identifier: Apache-2.0
// Where the windows of a pool lie, and the loops over one image.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_WINDOWS_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_WINDOWS_H_

#include "backends/cpu/neural/pool.h"

// The window of one place along one dimension. |extent| counts padding too.
typedef struct oyi_pool_range {
  int64_t from, to, extent;
} oyi_pool_range;

typedef struct oyi_pool_windows {
  int64_t in[OYI_SPATIAL], out[OYI_SPATIAL], step[OYI_SPATIAL];
  oyi_pool_range *block, *ranges[OYI_SPATIAL];  // which lie in a block
  bool count_padding;
  bool is_small;  // an index fits into 32 bits
  int64_t divisor;
  // Along the last dimension, places whose windows are alike, and how far the next one is.
  int64_t first, last, advance;
  int64_t
      channels;  // side by side, with whole images of which the loops are called; or 1
  const struct oyi_pool_places* places;  // of a few images together, or NULL
  // Every element is in one window, and too few of them are alike for vectors.
  bool are_tiles;
} oyi_pool_windows;

// The windows of |p|; sums of them keep their order where |item|, the bytes of an element, is
// not 0. The ranges are the caller's to free, as a block.
oy_status oyi_pool_windows_of(const oyi_pool* p, const oyi_pool_how* how, int64_t item,
                              oyi_pool_windows* w);

// The same, of which none of the dimensions become one: for ranges that others write.
oy_status oyi_pool_windows_apart(const oyi_pool* p, const oyi_pool_how* how,
                                 oyi_pool_windows* w);

// |t|, or a view of it with channels last where they lie side by side; a new reference. NULL of
// NULL.
oyi_tensor* oyi_pool_turned(oyi_tensor* t, bool are_last);

// Whether sums of |width| elements are added one after the other: see sum_wide in pool_tmpl.h.
static inline bool oyi_pool_is_narrow(int64_t width, int64_t item) {
  return width < 64 / item;
}

// What the sum of a window, which is not empty, is divided by.
static inline int64_t oyi_pool_divisor(const oyi_pool_windows* w, oyi_pool_range d,
                                       oyi_pool_range h, oyi_pool_range x) {
  if (w->divisor) return w->divisor;
  if (w->count_padding) return d.extent * h.extent * x.extent;
  return (d.to - d.from) * (h.to - h.from) * (x.to - x.from);
}

// Greatest elements, and their places, of images whose places fit into 32 bits; by vectors
// that are twice as wide, where as many windows of a line are alike.
void oyi_pool_max_f32_v3(const oyi_pool_windows* w, const void* in, void* out,
                         int64_t* indices);
void oyi_pool_max_f64_v3(const oyi_pool_windows* w, const void* in, void* out,
                         int64_t* indices);

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_WINDOWS_H_
