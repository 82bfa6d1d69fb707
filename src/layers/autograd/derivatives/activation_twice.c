// SPDX-License-Identifier: Apache-2.0
// Gradients of the gradients of activations. Each of them is grad_output times a function
// of the input, so its gradient for grad_output is itself once more, and the one for the
// input needs the second derivative of the activation.
#include "layers/autograd/derivatives/derivative.h"
#include "ops/rules/shape.h"

// |a| * |x| + |b|
static oy_object* linear(oy_object* x, double a, double b) {
  return of_add_number(of_mul_number(x, oy_float(a)), oy_float(b));
}
static oy_object* grad_by_output(oy_object* grad, oy_object* grad_output) {
  return oyi_call_mul_Tensor(grad, grad_output);
}
static oy_object* one_minus_square(oy_object* x) {
  return linear(of_square(x), -1, 1);
}

// ------------------------------------------------------------- straight segments

// The second derivative is zero.
#define STRAIGHT(id, output_gradient, ...)                                \
  BACKWARD(id) {                                                          \
    ARGUMENTS(id);                                                        \
    if (WANTS(output_gradient))                                           \
      GIVE(output_gradient, oyi_call_##id(GRAD(0), self, ##__VA_ARGS__)); \
    if (WANTS(self)) GIVE(self, zeros_like(GRAD(0)));                     \
    return OY_OK;                                                         \
  }
STRAIGHT(leaky_relu_backward, grad_output, negative_slope, false)
STRAIGHT(hardsigmoid_backward, grad_output)
STRAIGHT(hardtanh_backward, grad_output, min_val, max_val)
STRAIGHT(hardshrink_backward, grad_out, lambd)
STRAIGHT(softshrink_backward, grad_output, lambd)

// A parabola between -3 and 3.
BACKWARD(hardswish_backward) {
  ARGUMENTS(hardswish_backward);
  if (WANTS(grad_output)) GIVE(grad_output, oyi_call_hardswish_backward(GRAD(0), self));
  if (WANTS(self)) {
    oy_object* inside = of_lt_number(oyi_call_abs(self), oy_int(3));
    GIVE(self, of_masked(inside,
                         of_div_number(grad_by_output(GRAD(0), grad_output), oy_int(3))));
  }
  return OY_OK;
}

// ----------------------------------------------------------- functions of the result

BACKWARD(sigmoid_backward) {
  ARGUMENTS(sigmoid_backward);
  if (WANTS(grad_output)) {
    oy_object* y = of_conj(keep(output));
    oy_object* given = oyi_call_sigmoid_backward(GRAD(0), y);
    oy_tensor_release(y);
    GIVE(grad_output, given);
  }
  if (WANTS(output))
    GIVE(output, of_mul(of_mul(of_conj(keep(GRAD(0))), keep(grad_output)),
                        linear(of_conj(keep(output)), -2, 1)));
  return OY_OK;
}

BACKWARD(tanh_backward) {
  ARGUMENTS(tanh_backward);
  if (WANTS(grad_output)) {
    oy_object* y = of_conj(keep(output));
    oy_object* given = oyi_call_tanh_backward(GRAD(0), y);
    oy_tensor_release(y);
    GIVE(grad_output, given);
  }
  if (WANTS(output))
    GIVE(output, of_mul(of_mul(of_conj(keep(GRAD(0))), keep(grad_output)),
                        of_mul_number(of_conj(keep(output)), oy_int(-2))));
  return OY_OK;
}

BACKWARD(elu_backward) {
  ARGUMENTS(elu_backward);
  if (WANTS(grad_output))
    GIVE(grad_output, oyi_call_elu_backward(GRAD(0), alpha, scale, input_scale, is_result,
                                            self_or_result));
  if (!WANTS(self_or_result)) return OY_OK;
  oy_object* g = of_mul_number(grad_by_output(GRAD(0), grad_output), input_scale);
  if (!is_result && g) {
    oy_object* curved =
        oyi_call_elu_backward(g, alpha, scale, input_scale, false, self_or_result);
    oy_tensor_release(g);
    g = curved;
  }
  GIVE(self_or_result, of_masked(oyi_call_lt_Scalar(self_or_result, oy_int(0)), g));
  return OY_OK;
}

// ------------------------------------------------------------- functions of the input

// x * Phi(x): phi(x) * (2 - x^2)
static oy_object* gelu_twice(oy_object* x) {
  const double k = 0.398942280401432677939946059934;  // 1 / sqrt(2 pi)
  oy_object* phi = of_exp(of_mul_number(oyi_call_mul_Tensor(x, x), oy_float(-0.5)));
  return of_mul(phi, linear(oyi_call_mul_Tensor(x, x), -k, 2 * k));
}

// x * (1 + tanh u) / 2 with u = k (x + c x^3): (1 - t^2) (u' + x u'' / 2 - x t u'^2)
static oy_object* gelu_tanh_twice(oy_object* x) {
  const double k = 0.797884560802865355879892119869, c = 0.044715;  // sqrt(2 / pi)
  oy_object* square = oyi_call_mul_Tensor(x, x);
  oy_object* slope = linear(keep(square), 3 * c * k, k);
  oy_object* t = of_tanh(of_mul(keep(x), linear(keep(square), c * k, k)));
  oy_object* bent = of_mul(of_mul(keep(x), keep(t)), of_square(keep(slope)));
  // x u'' / 2 = 3 c k x^2
  oy_object* straight = of_add(slope, of_mul_number(square, oy_float(3 * c * k)));
  return of_mul(one_minus_square(t), of_sub(straight, bent));
}

BACKWARD(gelu_backward) {
  ARGUMENTS(gelu_backward);
  if (WANTS(grad_output))
    GIVE(grad_output, oyi_call_gelu_backward(GRAD(0), self, approximate));
  if (WANTS(self)) {
    bool is_tanh = oy_str_equal(approximate, oy_str_of("tanh"));
    GIVE(self, of_mul(grad_by_output(GRAD(0), grad_output),
                      is_tanh ? gelu_tanh_twice(self) : gelu_twice(self)));
  }
  return OY_OK;
}

// x * s: s (1 - s) (2 + x (1 - 2 s))
BACKWARD(silu_backward) {
  ARGUMENTS(silu_backward);
  if (WANTS(grad_output)) GIVE(grad_output, oyi_call_silu_backward(GRAD(0), self));
  if (WANTS(self)) {
    oy_object* s = oyi_call_sigmoid(self);
    oy_object* bent = of_mul(keep(self), linear(keep(s), -2, 1));
    oy_object* slope = of_mul(keep(s), linear(keep(s), -1, 1));
    oy_tensor_release(s);
    GIVE(self, of_mul(grad_by_output(GRAD(0), grad_output),
                      of_mul(slope, of_add_number(bent, oy_int(2)))));
  }
  return OY_OK;
}

// x * t with t = tanh(softplus(x)), s = sigmoid(x): (1 - t^2) s (2 + x (1 - s - 2 t s))
BACKWARD(mish_backward) {
  ARGUMENTS(mish_backward);
  if (WANTS(grad_output)) GIVE(grad_output, oyi_call_mish_backward(GRAD(0), self));
  if (WANTS(self)) {
    oy_object* s = oyi_call_sigmoid(self);
    oy_object* t = of_tanh(oyi_call_softplus(self, oy_int(1), oy_int(20)));
    // 1 - s (1 + 2 t)
    oy_object* bend = linear(of_mul(keep(s), linear(keep(t), 2, 1)), -1, 1);
    oy_object* bent = of_add_number(of_mul(keep(self), bend), oy_int(2));
    oy_object* slope = of_mul(one_minus_square(t), s);
    GIVE(self, of_mul(grad_by_output(GRAD(0), grad_output), of_mul(slope, bent)));
  }
  return OY_OK;
}

// The slope 1 / (x (1 - x)) has the slope (2 x - 1) / (x (1 - x))^2.
BACKWARD(logit_backward) {
  ARGUMENTS(logit_backward);
  if (WANTS(grad_output)) GIVE(grad_output, oyi_call_logit_backward(GRAD(0), self, eps));
  if (WANTS(self)) {
    oy_object* product = grad_by_output(GRAD(0), grad_output);
    oy_object* once = oyi_call_logit_backward(product, self, eps);
    oy_object* twice = oyi_call_logit_backward(once, self, eps);
    oy_tensor_release(product);
    oy_tensor_release(once);
    GIVE(self, of_mul(twice, linear(keep(self), 2, -1)));
  }
  return OY_OK;
}

BACKWARD(softplus_backward) {
  ARGUMENTS(softplus_backward);
  if (WANTS(grad_output))
    GIVE(grad_output, oyi_call_softplus_backward(GRAD(0), self, beta, threshold));
  if (WANTS(self)) {
    oy_object* x = oyi_call_mul_Scalar(self, beta);
    oy_object* curved = oyi_call_lt_Scalar(x, threshold);
    oy_object* s = of_sigmoid(x);
    oy_object* slope = of_mul(keep(s), linear(keep(s), -1, 1));
    oy_tensor_release(s);
    oy_object* g = of_mul_number(grad_by_output(GRAD(0), grad_output), beta);
    GIVE(self, of_masked(curved, of_mul(g, slope)));
  }
  return OY_OK;
}

BACKWARD(log_sigmoid_backward) {
  ARGUMENTS(log_sigmoid_backward);
  if (WANTS(grad_output))
    GIVE(grad_output, oyi_call_log_sigmoid_backward(GRAD(0), self, buffer));
  if (WANTS(self)) {
    oy_object* s = oyi_call_sigmoid(self);
    oy_object* slope = of_mul(keep(s), linear(keep(s), 1, -1));
    oy_tensor_release(s);
    GIVE(self, of_mul(grad_by_output(GRAD(0), grad_output), slope));
  }
  return OY_OK;
}

// --------------------------------------------------------------------------- glu

// With halves a and b of self, and s = sigmoid(b), glu_backward gives g s and
// g a s (1 - s).
typedef struct gate {
  oy_object *a, *s, *slope;   // slope: s (1 - s)
  oy_object *first, *second;  // halves of the gradient
} gate;

static oy_object* half(oy_object* x, int64_t dim, int which) {
  const oyi_tensor* t = oyi_tensor_of(x);
  int64_t d = t ? oyi_dim_wrap(dim, t->ndim) : -1;
  if (d < 0) return NULL;
  return oyi_call_narrow(x, d, which * (t->sizes[d] / 2), t->sizes[d] / 2);
}
static gate gate_open(oy_object* grad, oy_object* self, int64_t dim) {
  gate g = {.a = half(self, dim, 0), .s = of_sigmoid(half(self, dim, 1))};
  g.slope = of_mul(keep(g.s), linear(keep(g.s), -1, 1));
  g.first = half(grad, dim, 0);
  g.second = half(grad, dim, 1);
  return g;
}
static void gate_close(gate* g) {
  oy_object* all[] = {g->a, g->s, g->slope, g->first, g->second};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static oy_object* gate_output(const gate* g) {
  return of_add(of_mul(keep(g->first), keep(g->s)),
                of_mul(of_mul(keep(g->second), keep(g->a)), keep(g->slope)));
}
static oy_object* gate_input(const gate* g, oy_object* grad_output, int64_t dim) {
  oy_object* both = of_mul(keep(grad_output), keep(g->slope));
  oy_object* bent =
      of_mul(of_mul(keep(g->second), keep(g->a)), linear(keep(g->s), -2, 1));
  oy_object* halves[] = {of_mul(keep(g->second), keep(both)),
                         of_mul(keep(both), of_add(keep(g->first), bent))};
  oy_tensor_release(both);
  oy_object* joined =
      halves[0] && halves[1] ? oyi_call_cat((oy_tensors){halves, 2}, dim) : NULL;
  oy_tensor_release(halves[0]);
  oy_tensor_release(halves[1]);
  return joined;
}

BACKWARD(glu_backward) {
  ARGUMENTS(glu_backward);
  gate g = gate_open(GRAD(0), self, dim);
  bool wants_output = WANTS(grad_output), wants_self = WANTS(self);
  oy_object* of_output = wants_output ? gate_output(&g) : NULL;
  oy_object* of_input = wants_self ? gate_input(&g, grad_output, dim) : NULL;
  gate_close(&g);
  gives[EDGE_AT(grad_output)] = of_output;
  gives[EDGE_AT(self)] = of_input;
  bool failed = (wants_output && !of_output) || (wants_self && !of_input);
  return failed ? oy_failure() : OY_OK;
}

// ------------------------------------------------------------------------- prelu

static oy_object* below_zero(oy_object* self, oy_object* value) {
  return of_masked(oyi_call_lt_Scalar(self, oy_int(0)), value);
}

// The gradient for self is g, times weight below 0; the one for weight g self below 0.
static oy_object* prelu_output(oy_object* const* grads, oy_object* self,
                               oy_object* weight) {
  oy_object* sum = NULL;
  if (GRAD(0)) {
    oy_object* rest = linear(keep(weight), 1, -1);
    oy_object* change = below_zero(self, of_mul(keep(GRAD(0)), rest));
    sum = of_add(keep(GRAD(0)), change);
    if (!sum) return NULL;
  }
  if (!GRAD(1)) return sum;
  oy_object* below = below_zero(self, oyi_call_mul_Tensor(GRAD(1), self));
  return sum ? of_add(sum, below) : below;
}

BACKWARD(_prelu_kernel_backward) {
  ARGUMENTS(_prelu_kernel_backward);
  if (WANTS(grad_output)) GIVE(grad_output, prelu_output(grads, self, weight));
  if (WANTS(self) && GRAD(1))
    GIVE(self, below_zero(self, oyi_call_mul_Tensor(grad_output, GRAD(1))));
  if (WANTS(weight) && GRAD(0))
    GIVE(weight, below_zero(self, oyi_call_mul_Tensor(grad_output, GRAD(0))));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(leaky_relu_backward, "LeakyReluBackwardBackward0",
           SAVE(leaky_relu_backward, self))
DERIVATIVE(hardsigmoid_backward, "HardsigmoidBackwardBackward0",
           SAVE(hardsigmoid_backward, self))
DERIVATIVE(hardtanh_backward, "HardtanhBackwardBackward0", SAVE(hardtanh_backward, self))
DERIVATIVE(softshrink_backward, "SoftshrinkBackwardBackward0",
           SAVE(softshrink_backward, self))
DERIVATIVE(hardshrink_backward, "HardshrinkBackwardBackward0",
           SAVE(hardshrink_backward, self))
DERIVATIVE(hardswish_backward, "HardswishBackwardBackward0",
           SAVE_IF(hardswish_backward, grad_output, self), SAVE(hardswish_backward, self))
DERIVATIVE(gelu_backward, "GeluBackwardBackward0",
           SAVE_IF(gelu_backward, grad_output, self), SAVE(gelu_backward, self))
DERIVATIVE(silu_backward, "SiluBackwardBackward0",
           SAVE_IF(silu_backward, grad_output, self), SAVE(silu_backward, self))
DERIVATIVE(mish_backward, "MishBackwardBackward0",
           SAVE_IF(mish_backward, grad_output, self), SAVE(mish_backward, self))
DERIVATIVE(logit_backward, "LogitBackwardBackward0",
           SAVE_IF(logit_backward, grad_output, self), SAVE(logit_backward, self))
DERIVATIVE(softplus_backward, "SoftplusBackwardBackward0",
           SAVE_IF(softplus_backward, grad_output, self), SAVE(softplus_backward, self))
DERIVATIVE(log_sigmoid_backward, "LogSigmoidBackwardBackward0",
           SAVE_IF(log_sigmoid_backward, grad_output, self),
           SAVE(log_sigmoid_backward, self), SAVE(log_sigmoid_backward, buffer))
DERIVATIVE(glu_backward, "GluBackwardBackward0", SAVE_IF(glu_backward, grad_output, self),
           SAVE(glu_backward, self))
DERIVATIVE(sigmoid_backward, "SigmoidBackwardBackward0",
           SAVE_IF(sigmoid_backward, grad_output, output), SAVE(sigmoid_backward, output))
DERIVATIVE(tanh_backward, "TanhBackwardBackward0",
           SAVE_IF(tanh_backward, grad_output, output), SAVE(tanh_backward, output))
DERIVATIVE(elu_backward, "EluBackwardBackward0",
           SAVE_IF(elu_backward, grad_output, self_or_result),
           SAVE(elu_backward, self_or_result))
DERIVATIVE(_prelu_kernel_backward, "PreluKernelBackwardBackward0",
           SAVE(_prelu_kernel_backward, grad_output), SAVE(_prelu_kernel_backward, self),
           SAVE(_prelu_kernel_backward, weight))
