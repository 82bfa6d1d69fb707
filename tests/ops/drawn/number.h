// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_TESTS_OPS_DRAWN_NUMBER_H_
#define OPYARD_TESTS_OPS_DRAWN_NUMBER_H_

#include "opyard/vmap.h"

// A drawn call (|data|, a gradcheck_call) as a function of its leaves: one number, which
// every result in double has a part in.
oy_status drawn_number(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs);

#endif  // OPYARD_TESTS_OPS_DRAWN_NUMBER_H_
