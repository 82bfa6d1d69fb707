// SPDX-License-Identifier: Apache-2.0
// Convolutions by their number of dimensions, all made of `convolution`. PyTorch's
// `_convolution` chooses among an operator for each library; here libraries are variants
// of `convolution` itself, so `_convolution` calls it.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"
#include "ops/rules/spatial.h"

OYI_STORED(convolution_out, convolution)
OYI_STORED(_convolution_out, _convolution)

OYI_COMPOSITE(_convolution) {
  return oyi_call_convolution(input, weight, bias, stride, padding, dilation, transposed,
                              output_padding, groups);
}
OYI_COMPOSITE(_convolution_deprecated) {
  return oyi_call__convolution(input, weight, bias, stride, padding, dilation, transposed,
                               output_padding, groups, benchmark, deterministic,
                               cudnn_enabled, true);
}

OYI_COMPOSITE(convolution_backward_out) {
  oy_object *grads[3] = {NULL, NULL, NULL}, *outs[3] = {out0, out1, out2};
  oy_status status = oyi_call_convolution_backward(
      grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
      output_padding, groups, output_mask, &grads[0], &grads[1], &grads[2]);
  for (int i = 0; i < 3; i++) {
    bool wanted = status == OY_OK && !oy_object_is_none(grads[i]);
    if (wanted && !oyi_stored(outs[i], grads[i])) status = oy_failure();
    if (!wanted && grads[i] && !oy_object_is_none(grads[i])) oy_tensor_release(grads[i]);
  }
  // Also those that are not asked for, and stay as they are.
  *out_0 = out0, *out_1 = out1, *out_2 = out2;
  return status;
}

// ------------------------------------------------------------------------ batches

typedef struct batch {
  oy_object* input;  // with a batch dimension; NULL: the error is set
  bool added;
} batch;

static batch with_batch(oy_object* input, int ndim, const char* name) {
  const oyi_tensor* x = oyi_tensor_of(input);
  if (!x) return (batch){NULL, false};
  if (x->ndim == ndim + 2) return (batch){oy_tensor_retain(input), false};
  if (x->ndim == ndim + 1) return (batch){oyi_call_unsqueeze(input, 0), true};
  OY_FAIL(INVALID_ARGUMENT,
          "Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size: "
          "%s",
          ndim + 1, ndim + 2, name, oyi_dims_print(oyi_sizes_view(x)).text);
  return (batch){NULL, false};
}

static oy_object* without_batch(batch b, oy_object* output) {
  oy_tensor_release(b.input);
  if (!b.added || !output) return output;
  oy_object* result = oyi_call_squeeze_dim(output, 0);
  oy_tensor_release(output);
  return result;
}

static const int64_t g_zero[] = {0, 0, 0};

