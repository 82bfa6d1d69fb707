// SPDX-License-Identifier: Apache-2.0
// Images sampled at the places that a grid names, from -1 to 1 in each dimension. What one
// place sees are taps, found once for all channels.
#include <math.h>
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/cpu.h"
#include "base/template.h"
#include "base/threads.h"
#include "ops/rules/rules.h"
#include "ops/rules/spatial.h"
#include "tensor/iterator.h"

enum { MODE_BILINEAR, MODE_NEAREST, MODE_BICUBIC };
enum { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION };
enum { OYI_GRID_TAPS = 16, OYI_GRID_BLOCK = 32, OYI_GRID_PLACES = 128 };
enum { TO_IMAGE = 1, TO_PLACES = 2 };

typedef struct sampling {
  int ndim;
  int64_t mode, padding;
  bool aligns;
  int64_t samples, channels, volume_in, volume_out;
  int64_t in[OYI_SPATIAL];  // missing dimensions come first
  bool is_plane;            // what grid_plane_tmpl.h does
  bool is_cubic;            // what grid_cubic_tmpl.h does
  int64_t block;            // places at once
  const void *input, *places, *grad;
  void *output, *to_input, *to_places;
  oy_dtype dtype;
} sampling;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define T           float
#define INT         int32_t
#define ID          f32
#include "backends/cpu/neural/grid_sample_tmpl.h"
// After it: a plane's places are found by its functions.
#include "backends/cpu/neural/grid_plane_tmpl.h"

#include "backends/cpu/neural/grid_cubic_tmpl.h"
#undef T
#undef INT
#undef ID
#define T   double
#define INT int64_t
#define ID  f64
#include "backends/cpu/neural/grid_sample_tmpl.h"
// After it: a plane's places are found by its functions.
#include "backends/cpu/neural/grid_plane_tmpl.h"

#include "backends/cpu/neural/grid_cubic_tmpl.h"

// ------------------------------------------------------------------------- rules

// Printed only where it is told: that takes longer than to sample a few places.
#define TEXT_OF(tensor) oyi_dims_print(oyi_sizes_view(tensor)).text
static oy_status check_sizes(const oyi_tensor* t, const oyi_tensor* places, int ndim) {
  OY_CHECK(t->ndim > 0 && places->ndim > 0 && t->sizes[0] == places->sizes[0],
           INVALID_ARGUMENT,
           "grid_sampler(): expected grid and input to have same batch size, but got "
           "input with sizes %s and grid with sizes %s",
           TEXT_OF(t), TEXT_OF(places));
  OY_CHECK(
      places->sizes[places->ndim - 1] == t->ndim - 2, INVALID_ARGUMENT,
      "grid_sampler(): expected grid to have size %d in last dimension, but got grid "
      "with sizes %s",
      t->ndim - 2, TEXT_OF(places));
  for (size_t d = 2; d < t->ndim; d++)
    OY_CHECK(t->sizes[d] > 0, INVALID_ARGUMENT,
             "grid_sampler(): expected input to have non-empty spatial dimensions, but "
             "input has sizes %s with dimension %zu being empty",
             TEXT_OF(t), d);
  OY_CHECK(t->ndim == ndim + 2 && places->ndim == ndim + 2, INVALID_ARGUMENT,
           "grid_sampler(): expected %dD input and grid with same number of dimensions, "
           "but got input with sizes %s and grid with sizes %s",
           ndim + 2, TEXT_OF(t), TEXT_OF(places));
  return OY_OK;
}
#undef TEXT_OF

static oy_status check_modes(const sampling* g) {
  OY_CHECK(g->ndim == 2 || g->mode != MODE_BICUBIC, INVALID_ARGUMENT,
           "grid_sampler(): bicubic interpolation only supports 4D input");
  OY_CHECK(g->mode >= MODE_BILINEAR && g->mode <= MODE_BICUBIC, INVALID_ARGUMENT,
           "grid_sampler(): expected the interpolation mode 0 (bilinear), 1 (nearest) or "
           "2 (bicubic), got %lld",
           (long long)g->mode);
  OY_CHECK(g->padding >= PAD_ZEROS && g->padding <= PAD_REFLECTION, INVALID_ARGUMENT,
           "grid_sampler(): expected the padding mode 0 (zeros), 1 (border) or 2 "
           "(reflection), got %lld",
           (long long)g->padding);
  return OY_OK;
}

