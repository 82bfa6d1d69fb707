// SPDX-License-Identifier: Apache-2.0
// The out= form of an operator that is composed: the result is made first, then |out| is
// given its shape and a copy, as PyTorch's generated out= kernels do.
#ifndef OPYARD_SRC_OPS_OUT_H_
#define OPYARD_SRC_OPS_OUT_H_

#include "opyard/object.h"

// Takes over |result|, which may be NULL; gives |out|, borrowed, or NULL.
oy_object* oyi_into_out(oy_object* result, oy_object* out);

#endif  // OPYARD_SRC_OPS_OUT_H_
