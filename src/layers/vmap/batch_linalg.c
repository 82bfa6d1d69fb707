// SPDX-License-Identifier: Apache-2.0
// What factorisations of a batch say is wrong: looked at for all slices at once, since the
// check gives nothing that a loop could stack.
#include "layers/vmap/batch.h"
#include "ops/calls.h"

OYI_BATCH_RULE(linalg_check) {
  (void)keys, (void)kernel;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  const oy_value* a = oyi_batch_arg(&b, 0);
  if (a[0].tag != OY_TAG_TENSOR || !oyi_batch_has(&b, &a[0])) return oyi_batch_pass(&b);
  const oyi_wrapper* w = oyi_wrapper_at(a[0].as.object, b.layer);
  const oy_str name = {a[1].as.chars, a[1].count};
  uint64_t keep = oyi_batch_below();
  oy_status status = oyi_call__linalg_check_errors(w->value, name, false);
  oyi_batch_above(keep);
  OY_TRY(status);
  oyi_batch_drop_arguments(&b);
  return OY_OK;
}
