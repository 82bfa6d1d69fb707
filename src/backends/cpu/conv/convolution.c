// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/conv/convolution.h"

#include "backends/cpu/conv/conv_pairs.h"
#include "backends/cpu/conv/convolve.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/staging.h"
#include "base/threads.h"
#include "ops/calls.h"

// What is computed in: whole numbers are what is left of those of int64.
static oy_dtype computed_as(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_U8:
    case OY_DTYPE_I8:
    case OY_DTYPE_I16:
    case OY_DTYPE_I32: return OY_DTYPE_I64;
    default: return oyi_compute_dtype(dtype);
  }
}

// The tables for a dtype that convolutions are for; an error if it is another.
static oy_status find(oyi_convolve* v, oy_dtype dtype, oyi_gemm_pick pick) {
  const oy_dtype type = computed_as(dtype);
  v->columns = oyi_columns_of(type);
  v->gemm = v->columns ? pick(type) : NULL;
  v->dtype = type;
  v->item = oyi_dtype_bytes[type];
  return v->gemm ? OY_OK : oyi_not_for("slow_conv2d_cpu", dtype);
}

static void release(oyi_tensor* t) {
  oy_tensor_release(oyi_tensor_object(t));
}

// -------------------------------------------------------------------- convolution

// Windows slide over images, or with |back| map elements spread theirs. What is read may be
// in the dtype that it |is| in, or as it is computed.
static oy_status convolve(const oyi_convolve* v, bool back, bool as_it_is) {
  if (as_it_is) return oyi_convolve_by_pairs(v, back);
  return back ? oyi_convolve_images(v) : oyi_convolve_maps(v);
}

// What |v| reads is of: bfloat16 too may be.
static oy_dtype read_dtype(const oyi_convolve* v, bool back, oy_dtype dtype) {
  return dtype == OY_DTYPE_BF16 && oyi_convolve_suits_pairs(v, back) ? dtype : v->dtype;
}

static oy_status compute(const oyi_conv_call* call, oyi_convolve* v, oyi_tensor* out) {
  const oy_dtype type = v->dtype, dtype = out->header.dtype;
  const oy_dtype read = read_dtype(v, call->transposed, dtype);
  const bool has_bias = !oy_object_is_none(call->bias);
  oyi_tensor* x = oyi_stage_in(oyi_tensor_cast(call->input), read);
  oyi_tensor* w = x ? oyi_stage_in(oyi_tensor_cast(call->weight), read) : NULL;
  oyi_tensor* b = w && has_bias ? oyi_stage_in(oyi_tensor_cast(call->bias), type) : NULL;
  oyi_tensor* y = w && (b || !has_bias) ? oyi_stage_out(out, type) : NULL;
  oy_status status = OY_OK;
  if (y) {
    v->weights = oyi_data(w);
    v->bias = b ? oyi_data(b) : NULL;
    v->images = oyi_data(call->transposed ? y : x);
    v->maps = oyi_data(call->transposed ? x : y);
    status = convolve(v, call->transposed, read != type);
  }
  status = oyi_unstage(out, y, status);
  release(x);
  release(w);
  release(b);
  return status;
}

