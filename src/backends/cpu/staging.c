// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/staging.h"

static bool is_ready(const oyi_tensor* t, oy_dtype dtype) {
  return t->header.dtype == dtype && (t->flags & OYI_CONTIGUOUS);
}

oyi_tensor* oyi_stage_in(oyi_tensor* t, oy_dtype dtype) {
  if (oyi_check_data(t) != 0) return NULL;
  if (!is_ready(t, dtype)) return oyi_converted(t, dtype);
  oy_tensor_retain(&t->header);
  return t;
}

oyi_tensor* oyi_stage_out(oyi_tensor* out, oy_dtype dtype) {
  if (oyi_check_data(out) != 0) return NULL;
  if (!is_ready(out, dtype))
    return oyi_tensor_new(oyi_sizes_view(out), dtype, oy_device_cpu());
  oy_tensor_retain(&out->header);
  return out;
}

oy_status oyi_unstage(oyi_tensor* out, oyi_tensor* staged, oy_status status) {
  if (!staged) return status != OY_OK ? status : oy_failure();
  if (status == OY_OK && staged != out) oyi_convert(out, staged);
  oy_tensor_release(&staged->header);
  return status;
}

oy_status oyi_check_data(const oyi_tensor* t) {
  OY_CHECK(t->numel == 0 || oyi_data(t), NOT_IMPLEMENTED,
           "a CPU kernel was given a tensor without data");
  return OY_OK;
}

oy_status oyi_not_for(const char* name, oy_dtype dtype) {
  return OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
                 oy_dtype_pytorch_name(dtype));
}
