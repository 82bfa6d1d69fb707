// SPDX-License-Identifier: Apache-2.0
// take and put_: elements by their place in all of a tensor, in row-major order.
#include "backends/cpu/index/index_check.h"
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/updates.h"
#include "backends/cpu/kernels.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// The offset in bytes of element |place| of |t|.
static int64_t offset_of(const oyi_tensor* t, int64_t place) {
  if (t->flags & OYI_CONTIGUOUS) return place * oyi_item(t);
  int64_t offset = 0;
  for (size_t d = t->ndim; d-- > 0;) {
    int64_t rest = place / t->sizes[d];
    offset += (place - rest * t->sizes[d]) * oyi_strides(t)[d];
    place = rest;
  }
  return offset * oyi_item(t);
}

// The offset for each index, in units of |scale| bytes: the indices themselves if they
// are good as they are, else a new tensor. NULL if one is bad.
static oyi_tensor* find_offsets(const oyi_tensor* t, const oyi_tensor* index,
                                int64_t* scale) {
  *scale = 1;
  if ((t->flags & index->flags & OYI_CONTIGUOUS) && !oyi_may_share(t, index) &&
      oyi_are_indices(index, t->numel)) {
    *scale = oyi_item(t);
    return oyi_tensor_cast(oy_tensor_retain(oyi_tensor_object(index)));
  }
  oyi_tensor* offsets = oyi_converted(index, OY_DTYPE_I64);
  if (!offsets) return NULL;
  int64_t* o = oyi_data(offsets);
  for (int64_t i = 0; i < offsets->numel; i++) {
    int64_t place = o[i] < 0 ? o[i] + t->numel : o[i];
    if (place >= 0 && place < t->numel) {
      o[i] = offset_of(t, place);
      continue;
    }
    OY_FAIL(OUT_OF_RANGE,
            "out of range: tried to access index %lld on a tensor of %lld elements.",
            (long long)o[i], (long long)t->numel);
    oy_tensor_release(&offsets->header);
    return NULL;
  }
  return offsets;
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
  return oyi_output_check_overlap(t, inputs, 2);
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
