// SPDX-License-Identifier: Apache-2.0
// What composite operators share: numbers in the place of tensors, and results that are
// computed first and copied into |out| then.
#ifndef OPYARD_SRC_OPS_COMPOSITE_COMPOSITE_H_
#define OPYARD_SRC_OPS_COMPOSITE_COMPOSITE_H_

#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/rules.h"
#include "tensor/iterator.h"

// Returns |call|, which sees |number| as the tensor |name|: 0-d, and promoted as a
// number is.
#define OYI_WITH_NUMBER(name, number, call)    \
  do {                                         \
    oy_object* name = oyi_wrap_number(number); \
    oy_object* with_number_result = (call);    \
    oy_tensor_release(name);                   \
    return with_number_result;                 \
  } while (0)

// Returns |call|, which sees |value| as |name| and is the last to use it.
#define OYI_LAST_USE(name, value, call)  \
  do {                                   \
    oy_object* name = (value);           \
    oy_object* last_use_result = (call); \
    oy_tensor_release(name);             \
    return last_use_result;              \
  } while (0)

#endif  // OPYARD_SRC_OPS_COMPOSITE_COMPOSITE_H_
