// SPDX-License-Identifier: Apache-2.0
// Maximum pools as operators: values and the indices where they were found, in the image
// of one channel.
#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/pool.h"
#include "ops/rules/rules.h"

// Both outputs, made or prepared.
typedef struct outputs {
  oyi_tensor *values, *indices;
  bool made;
} outputs;

static void give_up(outputs* o) {
  if (!o->made) return;
  oy_tensor_release(oyi_tensor_object(o->values));
  oy_tensor_release(oyi_tensor_object(o->indices));
}

static oy_status prepare(outputs* o, const oyi_tensor* t, const int64_t* sizes,
                         size_t ndim, oy_object* out, oy_object* indices) {
  oy_memory_format format = ndim == 2 ? oyi_spatial_format(t) : OY_MEMORY_CONTIGUOUS;
  oy_ints shape = {sizes, t->ndim};
  o->made = !out;
  o->indices = NULL;
  o->values = oyi_rule_spatial(shape, t->header.dtype, t, format, out);
  if (o->values) o->indices = oyi_rule_spatial(shape, OY_DTYPE_I64, t, format, indices);
  if (o->indices) return OY_OK;
  give_up(o);
  return oy_failure();
}

typedef struct pair {
  oy_object *out, *indices;    // that were given, or NULL
  oy_object **made, **places;  // where new ones go
} pair;

static oy_status run(oyi_tensor* t, const oyi_pool* p, const oyi_pool_how* how,
                     const int64_t* sizes, size_t ndim, pair to) {
  outputs o;
  OY_TRY(prepare(&o, t, sizes, ndim, to.out, to.indices));
  oy_status status = OY_OK;
  if (!oyi_is_meta(o.values) && o.values->numel > 0)
    status = oyi_pool_max(p, how, t, o.values, o.indices);
  if (status != OY_OK) {
    give_up(&o);
  } else if (to.made) {
    *to.made = &o.values->header;
    *to.places = &o.indices->header;
  }
  return status;
}

static oy_status fixed(const oyi_pool_call* call, pair to) {
  static const char* const names[] = {"max_pool2d", "max_pool3d_with_indices_cpu"};
  oyi_pool p;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  OY_TRY(oyi_rule_pool(call, &p, sizes));
  oyi_pool_how how = {.name = names[call->ndim - 2]};
  return run(oyi_tensor_cast(call->self), &p, &how, sizes, call->ndim, to);
}

#define CALL(dims)                                                                      \
  &(oyi_pool_call) {                                                                    \
    "max_pool" #dims "d", self, kernel_size, stride, padding, dilation, ceil_mode, dims \
  }
#define NEW(values, places)    \
  (pair) {                     \
    NULL, NULL, values, places \
  }
#define GIVEN                  \
  (pair) {                     \
    out, indices, out_0, out_1 \
  }
OYI_CPU(max_pool2d_with_indices) {
  return fixed(CALL(2), NEW(out_0, out_1));
}
OYI_CPU(max_pool2d_with_indices_out) {
  return fixed(CALL(2), GIVEN);
}
OYI_CPU(max_pool3d_with_indices) {
  return fixed(CALL(3), NEW(out_0, out_1));
}
OYI_CPU(max_pool3d_with_indices_out) {
  return fixed(CALL(3), GIVEN);
}

static oy_status adaptive(oy_object* self, oy_ints size, size_t ndim, pair to) {
  static const char* const names[] = {"adaptive_max_pool2d", "adaptive_max_pool3d"};
  static const char* const kernels[] = {"adaptive_max_pool2d", "adaptive_max_pool3d_cpu"};
  oyi_pool p;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  OY_TRY(oyi_rule_adaptive_pool(self, size, ndim, names[ndim - 2], &p, sizes));
  oyi_pool_how how = {.name = kernels[ndim - 2], .adaptive = true};
  return run(oyi_tensor_cast(self), &p, &how, sizes, ndim, to);
}

OYI_CPU(adaptive_max_pool2d) {
  return adaptive(self, output_size, 2, NEW(out_0, out_1));
}
OYI_CPU(adaptive_max_pool2d_out) {
  return adaptive(self, output_size, 2, GIVEN);
}
OYI_CPU(adaptive_max_pool3d) {
  return adaptive(self, output_size, 3, NEW(out_0, out_1));
}
OYI_CPU(adaptive_max_pool3d_out) {
  return adaptive(self, output_size, 3, GIVEN);
}

// ---------------------------------------------------------------------- backward

static oy_status check_backward(const oyi_tensor* grad, const oyi_tensor* t,
                                const oyi_tensor* indices, size_t ndim,
                                const char* name) {
  OY_TRY(oyi_check_same_device(t, grad));
  OY_TRY(oyi_check_same_device(t, indices));
  OY_CHECK(t->ndim == ndim + 1 || t->ndim == ndim + 2, INVALID_ARGUMENT,
           "non-empty %zuD or %zuD (batch mode) tensor expected for input", ndim + 1,
           ndim + 2);
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(grad), oyi_sizes_view(indices)) &&
               oyi_same_sizes((oy_ints){grad->sizes, grad->ndim - ndim},
                              (oy_ints){t->sizes, t->ndim - ndim}),
           INVALID_ARGUMENT,
           "%s: expected grad_output and indices of the sizes of the output, got %s and "
           "%s",
           name, oyi_dims_print(oyi_sizes_view(grad)).text,
           oyi_dims_print(oyi_sizes_view(indices)).text);
  OY_CHECK(grad->header.dtype == t->header.dtype, TYPE_MISMATCH,
           "expected dtype %s for `gradOutput` but got dtype %s",
           oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(grad->header.dtype));
  OY_CHECK(indices->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "%s: expected indices of dtype Long, got %s", name,
           oy_dtype_pytorch_name(indices->header.dtype));
  return OY_OK;
}

static oy_object* backward(oy_object* grad_output, oy_object* self, oy_object* indices,
                           size_t ndim, const char* name, oy_object* given) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* grad = t ? oyi_tensor_of(grad_output) : NULL;
  oyi_tensor* at = grad ? oyi_tensor_of(indices) : NULL;
  if (!at || check_backward(grad, t, at, ndim, name) != 0) return NULL;
  oy_memory_format format = ndim == 2 ? oyi_spatial_format(t) : OY_MEMORY_CONTIGUOUS;
  oyi_tensor* out =
      oyi_rule_spatial(oyi_sizes_view(t), t->header.dtype, t, format, given);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  int64_t planes = 1;
  for (size_t i = 0; i + ndim < t->ndim; i++) planes *= t->sizes[i];
  if (oyi_pool_scatter(name, grad, at, planes, out) == OY_OK) return &out->header;
  if (!given) oy_tensor_release(&out->header);
  return NULL;
}

#define BACKWARD(id, dims)                                              \
  OYI_CPU(id) {                                                         \
    return backward(grad_output, self, indices, dims, #id, NULL);       \
  }                                                                     \
  OYI_CPU(id##_grad_input) {                                            \
    return backward(grad_output, self, indices, dims, #id, grad_input); \
  }
BACKWARD(max_pool2d_with_indices_backward, 2)
BACKWARD(max_pool3d_with_indices_backward, 3)
BACKWARD(adaptive_max_pool2d_backward, 2)
BACKWARD(adaptive_max_pool3d_backward, 3)
