// SPDX-License-Identifier: Apache-2.0
// Images of another size: by the nearest element, linear or cubic interpolation, and by
// both of these where what is left out counts, too (antialiased).
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/taps.h"
#include "base/memory.h"

typedef enum kind { NEAREST, EXACT, LINEAR, CUBIC, WIDE_LINEAR, WIDE_CUBIC } kind;

typedef struct upsample_call {
  kind how;
  size_t ndim;
  bool align_corners;
  oy_ints output_size;
  oy_value scales[OYI_SPATIAL];  // of the last |ndim| dimensions
} upsample_call;

// ------------------------------------------------------------------------- taps

// Elements of the input for one of the output.
static double step_of(const upsample_call* call, size_t d, int64_t in, int64_t out) {
  const oy_value* given = &call->scales[d];
  if (call->align_corners) return out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
  if (given->tag == OY_TAG_FLOAT && given->as.d > 0) return 1 / given->as.d;
  return (double)in / (double)out;
}

// |at| as a place among |in| elements. Scales may be any numbers, and so may |at|.
static int64_t place_at(double at, int64_t in) {
  if (!(at > 0)) return 0;
  return at < (double)(in - 1) ? (int64_t)at : in - 1;
}

// Computed in float, so that ties fall as they do in PyTorch.
static int64_t nearest(kind how, int64_t i, double step, int64_t in) {
  float at = how == EXACT ? ((float)i + 0.5f) * (float)step : (float)i * (float)step;
  return place_at(floorf(at), in);
}

static double source_of(const upsample_call* call, int64_t i, double step, bool single) {
  double at = call->align_corners ? step * (double)i : step * ((double)i + 0.5) - 0.5;
  if (single) {
    float s = (float)step;
    at = call->align_corners ? s * (float)i : s * ((float)i + 0.5f) - 0.5f;
  }
  return at < 0 && call->how == LINEAR ? 0 : at;
}

static void linear(double at, int64_t in, int64_t* index, double* weight) {
  int64_t first = place_at(at, in);
  // Of what is no number 0, and without a call, since short lines wait for their taps.
  double part = at - (double)first;
  part = part > 0 ? part < 1 ? part : 1 : 0;
  index[0] = first;
  index[1] = first + (first < in - 1);
  weight[0] = 1 - part;
  weight[1] = part;
}

// The cubic convolution of Keys with a = -0.75: within one element, and beyond.
static double near_weight(double x) {
  return (1.25 * x - 2.25) * x * x + 1;
}
static double far_weight(double x) {
  return ((-0.75 * x + 3.75) * x - 6) * x + 3;
}

static void cubic(double at, int64_t in, int64_t* index, double* weight) {
  const double whole = floor(at), part = at - whole;
  for (int k = 0; k < 4; k++) index[k] = place_at(whole - 1 + k, in);
  weight[0] = far_weight(part + 1);
  weight[1] = near_weight(part);
  weight[2] = near_weight(1 - part);
  weight[3] = far_weight(2 - part);
}

// ------------------------------------------------------------------ wide, antialiased

// In the precision that PyTorch computes a step in, so that as many elements count.
static double rounded(double x, bool single) {
  return single ? (float)x : x;
}

