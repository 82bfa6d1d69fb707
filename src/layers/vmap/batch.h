// SPDX-License-Identifier: Apache-2.0
// What batching rules share. A rule is a boxed kernel at FuncTorchBatched: it puts values
// in the place of the batched tensors on the stack, calls the operator, or another one,
// for the layers below, and makes batched tensors of the results.
#ifndef OPYARD_SRC_LAYERS_VMAP_BATCH_H_
#define OPYARD_SRC_LAYERS_VMAP_BATCH_H_

#include "layers/vmap/wrapper.h"
#include "opyard/library.h"

// A row of the rule table; the state of its kernel.
typedef struct oyi_batch_rule {
  const char* name;  // of the operator
  oy_boxed_fn fn;
  const char* arguments;      // what |fn| does with each, see batch_letters.c
  const oy_op* const* other;  // the operator that is called; NULL: the same
} oyi_batch_rule;

// A call of a rule.
typedef struct oyi_batch {
  const oy_op* op;
  const oyi_layer* layer;  // innermost
  oy_stack* stack;
  size_t base;   // where the arguments begin
  size_t count;  // of arguments
} oyi_batch;

// Valid until something is pushed.
static inline oy_value* oyi_batch_arg(const oyi_batch* b, size_t i) {
  return &b->stack->data[b->base + i];
}

// Fails if there is no vmap to belong to: a batched tensor has escaped.
oy_status oyi_batch_begin(oyi_batch* b, const oy_op* op, oy_stack* stack);
// Whether an argument, or an element of one that is a list, is batched in this layer.
bool oyi_batch_any(const oyi_batch* b);
bool oyi_batch_has(const oyi_batch* b, const oy_value* arg);
// The call as it is, for the layers below; arguments that others batched may be among
// them.
oy_status oyi_batch_pass(oyi_batch* b);
// The loop over slices: what operators without a rule get, and rules that do not apply.
oy_status oyi_batch_loop(oyi_batch* b);

// The layer's key off, so that calls go below; gives what oyi_batch_above restores.
static inline uint64_t oyi_batch_below(void) {
  uint64_t keep = oy_tls.keep;
  oy_tls.keep = keep & ~(1ull << OY_KEY_FuncTorchBatched);
  return keep;
}
static inline void oyi_batch_above(uint64_t keep) {
  oy_tls.keep = keep;
}

// The value of a batched tensor with its dimension in front, else |tensor| itself; a new
// reference. To be called below.
oy_object* oyi_batch_front(const oyi_batch* b, oy_object* tensor);
// The same, and one that is not batched is repeated.
oy_object* oyi_batch_front_all(const oyi_batch* b, oy_object* tensor);
// Puts |tensor|, a new reference or NULL, in the place of an argument.
oy_status oyi_batch_put(oy_value* arg, oy_object* tensor);
// Pushes it.
oy_status oyi_batch_push(const oyi_batch* b, oy_object* tensor);
// Takes the arguments away from below the results.
void oyi_batch_drop_arguments(const oyi_batch* b);
// |v|, which is taken over, as a view with |sizes|.
oy_object* oyi_batch_viewed(oy_object* v, oy_ints sizes);
// |v|, which is taken over, with dimensions of size 1 after the mapped one, so that the
// others are |ndim|.
oy_object* oyi_batch_pad(oy_object* v, int64_t ndim);

// Makes batched tensors, with the dimension |bdim|, of all tensors among the |count|
// topmost values, and in lists there.
oy_status oyi_batch_wrap(const oyi_batch* b, size_t count, int64_t bdim);
// Calls |op| with what is on the stack, for the layers below, and wraps what it gives.
oy_status oyi_batch_call(const oyi_batch* b, const oy_op* op, int64_t bdim);
// The same where |self| is written and given back: a batched tensor, retained before its
// value took its place, and taken over.
oy_status oyi_batch_call_inplace(const oyi_batch* b, oy_object* self);
// Whether the first argument is written, and is what the operator gives.
bool oyi_batch_is_inplace(const oyi_batch* b);
// That |self|, if it is written, is batched.
oy_status oyi_batch_check_inplace(const oyi_batch* b);

// ---------------------------------------------------------------------- rules

oy_status oyi_batch_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                             const oy_kernel* kernel);
// Counts a loop, and says so; fails if loops are not allowed.
oy_status oyi_fallback_note(const oy_op* op);

#define OYI_BATCH_RULE(name)                                                   \
  oy_status oyi_batch_##name(const oy_op* op, oy_keyset keys, oy_stack* stack, \
                             const oy_kernel* kernel)
// Element by element: dimensions are aligned from the right.
OYI_BATCH_RULE(pointwise);
// The same, then a mean or a sum of the slice.
OYI_BATCH_RULE(loss);
// By the letters of |arguments|.
OYI_BATCH_RULE(by_letters);
// The same with |other|, whose result the first argument becomes.
OYI_BATCH_RULE(view_inplace);
// Products of vectors, matrices and stacks of them; |arguments|: how many dimensions.
OYI_BATCH_RULE(product);
OYI_BATCH_RULE(index);
OYI_BATCH_RULE(index_put);
OYI_BATCH_RULE(masked_select);
OYI_BATCH_RULE(as_strided);
OYI_BATCH_RULE(linalg_check);
// Random operators, at FuncTorchVmapMode.
OYI_BATCH_RULE(random);
// What no rule is possible for.
OYI_BATCH_RULE(dynamic_shape);
OYI_BATCH_RULE(no_loop);
OYI_BATCH_RULE(refused);

#endif  // OPYARD_SRC_LAYERS_VMAP_BATCH_H_
