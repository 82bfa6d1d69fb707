// SPDX-License-Identifier: Apache-2.0
#include "ops/rules/convolution.h"

#include <stdio.h>

#include "ops/rules/rules.h"

#define DIMS(list) oyi_dims_print(list).text

// ------------------------------------------------------------------ parameters

// |list| is one number, or one for each dimension; missing ones are |filler|.
static oy_status expand(oy_ints list, const char* name, size_t ndim, int64_t filler,
                        int64_t* out) {
  OY_CHECK(
      list.size == 1 || list.size == ndim, INVALID_ARGUMENT,
      "expected %s to be a single integer value or a list of %zu values to match the "
      "convolution dimensions, but got %s=%s",
      name, ndim, name, DIMS(list));
  size_t missing = OYI_SPATIAL - ndim;
  for (size_t i = 0; i < OYI_SPATIAL; i++)
    out[i] = i < missing ? filler : list.data[list.size == 1 ? 0 : i - missing];
  return OY_OK;
}

static bool any_below(const int64_t* numbers, int64_t least) {
  for (size_t i = 0; i < OYI_SPATIAL; i++)
    if (numbers[i] < least) return true;
  return false;
}

static oy_status read_params(const oyi_conv_call* call, oyi_conv* c, int64_t* extra) {
  OY_CHECK(call->groups > 0, INVALID_ARGUMENT, "non-positive groups is not supported");
  OY_TRY(expand(call->stride, "stride", c->ndim, 1, c->stride));
  OY_TRY(expand(call->padding, "padding", c->ndim, 0, c->padding));
  OY_TRY(expand(call->dilation, "dilation", c->ndim, 1, c->dilation));
  OY_TRY(expand(call->output_padding, "output_padding", c->ndim, 0, extra));
  OY_CHECK(!any_below(c->padding, 0), INVALID_ARGUMENT,
           "negative padding is not supported");
  OY_CHECK(!any_below(extra, 0), INVALID_ARGUMENT,
           "negative output_padding is not supported");
  OY_CHECK(!any_below(c->stride, 1), INVALID_ARGUMENT,
           "non-positive stride is not supported");
  OY_CHECK(!any_below(c->dilation, 1), INVALID_ARGUMENT,
           "dilation should be greater than zero, but got %s", DIMS(call->dilation));
  c->groups = call->groups;
  c->transposed = call->transposed;
  return OY_OK;
}

// ---------------------------------------------------------------------- shapes

static oy_status check_bias(const oyi_conv_call* call, const oyi_tensor* w,
                            int64_t channels) {
  if (oy_object_is_none(call->bias)) return OY_OK;
  const oyi_tensor* b = oyi_tensor_cast(call->bias);
  OY_CHECK(b->ndim == 1 && b->sizes[0] == channels, INVALID_ARGUMENT,
           "Given %sweight of size %s, expected bias to be 1-dimensional with %lld "
           "elements, but got bias of size %s instead",
           call->transposed ? "transposed=1, " : "", DIMS(oyi_sizes_view(w)),
           (long long)channels, DIMS(oyi_sizes_view(b)));
  return OY_OK;
}

static oy_status check_channels(const oyi_conv_call* call, const oyi_tensor* x,
                                const oyi_tensor* w) {
  oy_ints in = oyi_sizes_view(x), ws = oyi_sizes_view(w);
  const long long groups = call->groups;
  OY_CHECK(x->ndim == w->ndim, INVALID_ARGUMENT,
           "Expected %u-dimensional input for %u-dimensional weight %s, but got "
           "%u-dimensional input of size %s instead",
           w->ndim, w->ndim, DIMS(ws), x->ndim, DIMS(in));
  OY_CHECK(ws.data[0] >= groups, INVALID_ARGUMENT,
           "Given groups=%lld, expected weight to be at least %lld at dimension 0, but "
           "got weight of size %s instead",
           groups, groups, DIMS(ws));
  OY_CHECK(
      ws.data[0] % groups == 0, INVALID_ARGUMENT,
      "Given groups=%lld, expected weight to be divisible by %lld at dimension 0, but "
      "got weight of size [%s] instead",
      groups, groups, DIMS(ws));
  int64_t channels = ws.data[0];
  if (!call->transposed && __builtin_mul_overflow(ws.data[1], call->groups, &channels))
    return OY_FAIL(INVALID_ARGUMENT, "convolution: the sizes of the weight overflow");
  if (call->transposed)
    OY_CHECK(in.data[1] == channels, INVALID_ARGUMENT,
             "Given transposed=1, weight of size %s, expected input%s to have %lld "
             "channels, but got %lld channels instead",
             DIMS(ws), DIMS(in), (long long)channels, (long long)in.data[1]);
  OY_CHECK(in.data[1] == channels, INVALID_ARGUMENT,
           "Given groups=%lld, weight of size %s, expected input%s to have %lld "
           "channels, but got %lld channels instead",
           groups, DIMS(ws), DIMS(in), (long long)channels, (long long)in.data[1]);
  return check_bias(call, w, call->transposed ? ws.data[1] * call->groups : ws.data[0]);
}