// |sizes| becomes the shape of the output.
static oy_status check(sampling* g, oy_object* input, oy_object* places, int64_t* sizes) {
  const oyi_tensor* t = oyi_tensor_of(input);
  const oyi_tensor* at = t ? oyi_tensor_of(places) : NULL;
  if (!at) return oy_failure();
  OY_TRY(oyi_check_same_device(t, at));
  OY_TRY(check_sizes(t, at, g->ndim));
  OY_TRY(check_modes(g));
  OY_CHECK(input->dtype == places->dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(input->dtype),
           oy_dtype_pytorch_name(places->dtype));
  if (input->dtype != OY_DTYPE_F32 && input->dtype != OY_DTYPE_F64)
    return oyi_not_implemented(
        g->ndim == 2 ? "grid_sampler_2d_cpu" : "grid_sampler3d_cpu", input->dtype);
  g->dtype = input->dtype;
  g->samples = sizes[0] = t->sizes[0];
  g->channels = sizes[1] = t->sizes[1];
  g->volume_in = g->volume_out = 1;
  g->in[0] = g->in[1] = g->in[2] = 1;
  for (int d = 0; d < g->ndim; d++) {
    g->in[OYI_SPATIAL - g->ndim + d] = t->sizes[2 + d];
    sizes[2 + d] = at->sizes[1 + d];
    g->volume_in *= t->sizes[2 + d];
    g->volume_out *= at->sizes[1 + d];
  }
  const bool is_small = g->ndim == 2 && g->volume_in < INT32_MAX / 2;
  g->is_plane = is_small && g->mode != MODE_BICUBIC;
  g->is_cubic = is_small && g->mode == MODE_BICUBIC;
  g->block = g->is_plane ? OYI_GRID_PLACES : OYI_GRID_BLOCK;
  return OY_OK;
}

// ------------------------------------------------------------------------ blocks

static int64_t blocks_of(const sampling* g) {
  return (g->volume_out + g->block - 1) / g->block;
}
static int64_t end_of(const sampling* g, int64_t first) {
  return g->volume_out - first < g->block ? g->volume_out : first + g->block;
}

static void sample(const sampling* g, int64_t n, int64_t first) {
  const bool is_double = g->dtype == OY_DTYPE_F64;
  const int64_t last = end_of(g, first);
  if (g->is_plane)
    (is_double ? sample_plane_f64 : sample_plane_f32)(g, n, first, last);
  else if (g->is_cubic)
    (is_double ? sample_cubic_f64 : sample_cubic_f32)(g, n, first, last);
  else
    (is_double ? sample_f64 : sample_f32)(g, n, first, last);
}

// |index| numbers stretches of blocks of all samples.
static int64_t blocks_at_once(const sampling* g) {
  return oyi_stretch(g->block * (g->channels + 8));
}
static oy_status run_blocks(int64_t index, void* context) {
  const sampling* g = context;
  const int64_t blocks = blocks_of(g), stretch = blocks_at_once(g);
  const int64_t all = blocks * g->samples;
  for (int64_t i = index * stretch; i < (index + 1) * stretch && i < all; i++)
    sample(g, i / blocks, i % blocks * g->block);
  return OY_OK;
}

static void clear_image(const sampling* g, int64_t plane, int64_t planes) {
  const int64_t bytes = g->volume_in * oyi_dtype_bytes[g->dtype];
  if (g->to_input)
    memset((char*)g->to_input + plane * bytes, 0, (size_t)(planes * bytes));
}

// A whole sample, so that no two threads add to one image.
static oy_status run_sample(int64_t n, void* context) {
  const sampling* g = context;
  const bool is_double = g->dtype == OY_DTYPE_F64;
  clear_image(g, n * g->channels, g->channels);
  for (int64_t first = 0; first < g->volume_out; first += g->block)
    if (g->is_plane)
      (is_double ? spread_plane_f64 : spread_plane_f32)(
          g, n, first, end_of(g, first), 0, g->channels,
          g->to_input ? TO_IMAGE | TO_PLACES : TO_PLACES);
    else if (g->is_cubic)
      (is_double ? spread_cubic_f64 : spread_cubic_f32)(g, n, first, end_of(g, first));
    else
      (is_double ? spread_f64 : spread_f32)(g, n, first, end_of(g, first));
  return OY_OK;
}

// The same in parts, where there are more threads than samples: places by blocks, images
// by channels. No sum is in another order.
static oy_status run_places(int64_t index, void* context) {
  const sampling* g = context;
  const int64_t blocks = blocks_of(g), first = index % blocks * g->block;
  (g->dtype == OY_DTYPE_F64 ? spread_plane_f64 : spread_plane_f32)(
      g, index / blocks, first, end_of(g, first), 0, g->channels, TO_PLACES);
  return OY_OK;
}

enum { CHANNELS_AT_ONCE = 8 };

static int64_t channel_groups(const sampling* g) {
  return (g->channels + CHANNELS_AT_ONCE - 1) / CHANNELS_AT_ONCE;
}
static oy_status run_channels(int64_t index, void* context) {
  const sampling* g = context;
  const int64_t groups = channel_groups(g), n = index / groups;
  const int64_t from = index % groups * CHANNELS_AT_ONCE;
  const int64_t left = g->channels - from;
  const int64_t to = left < CHANNELS_AT_ONCE ? g->channels : from + CHANNELS_AT_ONCE;
  clear_image(g, n * g->channels + from, to - from);
  for (int64_t first = 0; first < g->volume_out; first += g->block)
    (g->dtype == OY_DTYPE_F64 ? spread_plane_f64 : spread_plane_f32)(
        g, n, first, end_of(g, first), from, to, TO_IMAGE);
  return OY_OK;
}

