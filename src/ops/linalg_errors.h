// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_OPS_LINALG_ERRORS_H_
#define OPYARD_SRC_OPS_LINALG_ERRORS_H_

#include "opyard/tensor.h"

// Fails with what |info|, LAPACK's numbers for a batch of matrices, says of the first one
// that is wrong. |name| is what the message begins with, and decides what the number means.
oy_status oyi_linalg_check(oy_object* info, const char* name, bool is_matrix);

#endif  // OPYARD_SRC_OPS_LINALG_ERRORS_H_
