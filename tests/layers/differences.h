// SPDX-License-Identifier: Apache-2.0
// First and second derivatives of functions of up to three tensors against finite
// differences in double.
#ifndef OPYARD_TESTS_LAYERS_DIFFERENCES_H_
#define OPYARD_TESTS_LAYERS_DIFFERENCES_H_

#include "support/tensors.h"

enum { INPUTS_MAX = 3 };

typedef oy_tensor* (*differences_fn)(oy_tensor* const* x);

typedef struct differences_row {
  const char* name;
  differences_fn f;
  const char* shapes;  // of the inputs: "2,3 3 1"; a scalar: "-"
  double from, to;     // where their elements are
} differences_row;

// Fails the test, in the row's name, where a derivative is not what differences say.
// |orders| is 1 where PyTorch has no second derivatives, else 2.
void check_differences(const differences_row* rows, size_t count, int orders);

#endif  // OPYARD_TESTS_LAYERS_DIFFERENCES_H_