static oy_status run_backward(sampling* g) {
  const int64_t work = g->samples * g->channels * g->volume_out;
  if (!g->is_plane || g->samples >= oy_get_num_threads() || work < OYI_ITER_GRAIN)
    return oyi_parallel_chunks(g->samples, run_sample, g);
  OY_TRY(oyi_parallel_chunks(blocks_of(g) * g->samples, run_places, g));
  if (!g->to_input) return OY_OK;
  return oyi_parallel_chunks(channel_groups(g) * g->samples, run_channels, g);
}

// --------------------------------------------------------------------- operators

static oy_object* forward(sampling* g, oy_object* input, oy_object* places) {
  int64_t sizes[2 + OYI_SPATIAL];
  if (check(g, input, places, sizes) != 0) return NULL;
  const oyi_tensor* t = oyi_tensor_cast(input);
  oyi_tensor* out =
      oyi_tensor_new((oy_ints){sizes, t->ndim}, input->dtype, oyi_tensor_device(t));
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  oyi_work w = oyi_work_begin(g->dtype);
  g->input = oyi_work_read(&w, t);
  g->places = oyi_work_read(&w, oyi_tensor_cast(places));
  g->output = oyi_work_write(&w, out);
  oy_status status = OY_OK;
  if (!w.failed)
    status = oyi_parallel_chunks(
        oyi_stretches(blocks_of(g) * g->samples, blocks_at_once(g)), run_blocks, g);
  if (oyi_work_end(&w, status) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

static oy_status compute_backward(sampling* g, oy_object* const operands[3],
                                  oyi_tensor* to_input, oyi_tensor* to_places) {
  oyi_work w = oyi_work_begin(g->dtype);
  g->grad = oyi_work_read(&w, oyi_tensor_cast(operands[0]));
  g->input = oyi_work_read(&w, oyi_tensor_cast(operands[1]));
  g->places = oyi_work_read(&w, oyi_tensor_cast(operands[2]));
  g->to_input = oyi_work_write(&w, to_input);
  g->to_places = oyi_work_write(&w, to_places);
  oy_status status = OY_OK;
  if (!w.failed) status = run_backward(g);
  return oyi_work_end(&w, status);
}

static oy_status check_grad(const sampling* g, oy_object* grad_output,
                            const int64_t* sizes, oy_bools mask) {
  const oyi_tensor* grad = oyi_tensor_of(grad_output);
  if (!grad) return oy_failure();
  OY_CHECK(mask.size == 2, INVALID_ARGUMENT,
           "expected 2 elements in output_mask, got %zu", mask.size);
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(grad), (oy_ints){sizes, (size_t)g->ndim + 2}),
           INVALID_ARGUMENT, "grid_sampler(): expected grad_output of size %s, got %s",
           oyi_dims_print((oy_ints){sizes, (size_t)g->ndim + 2}).text,
           oyi_dims_print(oyi_sizes_view(grad)).text);
  OY_CHECK(grad_output->dtype == g->dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(g->dtype),
           oy_dtype_pytorch_name(grad_output->dtype));
  return OY_OK;
}

// The gradient of the grid is always there, as in PyTorch.
static oy_status backward(sampling* g, oy_object* const operands[3], oy_bools mask,
                          oy_object** out_input, oy_object** out_places) {
  int64_t sizes[2 + OYI_SPATIAL];
  *out_input = *out_places = NULL;
  OY_TRY(check(g, operands[1], operands[2], sizes));
  OY_TRY(check_grad(g, operands[0], sizes, mask));
  const oyi_tensor *t = oyi_tensor_cast(operands[1]), *at = oyi_tensor_cast(operands[2]);
  oyi_tensor* to_places =
      oyi_tensor_new(oyi_sizes_view(at), g->dtype, oyi_tensor_device(t));
  if (!to_places) return oy_failure();
  oyi_tensor* to_input =
      mask.data[0] ? oyi_tensor_new(oyi_sizes_view(t), g->dtype, oyi_tensor_device(t))
                   : NULL;
  oy_status status = mask.data[0] && !to_input ? oy_failure() : OY_OK;
  if (status == OY_OK && !oyi_is_meta(to_places))
    status = compute_backward(g, operands, to_input, to_places);
  if (status == OY_OK) {
    *out_input = to_input ? &to_input->header : &oy_none_object;
    *out_places = &to_places->header;
    return OY_OK;
  }
  oy_tensor_release(oyi_tensor_object(to_input));
  oy_tensor_release(&to_places->header);
  return status;
}

#define GRID(dims)                         \
  (&(sampling){.ndim = (dims),             \
               .mode = interpolation_mode, \
               .padding = padding_mode,    \
               .aligns = align_corners})
#define BACKWARD(dims)                                                               \
  return backward(GRID(dims), (oy_object*[]){grad_output, input, grid}, output_mask, \
                  out_0, out_1)
OYI_CPU(grid_sampler_2d) {
  return forward(GRID(2), input, grid);
}
OYI_CPU(grid_sampler_3d) {
  return forward(GRID(3), input, grid);
}
OYI_CPU(grid_sampler_2d_backward) {
  BACKWARD(2);
}
OYI_CPU(grid_sampler_3d_backward) {
  BACKWARD(3);
}
