// SPDX-License-Identifier: Apache-2.0
// Calls of every differentiable operator that `opyard certify` can make a call of, as
// gradcheck takes them.
#ifndef OPYARD_TESTS_OPS_DRAWN_DRAWN_H_
#define OPYARD_TESTS_OPS_DRAWN_DRAWN_H_

#include "certify/certify.h"
#include "ops/gradcheck_call.h"

enum { DRAWN_NONE = -1 };

typedef struct drawn {
  // The inputs of an operator that are no inputs here, by bit; DRAWN_NONE leaves it out.
  unsigned (*without)(const oy_op* op);
  // What is done with a call; |what| says which it is.
  void (*fn)(void* data, gradcheck_call* c, const char* what);
  void* data;
} drawn;

// Two calls in double and two in complex double of each operator that writes nothing;
// OPYARD_GRADCHECK_ONLY names one operator. Gives the number of operators.
size_t drawn_each(const drawn* d);

#endif  // OPYARD_TESTS_OPS_DRAWN_DRAWN_H_
