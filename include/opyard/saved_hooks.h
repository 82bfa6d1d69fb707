// SPDX-License-Identifier: Apache-2.0
// What else may be kept of a tensor that is saved for a backward: hooks that pack it when it
// is saved and unpack it when it is needed, as torch.autograd.graph.saved_tensors_hooks does.
#ifndef OPYARD_SAVED_HOOKS_H_
#define OPYARD_SAVED_HOOKS_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

// All of them run as kernels do: what operators return within them is theirs to hand on or to
// release, and goes to no scope.
typedef struct oy_saved_hooks {
  // Keeps of |tensor|, borrowed, what |unpack| needs. It may retain the tensor; to do so with
  // the result of an operator is a cycle that nobody breaks but oy_backward, a detached alias
  // is none. It runs without grad mode, and must not write to the tensor.
  oy_status (*pack)(void* data, oy_tensor* tensor, void** out_packed);
  // A new reference to what stands in for the tensor: once in each backward that needs it,
  // and in any thread. Versions are not checked.
  oy_status (*unpack)(void* data, void* packed, oy_tensor** out_tensor);
  void (*release)(void* data, void* packed);  // may be NULL; in any thread
  void* data;
  void (*destroy)(void* data);  // may be NULL; when nothing is packed any more
} oy_saved_hooks;

// From here on, what calls of this thread save is packed by |hooks|, the innermost ones alone;
// a tensor that is saved twice is packed twice. |hooks->data| is taken over, on failure too. A
// thread pops what it pushed. FAILED_PRECONDITION if hooks are disabled, OUT_OF_MEMORY.
OY_API OY_MUST_USE oy_status oy_saved_hooks_push(const oy_saved_hooks* hooks);
// FAILED_PRECONDITION if there are none.
OY_API oy_status oy_saved_hooks_pop(void);

// Makes every push in this thread fail with |message|, which is kept as a pointer, or allows
// it again if NULL. FAILED_PRECONDITION with that text, and no change, if hooks are in force.
//   const char* before = oy_saved_hooks_disabled();
//   OY_TRY(oy_saved_hooks_disable("not while ..."));  ...  oy_saved_hooks_disable(before);
OY_API oy_status oy_saved_hooks_disable(const char* message);
// NULL if they are not.
OY_API const char* oy_saved_hooks_disabled(void);

OY_END_DECLS

#endif  // OPYARD_SAVED_HOOKS_H_
