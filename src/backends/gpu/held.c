// SPDX-License-Identifier: Apache-2.0
#include "held.h"

#include "row_kernel.h"

// Takes |t| over; NULL is a failure.
static oy_tensor* keep(gpu_held* h, oy_tensor* t) {
  if (!t) h->status = oy_failure();
  h->t[h->count++] = t;
  return t;
}

static oy_tensor* hold_as(gpu_held* h, const gpu_call* c, oy_value v, oy_dtype dtype) {
  if (h->status != OY_OK || !gpu_is_tensor(v)) return NULL;
  return keep(h, gpu_plain(c, v.as.object, dtype));
}

oy_tensor* gpu_hold(gpu_held* h, const gpu_call* c, oy_value v) {
  return gpu_is_tensor(v) ? hold_as(h, c, v, v.as.object->dtype) : NULL;
}

void gpu_hold_pair(gpu_held* h, const gpu_call* c, oy_value a, oy_value b,
                   oy_tensor* out_pair[2]) {
  const bool both = gpu_is_tensor(a) && gpu_is_tensor(b);
  const bool differ = both && a.as.object->dtype != b.as.object->dtype;
  const oy_dtype wide = gpu_wide(c->device);
  out_pair[0] = differ ? hold_as(h, c, a, wide) : gpu_hold(h, c, a);
  out_pair[1] = differ ? hold_as(h, c, b, wide) : gpu_hold(h, c, b);
}

oy_tensor* gpu_hold_new(gpu_held* h, const gpu_call* c, oy_ints sizes, oy_dtype dtype) {
  if (h->status != OY_OK) return NULL;
  return keep(h, gpu_new(c, sizes, dtype));
}

oy_tensor* gpu_hold_result(gpu_held* h, const gpu_call* c, size_t i) {
  if (h->status != OY_OK || i >= c->out_count || !c->out[i]) return NULL;
  oy_tensor* t = gpu_result(c, i);
  if (!t) h->status = oy_failure();
  return t;
}

void gpu_let_go(gpu_held* h) {
  for (int i = 0; i < h->count; i++) oy_tensor_release(h->t[i]);
}
