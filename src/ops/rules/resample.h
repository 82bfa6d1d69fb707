// SPDX-License-Identifier: Apache-2.0
// Images that are padded by their own elements, and images of another size: what their
// rules check. One to three dimensions; missing ones come first, with size 1.
#ifndef OPYARD_SRC_OPS_RULES_RESAMPLE_H_
#define OPYARD_SRC_OPS_RULES_RESAMPLE_H_

#include "ops/rules/spatial.h"

typedef struct oyi_resample {
  size_t ndim;
  int64_t planes;
  int64_t in[OYI_SPATIAL], out[OYI_SPATIAL];
  int64_t before[OYI_SPATIAL];  // padding
} oyi_resample;

// |padding| comes in pairs, the last dimension first. |reflects|: it must be smaller than
// the image. |out_sizes| has the rank of |self|.
oy_status oyi_rule_image_pad(const oyi_tensor* t, oy_ints padding, size_t ndim,
                             bool reflects, oyi_resample* out, int64_t* out_sizes);
// |input_size| (batch, channels, ...) to |output_size|.
oy_status oyi_rule_upsample(oy_ints input_size, oy_ints output_size, size_t ndim,
                            oyi_resample* out, int64_t* out_sizes);

#endif  // OPYARD_SRC_OPS_RULES_RESAMPLE_H_
