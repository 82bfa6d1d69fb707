// SPDX-License-Identifier: Apache-2.0
// Fractional maximum pools: windows whose places come from a random number for each image
// and dimension.
#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/pool.h"
#include "ops/made.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"

typedef struct fractional {
  oy_object *self, *samples;
  oy_ints kernel, size;
  size_t dims;
} fractional;

static const char* const g_axes[] = {"time", "height", "width"};

static oy_status check_image(const fractional* f, const oyi_tensor* t) {
  const size_t dims = f->dims;
  const char* name = dims == 2 ? "fractional_max_pool2d" : "fractional_max_pool3d_out";
  // In three dimensions PyTorch wants room for one window more.
  const int64_t two = dims == 2;
  OY_CHECK(f->kernel.size == dims, INVALID_ARGUMENT,
           "fractional_max_pool%zud: kernel_size must either be a single Int or tuple of "
           "Ints",
           dims);
  OY_CHECK(f->size.size == dims, INVALID_ARGUMENT,
           "fractional_max_pool%zud: output_size must either be a single Int or tuple of "
           "Ints",
           dims);
  OY_CHECK(t->ndim == dims + 1 || t->ndim == dims + 2, INVALID_ARGUMENT,
           "%s(): Expected %zuD or %zuD tensor, but got: %s", name, dims + 1, dims + 2,
           oyi_dims_print(oyi_sizes_view(t)).text);
  for (size_t d = t->ndim - dims - 1; d < t->ndim; d++)
    OY_CHECK(
        t->sizes[d] > 0, INVALID_ARGUMENT,
        "%s(): Expected input to have non-zero size for non-batch dimensions, but got"
        "%s with dimension %zu being empty.",
        name, oyi_dims_print(oyi_sizes_view(t)).text, d);
  for (size_t d = 0; d < dims; d++) {
    const int64_t in = t->sizes[t->ndim - dims + d];
    OY_CHECK(f->kernel.data[d] > 0 && f->size.data[d] > 0, INVALID_ARGUMENT,
             "%s(): expected a kernel_size and an output_size above 0, got %s and %s",
             name, oyi_dims_print(f->kernel).text, oyi_dims_print(f->size).text);
    // Without adding, which may overflow.
    OY_CHECK(f->kernel.data[d] <= in && f->size.data[d] - two <= in - f->kernel.data[d],
             INVALID_ARGUMENT, "%s(): pool %s %lld too large relative to input %s %lld",
             name, g_axes[d + 3 - dims], (long long)f->kernel.data[d],
             g_axes[d + 3 - dims], (long long)in);
  }
  return OY_OK;
}

static oy_status check_samples(const fractional* f, const oyi_tensor* t,
                               const oyi_tensor* s) {
  OY_CHECK(t->header.dtype == s->header.dtype, TYPE_MISMATCH,
           "Expect _random_samples to have the same dtype as input");
  OY_CHECK(s->ndim == 3, INVALID_ARGUMENT,
           "Expect _random_samples to have 3 dimensions, got %u", s->ndim);
  const int64_t batch = t->ndim == f->dims + 2 ? t->sizes[0] : 1;
  OY_CHECK(s->sizes[0] >= batch, INVALID_ARGUMENT,
           "Expect _random_samples.size(0) no less then input batch size.");
  OY_CHECK(s->sizes[1] == t->sizes[t->ndim - f->dims - 1], INVALID_ARGUMENT,
           "Expect _random_samples.size(1) equals to input channel size.");
  OY_CHECK(s->sizes[2] == (int64_t)f->dims, INVALID_ARGUMENT,
           "Expect _random_samples.size(2) equals to %zu; got %lld.", f->dims,
           (long long)s->sizes[2]);
  OY_TRY(oyi_check_same_device(t, s));
  return oyi_check_memory(s);
}

// The pool, and the sizes of its output.
static oyi_pool pool_of(const fractional* f, const oyi_tensor* t, int64_t* sizes) {
  oyi_pool p = {.planes = 1, .in = {1, 1, 1}, .out = {1, 1, 1}, .kernel = {1, 1, 1}};
  const size_t first = t->ndim - f->dims;
  for (size_t d = 0; d < first; d++) p.planes *= sizes[d] = t->sizes[d];
  for (size_t d = 0; d < f->dims; d++) {
    const size_t at = OYI_SPATIAL - f->dims + d;
    p.in[at] = t->sizes[first + d];
    p.kernel[at] = f->kernel.data[d];
    p.out[at] = sizes[first + d] = f->size.data[d];
  }
  return p;
}

