// SPDX-License-Identifier: Apache-2.0
// What operators over images share: outputs in the memory format of the input, and
// lists that are one number for all dimensions.
#ifndef OPYARD_SRC_OPS_RULES_SPATIAL_H_
#define OPYARD_SRC_OPS_RULES_SPATIAL_H_

#include "opyard/value.h"
#include "tensor/impl.h"

enum { OYI_SPATIAL = 3 };  // dimensions that an image has at most

// An output of |sizes| and |dtype|, on the device of |like|, laid out as |format| says.
// |out| NULL: a new one, else |out|, which must have this dtype, resized.
oyi_tensor* oyi_rule_spatial(oy_ints sizes, oy_dtype dtype, const oyi_tensor* like,
                             oy_memory_format format, oy_object* out);
// channels_last of the right rank if |t| looks so, else contiguous.
oy_memory_format oyi_spatial_format(const oyi_tensor* t);

#endif  // OPYARD_SRC_OPS_RULES_SPATIAL_H_
