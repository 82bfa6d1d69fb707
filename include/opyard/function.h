// SPDX-License-Identifier: Apache-2.0
// Custom functions: a forward that is not recorded, and the backward that belongs to it, as
// torch.autograd.Function has them (reference, 9.9).
//
//   static oy_status cube(oy_function_context* c, oy_tensor* const* in, size_t count,
//                         oy_tensor** out) {
//     OY_TRY(oy_function_save(c, in, 1));
//     return (out[0] = oy_pow_Tensor_Scalar(in[0], oy_int(3))) ? OY_OK : oy_failure();
//   }
//   static oy_status cube_backward(oy_function_context* c, oy_tensor* const* grads, ...);
//   static const oy_function g_cube = {"Cube", cube, cube_backward, .outputs = 1};
//   oy_function_apply(&g_cube, NULL, &x, 1, &y);
//
// Both run as kernels do: what operators return within them is theirs to hand on or to
// release, and goes to no scope. A context belongs to one application; what is said of it here
// may be called from |forward| and |backward| alone.
#ifndef OPYARD_FUNCTION_H_
#define OPYARD_FUNCTION_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

typedef struct oy_function_context oy_function_context;

typedef struct oy_function {
  const char* name;  // the node is called <name>Backward
  // Sets all |outputs|, to new references; an input among them is retained, too. Runs
  // without grad mode.
  oy_status (*forward)(oy_function_context* context, oy_tensor* const* inputs,
                       size_t count, oy_tensor** outputs);
  // |grads|, one for each output, are borrowed. Sets |out_grads|, NULL before, for each input
  // to a new reference; what stays NULL is zero. It is recorded if the walk is.
  oy_status (*backward)(oy_function_context* context, oy_tensor* const* grads,
                        size_t count, oy_tensor** out_grads, size_t input_count);
  void (*destroy)(void* data);  // may be NULL
  size_t outputs;               // how many
  // |backward| is not recorded; to differentiate what it gave is an error.
  bool once_differentiable;
} oy_function;

// Applies |function|, which must outlive every graph that it is part of, to |inputs|:
// new references in outputs[0..function->outputs). |data| is taken over, on failure too: it is
// destroyed when no graph needs it any more. Fails with what |forward| fails with, and as
// operators in place do if an input that it must not write was marked dirty.
OY_API OY_MUST_USE oy_status oy_function_apply(const oy_function* function, void* data,
                                               oy_tensor* const* inputs, size_t count,
                                               oy_tensor** outputs);

OY_API void* oy_function_data(const oy_function_context* context);
// Whether anybody wants the gradient of input |i|.
OY_API bool oy_function_needs_input_grad(const oy_function_context* context, size_t i);

// ------------------------------------------------------------------- in |forward|

// Keeps inputs and outputs for the backward, which sees them with their history; again:
// others instead. Versions are checked as for operators. OUT_OF_MEMORY.
OY_API OY_MUST_USE oy_status oy_function_save(oy_function_context* context,
                                              oy_tensor* const* tensors, size_t count);
// |input| was written to, and is among the outputs.
OY_API OY_MUST_USE oy_status oy_function_mark_dirty(oy_function_context* context,
                                                    const oy_tensor* input);
// |output| has no gradient. Integers have none anyhow.
OY_API OY_MUST_USE oy_status oy_function_mark_non_differentiable(
    oy_function_context* context, const oy_tensor* output);
// Whether |backward| sees zeros for outputs that nothing depends on (as at first), or NULL.
OY_API void oy_function_set_materialize_grads(oy_function_context* context, bool on);

// ------------------------------------------------------------------ in |backward|

// Saved tensor |i|, borrowed; NULL with PyTorch's text if it was freed or has been modified
// since.
OY_API oy_tensor* oy_function_saved(oy_function_context* context, size_t i);

OY_END_DECLS

#endif  // OPYARD_FUNCTION_H_
