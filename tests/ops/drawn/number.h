// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_TESTS_OPS_DRAWN_NUMBER_H_
#define OPYARD_TESTS_OPS_DRAWN_NUMBER_H_

#include "ops/gradcheck_call.h"
#include "opyard/vmap.h"

// Every input of a call, for `argnums`.
extern const int64_t drawn_all[GRADCHECK_TENSORS];

// A drawn call (|data|, a gradcheck_call) as a function of its leaves: one number, which
// every result in double has a part in.
oy_status drawn_number(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs);

// Whether part |at| of the |parts| that |whole| has along its first dimension (1: all of
// it) is |want| but for rounding; NaN is NaN.
bool drawn_part_is(oy_tensor* whole, int64_t at, int64_t parts, oy_tensor* want);

void drawn_release(oy_tensor** t, size_t count);

#endif  // OPYARD_TESTS_OPS_DRAWN_NUMBER_H_
