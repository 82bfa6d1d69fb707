// SPDX-License-Identifier: Apache-2.0
// take and put_: elements by their place in all of a tensor, in row-major order.
#include "backends/cpu/index/index_check.h"
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/take_offsets.h"
#include "backends/cpu/index/updates.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/cpu.h"
#include "base/threads.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

static oyi_take_dims dims_of(const oyi_tensor* t) {
  oyi_take_dims to = {.ndim = 0, .numel = t->numel};
  for (size_t d = t->ndim; d-- > 0;) {
    const int64_t step = oyi_strides(t)[d] * oyi_item(t);
    if (t->sizes[d] == 1) continue;
    const size_t last = to.ndim - 1;
    if (to.ndim > 0 && to.sizes[last] * to.steps[last] == step) {
      to.sizes[last] *= t->sizes[d];
      continue;
    }
    to.sizes[to.ndim] = t->sizes[d];
    to.steps[to.ndim++] = step;
  }
  if (to.ndim == 0) to.sizes[to.ndim] = 1, to.steps[to.ndim++] = 0;
  return to;
}

typedef struct finding {
  oyi_take_dims dims;
  int64_t count;
  const int64_t* index;
  int64_t* offsets;
  bool failed;  // atomic
} finding;

// The same where numbers are too great for doubles: elements that repeat without end.
static bool find_great(const oyi_take_dims* t, int64_t n, const int64_t* index,
                       int64_t* offsets) {
  for (int64_t i = 0; i < n; i++) {
    int64_t place = index[i] < 0 ? index[i] + t->numel : index[i], offset = 0;
    if (place < 0 || place >= t->numel) return false;
    for (size_t d = 0; d < t->ndim; place /= t->sizes[d++])
      offset += place % t->sizes[d] * t->steps[d];
    offsets[i] = offset;
  }
  return true;
}

static oy_status find_some(int64_t chunk, void* context) {
  finding* f = context;
  const int64_t begin = chunk * OYI_ITER_GRAIN, left = f->count - begin;
  bool (*find)(const oyi_take_dims*, int64_t, const int64_t*, int64_t*) =
      oyi_take_offsets;
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) find = oyi_take_offsets_v3;
#endif
  if (f->dims.numel >> 50) find = find_great;
  if (!find(&f->dims, left < OYI_ITER_GRAIN ? left : OYI_ITER_GRAIN, f->index + begin,
            f->offsets + begin))
    __atomic_store_n(&f->failed, true, __ATOMIC_RELAXED);
  return OY_OK;
}

// The offset for each index, in units of |scale| bytes: the indices themselves if they
// are good as they are, else a new tensor. NULL if one is bad.
static oyi_tensor* find_offsets(const oyi_tensor* t, const oyi_tensor* index,
                                int64_t* scale) {
  *scale = 1;
  const bool lies = index->flags & OYI_CONTIGUOUS;
  if (lies && (t->flags & OYI_CONTIGUOUS) && !oyi_may_share(t, index) &&
      oyi_are_indices(index, t->numel)) {
    *scale = oyi_item(t);
    return oyi_tensor_cast(oy_tensor_retain(oyi_tensor_object(index)));
  }
  oyi_tensor* offsets =
      lies ? oyi_tensor_new(oyi_sizes_view(index), OY_DTYPE_I64, oy_device_cpu())
           : oyi_converted(index, OY_DTYPE_I64);
  if (!offsets) return NULL;
  finding f = {.dims = dims_of(t),
               .count = index->numel,
               .index = oyi_data(lies ? index : offsets),
               .offsets = oyi_data(offsets)};
  (void)!oyi_parallel_chunks(oyi_stretches(f.count, OYI_ITER_GRAIN), find_some, &f);
  if (!f.failed) return offsets;
  OY_FAIL(OUT_OF_RANGE,
          "out of range: tried to access index %lld on a tensor of %lld elements.",
          (long long)oyi_first_bad_index(index, -t->numel, t->numel),
          (long long)t->numel);
  oy_tensor_release(&offsets->header);
  return NULL;
}

static oy_status check_take(const oyi_tensor* t, const oyi_tensor* index) {
  OY_CHECK(index->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "take(): Expected a long tensor for index, but got %s",
           oy_dtype_pytorch_name(index->header.dtype));
  OY_CHECK(t->numel > 0 || index->numel == 0, OUT_OF_RANGE,
           "take(): tried to take from an empty tensor");
  OY_TRY(oyi_check_same_device(t, index));
  OY_TRY(oyi_check_memory(t));
  return oyi_check_memory(index);
}