static oy_status pool(const fractional* f, oy_object* const* given,
                      oy_object** out_values, oy_object** out_indices) {
  *out_values = *out_indices = NULL;
  oyi_tensor* t = oyi_tensor_of(f->self);
  oyi_tensor* s = t ? oyi_tensor_of(f->samples) : NULL;
  if (!s) return oy_failure();
  OY_TRY(check_image(f, t));
  OY_TRY(check_samples(f, t, s));
  OY_TRY(oyi_check_memory(t));
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  const oyi_pool p = pool_of(f, t, sizes);
  const oy_ints shape = {sizes, t->ndim};
  oyi_tensor* values = oyi_rule_spatial(shape, t->header.dtype, t, OY_MEMORY_CONTIGUOUS,
                                        given ? given[0] : NULL);
  oyi_tensor* indices =
      values ? oyi_rule_spatial(shape, OY_DTYPE_I64, t, OY_MEMORY_CONTIGUOUS,
                                given ? given[1] : NULL)
             : NULL;
  oy_status status = indices ? OY_OK : oy_failure();
  if (status == 0 && !oyi_is_meta(values) && values->numel > 0)
    status = oyi_pool_max_at(&p,
                             f->dims == 2 ? "fractional_max_pool2d_out_frame"
                                          : "fractional_max_pool3d_out_frame",
                             f->dims, t, s, values, indices);
  if (status == 0) {
    *out_values = &values->header, *out_indices = &indices->header;
  } else if (!given) {
    oy_tensor_release(oyi_tensor_object(values));
    oy_tensor_release(oyi_tensor_object(indices));
  }
  return status;
}

static oy_object* pool_backward(const fractional* f, oy_object* grad_output,
                                oy_object* indices, oy_object* given) {
  oyi_tensor* t = oyi_tensor_of(f->self);
  oyi_tensor* grad = t ? oyi_tensor_of(grad_output) : NULL;
  oyi_tensor* at = grad ? oyi_tensor_of(indices) : NULL;
  if (!at || check_image(f, t) != 0 || oyi_check_same_device(t, grad) != 0 ||
      oyi_check_same_device(t, at) != 0)
    return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  const oyi_pool p = pool_of(f, t, sizes);
  const char* name =
      f->dims == 2 ? "fractional_max_pool2d_backward" : "fractional_max_pool3d_backward";
  const size_t first = t->ndim - f->dims;
  for (size_t d = 0; d < t->ndim; d++)
    if (grad->ndim != t->ndim || grad->sizes[d] != sizes[d]) {
      OY_FAIL(INVALID_ARGUMENT, "%s%s(): gradOutput %s unexpected", name,
              f->dims == 2 ? "" : "_out",
              d < first ? "sizes" : g_axes[d - first + 3 - f->dims]);
      return NULL;
    }
  if (!oyi_same_sizes(oyi_sizes_view(grad), oyi_sizes_view(at)) ||
      at->header.dtype != OY_DTYPE_I64 || grad->header.dtype != t->header.dtype) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "%s: expected grad_output of dtype %s and indices of dtype Long, both of size "
        "%s, got %s and %s",
        name, oy_dtype_pytorch_name(t->header.dtype),
        oyi_dims_print((oy_ints){sizes, t->ndim}).text,
        oyi_dims_print(oyi_sizes_view(grad)).text,
        oyi_dims_print(oyi_sizes_view(at)).text);
    return NULL;
  }
  oyi_tensor* out = oyi_rule_spatial(oyi_sizes_view(t), t->header.dtype, t,
                                     OY_MEMORY_CONTIGUOUS, given);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  if (oyi_pool_scatter(name, grad, at, p.planes, out) == OY_OK) return &out->header;
  if (!given) oy_tensor_release(&out->header);
  return NULL;
}

#define CALL(samples, dims)                       \
  &(fractional) {                                 \
    self, samples, kernel_size, output_size, dims \
  }
OYI_CPU(fractional_max_pool2d) {
  return pool(CALL(random_samples, 2), NULL, out_0, out_1);
}
OYI_CPU(fractional_max_pool2d_output) {
  return pool(CALL(random_samples, 2), (oy_object*[]){output, indices}, out_0, out_1);
}
OYI_CPU(fractional_max_pool3d) {
  return pool(CALL(random_samples, 3), NULL, out_0, out_1);
}
OYI_CPU(fractional_max_pool3d_output) {
  return pool(CALL(random_samples, 3), (oy_object*[]){output, indices}, out_0, out_1);
}
OYI_CPU(fractional_max_pool2d_backward) {
  return pool_backward(CALL(NULL, 2), grad_output, indices, NULL);
}
OYI_CPU(fractional_max_pool2d_backward_grad_input) {
  return pool_backward(CALL(NULL, 2), grad_output, indices, grad_input);
}
OYI_CPU(fractional_max_pool3d_backward) {
  return pool_backward(CALL(NULL, 3), grad_output, indices, NULL);
}
OYI_CPU(fractional_max_pool3d_backward_grad_input) {
  return pool_backward(CALL(NULL, 3), grad_output, indices, grad_input);
}
