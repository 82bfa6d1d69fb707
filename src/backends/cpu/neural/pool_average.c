// SPDX-License-Identifier: Apache-2.0
// Average pools as operators.
#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/pool.h"
#include "ops/calls.h"
#include "ops/out_form.h"

typedef struct average {
  oyi_pool_call call;
  bool count_padding;
  oy_value divisor;
  oy_object *out, *grad;
} average;

static oy_object* finish(oyi_tensor* made, oy_object* out, oy_status status) {
  if (status == OY_OK) return &made->header;
  if (!out) oy_tensor_release(&made->header);
  return NULL;
}

static oy_status prepare(const average* a, oyi_pool* p, oyi_pool_how* how,
                         int64_t* sizes) {
  OY_CHECK(a->divisor.tag == OY_TAG_NONE || a->divisor.as.i != 0, INVALID_ARGUMENT,
           "divisor must be not zero");
  *how = (oyi_pool_how){.name = a->call.ndim == 2 ? "avg_pool2d" : "avg_pool3d_out_frame",
                        .count_padding = a->count_padding,
                        .divisor = a->divisor.tag == OY_TAG_NONE ? 0 : a->divisor.as.i};
  return oyi_rule_pool(&a->call, p, sizes);
}

static oy_object* forward(const average* a) {
  oyi_pool p;
  oyi_pool_how how;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (prepare(a, &p, &how, sizes) != 0) return NULL;
  oyi_tensor* t = oyi_tensor_cast(a->call.self);
  oy_memory_format format =
      a->call.ndim == 2 ? oyi_spatial_format(t) : OY_MEMORY_CONTIGUOUS;
  oyi_tensor* out =
      oyi_rule_spatial((oy_ints){sizes, t->ndim}, t->header.dtype, t, format, a->out);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  return finish(out, a->out, oyi_pool_average(&p, &how, t, out));
}

static oy_status check_grad(const oyi_tensor* t, const oyi_tensor* grad, oy_ints sizes) {
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(grad), sizes), INVALID_ARGUMENT,
           "Expected grad_output of size %s, got %s", oyi_dims_print(sizes).text,
           oyi_dims_print(oyi_sizes_view(grad)).text);
  OY_CHECK(grad->header.dtype == t->header.dtype, TYPE_MISMATCH,
           "expected dtype %s for `gradOutput` but got dtype %s",
           oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(grad->header.dtype));
  return OY_OK;
}

static oy_object* backward(const average* a) {
  oyi_pool p;
  oyi_pool_how how;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (prepare(a, &p, &how, sizes) != 0) return NULL;
  oyi_tensor *t = oyi_tensor_cast(a->call.self), *grad = oyi_tensor_of(a->grad);
  if (!grad || check_grad(t, grad, (oy_ints){sizes, t->ndim}) != 0) return NULL;
  oy_memory_format format =
      a->call.ndim == 2 ? oyi_spatial_format(t) : OY_MEMORY_CONTIGUOUS;
  oyi_tensor* out =
      oyi_rule_spatial(oyi_sizes_view(t), t->header.dtype, t, format, a->out);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  return finish(out, a->out, oyi_pool_average_backward(&p, &how, grad, out));
}

#define AVERAGE(dims, out_, grad_)                       \
  &(average) {                                           \
    {"avg_pool" #dims "d",                               \
     self,                                               \
     kernel_size,                                        \
     stride,                                             \
     padding,                                            \
     {NULL, 0},                                          \
     ceil_mode,                                          \
     dims},                                              \
        count_include_pad, divisor_override, out_, grad_ \
  }
