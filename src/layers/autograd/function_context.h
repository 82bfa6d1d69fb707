// SPDX-License-Identifier: Apache-2.0
// What function_apply.c writes while the forward runs and function_node.c reads in the walk.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_FUNCTION_CONTEXT_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_FUNCTION_CONTEXT_H_

#include "layers/autograd/function.h"

// A growing list of tensors.
typedef struct oyi_tensor_list {
  oy_tensor** data;
  size_t size, capacity;
} oyi_tensor_list;

struct oy_function_context {
  const oy_function* function;
  void* data;
  char* name;
  oyi_formula formula;  // has the name; nothing else of it is used
  // While the forward runs. |to_save| owns; the others are only compared.
  oyi_tensor_list to_save, dirty, non_differentiable;
  bool no_materialize;
  oyi_function_node* node;  // NULL: nothing is recorded
  // For the backward.
  oyi_saved* saved;
  oy_tensor** live;  // of saved outputs while a walk is recorded: with their history
  size_t saved_count;
};

void oyi_function_context_free(oy_function_context* context);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_FUNCTION_CONTEXT_H_
