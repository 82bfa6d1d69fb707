// SPDX-License-Identifier: Apache-2.0
// Programs without writes: while a function runs functionalized, its inputs are functional
// tensors. What it writes to them, in place, through views or by out=, becomes calls of
// operators that give new tensors; the layers below, modes among them, see no write. In the
// end the function's results are plain tensors, and its inputs hold what it wrote.
//
// Functional tensors of one memory know each other: a write to one is seen by all when
// they are read next. Views of views are made again from what they view.
#ifndef OPYARD_FUNCTIONALIZE_H_
#define OPYARD_FUNCTIONALIZE_H_

#include "opyard/vmap.h"

OY_BEGIN_DECLS

// What is taken out of the program: writes; or views as well, which become copies
// (view_copy and the like).
typedef enum oy_functionalize_remove {
  OY_REMOVE_MUTATIONS,
  OY_REMOVE_MUTATIONS_AND_VIEWS
} oy_functionalize_remove;
// Reads "mutations" and "mutations_and_views". INVALID_ARGUMENT for others.
OY_API OY_MUST_USE oy_status
oy_functionalize_remove_parse(oy_str text, oy_functionalize_remove* out_remove);

// Zero-initialised members are the defaults.
typedef struct oy_functionalize_params {
  oy_transform_fn fn;
  void* data;
  oy_functionalize_remove remove;
} oy_functionalize_params;

// Runs fn as a layer, which composes with vmap and grad: within them, and around them.
// |inputs| may be anything, also None; what fn wrote to a tensor among them is copied into
// it at the end. Outputs are new references; they share no memory with inputs that fn only
// viewed after writing to them. INVALID_ARGUMENT, what fn fails with; a failure leaves the
// inputs as they were, and all outputs NULL.
OY_API OY_MUST_USE oy_status oy_functionalize(const oy_functionalize_params* params,
                                              oy_tensor* const* inputs, size_t count,
                                              oy_tensor** outputs, size_t output_count);

// --------------------------------------------------- functional tensors by themselves

// Until the end, what operators of this thread make, and what lift and lift_fresh take
// over, are functional tensors. Calls with functional tensors need no such region.
typedef struct oy_functionalize_guard {
  oy_guard sets;
  oy_functionalize_remove before;
} oy_functionalize_guard;
OY_API oy_functionalize_guard oy_functionalize_begin(oy_functionalize_remove remove);
// Until the end nothing is done for functional tensors: kernels that get one fail.
OY_API oy_functionalize_guard oy_functionalize_pause(void);
// Guards are ended in reverse order of beginning.
OY_API void oy_functionalize_end(const oy_functionalize_guard* guard);

// Whether |tensor| is one.
OY_API bool oy_functional_is(const oy_tensor* tensor);
// A functional tensor that begins as |tensor|, which is retained, and never written to;
// its history stays below. INVALID_ARGUMENT if it is one.
OY_API oy_tensor* oy_functional_from(oy_tensor* tensor);
// What it holds now, all writes done: a new reference. Another tensor is given back.
OY_API oy_tensor* oy_functional_to_plain(oy_tensor* tensor);
// Does the writes that are not done yet, to |tensor| and what shares its memory.
OY_API OY_MUST_USE oy_status oy_functional_sync(oy_tensor* tensor);
// Counts writes to the memory of |tensor|; 0 for others.
OY_API uint64_t oy_functional_generation(const oy_tensor* tensor);

OY_END_DECLS

#endif  // OPYARD_FUNCTIONALIZE_H_