// Keys' again with a = -0.5, as Pillow has it, and its linear companion.
static double wide_weight(kind how, double x) {
  x = fabs(x);
  if (how == WIDE_LINEAR) return x < 1 ? 1 - x : 0;
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

// The elements that lie less than |reach| from a centre: how many, and the first of them.
static int64_t wide_span(double centre, double reach, int64_t in, int64_t* out_first) {
  *out_first = place_at(centre - reach + 0.5, in);
  const double end = centre + reach + 0.5;
  const int64_t last = place_at(end - 1, in);
  return last > *out_first ? last - *out_first + 1 : 1;
}

static void wide(const upsample_call* call, int64_t i, double step, double reach,
                 bool single, int64_t in, oyi_taps* t) {
  int64_t first, *index = t->index + i * t->count;
  double *weight = t->weight + i * t->count, total = 0;
  const double shrink = step >= 1 ? rounded(1 / step, single) : 1;
  const double centre = rounded(step * ((double)i + 0.5), single);
  int64_t used = wide_span(centre, reach, in, &first);
  if (used > t->count) used = t->count;
  t->used[i] = used;
  for (int64_t k = 0; k < used; k++) {
    const double at = rounded((double)(k + first) - centre, single) + 0.5;
    index[k] = first + k;
    weight[k] = rounded(wide_weight(call->how, rounded(at * shrink, single)), single);
    total = rounded(total + weight[k], single);
  }
  for (int64_t k = 0; k < used && total != 0; k++) weight[k] /= total;
}

static bool wide_taps(const upsample_call* call, size_t d, int64_t in, int64_t out,
                      bool single, oyi_taps* t) {
  const double step = rounded(step_of(call, d, in, out), single);
  const double half = call->how == WIDE_CUBIC ? 2 : 1;
  const double reach = step >= 1 ? rounded(half * step, single) : half;
  const double most = ceil(reach) * 2 + 1;
  if (!oyi_taps_new(t, out, most < (double)in ? (int64_t)most : in)) return false;
  if (!t->weight) t->weight = oyi_calloc((size_t)out, sizeof(double));
  t->used = oyi_calloc((size_t)out, sizeof(int64_t));
  if (!t->weight || !t->used) return false;
  for (int64_t i = 0; i < out; i++) wide(call, i, step, reach, single, in, t);
  return true;
}

static bool dimension_taps(const upsample_call* call, size_t d, int64_t in, int64_t out,
                           bool single, oyi_taps* t) {
  if (call->how >= WIDE_LINEAR) return wide_taps(call, d, in, out, single, t);
  const int64_t count = call->how == CUBIC ? 4 : call->how == LINEAR ? 2 : 1;
  if (!oyi_taps_new(t, out, count)) return false;
  const double step = step_of(call, d, in, out);
  for (int64_t i = 0; i < out; i++) {
    int64_t* index = t->index + i * count;
    if (count == 1) {
      *index = in == out ? i : nearest(call->how, i, step, in);
      continue;
    }
    double at =
        in == out && call->how == LINEAR ? (double)i : source_of(call, i, step, single);
    if (call->how == LINEAR)
      linear(at, in, index, t->weight + i * count);
    else
      cubic(at, in, index, t->weight + i * count);
  }
  return true;
}

static bool make_taps(const upsample_call* call, const oyi_resample* r, bool single,
                      oyi_taps* taps) {
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    if (d + call->ndim >= OYI_SPATIAL) {
      size_t at = d + call->ndim - OYI_SPATIAL;
      if (!dimension_taps(call, at, r->in[d], r->out[d], single, &taps[d])) return false;
    } else if (!oyi_taps_new(&taps[d], 1, 1)) {
      return false;
    }
  }
  return true;
}

// --------------------------------------------------------------------- operators

static const char* const g_names[] = {
    "compute_indices_weights_nearest", "compute_indices_weights_nearest",
    "compute_indices_weights_linear",  "compute_indices_weights_cubic",
    "compute_indices_weights_aa",      "compute_indices_weights_aa"};

typedef oy_status (*taps_fn)(const char*, const oyi_resample*, const oyi_taps*,
                             oyi_tensor*, oyi_tensor*);

static oy_object* run(const upsample_call* call, const oyi_resample* r, taps_fn fn,
                      oyi_tensor* in, oyi_tensor* out, oy_object* given) {
  oyi_taps taps[OYI_SPATIAL] = {0};
  oy_status status = make_taps(call, r, in->header.dtype != OY_DTYPE_F64, taps)
                         ? fn(g_names[call->how], r, taps, in, out)
                         : oy_failure();
  for (size_t d = 0; d < OYI_SPATIAL; d++) oyi_taps_free(&taps[d]);
  if (status == OY_OK) return &out->header;
  if (!given) oy_tensor_release(&out->header);
  return NULL;
}

static oy_status check_dtype(const upsample_call* call, oy_dtype dtype) {
  bool whole = dtype == OY_DTYPE_U8 && call->how <= EXACT;
  bool wide = call->how < WIDE_LINEAR || dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64;
  OY_CHECK((oy_dtype_is_floating(dtype) && wide) || whole, NOT_IMPLEMENTED,
           "\"%s\" not implemented for '%s'", g_names[call->how],
           oy_dtype_pytorch_name(dtype));
  return OY_OK;
}

