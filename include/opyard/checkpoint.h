// SPDX-License-Identifier: Apache-2.0
// Memory for time: part of a program that keeps nothing for its backward, and runs again when
// that comes (torch.utils.checkpoint with use_reentrant=True).
#ifndef OPYARD_CHECKPOINT_H_
#define OPYARD_CHECKPOINT_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

// Sets all outputs to new references. Runs as a kernel does: what operators return in it
// goes to no scope. It is called once for the result and once in each backward.
typedef oy_status (*oy_checkpoint_fn)(void* data, oy_tensor* const* inputs, size_t count,
                                      oy_tensor** outputs);

// Runs |fn| without grad mode, and keeps |inputs| alone. One of these must require a
// gradient, or the outputs have none, also of other leaves that |fn| uses; those get theirs in
// .grad. When it runs again, the default generator of the CPU draws the same numbers, and the
// same regions of autocast.h are in force. oy_gradients through it, oy_backward_all with inputs,
// and second derivatives are errors. |data| is taken over, on failure too; |destroy| may be NULL.
OY_API OY_MUST_USE oy_status oy_checkpoint(oy_checkpoint_fn fn, void* data,
                                           void (*destroy)(void* data),
                                           oy_tensor* const* inputs, size_t count,
                                           oy_tensor** outputs, size_t output_count);

OY_END_DECLS

#endif  // OPYARD_CHECKPOINT_H_
