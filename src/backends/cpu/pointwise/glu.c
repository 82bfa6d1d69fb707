// SPDX-License-Identifier: Apache-2.0
// glu: one half of a tensor, multiplied by the sigmoid of the other half.
#include "backends/cpu/pointwise/elementwise.h"
#include "ops/rules/rules.h"

// The two halves of a tensor along a dimension, without history.
typedef struct halves {
  oy_object* first;
  oy_object* second;
} halves;

static void halves_release(halves* h) {
  oy_tensor_release(h->first);
  oy_tensor_release(h->second);
}

static oy_status halve(oy_object* self, int64_t dim, halves* out) {
  *out = (halves){0};
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT, "glu does not support 0-dimensional tensors");
  int64_t d = oyi_dim_wrap(dim, t->ndim);
  if (d < 0) return OY_OUT_OF_RANGE;
  OY_CHECK(t->sizes[d] % 2 == 0, INVALID_ARGUMENT,
           "Halving dimension must be even, but dimension %lld is size %lld",
           (long long)d, (long long)t->sizes[d]);
  int64_t sizes[OY_TENSOR_MAX_DIMS], half = t->sizes[d] / 2;
  memcpy(sizes, t->sizes, t->ndim * sizeof(int64_t));
  sizes[d] = half;
  oy_ints shape = {sizes, t->ndim}, strides = oyi_strides_view(t);
  out->first = oyi_tensor_object(oyi_tensor_alias(t, shape, strides, t->offset));
  out->second = oyi_tensor_object(
      oyi_tensor_alias(t, shape, strides, t->offset + half * strides.data[d]));
  if (out->first && out->second) return OY_OK;
  halves_release(out);
  return OY_OUT_OF_MEMORY;
}

static oy_object* gated(oy_object* out, oy_object* self, int64_t dim) {
  halves h;
  if (halve(self, dim, &h) != 0) return NULL;
  oy_object* result = oyi_cpu_binary(out, h.first, h.second, 0, OYI_LOOP_glu);
  halves_release(&h);
  return result;
}
OYI_CPU(glu) {
  return gated(NULL, self, dim);
}
OYI_CPU(glu_out) {
  return gated(out, self, dim);
}

// grad * s for the first half, and that times (1 - s) * first for the second.
static bool gradients(const halves* to, const halves* of, oy_object* grad) {
  // In place: a gradient of another shape must not move the half.
  return oyi_cpu_binary(to->first, grad, of->second, OYI_ITER_INPLACE, OYI_LOOP_glu) &&
         oyi_cpu_binary(to->second, to->first, of->second, 0, OYI_LOOP_glu_rest) &&
         oyi_cpu_binary(to->second, to->second, of->first, OYI_ITER_INPLACE,
                        OYI_LOOP_mul);
}
static oy_status glu_gradient(oy_object* out, oy_object* grad, oy_object* self,
                              int64_t dim) {
  halves of, to;
  OY_TRY(halve(self, dim, &of));
  oy_status status = halve(out, dim, &to);
  if (status == OY_OK) {
    if (!gradients(&to, &of, grad)) status = oy_failure();
    halves_release(&to);
  }
  halves_release(&of);
  return status;
}

OYI_CPU(glu_backward) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  oyi_tensor* out = oyi_tensor_new(oyi_sizes_view(t), self->dtype, oyi_tensor_device(t));
  if (!out) return NULL;
  if (glu_gradient(&out->header, grad_output, self, dim) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}
OYI_CPU(glu_backward_grad_input) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* out = t ? oyi_tensor_of(grad_input) : NULL;
  const oyi_tensor* grad = out ? oyi_tensor_of(grad_output) : NULL;
  if (!grad || oyi_output_check_shape(out, grad, oyi_sizes_view(t)) != 0 ||
      oyi_output_prepare(out, oyi_sizes_view(t), self->dtype, oyi_tensor_device(t)) != 0)
    return NULL;
  return glu_gradient(grad_input, grad_output, self, dim) == OY_OK ? grad_input : NULL;
}
