// SPDX-License-Identifier: Apache-2.0
// max_unpool2d: elements put where max_pool2d found them, zeros elsewhere.
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/rules.h"
#include "ops/rules_spatial.h"

typedef struct job {
  const char* in;
  const int64_t* index;
  char* out;
  int64_t planes, stretch, item, here, there;  // elements of a plane
  int64_t height, width;
} job;

static oy_status check(const oyi_tensor* t, const oyi_tensor* at, oy_ints size) {
  OY_CHECK(at->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "elements in indices should be type int64 but got: %s",
           oy_dtype_pytorch_name(at->header.dtype));
  OY_CHECK(size.size == 2, INVALID_ARGUMENT,
           "There should be exactly two elements (height, width) in output_size, but got "
           "%zu elements.",
           size.size);
  OY_CHECK(t->ndim == 3 || t->ndim == 4, INVALID_ARGUMENT,
           "Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with "
           "%u dimensions.",
           t->ndim);
  OY_CHECK(
      oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(at)), INVALID_ARGUMENT,
      "Expected shape of indices to be same as that of the input tensor (%s) but got "
      "indices tensor with shape: %s",
      oyi_dims_print(oyi_sizes_view(t)).text, oyi_dims_print(oyi_sizes_view(at)).text);
  for (size_t d = 1; d < t->ndim; d++)
    OY_CHECK(
        t->sizes[d] > 0, INVALID_ARGUMENT,
        "max_unpooling2d_forward_out_cpu(): Expected input to have non-zero size for "
        "non-batch dimensions, but got %s with dimension %zu being empty.",
        oyi_dims_print(oyi_sizes_view(t)).text, d);
  OY_CHECK(size.data[0] >= 0 && size.data[1] >= 0, INVALID_ARGUMENT,
           "max_unpool2d: expected an output_size of at least 0, got %s",
           oyi_dims_print(size).text);
  return oyi_check_same_device(t, at);
}

static oy_status run_planes(int64_t k, void* context) {
  const job* j = context;
  const int64_t end = (k + 1) * j->stretch;
  for (int64_t i = k * j->stretch; i < end && i < j->planes; i++) {
    char* out = j->out + i * j->there * j->item;
    if (j->there > 0) memset(out, 0, (size_t)(j->there * j->item));
    for (int64_t p = i * j->here; p < (i + 1) * j->here; p++) {
      const int64_t at = j->index[p];
      OY_CHECK((uint64_t)at < (uint64_t)j->there, INVALID_ARGUMENT,
               "Found an invalid max index: %lld (output volumes are of size %lldx%lld",
               (long long)at, (long long)j->height, (long long)j->width);
      if (j->item == 4)
        ((float*)(void*)out)[at] = ((const float*)(const void*)j->in)[p];
      else
        ((double*)(void*)out)[at] = ((const double*)(const void*)j->in)[p];
    }
  }
  return OY_OK;
}

static oy_object* unpool(oy_object* self, oy_object* indices, oy_ints size,
                         oy_object* given) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* at = t ? oyi_tensor_of(indices) : NULL;
  if (!at || check(t, at, size) != 0) return NULL;
  if (self->dtype != OY_DTYPE_F32 && self->dtype != OY_DTYPE_F64) {
    (void)!oyi_not_implemented("max_unpool2d", self->dtype);
    return NULL;
  }
  int64_t sizes[4];
  const size_t n = t->ndim;
  memcpy(sizes, t->sizes, n * sizeof(int64_t));
  sizes[n - 2] = size.data[0];
  sizes[n - 1] = size.data[1];
  oyi_tensor* out =
      oyi_rule_spatial((oy_ints){sizes, n}, self->dtype, t, oyi_spatial_format(t), given);
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  job j = {.item = oyi_item(t), .height = sizes[n - 2], .width = sizes[n - 1]};
  j.here = t->sizes[n - 2] * t->sizes[n - 1];
  j.there = j.height * j.width;
  j.planes = t->numel / j.here;
  oyi_work w = oyi_work_begin(self->dtype);
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

OYI_CPU(max_unpool2d) {
  return unpool(self, indices, output_size, NULL);
}
OYI_CPU(max_unpool2d_out) {
  return unpool(self, indices, output_size, out);
}
