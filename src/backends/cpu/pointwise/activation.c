// SPDX-License-Identifier: Apache-2.0
// Activations. What they are given besides tensors becomes the numbers of their loops.
#include <math.h>

#include "backends/cpu/pointwise/elementwise.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"

enum { INPLACE = OYI_ITER_INPLACE, INTO = OYI_ITER_SAME_DTYPE };

OYI_CPU(relu) {
  return oyi_cpu_unary(NULL, self, 0, OYI_LOOP_relu);
}
OYI_CPU(relu_) {
  return oyi_cpu_unary(self, self, INPLACE, OYI_LOOP_relu);
}

// ---------------------------------------------------------- one number, or two

// |name|, its out= and its in-place form: a loop of one tensor and these numbers.
#define NEW(name, loop, ...)                                                             \
  OYI_CPU(name) {                                                                        \
    return oyi_cpu_unary_with(NULL, self, 0, OYI_LOOP_##loop, OYI_NUMBERS(__VA_ARGS__)); \
  }
#define OUT(name, loop, ...)                                    \
  OYI_CPU(name##_out) {                                         \
    return oyi_cpu_unary_with(out, self, INTO, OYI_LOOP_##loop, \
                              OYI_NUMBERS(__VA_ARGS__));        \
  }
#define IN_PLACE(name, loop, ...)                                   \
  OYI_CPU(name##_) {                                                \
    return oyi_cpu_unary_with(self, self, INPLACE, OYI_LOOP_##loop, \
                              OYI_NUMBERS(__VA_ARGS__));            \
  }
#define WITH_NUMBERS(name, loop, ...) \
  NEW(name, loop, __VA_ARGS__)        \
  OUT(name, loop, __VA_ARGS__) IN_PLACE(name, loop, __VA_ARGS__)
// The product of two numbers, as a number. One that is not real is left to be refused.
static oy_scalar product(oy_scalar a, oy_scalar b) {
  if (a.tag == OY_TAG_COMPLEX && a.as.complex_data->im != 0) return a;
  if (b.tag == OY_TAG_COMPLEX && b.as.complex_data->im != 0) return b;
  return oy_float(oyi_scalar_real(a) * oyi_scalar_real(b));
}

WITH_NUMBERS(leaky_relu, leaky_relu, negative_slope)
WITH_NUMBERS(elu, elu, product(alpha, scale), scale, input_scale)
NEW(softplus, softplus, beta, threshold)
OUT(softplus, softplus, beta, threshold)
NEW(hardshrink, hardshrink, lambd)
OUT(hardshrink, hardshrink, lambd)

OYI_CPU(hardswish) {
  return oyi_cpu_unary(NULL, self, 0, OYI_LOOP_hardswish);
}
OYI_CPU(hardswish_out) {
  return oyi_cpu_unary(out, self, INTO, OYI_LOOP_hardswish);
}
OYI_CPU(hardswish_) {
  return oyi_cpu_unary(self, self, INPLACE, OYI_LOOP_hardswish);
}

static oy_object* shrink(oy_object* out, oy_object* self, oy_scalar lambd) {
  double by;
  if (oyi_scalar_to_double(lambd, &by) != 0) return NULL;
  if (by < 0) {
    OY_FAIL(INVALID_ARGUMENT, "lambda must be greater or equal to 0, but found to be %g.",
            by);
    return NULL;
  }
  return oyi_cpu_unary_with(out, self, INTO, OYI_LOOP_softshrink, OYI_NUMBERS(lambd));
}
OYI_CPU(softshrink) {
  return shrink(NULL, self, lambd);
}
OYI_CPU(softshrink_out) {
  return shrink(out, self, lambd);
}

static oy_object* hard_tanh(oy_object* out, oy_object* self, oy_scalar min_val,
                            oy_scalar max_val, unsigned flags) {
  if (self->dtype == OY_DTYPE_BOOL)
    return OYI_REFUSE("Bool inputs not supported for hardtanh");
  if (self->dtype == OY_DTYPE_U8 &&
      (oyi_scalar_real(min_val) <= -1 || oyi_scalar_real(max_val) <= -1))
    return OYI_REFUSE("cannot do hardtanh on an unsigned type with negative limits");
  return oyi_cpu_clamp(out, self, min_val, max_val, flags);
}
OYI_CPU(hardtanh) {
  return hard_tanh(NULL, self, min_val, max_val, 0);
}
OYI_CPU(hardtanh_out) {
  return hard_tanh(out, self, min_val, max_val, INTO);
}
OYI_CPU(hardtanh_) {
  return hard_tanh(self, self, min_val, max_val, INPLACE);
}

static oy_object* above(oy_object* out, oy_object* self, oy_scalar threshold,
                        oy_scalar value, unsigned flags) {
  if (!oyi_tensor_of(self)) return NULL;
  const bool is_half = self->dtype == OY_DTYPE_F16 || self->dtype == OY_DTYPE_BF16;
  const oy_dtype dtype = is_half ? OY_DTYPE_F32 : self->dtype;
  if (oyi_number_check(oyi_number_of_scalar(threshold), dtype) != OY_OK ||
      oyi_number_check(oyi_number_of_scalar(value), dtype) != OY_OK)
    return NULL;
  return oyi_cpu_binary_with(out, self, self, flags, OYI_LOOP_threshold,
                             OYI_NUMBERS(threshold, value));
}
OYI_CPU(threshold) {
  return above(NULL, self, threshold, value, 0);
}
OYI_CPU(threshold_out) {
  return above(out, self, threshold, value, 0);
}
OYI_CPU(threshold_) {
  return above(self, self, threshold, value, INPLACE);
}

// ------------------------------------------------------------------------ gelu

// The loop for "none" or for "tanh"; OYI_LOOP_COUNT with the error set for others.
static oyi_cpu_loop by_approximation(oy_str approximate, oyi_cpu_loop none,
                                     oyi_cpu_loop tanh_loop) {
  if (oy_str_equal(approximate, oy_str_of("none"))) return none;
  if (oy_str_equal(approximate, oy_str_of("tanh"))) return tanh_loop;
  OY_FAIL(INVALID_ARGUMENT, "approximate argument must be either none or tanh.");
  return OYI_LOOP_COUNT;
}
static oy_object* gelu_of(oy_object* out, oy_object* self, oy_str approximate,
                          unsigned flags) {
  oyi_cpu_loop loop = by_approximation(approximate, OYI_LOOP_gelu, OYI_LOOP_gelu_tanh);
  return loop == OYI_LOOP_COUNT ? NULL : oyi_cpu_unary(out, self, flags, loop);
}
OYI_CPU(gelu) {
  return gelu_of(NULL, self, approximate, 0);
}
OYI_CPU(gelu_out) {
  return gelu_of(out, self, approximate, INTO);
}
OYI_CPU(gelu_) {
  return gelu_of(self, self, approximate, INPLACE);
}
static oy_object* gelu_gradient(oy_object* out, oy_object* grad, oy_object* self,
                                oy_str approximate) {
  oyi_cpu_loop loop =
      by_approximation(approximate, OYI_LOOP_gelu_backward, OYI_LOOP_gelu_tanh_backward);
  return loop == OYI_LOOP_COUNT ? NULL : oyi_cpu_binary(out, grad, self, 0, loop);
}
OYI_CPU(gelu_backward) {
  return gelu_gradient(NULL, grad_output, self, approximate);
}
OYI_CPU(gelu_backward_grad_input) {
  return gelu_gradient(grad_input, grad_output, self, approximate);
}

// ------------------------------------------------------------------- gradients

// |name| and its form that writes to |grad_input|: a loop of the gradient of the
// result and of another tensor.
#define GRADIENT(name, of, loop)                                            \
  OYI_CPU(name##_backward) {                                                \
    return oyi_cpu_binary(NULL, grad_output, of, 0, OYI_LOOP_##loop);       \
  }                                                                         \
  OYI_CPU(name##_backward_grad_input) {                                     \
    return oyi_cpu_binary(grad_input, grad_output, of, 0, OYI_LOOP_##loop); \
  }
#define GRADIENT_WITH(name, grad, of, loop, ...)                                         \
  OYI_CPU(name##_backward) {                                                             \
    return oyi_cpu_binary_with(NULL, grad, of, 0, loop, OYI_NUMBERS(__VA_ARGS__));       \
  }                                                                                      \
  OYI_CPU(name##_backward_grad_input) {                                                  \
    return oyi_cpu_binary_with(grad_input, grad, of, 0, loop, OYI_NUMBERS(__VA_ARGS__)); \
  }
GRADIENT(sigmoid, output, sigmoid_backward)
GRADIENT(tanh, output, tanh_backward)
GRADIENT(silu, self, silu_backward)
GRADIENT(hardsigmoid, self, hardsigmoid_backward)
OYI_CPU(mish_backward) {
  return oyi_cpu_binary(NULL, grad_output, self, 0, OYI_LOOP_mish_backward);
}
OYI_CPU(hardswish_backward) {
  return oyi_cpu_binary(NULL, grad_output, self, 0, OYI_LOOP_hardswish_backward);
}
GRADIENT_WITH(threshold, grad_output, self, OYI_LOOP_threshold, threshold, oy_int(0))
GRADIENT_WITH(leaky_relu, grad_output, self, OYI_LOOP_leaky_relu_backward, negative_slope)
GRADIENT_WITH(softplus, grad_output, self, OYI_LOOP_softplus_backward, beta, threshold)
GRADIENT_WITH(hardtanh, grad_output, self, OYI_LOOP_hardtanh_backward, min_val, max_val)
GRADIENT_WITH(hardshrink, grad_out, self, OYI_LOOP_shrink_backward, lambd)
GRADIENT_WITH(softshrink, grad_output, self, OYI_LOOP_shrink_backward, lambd)
GRADIENT_WITH(elu, grad_output, self_or_result,
              is_result ? OYI_LOOP_elu_backward_result : OYI_LOOP_elu_backward,
              product(alpha, scale), scale, input_scale)
GRADIENT_WITH(logit, grad_output, self, OYI_LOOP_logit_backward,
              eps.tag == OY_TAG_NONE ? oy_float(-1) : eps)

// ----------------------------------------------------------------- log_sigmoid

static oy_status log_sigmoid_rows(oy_object* self, oy_object* output, oy_object* buffer,
                                  oy_object** out_output, oy_object** out_buffer) {
  *out_buffer = NULL;
  *out_output = oyi_cpu_unary(output, self, 0, OYI_LOOP_log_sigmoid);
  if (!*out_output) return oy_failure();
  *out_buffer = oyi_cpu_unary(buffer, self, 0, OYI_LOOP_exp_minus_abs);
  if (*out_buffer) return OY_OK;
  if (!output) oy_tensor_release(*out_output);
  *out_output = NULL;
  return oy_failure();
}
// New results are contiguous whatever the layout of the input is.
static oy_status log_sigmoid_into(oy_object* self, oy_object* output, oy_object* buffer,
                                  oy_object** out_output, oy_object** out_buffer) {
  oy_object* rows = oyi_call_contiguous(self, OY_MEMORY_CONTIGUOUS);
  *out_output = *out_buffer = NULL;
  if (!rows) return oy_failure();
  oy_status status = log_sigmoid_rows(rows, output, buffer, out_output, out_buffer);
  oy_tensor_release(rows);
  return status;
}
OYI_CPU(log_sigmoid_forward) {
  return log_sigmoid_into(self, NULL, NULL, out_output, out_buffer);
}
OYI_CPU(log_sigmoid_forward_output) {
  if (oyi_tensor_of(output) && oyi_tensor_of(self) && output->dtype != self->dtype)
    return OY_FAIL(TYPE_MISMATCH, "expected scalar type %s but found %s",
                   oy_dtype_pytorch_name(self->dtype),
                   oy_dtype_pytorch_name(output->dtype));
  return log_sigmoid_into(self, output, buffer, out_0, out_1);
}
OYI_CPU(log_sigmoid_backward) {
  return oyi_cpu_ternary_with(NULL, grad_output, self, buffer, 0,
                              OYI_LOOP_log_sigmoid_backward, NULL);
}
OYI_CPU(log_sigmoid_backward_grad_input) {
  return oyi_cpu_ternary_with(grad_input, grad_output, self, buffer, 0,
                              OYI_LOOP_log_sigmoid_backward, NULL);
}

// ----------------------------------------------------------------------- prelu

OYI_CPU(_prelu_kernel) {
  return oyi_cpu_binary(NULL, self, weight, 0, OYI_LOOP_prelu);
}
OYI_CPU(_prelu_kernel_backward) {
  *out_1 = NULL;
  *out_0 = oyi_cpu_ternary_with(NULL, grad_output, self, weight, 0,
                                OYI_LOOP_prelu_backward, NULL);
  if (!*out_0) return oy_failure();
  *out_1 = oyi_cpu_binary(NULL, grad_output, self, 0, OYI_LOOP_prelu_weight_backward);
  if (*out_1) return OY_OK;
  oy_tensor_release(*out_0);
  *out_0 = NULL;
  return oy_failure();
}
