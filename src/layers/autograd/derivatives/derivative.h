// SPDX-License-Identifier: Apache-2.0
// What derivatives of operators with any number of tensors are written with (rows of the
// table that say DERIVATIVE):
//
//   BACKWARD(index_select) {
//     ARGUMENTS(index_select);  // self, dim, index: as the schema names them
//     if (WANTS(self))
//       GIVE(self, oyi_call_index_select_backward(GRAD(0), INPUT_SIZES(self), dim, index));
//     return OY_OK;
//   }
//   DERIVATIVE(index_select, "IndexSelectBackward0", SAVE(index_select, index))
//
// Tensors are NULL-safe: what was not saved is None. What a derivative gives is summed to
// the shape, and cast to the dtype, of the input that it is for.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_DERIVATIVE_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_DERIVATIVE_H_

#include "layers/autograd/derivatives/formula_help.h"
#include "layers/autograd/full.h"
#include "ops/gen/arguments.h"

#define BACKWARD(id)                                                           \
  static oy_status backward_##id(oyi_full_node* node, oy_object* const* grads, \
                                 oy_object** gives)

// Declares the arguments, and at_<name>: where each is among them.
#define OYI_ARGUMENT(letter, name, i) \
  enum { at_##name = i };             \
  OYI_UNUSED __auto_type name = oy_unbox_##letter(node->arguments[i]);
#define ARGUMENTS(id) \
  (void)grads;        \
  OYI_ARGUMENTS_##id

// The gradient of result |i|: NULL if it is zero.
#define GRAD(i) (grads[i])
// A result that was saved.
#define RESULT(i) oyi_full_result(node, i)

// Of a list: how many tensors, and whether the gradient of one of them is wanted.
#define EDGE_AT(name)     (node->edge_at[at_##name])
#define COUNT_OF(name)    ((size_t)(node->edge_at[at_##name + 1] - node->edge_at[at_##name]))
#define WANTS_OF(name, k) (node->head.edges[EDGE_AT(name) + (k)].node != NULL)
#undef WANTS
#define WANTS(name) (COUNT_OF(name) == 1 && WANTS_OF(name, 0))
// Sizes of an input whose gradient is wanted.
#define INPUT_SIZES(name)       oyi_input_sizes(&node->head, EDGE_AT(name))
#define INPUT_SIZES_OF(name, k) oyi_input_sizes(&node->head, EDGE_AT(name) + (k))

// Gives |value|, a new reference, for an input; returns if it failed.
#define GIVE_TO(name, k, value)                      \
  do {                                               \
    oy_object** give_ = &gives[EDGE_AT(name) + (k)]; \
    *give_ = (value);                                \
    if (!*give_) return oy_failure();                \
  } while (0)
#undef GIVE
#define GIVE(name, value) GIVE_TO(name, 0, value)

// As GIVE, of a result of an operator that has several: None gives nothing, and what is
// not wanted goes.
#define GIVE_PART(name, value) \
  oyi_give_part(WANTS(name) ? &gives[EDGE_AT(name)] : NULL, value)
static inline void oyi_give_part(oy_object** give, oy_object* value) {
  if (oy_object_is_none(value)) return;
  if (give)
    *give = value;
  else
    oy_tensor_release(value);
}
// For derivatives that release something before they return: whether all that is wanted is
// there.
static inline oy_status given_all(const oyi_full_node* node, oy_object* const* gives) {
  for (uint32_t i = 0; i < node->head.edge_count; i++)
    if (node->head.edges[i].node && !gives[i]) return oy_failure();
  return OY_OK;
}
// The dtype of an input whose gradient is wanted.
#define INPUT_DTYPE(name) (oyi_expected_at(&node->head.edges[EDGE_AT(name)])->dtype)

// A line of a file's table. SAVE keeps a tensor, SAVE_IF only if the gradient of another
// argument is wanted, SHAPE only its sizes and dtype, OUTPUT a result, COPY what the
// call writes to as it was, WRITTEN as it is then.
#define DERIVATIVE(id, text, ...)        \
  const oyi_formula oyi_formula_##id = { \
      .name = text, .apply_full = backward_##id, .saves = {__VA_ARGS__}};
// Of an operator whose other results have no gradient.
#define DERIVATIVE_OF_FIRST(id, text, ...)                           \
  const oyi_formula oyi_formula_##id = {.name = text,                \
                                        .apply_full = backward_##id, \
                                        .only_first = true,          \
                                        .saves = {__VA_ARGS__}};
// The same derivative for another operator with the same arguments in the same places.
#define DERIVATIVE_AS(id, text, other, ...) \
  const oyi_formula oyi_formula_##id = {    \
      .name = text, .apply_full = backward_##other, .saves = {__VA_ARGS__}};
#define SAVE(id, name) \
  { OYI_SAVE_TENSOR, OYI_AT_##id##_##name, 0 }
#define SAVE_IF(id, name, other) \
  { OYI_SAVE_TENSOR, OYI_AT_##id##_##name, 1u << OYI_AT_##id##_##other }
#define COPY(id, name) \
  { OYI_SAVE_COPY, OYI_AT_##id##_##name, 0 }
#define WRITTEN(id, name) \
  { OYI_SAVE_WRITTEN, OYI_AT_##id##_##name, 0 }
#define SHAPE(id, name) \
  { OYI_SAVE_SHAPE, OYI_AT_##id##_##name, 0 }
#define OUTPUT(i) \
  { OYI_SAVE_OUTPUT, i, 0 }

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_DERIVATIVE_H_