static oyi_tensor* take_output(const oyi_tensor* t, const oyi_tensor* index,
                               oy_object* out) {
  oy_ints sizes = oyi_sizes_view(index);
  if (!out) return oyi_tensor_new(sizes, t->header.dtype, oyi_tensor_device(t));
  oyi_tensor* o = oyi_tensor_of(out);
  if (o && o->header.dtype != t->header.dtype) {
    OY_FAIL(TYPE_MISMATCH,
            "take(): self and out expected to have the same dtype, but got self.dtype = "
            "%s and out.dtype = %s",
            oy_dtype_pytorch_name(t->header.dtype),
            oy_dtype_pytorch_name(o->header.dtype));
    return NULL;
  }
  const oyi_tensor* inputs[] = {t, index};
  bool good = o && oyi_check_apart(o, inputs, 2) == 0 &&
              oyi_output_prepare(o, sizes, t->header.dtype, oyi_tensor_device(t)) == 0;
  return good ? o : NULL;
}

typedef struct taking {
  oyi_take_fn take;
  const char* from;
  int64_t scale;
} taking;

static void take_loop(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  const taking* t = args;
  t->take(n, data[0], strides[0], t->from, t->scale, data[1], strides[1]);
}

static oy_object* take(oy_object* self, oy_object* index, oy_object* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* i = t ? oyi_tensor_of(index) : NULL;
  if (!i || check_take(t, i) != 0) return NULL;
  if (oyi_is_meta(t)) return oyi_tensor_object(take_output(t, i, out));
  int64_t scale;
  oyi_tensor* offsets = find_offsets(t, i, &scale);
  if (!offsets) return NULL;
  oyi_tensor* result = take_output(t, i, out);
  if (result) {
    taking args = {oyi_take_for((size_t)oyi_item(t)), oyi_data(t), scale};
    oyi_iter it;
    const oyi_tensor* tensors[] = {result, offsets};
    oyi_iter_plain(&it, tensors, 2);
    oyi_iter_run(&it, take_loop, &args);
  }
  oy_tensor_release(&offsets->header);
  return oyi_tensor_object(result);
}

OYI_CPU(take) {
  return take(self, index, NULL);
}
OYI_CPU(take_out) {
  return take(self, index, out);
}

static oy_status check_put(const oyi_tensor* t, const oyi_tensor* index,
                           const oyi_tensor* source) {
  OY_CHECK(index->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "put_(): Expected a long tensor for index, but got %s",
           oy_dtype_pytorch_name(index->header.dtype));
  OY_CHECK(t->header.dtype == source->header.dtype, TYPE_MISMATCH,
           "put_(): self and source expected to have the same dtype, but got self.dtype "
           "= %s and source.dtype = %s",
           oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(source->header.dtype));
  OY_CHECK(index->numel == source->numel, OUT_OF_RANGE,
           "put_(): Expected source and index to have the same number of elements, but "
           "got source.numel() = %lld, index.numel() = %lld",
           (long long)source->numel, (long long)index->numel);
  OY_CHECK(t->numel > 0 || index->numel == 0, OUT_OF_RANGE,
           "put_(): Tried to put elements into an empty tensor");
  OY_TRY(oyi_check_same_device(t, source));
  OY_TRY(oyi_check_memory(t));
  OY_TRY(oyi_check_memory(index));
  OY_TRY(oyi_check_memory(source));
  const oyi_tensor* inputs[] = {index, source};
  return oyi_check_apart(t, inputs, 2);
}

OYI_CPU(put_) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* i = t ? oyi_tensor_of(index) : NULL;
  const oyi_tensor* s = i ? oyi_tensor_of(source) : NULL;
  oyi_updater updater;
  if (!s || check_put(t, i, s) != 0 ||
      oyi_updater_find(accumulate ? OYI_UPDATE_ADD : OYI_UPDATE_SET, self->dtype,
                       "take_put_cpu", &updater) != 0)
    return NULL;
  if (oyi_is_meta(t)) return self;
  int64_t scale;
  oyi_tensor* offsets = find_offsets(t, i, &scale);
  oyi_tensor* from = offsets ? oyi_converted(s, self->dtype) : NULL;
  if (from) {
    updater.at(offsets->numel, oyi_data(t), 0, scale, oyi_data(offsets), sizeof(int64_t),
               oyi_data(from), oyi_item(t));
    oy_tensor_release(&from->header);
  }
  if (offsets) oy_tensor_release(&offsets->header);
  return from ? self : NULL;
}
