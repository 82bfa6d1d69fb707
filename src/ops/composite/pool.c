// SPDX-License-Identifier: Apache-2.0
// Pools over one dimension, by those over two; pools without indices; global averages.
#include "ops/rules/pool.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

#define DIMS(t) oyi_dims_print(oyi_sizes_view(t)).text

static oy_status check_rank(const oyi_tensor* t, const char* name) {
  OY_CHECK(t->ndim == 2 || t->ndim == 3, INVALID_ARGUMENT,
           "Expected 2 to 3 dimensions, but got %u-dimensional tensor for argument #1 "
           "'self' (while checking arguments for %s)",
           t->ndim, name);
  return OY_OK;
}

static oy_status check_one(oy_ints list, const char* name, const char* argument) {
  OY_CHECK(list.size == 1, INVALID_ARGUMENT,
           "%s() argument '%s' should contain one int (got %zu)", name, argument,
           list.size);
  return OY_OK;
}

static oy_object* without_height(oy_object* t) {
  oy_object* result = t ? oyi_call_squeeze_dim(t, -2) : NULL;
  oy_tensor_release(t);
  return result;
}

// A list for height, where windows have size 1, and width.
typedef struct two {
  int64_t data[2];
} two;
#define TWO(first, list)                                     \
  (oy_ints) {                                                \
    (two){{first, (list).size ? (list).data[0] : 1}}.data, 2 \
  }

// ------------------------------------------------------------------------ average

OYI_COMPOSITE(avg_pool1d) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oy_ints steps = stride.size ? stride : kernel_size;
  if (!t || check_rank(t, "avg_pool1d") != 0 ||
      check_one(kernel_size, "avg_pool1d", "kernel_size") != 0 ||
      check_one(steps, "avg_pool1d", "stride") != 0 ||
      check_one(padding, "avg_pool1d", "padding") != 0)
    return NULL;
  oy_object* wide = oyi_call_unsqueeze(self, -2);
  oy_object* result =
      wide ? oyi_call_avg_pool2d(wide, TWO(1, kernel_size), TWO(1, steps),
                                 TWO(0, padding), ceil_mode, count_include_pad, oy_none())
           : NULL;
  oy_tensor_release(wide);
  return without_height(result);
}
OYI_STORED(avg_pool1d_out, avg_pool1d)

OYI_COMPOSITE(adaptive_avg_pool1d) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_rank(t, "adaptive_avg_pool1d") != 0 ||
      check_one(output_size, "adaptive_avg_pool1d", "output_size") != 0)
    return NULL;
  oy_object* wide = oyi_call_unsqueeze(self, -2);
  oy_object* result =
      wide ? oyi_call_adaptive_avg_pool2d(wide, TWO(1, output_size)) : NULL;
  oy_tensor_release(wide);
  return without_height(result);
}
OYI_STORED(adaptive_avg_pool1d_out, adaptive_avg_pool1d)
OYI_STORED(_adaptive_avg_pool2d_out, _adaptive_avg_pool2d)
OYI_STORED(_adaptive_avg_pool3d_out, _adaptive_avg_pool3d)
OYI_STORED(_adaptive_avg_pool2d_backward_out, _adaptive_avg_pool2d_backward)
OYI_STORED(_adaptive_avg_pool3d_backward_out, _adaptive_avg_pool3d_backward)

static oy_status check_sizes(oy_ints size, size_t ndim) {
  OY_CHECK(size.size == ndim, INVALID_ARGUMENT,
           "adaptive_avg_pool%zud: output_size must be %zu", ndim, ndim);
  for (size_t i = 0; i < ndim; i++)
    OY_CHECK(size.data[i] >= 0, INVALID_ARGUMENT,
             "adaptive_avg_pool%zud: elements of output_size must be greater than or "
             "equal to 0 but received %s",
             ndim, oyi_dims_print(size).text);
  return OY_OK;
}

// One place that sees the whole image: the mean. Channels last stay so.
static oy_object* global_average(oy_object* self, const oyi_tensor* t, size_t ndim) {
  oy_object* mean = oyi_call_mean_dim(
      self, ndim == 2 ? OY_DIMS(-1, -2) : OY_DIMS(-1, -2, -3), true, oy_none());
  if (!mean || ndim != 2 || t->ndim != 4 ||
      oy_tensor_suggest_memory_format(self) != OY_MEMORY_CHANNELS_LAST)
    return mean;
  const int64_t n = t->sizes[0], c = t->sizes[1];
  oy_object* result =
      oyi_call_as_strided(mean, OY_DIMS(n, c, 1, 1), OY_DIMS(c, 1, c, c), oy_none());
  oy_tensor_release(mean);
  return result;
}

