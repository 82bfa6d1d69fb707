// SPDX-License-Identifier: Apache-2.0
// Wrappers: tensors without storage, whose record holds another tensor. Batched ones show the
// shape of a slice; those of a grad layer the shape of what they hold, and have a history of
// their own. An operator that gets one outside of its layer fails, and does not crash: there
// are no elements to be reached.
#ifndef OPYARD_SRC_LAYERS_VMAP_WRAPPER_H_
#define OPYARD_SRC_LAYERS_VMAP_WRAPPER_H_

#include "layers/vmap/layer.h"
#include "tensor/impl.h"

typedef struct oyi_wrapper {
  oyi_attachment head;
  oy_object* value;  // owned
  int64_t bdim;      // of |value|; -1: it is of a grad layer
  int64_t level;
  uint64_t layer;  // its id: levels come back
  bool immutable;  // grad: around a tensor that the function did not make
} oyi_wrapper;

// |value|, which is taken over also on failure, with its dimension |bdim| hidden. Given
// NULL it fails and keeps the error.
oy_object* oyi_batched_new(oy_object* value, int64_t bdim, const oyi_layer* layer);
// |value|, which is taken over also on failure, for a grad layer.
oy_object* oyi_grad_wrapped_new(oy_object* value, const oyi_layer* layer, bool immutable);
// The record of a wrapper, NULL for others.
oyi_wrapper* oyi_wrapper_of(const oy_object* tensor);
// The same if |layer| made it.
static inline oyi_wrapper* oyi_wrapper_at(const oy_object* tensor,
                                          const oyi_layer* layer) {
  oyi_wrapper* w = oyi_wrapper_of(tensor);
  return w && w->layer == layer->id ? w : NULL;
}
// What |tensor| holds if the layer |id| made it, its dimension moved to |dim|; another is
// repeated along a new one. |dim| OY_VMAP_NONE: as it is.
oy_object* oyi_batched_unwrap(oy_object* tensor, uint64_t id, int64_t batch_size,
                              int64_t dim);
// Gives the batched tensor |tensor| another value, which is taken over, and its shape.
oy_status oyi_batched_replace(oy_object* tensor, oy_object* value, int64_t bdim);
// Gives a wrapper the shape that its value has now.
oy_status oyi_wrapper_refresh(oy_object* tensor);

#endif  // OPYARD_SRC_LAYERS_VMAP_WRAPPER_H_
