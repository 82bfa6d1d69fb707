// SPDX-License-Identifier: Apache-2.0
// The public functions of autograd.h about one tensor.
#include "base/memory.h"
#include "layers/autograd/engine.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"

oy_tensor* oy_requires_grad_(oy_tensor* tensor, bool requires_grad) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  oyi_node* grad_fn;
  if (oyi_grad_fn(t, &grad_fn) != 0) return NULL;
  if (grad_fn) {
    if (requires_grad) return tensor;
    OY_FAIL(FAILED_PRECONDITION,
            "you can only change requires_grad flags of leaf variables. If you want to "
            "use a computed variable in a subgraph that doesn't require "
            "differentiation use var_no_grad = var.detach().");
    return NULL;
  }
  if (requires_grad && !oy_dtype_is_floating(tensor->dtype) &&
      !oy_dtype_is_complex(tensor->dtype)) {
    OY_FAIL(TYPE_MISMATCH, "only Tensors of floating point dtype can require gradients");
    return NULL;
  }
  const bool is_inference = oyi_is_inference(t);
  if (requires_grad && is_inference && !oyi_makes_inference()) {
    OY_FAIL(FAILED_PRECONDITION,
            "Setting requires_grad=True on inference tensor outside InferenceMode is not "
            "allowed.");
    return NULL;
  }
  if (!requires_grad && !t->meta) return tensor;
  oyi_variable* v = oyi_variable_get(t);
  if (!v) return NULL;
  v->requires_grad = requires_grad;
  if (requires_grad && !is_inference)
    oyi_track(t);
  else if (!oyi_requires_grad(t))
    oyi_untrack(t);
  return tensor;
}

bool oy_requires_grad(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t && oyi_requires_grad(t);
}

static oyi_node* node_of(const oy_tensor* tensor) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  oyi_node* node = NULL;
  if (!t || oyi_grad_fn(t, &node) != 0) return NULL;
  return node;
}

bool oy_is_leaf(const oy_tensor* tensor) {
  return oyi_tensor_of(tensor) && !node_of(tensor);
}

const char* oy_grad_fn_name(const oy_tensor* tensor) {
  const oyi_node* node = node_of(tensor);
  return node ? oyi_node_name(node) : NULL;
}

uint32_t oy_output_nr(const oy_tensor* tensor) {
  return node_of(tensor) ? oyi_variable_of(oyi_tensor_cast(tensor))->output_nr : 0;
}

oy_tensor* oy_grad(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t && t->meta ? oyi_variable_of(t)->grad : NULL;
}

// What C++ calls it, as PyTorch's text does.
static const char* cpp_name(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F32: return "float";
    case OY_DTYPE_F64: return "double";
    case OY_DTYPE_F16: return "c10::Half";
    case OY_DTYPE_BF16: return "c10::BFloat16";
    case OY_DTYPE_C64: return "c10::complex<float>";
    case OY_DTYPE_C128: return "c10::complex<double>";
    default: return oy_dtype_name(dtype);
  }
}

static oy_status check_devices(const oyi_tensor* t, const oyi_tensor* grad) {
  char of_grad[64], of_tensor[64];
  if (grad->backend == t->backend) return OY_OK;
  oy_device_print(oy_device_make(grad->backend, -1), of_grad, sizeof(of_grad));
  oy_device_print(oy_device_make(t->backend, -1), of_tensor, sizeof(of_tensor));
  return OY_FAIL(
      INVALID_ARGUMENT,
      "attempting to assign a gradient with device type '%s' to a tensor with "
      "device type '%s'. Please ensure that the gradient and the tensor are on "
      "the same device",
      of_grad, of_tensor);
}

static oy_status check_assigned(const oyi_tensor* t, const oyi_tensor* grad) {
  OY_CHECK(t != grad, INVALID_ARGUMENT, "can't assign Variable as its own grad");
  OY_CHECK(grad->header.dtype == t->header.dtype, TYPE_MISMATCH,
           "attempting to assign a gradient with dtype '%s' to a tensor with dtype "
           "'%s'. Please ensure that the gradient and the tensor have the same dtype",
           cpp_name(grad->header.dtype), cpp_name(t->header.dtype));
  OY_TRY(check_devices(t, grad));
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(grad), oyi_sizes_view(t)), INVALID_ARGUMENT,
           "attempting to assign a gradient of size '%s' to a tensor of size '%s'. "
           "Please ensure that the gradient and the tensor are the same size",
           oyi_dims_print(oyi_sizes_view(grad)).text,
           oyi_dims_print(oyi_sizes_view(t)).text);
  return OY_OK;
}

oy_status oy_set_grad(oy_tensor* tensor, oy_tensor* grad) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  if (grad && oy_object_is_none(grad)) grad = NULL;
  if (!grad && !t->meta) return OY_OK;
  if (grad) {
    const oyi_tensor* g = oyi_tensor_of(grad);
    if (!g) return oy_failure();
    OY_TRY(check_assigned(t, g));
  }
  oyi_variable* v = oyi_variable_get(t);
  if (!v) return OY_OUT_OF_MEMORY;
  oy_tensor* before = v->grad;
  v->grad = grad ? oy_tensor_retain(grad) : NULL;
  oy_tensor_release(before);
  return OY_OK;
}