OYI_COMPOSITE(adaptive_avg_pool2d) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_sizes(output_size, 2) != 0) return NULL;
  bool one = output_size.data[0] == 1 && output_size.data[1] == 1;
  if (one) return global_average(self, t, 2);
  return oyi_call__adaptive_avg_pool2d(self, output_size);
}
OYI_COMPOSITE(adaptive_avg_pool3d) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_sizes(output_size, 3) != 0) return NULL;
  bool one =
      output_size.data[0] == 1 && output_size.data[1] == 1 && output_size.data[2] == 1;
  if (one) return global_average(self, t, 3);
  return oyi_call__adaptive_avg_pool3d(self, output_size);
}

// ------------------------------------------------------------------------ maximum

// Takes over both; gives them without their height.
static oy_status lower(oy_object* values, oy_object* indices, oy_object** out_values,
                       oy_object** out_indices) {
  *out_values = without_height(values);
  *out_indices = without_height(indices);
  if (*out_values && *out_indices) return OY_OK;
  oy_tensor_release(*out_values);
  oy_tensor_release(*out_indices);
  *out_values = *out_indices = NULL;
  return oy_failure();
}

OYI_COMPOSITE(max_pool1d_with_indices) {
  *out_0 = *out_1 = NULL;
  const oyi_tensor* t = oyi_tensor_of(self);
  oy_ints steps = stride.size ? stride : kernel_size;
  if (!t) return oy_failure();
  OY_TRY(check_rank(t, "max_pool1d"));
  OY_TRY(check_one(kernel_size, "max_pool1d", "kernel_size"));
  OY_TRY(check_one(steps, "max_pool1d", "stride"));
  OY_TRY(check_one(padding, "max_pool1d", "padding"));
  OY_TRY(check_one(dilation, "max_pool1d", "dilation"));
  oy_object *wide = oyi_call_unsqueeze(self, -2), *values = NULL, *indices = NULL;
  if (!wide) return oy_failure();
  oy_status status = oyi_call_max_pool2d_with_indices(
      wide, TWO(1, kernel_size), TWO(1, steps), TWO(0, padding), TWO(1, dilation),
      ceil_mode, &values, &indices);
  oy_tensor_release(wide);
  return status == OY_OK ? lower(values, indices, out_0, out_1) : status;
}

OYI_COMPOSITE(adaptive_max_pool1d) {
  *out_0 = *out_1 = NULL;
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_TRY(check_rank(t, "adaptive_max_pool1d"));
  OY_TRY(check_one(output_size, "adaptive_max_pool1d", "output_size"));
  oy_object *wide = oyi_call_unsqueeze(self, -2), *values = NULL, *indices = NULL;
  if (!wide) return oy_failure();
  oy_status status =
      oyi_call_adaptive_max_pool2d(wide, TWO(1, output_size), &values, &indices);
  oy_tensor_release(wide);
  return status == OY_OK ? lower(values, indices, out_0, out_1) : status;
}

// What max_pool1d refuses, in its own words.
static oy_status check_max_1d(const oyi_tensor* t, oy_ints kernel, oy_ints stride,
                              oy_ints padding, oy_ints dilation) {
  OY_CHECK((t->ndim == 2 && t->sizes[0] && t->sizes[1]) ||
               (t->ndim == 3 && t->sizes[1] && t->sizes[2]),
           INVALID_ARGUMENT,
           "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch "
           "size for input, but got:%s",
           DIMS(t));
  const oy_ints lists[] = {kernel, stride, padding, dilation};
  static const char* const names[] = {"kernel_size", "stride", "padding", "dilation"};
  for (size_t i = 0; i < 4; i++)
    OY_CHECK(
        lists[i].size == 1 || (i == 1 && lists[i].size == 0), INVALID_ARGUMENT,
        "max_pool1d() %s must be an int, list of ints or tuple of ints of size 1 but "
        "got size %zu",
        names[i], lists[i].size);
  OY_CHECK(kernel.data[0] > 0, INVALID_ARGUMENT,
           "max_pool1d() kernel_size must be greater than zero, but got %lld",
           (long long)kernel.data[0]);
  OY_CHECK(!stride.size || stride.data[0] > 0, INVALID_ARGUMENT,
           "max_pool1d() stride must be greater than zero, but got %lld",
           (long long)stride.data[0]);
  OY_CHECK(padding.data[0] >= 0, INVALID_ARGUMENT,
           "max_pool1d() padding must be non-negative, but got %lld",
           (long long)padding.data[0]);
  OY_CHECK(padding.data[0] <= kernel.data[0] / 2, INVALID_ARGUMENT,
           "max_pool1d() padding should be at most half of kernel size, but got "
           "padding=%lld and kernel_size=%lld",
           (long long)padding.data[0], (long long)kernel.data[0]);
  OY_CHECK(dilation.data[0] > 0, INVALID_ARGUMENT,
           "max_pool1d() dilation must be greater than zero, but got %lld",
           (long long)dilation.data[0]);
  return OY_OK;
}

