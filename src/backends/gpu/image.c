// SPDX-License-Identifier: Apache-2.0
// Convolutions of two dimensions, by way of columns and a matrix product, and pooling by
// the greatest element. Other convolutions (transposed, of one or three dimensions) run on
// the CPU.
#include "driver.h"
#include "matrix.h"
#include "opyard/ops.h"
#include "rows.h"
#include "team.h"
#include "text.h"

// As in kernels/image.cl.
typedef struct window {
  int64_t channels, height, width, down, across;
  int64_t kernel[2], stride[2], padding[2], dilation[2];
} window;

typedef struct form {
  const char* name;
  oy_dtype dtype;
} form;

enum { GROUP = 16 };
// Elements of columns that are made at once.
static const int64_t most_columns = 1 << 24;

static const char IM2COL[] = "IM2COL", COL2IM[] = "COL2IM", MAX_POOL[] = "MAX_POOL";
static const char MAX_POOL_BACKWARD[] = "MAX_POOL_BACKWARD";

static char* make_source(const gpu_device* device, const void* what) {
  const form* f = what;
  gpu_text t = {0};
  gpu_text_begin(&t, gpu_compute_dtype(f->dtype), 1, f->dtype == OY_DTYPE_F64);
  gpu_text_add(&t, "#define %s\n#define DTYPE %s\n#define SIZE %zu\n", f->name,
               gpu_tag_name(f->dtype), oy_dtype_size(f->dtype));
  gpu_team_text(&t, device);
  gpu_text_append(&t, gpu_text_image);
  return gpu_text_take(&t);
}

// |rows| of |length| elements.
static oy_status launch(gpu_launch* l, const char* name, oy_dtype dtype, int64_t rows,
                        int64_t length) {
  form f = {name, dtype};
  gpu_kernel* kernel;
  uint64_t key[8] = {'W', (uint64_t)(uintptr_t)name, dtype, gpu_uses_teams(l->device)};
  OY_CHECK(dtype != OY_DTYPE_F64 || l->device->has_f64, NOT_IMPLEMENTED,
           "%s:%d (%s) has no float64", gpu_driver_name, l->device->index,
           l->device->name);
  OY_TRY(gpu_kernel_get(l->device, key, make_source, &f, &kernel));
  const gpu_team team = gpu_team_of(l->device, rows, length, true);
  gpu_arg_team(l, team);
  return gpu_launch_team(l, kernel, team, rows, GROUP);
}

// A list of one number stands for both dimensions.
static void read_pair(oy_value v, int64_t* out) {
  out[0] = v.as.ints[0];
  out[1] = v.as.ints[v.count > 1 ? 1 : 0];
}

// --------------------------------------------------------------------- convolution

typedef struct conv {
  gpu_call* call;
  window w;                                     // |channels| of one group
  int64_t batch, groups, image_channels, maps;  // channels of all groups
  int64_t inner, places;                        // of a matrix of columns
  int64_t chunk;                                // images whose columns are made at once
  int64_t beta;                                 // of maps, which begin as the bias
} conv;

static void conv_read(conv* v, gpu_call* c, const oy_tensor* x, const oy_tensor* weight,
                      const oy_tensor* map, const oy_value* geometry) {
  const int64_t *image = oy_tensor_sizes(x).data, *kernel = oy_tensor_sizes(weight).data;
  const int64_t* out = oy_tensor_sizes(map).data;
  v->call = c;
  v->batch = image[0];
  v->image_channels = image[1];
  v->maps = kernel[0];
  v->w = (window){.channels = kernel[1],
                  .height = image[2],
                  .width = image[3],
                  .down = out[2],
                  .across = out[3],
                  .kernel = {kernel[2], kernel[3]}};
  read_pair(geometry[0], v->w.stride);
  read_pair(geometry[1], v->w.padding);
  read_pair(geometry[2], v->w.dilation);
  v->groups = kernel[1] ? image[1] / kernel[1] : 1;
  v->inner = kernel[1] * kernel[2] * kernel[3];
  v->places = out[2] * out[3];
  int64_t one = v->inner * v->places;
  v->chunk = one > 0 && most_columns / one > 0 ? most_columns / one : 1;
  if (v->chunk > v->batch) v->chunk = v->batch;
}

static bool takes_conv(const gpu_call* c, int stride) {
  return oy_tensor_ndim(c->args[stride == 3 ? 0 : 1].as.object) == 4 &&
         !c->args[stride + 3].as.i && oy_dtype_is_floating(c->args[0].as.object->dtype);
}
static bool takes_forward(const gpu_call* c) {
  return takes_conv(c, 3);
}
static bool takes_backward(const gpu_call* c) {
  return takes_conv(c, 4);
}

