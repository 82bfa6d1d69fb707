// SPDX-License-Identifier: Apache-2.0
// Resampling along dimensions, one after another: each place of the output is a sum of
// some elements of the input, its taps, each with a weight. Padding by reflection and
// replication, nearest neighbours, linear and cubic interpolation are tables of taps.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_TAPS_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_TAPS_H_

#include "ops/rules/resample.h"

// |count| taps for each of the places of one dimension; |weight| NULL: one tap, weight 1.
// |used|, if it is not NULL, has how many of them, 1 at least, a place takes.
typedef struct oyi_taps {
  int64_t places, count;
  int64_t* index;
  double* weight;
  int64_t* used;
} oyi_taps;

// Room for all; false with the error set. Freed with oyi_taps_free, also if it failed.
bool oyi_taps_new(oyi_taps* taps, int64_t places, int64_t count);
void oyi_taps_free(oyi_taps* taps);

// |in| to |out|, images of |planes|, by taps for each dimension; if none has weights,
// elements are moved and may have any dtype.
oy_status oyi_taps_apply(const char* name, const oyi_resample* r, const oyi_taps* taps,
                         oyi_tensor* in, oyi_tensor* out);
// The adjoint: |grad|, of the output, to |out|, of the input.
oy_status oyi_taps_spread(const char* name, const oyi_resample* r, const oyi_taps* taps,
                          oyi_tensor* grad, oyi_tensor* out);

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_TAPS_H_
