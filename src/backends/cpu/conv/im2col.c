// SPDX-License-Identifier: Apache-2.0
// im2col and col2im: what windows see of images, as columns, and its adjoint.
#include <string.h>

#include "backends/cpu/conv/columns.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/staging.h"
#include "backends/cpu/work.h"
#include "base/memory.h"
#include "base/threads.h"

typedef struct windows {
  oy_ints kernel, dilation, padding, stride;
} windows;

// ------------------------------------------------------------------------- rules

static oy_status check_two(oy_ints list, const char* name) {
  OY_CHECK(list.size == 2, INVALID_ARGUMENT,
           "It is expected %s equals to 2, but got size %zu", name, list.size);
  return OY_OK;
}

static oy_status check_at_least(oy_ints list, int64_t least, const char* text,
                                const char* name) {
  OY_CHECK(list.data[0] >= least && list.data[1] >= least, INVALID_ARGUMENT,
           "%s, but got %s_height: %lld %s_width: %lld", text, name,
           (long long)list.data[0], name, (long long)list.data[1]);
  // What is larger fits no tensor, and would overflow below.
  OY_CHECK(list.data[0] <= INT32_MAX && list.data[1] <= INT32_MAX, INVALID_ARGUMENT,
           "%s %lld is too large", name,
           (long long)(list.data[0] > list.data[1] ? list.data[0] : list.data[1]));
  return OY_OK;
}

static oy_status check_windows(const windows* w) {
  OY_TRY(check_two(w->kernel, "kernel_size"));
  OY_TRY(check_two(w->dilation, "dilation"));
  OY_TRY(check_two(w->padding, "padding"));
  OY_TRY(check_two(w->stride, "stride"));
  OY_TRY(
      check_at_least(w->kernel, 1, "kernel size should be greater than zero", "kernel"));
  OY_TRY(check_at_least(w->stride, 1, "stride should be greater than zero", "stride"));
  OY_TRY(
      check_at_least(w->dilation, 1, "dilation should be greater than zero", "dilation"));
  return check_at_least(w->padding, 0, "padding should be non-negative", "pad");
}

