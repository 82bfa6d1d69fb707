// SPDX-License-Identifier: Apache-2.0
#include "ops/out.h"

#include "ops/calls.h"
#include "tensor/iterator.h"

// What needs a gradient does not go into an output: the layer of Autograd, which says so
// for operators with a kernel of their own, does not see those that are composed.
static oy_status check_no_gradient(const oy_object* result) {
  uint64_t bits = result->keys.functionality;
  OY_CHECK(!(bits & 1ull << OY_KEY_AutogradFunctionality), FAILED_PRECONDITION,
           "copy_(): functions with out=... arguments don't support automatic "
           "differentiation, but one of the arguments requires grad.");
  return OY_OK;
}

oy_object* oyi_into_out(oy_object* result, oy_object* out) {
  const oyi_tensor* r = oyi_tensor_of(result);
  oyi_tensor* o = r ? oyi_tensor_of(out) : NULL;
  oy_object* done = NULL;
  if (o && check_no_gradient(result) == 0 &&
      oyi_output_prepare(o, oyi_sizes_view(r), result->dtype, oyi_tensor_device(r)) == 0)
    done = oyi_call_copy_(out, result, false);
  oy_tensor_release(result);
  return done;
}
