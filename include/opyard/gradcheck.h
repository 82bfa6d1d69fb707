// SPDX-License-Identifier: Apache-2.0
// Gradients compared with what small steps of the inputs make of the outputs, as
// torch.autograd.gradcheck and gradgradcheck do (reference, 9.10).
#ifndef OPYARD_GRADCHECK_H_
#define OPYARD_GRADCHECK_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

enum { OY_GRADCHECK_OUTPUTS = 8 };

// Computes up to OY_GRADCHECK_OUTPUTS tensors of |inputs| and sets *out_count. It runs in a
// scope of its own, to which the outputs may belong: they are borrowed. It is called many
// times and must give the same each time.
typedef oy_status (*oy_gradcheck_fn)(void* data, oy_tensor* const* inputs, size_t count,
                                     oy_tensor** outputs, size_t* out_count);

// Zero stands for PyTorch's number, which is in brackets.
typedef struct oy_gradcheck_options {
  double eps;         // [1e-6] the step
  double atol, rtol;  // [1e-5, 1e-3] |numerical - analytical| <= atol + rtol |numerical|
  double nondet_tol;  // [0] how far two walks may differ
} oy_gradcheck_options;

// OK if the gradients of |fn| are right for all inputs that require one: tensors of the CPU,
// of float32, float64 or complex, that do not overlap themselves; single precision is too
// little for the usual tolerances. FAILED_PRECONDITION with both Jacobians if not, and with
// the reason if it cannot be told; else what |fn| failed with. A complex number counts as two
// real ones. |options| may be NULL. The inputs are written to and are as before afterwards.
OY_API OY_MUST_USE oy_status oy_gradcheck(oy_gradcheck_fn fn, void* data,
                                          oy_tensor* const* inputs, size_t count,
                                          const oy_gradcheck_options* options);
// The same along one direction of each input and of each output, v^T J u: one step and one
// walk for each pair, instead of one for each element. What fails is said with both Jacobians.
OY_API OY_MUST_USE oy_status oy_gradcheck_fast(oy_gradcheck_fn fn, void* data,
                                               oy_tensor* const* inputs, size_t count,
                                               const oy_gradcheck_options* options);
// As oy_gradcheck, of the gradients of |fn|, with respect to the inputs and to what the outputs are
// weighted with.
OY_API OY_MUST_USE oy_status oy_gradgradcheck(oy_gradcheck_fn fn, void* data,
                                              oy_tensor* const* inputs, size_t count,
                                              const oy_gradcheck_options* options);

OY_END_DECLS

#endif  // OPYARD_GRADCHECK_H_