// "2 x 3"
static void print_sizes(const int64_t* sizes, size_t ndim, char* out, size_t room) {
  size_t at = 0;
  for (size_t i = OYI_SPATIAL - ndim; i < OYI_SPATIAL && at < room; i++)
    at += (size_t)snprintf(out + at, room - at, "%s%lld",
                           i > OYI_SPATIAL - ndim ? " x " : "", (long long)sizes[i]);
}

// What a window covers, the gaps of its dilation included.
static oy_status extents(const oyi_conv* c, int64_t* out) {
  for (size_t i = 0; i < OYI_SPATIAL; i++) {
    OY_CHECK(c->kernel[i] > 0, INVALID_ARGUMENT,
             "kernel size should be greater than zero, but got kernel_height: %lld "
             "kernel_width: %lld",
             (long long)c->kernel[1], (long long)c->kernel[2]);
    if (__builtin_mul_overflow(c->dilation[i], c->kernel[i] - 1, &out[i]) ||
        out[i] >= INT64_MAX / 4)
      return OY_FAIL(INVALID_ARGUMENT, "convolution: the dilated kernel is too large");
    out[i]++;
  }
  return OY_OK;
}

static oy_status map_of_image(oyi_conv* c) {
  int64_t extent[OYI_SPATIAL], padded[OYI_SPATIAL];
  char have[80], need[80];
  bool fits = true;
  OY_TRY(extents(c, extent));
  for (size_t i = 0; i < OYI_SPATIAL; i++) {
    if (c->padding[i] >= INT64_MAX / 4)
      return OY_FAIL(INVALID_ARGUMENT, "convolution: the padding is too large");
    padded[i] = c->image[i] + 2 * c->padding[i];
    fits = fits && padded[i] >= extent[i];
    c->map[i] = (padded[i] - extent[i]) / c->stride[i] + 1;
  }
  print_sizes(padded, c->ndim, have, sizeof(have));
  print_sizes(extent, c->ndim, need, sizeof(need));
  OY_CHECK(fits, INVALID_ARGUMENT,
           "Calculated padded input size per channel: (%s). Kernel size: (%s). Kernel "
           "size can't be greater than actual input size",
           have, need);
  return OY_OK;
}

static oy_status check_extra(const oyi_conv* c, const int64_t* extra) {
  static const char* const names[] = {"depth", "height", "width"};
  char text[3][96];
  const int64_t* lists[] = {extra, c->stride, c->dilation};
  static const char* const words[] = {"output_padding", "stride", "dilation"};
  bool good = true;
  for (size_t i = 0; i < OYI_SPATIAL; i++)
    good = good && (extra[i] < c->stride[i] || extra[i] < c->dilation[i]);
  if (good) return OY_OK;
  size_t first = c->ndim == 3 ? 0 : 1;  // one dimension is computed as two
  for (size_t k = 0; k < 3; k++) {
    size_t at = 0;
    for (size_t i = first; i < OYI_SPATIAL && at < sizeof(text[k]); i++)
      at += (size_t)snprintf(text[k] + at, sizeof(text[k]) - at, "%s%s_%s: %lld",
                             i > first ? " " : "", words[k], names[i],
                             (long long)lists[k][i]);
  }
  return OY_FAIL(INVALID_ARGUMENT,
                 "output padding must be smaller than either stride or dilation, but got "
                 "%s %s %s",
                 text[0], text[1], text[2]);
}

static oy_status image_of_map(oyi_conv* c, const int64_t* extra) {
  int64_t extent[OYI_SPATIAL];
  char have[80], made[80];
  bool fits = true;
  OY_TRY(extents(c, extent));
  OY_TRY(check_extra(c, extra));
  for (size_t i = 0; i < OYI_SPATIAL; i++) {
    int64_t reach;
    if (__builtin_mul_overflow(c->map[i] - 1, c->stride[i], &reach) ||
        reach >= INT64_MAX / 4 || c->padding[i] >= INT64_MAX / 4)
      return OY_FAIL(INVALID_ARGUMENT, "convolution: the output is too large");
    c->image[i] = reach - 2 * c->padding[i] + extent[i] + extra[i];
    fits = fits && c->image[i] > 0;
  }
  print_sizes(c->map, c->ndim, have, sizeof(have));
  print_sizes(c->image, c->ndim, made, sizeof(made));
  OY_CHECK(
      fits, INVALID_ARGUMENT,
      "Given input size per channel: (%s). Calculated output size per channel: (%s). "
      "Output size is too small",
      have, made);
  return OY_OK;
}

