// SPDX-License-Identifier: Apache-2.0
// The grad layer: its own wrappers have the history of the function, and what they hold has
// that of the layers below.
#ifndef OPYARD_SRC_LAYERS_VMAP_GRAD_LAYER_H_
#define OPYARD_SRC_LAYERS_VMAP_GRAD_LAYER_H_

#include "layers/vmap/wrapper.h"

// What |tensor| holds if |layer| wrapped it, else |tensor|: a new reference.
oy_object* oyi_grad_unwrapped(oy_object* tensor, uint64_t layer);

// At FuncTorchGradWrapper: wrappers of layers that are gone stand for what they hold.
oy_status oyi_grad_escaped(const oy_op* op, oy_keyset keys, oy_stack* stack,
                           const oy_kernel* kernel);

#endif  // OPYARD_SRC_LAYERS_VMAP_GRAD_LAYER_H_
