// SPDX-License-Identifier: Apache-2.0
// Forward-mode gradients (PyTorch: torch.autograd.forward_ad). While a level is open a tensor
// may be dual: it carries a tangent, the direction in which it changes. Operators on dual
// tensors give dual tensors, whatever grad mode says; inference mode computes no tangents.
//
// What has no tangent pays nothing. The tangent of a result is exact: the gradient of the
// operator, which is linear in what it is multiplied by, is differentiated by that. So every
// operator will do whose gradient has one; for another the call fails, NOT_IMPLEMENTED:
// "Trying to use forward AD with ...".
#ifndef OPYARD_FORWARD_H_
#define OPYARD_FORWARD_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

// Opens the level of the process, whose number is 0. FAILED_PRECONDITION while one is open:
// they do not nest. oy_jvp_of (opyard/vmap.h) does.
OY_API OY_MUST_USE oy_status oy_dual_level_enter(int64_t* out_level);
// Closes it: all tangents go. FAILED_PRECONDITION if |level| is not open. Not while another
// thread computes with dual tensors.
OY_API OY_MUST_USE oy_status oy_dual_level_exit(int64_t level);
// Of the level that is open; -1: none.
OY_API int64_t oy_dual_level(void);

// A tensor that shares its elements with |primal|, and its history, and carries |tangent|, of
// the same sizes: itself if it lies in memory as |primal| does, else a copy. Both must be of
// floating point or complex. A new reference; NULL with PyTorch's texts.
OY_API oy_tensor* oy_make_dual(oy_tensor* primal, oy_tensor* tangent, int64_t level);
// Apart again: |*out_primal| shares its elements with |dual| and has no tangent;
// |*out_tangent| is NULL if there is none. New references, NULL on failure. Without an open
// level (|level| negative) the primal is |dual| itself.
OY_API OY_MUST_USE oy_status oy_unpack_dual(oy_tensor* dual, int64_t level,
                                            oy_tensor** out_primal,
                                            oy_tensor** out_tangent);

OY_END_DECLS

#endif  // OPYARD_FORWARD_H_
