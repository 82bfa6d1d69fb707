// SPDX-License-Identifier: Apache-2.0
// Short nodes in the open: one is made by nearly every recorded call, and goes with it.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_SHORT_NODE_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_SHORT_NODE_H_

#include "layers/autograd/node.h"
#include "tensor/pool.h"

// Slots of what it saves: only a node that saves its result has room for that.
static inline size_t oyi_short_slots(const oyi_short_node* node) {
  return node->head.saves_result ? OYI_NODE_SAVED : OYI_NODE_INPUTS;
}

// A new node with one reference, which takes over those of |edges|; NULL: OUT_OF_MEMORY, and
// they are the caller's still. Most of a node is written before it is read; little is cleared.
static inline oyi_short_node* oyi_short_node_new(const oyi_formula* formula,
                                                 const oyi_edge edges[OYI_NODE_INPUTS]) {
  const bool saves_result = formula->save_if[OYI_SAVE_RESULT] != 0;
  // One unit more for a slot that few need.
  _Static_assert(sizeof(oyi_saved) == OYI_POOL_UNIT && sizeof(oyi_short_node) % 16 == 0,
                 "a slot is a unit");
  const unsigned units =
      oyi_pool_units(offsetof(oyi_short_node, saved[OYI_SAVE_RESULT])) + saves_result;
  oyi_short_node* s = oyi_pool_take(units);
  if (OY_UNLIKELY(!s)) return NULL;
  oyi_node_init(&s->head, OYI_NODE_SHORT, formula);
  s->head.block = (uint8_t)units;
  s->head.saves_result = saves_result;
  s->head.edges = s->own_edges;
  s->head.expected = &s->own_expected;
  _Static_assert(OYI_NODE_INPUTS == 2, "each is set");
  s->head.edge_count = formula->inputs;
  s->own_edges[0] = edges[0];
  s->own_edges[1] = edges[1];
  s->saved[0].tensor = s->saved[1].tensor = NULL;
  if (saves_result) s->saved[OYI_SAVE_RESULT].tensor = NULL;
  oyi_expectation_init(&s->own_expected);
  return s;
}

static inline void oyi_saved_release(oyi_saved* s) {
  oyi_tensor* t = s->tensor;
  s->tensor = NULL;
  if (t) oy_tensor_release(&t->header);
}
// What is lent goes with its edge.
static inline void oyi_short_release_slot(oyi_saved* s) {
  if (s->tensor && s->is_lent)
    s->tensor = NULL;
  else
    oyi_saved_release(s);
}
static inline void oyi_short_release_saved(oyi_short_node* node) {
  oyi_short_release_slot(&node->saved[0]);
  oyi_short_release_slot(&node->saved[1]);
  if (OY_UNLIKELY(node->head.saves_result))
    oyi_short_release_slot(&node->saved[OYI_SAVE_RESULT]);
}

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_SHORT_NODE_H_
