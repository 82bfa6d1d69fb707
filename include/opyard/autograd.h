// SPDX-License-Identifier: Apache-2.0
// Reverse-mode gradients. Operators that get a tensor which requires one, while
// grad mode is on, leave a node behind; oy_backward walks the nodes backwards and
// adds up gradients in the leaves.
//
// requires_grad puts the Autograd key on a tensor: only such tensors, and what is
// computed from them, visit the Autograd layer.
#ifndef OPYARD_AUTOGRAD_H_
#define OPYARD_AUTOGRAD_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

// Turns recording for a leaf on or off and returns the tensor, borrowed; NULL on
// failure. Only floating point and complex tensors can require a gradient, and
// only leaves can stop to.
OY_API oy_tensor* oy_requires_grad_(oy_tensor* tensor, bool requires_grad);
OY_API bool oy_requires_grad(const oy_tensor* tensor);
// True for tensors that no recorded operator made.
OY_API bool oy_is_leaf(const oy_tensor* tensor);
// "AddBackward0"; NULL for leaves. Lives as long as the library.
OY_API const char* oy_grad_fn_name(const oy_tensor* tensor);
// Position among the results of that node.
OY_API uint32_t oy_output_nr(const oy_tensor* tensor);

// The gradient, borrowed from the tensor; NULL if there is none (no error).
OY_API oy_tensor* oy_grad(const oy_tensor* tensor);
// Replaces it (retained); NULL or &oy_none_object removes it. Sizes, dtype and
// device must be the tensor's.
OY_API OY_MUST_USE oy_status oy_set_grad(oy_tensor* tensor, oy_tensor* grad);

// Computes the gradient of |tensor| with respect to the leaves it came from and
// adds it to their .grad. |grad|, of the same sizes, may be NULL for a tensor of
// one element. Saved tensors are freed unless |retain_graph|. Thread-safe; graphs
// that share nodes must not be walked at the same time.
OY_API OY_MUST_USE oy_status oy_backward(oy_tensor* tensor, oy_tensor* grad,
                                         bool retain_graph);

// ----------------------------------------------------------------- grad mode

// Whether this thread records. On in a new thread.
OY_API bool oy_grad_mode_get(void);
OY_API void oy_grad_mode_set(bool on);

// A guard lives in the caller's frame and is ended in reverse order:
//   oy_grad_guard guard = oy_no_grad();  ...  oy_grad_guard_end(&guard);
typedef struct oy_grad_guard {
  bool before;
} oy_grad_guard;
static inline oy_grad_guard oy_no_grad(void) {
  oy_grad_guard g;
  g.before = oy_grad_mode_get();
  oy_grad_mode_set(false);
  return g;
}
static inline oy_grad_guard oy_enable_grad(void) {
  oy_grad_guard g;
  g.before = oy_grad_mode_get();
  oy_grad_mode_set(true);
  return g;
}
static inline void oy_grad_guard_end(const oy_grad_guard* guard) {
  oy_grad_mode_set(guard->before);
}

OY_END_DECLS

#endif  // OPYARD_AUTOGRAD_H_
