// SPDX-License-Identifier: Apache-2.0
// max_unpool2d and max_unpool3d: elements put where maximum pools found them, zeros
// elsewhere.
#include <stdio.h>
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/rules/rules.h"
#include "ops/rules/spatial.h"

typedef struct job {
  const char* in;
  const int64_t* index;
  char* out;
  int64_t planes, stretch, item, here, there;  // elements of a plane
  oy_ints size;                                // of a plane of the output
} job;

typedef struct unpooling {
  oy_object *self, *indices;
  oy_ints size, stride, padding;  // the last two in three dimensions
  size_t dims;
} unpooling;

// What schemas with three dimensions ask for besides.
static oy_status check_steps(const unpooling* u) {
  OY_CHECK(u->stride.size == 3, INVALID_ARGUMENT,
           "There should be exactly three elements (depth, height, width) in stride, but "
           "got: %zu elements.",
           u->stride.size);
  OY_CHECK(
      u->padding.size == 3, INVALID_ARGUMENT,
      "There should be exactly three elements (depth, height, width) in padding, but "
      "got: %zu elements.",
      u->padding.size);
  for (size_t d = 0; d < 3; d++)
    OY_CHECK(u->stride.data[d] > 0, INVALID_ARGUMENT,
             "strides should be greater than zero, but got stride: %s",
             oyi_dims_print(u->stride).text);
  return OY_OK;
}

static oy_status check(const oyi_tensor* t, const oyi_tensor* at, const unpooling* u) {
  const size_t dims = u->dims;
  OY_CHECK(at->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "elements in indices should be type int64 but got: %s",
           oy_dtype_pytorch_name(at->header.dtype));
  OY_CHECK(t->ndim == dims + 1 || t->ndim == dims + 2, INVALID_ARGUMENT,
           "Input to max_unpooling%zud should be a %zud or %zud Tensor, but got a tensor "
           "with %u dimensions.",
           dims, dims + 1, dims + 2, t->ndim);
  OY_CHECK(u->size.size == dims, INVALID_ARGUMENT,
           "There should be exactly %s in output_size, but got %zu elements.",
           dims == 2 ? "two elements (height, width)"
                     : "three elements (depth, height, width)",
           u->size.size);
  if (dims == 3) OY_TRY(check_steps(u));
  OY_CHECK(
      oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(at)), INVALID_ARGUMENT,
      "Expected shape of indices to be same as that of the input tensor (%s) but got "
      "indices tensor with shape: %s",
      oyi_dims_print(oyi_sizes_view(t)).text, oyi_dims_print(oyi_sizes_view(at)).text);
  for (size_t d = 1; d < t->ndim; d++)
    OY_CHECK(
        t->sizes[d] > 0, INVALID_ARGUMENT,
        "max_unpooling%zud_forward_out_cpu(): Expected input to have non-zero size for "
        "non-batch dimensions, but got %s with dimension %zu being empty.",
        dims, oyi_dims_print(oyi_sizes_view(t)).text, d);
  for (size_t d = 0; d < dims; d++)
    OY_CHECK(u->size.data[d] >= 0, INVALID_ARGUMENT,
             "max_unpool%zud: expected an output_size of at least 0, got %s", dims,
             oyi_dims_print(u->size).text);
  return oyi_check_same_device(t, at);
}

static oy_status wrong_index(const job* j, int64_t at) {
  char size[80];
  int used = snprintf(size, sizeof(size), "%lld", (long long)j->size.data[0]);
  for (size_t d = 1; d < j->size.size; d++)
    used += snprintf(size + used, sizeof(size) - (size_t)used, "x%lld",
                     (long long)j->size.data[d]);
  return OY_FAIL(INVALID_ARGUMENT,
                 "Found an invalid max index: %lld (output volumes are of size %s",
                 (long long)at, size);
}

static oy_status run_planes(int64_t k, void* context) {
  const job* j = context;
  const int64_t end = (k + 1) * j->stretch;
  for (int64_t i = k * j->stretch; i < end && i < j->planes; i++) {
    char* out = j->out + i * j->there * j->item;
    if (j->there > 0) memset(out, 0, (size_t)(j->there * j->item));
    for (int64_t p = i * j->here; p < (i + 1) * j->here; p++) {
      const int64_t at = j->index[p];
      if ((uint64_t)at >= (uint64_t)j->there) return wrong_index(j, at);
      if (j->item == 4)
        ((float*)(void*)out)[at] = ((const float*)(const void*)j->in)[p];
      else
        ((double*)(void*)out)[at] = ((const double*)(const void*)j->in)[p];
    }
  }
  return OY_OK;
}

static oy_object* unpool(const unpooling* u, oy_object* given) {
  const oyi_tensor* t = oyi_tensor_of(u->self);
  const oyi_tensor* at = t ? oyi_tensor_of(u->indices) : NULL;
  if (!at || check(t, at, u) != 0) return NULL;
  const oy_dtype dtype = t->header.dtype;
  if (dtype != OY_DTYPE_F32 && dtype != OY_DTYPE_F64) {
    (void)!oyi_not_implemented(u->dims == 2 ? "max_unpool2d" : "max_unpool3d", dtype);
    return NULL;
  }
  int64_t sizes[5];
  const size_t n = t->ndim, first = n - u->dims;
  memcpy(sizes, t->sizes, n * sizeof(int64_t));
  memcpy(sizes + first, u->size.data, u->dims * sizeof(int64_t));
  const oy_memory_format format =
      u->dims == 2 ? oyi_spatial_format(t) : OY_MEMORY_CONTIGUOUS;
  oyi_tensor* out = oyi_rule_spatial((oy_ints){sizes, n}, dtype, t, format, given);
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  job j = {.item = oyi_item(t), .size = u->size, .here = 1, .there = 1};
  for (size_t d = first; d < n; d++) j.here *= t->sizes[d], j.there *= sizes[d];
  j.planes = t->numel / j.here;
  oyi_work w = oyi_work_begin(dtype);
  j.in = oyi_work_read(&w, t);
  j.index = oyi_work_read_as(&w, at, OY_DTYPE_I64);
  j.out = oyi_work_write(&w, out);
  j.stretch = oyi_stretch(j.here + j.there);
  oy_status status = OY_OK;
  if (!w.failed)
    status = oyi_parallel_chunks(oyi_stretches(j.planes, j.stretch), run_planes, &j);
  if (oyi_work_end(&w, status) == OY_OK) return &out->header;
  if (!given) oy_tensor_release(&out->header);
  return NULL;
}

#define TWO                                                          \
  &(unpooling) {                                                     \
    .self = self, .indices = indices, .size = output_size, .dims = 2 \
  }
#define THREE                                                                \
  &(unpooling) {                                                             \
    .self = self, .indices = indices, .size = output_size, .stride = stride, \
    .padding = padding, .dims = 3                                            \
  }
OYI_CPU(max_unpool2d) {
  return unpool(TWO, NULL);
}
OYI_CPU(max_unpool2d_out) {
  return unpool(TWO, out);
}
OYI_CPU(max_unpool3d) {
  return unpool(THREE, NULL);
}
OYI_CPU(max_unpool3d_out) {
  return unpool(THREE, out);
}