// |images| of |x|, from |image| on, as columns of one group, or the reverse.
static oy_status convert(const conv* v, const char* name, oy_tensor* x,
                         oy_tensor* columns, int64_t image, int64_t images,
                         int64_t group) {
  gpu_launch l;
  int64_t size = v->image_channels * v->w.height * v->w.width;
  oy_tensor* part = oy_tensor_as_strided(x, OY_DIMS(images * size), OY_DIMS(1),
                                         oy_tensor_storage_offset(x) + image * size);
  if (!part) return oy_failure();
  bool back = name == COL2IM;
  gpu_launch_begin(&l, v->call->device);
  oy_status status = gpu_arg_tensor(&l, back ? columns : part);
  if (status == OY_OK) status = gpu_arg_tensor(&l, back ? part : columns);
  gpu_arg_long(&l, images);
  gpu_arg_long(&l, v->image_channels);
  gpu_arg_long(&l, group * v->w.channels);
  gpu_arg(&l, &v->w, sizeof(v->w));
  int64_t rows = back ? v->w.height : v->w.kernel[0] * v->w.kernel[1];
  if (status == OY_OK)
    status = launch(&l, name, x->dtype, images * v->w.channels * rows,
                    back ? v->w.width : v->places);
  oy_tensor_release(part);
  return status;
}

// Matrices of a chunk: weights of a group (the same for all images), columns, maps.
static oy_tensor* weights_of(const conv* v, oy_tensor* weight, int64_t images,
                             int64_t group, bool turned) {
  int64_t rows = v->maps / v->groups, size = rows * v->inner;
  int64_t sizes[3] = {images, turned ? v->inner : rows, turned ? rows : v->inner};
  int64_t strides[3] = {0, turned ? 1 : v->inner, turned ? v->inner : 1};
  return oy_tensor_as_strided(weight, (oy_ints){sizes, 3}, (oy_ints){strides, 3},
                              oy_tensor_storage_offset(weight) + group * size);
}
static oy_tensor* columns_of(const conv* v, oy_tensor* columns, int64_t images) {
  return oy_tensor_as_strided(columns, OY_DIMS(images, v->inner, v->places),
                              OY_DIMS(v->inner * v->places, v->places, 1),
                              oy_tensor_storage_offset(columns));
}
static oy_tensor* maps_of(const conv* v, oy_tensor* map, int64_t image, int64_t images,
                          int64_t group) {
  int64_t rows = v->maps / v->groups;
  return oy_tensor_as_strided(
      map, OY_DIMS(images, rows, v->places), OY_DIMS(v->maps * v->places, v->places, 1),
      oy_tensor_storage_offset(map) + (image * v->maps + group * rows) * v->places);
}

// The product that |what| names, of three matrices that are given up.
static oy_status multiply(const conv* v, oy_tensor* c, oy_tensor* a, oy_tensor* b,
                          int64_t beta) {
  oy_status status =
      a && b && c ? gpu_matmul(v->call, c, a, b, oy_int(1), oy_int(beta)) : oy_failure();
  oy_tensor_release(a);
  oy_tensor_release(b);
  oy_tensor_release(c);
  return status;
}

// What is done with the chunk of images from |image| on, in one group.
typedef oy_status (*chunk_fn)(const conv* v, oy_tensor* x, oy_tensor* weight,
                              oy_tensor* map, oy_tensor* columns, int64_t image,
                              int64_t images, int64_t group);

static oy_status chunk_forward(const conv* v, oy_tensor* x, oy_tensor* weight,
                               oy_tensor* map, oy_tensor* columns, int64_t image,
                               int64_t images, int64_t group) {
  OY_TRY(convert(v, IM2COL, x, columns, image, images, group));
  return multiply(v, maps_of(v, map, image, images, group),
                  weights_of(v, weight, images, group, false),
                  columns_of(v, columns, images), v->beta);
}

static oy_status chunk_input(const conv* v, oy_tensor* x, oy_tensor* weight,
                             oy_tensor* map, oy_tensor* columns, int64_t image,
                             int64_t images, int64_t group) {
  OY_TRY(multiply(v, columns_of(v, columns, images),
                  weights_of(v, weight, images, group, true),
                  maps_of(v, map, image, images, group), 0));
  return convert(v, COL2IM, x, columns, image, images, group);
}

