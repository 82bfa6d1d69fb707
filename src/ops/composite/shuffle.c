// SPDX-License-Identifier: Apache-2.0
// Channels and pixels in another order, and classes as rows of zeros and a one.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "tensor/impl.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

OYI_STORED(pixel_shuffle_out, pixel_shuffle)
OYI_STORED(pixel_unshuffle_out, pixel_unshuffle)
OYI_STORED(channel_shuffle_out, channel_shuffle)

// The least or the greatest element; false with the error set.
static bool bound(oy_object* made, int64_t* out) {
  oy_scalar number;
  const bool good = made && oy_tensor_get(made, oy_dims_none(), &number) == OY_OK;
  if (good) *out = number.as.i;
  oy_tensor_release(made);
  return good;
}

// How many classes there are; what is on no device that has elements is not looked at.
static oy_status count_classes(oy_object* self, int64_t* classes) {
  int64_t least = 0, greatest = *classes > 0 ? *classes - 1 : -1;
  if (!oyi_is_meta(oyi_tensor_cast(self)) || *classes == -1) {
    if (!bound(oyi_call_min(self), &least) || !bound(oyi_call_max(self), &greatest))
      return oy_failure();
  }
  OY_CHECK(least >= 0, INVALID_ARGUMENT, "Class values must be non-negative.");
  bool fits = true;
  if (*classes == -1) fits = !__builtin_add_overflow(greatest, 1, classes);
  OY_CHECK(fits && *classes > greatest, INVALID_ARGUMENT,
           "Class values must be smaller than num_classes.");
  return OY_OK;
}

OYI_COMPOSITE(one_hot) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (self->dtype != OY_DTYPE_I64) {
    OY_FAIL(TYPE_MISMATCH,
            "one_hot is only applicable to index tensor of type LongTensor.");
    return NULL;
  }
  if (t->numel == 0 && num_classes <= 0) {
    OY_FAIL(INVALID_ARGUMENT, "Can not infer total number of classes from empty tensor.");
    return NULL;
  }
  if (t->numel > 0 && count_classes(self, &num_classes) != 0) return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS + 1];
  memcpy(sizes, t->sizes, t->ndim * sizeof(int64_t));
  sizes[t->ndim] = num_classes;
  oy_object* made =
      oyi_call_zeros((oy_ints){sizes, t->ndim + 1u}, oy_int(OY_DTYPE_I64), oy_none(),
                     oy_value_device(oyi_tensor_device(t)), oy_none());
  if (!made || t->numel == 0) return made;
  oy_object* at = oyi_call_unsqueeze(self, -1);
  oy_object* done = at ? oyi_call_scatter__value(made, -1, at, oy_int(1)) : NULL;
  oy_tensor_release(at);
  return oyi_written(made, done);
}
