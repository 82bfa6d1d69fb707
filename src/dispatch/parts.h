// SPDX-License-Identifier: Apache-2.0
// Whether an operator is composed of others, for layers that take it apart.
#ifndef OPYARD_SRC_DISPATCH_PARTS_H_
#define OPYARD_SRC_DISPATCH_PARTS_H_

#include "dispatch/thunks.h"
#include "opyard/dispatcher.h"

// Composed is what has one kernel for autograd and for the backend of |keys| (the CPU if they
// have none). *out_keys is where a call of that kernel goes.
static inline bool oyi_op_has_parts(const oy_op* op, oy_keyset keys,
                                    oy_keyset* out_keys) {
  const uint64_t autograd = 1ull << OY_KEY_AutogradFunctionality;
  const uint64_t backends = keys.backends ? keys.backends : 1;
  oy_keyset above = {autograd, backends}, below = {1ull << OY_KEY_Dense, backends};
  const oy_kernel* kernel = oy_select_masked(op, &above);
  if (!(above.functionality & autograd)) return false;  // falls through
  *out_keys = (oy_keyset){autograd, backends};
  return kernel == oy_select_masked(op, &below) && kernel->typed != oyi_thunk_fail &&
         kernel->typed != op->fail;
}

#endif  // OPYARD_SRC_DISPATCH_PARTS_H_
