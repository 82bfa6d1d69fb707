// SPDX-License-Identifier: Apache-2.0
// Images sampled at the places that a grid names, from -1 to 1 in each dimension. What one
// place sees are taps, found once for all channels.
#include <math.h>
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/rules.h"
#include "ops/rules_spatial.h"

enum { MODE_BILINEAR, MODE_NEAREST, MODE_BICUBIC };
enum { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION };
enum { OYI_GRID_TAPS = 16, OYI_GRID_BLOCK = 32 };

typedef struct sampling {
  int ndim;
  int64_t mode, padding;
  bool aligns;
  int64_t samples, channels, volume_in, volume_out;
  int64_t in[OYI_SPATIAL];  // missing dimensions come first
  const void *input, *places, *grad;
  void *output, *to_input, *to_places;
  oy_dtype dtype;
} sampling;

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define T           float
#define ID          f32
#include "backends/cpu/grid_sample_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/grid_sample_tmpl.h"

// ------------------------------------------------------------------------- rules

static oy_status check_sizes(const oyi_tensor* t, const oyi_tensor* places, int ndim) {
  const oyi_dims_text in = oyi_dims_print(oyi_sizes_view(t));
  const oyi_dims_text at = oyi_dims_print(oyi_sizes_view(places));
  OY_CHECK(t->ndim > 0 && places->ndim > 0 && t->sizes[0] == places->sizes[0],
           INVALID_ARGUMENT,
           "grid_sampler(): expected grid and input to have same batch size, but got "
           "input with sizes %s and grid with sizes %s",
           in.text, at.text);
  OY_CHECK(
      places->sizes[places->ndim - 1] == t->ndim - 2, INVALID_ARGUMENT,
      "grid_sampler(): expected grid to have size %d in last dimension, but got grid "
      "with sizes %s",
      t->ndim - 2, at.text);
  for (size_t d = 2; d < t->ndim; d++)
    OY_CHECK(t->sizes[d] > 0, INVALID_ARGUMENT,
             "grid_sampler(): expected input to have non-empty spatial dimensions, but "
             "input has sizes %s with dimension %zu being empty",
             in.text, d);
  OY_CHECK(t->ndim == ndim + 2 && places->ndim == ndim + 2, INVALID_ARGUMENT,
           "grid_sampler(): expected %dD input and grid with same number of dimensions, "
           "but got input with sizes %s and grid with sizes %s",
           ndim + 2, in.text, at.text);
  return OY_OK;
}

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
  return OY_OK;
}

// ------------------------------------------------------------------------ blocks

static int64_t blocks_of(const sampling* g) {
  return (g->volume_out + OYI_GRID_BLOCK - 1) / OYI_GRID_BLOCK;
}
static int64_t end_of(const sampling* g, int64_t first) {
  return g->volume_out - first < OYI_GRID_BLOCK ? g->volume_out : first + OYI_GRID_BLOCK;
}

// |index| numbers stretches of blocks of all samples.
static int64_t blocks_at_once(const sampling* g) {
  return oyi_stretch(OYI_GRID_BLOCK * (g->channels + 8));
}
static oy_status run_blocks(int64_t index, void* context) {
  const sampling* g = context;
  const int64_t blocks = blocks_of(g), stretch = blocks_at_once(g);
  const int64_t all = blocks * g->samples;
  for (int64_t i = index * stretch; i < (index + 1) * stretch && i < all; i++) {
    const int64_t first = i % blocks * OYI_GRID_BLOCK;
    (g->dtype == OY_DTYPE_F64 ? sample_f64 : sample_f32)(g, i / blocks, first,
                                                         end_of(g, first));
  }
  return OY_OK;
}

// A whole sample, so that no two threads add to one image.
static oy_status run_sample(int64_t n, void* context) {
  const sampling* g = context;
  const int64_t bytes = g->channels * g->volume_in * oyi_dtype_bytes[g->dtype];
  if (g->to_input) memset((char*)g->to_input + n * bytes, 0, (size_t)bytes);
  for (int64_t first = 0; first < g->volume_out; first += OYI_GRID_BLOCK)
    (g->dtype == OY_DTYPE_F64 ? spread_f64 : spread_f32)(g, n, first, end_of(g, first));
  return OY_OK;
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
  if (!w.failed) status = oyi_parallel_chunks(g->samples, run_sample, g);
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
