// SPDX-License-Identifier: Apache-2.0
// Hooks of a node: what else runs when the walk comes to it (reference, 9.4). Hooks of a
// tensor are on the node that made it, or on the accumulate node of a leaf, which lives
// as long as the leaf.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_HOOKS_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_HOOKS_H_

#include "layers/autograd/variable.h"

// In the order in which they run.
typedef enum oyi_hook_kind {
  OYI_HOOK_TENSOR,      // may replace the gradient of one result
  OYI_HOOK_RETAIN,      // keeps it as .grad of that result
  OYI_HOOK_BEFORE,      // may replace the gradients of all results
  OYI_HOOK_AFTER,       // sees the gradients of the inputs, may replace them
  OYI_HOOK_ACCUMULATED  // after .grad of a leaf has changed
} oyi_hook_kind;

typedef struct oyi_hook {
  uint64_t id;
  oyi_hook_kind kind;
  uint32_t output_nr;
  oy_tensor_hook_fn tensor_fn;
  oy_node_hook_fn node_fn;
  void* data;
  void (*destroy)(void* data);
} oyi_hook;

typedef struct oyi_hooks {
  oyi_hook* items;
  size_t count, capacity;
  char* forward;    // what the call was, in anomaly mode (anomaly.h)
  void* unpacking;  // the formula of a node with packed tensors (packed.c)
  uint8_t lock;     // while items change
} oyi_hooks;

// Makes the list if there is none. NULL: OUT_OF_MEMORY.
oyi_hooks* oyi_hooks_of(oyi_node* node);
// Adds a hook to |node|, which takes over |hook->data|, on failure too; gives its id.
oy_status oyi_hook_add(oyi_node* node, oyi_hook hook, uint64_t* out_id);
// False if there is none of that id.
bool oyi_hook_remove(oyi_node* node, uint64_t id);
void oyi_hooks_free(oyi_hooks* hooks);

// Run the hooks of |node|; they may replace elements of |grads|, or |inputs|, and what
// they replace is released. |only_tensors|: not those of the node itself.
oy_status oyi_hooks_before(oyi_node* node, oy_object** grads, bool only_tensors);
oy_status oyi_hooks_after(oyi_node* node, oy_object** inputs, oy_object* const* grads);
oy_status oyi_hooks_accumulated(oyi_node* node, oy_object* leaf);

// Makes |node|, which made |v|, keep the gradient of |v| in its .grad.
oy_status oyi_retain_on(oyi_variable* v, oyi_node* node);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_HOOKS_H_
