// SPDX-License-Identifier: Apache-2.0
// The gradients of maximum pools: what each window has goes to where its greatest element was.
// Images of which channels lie side by side are taken whole, a row of channels at a time.
#include <string.h>

#include "backends/cpu/neural/pool_windows.h"
#include "backends/cpu/staging.h"
#include "base/threads.h"
#include "tensor/block_cache.h"
#include "tensor/half.h"

// |n| windows of |channels| that lie side by side, into an image of |room| places of as many.
// False if an index is none of them. |sums|, for 16-bit floats: as many zeros as an image has
// elements, which they are again afterwards.
typedef bool scatter_fn(const void* values, const int64_t* indices, int64_t n,
                        int64_t channels, void* out, int64_t room, float* sums);

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define ADD(a, b)   ((a) + (b))
#define T           float
#define ID          f32
#include "backends/cpu/neural/pool_scatter_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/neural/pool_scatter_tmpl.h"
#undef T
#undef ID
#undef ADD
#define ADD(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#define T         int64_t
#define ID        i64
#include "backends/cpu/neural/pool_scatter_tmpl.h"
#undef ID
#define ID       bf16
#define LOAD(x)  oyi_bf16_to_float(x)
#define STORE(x) oyi_bf16_from_float(x)
#include "backends/cpu/neural/pool_scatter_short_tmpl.h"
#undef ID
#undef LOAD
#undef STORE
#define ID       f16
#define LOAD(x)  oyi_f16_to_float(x)
#define STORE(x) oyi_f16_from_float(x)
#include "backends/cpu/neural/pool_scatter_short_tmpl.h"

enum {
  GRAIN = 8192,  // elements that are worth a thread
  PARTS = 4      // of all images for each: many bytes are cleared faster at once
};

typedef struct job {
  const char* name;
  scatter_fn* fn;
  const char* values;
  const int64_t* indices;
  char* out;
  int64_t images, channels, chunk, item;
  int64_t from, to;  // places of an image
} job;

static oy_status scatter_images(const job* j, int64_t first, int64_t end, float* sums) {
  const int64_t step = j->channels * j->item;
  memset(j->out + first * j->to * step, 0, (size_t)((end - first) * j->to * step));
  for (int64_t i = first; i < end; i++)
    OY_CHECK(j->fn(j->values + i * j->from * step, j->indices + i * j->from * j->channels,
                   j->from, j->channels, j->out + i * j->to * step, j->to, sums),
             INVALID_ARGUMENT,
             "%s: found an invalid max index (output volumes are of size %lld)", j->name,
             (long long)j->to);
  return OY_OK;
}

static oy_status run_images(int64_t index, void* context) {
  const job* j = context;
  const int64_t first = index * j->chunk;
  const int64_t end = first + j->chunk < j->images ? first + j->chunk : j->images;
  if (j->item != sizeof(uint16_t)) return scatter_images(j, first, end, NULL);
  void* block = NULL;
  const size_t size = (size_t)(j->to * j->channels) * sizeof(float);
  float* sums = (float*)(void*)oyi_data_alloc(size, &block);
  if (!sums) return OY_OUT_OF_MEMORY;
  memset(sums, 0, size);
  const oy_status status = scatter_images(j, first, end, sums);
  oyi_data_free(block, (char*)sums);
  return status;
}

// No result depends on it.
static int64_t chunk_of(const job* j) {
  const int64_t threads = oy_get_num_threads();
  const int64_t most = threads > 1 ? j->images / (threads * PARTS) : j->images;
  const int64_t least = GRAIN / (j->channels * (j->from + j->to) + 1) + 1;
  return most > least ? most : least;
}

static scatter_fn* find(oy_dtype dtype, bool by_channels) {
  switch (dtype) {
    case OY_DTYPE_F32: return by_channels ? scatter_channels_f32 : scatter_f32;
    case OY_DTYPE_F64: return by_channels ? scatter_channels_f64 : scatter_f64;
    case OY_DTYPE_I64: return by_channels ? scatter_channels_i64 : scatter_i64;
    case OY_DTYPE_F16: return by_channels ? scatter_channels_f16 : scatter_f16;
    case OY_DTYPE_BF16: return by_channels ? scatter_channels_bf16 : scatter_bf16;
    default: return NULL;
  }
}

static oy_status run(job* j, oy_dtype type, oyi_tensor* values, oyi_tensor* indices,
                     oyi_tensor* out) {
  oyi_tensor* v = values && indices && out ? oyi_stage_in(values, type) : NULL;
  oyi_tensor* i = v ? oyi_stage_in(indices, OY_DTYPE_I64) : NULL;
  oyi_tensor* y = i ? oyi_stage_out(out, type) : NULL;
  oy_status status = y ? OY_OK : oy_failure();
  if (y && j->images > 0) {
    const int64_t all = j->images * j->channels;
    j->values = oyi_data(v), j->indices = oyi_data(i), j->out = oyi_data(y);
    j->item = oyi_item(y), j->from = v->numel / all, j->to = y->numel / all;
    j->chunk = chunk_of(j);
    status = oyi_parallel_chunks((j->images + j->chunk - 1) / j->chunk, run_images, j);
  }
  if (out) status = oyi_unstage(out, y, status);
  oy_tensor_release(oyi_tensor_object(v));
  oy_tensor_release(oyi_tensor_object(i));
  return status;
}

// Whether so much of images is met by no window that to turn all of them into floats and back
// takes longer than to do so with what is met.
static bool has_few(const oyi_tensor* values, const oyi_tensor* out) {
  enum { TIMES = 20 };
  return values->numel <= out->numel / TIMES;
}

oy_status oyi_pool_scatter(const char* name, oyi_tensor* values, oyi_tensor* indices,
                           int64_t planes, oyi_tensor* out) {
  const oy_dtype type = has_few(values, out) ? values->header.dtype
                                             : oyi_compute_dtype(values->header.dtype);
  const bool turns = out->ndim == 4 && out->sizes[1] > 1 &&
                     planes == out->sizes[0] * out->sizes[1] &&
                     oyi_spatial_format(out) == OY_MEMORY_CHANNELS_LAST;
  job j = {.name = name, .fn = find(type, turns), .channels = turns ? out->sizes[1] : 1};
  if (!j.fn) return oyi_not_for(name, values->header.dtype);
  j.images = planes / j.channels;
  oyi_tensor *v = oyi_pool_turned(values, turns), *i = oyi_pool_turned(indices, turns),
             *y = oyi_pool_turned(out, turns);
  const oy_status status = run(&j, type, v, i, y);
  oy_tensor_release(oyi_tensor_object(v));
  oy_tensor_release(oyi_tensor_object(i));
  oy_tensor_release(oyi_tensor_object(y));
  return status;
}
