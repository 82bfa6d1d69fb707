// SPDX-License-Identifier: Apache-2.0
#include "ops/out.h"

#include "ops/calls.h"
#include "tensor/iterator.h"

oy_object* oyi_into_out(oy_object* result, oy_object* out) {
  const oyi_tensor* r = oyi_tensor_of(result);
  oyi_tensor* o = r ? oyi_tensor_of(out) : NULL;
  oy_object* done = NULL;
  if (o &&
      oyi_output_prepare(o, oyi_sizes_view(r), result->dtype, oyi_tensor_device(r)) == 0)
    done = oyi_call_copy_(out, result, false);
  oy_tensor_release(result);
  return done;
}
