// SPDX-License-Identifier: Apache-2.0
#include "ops/out_form.h"

#include "ops/calls.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"

// An output of another shape takes the layout of the result with it.
static oy_status prepare(oyi_tensor* to, const oyi_tensor* from, bool keeps_layout) {
  oy_ints sizes = oyi_sizes_view(from), strides = oyi_strides_view(from);
  bool lays = !oyi_same_sizes(oyi_sizes_view(to), sizes) && from->flags & OYI_DENSE;
  OY_TRY(oyi_output_exact(to, sizes, from->header.dtype, oyi_tensor_device(from)));
  if (!lays || !keeps_layout || from->flags & OYI_CONTIGUOUS) return OY_OK;
  memcpy(oyi_strides(to), strides.data, sizes.size * sizeof(*strides.data));
  oyi_tensor_geometry(to);
  return OY_OK;
}

static oy_object* into(oy_object* out, oy_object* result, bool keeps_layout) {
  if (!result) return NULL;
  oyi_tensor *from = oyi_tensor_of(result), *to = oyi_tensor_of(out);
  oy_object* done = NULL;
  if (from && to && prepare(to, from, keeps_layout) == 0)
    done = oyi_call_copy_(out, result, false);
  oy_tensor_release(result);
  return done;
}
oy_object* oyi_into_exact_out(oy_object* out, oy_object* result) {
  return into(out, result, true);
}
oy_object* oyi_into_contiguous_out(oy_object* out, oy_object* result) {
  return into(out, result, false);
}

oy_status oyi_into_outs(oy_status status, oy_object* const* outs,
                        oy_object* const* results, int count) {
  if (status != 0) return status;
  for (int k = 0; k < count; k++)
    if (results[k] == &oy_none_object)
      continue;
    else if (status != 0)
      oy_tensor_release(results[k]);
    else if (!oyi_into_exact_out(outs[k], results[k]))
      status = oy_failure();
  return status;
}
