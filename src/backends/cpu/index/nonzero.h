// SPDX-License-Identifier: Apache-2.0
// Where elements are not 0, for the operators that need it: nonzero, masks as indices.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_NONZERO_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_NONZERO_H_

#include "tensor/impl.h"

// How many of |n| bools, bytes of 0 or 1, are true.
int64_t oyi_count_true(const uint8_t* truth, int64_t n);

// One new int64 vector for each dimension of |t|: the places, in row-major order.
oy_status oyi_nonzero_columns(const oyi_tensor* t, oyi_tensor** columns);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_NONZERO_H_
