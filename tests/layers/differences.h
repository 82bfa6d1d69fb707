// SPDX-License-Identifier: Apache-2.0
// First and second derivatives of functions of up to three tensors: oy_gradcheck and
// oy_gradgradcheck over a table, and forward mode (ENG-15) along one direction.
#ifndef OPYARD_TESTS_LAYERS_DIFFERENCES_H_
#define OPYARD_TESTS_LAYERS_DIFFERENCES_H_

#include "support/tensors.h"

enum { INPUTS_MAX = 3 };

typedef oy_tensor* (*differences_fn)(oy_tensor* const* x);

typedef struct differences_row {
  const char* name;
  differences_fn f;
  // Of the inputs: "2,3 3 1"; a scalar: "-"; with one element 0 each: "!2,3 3 1".
  const char* shapes;
  double from, to;  // where their elements are: all differ, and none is near 0
} differences_row;

// Fails the test, in the row's name, where a derivative is not what differences say.
// |orders| is 1 where PyTorch has no second derivatives, else 2.
void check_differences(const differences_row* rows, size_t count, int orders);
// No failing allocation leaks, or goes by unnoticed, while a gradient is computed.
void check_differences_memory(const differences_row* rows, size_t count);

#endif  // OPYARD_TESTS_LAYERS_DIFFERENCES_H_
