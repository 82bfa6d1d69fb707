// SPDX-License-Identifier: Apache-2.0
// Anomaly mode (reference, 9.4): nodes remember the call that made them, gradients are
// looked through for NaN, and an error in a node names that call.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_ANOMALY_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_ANOMALY_H_

#include "layers/autograd/node.h"
#include "opyard/dispatcher.h"

// Notes in |node| that a call of |op| on |tensors| made it. OUT_OF_MEMORY.
oy_status oyi_anomaly_note(oyi_node* node, const oy_op* op, oy_object* const* tensors,
                           size_t count);
// After |node| ran: fails if it gave a NaN; adds what made the node to an error.
oy_status oyi_anomaly_after(const oyi_node* node, oy_object* const* out,
                            oy_status status);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_ANOMALY_H_
