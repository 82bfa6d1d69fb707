// SPDX-License-Identifier: Apache-2.0
// Functional tensors: tensors without storage, whose record holds a value that is never
// written to. A write gives the tensor another value, and is noted in what the tensors of
// one memory share, the base; the others make their value again from it when they are read.
//
//   base     value, generation, writes that are not done yet: (view, value) each
//   record   value, generation, and the view: the steps that lead from the base to it
//
// The shape that a functional tensor shows, strides and offset included, is the one that the
// program would see without functionalization. The value of a base has these strides, too;
// those of views may have others where views are copied.
#ifndef OPYARD_SRC_LAYERS_FUNCTIONALIZE_FUNCTIONAL_H_
#define OPYARD_SRC_LAYERS_FUNCTIONALIZE_FUNCTIONAL_H_

#include "layers/vmap/layer.h"
#include "opyard/functionalize.h"
#include "opyard/library.h"
#include "tensor/impl.h"

// One view, of what |parent| gives. Immutable, shared by records; a step owns its parent.
typedef struct oyi_view_step {
  int32_t references;            // atomic
  struct oyi_view_step* parent;  // NULL: of the base
  const oy_op* op;               // has one result
  size_t count;
  oy_value* arguments;  // owned; the first is None, the tensor's place
} oyi_view_step;

typedef struct oyi_pending {
  oyi_view_step* view;
  oy_object* value;
} oyi_pending;

typedef struct oyi_base {
  int32_t references;  // atomic
  bool copies_views;
  uint64_t generation;
  oy_object* value;  // but for what is pending
  oyi_pending* pending;
  size_t size;
  size_t capacity;
  int64_t offset;  // that the program sees
  size_t nbytes;   // of the memory that it would have
  size_t ndim;
  int64_t strides[];
} oyi_base;

typedef struct oyi_functional {
  oyi_attachment head;
  oy_object* value;
  oyi_view_step* view;  // NULL: it is the base
  oyi_base* base;
  uint64_t generation;
  uint64_t layer;  // its id; 0: of none
} oyi_functional;

extern const oyi_layer_class oyi_functionalize_class;
// Of this thread: what is done with the views of bases that come.
extern __thread oy_functionalize_remove oyi_functionalize_removes
    __attribute__((tls_model("initial-exec")));

// ------------------------------------------------------------------------- records

// NULL for others.
oyi_functional* oyi_functional_of(const oy_object* tensor);
// The same of this call's: those of the layer that the thread is in, or of none that lives.
oyi_functional* oyi_functional_here(const oy_object* tensor);
uint64_t oyi_functional_layer(void);

// A base of its own. |value| is taken over also on failure; NULL keeps the error.
oy_object* oyi_functional_new(oy_object* value, uint64_t layer);
// The view |step| of |from|, shown as |shown|; |value| and |step| are taken over.
oy_object* oyi_functional_view(oy_object* from, oy_object* value, oyi_view_step* step,
                               const oyi_tensor* shown);
// The same in place.
oy_status oyi_functional_become(oy_object* tensor, oy_object* value, oyi_view_step* step,
                                const oyi_tensor* shown);
// Gives |tensor| what |source| is, its memory included.
oy_status oyi_functional_set(oy_object* tensor, oy_object* source);
// Writes |value|, which is taken over, of the same shape and dtype.
oy_status oyi_functional_write(oy_object* tensor, oy_object* value);
// Gives it a memory of its own, of any shape. |value| is taken over.
oy_status oyi_functional_renew(oy_object* tensor, oy_object* value);
// Its value, up to date; borrowed until the next write. To be called below.
oy_object* oyi_functional_read(oyi_functional* f);

// A Meta tensor of the shape that it shows.
oyi_tensor* oyi_functional_shown(const oy_object* tensor);

// --------------------------------------------------------------------------- views

oyi_view_step* oyi_view_step_new(oyi_view_step* parent, const oy_op* op,
                                 const oy_value* arguments, size_t count);
void oyi_view_step_release(oyi_view_step* step);
static inline oyi_view_step* oyi_view_step_retain(oyi_view_step* step) {
  if (step) __atomic_fetch_add(&step->references, 1, __ATOMIC_RELAXED);
  return step;
}
// What |view| shows of |value|, the base's; a new reference. NULL: it is |value|.
oy_object* oyi_view_replay(const oyi_view_step* view, oy_object* value, bool copies);
// |base_value| with what |view| shows replaced by |value|.
oy_object* oyi_view_put_back(const oyi_view_step* view, oy_object* base_value,
                             oy_object* value, bool copies);
// One step, of |value|.
oy_object* oyi_view_step_run(const oyi_view_step* step, oy_object* value, bool copies);

// --------------------------------------------------------------------------- calls

typedef struct oyi_functional_call {
  const oy_op* op;
  const oy_schema* schema;
  oy_stack* stack;
  uint64_t layer;
  size_t count;
  oy_value arguments[64];  // a schema has no more; taken off the stack, owned by the call
} oyi_functional_call;

// Functionalize off, so that calls go below; gives what oyi_functional_above restores.
static inline uint64_t oyi_functional_below(void) {
  uint64_t keep = oy_tls.keep;
  oy_tls.keep = keep & ~(1ull << OY_KEY_Functionalize);
  return keep;
}
static inline void oyi_functional_above(uint64_t keep) {
  oy_tls.keep = keep;
}

// All of these leave their results on the stack, and are called below.
oy_status oyi_functional_call_view(oyi_functional_call* c);
oy_status oyi_functional_call_write(oyi_functional_call* c);
// *out_done is false if the operator gives no tensor another shape or memory.
oy_status oyi_functional_call_reshape(oyi_functional_call* c, bool* out_done);

// Pushes an argument with values in the place of functional tensors.
oy_status oyi_functional_push(oyi_functional_call* c, oy_value argument);
// Pushes a tensor, which is taken over; NULL: the error is kept.
oy_status oyi_functional_push_tensor(oyi_functional_call* c, oy_object* tensor);
// Makes functional tensors of all tensors among the |count| topmost values.
oy_status oyi_functional_wrap(oyi_functional_call* c, size_t count);
// Whether an argument is functional, or an element of one that is a list.
bool oyi_functional_has(const oy_value* argument);

// The operator that gives what |op| writes; NULL if there is none (no error).
const oy_op* oyi_functional_form(const oy_op* op, const oy_schema* schema);

#endif  // OPYARD_SRC_LAYERS_FUNCTIONALIZE_FUNCTIONAL_H_