// Places of windows over an image of this size; below 1 if it is too small.
static int64_t places(const windows* w, int d, int64_t size) {
  const int64_t reach = w->dilation.data[d] * (w->kernel.data[d] - 1) + 1;
  // An image that is given as numbers may have any size, below zero too.
  const __int128 room = (__int128)size + 2 * w->padding.data[d] - reach;
  const int64_t step = w->stride.data[d];
  const __int128 count = (room < 0 ? -((-room + step - 1) / step) : room / step) + 1;
  return count < INT64_MIN ? INT64_MIN : count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

static void set_geometry(const windows* w, const int64_t image[2], oyi_conv* c) {
  *c = (oyi_conv){.image = {1, image[0], image[1]},
                  .map = {1, places(w, 0, image[0]), places(w, 1, image[1])},
                  .kernel = {1, w->kernel.data[0], w->kernel.data[1]},
                  .stride = {1, w->stride.data[0], w->stride.data[1]},
                  .padding = {0, w->padding.data[0], w->padding.data[1]},
                  .dilation = {1, w->dilation.data[0], w->dilation.data[1]}};
}

#define PAIR(list) (long long)(list).data[0], (long long)(list).data[1]

// The output has the rank of the columns: one less than the images.
static oy_status rule_im2col(const windows* w, const oyi_tensor* t, oyi_conv* c,
                             int64_t sizes[3]) {
  OY_TRY(check_windows(w));
  for (int64_t d = 1; d < 3; d++)
    if (oyi_dim_wrap(d, t->ndim) < 0) return oy_failure();
  const int64_t* s = t->sizes;
  const bool is_batch = t->ndim == 4;
  OY_CHECK((t->ndim == 3 && s[0] && s[1] && s[2]) || (is_batch && s[1] && s[2] && s[3]),
           INVALID_ARGUMENT,
           "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other "
           "non-zero dimensions for input, but got: %s",
           oyi_dims_print(oyi_sizes_view(t)).text);
  const int64_t* image = s + is_batch + 1;
  set_geometry(w, image, c);
  OY_CHECK(
      c->map[1] >= 1 && c->map[2] >= 1, INVALID_ARGUMENT,
      "Given input with spatial size (%lld, %lld), kernel_size=(%lld, %lld), "
      "dilation=(%lld, %lld), padding=(%lld, %lld), calculated shape of the array of "
      "sliding blocks as (%lld, %lld), but its components must be at least one.",
      // Its text has the height twice.
      (long long)image[0], (long long)image[0], PAIR(w->kernel), PAIR(w->dilation),
      PAIR(w->padding), (long long)c->map[1], (long long)c->map[2]);
  const int64_t channels = s[is_batch];
  sizes[0] = s[0];
  OY_CHECK(
      !__builtin_mul_overflow(channels, c->kernel[1] * c->kernel[2], &sizes[is_batch]) &&
          !__builtin_mul_overflow(c->map[1], c->map[2], &sizes[is_batch + 1]),
      INVALID_ARGUMENT, "im2col: the columns are too many");
  return OY_OK;
}

static oy_status check_columns(const windows* w, const oyi_tensor* t, oy_ints image,
                               const oyi_conv* c) {
  const int64_t* s = t->sizes;
  const bool is_batch = t->ndim == 3;
  const int64_t rows = s[is_batch], length = s[is_batch + 1];
  const long long high = (long long)c->map[1], wide = (long long)c->map[2];
  OY_CHECK(rows % (w->kernel.data[0] * w->kernel.data[1]) == 0, INVALID_ARGUMENT,
           "Expected size of input's dimension 1 to be divisible by the product of "
           "kernel_size, but got input.size(1)=%lld and kernel_size=(%lld, %lld).",
           (long long)rows, PAIR(w->kernel));
  OY_CHECK((__int128)high * wide == length, INVALID_ARGUMENT,
           "Given output_size=(%lld, %lld), kernel_size=(%lld, %lld), dilation=(%lld, "
           "%lld), padding=(%lld, %lld), stride=(%lld, %lld), expected size of input's "
           "dimension 2 to match the calculated number of sliding blocks %lld * %lld = "
           "%lld, but got input.size(2)=%lld.",
           PAIR(image), PAIR(w->kernel), PAIR(w->dilation), PAIR(w->padding),
           PAIR(w->stride), high, wide, (long long)((__int128)high * wide),
           (long long)length);
  OY_CHECK(high >= 1 && wide >= 1, INVALID_ARGUMENT,
           "Given output_size=(%lld, %lld), kernel_size=(%lld, %lld), dilation=(%lld, "
           "%lld), padding=(%lld, %lld), stride=(%lld, %lld), calculated shape of the "
           "array of sliding blocks as (%lld, %lld), which is too small (non-positive)",
           PAIR(image), PAIR(w->kernel), PAIR(w->dilation), PAIR(w->padding),
           PAIR(w->stride), high, wide);
  OY_CHECK(image.data[0] >= 1 && image.data[1] >= 1, INVALID_ARGUMENT,
           "Expected output spatial size to be positive, but got: output_size=(%lld, "
           "%lld).",
           PAIR(image));
  return OY_OK;
}

static oy_status rule_col2im(const windows* w, const oyi_tensor* t, oy_ints image,
                             oyi_conv* c, int64_t sizes[4]) {
  OY_TRY(check_two(image, "output_size"));
  OY_TRY(check_windows(w));
  const int64_t* s = t->sizes;
  const bool is_batch = t->ndim == 3;
  OY_CHECK((t->ndim == 2 && s[0] && s[1]) || (is_batch && s[1] && s[2]), INVALID_ARGUMENT,
           "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size "
           "and non-zero dimensions for input, but got: %s",
           oyi_dims_print(oyi_sizes_view(t)).text);
  OY_TRY(check_at_least(image, INT64_MIN, "output_size", "output"));
  set_geometry(w, image.data, c);
  OY_TRY(check_columns(w, t, image, c));
  sizes[0] = s[0];
  sizes[is_batch] = s[is_batch] / (w->kernel.data[0] * w->kernel.data[1]);
  sizes[is_batch + 1] = image.data[0];
  sizes[is_batch + 2] = image.data[1];
  return OY_OK;
}

// -------------------------------------------------------------------------- lists

// What each element of the columns of one image is, for maps of short lines: a line takes
// longer to find than to move.
enum { IMAGE_BYTES = 4096, LIST = 1 << 13, LIST_PLANES = 4, SHORT = 8, FEW = 24 };

static bool is_worth_list(const oyi_conv* c, int64_t planes, int64_t item) {
  const int64_t width = c->stride[2] > 1 ? c->map[2] / 2 : c->map[2];
  // Maps as wide as the image are moved whole.
  if (c->stride[1] == 1 && c->stride[2] == 1 && c->map[2] == c->image[2] &&
      oyi_volume(c->map) > FEW)
    return false;
  return width <= SHORT && planes >= LIST_PLANES &&
         oyi_volume(c->image) * item <= IMAGE_BYTES &&
         oyi_volume(c->kernel) <= LIST / oyi_volume(c->map);
}

// The place that kernel element |k| sees at place |at| along dimension |d|, -1 if none.
static int64_t place_at(const oyi_conv* c, int d, int64_t k, int64_t at) {
  const int64_t x = at * c->stride[d] - c->padding[d] + k * c->dilation[d];
  return x >= 0 && x < c->image[d] ? x : -1;
}

// Places in the image, or the one behind it for those outside. NULL without memory.
static int32_t* list_new(const oyi_conv* c) {
  const int32_t none = (int32_t)oyi_volume(c->image);
  int32_t* list =
      oyi_malloc((size_t)(oyi_volume(c->kernel) * oyi_volume(c->map)) * sizeof(int32_t));
  int32_t* to = list;
  for (int64_t i = 0; list && i < c->kernel[1]; i++)
    for (int64_t j = 0; j < c->kernel[2]; j++)
      for (int64_t y = 0; y < c->map[1]; y++) {
        const int64_t line = place_at(c, 1, i, y);
        for (int64_t x = 0; x < c->map[2]; x++) {
          const int64_t in = place_at(c, 2, j, x);
          *to++ = line < 0 || in < 0 ? none : (int32_t)(line * c->image[2] + in);
        }
      }
  return list;
}

typedef struct pair {
  uint64_t low, high;
} pair;

#define TAKE(type)                                                             \
  for (int64_t i = 0; i < n; i++) ((type*)to)[i] = ((const type*)from)[at[i]]; \
  break

static void take(int64_t item, const void* from, const int32_t* at, int64_t n, void* to) {
  switch (item) {
    case 2: TAKE(uint16_t);
    case 4: TAKE(uint32_t);
    case 8: TAKE(uint64_t);
    default: TAKE(pair);
  }
}

// ----------------------------------------------------------------------- planes

typedef struct job {
  const oyi_columns* columns;
  const oyi_conv* conv;
  const char* in;
  char* out;
  int64_t planes, stretch, image, rows;  // bytes of a plane, and of its columns
  bool adjoint;
  int32_t* list;  // or NULL
  int64_t item;
} job;

static void run_listed(const job* j, int64_t i) {
  _Alignas(pair) char image[IMAGE_BYTES + sizeof(pair)];
  memcpy(image, j->in + i * j->image, (size_t)j->image);
  memset(image + j->image, 0, sizeof(pair));
  take(j->item, image, j->list, j->rows / j->item, j->out + i * j->rows);
}

static oy_status run_planes(int64_t index, void* context) {
  const job* j = context;
  const int64_t end = (index + 1) * j->stretch;
  for (int64_t i = index * j->stretch; i < end && i < j->planes; i++) {
    if (j->list) {
      run_listed(j, i);
      continue;
    }
    if (!j->adjoint) {
      j->columns->im2col(j->conv, j->in + i * j->image, 1, 0, oyi_volume(j->conv->map),
                         j->out + i * j->rows);
      continue;
    }
    memset(j->out + i * j->image, 0, (size_t)j->image);
    j->columns->col2im(j->conv, j->in + i * j->rows, 1, j->out + i * j->image);
  }
  return OY_OK;
}

static oy_status compute(job* j, const oyi_conv* c, const oyi_tensor* in,
                         oyi_tensor* out) {
  const int64_t planes = (j->adjoint ? out : in)->numel / oyi_volume(c->image);
  if (!j->adjoint && is_worth_list(c, planes, oyi_item(in))) j->list = list_new(c);
  // What is but moved needs not be computed with.
  const oy_dtype type = j->list ? in->header.dtype : oyi_compute_dtype(in->header.dtype);
  const int64_t item = oyi_dtype_bytes[type];
  oyi_work w = oyi_work_begin(type);
  j->columns = oyi_columns_of(type);
  j->conv = c;
  j->image = oyi_volume(c->image) * item;
  j->rows = oyi_volume(c->kernel) * oyi_volume(c->map) * item;
  j->planes = planes;
  j->item = item;
  j->in = oyi_work_read(&w, in);
  j->out = oyi_work_write(&w, out);
  j->stretch = oyi_stretch(oyi_volume(c->kernel) * oyi_volume(c->map));
  oy_status status = OY_OK;
  if (!w.failed)
    status = oyi_parallel_chunks(oyi_stretches(j->planes, j->stretch), run_planes, j);
  oyi_free(j->list);
  return oyi_work_end(&w, status);
}

static oy_object* finish(const oyi_conv* c, const oyi_tensor* t, oy_ints sizes,
                         oy_object* given, bool adjoint) {
  const char* name = adjoint ? "col2im_out_cpu" : "im2col_out_cpu";
  if (oy_dtype_is_integral(t->header.dtype, true) ||
      !oyi_columns_of(oyi_compute_dtype(t->header.dtype))) {
    (void)!oyi_not_implemented(name, t->header.dtype);
    return NULL;
  }
  oyi_tensor* out =
      oyi_rule_spatial(sizes, t->header.dtype, t, OY_MEMORY_CONTIGUOUS, given);
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  job j = {.adjoint = adjoint};
  if (compute(&j, c, t, out) == OY_OK) return &out->header;
  if (!given) oy_tensor_release(&out->header);
  return NULL;
}

// --------------------------------------------------------------------- operators

static oy_object* images_to_columns(const windows* w, oy_object* self, oy_object* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_conv c;
  int64_t sizes[3];
  if (!t || rule_im2col(w, t, &c, sizes) != 0) return NULL;
  return finish(&c, t, (oy_ints){sizes, t->ndim - 1u}, out, false);
}
static oy_object* columns_to_images(const windows* w, oy_object* self, oy_ints image,
                                    oy_object* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_conv c;
  int64_t sizes[4];
  if (!t || rule_col2im(w, t, image, &c, sizes) != 0) return NULL;
  return finish(&c, t, (oy_ints){sizes, t->ndim + 1u}, out, true);
}

#define WINDOWS (&(windows){kernel_size, dilation, padding, stride})
OYI_CPU(im2col) {
  return images_to_columns(WINDOWS, self, NULL);
}
OYI_CPU(im2col_out) {
  return images_to_columns(WINDOWS, self, out);
}
OYI_CPU(col2im) {
  return columns_to_images(WINDOWS, self, output_size, NULL);
}
OYI_CPU(col2im_out) {
  return columns_to_images(WINDOWS, self, output_size, out);
}