// weight += map of an image times its columns, turned; image by image.
static oy_status chunk_weight(const conv* v, oy_tensor* x, oy_tensor* weight,
                              oy_tensor* map, oy_tensor* columns, int64_t image,
                              int64_t images, int64_t group) {
  OY_TRY(convert(v, IM2COL, x, columns, image, images, group));
  for (int64_t i = 0; i < images; i++) {
    oy_tensor* turned = oy_tensor_as_strided(
        columns, OY_DIMS(1, v->places, v->inner), OY_DIMS(0, 1, v->places),
        oy_tensor_storage_offset(columns) + i * v->inner * v->places);
    OY_TRY(multiply(v, weights_of(v, weight, 1, group, false),
                    maps_of(v, map, image + i, 1, group), turned, 1));
  }
  return OY_OK;
}

static oy_status each_chunk(const conv* v, chunk_fn run, oy_tensor* x, oy_tensor* weight,
                            oy_tensor* map) {
  int64_t size = v->chunk * v->inner * v->places;
  if (size == 0) return OY_OK;
  oy_tensor* columns = gpu_new(v->call, OY_DIMS(size), x->dtype);
  oy_status status = columns ? OY_OK : oy_failure();
  for (int64_t i = 0; i < v->batch && status == OY_OK; i += v->chunk) {
    int64_t images = v->batch - i < v->chunk ? v->batch - i : v->chunk;
    for (int64_t g = 0; g < v->groups && status == OY_OK; g++)
      status = run(v, x, weight, map, columns, i, images, g);
  }
  oy_tensor_release(columns);
  return status;
}

// The result begins as the bias, or 0 where no product is made.
static oy_status begin_map(gpu_call* c, oy_tensor* map, oy_value bias) {
  if (!gpu_is_tensor(bias)) return gpu_fill_elements(c->device, map, oy_int(0));
  oy_tensor* b = bias.as.object;
  oy_tensor* wide = oy_tensor_as_strided(b, OY_DIMS(oy_tensor_size(b, 0), 1, 1),
                                         OY_DIMS(oy_tensor_strides(b).data[0], 0, 0),
                                         oy_tensor_storage_offset(b));
  oy_status status = wide ? gpu_copy_elements(c->device, map, wide) : oy_failure();
  oy_tensor_release(wide);
  return status;
}

// (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
static oy_status convolution(gpu_call* c) {
  conv v;
  oy_object *input = c->args[0].as.object, *weight = c->args[1].as.object;
  if (oy_tensor_numel(c->out[0]) == 0) return OY_OK;
  oy_tensor* x = gpu_plain(c, input, input->dtype);
  oy_tensor* w = gpu_plain(c, weight, input->dtype);
  oy_tensor* map = gpu_result(c, 0);
  oy_status status = x && w && map ? OY_OK : oy_failure();
  if (status == OY_OK) {
    conv_read(&v, c, x, w, map, c->args + 3);
    v.beta = gpu_is_tensor(c->args[2]);
    if (v.beta || v.inner == 0) status = begin_map(c, map, c->args[2]);
    if (status == OY_OK) status = each_chunk(&v, chunk_forward, x, w, map);
  }
  oy_tensor_release(x);
  oy_tensor_release(w);
  return gpu_result_done(c, 0, map, status);
}

// The sum of the gradient over all but its channels.
static oy_status bias_gradient(gpu_call* c, oy_tensor* map) {
  oy_tensor* sum =
      oy_sum_dim_IntList(map, OY_DIMS(0, 2, 3), false, oy_int(c->out[2]->dtype));
  oy_status status = sum ? gpu_copy_elements(c->device, c->out[2], sum) : oy_failure();
  oy_tensor_release(sum);
  return status;
}

// (grad, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
// groups, mask) -> of input, weight, bias
static oy_status convolution_backward(gpu_call* c) {
  conv v;
  oy_object* of[3] = {c->args[0].as.object, c->args[1].as.object, c->args[2].as.object};
  oy_tensor *t[3] = {NULL}, *to[2] = {gpu_result(c, 0), gpu_result(c, 1)};
  oy_status status =
      (c->out[0] && !to[0]) || (c->out[1] && !to[1]) ? oy_failure() : OY_OK;
  for (int i = 0; i < 3 && status == OY_OK; i++)
    if (!(t[i] = gpu_plain(c, of[i], of[0]->dtype))) status = oy_failure();
  if (status == OY_OK) conv_read(&v, c, t[1], t[2], t[0], c->args + 4);
  for (int i = 0; i < 2 && status == OY_OK; i++)
    if (to[i]) status = gpu_fill_elements(c->device, to[i], oy_int(0));
  if (status == OY_OK && to[0]) status = each_chunk(&v, chunk_input, to[0], t[2], t[0]);
  if (status == OY_OK && to[1]) status = each_chunk(&v, chunk_weight, t[1], to[1], t[0]);
  if (status == OY_OK && c->out_count > 2 && c->out[2]) status = bias_gradient(c, t[0]);
  for (int i = 0; i < 3; i++) oy_tensor_release(t[i]);
  for (size_t i = 0; i < 2; i++) status = gpu_result_done(c, i, to[i], status);
  return status;
}