// The values of the operator |with_indices|.
#define VALUES(with_indices, ...)                                                \
  oy_object *values = NULL, *indices = NULL;                                     \
  if (oyi_call_##with_indices(__VA_ARGS__, &values, &indices) != 0) return NULL; \
  oy_tensor_release(indices);                                                    \
  return values

// Whether nothing but values is asked of |t|, on the CPU: no gradient, no layer that wants
// to see the parts. PyTorch asks the same, so that Meta refuses windows that do not fit once.
static bool is_plain(const oyi_tensor* t, oy_keyset keys) {
  const uint64_t plain = OYI_TENSOR_KEYS | 1ull << OY_KEY_BackendSelect;
  return (keys.functionality & ~plain) == 0 &&
         (t->header.keys.functionality & ~plain) == 0 && t->backend == OY_BACKEND_CPU &&
         oy_dtype_is_floating(t->header.dtype) && !oyi_is_meta(t);
}

static bool has_lines(const oyi_tensor* t) {
  return (t->header.dtype == OY_DTYPE_F32 || t->header.dtype == OY_DTYPE_F64) &&
         (t->flags & OYI_CONTIGUOUS) && t->numel > 0 && oyi_pool_lines;
}

// Windows that fit, rounded up if |ceil|; below 0 where even padding is too little.
static int64_t places_1d(int64_t size, const oyi_pool* p, bool ceil) {
  const int64_t step = p->stride[2], pad = p->padding[2];
  const int64_t room =
      size + 2 * pad - p->dilation[2] * (p->kernel[2] - 1) - 1 + (ceil ? step - 1 : 0);
  int64_t places = (room >= 0 ? room / step : -((step - 1 - room) / step)) + 1;
  if (ceil && (places - 1) * step >= size + pad) places--;
  return places;
}

// Without places; |*out_values| stays NULL where the operator with places has to do it.
static oy_status values_1d(const oyi_tensor* t, oyi_pool* p, bool ceil,
                           oy_object** out_values) {
  const int64_t limit = INT32_MAX / 2, size = t->sizes[t->ndim - 1];
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (p->kernel[2] > limit || p->stride[2] > limit || p->padding[2] > limit ||
      p->dilation[2] > limit || size > limit)
    return OY_OK;
  const int64_t places = places_1d(size, p, ceil);
  OY_CHECK(places >= 0, INVALID_ARGUMENT,
           "max_pool1d() Invalid computed output size: %lld", (long long)places);
  if (places > 0 && !has_lines(t)) return OY_OK;
  memcpy(sizes, t->sizes, t->ndim * sizeof(*sizes));
  sizes[t->ndim - 1] = p->out[2] = places;
  p->in[2] = size;
  p->planes = t->numel / size;
  oyi_tensor* out =
      oyi_tensor_new((oy_ints){sizes, t->ndim}, t->header.dtype, oyi_tensor_device(t));
  if (!out) return oy_failure();
  oy_status status = out->numel ? oyi_pool_lines(p, t, out) : OY_OK;
  if (status == OY_OK)
    *out_values = &out->header;
  else
    oy_tensor_release(&out->header);
  return status;
}

OYI_COMPOSITE(max_pool1d) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_max_1d(t, kernel_size, stride, padding, dilation) != 0) return NULL;
  oy_object* alone = NULL;
  oyi_pool p = {.in = {1, 1, 0},
                .out = {1, 1, 0},
                .kernel = {1, 1, kernel_size.data[0]},
                .stride = {1, 1, stride.size ? stride.data[0] : kernel_size.data[0]},
                .padding = {0, 0, padding.data[0]},
                .dilation = {1, 1, dilation.data[0]}};
  if (is_plain(t, keys) && values_1d(t, &p, ceil_mode, &alone) != OY_OK) return NULL;
  if (alone) return alone;
  VALUES(max_pool1d_with_indices, self, kernel_size, stride, padding, dilation,
         ceil_mode);
}
OYI_COMPOSITE(max_pool2d) {
  VALUES(max_pool2d_with_indices, self, kernel_size, stride, padding, dilation,
         ceil_mode);
}
OYI_COMPOSITE(max_pool3d) {
  VALUES(max_pool3d_with_indices, self, kernel_size, stride, padding, dilation,
         ceil_mode);
}
