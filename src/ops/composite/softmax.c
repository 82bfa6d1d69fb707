// SPDX-License-Identifier: Apache-2.0
// Softmax with a dtype of its own. Columns of the table: ops.def.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

typedef oy_object* (*softmax_fn)(oy_object* self, int64_t dim, bool half_to_float);

static oy_object* as_dtype(oy_object* self, int64_t dim, oy_value dtype,
                           softmax_fn call) {
  if (dtype.tag == OY_TAG_NONE) return call(self, dim, false);
  oy_object* converted =
      oyi_call_to_dtype(self, (oy_dtype)dtype.as.i, false, false, oy_none());
  oy_object* result = converted ? call(converted, dim, false) : NULL;
  oy_tensor_release(converted);
  return result;
}

OYI_COMPOSITE(softmax_int) {
  return as_dtype(self, dim, dtype, oyi_call__softmax);
}
OYI_COMPOSITE(log_softmax_int) {
  return as_dtype(self, dim, dtype, oyi_call__log_softmax);
}
OYI_COMPOSITE(special_softmax) {
  return oyi_call_softmax_int(self, dim, dtype);
}
OYI_COMPOSITE(special_log_softmax) {
  return oyi_call_log_softmax_int(self, dim, dtype);
}

// |out| is given the result's dtype, which is |dtype| if there is one.
static oy_object* into(oy_object* self, int64_t dim, oy_value dtype, oy_object* out,
                       softmax_fn call) {
  return oyi_stored(out, as_dtype(self, dim, dtype, call));
}
OYI_COMPOSITE(softmax_int_out) {
  return into(self, dim, dtype, out, oyi_call__softmax);
}
OYI_COMPOSITE(log_softmax_int_out) {
  return into(self, dim, dtype, out, oyi_call__log_softmax);
}