#define CONV(id, dims)                                                                   \
  OYI_COMPOSITE(id) {                                                                    \
    batch b = with_batch(input, dims, #id);                                              \
    if (!b.input) return NULL;                                                           \
    return without_batch(                                                                \
        b, oyi_call_convolution(b.input, weight, bias, stride, padding, dilation, false, \
                                (oy_ints){g_zero, dims}, groups));                       \
  }
CONV(conv1d, 1)
CONV(conv2d, 2)
CONV(conv3d, 3)

#define CONV_TRANSPOSE(id, name, dims)                                                  \
  OYI_COMPOSITE(id) {                                                                   \
    batch b = with_batch(input, dims, #name);                                           \
    if (!b.input) return NULL;                                                          \
    return without_batch(                                                               \
        b, oyi_call_convolution(b.input, weight, bias, stride, padding, dilation, true, \
                                output_padding, groups));                               \
  }
CONV_TRANSPOSE(conv_transpose1d, conv_transpose1d, 1)
CONV_TRANSPOSE(conv_transpose2d_input, conv_transpose2d, 2)
CONV_TRANSPOSE(conv_transpose3d_input, conv_transpose3d, 3)

#define CONV_PADDING(id, name, dims)                                                  \
  OYI_COMPOSITE(id) {                                                                 \
    batch b = with_batch(input, dims, #name);                                         \
    if (!b.input) return NULL;                                                        \
    return without_batch(b, oyi_call__convolution_mode(b.input, weight, bias, stride, \
                                                       padding, dilation, groups));   \
  }
CONV_PADDING(conv1d_padding, conv1d, 1)
CONV_PADDING(conv2d_padding, conv2d, 2)
CONV_PADDING(conv3d_padding, conv3d, 3)

// ------------------------------------------------------------------- "same", "valid"

// Half of what a window covers beside its centre, on each side: |before| where that is
// even, |after| one more where it is odd.
static oy_status same_padding(const oyi_tensor* w, oy_ints stride, oy_ints dilation,
                              int64_t* before, int64_t* after) {
  const size_t ndim = w->ndim - 2u;
  OY_CHECK(w->ndim > 2, INVALID_ARGUMENT, "weight should have at least three dimensions");
  OY_CHECK(w->ndim <= 2 + OYI_SPATIAL, NOT_IMPLEMENTED,
           "convolution: expected at most %d spatial dimensions, got %zu", OYI_SPATIAL,
           ndim);
  OY_CHECK(stride.size == ndim || stride.size == 1, INVALID_ARGUMENT,
           "stride cannot broadcast to %zu dimensions", ndim);
  OY_CHECK(dilation.size == ndim || dilation.size == 1, INVALID_ARGUMENT,
           "dilation cannot broadcast to %zu dimensions", ndim);
  for (size_t i = 0; i < stride.size; i++)
    OY_CHECK(stride.data[i] == 1, INVALID_ARGUMENT,
             "padding='same' is not supported for strided convolutions");
  for (size_t i = 0; i < ndim; i++) {
    int64_t total;
    if (__builtin_mul_overflow(dilation.data[dilation.size == 1 ? 0 : i],
                               w->sizes[i + 2] - 1, &total))
      return OY_FAIL(INVALID_ARGUMENT, "convolution: the dilated kernel is too large");
    before[i] = total / 2;
    after[i] = total - before[i];
  }
  return OY_OK;
}

// What is padded more behind than before is padded as much before, and the places that this
// adds are left out of the result.
static oy_object* without_first(oy_object* output, const int64_t* more, size_t ndim) {
  oy_object* view = output;
  for (size_t i = 0; i < ndim && view; i++) {
    if (more[i] == 0) continue;
    int64_t d = (int64_t)i + 2, size = oyi_tensor_cast(view)->sizes[d];
    oy_object* next = oyi_call_narrow(view, d, more[i], size - more[i]);
    oy_tensor_release(view);
    view = next;
  }
  return view;
}

static oy_object* convolve_same(oy_object* input, oy_object* weight, oy_object* bias,
                                oy_ints stride, oy_ints dilation, int64_t groups) {
  int64_t before[OYI_SPATIAL], after[OYI_SPATIAL], more[OYI_SPATIAL];
  const oyi_tensor* x = oyi_tensor_of(input);
  const oyi_tensor* w = x ? oyi_tensor_of(weight) : NULL;
  if (!w || same_padding(w, stride, dilation, before, after) != 0) return NULL;
  const size_t ndim = w->ndim - 2u;
  bool even = true;
  for (size_t i = 0; i < ndim; i++) {
    more[i] = after[i] - before[i];
    even = even && more[i] == 0;
  }
  oy_object* output =
      oyi_call_convolution(input, weight, bias, stride, (oy_ints){after, ndim}, dilation,
                           false, (oy_ints){g_zero, ndim}, groups);
  return even || !output ? output : oyi_cloned(without_first(output, more, ndim));
}

OYI_COMPOSITE(_convolution_mode) {
  const oyi_tensor* w = oyi_tensor_of(weight);
  if (!w) return NULL;
  if (oy_str_equal(padding, oy_str_of("same")))
    return convolve_same(input, weight, bias, stride, dilation, groups);
  if (oy_str_equal(padding, oy_str_of("valid"))) {
    oy_ints none = {g_zero, 1};
    return oyi_call_convolution(input, weight, bias, stride, none, dilation, false, none,
                                groups);
  }
  OY_FAIL(INVALID_ARGUMENT, "Invalid padding string: '%.*s'", OY_STR_ARG(padding));
  return NULL;
}

// ----------------------------------------------------------------------- conv_tbc

static oy_status check_tbc(const oyi_tensor* x, const oyi_tensor* w,
                           const oyi_tensor* b) {
  OY_CHECK(x->ndim == 3, INVALID_ARGUMENT,
           "Input must have 3 dims: time, batch, in_channel");
  OY_CHECK(w->ndim == 3, INVALID_ARGUMENT,
           "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  OY_CHECK(b->ndim == 1, INVALID_ARGUMENT, "Bias must be 1-D");
  OY_CHECK(x->sizes[2] == w->sizes[1], INVALID_ARGUMENT,
           "Input dim 2 (input channels) is not == dim 1 in the weight tensor. (%lld, "
           "%lld)",
           (long long)x->sizes[2], (long long)w->sizes[1]);
  OY_CHECK(w->sizes[2] == b->sizes[0], INVALID_ARGUMENT,
           "Bias size must equal dim 2 in the weight tensor (output channels).");
  return OY_OK;
}

OYI_COMPOSITE(conv_tbc) {
  const oyi_tensor* x = oyi_tensor_of(self);
  const oyi_tensor* w = x ? oyi_tensor_of(weight) : NULL;
  const oyi_tensor* b = w ? oyi_tensor_of(bias) : NULL;
  if (!b || check_tbc(x, w, b) != 0) return NULL;
  oy_object* rows = oyi_call_permute(self, OY_DIMS(1, 2, 0));
  oy_object* kernel = rows ? oyi_call_permute(weight, OY_DIMS(2, 1, 0)) : NULL;
  oy_object* output =
      kernel ? oyi_call_convolution(rows, kernel, bias, OY_DIMS(1), OY_DIMS(pad),
                                    OY_DIMS(1), false, OY_DIMS(0), 1)
             : NULL;
  oy_object* result = output ? oyi_call_permute(output, OY_DIMS(2, 0, 1)) : NULL;
  oy_tensor_release(output);
  oy_tensor_release(kernel);
  oy_tensor_release(rows);
  return result ? oyi_cloned(result) : NULL;
}
OYI_STORED(conv_tbc_out, conv_tbc)
