// SPDX-License-Identifier: Apache-2.0
// Images of two dimensions whose channels lie side by side, in memory before and after: what is
// weighed, or moved, are vectors of channels.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_TAPS_CHANNELS_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_TAPS_CHANNELS_H_

#include "backends/cpu/neural/taps.h"

// Places of the input and weights, one or two, of each line of the output and of each place along
// a line. Weights are elements; NULL: 1.
typedef struct oyi_channel_taps {
  const int64_t *at_h, *at_w;
  const void *weight_h, *weight_w;
  int64_t count, in_w, out_w, channels;
  int64_t item;
} oyi_channel_taps;

// Line |h| of the output from an image of the input; and its gradient, |line|, to an image.
typedef void (*oyi_channel_apply)(const oyi_channel_taps* t, int64_t h, const void* image,
                                  void* line);
typedef void (*oyi_channel_spread)(const oyi_channel_taps* t, int64_t h, const void* line,
                                   void* image);
typedef struct oyi_channel_ways {
  oyi_channel_apply apply[2];  // of floats, of doubles
  oyi_channel_spread spread[2];
} oyi_channel_ways;
extern const oyi_channel_ways oyi_channel_ways_plain, oyi_channel_ways_v3;

// Whether both are such images, of more than a few channels, and the taps are as above.
bool oyi_taps_have_channels(const oyi_taps* taps, const oyi_tensor* in,
                            const oyi_tensor* out);
// Whether gradients of narrow images are sooner turned so, and back, than added to lines.
bool oyi_taps_are_worth_channels(const oyi_taps* taps, const oyi_tensor* in,
                                 const oyi_tensor* out);
// As the functions of taps.h.
oy_status oyi_taps_apply_channels(const char* name, const oyi_resample* r,
                                  const oyi_taps* taps, oyi_tensor* in, oyi_tensor* out);
oy_status oyi_taps_spread_channels(const char* name, const oyi_resample* r,
                                   const oyi_taps* taps, oyi_tensor* grad,
                                   oyi_tensor* out);

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_TAPS_CHANNELS_H_