// ---------------------------------------------------------------------- the rule

static oy_status check_types(const oyi_conv_call* call, const oyi_tensor* x,
                             const oyi_tensor* w) {
  const oy_dtype dtype = x->header.dtype;
  if (!oy_object_is_none(call->bias)) {
    const oyi_tensor* b = oyi_tensor_cast(call->bias);
    OY_TRY(oyi_check_same_device(x, b));
    OY_CHECK(b->header.dtype == dtype, TYPE_MISMATCH,
             "Input type (%s) and bias type (%s) should be the same",
             oyi_dtype_cpp_name(dtype), oyi_dtype_cpp_name(b->header.dtype));
  }
  OY_TRY(oyi_check_same_device(x, w));
  OY_CHECK(w->header.dtype == dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(dtype),
           oy_dtype_pytorch_name(w->header.dtype));
  return OY_OK;
}

// Transposed to no channels: nothing that PyTorch's kernels take, which see one group, and one
// dimension as two.
static oy_status check_made(const oyi_conv* c, const oyi_tensor* x) {
  const size_t ndim = c->ndim == 3 ? 3 : 2;
  int64_t sizes[2 + OYI_SPATIAL] = {c->map_channels / c->groups, 0};
  if (!c->transposed || c->image_channels > 0 || x->numel == 0) return OY_OK;
  memcpy(sizes + 2, c->kernel + OYI_SPATIAL - ndim, ndim * sizeof(int64_t));
  return OY_FAIL(INVALID_ARGUMENT, "%s, but got: %s",
                 ndim == 3
                     ? "non-empty 5D (n_output_plane x n_input_plane x kernel_depth "
                       "x kernel_height x kernel_width) tensor expected for weight"
                     : "non-empty 2D or 4D weight tensor expected",
                 DIMS(((oy_ints){sizes, 2 + ndim})));
}

static void read_sizes(oyi_conv* c, const oyi_tensor* x, const oyi_tensor* w) {
  const size_t missing = OYI_SPATIAL - c->ndim;
  int64_t* there = c->transposed ? c->map : c->image;
  for (size_t i = 0; i < OYI_SPATIAL; i++) {
    there[i] = i < missing ? 1 : x->sizes[i - missing + 2];
    c->kernel[i] = i < missing ? 1 : w->sizes[i - missing + 2];
  }
  c->batch = x->sizes[0];
  c->map_channels = w->sizes[0];
  c->image_channels = w->sizes[1] * c->groups;
}

oy_status oyi_rule_convolution(const oyi_conv_call* call, oyi_conv* out_conv,
                               int64_t* out_sizes) {
  oyi_conv* c = out_conv;
  const oyi_tensor* x = oyi_tensor_of(call->input);
  const oyi_tensor* w = x ? oyi_tensor_of(call->weight) : NULL;
  if (!w || (!oy_object_is_none(call->bias) && !oyi_tensor_of(call->bias)))
    return oy_failure();
  OY_CHECK(w->ndim > 2, INVALID_ARGUMENT, "weight should have at least three dimensions");
  OY_CHECK(w->ndim <= 2 + OYI_SPATIAL, NOT_IMPLEMENTED,
           "convolution: expected at most %d spatial dimensions, got %d", OYI_SPATIAL,
           w->ndim - 2);
  c->ndim = w->ndim - 2u;
  int64_t extra[OYI_SPATIAL];
  OY_TRY(read_params(call, c, extra));
  OY_TRY(check_channels(call, x, w));
  read_sizes(c, x, w);
  OY_TRY(c->transposed ? image_of_map(c, extra) : map_of_image(c));
  OY_TRY(check_types(call, x, w));
  OY_TRY(check_made(c, x));
  OY_CHECK(
      x->numel > 0 || x->sizes[0] == 0 || x->sizes[1] == 0, INVALID_ARGUMENT,
      "Only zero batch or zero channel inputs are supported, but got input shape: %s",
      DIMS(oyi_sizes_view(x)));
  out_sizes[0] = c->batch;
  out_sizes[1] = c->transposed ? c->image_channels : c->map_channels;
  if (x->sizes[1] == 0) out_sizes[1] = 0;  // and no sums of nothing, in PyTorch
  memcpy(out_sizes + 2, (c->transposed ? c->image : c->map) + OYI_SPATIAL - c->ndim,
         c->ndim * sizeof(int64_t));
  return OY_OK;
}

oy_memory_format oyi_conv_format(const oyi_conv_call* call) {
  const oyi_tensor* x = oyi_tensor_cast(call->input);
  oy_memory_format format = oyi_spatial_format(x);
  return format != OY_MEMORY_CONTIGUOUS
             ? format
             : oyi_spatial_format(oyi_tensor_cast(call->weight));
}
