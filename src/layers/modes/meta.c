// SPDX-License-Identifier: Apache-2.0
// What a call with Meta tensors says if the operator has no kernel for them (reference, 3.12).
#include "layers/modes/fake.h"

oy_status oyi_meta_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  (void)keys, (void)kernel;
  oy_stack_drop(stack, op->argument_count);
  oy_status status = OY_FAIL(
      NOT_IMPLEMENTED,
      "%.*s: attempted to run this operator with Meta tensors, but there was no fake "
      "impl "
      "or Meta kernel registered. You may have run into this message while using an "
      "operator with PT2 compilation APIs (torch.compile/torch.export); in order to use "
      "this operator with those APIs you'll need to add a fake impl. Please see the "
      "following for next steps:  "
      "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html",
      OY_STR_ARG(oy_op_name_of(op)));
  oy_error_set_op(oy_op_name_of(op));
  return status;
}

bool oyi_has_meta_kernel(const oy_op* op) {
  oy_keyset keys = oy_keyset_of(OY_KEY_Meta);
  return oy_select_masked(op, &keys)->boxed != oyi_meta_fallback;
}
