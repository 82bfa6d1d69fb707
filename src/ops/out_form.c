// SPDX-License-Identifier: Apache-2.0
#include "ops/out_form.h"

#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/iterator.h"

// An output of another shape takes the layout of the result with it.
static oy_status prepare(oyi_tensor* to, const oyi_tensor* from, bool keeps_layout) {
  oy_ints sizes = oyi_sizes_view(from), strides = oyi_strides_view(from);
  bool lays = !oyi_same_sizes(oyi_sizes_view(to), sizes) && from->flags & OYI_DENSE;
  OY_TRY(oyi_output_prepare(to, sizes, from->header.dtype, oyi_tensor_device(from)));
  if (!lays || !keeps_layout || from->flags & OYI_CONTIGUOUS ||
      to->header.dtype != from->header.dtype)
    return OY_OK;
  memcpy(oyi_strides(to), strides.data, sizes.size * sizeof(*strides.data));
  oyi_tensor_geometry(to);
  return OY_OK;
}

static oy_status check_castable(const oyi_tensor* to, const oyi_tensor* from,
                                const char* op, const char* what) {
  OY_CHECK(
      oy_dtype_can_cast(from->header.dtype, to->header.dtype), TYPE_MISMATCH,
      "%s: Expected %s to be safely castable from %s dtype, but got %s with dtype %s", op,
      what, oy_dtype_pytorch_name(from->header.dtype), what,
      oy_dtype_pytorch_name(to->header.dtype));
  return OY_OK;
}

// |op| NULL: of the same dtype alone.
static oy_object* into(oy_object* out, oy_object* result, bool keeps_layout,
                       const char* op, const char* what) {
  if (!result) return NULL;
  oyi_tensor *from = oyi_tensor_of(result), *to = from ? oyi_tensor_of(out) : NULL;
  oy_object* done = NULL;
  const oy_status status = !to  ? oy_failure()
                           : op ? check_castable(to, from, op, what)
                                : oyi_output_check_exact(to, from->header.dtype);
  if (status == OY_OK && prepare(to, from, keeps_layout) == 0)
    done = oyi_call_copy_(out, result, false);
  oy_tensor_release(result);
  return done;
}
oy_object* oyi_into_exact_out(oy_object* out, oy_object* result) {
  return into(out, result, true, NULL, NULL);
}
oy_object* oyi_into_contiguous_out(oy_object* out, oy_object* result) {
  return into(out, result, false, NULL, NULL);
}
oy_object* oyi_into_castable_out(oy_object* out, oy_object* result, const char* op,
                                 const char* what, bool in_rows) {
  return into(out, result, !in_rows, op, what);
}

static oy_status into_all(oy_status status, oy_object* const* outs,
                          oy_object* const* results, int count, const char* op,
                          const char* const* what) {
  if (status != 0) return status;
  for (int k = 0; k < count; k++)
    if (results[k] == &oy_none_object)
      continue;
    else if (status != 0)
      oy_tensor_release(results[k]);
    else if (!into(outs[k], results[k], true, op, op ? what[k] : NULL))
      status = oy_failure();
  return status;
}
oy_status oyi_into_outs(oy_status status, oy_object* const* outs,
                        oy_object* const* results, int count) {
  return into_all(status, outs, results, count, NULL, NULL);
}
oy_status oyi_into_castable_outs(oy_status status, oy_object* const* outs,
                                 oy_object* const* results, int count, const char* op,
                                 const char* const* what) {
  return into_all(status, outs, results, count, op, what);
}
