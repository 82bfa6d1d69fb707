// SPDX-License-Identifier: Apache-2.0
// The node of a custom function (opyard/function.h), which has its context.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_FUNCTION_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_FUNCTION_H_

#include "layers/autograd/node.h"
#include "opyard/function.h"

typedef struct oyi_function_node {
  oyi_node head;
  struct oy_function_context* context;  // the node's
  oyi_expectation own_expected;
} oyi_function_node;

static inline oyi_function_node* oyi_function_of(oyi_node* node) {
  return (oyi_function_node*)(void*)node;
}
oy_status oyi_function_node_apply(oyi_function_node* node, oy_object* const* grads,
                                  oy_object** out);
void oyi_function_node_release_saved(oyi_function_node* node);
void oyi_function_node_free(oyi_function_node* node);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_FUNCTION_H_