oy_object* oyi_cpu_convolution(const oyi_conv_call* call, oyi_gemm_pick pick) {
  oyi_conv conv;
  int64_t sizes[2 + OYI_SPATIAL];
  oyi_convolve v = {.conv = &conv};
  if (oyi_rule_convolution(call, &conv, sizes) != 0) return NULL;
  const oyi_tensor* x = oyi_tensor_cast(call->input);
  if (find(&v, x->header.dtype, pick) != 0) return NULL;
  oyi_tensor* out = oyi_rule_spatial((oy_ints){sizes, conv.ndim + 2}, x->header.dtype, x,
                                     oyi_conv_format(call), NULL);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  if (compute(call, &v, out) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

// ----------------------------------------------------------------------- backward

// A gradient is a product with the conjugate: |t|, staged, or its conjugate.
static oyi_tensor* stage_conjugate(oy_object* object, oy_dtype type) {
  oyi_tensor* t = oyi_tensor_cast(object);
  if (!oy_dtype_is_complex(type)) return oyi_stage_in(t, type);
  oyi_tensor* copy = oyi_check_data(t) == OY_OK ? oyi_converted(t, type) : NULL;
  for (int64_t i = 0; copy && i < copy->numel; i++) {
    if (type == OY_DTYPE_C64)
      ((float*)oyi_data(copy))[2 * i + 1] *= -1;
    else
      ((double*)oyi_data(copy))[2 * i + 1] *= -1;
  }
  return copy;
}

typedef struct gradient {
  const oyi_conv_call* call;
  oyi_convolve v;
  oy_dtype type;
  oyi_tensor* given;  // of the output
  oyi_tensor* grad;   // staged, where one but that of the input is wanted
} gradient;

static oy_status input_gradient(gradient* g, oyi_tensor* out) {
  const bool back = !g->call->transposed;
  const oy_dtype read = read_dtype(&g->v, back, out->header.dtype);
  oyi_tensor* w = stage_conjugate(g->call->weight, read);
  oyi_tensor* given = g->grad && read == g->type ? g->grad : g->given;
  oyi_tensor* grad = w ? oyi_stage_in(given, read) : NULL;
  oyi_tensor* x = grad ? oyi_stage_out(out, g->type) : NULL;
  oyi_convolve v = g->v;
  oy_status status = OY_OK;
  if (x && x->numel > 0) {
    v.weights = oyi_data(w);
    v.images = oyi_data(back ? x : grad);
    v.maps = oyi_data(back ? grad : x);
    status = convolve(&v, back, read != g->type);
  }
  release(w);
  release(grad);
  return oyi_unstage(out, x, status);
}

static oy_status weight_gradient(gradient* g, oyi_tensor* out) {
  oyi_tensor* x = stage_conjugate(g->call->input, g->type);
  oyi_tensor* w = x ? oyi_stage_out(out, g->type) : NULL;
  oyi_convolve v = g->v;
  oy_status status = OY_OK;
  if (w && w->numel > 0) {
    v.weights = oyi_data(w);
    v.images = oyi_data(g->call->transposed ? g->grad : x);
    v.maps = oyi_data(g->call->transposed ? x : g->grad);
    status = oyi_convolve_weights(&v);
  }
  release(x);
  return oyi_unstage(out, w, status);
}

// Of floats: in double over all samples, rounded once.
typedef struct bias_sums {
  const oyi_tensor* grad;
  void* out;
  int64_t channels, places, chunk;
} bias_sums;

static oy_status sum_channels(int64_t index, void* context) {
  const bias_sums* b = context;
  const oy_dtype type = b->grad->header.dtype;
  const oyi_conv_tiles* tiles = oyi_conv_tiles_for(type);
  const int64_t item = oyi_dtype_bytes[type], end = (index + 1) * b->chunk;
  for (int64_t k = index * b->chunk; k < end && k < b->channels; k++) {
    double sum = 0;
    for (int64_t i = 0; i < b->grad->sizes[0]; i++)
      sum += tiles->sum(
          (const char*)oyi_data(b->grad) + (i * b->channels + k) * b->places * item,
          b->places);
    if (type == OY_DTYPE_F32)
      ((float*)b->out)[k] = (float)sum;
    else
      ((double*)b->out)[k] = sum;
  }
  return OY_OK;
}

static oy_status bias_gradient(gradient* g, oyi_tensor* out) {
  enum { WORTH_A_THREAD = 1 << 16 };  // elements
  oyi_tensor* t = oyi_stage_out(out, g->type);
  const oyi_tensor* grad = g->grad;
  if (!t || t->numel == 0) return oyi_unstage(out, t, OY_OK);
  const int64_t channels = t->numel, samples = grad->sizes[0], item = g->v.item;
  const int64_t places = grad->numel ? grad->numel / samples / channels : 0;
  oy_status status = OY_OK;
  if (g->type == OY_DTYPE_F32 || g->type == OY_DTYPE_F64) {
    bias_sums b = {grad, oyi_data(t), channels, places, 1};
    b.chunk = WORTH_A_THREAD / (places * samples + 1) + 1;
    status = oyi_parallel_chunks((channels + b.chunk - 1) / b.chunk, sum_channels, &b);
  } else {
    memset(oyi_data(t), 0, (size_t)(channels * item));
    for (int64_t i = 0; i < samples * channels && places; i++)
      g->v.columns->sum((char*)oyi_data(grad) + i * places * item, places,
                        (char*)oyi_data(t) + i % channels * item);
  }
  return oyi_unstage(out, t, status);
}

static oy_status check_gradient(const oyi_conv_call* call, const oyi_tensor* grad,
                                oy_bools mask, oy_ints sizes) {
  OY_CHECK(mask.size == 3, INVALID_ARGUMENT,
           "convolution_backward: expected 3 elements in output_mask, got %zu",
           mask.size);
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(grad), sizes), INVALID_ARGUMENT,
           "convolution_backward: expected grad_output of size %s, got %s",
           oyi_dims_print(sizes).text, oyi_dims_print(oyi_sizes_view(grad)).text);
  OY_CHECK(grad->header.dtype == call->input->dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s",
           oy_dtype_pytorch_name(call->input->dtype),
           oy_dtype_pytorch_name(grad->header.dtype));
  return OY_OK;
}