// ------------------------------------------------------------------------- pooling

static window pool_of(const oy_tensor* x, const oy_tensor* map, const oy_value* args) {
  int64_t ndim = oy_tensor_ndim(x);
  window w = {.channels = 1,
              .height = oy_tensor_size(x, ndim - 2),
              .width = oy_tensor_size(x, ndim - 1),
              .down = oy_tensor_size(map, ndim - 2),
              .across = oy_tensor_size(map, ndim - 1)};
  read_pair(args[0], w.kernel);
  read_pair(args[1].count ? args[1] : args[0], w.stride);
  read_pair(args[2], w.padding);
  read_pair(args[3], w.dilation);
  return w;
}

static oy_status pool_launch(gpu_call* c, const char* name, oy_tensor* a, oy_tensor* out,
                             oy_tensor* at, window w, int64_t rows, int64_t length) {
  gpu_launch l;
  oy_tensor* image = name == MAX_POOL ? a : out;
  gpu_launch_begin(&l, c->device);
  OY_TRY(gpu_arg_tensor(&l, a));
  OY_TRY(gpu_arg_tensor(&l, out));
  OY_TRY(gpu_arg_tensor(&l, at));
  gpu_arg_long(&l, oy_tensor_numel(image) / (w.height * w.width));
  gpu_arg(&l, &w, sizeof(w));
  return launch(&l, name, a->dtype, rows, length);
}

// (self, kernel, stride, padding, dilation, ceil_mode) -> result, indices
static oy_status max_pool(gpu_call* c) {
  oy_object* self = c->args[0].as.object;
  if (oy_tensor_numel(c->out[0]) == 0) return OY_OK;
  oy_tensor* x = gpu_plain(c, self, self->dtype);
  oy_tensor *out = gpu_result(c, 0), *at = gpu_result(c, 1);
  oy_status status = x && out && at ? OY_OK : oy_failure();
  if (status == OY_OK) {
    window w = pool_of(x, out, c->args + 1);
    status = pool_launch(c, MAX_POOL, x, out, at, w, oy_tensor_numel(out) / w.across,
                         w.across);
  }
  oy_tensor_release(x);
  status = gpu_result_done(c, 0, out, status);
  return gpu_result_done(c, 1, at, status);
}

// (grad, self, kernel, stride, padding, dilation, ceil_mode, indices)
static oy_status max_pool_backward(gpu_call* c) {
  oy_object *grad = c->args[0].as.object, *index = c->args[7].as.object;
  if (oy_tensor_numel(c->out[0]) == 0) return OY_OK;
  oy_tensor *g = gpu_plain(c, grad, c->out[0]->dtype), *out = gpu_result(c, 0);
  oy_tensor* at = gpu_plain(c, index, OY_DTYPE_I64);
  oy_status status = g && at && out ? OY_OK : oy_failure();
  if (status == OY_OK && oy_tensor_numel(g) == 0)
    status = gpu_fill_elements(c->device, out, oy_int(0));
  else if (status == OY_OK) {
    window w = pool_of(out, g, c->args + 2);
    status = pool_launch(c, MAX_POOL_BACKWARD, g, out, at, w,
                         oy_tensor_numel(out) / (w.height * w.width), 1);
  }
  oy_tensor_release(g);
  oy_tensor_release(at);
  return gpu_result_done(c, 0, out, status);
}

static const gpu_row g_rows[] = {
    {"convolution", convolution, NULL, 0, 0, takes_forward},
    {"convolution_backward", convolution_backward, NULL, 0, 0, takes_backward},
    {"max_pool2d_with_indices", max_pool, NULL, 0, 0, NULL},
    {"max_pool2d_with_indices_backward", max_pool_backward, NULL, 0, 0, NULL},
};

gpu_rows gpu_rows_image(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
