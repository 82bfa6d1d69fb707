// SPDX-License-Identifier: Apache-2.0
// Gradients of convolutions, and of their gradients, which are convolutions too.
#include "layers/autograd/derivatives/derivative.h"

// What a convolution is, besides its tensors.
typedef struct settings {
  oy_ints stride, padding, dilation, output_padding;
  int64_t groups;
  bool transposed;
} settings;
#define SETTINGS() \
  { stride, padding, dilation, output_padding, groups, transposed }

static oy_object* convolve(const settings* s, oy_object* input, oy_object* weight,
                           oy_object* bias) {
  return oyi_call_convolution(input, weight, bias, s->stride, s->padding, s->dilation,
                              s->transposed, s->output_padding, s->groups);
}

// For input, weight and bias, as far as |mask| wants them; None else.
static oy_status gradients(const settings* s, oy_object* grad, oy_object* input,
                           oy_object* weight, oy_ints bias_sizes, const bool mask[3],
                           oy_object* out[3]) {
  return oyi_call_convolution_backward(
      grad, input, weight, bias_sizes, s->stride, s->padding, s->dilation, s->transposed,
      s->output_padding, s->groups, (oy_bools){mask, 3}, &out[0], &out[1], &out[2]);
}

// ------------------------------------------------------------------- first order

#define CONVOLUTION(id)                                                     \
  BACKWARD(id) {                                                            \
    ARGUMENTS(id);                                                          \
    const settings s = SETTINGS();                                          \
    const bool mask[] = {WANTS(input), WANTS(weight), WANTS(bias)};         \
    oy_ints bias_sizes = mask[2] ? INPUT_SIZES(bias) : (oy_ints){NULL, 0};  \
    oy_object* given[3];                                                    \
    OY_TRY(gradients(&s, GRAD(0), input, weight, bias_sizes, mask, given)); \
    GIVE_PART(input, given[0]);                                             \
    GIVE_PART(weight, given[1]);                                            \
    GIVE_PART(bias, given[2]);                                              \
    return OY_OK;                                                           \
  }
CONVOLUTION(convolution)
CONVOLUTION(_convolution)  // has settings of libraries besides

// A convolution over (time, batch, channels): the dimensions change places.
static oy_object* of_permuted(oy_object* tensor, oy_ints dims) {
  oy_object* result = oyi_call_permute(tensor, dims);
  oy_tensor_release(tensor);
  return result;
}
BACKWARD(conv_tbc) {
  ARGUMENTS(conv_tbc);
  const int64_t one = 1, zero = 0;
  const settings s = {.stride = {&one, 1},
                      .padding = {&pad, 1},
                      .dilation = {&one, 1},
                      .output_padding = {&zero, 1},
                      .groups = 1};
  const bool mask[] = {WANTS(self), WANTS(weight), WANTS(bias)};
  oy_ints bias_sizes = mask[2] ? INPUT_SIZES(bias) : (oy_ints){NULL, 0};
  oy_object* grad = oyi_call_permute(GRAD(0), OY_DIMS(1, 2, 0));
  oy_object* x = of_permuted(keep(self), OY_DIMS(1, 2, 0));
  oy_object* kernel = of_permuted(keep(weight), OY_DIMS(2, 1, 0));
  oy_object* given[3];
  oy_status status = gradients(&s, grad, x, kernel, bias_sizes, mask, given);
  oy_tensor_release(grad);
  oy_tensor_release(x);
  oy_tensor_release(kernel);
  OY_TRY(status);
  GIVE_PART(bias, given[2]);
  if (mask[1]) gives[EDGE_AT(weight)] = of_permuted(given[1], OY_DIMS(2, 1, 0));
  if (mask[0]) GIVE(self, of_permuted(given[0], OY_DIMS(2, 0, 1)));
  return mask[1] && !gives[EDGE_AT(weight)] ? oy_failure() : OY_OK;
}

// ------------------------------------------------------------------ second order

// The gradients are linear in grad_output: their gradient for it is the convolution.
static oy_object* for_output(const settings* s, oy_object* const* grads, oy_object* input,
                             oy_object* weight, oy_ints sizes) {
  oy_object *sum = NULL, *bias = GRAD(2) ? GRAD(2) : &oy_none_object;
  if (GRAD(0)) {
    sum = convolve(s, GRAD(0), weight, bias);
    if (!sum || !GRAD(1)) return sum;
    return of_add(sum, convolve(s, input, GRAD(1), &oy_none_object));
  }
  if (GRAD(1)) return convolve(s, input, GRAD(1), bias);
  // One number for each channel, the second dimension.
  int64_t shape[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < sizes.size; i++) shape[i] = i == 1 ? -1 : 1;
  oy_object* numbers = oyi_call_reshape(bias, (oy_ints){shape, sizes.size});
  oy_object* result = oyi_call_expand(numbers, sizes, false);
  oy_tensor_release(numbers);
  return result;
}

BACKWARD(convolution_backward) {
  ARGUMENTS(convolution_backward);
  const settings s = SETTINGS();
  const bool only_input[] = {true, false, false}, only_weight[] = {false, true, false};
  const oy_ints none = {NULL, 0};
  oy_object* given[3];
  if (WANTS(grad_output))
    GIVE(grad_output, for_output(&s, grads, input, weight, INPUT_SIZES(grad_output)));
  if (WANTS(weight) && GRAD(0)) {
    OY_TRY(gradients(&s, grad_output, GRAD(0), weight, none, only_weight, given));
    GIVE_PART(weight, given[1]);
  }
  if (WANTS(input) && GRAD(1)) {
    OY_TRY(gradients(&s, grad_output, input, GRAD(1), none, only_input, given));
    GIVE_PART(input, given[0]);
  }
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(convolution, "ConvolutionBackward0", SAVE(convolution, input),
           SAVE(convolution, weight))
DERIVATIVE(_convolution, "ConvolutionBackward0", SAVE(_convolution, input),
           SAVE(_convolution, weight))
DERIVATIVE(conv_tbc, "ConvTbcBackward0", SAVE(conv_tbc, self), SAVE(conv_tbc, weight))
DERIVATIVE(convolution_backward, "ConvolutionBackwardBackward0",
           SAVE(convolution_backward, grad_output), SAVE(convolution_backward, input),
           SAVE(convolution_backward, weight))
