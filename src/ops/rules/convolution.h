// SPDX-License-Identifier: Apache-2.0
// What a convolution is made of, checked. Images are what windows slide over, maps have
// one element for each place of a window: the input and the output of a convolution, the
// output and the input of a transposed one, which is the adjoint.
#ifndef OPYARD_SRC_OPS_RULES_CONVOLUTION_H_
#define OPYARD_SRC_OPS_RULES_CONVOLUTION_H_

#include "ops/rules/spatial.h"

// As the schema has them.
typedef struct oyi_conv_call {
  oy_object *input, *weight, *bias;  // |bias| may be &oy_none_object
  oy_ints stride, padding, dilation, output_padding;
  int64_t groups;
  bool transposed;
} oyi_conv_call;

// Dimensions that are missing come first, with size 1.
typedef struct oyi_conv {
  size_t ndim;  // spatial dimensions that there are
  int64_t batch, groups;
  int64_t image_channels, map_channels;  // of all groups
  int64_t image[OYI_SPATIAL], map[OYI_SPATIAL];
  int64_t kernel[OYI_SPATIAL], stride[OYI_SPATIAL], padding[OYI_SPATIAL],
      dilation[OYI_SPATIAL];
  bool transposed;
} oyi_conv;

// Checks, and computes the sizes of the output, which has the rank of the weight.
oy_status oyi_rule_convolution(const oyi_conv_call* call, oyi_conv* out_conv,
                               int64_t* out_sizes);
// The format of outputs: channels_last if the input or the weight has it.
oy_memory_format oyi_conv_format(const oyi_conv_call* call);

static inline int64_t oyi_volume(const int64_t* sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

#endif  // OPYARD_SRC_OPS_RULES_CONVOLUTION_H_
