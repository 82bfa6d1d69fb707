// SPDX-License-Identifier: Apache-2.0
// The three accumulators of result_type (reference, 8.8), for callers that have
// their operands in other forms than an array.
#ifndef OPYARD_SRC_TENSOR_PROMOTION_H_
#define OPYARD_SRC_TENSOR_PROMOTION_H_

#include "opyard/dispatcher.h"
#include "tensor/impl.h"

typedef struct oyi_result_state {
  oy_dtype dim, zero, wrapped;
} oyi_result_state;
#define OYI_RESULT_STATE_INIT \
  { OY_DTYPE_ANY, OY_DTYPE_ANY, OY_DTYPE_ANY }

oy_status oyi_result_add(oyi_result_state* state, const oyi_tensor* t);
oy_status oyi_result_finish(const oyi_result_state* state, oy_dtype* out_dtype);

// The dtype of a complex number's parts and absolute value; that of a real one is its own.
static inline oy_dtype oyi_real_dtype(oy_dtype dtype) {
  return dtype == OY_DTYPE_C64    ? OY_DTYPE_F32
         : dtype == OY_DTYPE_C128 ? OY_DTYPE_F64
         : dtype == OY_DTYPE_C32  ? OY_DTYPE_F16
                                  : dtype;
}

// The dtype rule of the default registry: the promoted dtype of the tensors.
oy_dtype oyi_call_dtype(const oy_op* op, oy_object* const* tensors, size_t count);

#endif  // OPYARD_SRC_TENSOR_PROMOTION_H_
