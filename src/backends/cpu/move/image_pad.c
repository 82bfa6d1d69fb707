// SPDX-License-Identifier: Apache-2.0
// Images padded by what they hold: mirrored at their edges, or with their edges repeated.
#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/taps.h"

typedef struct padding_call {
  const char* name;  // for errors
  oy_ints padding;
  size_t ndim;
  bool reflects;
} padding_call;

static bool make_taps(const padding_call* call, const oyi_resample* r, oyi_taps* taps) {
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    const int64_t n = r->in[d];
    if (!oyi_taps_new(&taps[d], r->out[d], 1)) return false;
    for (int64_t i = 0; i < r->out[d]; i++) {
      int64_t at = i - r->before[d];
      if (call->reflects)
        at = at < 0 ? -at : at >= n ? 2 * (n - 1) - at : at;
      else
        at = at < 0 ? 0 : at >= n ? n - 1 : at;
      taps[d].index[i] = at;
    }
  }
  return true;
}

typedef oy_status (*taps_fn)(const char*, const oyi_resample*, const oyi_taps*,
                             oyi_tensor*, oyi_tensor*);

static oy_status move(const padding_call* call, const oyi_resample* r, taps_fn fn,
                      oyi_tensor* in, oyi_tensor* out) {
  oyi_taps taps[OYI_SPATIAL] = {0};
  oy_status status =
      make_taps(call, r, taps) ? fn(call->name, r, taps, in, out) : oy_failure();
  for (size_t d = 0; d < OYI_SPATIAL; d++) oyi_taps_free(&taps[d]);
  return status;
}

static oy_object* finish(oyi_tensor* made, oy_object* given, oy_status status) {
  if (status == OY_OK) return &made->header;
  if (!given) oy_tensor_release(&made->header);
  return NULL;
}

static oy_status check_dtype(const padding_call* call, oy_dtype dtype) {
  OY_CHECK(oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype), NOT_IMPLEMENTED,
           "\"%s\" not implemented for '%s'", call->name, oy_dtype_pytorch_name(dtype));
  return OY_OK;
}

static oy_object* pad(const padding_call* call, oy_object* self, oy_object* given) {
  oyi_tensor* t = oyi_tensor_of(self);
  oyi_resample r;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (!t ||
      oyi_rule_image_pad(t, call->padding, call->ndim, call->reflects, &r, sizes) != 0 ||
      check_dtype(call, t->header.dtype) != 0)
    return NULL;
  oyi_tensor* out = oyi_rule_spatial((oy_ints){sizes, t->ndim}, t->header.dtype, t,
                                     OY_MEMORY_CONTIGUOUS, given);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  return finish(out, given, move(call, &r, oyi_taps_apply, t, out));
}

static oy_object* backward(const padding_call* call, oy_object* grad_output,
                           oy_object* self, oy_object* given) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* grad = t ? oyi_tensor_of(grad_output) : NULL;
  oyi_resample r;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (!grad ||
      oyi_rule_image_pad(t, call->padding, call->ndim, call->reflects, &r, sizes) != 0)
    return NULL;
  if (!oyi_same_sizes(oyi_sizes_view(grad), (oy_ints){sizes, t->ndim}) ||
      grad->header.dtype != t->header.dtype) {
    OY_FAIL(INVALID_ARGUMENT,
            "%s: expected grad_output of size %s and the input's dtype, "
            "got %s",
            call->name, oyi_dims_print((oy_ints){sizes, t->ndim}).text,
            oyi_dims_print(oyi_sizes_view(grad)).text);
    return NULL;
  }
  oyi_tensor* out = oyi_rule_spatial(oyi_sizes_view(t), t->header.dtype, t,
                                     OY_MEMORY_CONTIGUOUS, given);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  return finish(out, given, move(call, &r, oyi_taps_spread, grad, out));
}

#define PAD(id, text, dims, reflects_)                                                  \
  OYI_CPU(id) {                                                                         \
    return pad(&(padding_call){text, padding, dims, reflects_}, self, NULL);            \
  }                                                                                     \
  OYI_CPU(id##_out) {                                                                   \
    return pad(&(padding_call){text, padding, dims, reflects_}, self, out);             \
  }                                                                                     \
  OYI_CPU(id##_backward) {                                                              \
    return backward(&(padding_call){text, padding, dims, reflects_}, grad_output, self, \
                    NULL);                                                              \
  }                                                                                     \
  OYI_CPU(id##_backward_grad_input) {                                                   \
    return backward(&(padding_call){text, padding, dims, reflects_}, grad_output, self, \
                    grad_input);                                                        \
  }
PAD(reflection_pad1d, "reflection_pad1d", 1, true)
PAD(reflection_pad2d, "reflection_pad2d", 2, true)
PAD(reflection_pad3d, "reflection_pad3d_cpu", 3, true)
PAD(replication_pad1d, "replication_pad1d_cpu", 1, false)
PAD(replication_pad2d, "replication_pad2d_cpu", 2, false)
PAD(replication_pad3d, "replication_pad3d_cpu", 3, false)
