// SPDX-License-Identifier: Apache-2.0
// Typed calls for the library's own use, inlined, for every row of the table:
//
//   oyi_call_<id>(args...)                 from the top, thread-local sets apply
//   oyi_redispatch_<id>(op, keys, args...) with exactly these keys
//
// Unlike the public calls they never hand a result to a scope: what they return
// belongs to the caller, also when no operator call is in flight (the backward
// engine). Given NULL they fail and keep the pending error.
#ifndef OPYARD_SRC_OPS_CALLS_H_
#define OPYARD_SRC_OPS_CALLS_H_

#include "ops/kernel.h"
#include "ops/op_ids.h"

// Adds the key sets of |count| tensors and |list_count| lists; false if one is NULL.
static inline __attribute__((always_inline)) bool oyi_join_keys(oy_object* const* tensors,
                                                                size_t count,
                                                                const oy_tensors* lists,
                                                                size_t list_count,
                                                                oy_keyset* keys) {
  *keys = oy_keyset_empty();
  for (size_t i = 0; i < count; i++) {
    if (OY_UNLIKELY(!tensors[i])) return false;
    *keys = oy_keyset_or(*keys, tensors[i]->keys);
  }
  for (size_t i = 0; i < list_count; i++)
    if (OY_UNLIKELY(!oy_tensors_keys(lists[i], keys))) return false;
  return true;
}

#define OY_OP(family, id, where, backward, schema, doc)                              \
  typedef OYI_RESULT_##id (*oyi_fn_##id)(const oy_op*, oy_keyset, OYI_PARAMS_##id);  \
  static inline OYI_RESULT_##id oyi_call_##id(OYI_PARAMS_##id) {                     \
    oy_object* const tensors_[] = {OYI_TENSORS_##id NULL};                           \
    const oy_tensors lists_[] = {OYI_LISTS_##id{NULL, 0}};                           \
    const oy_op* op = oyi_ops[OYI_OP_##id];                                          \
    oy_keyset keys;                                                                  \
    if (!oyi_join_keys(tensors_, sizeof(tensors_) / sizeof(*tensors_) - 1, lists_,   \
                       sizeof(lists_) / sizeof(*lists_) - 1, &keys)) {               \
      (void)!oy_call_null_argument(op, "");                                          \
      return OYI_FAILED_##id;                                                        \
    }                                                                                \
    uint64_t before = oy_call_enter();                                               \
    oyi_fn_##id typed = (oyi_fn_##id)oy_select_call(op, &keys)->typed;               \
    OYI_RESULT_##id result = typed(op, keys, OYI_ARGS_##id);                         \
    oy_call_leave(before);                                                           \
    return result;                                                                   \
  }                                                                                  \
  static inline OYI_RESULT_##id oyi_redispatch_##id(const oy_op* op, oy_keyset keys, \
                                                    OYI_PARAMS_##id) {               \
    return ((oyi_fn_##id)oy_select_exact(op, keys)->typed)(op, keys, OYI_ARGS_##id); \
  }
#include "ops/ops.def"
#undef OY_OP

#endif  // OPYARD_SRC_OPS_CALLS_H_
