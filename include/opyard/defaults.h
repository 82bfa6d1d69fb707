// SPDX-License-Identifier: Apache-2.0
// What the process has chosen: the dtype of numbers that are given none, and how tensors
// are printed. To be set before other threads make or print tensors.
#ifndef OPYARD_DEFAULTS_H_
#define OPYARD_DEFAULTS_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

// What oy_dtype_default gives from now on (float32 at first). TYPE_MISMATCH unless |dtype|
// is floating point: "only floating-point types are supported as the default type".
OY_API OY_MUST_USE oy_status oy_dtype_default_set(oy_dtype dtype);

// As torch.set_printoptions has them.
typedef struct oy_print_options {
  int precision;       // [4] digits after the point, at most 60
  int64_t threshold;   // [1000] more elements than these are summarised
  int64_t edge_items;  // [3] how many are shown at each edge then
  int line_width;      // [80] characters
  int scientific;      // [-1] 1 always, 0 never, -1 where the values ask for it
} oy_print_options;
OY_API oy_print_options oy_print_options_get(void);
// INVALID_ARGUMENT for numbers below 0 (scientific aside) and a precision above 60.
OY_API OY_MUST_USE oy_status oy_print_options_set(oy_print_options options);
// oy_tensor_print as "name([1., 2.], requires_grad=True)"; NULL: what it is called otherwise.
OY_API OY_MUST_USE oy_status oy_tensor_print_as(const oy_tensor* tensor, const char* name,
                                                char** out_text);

OY_END_DECLS

#endif  // OPYARD_DEFAULTS_H_
