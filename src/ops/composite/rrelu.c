// SPDX-License-Identifier: Apache-2.0
// rrelu: the slopes are made here, and written by rrelu_with_noise.
#include "ops/calls.h"
#include "ops/composite/composite.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"

// Where the slopes go; NULL with the error set if the bounds make no range.
static oy_object* room_for_noise(oy_object* self, oy_scalar lower, oy_scalar upper) {
  double low, high;
  if (oyi_scalar_to_double(lower, &low) != 0 || oyi_scalar_to_double(upper, &high) != 0)
    return NULL;
  if (!(low <= high)) {
    OY_FAIL(INVALID_ARGUMENT,
            "Lower bound should be less than or equal to the upper bound");
    return NULL;
  }
  return oyi_call_empty_like(self, oy_none(), oy_none(), oy_none(), oy_none(),
                             oy_int(OY_MEMORY_CONTIGUOUS));
}

OYI_COMPOSITE(rrelu) {
  OYI_LAST_USE(
      noise, room_for_noise(self, lower, upper),
      noise ? oyi_call_rrelu_with_noise(self, noise, lower, upper, training, generator)
            : NULL);
}
OYI_COMPOSITE(rrelu_) {
  OYI_LAST_USE(
      noise, room_for_noise(self, lower, upper),
      noise ? oyi_call_rrelu_with_noise_(self, noise, lower, upper, training, generator)
            : NULL);
}

OYI_COMPOSITE(rrelu_with_noise_functional) {
  *out_0 = *out_noise_out = NULL;
  oy_object* written = oyi_call_clone(noise, oy_none());
  oy_object* made = written ? oyi_call_rrelu_with_noise(self, written, lower, upper,
                                                        training, generator)
                            : NULL;
  if (!made) {
    oy_tensor_release(written);
    return oy_failure();
  }
  *out_0 = made;
  *out_noise_out = written;
  return OY_OK;
}
