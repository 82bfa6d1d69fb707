// SPDX-License-Identifier: Apache-2.0
// What the ways of checking a gradient share (opyard/gradcheck.h). Tensors are seen as
// vectors of real numbers, "parts": a complex element is two. Part k of an output is Re(f)
// or Im(f) of an element; PyTorch's gradient of it is dL/dRe + i dL/dIm, so the parts of the
// gradient are a row of the Jacobian.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_GRADCHECK_GRADCHECK_PARTS_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_GRADCHECK_GRADCHECK_PARTS_H_

#include "opyard/gradcheck.h"
#include "tensor/impl.h"

typedef struct oyi_checked {
  oy_gradcheck_fn fn;
  void* data;
  oy_tensor* const* inputs;
  size_t count;
  double eps, atol, rtol, nondet_tol;
  bool fast;
} oyi_checked;

// Of one output with respect to one input.
typedef struct oyi_jacobian {
  int64_t rows, columns;  // parts of the input, of the output
  double *numerical, *analytical;
} oyi_jacobian;

int64_t oyi_parts_of(const oyi_tensor* t);
double oyi_part_read(const oyi_tensor* t, int64_t k);
void oyi_part_write(const oyi_tensor* t, int64_t k, double value);
// Whether it has a gradient to check.
bool oyi_is_checked(const oy_tensor* t);
// Calls the function.
oy_status oyi_check_evaluate(const oyi_checked* c, oy_tensor** outputs, size_t* count);
// Parts of output |o| into |to|, of which it must have |parts|.
oy_status oyi_check_sample(const oyi_checked* c, size_t o, double* to, int64_t parts);

// The Jacobian of output |o| with respect to input |i|, element by element.
oy_status oyi_check_whole(const oyi_checked* c, oy_tensor* output, size_t o, size_t i);
// One number of it: v^T J u, for directions u of the input and v of the output.
oy_status oyi_check_along(const oyi_checked* c, oy_tensor* output, size_t o, size_t i);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_GRADCHECK_GRADCHECK_PARTS_H_
