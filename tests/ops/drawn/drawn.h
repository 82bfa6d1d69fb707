// SPDX-License-Identifier: Apache-2.0
// Calls of every differentiable operator that `opyard certify` can make a call of, as
// gradcheck takes them.
#ifndef OPYARD_TESTS_OPS_DRAWN_DRAWN_H_
#define OPYARD_TESTS_OPS_DRAWN_DRAWN_H_

#include "base/memory.h"
#include "certify/certify.h"
#include "ops/gradcheck_call.h"

#define DRAWN_NONE ((unsigned)-1)

// An operator that is left out, or inputs of it that are no inputs here.
typedef struct drawn_exception {
  const char* op;
  unsigned without;  // inputs, by bit; DRAWN_NONE: the operator
  const char* why;
} drawn_exception;

typedef struct drawn {
  const drawn_exception* exceptions;
  size_t exception_count;
  // What is done with a call; |what| says which it is.
  void (*fn)(void* data, gradcheck_call* c, const char* what);
  void* data;
} drawn;

// Two calls in double and two in complex double of each operator that writes nothing;
// OPYARD_GRADCHECK_ONLY names one operator. Gives the number of operators.
size_t drawn_each(const drawn* d);

#endif  // OPYARD_TESTS_OPS_DRAWN_DRAWN_H_
