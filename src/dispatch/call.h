// SPDX-License-Identifier: Apache-2.0
// Boxed entries that records are made with.
#ifndef OPYARD_SRC_DISPATCH_CALL_H_
#define OPYARD_SRC_DISPATCH_CALL_H_

#include "opyard/inline.h"

// For a typed kernel: unboxes by the operator's signature class.
oy_status oyi_boxed_typed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                          const oy_kernel* kernel);
// Passes the call on without its highest functionality.
oy_status oyi_boxed_fallthrough(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                const oy_kernel* kernel);

// Typed entries of operators without a kernel for the call: they report, and
// return NULL or a status. |oyi_fail_*| suit every signature, since they only
// read the first two arguments.
void* oyi_fail_object(const oy_op* op, oy_keyset keys);
oy_status oyi_fail_status(const oy_op* op, oy_keyset keys);
oy_status oyi_unbox_undefined(const oy_op* op, oy_keyset keys, oy_stack* stack,
                              const oy_kernel* kernel);

// Puts what is on |from| in the place of the last |arguments| values of |stack|, which are
// released. On failure both are as before.
static inline oy_status oyi_stack_replace(oy_stack* stack, size_t arguments,
                                          oy_stack* from) {
  OY_TRY(oy_stack_reserve(stack, from->size));
  oy_stack_drop(stack, arguments);
  for (size_t i = 0; i < from->size; i++) stack->data[stack->size++] = from->data[i];
  from->size = 0;
  return OY_OK;
}

#endif  // OPYARD_SRC_DISPATCH_CALL_H_