// Cubic ones are made contiguous, whatever the input is.
static oy_memory_format format_of(const upsample_call* call, const oyi_tensor* t) {
  const bool cubic = call->how == CUBIC || call->how == WIDE_CUBIC;
  return cubic ? OY_MEMORY_CONTIGUOUS : oyi_spatial_format(t);
}

static oy_object* forward(const upsample_call* call, oy_object* self, oy_object* given) {
  oyi_tensor* t = oyi_tensor_of(self);
  oyi_resample r;
  int64_t sizes[2 + OYI_SPATIAL];
  if (!t ||
      oyi_rule_upsample(oyi_sizes_view(t), call->output_size, call->ndim, &r, sizes) !=
          0 ||
      check_dtype(call, t->header.dtype) != 0)
    return NULL;
  oyi_tensor* out = oyi_rule_spatial((oy_ints){sizes, t->ndim}, t->header.dtype, t,
                                     format_of(call, t), given);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  return run(call, &r, oyi_taps_apply, t, out, given);
}

static oy_object* backward(const upsample_call* call, oy_object* grad_output,
                           oy_ints input_size, oy_object* given) {
  oyi_tensor* grad = oyi_tensor_of(grad_output);
  oyi_resample r;
  int64_t sizes[2 + OYI_SPATIAL];
  if (!grad ||
      oyi_rule_upsample(input_size, call->output_size, call->ndim, &r, sizes) != 0 ||
      check_dtype(call, grad->header.dtype) != 0)
    return NULL;
  oy_ints want = {sizes, call->ndim + 2};
  if (!oyi_same_sizes(oyi_sizes_view(grad), want)) {
    OY_FAIL(INVALID_ARGUMENT, "Expected grad_output to have size %s, but got %s",
            oyi_dims_print(want).text, oyi_dims_print(oyi_sizes_view(grad)).text);
    return NULL;
  }
  oyi_tensor* out = oyi_rule_spatial(input_size, grad->header.dtype, grad,
                                     format_of(call, grad), given);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  return run(call, &r, oyi_taps_spread, grad, out, given);
}

// clang-format off
#define FORMS(id, ...)                                                             \
  OYI_CPU(id) {                                                                    \
    return forward(&(upsample_call){__VA_ARGS__}, self, NULL);                     \
  }                                                                                \
  OYI_CPU(id##_out) {                                                              \
    return forward(&(upsample_call){__VA_ARGS__}, self, out);                      \
  }                                                                                \
  OYI_CPU(id##_backward) {                                                         \
    return backward(&(upsample_call){__VA_ARGS__}, grad_output, input_size, NULL); \
  }                                                                                \
  OYI_CPU(id##_backward_grad_input) {                                              \
    return backward(&(upsample_call){__VA_ARGS__}, grad_output, input_size, grad_input); \
  }
FORMS(upsample_nearest1d, NEAREST, 1, false, output_size, {scales})
FORMS(upsample_nearest2d, NEAREST, 2, false, output_size, {scales_h, scales_w})
FORMS(upsample_nearest3d, NEAREST, 3, false, output_size, {scales_d, scales_h, scales_w})
FORMS(_upsample_nearest_exact1d, EXACT, 1, false, output_size, {scales})
FORMS(_upsample_nearest_exact2d, EXACT, 2, false, output_size, {scales_h, scales_w})
FORMS(_upsample_nearest_exact3d, EXACT, 3, false, output_size, {scales_d, scales_h, scales_w})
FORMS(upsample_linear1d, LINEAR, 1, align_corners, output_size, {scales})
FORMS(upsample_bilinear2d, LINEAR, 2, align_corners, output_size, {scales_h, scales_w})
FORMS(upsample_trilinear3d, LINEAR, 3, align_corners, output_size, {scales_d, scales_h, scales_w})
FORMS(upsample_bicubic2d, CUBIC, 2, align_corners, output_size, {scales_h, scales_w})
FORMS(_upsample_bilinear2d_aa, WIDE_LINEAR, 2, align_corners, output_size, {scales_h, scales_w})
FORMS(_upsample_bicubic2d_aa, WIDE_CUBIC, 2, align_corners, output_size, {scales_h, scales_w})
// clang-format on