OYI_CPU(avg_pool2d) {
  return forward(AVERAGE(2, NULL, NULL));
}
OYI_CPU(avg_pool2d_out) {
  return forward(AVERAGE(2, out, NULL));
}
OYI_CPU(avg_pool3d) {
  return forward(AVERAGE(3, NULL, NULL));
}
OYI_CPU(avg_pool3d_out) {
  return forward(AVERAGE(3, out, NULL));
}
OYI_CPU(avg_pool2d_backward) {
  return backward(AVERAGE(2, NULL, grad_output));
}
OYI_CPU(avg_pool2d_backward_grad_input) {
  return backward(AVERAGE(2, grad_input, grad_output));
}
OYI_CPU(avg_pool3d_backward) {
  return backward(AVERAGE(3, NULL, grad_output));
}
OYI_CPU(avg_pool3d_backward_grad_input) {
  return backward(AVERAGE(3, grad_input, grad_output));
}

// ----------------------------------------------------------------------- adaptive

static oy_object* adaptive(oy_object* self, oy_ints size, size_t ndim, oy_object* out_) {
  static const char* const names[] = {"adaptive_avg_pool2d", "adaptive_avg_pool3d"};
  static const char* const kernels[] = {"adaptive_avg_pool2d", "adaptive_avg_pool3d_cpu"};
  oyi_pool p;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (oyi_rule_adaptive_pool(self, size, ndim, names[ndim - 2], &p, sizes) != 0)
    return NULL;
  oyi_tensor* t = oyi_tensor_cast(self);
  oy_memory_format format = ndim == 2 ? oyi_spatial_format(t) : OY_MEMORY_CONTIGUOUS;
  oyi_tensor* out =
      oyi_rule_spatial((oy_ints){sizes, t->ndim}, t->header.dtype, t, format, out_);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  oyi_pool_how how = {.name = kernels[ndim - 2], .adaptive = true};
  return finish(out, out_, oyi_pool_average(&p, &how, t, out));
}

OYI_CPU(_adaptive_avg_pool2d) {
  return adaptive(self, output_size, 2, NULL);
}
OYI_CPU(adaptive_avg_pool2d_out) {
  return adaptive(self, output_size, 2, out);
}
OYI_CPU(_adaptive_avg_pool3d) {
  return adaptive(self, output_size, 3, NULL);
}
OYI_CPU(adaptive_avg_pool3d_out) {
  return adaptive(self, output_size, 3, out);
}

static oy_object* adaptive_backward(oy_object* grad_output, oy_object* self, size_t ndim,
                                    const char* name) {
  oyi_tensor *t = oyi_tensor_of(self), *grad = t ? oyi_tensor_of(grad_output) : NULL;
  oyi_pool p;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (!grad) return NULL;
  if (grad->ndim != t->ndim || t->ndim <= ndim) {
    OY_FAIL(INVALID_ARGUMENT, "%s(): Expected %zuD or %zuD tensor, but got %s", name,
            ndim + 1, ndim + 2, oyi_dims_print(oyi_sizes_view(grad)).text);
    return NULL;
  }
  oy_ints size = {grad->sizes + grad->ndim - ndim, ndim};
  if (oyi_rule_adaptive_pool(self, size, ndim, name, &p, sizes) != 0 ||
      check_grad(t, grad, (oy_ints){sizes, t->ndim}) != 0)
    return NULL;
  oy_memory_format format = ndim == 2 ? oyi_spatial_format(t) : OY_MEMORY_CONTIGUOUS;
  oyi_tensor* out = oyi_rule_spatial(oyi_sizes_view(t), t->header.dtype, t, format, NULL);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  oyi_pool_how how = {.name = name, .adaptive = true};
  return finish(out, NULL, oyi_pool_average_backward(&p, &how, grad, out));
}

OYI_CPU(_adaptive_avg_pool2d_backward) {
  return adaptive_backward(grad_output, self, 2, "adaptive_avg_pool2d_backward");
}
OYI_CPU(_adaptive_avg_pool3d_backward) {
  return adaptive_backward(grad_output, self, 3, "adaptive_avg_pool3d_backward");
}
OYI_CPU(adaptive_avg_pool3d_backward_grad_input) {
  return oyi_into_exact_out(grad_input,
                            oyi_call__adaptive_avg_pool3d_backward(grad_output, self));
}
