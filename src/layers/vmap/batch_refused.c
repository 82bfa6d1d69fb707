// SPDX-License-Identifier: Apache-2.0
// Operators that there is no rule for, nor a loop: what they give depends on the elements, or
// they change the shape of what they are given.
#include "layers/vmap/batch.h"

static oy_status check(oyi_batch* b, const oy_op* op, oy_stack* stack, bool* out_any) {
  OY_TRY(oyi_batch_begin(b, op, stack));
  *out_any = oyi_batch_any(b);
  return OY_OK;
}

OYI_BATCH_RULE(dynamic_shape) {
  (void)keys, (void)kernel;
  oyi_batch b;
  bool any;
  OY_TRY(check(&b, op, stack, &any));
  if (!any) return oyi_batch_pass(&b);
  return OY_FAIL(
      NOT_IMPLEMENTED,
      "vmap: We do not support batching operators that can output dynamic shape. "
      "Attempted to vmap over %.*s. Please voice your support in "
      "https://github.com/pytorch/functorch/issues/256",
      OY_STR_ARG(oy_op_name_of(op)));
}

OYI_BATCH_RULE(no_loop) {
  (void)keys, (void)kernel;
  oyi_batch b;
  bool any;
  OY_TRY(check(&b, op, stack, &any));
  if (!any) return oyi_batch_pass(&b);
  return OY_FAIL(NOT_IMPLEMENTED,
                 "Batching rule not implemented for %.*s; the fallback path doesn't work "
                 "on out= or view ops.",
                 OY_STR_ARG(oy_op_name_of(op)));
}

// |arguments| is the message.
OYI_BATCH_RULE(refused) {
  (void)keys;
  const oyi_batch_rule* rule = kernel->user_data;
  oyi_batch b;
  bool any;
  OY_TRY(check(&b, op, stack, &any));
  if (!any) return oyi_batch_pass(&b);
  return OY_FAIL(NOT_IMPLEMENTED, "%s", rule->arguments);
}
