// SPDX-License-Identifier: Apache-2.0
// Reverse-mode gradients. Operators that get a tensor which requires one, while
// grad mode is on, leave a node behind; oy_backward walks the nodes backwards and
// adds up gradients in the leaves.
//
// requires_grad puts the Autograd key on a tensor: only such tensors, and what is
// computed from them, visit the Autograd layer.
#ifndef OPYARD_AUTOGRAD_H_
#define OPYARD_AUTOGRAD_H_

#include "opyard/state.h"
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

// Options of the two below; all zero is what PyTorch does if nothing is said.
typedef struct oy_backward_options {
  bool retain_graph;       // keep saved tensors; implied by create_graph
  bool create_graph;       // record the walk, so that its results have gradients
  bool allow_unused;       // oy_gradients: an input that plays no part gives NULL
  bool materialize_grads;  // oy_gradients: and then zeros
  // oy_backward_all: only these leaves get a gradient. NULL: all.
  oy_tensor* const* inputs;
  size_t input_count;
} oy_backward_options;

// oy_backward of several tensors at once. |grads|, or single elements of it, may be NULL
// where a tensor has one element. |options| may be NULL.
OY_API OY_MUST_USE oy_status oy_backward_all(oy_tensor* const* tensors,
                                             oy_tensor* const* grads, size_t count,
                                             const oy_backward_options* options);
// Gradients of the sum of |outputs|, weighted by |grads|, with respect to |inputs|, which
// need not be leaves: new references in out_grads[0..input_count). No .grad changes
// (PyTorch: torch.autograd.grad).
OY_API OY_MUST_USE oy_status oy_gradients(oy_tensor* const* outputs,
                                          oy_tensor* const* grads, size_t count,
                                          oy_tensor* const* inputs, size_t input_count,
                                          const oy_backward_options* options,
                                          oy_tensor** out_grads);

// Keeps the gradient of a tensor that is no leaf in its .grad, too.
OY_API OY_MUST_USE oy_status oy_retain_grad(oy_tensor* tensor);

// ---------------------------------------------------------------------- hooks

// Hooks run as kernels do: what operators return within them is theirs to hand on or to
// release, and goes to no scope.
//
// Sees a gradient; may set *out_grad to a new reference that takes its place, of the same
// sizes and dtype. Of oy_register_post_accumulate_grad_hook: sees the leaf.
typedef oy_status (*oy_tensor_hook_fn)(void* data, oy_tensor* grad, oy_tensor** out_grad);
// |grads| may be replaced: the hook releases what it replaces. After a node: the gradients
// of its inputs, and, in |others|, of its results. Elements may be NULL: zero.
typedef oy_status (*oy_node_hook_fn)(void* data, oy_tensor** grads, size_t count,
                                     oy_tensor* const* others, size_t other_count);

// Hooks of a tensor run when its gradient is complete, in the order of registration, and
// before those of the node that made it. They return an id for oy_remove_hook, 0 on
// failure, and take over |data|; |destroy| may be NULL. Not while the graph is walked by
// another thread.
OY_API uint64_t oy_register_hook(oy_tensor* tensor, oy_tensor_hook_fn fn, void* data,
                                 void (*destroy)(void* data));
// After .grad of the leaf |tensor| has changed.
OY_API uint64_t oy_register_post_accumulate_grad_hook(oy_tensor* tensor,
                                                      oy_tensor_hook_fn fn, void* data,
                                                      void (*destroy)(void* data));
// Before or after the node that made |tensor| runs.
OY_API uint64_t oy_register_node_hook(oy_tensor* tensor, bool after, oy_node_hook_fn fn,
                                      void* data, void (*destroy)(void* data));
// False if there is no such hook.
OY_API bool oy_remove_hook(oy_tensor* tensor, uint64_t id);

// --------------------------------------------------------------- anomaly mode

// While it is on in this thread, nodes remember the call that made them, errors in the walk
// name that call, and with |check_nan| a NaN in a gradient is an error.
OY_API void oy_anomaly_mode_set(bool on, bool check_nan);
OY_API bool oy_anomaly_mode_get(void);
// Writes where the program is into |buffer|, and returns how many bytes; asked when a node is
// made in anomaly mode. NULL, as at first: the operator and its arguments alone.
typedef size_t (*oy_anomaly_traceback_fn)(char* buffer, size_t size);
OY_API void oy_anomaly_traceback_set(oy_anomaly_traceback_fn fn);

// ------------------------------------- operators without an autograd kernel

// What a call of an operator does that has a kernel for the backend and none for Autograd,
// when an argument needs a gradient and grad mode is on. Whoever knows that no gradient is
// wanted registers OY_FALLTHROUGH for Autograd.
typedef enum oy_autograd_fallback {
  OY_AUTOGRAD_FALLBACK_NOTHING,  // its results have no history but what its kernel records
  // The backward through it warns (oy_warning_handler_set), and gives no gradients. As at
  // first.
  OY_AUTOGRAD_FALLBACK_WARN,
  // The backward fails: "derivative for ns::op is not implemented". Arguments that it
  // writes to obey the rules of operators in place.
  OY_AUTOGRAD_FALLBACK_ERROR
} oy_autograd_fallback;
// Of the process. Thread-safe; calls in flight do one or the other.
OY_API void oy_autograd_fallback_set(oy_autograd_fallback mode);
OY_API oy_autograd_fallback oy_autograd_fallback_get(void);

// ----------------------------------------------------------- sequence numbers

// The number that the next recorded call of this thread gives its node: what a profiler
// links a call and its backward by. The low OY_SEQUENCE_BITS bits count; the others are
// the number of the thread, from 1, and 0 in what it recorded before it first asked.
enum { OY_SEQUENCE_BITS = 48 };
OY_API uint64_t oy_sequence_next(void);

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

// ------------------------------------------------------------ inference mode

// While it is on, calls of this thread are not recorded, and what they make are inference
// tensors (oy_tensor_is_inference): they have no version, are not saved for a backward, and
// are written to in inference mode alone. Other tensors count versions as ever; views of them
// that are taken meanwhile are no inference tensors, but no recorded call may write to them.
// Off, within it, is as if it had never been on; both set grad mode. New threads are not in
// it.
//   oy_inference_guard guard = oy_inference_mode(true);  ...  oy_inference_guard_end(&guard);
typedef struct oy_inference_guard {
  oy_guard sets;  // as everything was before
  uint8_t grad_mode;
  bool mode;
} oy_inference_guard;
OY_API oy_inference_guard oy_inference_mode(bool on);
OY_API void oy_inference_guard_end(const oy_inference_guard* guard);
OY_API bool oy_inference_mode_get(void);

OY_END_DECLS

#endif  // OPYARD_AUTOGRAD_H_
