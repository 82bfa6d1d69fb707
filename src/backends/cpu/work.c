// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/work.h"

#include "opyard/value.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

static void* hold(oyi_work* w, oyi_tensor* used, oyi_tensor* out) {
  if (!used) {
    w->failed = true;
    return NULL;
  }
  w->held[w->count].used = used;
  w->held[w->count++].out = out;
  return oyi_data(used);
}

static bool is_ready(const oyi_tensor* t, oy_dtype dtype) {
  return t->header.dtype == dtype && (t->flags & OYI_CONTIGUOUS);
}

// A call may come by here with a tensor that has a shape and no memory.
static bool lacks_data(oyi_work* w, const oyi_tensor* t) {
  if (t->numel == 0 || oyi_data(t)) return false;
  w->failed = true;
  OY_FAIL(NOT_IMPLEMENTED, "a CPU kernel was given a tensor without data");
  return true;
}

void* oyi_work_read_as(oyi_work* w, const oyi_tensor* t, oy_dtype dtype) {
  if (!t || w->failed || lacks_data(w, t)) return NULL;
  if (is_ready(t, dtype))
    return hold(w, oyi_tensor_cast(oy_tensor_retain(oyi_tensor_object(t))), NULL);
  return hold(w, oyi_converted(t, dtype), NULL);
}

void* oyi_work_read(oyi_work* w, const oyi_tensor* t) {
  return oyi_work_read_as(w, t, w->dtype);
}

void* oyi_work_write(oyi_work* w, oyi_tensor* out) {
  if (!out || w->failed || lacks_data(w, out)) return NULL;
  if (is_ready(out, w->dtype))
    return hold(w, oyi_tensor_cast(oy_tensor_retain(&out->header)), NULL);
  return hold(w, oyi_tensor_new(oyi_sizes_view(out), w->dtype, oy_device_cpu()), out);
}

void* oyi_work_update(oyi_work* w, oyi_tensor* t) {
  void* data = oyi_work_read(w, t);
  if (t && !w->failed && !is_ready(t, w->dtype)) w->held[w->count - 1].out = t;
  return data;
}

oy_status oyi_work_end(oyi_work* w, oy_status status) {
  if (w->failed) status = oy_failure();
  for (int i = 0; i < w->count; i++) {
    if (w->held[i].out && status == OY_OK) oyi_convert(w->held[i].out, w->held[i].used);
    oy_tensor_release(&w->held[i].used->header);
  }
  return status;
}

oy_dtype oyi_float_to_compute(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F64: return OY_DTYPE_F64;
    case OY_DTYPE_F32:
    case OY_DTYPE_F16:
    case OY_DTYPE_BF16: return OY_DTYPE_F32;
    default: return OY_DTYPE_ANY;
  }
}

void oyi_say_not_implemented(const char* name, oy_dtype dtype) {
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
          oy_dtype_pytorch_name(dtype));
}

int64_t oyi_stretch(int64_t size) {
  return size >= OYI_ITER_GRAIN ? 1 : OYI_ITER_GRAIN / (size > 0 ? size : 1);
}
