// SPDX-License-Identifier: Apache-2.0
// Forward mode. A dual tensor has a key above all others, so that a call which gets one
// comes here first, and no other call does; its tangent stands in a table beside.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_FORWARD_FORWARD_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_FORWARD_FORWARD_H_

#include "layers/autograd/variable.h"
#include "ops/library.h"
#include "opyard/forward.h"
#include "opyard/state.h"

// By this key PyTorch takes graphs before autograd; nothing else here uses it (decision 24).
#define OYI_FORWARD_KEY OY_KEY_PreDispatch
#define OYI_FORWARD_BIT (1ull << OYI_FORWARD_KEY)

// ------------------------------------------------------------------------- tangents

static inline bool oyi_may_be_dual(const oy_object* o) {
  return (o->keys.functionality & OYI_FORWARD_BIT) != 0;
}
// A new reference, or NULL. A view of what has a tangent has that part of it.
oy_status oyi_tangent_find(oyi_tensor* t, oy_object** out_tangent);
// |tangent| becomes that of |t|, which has none, or another.
oy_status oyi_tangent_put(oyi_tensor* t, oy_object* tangent);
// After a write to |t|: views and their base see it, too.
oy_status oyi_tangent_write(oyi_tensor* t, oy_object* tangent);
void oyi_tangent_drop(oyi_tensor* t);
// "tangent=..." if there is one, behind what |buf| holds, as the print of a class does.
void oyi_tangent_print(const oyi_tensor* t, oyi_strbuf* buf);

// --------------------------------------------------------------------------- a call

// An argument that has a tangent.
typedef struct oyi_dual {
  oyi_tensor* primal;  // borrowed
  oy_object* tangent;
  oy_object* leaf;  // stands for the primal in the call that is differentiated
} oyi_dual;

typedef struct oyi_forward_call {
  const oy_op* op;
  const oy_schema* schema;
  oy_keyset keys;
  oy_stack* stack;
  oy_value* arguments;  // on the stack
  oyi_dual* duals;      // in the order of the arguments
  size_t dual_count;
  bool history;  // results and tangents get one
} oyi_forward_call;

// What a copy of the arguments has in place of those that have a tangent.
typedef enum oyi_standing { OYI_STAND_LEAF, OYI_STAND_TANGENT } oyi_standing;
// Pushes owned copies of the arguments.
oy_status oyi_forward_push(const oyi_forward_call* c, oyi_standing which, oy_stack* to);
// The call, differentiated: takes the arguments off the stack and leaves the results.
oy_status oyi_forward_differentiate(oyi_forward_call* c);
// NOT_IMPLEMENTED, PyTorch's text.
oy_status oyi_forward_unsupported(const oyi_forward_call* c);

// Calls |visit| for each tensor in values.
typedef oy_status (*oyi_forward_visit)(void* data, oy_object* tensor);
oy_status oyi_forward_each(const oy_value* values, size_t count, oyi_forward_visit visit,
                           void* data);

oy_status oyi_register_forward(oy_library* fallbacks);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_FORWARD_FORWARD_H_