static oy_status make_gradients(const oyi_conv_call* call, const oy_ints* sizes,
                                oy_bools mask, oy_object** out_grads) {
  const oyi_tensor* x = oyi_tensor_cast(call->input);
  const oy_memory_format format = oyi_conv_format(call);
  for (int i = 0; i < 3; i++) {
    if (!mask.data[i]) {
      out_grads[i] = &oy_none_object;
      continue;
    }
    oyi_tensor* made = oyi_rule_spatial(sizes[i], x->header.dtype, x, format, NULL);
    out_grads[i] = oyi_tensor_object(made);
    if (!made) return oy_failure();
  }
  return OY_OK;
}

// Of an output without elements, where channels or kernels may have none either.
static oy_status clear_gradients(oy_object** grads) {
  for (int i = 0; i < 3; i++)
    if (!oy_object_is_none(grads[i]) && !oyi_call_zero_(grads[i])) return oy_failure();
  return OY_OK;
}

static oy_status compute_gradients(gradient* g, oy_object* grad_output, oy_bools mask,
                                   oy_object** grads) {
  static oy_status (*const parts[])(gradient*, oyi_tensor*) = {
      input_gradient, weight_gradient, bias_gradient};
  const bool staged = mask.data[1] || mask.data[2];
  g->given = oyi_tensor_cast(grad_output);
  if (g->given->numel == 0) return clear_gradients(grads);
  g->grad = staged ? oyi_stage_in(g->given, g->type) : NULL;
  oy_status status = g->grad || !staged ? OY_OK : oy_failure();
  for (int i = 0; i < 3 && status == OY_OK; i++)
    if (mask.data[i]) status = parts[i](g, oyi_tensor_cast(grads[i]));
  release(g->grad);
  return status;
}

oy_status oyi_cpu_convolution_backward(const oyi_conv_call* call, oy_object* grad_output,
                                       oy_bools mask, oyi_gemm_pick pick,
                                       oy_object** out_grads) {
  oyi_conv conv;
  int64_t sizes[2 + OYI_SPATIAL];
  gradient g = {.call = call, .v = {.conv = &conv}};
  OY_TRY(oyi_rule_convolution(call, &conv, sizes));
  const oyi_tensor* grad = oyi_tensor_of(grad_output);
  if (!grad) return oy_failure();
  OY_TRY(check_gradient(call, grad, mask, (oy_ints){sizes, conv.ndim + 2}));
  OY_TRY(find(&g.v, grad->header.dtype, pick));
  g.type = g.v.dtype;
  const int64_t biases = call->transposed ? conv.image_channels : conv.map_channels;
  const oy_ints shapes[] = {oyi_sizes_view(oyi_tensor_cast(call->input)),
                            oyi_sizes_view(oyi_tensor_cast(call->weight)),
                            {&biases, 1}};
  oy_status status = make_gradients(call, shapes, mask, out_grads);
  if (status == OY_OK && !oyi_is_meta(grad))
    status = compute_gradients(&g, grad_output, mask, out_grads);
  for (int i = 0; i < 3 && status != OY_OK; i++) {
    if (!oy_object_is_none(out_grads[i])) oy_tensor_release(out_grads[i]);
    out_grads[i] = NULL;
  }
  return status;
}

// ------------------------------------------------------------------------ kernels

OYI_CPU(convolution) {
  return oyi_cpu_convolution(OYI_CONV_CALL(bias), oyi_gemm_portable);
}

OYI_CPU(convolution_backward) {
  oy_object* grads[3] = {NULL, NULL, NULL};
  oy_status status = oyi_cpu_convolution_backward(
      OYI_CONV_CALL(&oy_none_object), grad_output, output_mask, oyi_gemm_portable, grads);
  *out_0 = grads[0], *out_1 = grads[1], *out_2 = grads[2];
  return status;
}
