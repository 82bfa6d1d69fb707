// SPDX-License-Identifier: Apache-2.0
// Pools of images whose lines are too short for vectors: by vectors of any places of the
// output, whose windows a table has, and by vectors of channels that lie side by side.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_WAYS_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_WAYS_H_

#include "backends/cpu/neural/pool_windows.h"

// The windows of all places of a few images that follow each other, a vector of places after
// the other; the last one lies over those before it.
typedef struct oyi_pool_places {
  int64_t planes, count, vectors;  // images, places, and vectors of these
  int64_t* begin;  // where the elements of a vector's windows begin, and a last end
  // Vectors of integers as wide as elements: how many elements each window has, in which
  // image it is (the place of its first element), and the places of its elements, of which
  // the last one is repeated where another lane has more.
  void *counts, *bases, *offsets;
  void* divisors;  // vectors of elements
} oyi_pool_places;

typedef void (*oyi_pool_fn)(const oyi_pool_windows* w, const void* in, void* out,
                            int64_t* indices);
typedef struct oyi_pool_ways {
  int64_t lanes, item;  // of a vector, and the bytes of one
  oyi_pool_fn max_places, average_places, max_channels, average_channels;
  oyi_pool_fn spread_channels;  // of images as three dimensions, which are added to
} oyi_pool_ways;

// A table for |planes| images, or NULL where it would not pay.
oyi_pool_places* oyi_pool_places_new(const oyi_pool_windows* w, int64_t planes,
                                     const oyi_pool_ways* ways);

extern const oyi_pool_ways oyi_pool_ways_f32, oyi_pool_ways_f64, oyi_pool_ways_f32_v3,
    oyi_pool_ways_f64_v3;

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_POOL_WAYS_H_
