// SPDX-License-Identifier: Apache-2.0
// gradcheck of a boxed call: its tensors of numbers are the inputs, in double.
#ifndef OPYARD_TESTS_OPS_GRADCHECK_CALL_H_
#define OPYARD_TESTS_OPS_GRADCHECK_CALL_H_

#include "opyard/ops.h"
#include "opyard/opyard.h"

enum { GRADCHECK_TENSORS = 16 };

// Calls whose first and second derivatives agree; derivatives that do not exist.
typedef struct gradcheck_counts {
  int once, twice, unknown;
} gradcheck_counts;

// A call of |arguments|, |count| of whose tensors are inputs.
typedef struct gradcheck_call {
  const oy_op* op;
  oy_stack* arguments;
  unsigned without;   // inputs that have no derivative, by bit
  bool is_symmetric;  // the first input counts as its symmetric part
  void (*change)(void* data, oy_tensor* t);  // makes other numbers of an input; or NULL
  void* change_data;
  oy_tensor* leaves[GRADCHECK_TENSORS];
  size_t count, seen;
  bool fits;
} gradcheck_call;

// Makes the leaves. Whether anything is there to differentiate, finite and small, is the
// answer of gradcheck_call_fits.
void gradcheck_call_begin(gradcheck_call* c);
bool gradcheck_call_fits(gradcheck_call* c);
// Whether both derivatives agree with differences. What has no derivative fails as PyTorch's
// does, and says so: that is right, too.
bool gradcheck_call_is_right(gradcheck_call* c, gradcheck_counts* counts);
// Whether it writes to an argument.
bool gradcheck_writes(const oy_schema* schema);

#endif  // OPYARD_TESTS_OPS_GRADCHECK_CALL_H_
